#include "launch/remote/shell.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/quote.hpp"
#include "base/settings.hpp"
#include "launch/program.hpp"
#include "launch/remote/orders.hpp"

namespace isthmus::launch {

std::vector<std::string> remote_shell() {
    std::istringstream given(value(Setting::remote_shell).text);
    std::vector<std::string> words;
    for (std::string word; given >> word;)
        words.push_back(word);
    if (!words.empty()) return words;
    return {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5"};
}

std::vector<std::string> agent_command(const std::string& tool, const std::string& host) {
    std::vector<std::string> words = remote_shell();
    // A remote shell splits it once more.
    words.insert(words.end(), {host, quote({tool}), "agent"});
    return words;
}

std::string describe_remote_start(const RunOptions& options, const std::string& tool) {
    std::string text;
    int first = 0;
    for (const HostShare& host : options.hosts) {
        const int last = first + host.pes - 1;
        text += "PE" +
                (host.pes == 1 ? " " + std::to_string(first)
                               : "s " + std::to_string(first) + "-" + std::to_string(last)) +
                ": " + quote(agent_command(tool, host.name)) + "\n";
        first = last + 1;
    }
    return text + "each: " + quote(options.command) + "\n";
}

std::string describe_inherited(const RunOptions& options) {
    std::vector<std::string> names;
    for (const std::string& entry : environment_for_hosts({}))
        names.push_back(entry.substr(0, entry.find('=')));
    std::sort(names.begin(), names.end());
    std::string text = "directory: " + quote({directory_for_hosts(options.working_directory)});
    text += "\ninherited:";
    for (const std::string& name : names)
        text += " " + name;
    return text + "\n";
}

RemoteShell start_remote_shell(const std::string& tool, const std::string& host,
                               const Inheritance& inheritance) {
    RemoteShell shell;
    shell.status = kStatusLauncher;
    std::vector<std::string> words = agent_command(tool, host);
    const Program program = find_program(words[0], "");
    if (!program.error.empty()) {
        shell.error = program.error +
                      "; it starts the PEs of other hosts "
                      "(ISTHMUS_REMOTE_SHELL names another)";
        shell.status = program.status;
        return shell;
    }
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) {
        shell.error = std::string("cannot make a pipe: ") + std::strerror(errno);
        for (const int end : down)
            if (end >= 0) close(end);
        return shell;
    }
    std::vector<char*> arguments, environment;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (char** entry = environ; *entry; ++entry)
        environment.push_back(*entry);
    environment.push_back(nullptr);
    SpawnRequest request;
    request.path = program.path.c_str();
    request.arguments = &arguments;
    request.environment = &environment;
    // In a group of its own: Ctrl-C is ours to pass on.
    Inheritance own = inheritance;
    own.process_group = 0;
    request.inheritance = &own;
    request.input = down[0];
    request.output = up[1];
    const SpawnResult result = spawn(request);
    close(down[0]);
    close(up[1]);
    if (result.error != 0) {
        shell.error = "cannot run " + program.path + ": " + std::strerror(result.error);
        close(down[1]);
        close(up[0]);
        return shell;
    }
    fcntl(up[0], F_SETFL, O_NONBLOCK);
    shell.process = result.process;
    shell.from = up[0];
    shell.to = down[1];
    shell.status = 0;
    return shell;
}

}  // namespace isthmus::launch
