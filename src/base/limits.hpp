// Which limit of this process has stood in the way: the system tells want of memory by one error
// whatever has run out, and a thread that cannot start by one that may mean that as well. Allocates
// nothing.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace isthmus::os {

// So much memory cannot be had, of which kind is not known. Empty: it can, now.
const char* advice_on_memory(std::size_t bytes);
// A thread could not be started, for this error.
const char* advice_on_thread(int error);
// The system, not the one that was asked, has refused.
inline bool is_call_forbidden(int error) {
    return error == EPERM || error == EACCES || error == ENOSYS;
}
// "; the system call is forbidden here ...", or which limit to raise. Empty for other errors.
inline const char* advice_on_call(int error) {
    if (error == EMFILE) return "; raise the limit of open files (ulimit -n)";
    return is_call_forbidden(error)
               ? "; the system call is forbidden here (a container's seccomp profile?)"
               : "";
}

// How many descriptors this process may still open, as far as `most`.
inline int room_for_files(int most) {
    const int file = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return errno == EMFILE || errno == ENFILE ? 0 : most;
    const int further = most > 1 ? room_for_files(most - 1) : 0;
    close(file);
    return further + 1;
}

// Stacks may have less than this library's calls take, which would be a SIGSEGV without a word: so
// many KiB; 0: they have enough.
int kibibytes_of_small_stack();
inline constexpr unsigned kLeastStack = 32;  // KiB

}  // namespace isthmus::os
