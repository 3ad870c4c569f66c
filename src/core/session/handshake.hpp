// How two PEs of a host hand each other the files of their memory: one message each way over a Unix
// socket, a packet, so that half of one never has to be waited for. Who has called and cannot send
// its file yet says hello without it first.
#pragma once

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/session/credentials.hpp"

namespace isthmus {

// What goes over the socket, with the file beside it: the secret of who is to take it, who speaks,
// and the processors that the speaker may use.
struct Hello {
    Secret secret;
    std::int64_t pe;
    cpu_set_t processors;
};
// All of it is sent; there is nothing in between that nobody has written.
static_assert(std::has_unique_object_representations_v<Hello>);

// Closed with its owner; -1: none.
class Descriptor {
  public:
    explicit Descriptor(int file = -1) : file_(file) {}
    Descriptor(Descriptor&& other) noexcept : file_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
    int file() const { return file_; }
    int release() { return std::exchange(file_, -1); }

  private:
    int file_;
};

// Signals are the program's, and what waits with a time limit is not restarted behind a handler.
template <typename Call>
auto retried(const Call& call) {
    for (;;) {
        if (const auto result = call(); result != -1 || errno != EINTR) return result;
    }
}

// A socket whose calls wait for so many seconds at most.
Descriptor open_socket(int seconds);
// The abstract name "@isthmus-NAME", "@isthmus-NUMBER"; returns the length of the address.
socklen_t name_socket(const char* name, sockaddr_un& address);
socklen_t name_socket(std::uint64_t number, sockaddr_un& address);
// Nobody has it, as far as the kernel says: who has taken it and does not listen refuses calls,
// too.
bool is_free_name(const char* name);

// -1: without a file.
bool send_file(int socket, const Hello& hello, int file);

enum class Heard {
    nothing,  // yet; errno says more
    noise,    // anything but these two; files are closed (EMFILE: one found no descriptor)
    hello,    // without a file
    file      // with one
};
// `flags`: of recvmsg.
Heard receive_file(int socket, int flags, Hello& hello, Descriptor& file);
// All that is mapped of a PE's file must be in it: an access behind its end would be a SIGBUS.
bool holds_memory_of(int file, int pe);

}  // namespace isthmus
