// Programs that finalise, or use symmetric memory, behind main: each case on 2 PEs, its exit status
// and output in ends.cmake.
#include <isthmus.h>
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

const char* which = "";

bool is(const char* name) {
    return std::strcmp(which, name) == 0;
}

void tell(const char* what) {
    std::fprintf(stderr, "PE %d %s\n", shmem_my_pe(), what);
}

void sleep_milliseconds(long milliseconds) {
    const timespec pause{milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, nullptr);
}

// Constructed before shmem_init, so destroyed behind every handler that shmem_init could install.
struct Environment {
    ~Environment() {
        if (!is("static_object")) return;
        shmem_barrier_all();
        shmem_finalize();
        tell("finalised");
    }
} environment;

template <typename T>
struct Block {
    T* memory = nullptr;
    ~Block() {
        if (!memory) return;
        if (*memory != shmem_my_pe()) abort();
        shmem_free(memory);
        tell("freed");
    }
};
Block<int> block;

// Once, in whichever order: a name that begins so asks for the native interface first.
constexpr char kNativeFirst[] = "native_first_";
bool is_native_first = false;

void init_native() {
    if (!is_native_first) isthmus_init();
}

void finalize_in_handler() {
    shmem_finalize();
    tell("finalised");
}

__attribute__((destructor)) void finalize_in_destructor() {
    if (!is("destructor")) return;
    shmem_finalize();
    tell("finalised");
}

// What each case does between shmem_init and the end of main.
void run(int me) {
    if (is("free_in_static_object")) {
        block.memory = static_cast<int*>(shmem_malloc(sizeof(int)));
        *block.memory = me;
    } else if (is("late")) {
        if (me == 1) sleep_milliseconds(1500);
        tell("exits");
    } else if (is("exit_early")) {
        if (me == 1) exit(0);
        for (int i = 0; i < 4; ++i)
            shmem_barrier_all();
    } else if (is("end_with_long_status")) {
        shmem_barrier_all();
        if (me == 1) shmem_global_exit(-1);
        for (;;)
            shmem_barrier_all();
    } else if (is("quick_exit_with_long_status")) {
        shmem_barrier_all();
        if (me == 1) std::quick_exit(300);
        for (;;)
            shmem_barrier_all();
    } else if (is("mistake_behind_end")) {
        // While the one that ends the job has told of it, and the process manager not yet.
        static int anywhere = 0;
        shmem_barrier_all();
        sleep_milliseconds(me == 1 ? 300 : 320);
        if (me == 1) shmem_global_exit(9);
        shmem_int_p(&anywhere, 1, 99);
    } else if (is("exit_behind_end")) {
        shmem_barrier_all();
        sleep_milliseconds(me == 1 ? 300 : 320);
        if (me == 1) shmem_global_exit(9);
        exit(7);
    } else if (is("exit_at_once") || is("exit_quickly")) {
        // Also of a child that shares this memory: it is no PE.
        const pid_t child = me == 0 ? vfork() : 1;
        if (child == 0) _exit(0);
        const char* const leaver = std::getenv("TEST_LEAVER");
        shmem_barrier_all();
        if (me == (leaver ? std::atoi(leaver) : 1)) {
            if (is("exit_quickly")) std::quick_exit(0);
            _exit(0);
        }
        for (;;)
            shmem_barrier_all();
    } else if (is("kill_itself") || is("raise_itself")) {
        const char* const leaver = std::getenv("TEST_LEAVER");
        shmem_barrier_all();
        if (leaver && me == std::atoi(leaver)) raise(is("kill_itself") ? SIGKILL : SIGSEGV);
        for (;;)
            shmem_barrier_all();
    } else if (is("crash_in_thread")) {
        const char* const leaver = std::getenv("TEST_LEAVER");
        shmem_barrier_all();
        pthread_t thread;
        const auto crash = [](void*) -> void* {
            volatile std::uintptr_t nowhere = 8;
            *reinterpret_cast<volatile int*>(nowhere) = 1;
            return nullptr;
        };
        if (leaver && me == std::atoi(leaver)) {
            pthread_create(&thread, nullptr, crash, nullptr);
            pthread_join(thread, nullptr);
        }
        for (;;)
            shmem_barrier_all();
    } else if (is("exit_before_slow_reader")) {
        // Who reads what the leaver says rests for a while; not a process that goes with the
        // leaver.
        const char* const leaver = std::getenv("TEST_LEAVER");
        shmem_barrier_all();
        if (leaver && me == std::atoi(leaver)) {
            const pid_t reader = getppid();
            kill(reader, SIGSTOP);
            if (fork() == 0) {
                setsid();
                sleep_milliseconds(700);
                kill(reader, SIGCONT);
            }
            _exit(0);
        }
        for (;;)
            shmem_barrier_all();
    } else if (is("exit_behind_much_output")) {
        // Who reads what the leaver says reads all the time, but slowly.
        const char* const leaver = std::getenv("TEST_LEAVER");
        shmem_barrier_all();
        if (leaver && me == std::atoi(leaver)) {
            int ends[2];
            if (pipe(ends) != 0) return;
            if (fork() == 0) {
                setsid();
                close(ends[1]);
                char text[1024];
                for (ssize_t count; (count = read(ends[0], text, sizeof text)) > 0;) {
                    if (write(STDERR_FILENO, text, static_cast<std::size_t>(count)) < 0) break;
                    sleep_milliseconds(80);
                }
                _exit(0);
            }
            dup2(ends[1], STDERR_FILENO);
            close(ends[0]);
            close(ends[1]);
            const std::string much(std::size_t{24} << 10, '\n');
            if (write(STDERR_FILENO, much.data(), much.size()) < 0) return;
            _exit(0);
        }
        for (;;)
            shmem_barrier_all();
    } else if (is("main_thread_ends")) {
        if (me == 1) pthread_exit(nullptr);
        shmem_barrier_all();
        shmem_barrier_all();
    } else if (is("main_thread_ends_first")) {
        if (me == 1) pthread_exit(nullptr);
        sleep_milliseconds(3500);
        tell("has worked on");
    } else if (is("segment_behind_main_thread")) {
        // What memory is its own the library asks the kernel, which tells nothing of main's thread.
        init_native();
        static const pthread_t first = pthread_self();
        pthread_t thread;
        const auto go_on = [](void*) -> void* {
            pthread_join(first, nullptr);
            constexpr std::size_t kBytes = 65536;
            isthmus_segment adopted;
            void* const pages = std::aligned_alloc(kBytes, kBytes);
            const int result = isthmus_segment_create(
                &adopted, static_cast<std::uint64_t>(isthmus_pe()), pages, kBytes, 0);
            tell(result == ISTHMUS_OK ? "has a segment" : isthmus_error_text());
            exit(0);
        };
        if (pthread_create(&thread, nullptr, go_on, nullptr) == 0) pthread_exit(nullptr);
    } else if (is("exit_before_native_init") || is("finalize_before_native_init")) {
        if (me == 1 && is("finalize_before_native_init")) shmem_finalize();
        if (me == 1) exit(0);
        init_native();
    } else if (is("exit_before_one_barrier")) {
        if (me == 1) exit(0);
        shmem_barrier_all();
        shmem_finalize();
    } else if (is("exit_before_collective")) {
        static long source, dest;
        if (me == 1) exit(0);
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1);
    } else if (is("exit_with_lock")) {
        static long lock;
        if (me == 1) shmem_set_lock(&lock);
        shmem_barrier_all();
        if (me == 1) exit(0);
        shmem_set_lock(&lock);
    } else if (is("finalize_early")) {
        if (me == 1) {
            shmem_finalize();
            exit(0);
        }
        shmem_barrier_all();
        tell("passed a barrier that nobody else came to");
    } else if (std::strstr(which, "_before_aggregator_finish")) {
        init_native();
        isthmus_aggregator* sums = nullptr;
        const auto ignore = [](void*, int, const void*, size_t) {};
        if (isthmus_aggregator_create(&sums, sizeof(long), 0, ignore, nullptr) != 0) abort();
        isthmus_barrier();
        if (me == 1 && is("return_before_aggregator_finish")) return;
        if (me == 1 && is("exit_before_aggregator_finish")) exit(0);
        if (me == 1 && is("inner_finalize_before_aggregator_finish")) {
            shmem_finalize();
            isthmus_finalize();
            exit(0);
        }
        if (me == 1) {
            isthmus_finalize();
            shmem_finalize();
            exit(0);
        }
        const long item = 1;
        isthmus_aggregator_push(sums, 1, &item);
        isthmus_aggregator_finish(sums);
        tell("finished what PE 1 never came to");
    } else if (is("inner_finalize_early")) {
        init_native();
        if (me == 1) shmem_finalize();
        shmem_barrier_all();
        tell("passed a barrier that nobody else came to");
        exit(0);
    } else if (is("inner_finalize_late")) {
        // The others are there long before, and again behind it.
        init_native();
        if (me == 1) sleep_milliseconds(1000);
        isthmus_finalize();
        if (me == 0) sleep_milliseconds(1000);
        for (int i = 0; i < 10; ++i)
            shmem_barrier_all();
        tell("finalised");
    } else if (is("exit_before_last_finalize")) {
        // Who exits has left both interfaces, and the other one after the other.
        init_native();
        if (me == 1) exit(0);
        isthmus_finalize();
        shmem_finalize();
        tell("finalised");
    } else if (is("exit_before_last_barrier")) {
        init_native();
        if (me == 1) exit(0);
        shmem_finalize();
        isthmus_barrier();
        tell("passed a barrier that nobody else came to");
    } else if (is("thread_goes_on") || is("thread_ends")) {
        // PE 1 has left with one thread, and comes by another.
        init_native();
        pthread_t thread;
        const auto come = [](void*) -> void* {
            sleep_milliseconds(300);
            isthmus_barrier();
            return nullptr;
        };
        if (me == 1) {
            pthread_create(&thread, nullptr, come, nullptr);
        } else {
            isthmus_barrier();
            if (is("thread_ends")) isthmus_barrier();
        }
        shmem_finalize();
        if (me == 1) pthread_join(thread, nullptr);
        isthmus_finalize();
        tell("finalised");
    } else if (is("thread_is_idle") || is("thread_is_idle_for_long")) {
        // A thread that waits for work, as those of OpenMP do, or for a time.
        init_native();
        static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
        static bool is_there = false;
        const auto stand_by = [](void*) -> void* {
            timespec until{};
            clock_gettime(CLOCK_REALTIME, &until);
            ++until.tv_sec;
            pthread_mutex_lock(&guard);
            const bool waits_for_ever = is("thread_is_idle");
            for (int error = 0; !is_there && error == 0;)
                error = waits_for_ever ? pthread_cond_wait(&work, &guard)
                                       : pthread_cond_timedwait(&work, &guard, &until);
            pthread_mutex_unlock(&guard);
            if (!waits_for_ever) isthmus_barrier();
            return nullptr;
        };
        pthread_t thread;
        if (me == 1) pthread_create(&thread, nullptr, stand_by, nullptr);
        if (me == 0) isthmus_barrier();
        shmem_finalize();
        if (me == 1) {
            pthread_mutex_lock(&guard);
            is_there = true;
            pthread_cond_signal(&work);
            pthread_mutex_unlock(&guard);
            pthread_join(thread, nullptr);
        }
        isthmus_finalize();
        tell("finalised");
    } else if (is("thread_is_woken_by_signal") || is("thread_is_woken_by_process")) {
        // What a thread waits for may come from outside: by a handler, or by a process that shares
        // the word.
        init_native();
        const bool by_process = is("thread_is_woken_by_process");
        void* const shared =
            mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        static sem_t* const word = static_cast<sem_t*>(shared);
        sem_init(word, by_process ? 1 : 0, 0);
        pthread_t thread;
        const auto come = [](void*) -> void* {
            while (sem_wait(word) != 0) {
            }
            isthmus_barrier();
            return nullptr;
        };
        if (me == 1) {
            pthread_create(&thread, nullptr, come, nullptr);
            if (!by_process) {
                std::signal(SIGALRM, [](int) { sem_post(word); });
                const itimerval once{{0, 0}, {0, 600'000}};
                setitimer(ITIMER_REAL, &once, nullptr);
            } else if (fork() == 0) {
                sleep_milliseconds(600);
                sem_post(word);
                _exit(0);
            }
        } else {
            isthmus_barrier();
        }
        shmem_finalize();
        if (me == 1) pthread_join(thread, nullptr);
        isthmus_finalize();
        tell("finalised");
    } else if (is("thread_joins_leaver")) {
        init_native();
        if (me == 0) isthmus_barrier();
        std::thread(shmem_finalize).join();
        isthmus_finalize();
        tell("finalised");
    } else if (is("puts_to_who_has_exited")) {
        static long target;
        if (me == 1) exit(0);
        sleep_milliseconds(300);
        for (long i = 0; i < 1000; ++i)
            shmem_long_atomic_inc(&target, 1);
        shmem_quiet();  // between hosts a get may be before them
        if (shmem_long_g(&target, 1) != 1000) abort();
        tell("counted");
    }
}

}  // namespace

int main(int argc, char** argv) {
    which = argc > 1 ? argv[1] : "";
    is_native_first = std::strncmp(which, kNativeFirst, sizeof kNativeFirst - 1) == 0;
    if (is_native_first) which += sizeof kNativeFirst - 1;
    if (is("exit_handler")) std::atexit(finalize_in_handler);
    if (is_native_first) isthmus_init();
    shmem_init();
    run(shmem_my_pe());
    if (is("status")) return shmem_my_pe() == 1 ? 3 : 0;
    return 0;
}
