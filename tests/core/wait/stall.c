/* The last PE comes late to what the others wait for: when SIGUSR1 comes, or after as many seconds
 * as the second argument says. Then the program goes on and ends well. */
#include <isthmus.h>
#include <isthmus/kernel.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long flag;
static long lock;
static long other_lock;

/* The library's own yields, where what it is linked with lets the program see to them: as slow as
 * on a machine that is busy with others. */
static volatile int yields_take_long;
int sched_yield(void) {
    if (yields_take_long) nanosleep(&(struct timespec){0, 100000000}, NULL);
    return (int)syscall(SYS_sched_yield);
}

static sigset_t told;

static void sleep_until_told(const struct timespec* pause) {
    sigtimedwait(&told, NULL, pause);
}
static int is_told(time_t end) {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGUSR1) || time(NULL) > end;
}

static long boxes[2];
static void* await_box(void* box) {
    shmem_long_wait_until(box, SHMEM_CMP_EQ, 1);
    return NULL;
}

static void* set_later(void* pause) {
    sleep_until_told(pause);
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        shmem_long_atomic_set(&flag, 5, pe);
    return NULL;
}

/* Now and then, and not PE 0 until told. When waits of 2 s are told the others have waited less
 * than half of that, but long: as long as they spin, which load makes longer, they are told to
 * compute. */
enum { kEnd = 1 << 20 };
static void* count_up(void* end) {
    for (long value = 1; !is_told(*(time_t*)end); ++value) {
        nanosleep(&(struct timespec){1, 200000000}, NULL);
        for (int pe = 1; pe < shmem_n_pes(); ++pe)
            shmem_long_atomic_set(&flag, value, pe);
    }
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        shmem_long_atomic_set(&flag, kEnd, pe);
    return NULL;
}

/* Who asks what a PE fetches has it look at all it does, for a moment: not longer. Its window is
 * open again behind an operation. */
static void check_open(time_t end) {
#ifdef ISTHMUS_CHECKS_H
    static int number;
    const char* const check = getenv("ISTHMUS_CHECK");
    const uint32_t* const limit =
        check && *check == '1' ? isthmus_checks.limit : &isthmus_window.limit;
    while (pshmem_int_g(&number, 0) != 0 || __atomic_load_n(limit, __ATOMIC_RELAXED) == 0)
        if (time(NULL) > end) {
            fputs("all operations go the long way now\n", stderr);
            shmem_global_exit(1);
        }
#else
    (void)end;
#endif
}

static int is_closed(void) {
    return __atomic_load_n(&isthmus_window.limit, __ATOMIC_RELAXED) == 0;
}

/* A function of its own: in main compilers look at the window in each round, whatever it is. */
static int number = 7;
__attribute__((noinline)) static void poll_number(int pe) {
    while (shmem_int_g(&number, pe) == 7) {
    }
}

int main(int argc, char** argv) {
    int provided = 0;
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &told, NULL);
    const int level = getenv("TEST_ONE_THREAD") ? SHMEM_THREAD_SINGLE : SHMEM_THREAD_MULTIPLE;
    shmem_init_thread(level, &provided);
    const int me = shmem_my_pe();
    const int last = shmem_n_pes() - 1;
    const char* what = argc > 1 ? argv[1] : "barrier";
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    const struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    const time_t end = time(NULL) + (time_t)seconds + 1;
    shmem_barrier_all();
    if (strcmp(what, "leaves") == 0) {
        /* The last one leaves with its window closed; and all begin again. */
        while (me == last && !is_closed()) {
        }
        shmem_finalize();
        shmem_init_thread(level, &provided);
        if (is_closed()) return 1;
        shmem_barrier_all();
        what = "polls-g";
    }
    if (strcmp(what, "barrier") == 0) {
        if (me == last) sleep_until_told(&pause);
        shmem_barrier_all();
    } else if (strcmp(what, "team") == 0) {
        shmem_team_t team;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team);
        if (me == last) sleep_until_told(&pause);
        shmem_team_sync(team);
    } else if (strcmp(what, "reduce") == 0 || strcmp(what, "scan") == 0 ||
               strcmp(what, "to-all") == 0) {
        static long sum, mine, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE], sync[SHMEM_REDUCE_SYNC_SIZE];
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i)
            sync[i] = SHMEM_SYNC_VALUE;
        shmem_barrier_all();
        if (me == last) sleep_until_told(&pause);
        if (strcmp(what, "reduce") == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
        if (strcmp(what, "scan") == 0) shmem_long_sum_inscan(SHMEM_TEAM_WORLD, &sum, &mine, 1);
        if (strcmp(what, "to-all") == 0)
            shmem_long_max_to_all(&sum, &mine, 1, 0, 0, shmem_n_pes(), work, sync);
    } else if (strcmp(what, "fetches") == 0) {
        /* Each waits a moment for an answer, if there is a road, and ends by itself. */
        while (me == last && !is_told(end))
            shmem_long_atomic_fetch(&flag, 0);
        shmem_barrier_all();
    } else if (strcmp(what, "adds") == 0) {
        while (me == last && !is_told(end))
            shmem_long_atomic_fetch_add(&flag, 1, 0);
        shmem_barrier_all();
    } else if (strncmp(what, "polls", 5) == 0) {
        /* The last one does, each in its own way, until PE 0 has waited so long for PE 1. */
        static double fraction = 0.5;
        static uint64_t signal = 9;
        static char packed[16] __attribute__((aligned(16)));
        long* const block = shmem_malloc(16 * sizeof *block);
        for (int i = 0; i < 16; ++i)
            block[i] = 0;
        shmem_barrier_all();
        if (me == 1) {
            sleep_until_told(&pause);
            shmem_int_p(&number, 8, 0);
            shmem_putmem(packed + 1, &(int){1}, sizeof(int), 0);
            shmem_double_p(&fraction, 1, 0);
            shmem_long_p(block + 1, -6, 0);
            shmem_long_p(block + 1, -6, last);
            shmem_signal_set(&signal, 10, last);
            shmem_long_atomic_set(&lock, 1, 0);
        }
        if (me == last && strcmp(what, "polls-g") == 0) poll_number(0);
        if (me == last && strcmp(what, "polls-call") == 0)
            while (pshmem_int_g(&number, 0) == 7) {
            }
        /* In a packed structure: on one host it works, but in checked mode. */
        if (me == last && strcmp(what, "polls-packed") == 0)
            while (shmem_int_atomic_fetch((int*)(void*)(packed + 1), 0) == 0)
                shmem_int_atomic_add((int*)(void*)(packed + 5), 1, 0);
        if (me == last && strcmp(what, "polls-get") == 0)
            for (long seen = 0; seen == 0;)
                shmem_long_get(&seen, block + 1, 1, 0);
        if (me == last && strcmp(what, "polls-heap") == 0)
            while (shmem_long_g(block + 1, 0) == 0) {
            }
        if (me == last && strcmp(what, "polls-own") == 0)
            while (shmem_long_atomic_fetch(block + 1, last) == 0) {
            }
        if (me == last && strcmp(what, "polls-fraction") == 0)
            while (shmem_double_g(&fraction, 0) < 1) {
            }
        if (me == last && strcmp(what, "polls-swap") == 0)
            while (shmem_long_atomic_compare_swap(&lock, 1, 2, 0) == 0) {
            }
        if (me == last && strcmp(what, "polls-signal") == 0)
            while (shmem_signal_fetch(&signal) == 9) {
            }
        if (me == last && strcmp(what, "polls-two") == 0)
            while (shmem_int_g(&number, 0) + shmem_int_g(&number, 1) == 14) {
            }
        if (me == last) check_open(time(NULL) + 5);
        shmem_barrier_all();
    } else if (strcmp(what, "flag") == 0) {
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_long_p(&flag, 1, 0);
        if (me == 0) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    } else if (strcmp(what, "threads") == 0) {
        /* PE 1 waits already, and speaks. Of PE 0's threads one has what it waits for, and the call
         * noted last is a third one's. */
        const struct timespec moment = {0, 100000000};
        pthread_t threads[2];
        if (me == 0) {
            nanosleep(&moment, NULL);
            for (int i = 0; i < 2; ++i)
                pthread_create(&threads[i], NULL, await_box, &boxes[i]);
            nanosleep(&moment, NULL);
            shmem_long_atomic_set(&boxes[0], 1, 0);
        }
        if (me == last) {
            sleep_until_told(&pause);
            shmem_long_atomic_set(&boxes[1], 1, 0);
        }
        shmem_barrier_all();
        for (int i = 0; me == 0 && i < 2; ++i)
            pthread_join(threads[i], NULL);
    } else if (strcmp(what, "lock") == 0) {
        if (me == last) shmem_set_lock(&lock);
        shmem_sync_all();
        if (me == last) sleep_until_told(&pause);
        if (me == 0) shmem_set_lock(&lock);
        if (me == 0 || me == last) shmem_clear_lock(&lock);
    } else if (strcmp(what, "test-lock") == 0) {
        if (me == last) shmem_set_lock(&lock);
        shmem_sync_all();
        if (me == last) sleep_until_told(&pause);
        if (me == 0)
            while (shmem_test_lock(&lock)) {
            }
        if (me == 0 || me == last) shmem_clear_lock(&lock);
    } else if (strcmp(what, "test-locks") == 0) {
        if (me == last) shmem_set_lock(&lock);
        if (me == last) shmem_set_lock(&other_lock);
        shmem_barrier_all();
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_clear_lock(&other_lock);
        if (me == 0) {
            while (shmem_test_lock(&lock) && shmem_test_lock(&other_lock)) {
            }
        }
    } else if (strcmp(what, "both-locks") == 0) {
        if (me == last) shmem_set_lock(&other_lock);
        shmem_barrier_all();
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_clear_lock(&other_lock);
        if (me == 0) {
            for (;;) {
                while (shmem_test_lock(&lock)) {
                }
                if (!shmem_test_lock(&other_lock)) break;
                shmem_clear_lock(&lock);
            }
            shmem_clear_lock(&lock);
            shmem_clear_lock(&other_lock);
        }
    } else if (strcmp(what, "slow-yields") == 0) {
        yields_take_long = me == 1;
        if (me == last) sleep_until_told(&pause);
    } else if (strcmp(what, "own-lock") == 0) {
        /* The holder itself. */
        if (me == last) shmem_set_lock(&lock);
        while (me == last && shmem_test_lock(&lock) && !is_told(end)) {
        }
        if (me == last) shmem_clear_lock(&lock);
    } else if (strcmp(what, "queue") == 0) {
        /* PE 1 comes behind PE 0, and both behind the last one. */
        static long nobody;
        if (me == last) shmem_set_lock(&lock);
        shmem_sync_all();
        if (me == 1)
            while (shmem_long_atomic_fetch(&nobody, 1) == 0) {
            }
        if (me == 0) {
            shmem_long_atomic_set(&nobody, 1, 1);
            shmem_set_lock(&lock);
        }
        if (me == 1) {
            nanosleep(&(struct timespec){0, 100000000}, NULL);
            shmem_set_lock(&lock);
        }
        if (me == last) sleep_until_told(&pause);
        shmem_clear_lock(&lock);
    } else if (strcmp(what, "test") == 0) {
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_long_atomic_set(&flag, 1, 0);
        if (me == 0)
            while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1)) {
            }
    } else if (strcmp(what, "any") == 0 || strcmp(what, "vector") == 0) {
        static long flags[4];
        const int left_out[4] = {0, 1, 0, 0};
        const long values[4] = {5, 6, 7, 8};
        flags[3] = -2;
        shmem_barrier_all();
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_long_atomic_set(flags + 2, 7, 0);
        if (me == 0 && strcmp(what, "any") == 0)
            shmem_long_wait_until_any(flags, 4, left_out, SHMEM_CMP_GE, 7);
        if (me == 0 && strcmp(what, "vector") == 0)
            shmem_long_wait_until_some_vector(flags, 4, (size_t[4]){0}, left_out, SHMEM_CMP_EQ,
                                              values);
    } else if (strcmp(what, "malloc") == 0) {
        if (me == last) sleep_until_told(&pause);
        shmem_free(shmem_malloc(8));
    } else if (strcmp(what, "alone") == 0) {
        /* The last one's allocation meets a barrier of the others. */
        if (me == last) shmem_malloc(8);
        shmem_barrier_all();
        if (me != last) sleep_until_told(&pause);
        if (me != last) shmem_malloc(8);
    } else if (strcmp(what, "all") == 0) {
        /* Each waits for a word that none sets, but for a thread of the last one's. */
        pthread_t thread;
        if (me == last) pthread_create(&thread, NULL, set_later, (void*)&pause);
        shmem_long_wait_until(&flag, SHMEM_CMP_GE, 3 + me);
        if (me == last) pthread_join(thread, NULL);
    } else if (strcmp(what, "begins") == 0) {
        /* All are in waits whenever one looks, and all but PE 0 go on. */
        pthread_t thread;
        if (me == last) pthread_create(&thread, NULL, count_up, (void*)&end);
        for (long seen = me == 0 ? kEnd - 1 : 0; seen < kEnd;
             seen = shmem_long_atomic_fetch(&flag, me))
            shmem_long_wait_until(&flag, SHMEM_CMP_GT, seen);
        if (me == last) pthread_join(thread, NULL);
    } else if (strcmp(what, "stopped") == 0) {
        if (me == last) raise(SIGSTOP);
    } else if (strcmp(what, "stops") == 0) {
        /* Until a shell lets it go on. */
        char command[64];
        snprintf(command, sizeof command, "(sleep %d; kill -CONT $PPID) >&- 2>&- &", (int)seconds);
        if (me == last && system(command) == 0) raise(SIGSTOP);
    } else if (strcmp(what, "busy") == 0) {
        while (me == last && !is_told(end))
            for (volatile int i = 0; i < 100000; ++i) {
            }
        if (me == last) check_open(time(NULL) + 5);
    } else if (strcmp(what, "held") == 0) {
        /* Who has closed the last one's window is stopped, and does not open it. */
        static long process;
        process = getpid();
        shmem_barrier_all();
        if (me == last) {
            const pid_t others[2] = {(pid_t)shmem_long_g(&process, 0),
                                     (pid_t)shmem_long_g(&process, 1)};
            while (!is_closed()) {
            }
            for (int i = 0; i < 2; ++i)
                kill(others[i], SIGSTOP);
            check_open(time(NULL) + 5);
            for (int i = 0; i < 2; ++i)
                kill(others[i], SIGCONT);
        }
        shmem_barrier_all();
    } else if (strcmp(what, "kept") == 0) {
        /* Routines of the native interface refuse what the window does: it stays open. */
        isthmus_init();
        shmem_barrier_all();
        while (me == last && !is_told(end))
            if (is_closed()) return 1;
        shmem_barrier_all();
        isthmus_finalize();
    } else if (strcmp(what, "exits") == 0) {
        if (me == last) exit(0);
        sleep_until_told(&pause);
        if (me == 0) puts("went on");
        shmem_finalize();
        return 0;
    } else if (strcmp(what, "finalize") == 0) {
        if (me == last) sleep_until_told(&pause);
    }
    if (strcmp(what, "event") == 0) {
        isthmus_event set;
        isthmus_init();
        shmem_barrier_all();
        isthmus_event_arm(&set, (const int64_t*)&flag, ISTHMUS_EQ, 3);
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_long_atomic_set(&flag, 3, 0);
        if (me == 0) isthmus_event_wait(&set);
        isthmus_finalize();
    }
    if (strcmp(what, "event-any") == 0 || strcmp(what, "event-values") == 0) {
        /* Of four words one is nobody's; the other thing to wait for is a value of each. */
        static long words[4];
        isthmus_event set[3];
        size_t which = 0;
        const int differ = strcmp(what, "event-values") == 0;
        isthmus_init();
        shmem_barrier_all();
        for (int i = 0; i < 3; ++i)
            isthmus_event_arm(set + i, (const int64_t*)words + (i == 2 ? 3 : i), ISTHMUS_GE,
                              differ ? 5 + i : 5);
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_long_atomic_set(words + 3, 7, 0);
        if (me == 0) isthmus_event_wait_any(set, 3, &which, -1);
        if (me == 0 && which != 2) return 1;
        isthmus_finalize();
    }
    if (strncmp(what, "queue-", 6) == 0) {
        /* PE 0 waits for a message that the last one sends late; it may have reserved it before. */
        isthmus_queue* queue;
        const void* message;
        void* place = NULL;
        uint64_t size;
        isthmus_init();
        if (me == 0) isthmus_queue_create(&queue, 7, 4096);
        if (me != 0) isthmus_queue_clone(&queue, 7, -1);
        if (me == last && strcmp(what, "queue-reserved") == 0)
            isthmus_enqueue_reserve(queue, 100, &place);
        shmem_barrier_all();
        if (me != 0) sleep_until_told(&pause);
        if (me == last && place) isthmus_enqueue_commit(queue, place, 100);
        if (me == last && !place) isthmus_enqueue(queue, &me, sizeof me, NULL);
        if (me == 0) isthmus_dequeue(queue, &message, &size, -1);
        isthmus_finalize();
    }
    if (strcmp(what, "message") == 0) {
        /* A wait with handlers. */
        isthmus_event set;
        isthmus_init();
        shmem_barrier_all();
        isthmus_event_arm(&set, (const int64_t*)&flag, ISTHMUS_EQ, 3);
        if (me == last) sleep_until_told(&pause);
        if (me == last) shmem_long_atomic_set(&flag, 3, 0);
        if (me == 0) isthmus_message_wait(&set, -1);
        isthmus_finalize();
    }
    if (strncmp(what, "kernel-", 7) == 0) {
        /* The others wait for the last one. */
        isthmus_init();
        isthmus_kernel_attach(0, 0);
        shmem_barrier_all();
        if (me == last) sleep_until_told(&pause);
        const isthmus_kernel_call arrive = {.handler = ISTHMUS_KERNEL_ARRIVE,
                                            .flags = ISTHMUS_KERNEL_ASYNC};
        for (int i = 0; i < 3; ++i)
            if (me == last) isthmus_kernel_send_short(&arrive);
        if (me == 0 && strcmp(what, "kernel-arrivals") == 0) isthmus_kernel_wait_arrivals(3, -1);
        isthmus_kernel_barrier();
        isthmus_finalize();
    }
    if (strcmp(what, "clone") == 0 || strcmp(what, "clone-queue") == 0) {
        isthmus_segment words;
        isthmus_queue* queue;
        const int is_queue = strcmp(what, "clone-queue") == 0;
        isthmus_init();
        yields_take_long = me == 0; /* each answer comes late */
        if (me == last) sleep_until_told(&pause);
        if (me == last && is_queue) isthmus_queue_create(&queue, 29, 4096);
        if (me == last && !is_queue) isthmus_segment_create(&words, 29, NULL, 4096, 0);
        if (me == 0 && is_queue) isthmus_queue_clone(&queue, 29, seconds);
        if (me == 0 && !is_queue) isthmus_segment_clone(&words, 29, seconds);
        shmem_barrier_all();
        isthmus_finalize();
    }
    if (strcmp(what, "segment") == 0) {
        isthmus_segment words;
        isthmus_event set;
        isthmus_init();
        if (me == 0) isthmus_segment_create(&words, 5, NULL, 4096, 0);
        if (me != 0) isthmus_segment_clone(&words, 5, -1);
        if (me == last) {
            sleep_until_told(&pause);
            isthmus_poke(&words, 16, 1);
        } else if (me == 0) {
            isthmus_event_arm(&set, (const int64_t*)(words.base + 16), ISTHMUS_EQ, 1);
            isthmus_event_wait(&set);
        }
        isthmus_finalize();
    }
    if (strcmp(what, "finalize") != 0) shmem_barrier_all();
    if (me == 0) puts("went on");
    shmem_finalize();
    return 0;
}
