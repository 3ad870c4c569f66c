// pthread_create and thrd_create in front of the system's: a thread whose stack ends can be told of
// only on another one, and a thread may never call the library. In the shared library alone, as
// quick_exit.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <initializer_list>
#include <new>

#include "core/session/crash_report.hpp"

namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
Create next = nullptr;
// The C library's own does not come by pthread_create.
using CreateC = int (*)(thrd_t*, thrd_start_t, void*);
CreateC next_c = nullptr;
// A sanitizer sees to threads itself, and bears no code of ours in one before it has.
bool is_sanitized = false;

// Of a thread; a key's, and no thread_local: to register the destructor of one takes the dynamic
// linker's lock, which a library that waits for a thread while it is loaded holds.
struct Running {
    isthmus::HandlerStack stack;
    int rounds = 0;
};
pthread_key_t running;
bool has_key = false;

// In the last round: destructors of the program's own keys may still need the stack.
void end_thread(void* given) {
    auto* const thread = static_cast<Running*>(given);
    if (++thread->rounds == PTHREAD_DESTRUCTOR_ITERATIONS ||
        pthread_setspecific(running, thread) != 0)
        delete thread;
}

__attribute__((constructor(101))) void find_next() {
    next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    next_c = reinterpret_cast<CreateC>(dlsym(RTLD_NEXT, "thrd_create"));
    for (const char* name : {"__asan_init", "__tsan_init", "__msan_init"})
        is_sanitized |= dlsym(RTLD_DEFAULT, name) != nullptr;
    if (!has_key) has_key = pthread_key_create(&running, end_thread) == 0;
}

template <typename Result>
struct Start {
    Result (*run)(void*);
    void* argument;
};
// Null: the thread is begun without.
template <typename Result>
Start<Result>* start_of(Result (*run)(void*), void* argument) {
    return is_sanitized || !has_key ? nullptr : new (std::nothrow) Start<Result>{run, argument};
}

template <typename Result>
Result begin_thread(void* given) {
    const auto start = *static_cast<Start<Result>*>(given);
    delete static_cast<Start<Result>*>(given);
    if (auto* const thread = new (std::nothrow) Running;
        thread && pthread_setspecific(running, thread) != 0)
        delete thread;
    return start.run(start.argument);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
    void* argument) noexcept {
    if (!next) find_next();  // of a constructor that came before
    if (!next) return ENOSYS;
    auto* const start = start_of(run, argument);
    if (!start) return next(thread, attributes, run, argument);
    const int result = next(thread, attributes, begin_thread<void*>, start);
    if (result != 0) delete start;
    return result;
}

extern "C" __attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t run,
                                                                  void* argument) {
    if (!next_c) find_next();
    if (!next_c) return thrd_error;
    auto* const start = start_of(run, argument);
    if (!start) return next_c(thread, run, argument);
    const int result = next_c(thread, begin_thread<int>, start);
    if (result != thrd_success) delete start;
    return result;
}
