#include "core/session/credentials.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/limits.hpp"
#include "base/os.hpp"

namespace isthmus {

std::string without_random_numbers() {
    const int error = errno;
    return std::string("the system gives no random numbers: getrandom: ") + std::strerror(error) +
           os::advice_on_call(error);
}

Secret draw_secret() {
    Secret secret{};
    if (!os::fill_with_random(secret.data(), secret.size()))
        throw std::runtime_error(without_random_numbers());
    return secret;
}

bool is_equal(const Secret& left, const Secret& right) {
    unsigned difference = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        difference |= static_cast<unsigned>(left[i] ^ right[i]);
        // The compiler may not conclude anything before the last byte.
        __asm__ volatile("" : "+r"(difference));
    }
    return difference == 0;
}

bool PeerProcess::is_of_this_user() const {
    return known && user == geteuid();
}

std::string PeerProcess::text() const {
    if (!known)
        return std::string("a process that the kernel does not name (getsockopt: ") +
               std::strerror(error) + os::advice_on_call(error) + ")";
    return "process " + std::to_string(process) + " of user " + std::to_string(user);
}

PeerProcess peer_of(int socket) {
    ucred found{};
    socklen_t length = sizeof found;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &found, &length) != 0 || length != sizeof found)
        return {0, 0, false, errno};
    return {found.pid, found.uid, true};
}

}  // namespace isthmus
