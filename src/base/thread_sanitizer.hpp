// Tells the thread sanitizer what it cannot see: that two threads of this process are ordered by
// way of another process. Nothing without the sanitizer.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ISTHMUS_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define ISTHMUS_THREAD_SANITIZER 1
#endif

#if defined(ISTHMUS_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#define ISTHMUS_UNSEEN_BY_THREAD_SANITIZER __attribute__((no_sanitize("thread"), noinline))
#else
#define ISTHMUS_UNSEEN_BY_THREAD_SANITIZER
#endif

namespace isthmus::thread_sanitizer {

// What this thread has done is before whatever a thread does after acquired() of the same address.
#if defined(ISTHMUS_THREAD_SANITIZER)
inline void released(void* address) {
    __tsan_release(address);
}
inline void acquired(void* address) {
    __tsan_acquire(address);
}
#else
inline void released(void*) {}
inline void acquired(void*) {}
#endif

}  // namespace isthmus::thread_sanitizer
