// Who may join a job on this host: a process of the same user that knows what only the processes of
// the job know. The kernel vouches for the user (SO_PEERCRED); the secret comes by the process
// manager, and a number that stands in /proc/net/unix is none.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>

namespace isthmus {

using Secret = std::array<unsigned char, 16>;

// Of the system's random generator; throws std::runtime_error if that gives none.
Secret draw_secret();

// Why there are none, where os::fill_with_random() has just failed (errno).
std::string without_random_numbers();

// Takes the same time wherever the two differ.
bool is_equal(const Secret& left, const Secret& right);

// The process at the other end of a connected Unix socket, as the kernel knows it. Of who listens:
// as it was when it began to.
struct PeerProcess {
    pid_t process = 0;
    uid_t user = 0;
    bool known = false;
    int error = 0;  // why not

    bool is_of_this_user() const;
    // "process 12 of user 1000"
    std::string text() const;
};
PeerProcess peer_of(int socket);

}  // namespace isthmus
