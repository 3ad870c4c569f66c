// A number of the thread that runs, never 0, without a call where the compiler knows one.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace isthmus {

#if defined(__GNUC__) && !defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
inline std::uintptr_t this_thread() {
    return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}
#else
inline std::uintptr_t this_thread() {
    return reinterpret_cast<std::uintptr_t>(pthread_self());
}
#endif

}  // namespace isthmus
