#include "launch/reach.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

namespace isthmus::launch {
namespace {

using Clock = std::chrono::steady_clock;

// Shared with threads that may outlast the question: a name server has its own patience.
struct Answer {
    std::mutex lock;
    bool looked_up = false;  // from then on the connections' own limits hold
    bool known = false;
    std::string problem;
};

// Whether it happens before `until`.
bool await(int file, short event, Clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ready{file, event, 0};
    return poll(&ready, 1, static_cast<int>(std::max<long long>(left, 0))) == 1;
}

// 0: the connection is there.
int error_of_connecting(int file, const addrinfo& address, Clock::time_point until) {
    if (connect(file, address.ai_addr, address.ai_addrlen) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!await(file, POLLOUT, until)) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

// A server says its version first, perhaps behind other lines. Who hangs up instead is heard: the
// remote shell learns that at once as well.
bool says_its_version(int file, Clock::time_point until) {
    constexpr std::size_t kMost = 65536;
    std::string heard;
    while (heard.size() < kMost) {
        if (!await(file, POLLIN, until)) return false;
        char buffer[4096];
        const ssize_t count = read(file, buffer, sizeof buffer);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (count <= 0) return true;
        heard.append(buffer, static_cast<std::size_t>(count));
        if (heard.starts_with("SSH-") || heard.find("\nSSH-") != std::string::npos) return true;
    }
    return false;
}

bool is_same_address(const sockaddr* one, const sockaddr* other) {
    if (!one || one->sa_family != other->sa_family) return false;
    if (one->sa_family == AF_INET)
        return reinterpret_cast<const sockaddr_in*>(one)->sin_addr.s_addr ==
               reinterpret_cast<const sockaddr_in*>(other)->sin_addr.s_addr;
    return one->sa_family == AF_INET6 &&
           std::memcmp(&reinterpret_cast<const sockaddr_in6*>(one)->sin6_addr,
                       &reinterpret_cast<const sockaddr_in6*>(other)->sin6_addr,
                       sizeof(in6_addr)) == 0;
}

// As other launchers see it: they need no ssh to start processes here. 127.0.1.1 is what Debian
// gives a machine's name. Not asked by a bind: with ip_nonlocal_bind that takes any address.
bool is_of_this_machine(const sockaddr* address) {
    constexpr in_addr_t kDebian = 0x7f000101;
    if (address->sa_family == AF_INET &&
        reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr == htonl(kDebian))
        return true;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) return false;
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
    for (const ifaddrs* one = all; one; one = one->ifa_next)
        if (is_same_address(one->ifa_addr, address)) return true;
    return false;
}

// Why nobody can be started there. This machine needs no ssh server; of another one's refusal the
// remote shell hears at once, but Hydra waits on for what it would have started.
std::string try_address(const addrinfo& address, const Way& way, Clock::duration patience) {
    const int file = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0) return std::strerror(errno);
    std::string problem;
    const int error = error_of_connecting(file, address, Clock::now() + patience);
    if (error == ECONNREFUSED) {
        if (!is_of_this_machine(address.ai_addr))
            problem = "it refuses connections at port " + way.port +
                      "; does an ssh server run there, and at that port?";
    } else if (error != 0) {
        problem = std::string("it does not answer (") + std::strerror(error) + ")";
    } else if (!says_its_version(file, Clock::now() + patience)) {
        problem = "it takes connections at port " + way.port +
                  " and then says nothing; is it overloaded, or is something else than ssh there?";
    }
    close(file);
    return problem;
}

std::string try_way(const Way& way, Clock::duration patience, Answer& answer, bool& is_here) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = getaddrinfo(way.name.c_str(), way.port.c_str(), &wanted, &found);
    {
        const std::lock_guard guard(answer.lock);
        answer.looked_up = true;
    }
    if (code != 0) return "its name is not known (" + std::string(gai_strerror(code)) + ")";
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
    std::string problem;
    for (const addrinfo* address = found; address; address = address->ai_next) {
        problem = try_address(*address, way, patience);
        is_here = is_of_this_machine(address->ai_addr);
        if (problem.empty()) return "";
    }
    return problem;
}

// Of this machine, on packets to that one; empty if there is no route.
std::string address_on_way_to(const addrinfo& there) {
    const int file = socket(there.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file < 0) return "";
    sockaddr_in here{};
    socklen_t length = sizeof here;
    char text[INET_ADDRSTRLEN] = "";
    // Of datagrams that sends nothing.
    if (connect(file, there.ai_addr, there.ai_addrlen) == 0 &&
        getsockname(file, reinterpret_cast<sockaddr*>(&here), &length) == 0)
        inet_ntop(AF_INET, &here.sin_addr, text, sizeof text);
    close(file);
    return text;
}

std::string address_for_all(const std::vector<Way>& ways) {
    std::string all;
    for (const Way& way : ways) {
        addrinfo wanted{};
        wanted.ai_family = AF_INET;
        wanted.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (way.by_another || getaddrinfo(way.name.c_str(), way.port.c_str(), &wanted, &found) != 0)
            return "";
        const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
        if (is_of_this_machine(found->ai_addr)) continue;
        const std::string address = address_on_way_to(*found);
        if (address.empty() || (!all.empty() && address != all)) return "";
        all = address;
    }
    return all;
}

}  // namespace

std::string address_for(const std::vector<HostShare>& hosts, double seconds,
                        const AskOfHost& configuration) {
    std::vector<Way> ways;
    ways.reserve(hosts.size());
    for (const HostShare& host : hosts)
        ways.push_back(way_to(host.name, configuration(host.name)));
    std::promise<std::string> answer;
    std::future<std::string> result = answer.get_future();
    std::thread([ways, answer = std::move(answer)]() mutable {
        answer.set_value(address_for_all(ways));
    }).detach();
    return result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready
               ? result.get()
               : "";
}

Way way_to(const std::string& host, const std::string& configuration) {
    Way way{host};
    std::istringstream lines(configuration);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key, value;
        words >> key >> value;
        if (key == "hostname" && !value.empty()) way.name = value;
        if (key == "port" && !value.empty()) way.port = value;
        if ((key == "proxyjump" || key == "proxycommand") && !value.empty() && value != "none")
            way.by_another = true;
    }
    return way;
}

std::string why_no_login(int status, const std::string& output, const std::string& host) {
    constexpr int kNotIn = 255;  // else it is the command's
    if (status != kNotIn) return "";
    std::istringstream lines(output);
    std::string last = "ssh says nothing";
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!line.empty()) last = line;
    }
    return "ssh does not get in without a question (" + last + "); `ssh " + host +
           "` must work without one: by a key, and with the host's own key known";
}

std::vector<std::string> ask_for_name(const std::string& name) {
    return {"getent", "hosts", name};
}

std::string why_no_way_back(int status, const std::string& name) {
    constexpr int kNotFound = 2;  // getent's
    if (status != kNotFound) return "";
    return "it does not know this host's name " + name +
           ", by which hydra is to be called back; let it know that name (/etc/hosts), or take "
           "--launcher ssh";
}

OpenPort::OpenPort() : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t length = sizeof any;
    auto* const address = reinterpret_cast<sockaddr*>(&any);
    // The system completes connections that nobody accepts.
    if (file_ >= 0 && bind(file_, address, length) == 0 && listen(file_, SOMAXCONN) == 0 &&
        getsockname(file_, address, &length) == 0)
        number_ = ntohs(any.sin_port);
}

OpenPort::~OpenPort() {
    if (file_ >= 0) close(file_);
}

std::vector<std::string> ask_to_connect(const std::string& place, int port) {
    return {"timeout", "5", "bash", "-c", "exec 3<>/dev/tcp/" + place + "/" + std::to_string(port)};
}

std::string why_no_connection(int status, const std::string& place) {
    constexpr int kFailed = 1;     // bash's
    constexpr int kTooLate = 124;  // timeout's
    if (status != kFailed && status != kTooLate) return "";
    return "it cannot connect to this host at " + place +
           (status == kTooLate ? " (no answer within 5 seconds)" : "") +
           ", as hydra has it do: is an address translation (NAT) or a firewall between them? take "
           "--launcher ssh, which needs no way back";
}

std::vector<std::string> unreachable(const std::vector<HostShare>& hosts, double seconds,
                                     const AskOfHost& configuration, const AskOfHost& login) {
    const auto patience = std::chrono::milliseconds(static_cast<long long>(seconds * 1e3));
    const Clock::time_point until = Clock::now() + patience;
    std::vector<std::shared_ptr<Answer>> answers;
    for (const HostShare& host : hosts) {
        const auto answer = answers.emplace_back(std::make_shared<Answer>());
        const Way way = way_to(host.name, configuration(host.name));
        answer->looked_up = way.by_another;
        std::thread([answer, way, patience, login, name = host.name] {
            bool is_here = false;
            std::string problem = way.by_another ? "" : try_way(way, patience, *answer, is_here);
            if (problem.empty() && !is_here && login) problem = login(name);
            const std::lock_guard guard(answer->lock);
            answer->known = true;
            answer->problem = std::move(problem);
        }).detach();
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (;;) {
            std::unique_lock guard(answers[i]->lock);
            if (!answers[i]->known && !answers[i]->looked_up && Clock::now() > until) {
                answers[i]->problem = "no answer to the question for its name";
                answers[i]->known = true;
            }
            if (answers[i]->known) {
                if (!answers[i]->problem.empty())
                    lines.push_back("host " + hosts[i].name + ": " + answers[i]->problem);
                break;
            }
            guard.unlock();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    return lines;
}

}  // namespace isthmus::launch
