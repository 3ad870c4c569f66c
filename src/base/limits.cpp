#include "base/limits.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>

namespace isthmus::os {
namespace {

bool can_have(std::size_t bytes, int protection) {
    void* const memory =
        mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    munmap(memory, bytes);
    return true;
}

bool is_limited(__rlimit_resource which) {
    rlimit limit{};
    return getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

enum class Lack { nothing, address_space, data, system };

Lack what_lacks(std::size_t bytes) {
    // What nobody may touch takes address space alone.
    if (!can_have(bytes, PROT_NONE))
        return is_limited(RLIMIT_AS) ? Lack::address_space : Lack::system;
    if (!can_have(bytes, PROT_READ | PROT_WRITE))
        return is_limited(RLIMIT_DATA) ? Lack::data : Lack::system;
    return Lack::nothing;
}

std::size_t stack_bytes() {
    constexpr std::size_t kUsual = std::size_t{8} << 20;
    pthread_attr_t usual;
    std::size_t bytes = 0;
    if (pthread_getattr_default_np(&usual) != 0) return kUsual;
    if (pthread_attr_getstacksize(&usual, &bytes) != 0) bytes = kUsual;
    pthread_attr_destroy(&usual);
    return bytes;
}

}  // namespace

const char* advice_on_memory(std::size_t bytes) {
    switch (what_lacks(bytes)) {
        case Lack::address_space: return "; raise the limit of address space (ulimit -v)";
        case Lack::data: return "; raise the limit of data (ulimit -d)";
        case Lack::system: return "; the system has no memory left";
        case Lack::nothing: break;
    }
    return "";
}

const char* advice_on_thread(int error) {
    if (is_call_forbidden(error))
        return "; it needs a thread: the system call clone3 or clone is forbidden here (a "
               "container's seccomp profile?)";
    if (error != EAGAIN && error != ENOMEM) return "";
    switch (what_lacks(stack_bytes())) {
        case Lack::address_space:
            return "; it needs a thread, and there is no room for its stack: raise the limit of "
                   "address space (ulimit -v), or lower that of stacks (ulimit -s)";
        case Lack::data:
            return "; it needs a thread, and there is no room for its stack: raise the limit of "
                   "data (ulimit -d), or lower that of stacks (ulimit -s)";
        case Lack::system:
            return "; it needs a thread, and the system has no memory for its stack: lower the "
                   "limit of stacks (ulimit -s)";
        case Lack::nothing: break;
    }
    return "; it needs a thread: raise the limit of processes (ulimit -u)";
}

int kibibytes_of_small_stack() {
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur / 1024 >= kLeastStack) return 0;
    return std::max(static_cast<int>(limit.rlim_cur / 1024), 1);
}

}  // namespace isthmus::os
