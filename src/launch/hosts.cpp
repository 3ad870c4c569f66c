#include "launch/hosts.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace isthmus::launch {
namespace {

constexpr const char* kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

// "4"; 0 if it is no number of PEs.
int count_of(const std::string& text) {
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    return text.empty() || *end != '\0' || number < 1 || number > 65536 ? 0
                                                                        : static_cast<int>(number);
}

std::string add_host(const std::string& name, const std::string* count, bool in_file,
                     std::vector<HostShare>& hosts) {
    if (name.empty() || name[0] == '-' ||
        name.find_first_not_of(kNameCharacters) != std::string::npos)
        return "'" + name + "' is no name of a host";
    HostShare host{name, 0, in_file && !count, in_file};
    if (count && (host.pes = count_of(*count)) == 0)
        return "host " + name + ": '" + *count + "' is no number of PEs";
    const auto known = std::find_if(hosts.begin(), hosts.end(),
                                    [&](const HostShare& other) { return other.name == name; });
    if (known == hosts.end())
        hosts.push_back(host);
    else if (known->named != 0 && host.named != 0)
        ++known->named;
    else if (known->pes == 0 || host.pes == 0)
        return "host " + name + " is named twice; say how many PEs: " + name + ":N";
    else
        known->pes += host.pes;
    return "";
}

// "fd00::1", "[fd00::1]:4": to ssh, and in what other launchers take, colons mean something else.
bool is_ipv6(const std::string& word) {
    in6_addr address{};
    return word.starts_with('[') || inet_pton(AF_INET6, word.c_str(), &address) == 1;
}

// "h1:4"
std::string add_word(const std::string& word, bool in_file, std::vector<HostShare>& hosts) {
    if (is_ipv6(word))
        return "'" + word +
               "': hosts are not named by numbers of IPv6; give it a name (in /etc/hosts, or as a "
               "Host "
               "of ssh's configuration)";
    const auto colon = word.find(':');
    if (colon == std::string::npos) return add_host(word, nullptr, in_file, hosts);
    const std::string count = word.substr(colon + 1);
    return add_host(word.substr(0, colon), &count, in_file, hosts);
}

std::string short_name(const std::string& name) {
    return name.substr(0, name.find('.'));
}

}  // namespace

std::string parse_hosts(const std::string& list, std::vector<HostShare>& hosts) {
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = std::min(list.find(',', begin), list.size());
        if (std::string why = add_word(list.substr(begin, comma - begin), false, hosts);
            !why.empty())
            return why;
        if (comma == list.size()) return "";
        begin = comma + 1;
    }
}

std::string read_host_file(const std::string& path, std::vector<HostShare>& hosts) {
    errno = 0;
    std::ifstream file(path);
    if (!file) return path + ": " + std::strerror(errno != 0 ? errno : EIO);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        line.resize(std::min(line.find('#'), line.size()));
        std::istringstream words(line);
        std::string name, count, more;
        if (!(words >> name)) continue;
        std::string why;
        // `max_slots=8` and the like of others say nothing about this job.
        while (words >> count && count.find('=') != std::string::npos &&
               !count.starts_with("slots="))
            count.clear();
        if (!count.empty() && !is_ipv6(name)) {
            if (count.starts_with("slots=")) count.erase(0, 6);
            why = add_host(name, &count, true, hosts);
        } else {
            why = add_word(name, true, hosts);
        }
        // SGE: behind the number the queue, and processors.
        bool is_queue = false;
        while (words >> more)
            if (is_queue |= more.find('@') != std::string::npos;
                !is_queue && more.find('=') == std::string::npos)
                why = "'" + more + "' is not understood";
        if (!why.empty()) return path + ":" + std::to_string(number) + ": " + why;
    }
    return hosts.empty() ? path + " names no host" : "";
}

namespace {

// What --per-host means for hosts whose number is known; what is wrong with it, or nothing.
std::string take_each(std::vector<HostShare>& hosts, int each) {
    const HostShare* other = nullptr;
    bool has_silent = false;
    for (HostShare& host : hosts) {
        has_silent |= host.pes == 0;
        if (host.pes == 0 || host.pes == each) continue;
        if (host.in_file && host.pes < each)
            return "--per-host " + std::to_string(each) + ": host " + host.name +
                   " of the file has room for " + std::to_string(host.pes) +
                   (host.pes == 1 ? " PE" : " PEs");
        if (host.in_file)
            host.pes = each;
        else
            other = &host;
    }
    if (!other || has_silent) return "";
    return "--per-host " + std::to_string(each) + " and --hosts " + other->name + ":" +
           std::to_string(other->pes) + " contradict each other; leave one of them out";
}

}  // namespace

std::string place_pes(std::vector<HostShare>& hosts, int each, int& pes) {
    if (each != 0)
        if (std::string why = take_each(hosts, each); !why.empty()) return why;
    int said = 0;
    std::size_t silent = 0;
    const bool a_line_each = std::any_of(hosts.begin(), hosts.end(),
                                         [](const HostShare& host) { return host.named > 1; });
    for (HostShare& host : hosts) {
        if (host.pes == 0) host.pes = each != 0 || !a_line_each ? each : host.named;
        said += host.pes;
        if (host.pes == 0) ++silent;
    }
    if (silent == hosts.size()) {
        if (pes == 0) return "how many PEs? -n N, or a number with each host: h1:4,h2:4";
        const int count = static_cast<int>(hosts.size());
        for (int i = 0; i < count; ++i)
            hosts[static_cast<std::size_t>(i)].pes = pes / count + (i < pes % count ? 1 : 0);
        std::erase_if(hosts, [](const HostShare& host) { return host.pes == 0; });
        return "";
    }
    if (silent != 0) return "some hosts have a number of PEs and some have none";
    if (pes == 0) pes = said;
    if (pes > said)
        return "-n " + std::to_string(pes) + ": the hosts have room for " + std::to_string(said) +
               " PEs";
    // The last ones stay empty.
    int left = pes;
    for (HostShare& host : hosts) {
        host.pes = std::min(host.pes, left);
        left -= host.pes;
    }
    std::erase_if(hosts, [](const HostShare& host) { return host.pes == 0; });
    return "";
}

bool is_loop_back(const HostShare& host) {
    return host.name == "localhost" || host.name == "127.0.0.1";
}

bool are_here(const std::vector<HostShare>& hosts) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return std::all_of(hosts.begin(), hosts.end(), [&](const HostShare& host) {
        return is_loop_back(host) || host.name == name || host.name == short_name(name);
    });
}

}  // namespace isthmus::launch
