/* Ends that must not take long: each case on 2 PEs, its exit status and time limit in ends.cmake.
 */
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void* wait_for_ever(void* none) {
    pause();
    return none;
}

static void* read_input(void* none) {
    char line[100];
    return fgets(line, sizeof line, stdin) ? none : NULL;
}

/* The second initialisation must not take our own fault handler for the program's. */
static void fault_after_second_init(void) {
    shmem_finalize();
    shmem_init();
    volatile int* volatile nowhere = (volatile int*)8;
    if (shmem_my_pe() == 1) *nowhere = 1;
}

/* Signals that somebody sends are no faults: they end a PE as they would without the library. */
static void raised_segv(void) {
    if (shmem_my_pe() == 1) raise(SIGSEGV);
}
static void killed_by_segv(void) {
    if (shmem_my_pe() == 1) kill(getpid(), SIGSEGV);
    pause();
}
static void killed_by_bus(void) {
    if (shmem_my_pe() == 1) kill(getpid(), SIGBUS);
    pause();
}
static void queued_segv(void) {
    const union sigval nothing = {0};
    if (shmem_my_pe() == 1) sigqueue(getpid(), SIGSEGV, nothing);
    pause();
}
/* The program's own handler comes before ours. */
static volatile sig_atomic_t heard;
static void hear(int number) {
    heard = number;
}
static void handled_segv(void) {
    signal(SIGSEGV, hear);
    raise(SIGSEGV);
    if (heard != SIGSEGV) shmem_global_exit(8);
}

/* A fault inside malloc holds malloc's lock; whoever explains it must not need memory. */
static void fault_inside_malloc(void) {
    pthread_t other;
    pthread_create(&other, NULL, wait_for_ever, NULL); /* or malloc would not lock */
    if (shmem_my_pe() != 1) return;
    void* volatile blocks[20];
    for (int i = 0; i < 20; ++i)
        blocks[i] = malloc(3000);
    void* volatile end = malloc(10);
    for (int i = 0; i < 20; i += 2)
        free(blocks[i]);
    for (int i = 0; i < 20; i += 2) {
        volatile size_t* const links = (volatile size_t*)blocks[i];
        links[0] = links[1] = 0x4141414141;
    }
    for (int i = 0; i < 50; ++i)
        end = malloc(2000 + (size_t)i * 100);
    (void)end;
}

static void exit_while_input_is_read(void) {
    pthread_t reader;
    if (shmem_my_pe() != 0) return;
    pthread_create(&reader, NULL, read_input, NULL);
    usleep(100000);
    shmem_global_exit(7);
}

/* An exit from within: by a handler on top of shmem_finalize, or by a thread beside it. Nobody is
 * to wait for the others then. */
static void on_alarm(int number) {
    (void)number;
    exit(9);
}
static void exit_by_handler_in_finalize(void) {
    if (shmem_my_pe() != 0) pause();
    signal(SIGALRM, on_alarm);
    alarm(1);
    shmem_finalize();
}
static void* exit_soon(void* unused) {
    (void)unused;
    usleep(300000);
    exit(3);
}
static void exit_by_thread_in_finalize(void) {
    pthread_t other;
    if (shmem_my_pe() != 0) pause();
    pthread_create(&other, NULL, exit_soon, NULL);
    shmem_finalize();
}

/* The same with status 0, by the way that the case's name begins with, in shmem_finalize or in
 * shmem_init. */
static const char* way = "";
static void leave_well(int number) {
    (void)number;
    if (strncmp(way, "_exit_", 6) == 0) _exit(0);
    if (strncmp(way, "quick_exit_", 11) == 0) quick_exit(0);
    exit(0);
}
static void leave_well_soon(void) {
    const struct itimerval soon = {.it_value = {.tv_usec = 200000}};
    signal(SIGALRM, leave_well);
    setitimer(ITIMER_REAL, &soon, NULL);
}
static void leave_well_in_finalize(void) {
    if (shmem_my_pe() != 1) pause();
    leave_well_soon();
    shmem_finalize();
}
static void leave_well_in_init(void) {
    const char* const rank = getenv("PMI_RANK");
    if (!strstr(way, "_in_init")) return;
    if (rank && strcmp(rank, "1") == 0)
        leave_well_soon();
    else
        sleep(20);
}
/* But one of another thread waits for what this one does. */
static void* exit_well_soon(void* unused) {
    (void)unused;
    usleep(200000);
    exit(0);
}
static void exit_well_by_thread_in_finalize(void) {
    pthread_t other;
    if (shmem_my_pe() == 1)
        pthread_create(&other, NULL, exit_well_soon, NULL);
    else
        usleep(500000);
    shmem_finalize();
    if (shmem_my_pe() == 1) _exit(7); /* the thread's exit is the process's */
    puts("PE 0 has finalised");
    exit(0);
}

/* Its process ends within the system's library, and what goes on is another one. */
static void daemon_goes_on(void) {
    if (shmem_my_pe() != 1) return;
    if (daemon(1, 1) == 0) alarm(8);
    pause();
}

/* Two threads of a PE and the other PE want one lock. */
static long lock, guarded;
static void* add_under_lock(void* unused) {
    (void)unused;
    for (int i = 0; i < 500; ++i) {
        shmem_set_lock(&lock);
        const long seen = shmem_long_g(&guarded, 0);
        shmem_long_p(&guarded, seen + 1, 0);
        shmem_clear_lock(&lock);
        while (i % 50 == 0 && shmem_test_lock(&lock) == 0) {
            shmem_clear_lock(&lock);
            break;
        }
    }
    return NULL;
}
static void threads_want_one_lock(void) {
    pthread_t other;
    pthread_create(&other, NULL, add_under_lock, NULL);
    add_under_lock(NULL);
    pthread_join(other, NULL);
    shmem_barrier_all();
    if (guarded != 2000 && shmem_my_pe() == 0) shmem_global_exit(8);
}

/* There is no child to wait for. */
static void failing_fork(void) {
    if (getuid() == 0 && setuid(65534) != 0) return; /* root has no limit */
    const struct rlimit none = {1, 1};
    setrlimit(RLIMIT_NPROC, &none);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (end.tv_sec - begin.tv_sec > 5) shmem_global_exit(9);
    if (child > 0) puts("this system lets it fork");
}

/* A child that cannot have memory of its own ends; it does not go on with zeros. */
static int answer = 42;
static void fork_without_the_file(void) {
    int status = -1;
    for (int file = 3; file < 200; ++file)
        close(file);
    const pid_t child = fork();
    if (child == 0) _exit(answer == 42 ? 0 : 1);
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 127) shmem_global_exit(9);
    /* Memory is given back all the same. */
    int* const block = (int*)shmem_malloc(1 << 20);
    if (block) block[0] = 1;
    shmem_finalize();
    shmem_init();
    int* const again = (int*)shmem_malloc(1 << 20);
    if (again && again[0] != 0) shmem_global_exit(8);
}

/* SIGALRM all the time, from no timer that alarm() knows of: a timer_create of the program's, or a
 * process of its. "_restless": calls that it interrupts do not go on. */
static void hear_nothing(int number) {
    (void)number;
}
static void tick_all_the_time(void) {
    const long often = 300000;
    struct sigaction action = {.sa_handler = hear_nothing};
    if (strncmp(way, "ticks_", 6) != 0) return;
    if (!strstr(way, "_restless")) action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    if (strstr(way, "_timer")) {
        const struct itimerspec ticks = {{0, often}, {0, often}};
        timer_t timer;
        if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0) abort();
        timer_settime(timer, 0, &ticks, NULL);
        return;
    }
    const pid_t program = getpid();
    if (fork() != 0) return;
    for (int file = 0; file < 200; ++file)
        close(file);
    const struct timespec pause = {0, often};
    while (kill(program, SIGALRM) == 0 && getppid() == program)
        nanosleep(&pause, NULL);
    _exit(0);
}

static void close_before_init(const char* name) {
    for (int file = 3; file < 200 && strcmp(name, "closed_before_init") == 0; ++file)
        close(file);
}

int main(int argc, char** argv) {
    const struct {
        const char* name;
        void (*run)(void);
    } cases[] = {{"fault_after_second_init", fault_after_second_init},
                 {"fault_inside_malloc", fault_inside_malloc},
                 {"raised_segv", raised_segv},
                 {"killed_by_segv", killed_by_segv},
                 {"killed_by_bus", killed_by_bus},
                 {"queued_segv", queued_segv},
                 {"handled_segv", handled_segv},
                 {"exit_while_input_is_read", exit_while_input_is_read},
                 {"exit_by_handler_in_finalize", exit_by_handler_in_finalize},
                 {"exit_by_thread_in_finalize", exit_by_thread_in_finalize},
                 {"_exit_in_finalize", leave_well_in_finalize},
                 {"quick_exit_in_finalize", leave_well_in_finalize},
                 {"exit_in_finalize", leave_well_in_finalize},
                 {"exit_well_by_thread_in_finalize", exit_well_by_thread_in_finalize},
                 {"daemon_goes_on", daemon_goes_on},
                 {"threads_want_one_lock", threads_want_one_lock},
                 {"failing_fork", failing_fork},
                 {"fork_without_the_file", fork_without_the_file}};
    int provided;
    way = argc > 1 ? argv[1] : "";
    close_before_init(way);
    tick_all_the_time();
    leave_well_in_init();
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; ++i)
        if (strcmp(argv[1], cases[i].name) == 0) cases[i].run();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
