#include "launch/reach.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
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
    bool known = false;
    std::string problem;
};

// Why a connection to it cannot be made; a refusal is an answer.
std::string try_address(const addrinfo& address, Clock::time_point until) {
    const int file = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0) return std::strerror(errno);
    int error = connect(file, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd ready{file, POLLOUT, 0};
        socklen_t length = sizeof error;
        if (poll(&ready, 1, static_cast<int>(std::max<long long>(left, 0))) != 1)
            error = ETIMEDOUT;
        else if (getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
            error = errno;
    }
    close(file);
    return error == 0 || error == ECONNREFUSED ? "" : std::strerror(error);
}

std::string try_way(const Way& way, Clock::time_point until) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = getaddrinfo(way.name.c_str(), way.port.c_str(), &wanted, &found);
    if (code != 0) return "its name is not known (" + std::string(gai_strerror(code)) + ")";
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
    std::string problem;
    for (const addrinfo* address = found; address; address = address->ai_next) {
        problem = try_address(*address, until);
        if (problem.empty()) return "";
    }
    return "it does not answer (" + problem + ")";
}

}  // namespace

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

std::vector<std::string> unreachable(
    const std::vector<HostShare>& hosts, double seconds,
    const std::function<std::string(const std::string& host)>& configuration) {
    const Clock::time_point until =
        Clock::now() + std::chrono::milliseconds(static_cast<long long>(seconds * 1e3));
    std::vector<std::shared_ptr<Answer>> answers;
    for (const HostShare& host : hosts) {
        const auto answer = answers.emplace_back(std::make_shared<Answer>());
        const Way way = way_to(host.name, configuration(host.name));
        if (way.by_another) {
            answer->known = true;
            continue;
        }
        std::thread([answer, way, until] {
            std::string problem = try_way(way, until);
            const std::lock_guard guard(answer->lock);
            answer->known = true;
            answer->problem = std::move(problem);
        }).detach();
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (;;) {
            std::unique_lock guard(answers[i]->lock);
            // A little later than the connections, which say more.
            const bool late = Clock::now() > until + std::chrono::milliseconds(200);
            if (!answers[i]->known && late) {
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
