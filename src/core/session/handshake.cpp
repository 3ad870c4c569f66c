#include "core/session/handshake.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "core/job/job_layout.hpp"

namespace isthmus {

Descriptor::~Descriptor() {
    if (file_ >= 0) close(file_);
}

Descriptor open_socket(int seconds) {
    Descriptor made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const timeval patience{seconds, 0};
    if (made.file() < 0) return made;
    setsockopt(made.file(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(made.file(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return made;
}

socklen_t name_socket(const char* name, sockaddr_un& address) {
    address = {};
    address.sun_family = AF_UNIX;
    const int length =
        std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "isthmus-%s", name);
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                  static_cast<std::size_t>(length));
}

socklen_t name_socket(std::uint64_t number, sockaddr_un& address) {
    char name[17];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(number));
    return name_socket(name, address);
}

bool is_free_name(const char* name) {
    sockaddr_un address;
    const socklen_t bytes = name_socket(name, address);
    const auto* const place = reinterpret_cast<const sockaddr*>(&address);
    const Descriptor asks(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(asks.file(), place, bytes) == 0 || errno != ECONNREFUSED) return false;
    const Descriptor takes(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return bind(takes.file(), place, bytes) == 0;
}

bool send_file(int socket, const Hello& hello, int file) {
    iovec data{const_cast<Hello*>(&hello), sizeof hello};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (file >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* const head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(head), &file, sizeof file);
    }
    const auto sent = retried([&] { return sendmsg(socket, &message, MSG_NOSIGNAL); });
    return sent == static_cast<ssize_t>(sizeof hello);
}

Heard receive_file(int socket, int flags, Hello& hello, Descriptor& file) {
    iovec data{&hello, sizeof hello};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const auto received =
        retried([&] { return recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC); });
    if (received < 0) return Heard::nothing;
    // Room for one file is room for two of them, by the alignment of control messages.
    std::size_t files = 0;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i, ++files) {
            int each = -1;
            std::memcpy(&each, CMSG_DATA(head) + i * sizeof each, sizeof each);
            file = Descriptor(each);
        }
    }
    const bool whole = received == static_cast<ssize_t>(sizeof hello) && files <= 1 &&
                       (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
    if (whole) return files == 1 ? Heard::file : Heard::hello;
    file = Descriptor();
    // Truncated without a file: the kernel found no descriptor for it.
    const bool found_none = received == static_cast<ssize_t>(sizeof hello) && files == 0 &&
                            (message.msg_flags & MSG_CTRUNC) != 0;
    errno = found_none ? EMFILE : received == 0 ? ECONNRESET : 0;
    return Heard::noise;
}

bool holds_memory_of(int file, int pe) {
    struct stat facts {};
    return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
           static_cast<std::uint64_t>(facts.st_size) >= job_file_size(pe + 1);
}

}  // namespace isthmus
