// PE 1 ends by an exception that nothing catches, on another thread's stack, or outside of main.
#include <shmem.h>
#include <signal.h>
#include <threads.h>

#include <cstring>
#include <stdexcept>
#include <thread>

namespace {
volatile int something = 7;

[[gnu::noinline]] void fetch() {
    if (something != 0) throw std::out_of_range("no such element");  // line 14
}
[[gnu::noinline]] void promise() noexcept {
    fetch();
    something = 1;
}
[[gnu::noinline]] int recurse(volatile int* above) {
    volatile int here[256];
    here[0] = *above;  // line 22
    return here[0] == -1 ? 0 : recurse(here) + here[0];
}

}  // namespace

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        if (std::strcmp(what, "exception") == 0) fetch();
        if (std::strcmp(what, "noexcept") == 0) promise();
        // It calls nothing of the library.
        if (std::strcmp(what, "thread") == 0)
            std::thread([] { something = recurse(&something); }).join();
        // All at once: in the program's own memory, at an address that is not symmetric, or at a PE
        // that there is not.
        const bool own = std::strcmp(what, "threads") == 0;
        const bool nowhere = std::strcmp(what, "threads_nowhere") == 0;
        static int ready = 0;
        const auto crash = [own, nowhere] {
            __atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < 8) {
            }
            if (own) *reinterpret_cast<volatile int*>(0x10) = 1;
            long target = 0;
            shmem_long_p(&target, 1, nowhere ? 9 : 0);
        };
        if (own || nowhere || std::strcmp(what, "threads_far") == 0) {
            std::thread all[8];
            for (std::thread& one : all)
                one = std::thread(crash);
            for (std::thread& one : all)
                one.join();
        }
        // One thread is sent a signal while another one's crash is told.
        if (std::strcmp(what, "threads_sent") == 0) {
            std::thread([] {
                struct sigaction alarm {};
                while (sigaction(SIGALRM, nullptr, &alarm) == 0 && alarm.sa_handler == SIG_DFL) {
                }
                raise(SIGSEGV);
            }).detach();
            *reinterpret_cast<volatile int*>(0x10) = 1;
        }
        if (std::strcmp(what, "c_thread") == 0) {
            thrd_t thread;
            thrd_create(
                &thread, [](void*) { return recurse(&something); }, nullptr);
            thrd_join(thread, nullptr);
        }
        // The others leave while one thread's crash is told.
        if (std::strncmp(what, "leaves_by_", 10) == 0) {
            std::thread([] { *reinterpret_cast<volatile int*>(0x10) = 1; }).detach();
            struct sigaction alarm {};
            while (sigaction(SIGALRM, nullptr, &alarm) == 0 && alarm.sa_handler == SIG_DFL) {
            }
            if (std::strcmp(what + 10, "_exit") == 0) _exit(0);
        }
    }
    // Another thread, about when this one says that it leaves, and waits for the others in vain.
    if (shmem_my_pe() == 1 && std::strncmp(what, "amid_", 5) == 0) {
        std::thread([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            *reinterpret_cast<volatile int*>(0x10) = 1;
        }).detach();
        if (std::strcmp(what + 5, "exit") == 0) return 0;
        shmem_finalize();
    }
    if (std::strncmp(what, "leaves_by_", 10) != 0) shmem_barrier_all();
    shmem_finalize();
}

#include <cstdlib>  // down here: tests tell the lines above
#include <string_view>

namespace {

bool crashes_late = false;

// Behind shmem_finalize.
struct Late {
    ~Late() {
        if (crashes_late) *reinterpret_cast<volatile int*>(0x10) = 1;
    }
} late;

// The C library gives constructors what main is given.
[[gnu::constructor]] void begin_late(int argc, char** argv) {
    const char* const started = getenv("ISTHMUS_STARTED");
    crashes_late = argc > 1 && std::strcmp(argv[1], "late") == 0 && started &&
                   std::string_view(started).starts_with("PE 1");
}

}  // namespace
