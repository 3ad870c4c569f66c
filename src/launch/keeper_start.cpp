#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "launch/diagnosis.hpp"
#include "launch/keeper_process.hpp"

namespace isthmus::launch {
namespace {

const char* const kRaiseFiles = os::advice_on_call(EMFILE);

bool is_out_of_files(int error) {
    return error == EMFILE || error == ENFILE;
}

}  // namespace

bool Keeper::prepare() {
    prctl(PR_SET_NAME, "isthmus-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setpgid(0, 0);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    // The job file is large beyond any limit and takes no disk; pipes take descriptors. Programs
    // get the limits that the launcher found.
    for (const auto resource : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
        rlimit limit{};
        getrlimit(resource, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(resource, &limit);
    }
    // Blocked for good; those of interest are read from the descriptor.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t heard;
    sigemptyset(&heard);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        sigaddset(&heard, signal);
    signals_ = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0) {
        announce(std::string("isthmus: signalfd: ") + std::strerror(errno) +
                 (is_out_of_files(errno)
                      ? kRaiseFiles
                      : "; the system call is forbidden here (a container's seccomp profile?)"));
        return false;
    }
    null_input_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null_input_ < 0) {
        announce(std::string("isthmus: cannot open /dev/null: ") + std::strerror(errno) +
                 (is_out_of_files(errno) ? kRaiseFiles : "; is there a /dev?"));
        return false;
    }
    job_ = create_job_file(options_.pes, getppid(), os::usable_processors());
    if (!job_.error.empty()) {
        announce("isthmus: " + job_.error);
        return false;
    }
    binding_ = choose_binding(options_.bind, options_.pes);
    if (!binding_.error.empty()) {
        announce("isthmus: " + binding_.error);
        return false;
    }
    if (options_.prefix) {
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        const auto needed = 2 * static_cast<rlim_t>(options_.pes) + 80;
        if (limit.rlim_cur < needed) {
            announce("isthmus: --prefix needs " + std::to_string(needed) + " open files for " +
                     std::to_string(options_.pes) + " PEs, the limit is " +
                     std::to_string(limit.rlim_cur) + "; raise it (ulimit -n) or use --split");
            return false;
        }
        streams_.reserve(2 * pes_.size());
    }
    memory_kills_before_ = out_of_memory_kills();
    environment_ = build_environment();
    for (const std::string& argument : options_.command)
        argument_pointers_.push_back(const_cast<char*>(argument.c_str()));
    argument_pointers_.push_back(nullptr);
    return prepare_tools();
}

bool Keeper::prepare_tools() {
    const auto add = [&](const char* option, int pe, std::vector<std::string> words) {
        if (pe < 0) return true;
        const Program tool = find_program(words.front(), "");
        if (!tool.error.empty()) {
            announce(std::string("isthmus: ") + option + ": " + tool.error +
                     "; install it, or leave the option out");
            return false;
        }
        words.push_back(program_.path);
        words.insert(words.end(), options_.command.begin() + 1, options_.command.end());
        ToolRun& run = tools_.emplace_back(ToolRun{pe, tool.path, std::move(words), {}});
        for (std::string& word : run.words)
            run.pointers.push_back(word.data());
        run.pointers.push_back(nullptr);
        return true;
    };
    tools_.reserve(2);
    return add("--gdb", options_.gdb_pe, {"gdb", "-q", "--args"}) &&
           add("--valgrind", options_.valgrind_pe, {"valgrind", "--vgdb=no"});
}

std::vector<std::string> Keeper::build_environment() const {
    std::vector<std::string> result;
    const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    const auto replaced = [&](std::string_view entry) {
        return std::any_of(options_.environment.begin(), options_.environment.end(),
                           [&](const std::string& own) { return name_of(own) == name_of(entry); });
    };
    for (char** entry = environ; *entry; ++entry)
        if (!replaced(*entry)) result.emplace_back(*entry);
    result.insert(result.end(), options_.environment.begin(), options_.environment.end());
    // Who debugs thinks longer than that.
    for (const std::string name : {"ISTHMUS_STALL_SECONDS", "ISTHMUS_JOIN_SECONDS"})
        if (options_.gdb_pe >= 0 && !std::getenv(name.c_str())) result.push_back(name + "=0");
    // Under valgrind a large heap has no room, and all PEs must have the same.
    if (options_.valgrind_pe >= 0 &&
        std::none_of(result.begin(), result.end(), [&](const std::string& entry) {
            return is_name_of(Setting::symmetric_size, name_of(entry));
        }))
        result.emplace_back("SHMEM_SYMMETRIC_SIZE=512M");
    result.emplace_back();  // the bootstrap variable, another one for each PE
    return result;
}

bool Keeper::open_streams(int pe, SpawnRequest& request) {
    if (pe != std::max(options_.gdb_pe, 0)) request.input = null_input_;
    if (pe == options_.gdb_pe) return true;
    const auto fail = [&](const std::string& what) {
        announce("isthmus: " + what + ": " + std::strerror(errno));
        return false;
    };
    if (!options_.split_directory.empty()) {
        const std::string path = options_.split_directory + "/pe-" + std::to_string(pe) + ".out";
        const int file =
            open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (file < 0) return fail("cannot write " + path);
        request.output = request.errors = file;
    } else if (options_.prefix) {
        const std::string prefix = std::string("[").append(std::to_string(pe)).append("] ");
        for (int* const end : {&request.output, &request.errors}) {
            int ends[2];
            if (pipe2(ends, O_CLOEXEC) != 0) return fail("cannot make a pipe");
            fcntl(ends[0], F_SETFL, O_NONBLOCK);
            streams_.push_back(
                {ends[0], LineCutter(prefix), end == &request.output ? &output_ : &errors_});
            *end = ends[1];
        }
    }
    return true;
}

bool Keeper::start(int pe) {
    SpawnRequest request;
    bool started = open_streams(pe, request);
    if (started) {
        environment_.back() = std::string(kBootstrapVariable) +
                              "=local:" + std::to_string(job_.file) + ":" + std::to_string(pe) +
                              ":" + std::to_string(options_.pes);
        environment_pointers_.back() = environment_.back().data();
        environment_pointers_.push_back(nullptr);
        request.path = program_.path.c_str();
        request.arguments = &argument_pointers_;
        for (const ToolRun& tool : tools_) {
            if (tool.pe != pe) continue;
            request.path = tool.path.c_str();
            request.arguments = &tool.pointers;
        }
        request.in_background = options_.gdb_pe >= 0 && options_.gdb_pe != pe;
        request.environment = &environment_pointers_;
        if (!options_.working_directory.empty())
            request.working_directory = options_.working_directory.c_str();
        if (!binding_.sets.empty())
            request.processors = &binding_.sets[static_cast<std::size_t>(pe)];
        request.inheritance = &inheritance_;
        const SpawnResult result = spawn(request);
        environment_pointers_.pop_back();
        if (result.error != 0) {
            started = false;
            if (std::strcmp(result.step, "exec") == 0) {
                status_ = result.error == ENOENT ? kStatusNotFound : kStatusNotExecutable;
                announce("isthmus: " + describe_exec_error(request.path, result.error));
            } else {
                announce(
                    "isthmus: cannot start PE " + std::to_string(pe) + ": " + result.step + ": " +
                    std::strerror(result.error) +
                    (result.error == EAGAIN ? "; raise the limit of processes (ulimit -u)" : ""));
            }
        } else {
            pes_[static_cast<std::size_t>(pe)].child = result.process;
            ++running_;
        }
    }
    if (request.output >= 0) close(request.output);
    if (request.errors >= 0 && request.errors != request.output) close(request.errors);
    return started;
}

bool Keeper::start_all() {
    for (std::string& entry : environment_)
        environment_pointers_.push_back(entry.data());
    if (options_.show_binding) {
        announce("isthmus: " + binding_.reason);
        for (std::size_t pe = 0; pe < binding_.sets.size(); ++pe)
            announce("isthmus: PE " + std::to_string(pe) + ": processors " +
                     binding_.sets[pe].text());
    }
    for (int pe = 0; pe < options_.pes; ++pe)
        if (!start(pe)) return false;
    // Standard input is PE 0's alone, or the debugger's.
    dup2(null_input_, STDIN_FILENO);
    return true;
}

}  // namespace isthmus::launch
