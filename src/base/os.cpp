#include "base/os.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "base/control_group.hpp"
#include "base/limits.hpp"
#include "base/process_stat.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace isthmus::os {

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

// Not by sysconf, which does not say that the system call is forbidden.
static std::uint64_t whole_memory() {
    struct sysinfo facts {};
    if (sysinfo(&facts) == 0) return std::uint64_t{facts.totalram} * facts.mem_unit;
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "MemTotal:" && file >> kibibytes) return kibibytes * 1024;
    }
    return std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t memory_size() {
    static const std::uint64_t size = std::min(page_down(whole_memory()), memory_limit());
    return size;
}

std::uint64_t address_space_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::uint64_t>::max();
    return limit.rlim_cur;
}

bool is_mapped(const void* address, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    if (bytes == 0) return true;
    if (first + bytes < first) return false;
    unsigned char resident[256];
    const std::uintptr_t end = page_up(first + bytes);
    const std::uintptr_t step = sizeof resident * page_size();
    for (std::uintptr_t page = page_down(first); page < end; page += step) {
        if (mincore(reinterpret_cast<void*>(page), std::min(step, end - page), resident) != 0)
            return false;
    }
    return true;
}

int usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max(1, CPU_COUNT(&set));
}

bool has_more_rights_than_caller() {
    return getauxval(AT_SECURE) != 0;
}

bool fill_with_random(void* bytes, std::size_t count) {
    for (std::size_t done = 0; done < count;) {
        const ssize_t more = getrandom(static_cast<char*>(bytes) + done, count - done, 0);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return false;
        done += static_cast<std::size_t>(more);
    }
    return true;
}

bool may_raise_file_size_to(std::uint64_t size) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_max >= size;
}

int create_shared_file(const char* label, std::uint64_t size) {
    // Else ftruncate would send SIGXFSZ, which ends a program without a word.
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
        errno = EFBIG;
        return -1;
    }
    // Since Linux 6.3: what nobody can execute. Some systems make no other (vm.memfd_noexec).
    constexpr unsigned kNotToExecute = 8;
    int file = memfd_create(label, MFD_CLOEXEC | kNotToExecute);
    if (file < 0 && errno == EINVAL) file = memfd_create(label, MFD_CLOEXEC);
    if (file < 0) return -1;
    // For who gets at it by /proc, which asks for more than that.
    fchmod(file, S_IRUSR | S_IWUSR);
    if (ftruncate(file, static_cast<off_t>(size)) != 0) {
        const int reason = errno;
        close(file);
        errno = reason;
        return -1;
    }
    return file;
}

const char* advice_on_shared_file(int error) {
    switch (error) {
        case EFBIG: return "; the file size limit (ulimit -f) must be unlimited";
        case EMFILE: return advice_on_call(error);
        case ENOSYS:
        case EPERM:
        case EACCES:
            return "; the system call memfd_create or ftruncate is forbidden here (a container's "
                   "seccomp profile?)";
        default: return "";
    }
}

void raise_open_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void remove_provider_files(int process) {
    char begin[64];  // behind it a number for each time that the process has begun a session
    const int length = std::snprintf(begin, sizeof begin, "%d:%u:", process, geteuid());
    const int folder = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    alignas(dirent) char entries[4096];
    for (;;) {
        const long bytes = syscall(SYS_getdents64, folder, entries, sizeof entries);
        if (bytes <= 0) break;
        for (long at = 0; at < bytes;) {
            const auto& entry = *reinterpret_cast<const dirent*>(entries + at);
            if (std::strncmp(entry.d_name, begin, static_cast<std::size_t>(length)) == 0)
                unlinkat(folder, entry.d_name, 0);
            at += entry.d_reclen;
        }
    }
    close(folder);
}

bool map_shared(void* address, std::size_t length, int file, std::uint64_t offset, bool replace) {
    void* const place =
        mmap(address, length, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | (replace ? MAP_FIXED : MAP_FIXED_NOREPLACE), file,
             static_cast<off_t>(offset));
    if (place == MAP_FAILED) return false;
    if (place != address) {  // a kernel before 4.17 took the address for a hint
        munmap(place, length);
        errno = EEXIST;
        return false;
    }
    if (!replace) madvise(address, length, MADV_DONTDUMP);
    return true;
}

void put_into_core_dumps(void* address, std::size_t length) {
    madvise(address, length, MADV_DODUMP);
}

bool discard(int file, std::uint64_t offset, std::uint64_t length) {
    return fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                     static_cast<off_t>(length)) == 0;
}

void futex_wait(const std::uint32_t* word, std::uint32_t expected, std::uint64_t nanoseconds) {
    const timespec timeout{static_cast<time_t>(nanoseconds / 1'000'000'000),
                           static_cast<long>(nanoseconds % 1'000'000'000)};
    syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

void futex_wake_all(const std::uint32_t* word) {
    syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

void thread_wait(const std::uint32_t* word, std::uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void thread_wake(const std::uint32_t* word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::uint64_t monotonic_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void yield() {
    sched_yield();
}

void kill_self_after(int seconds) {
    sigevent killing{};
    killing.sigev_notify = SIGEV_SIGNAL;
    killing.sigev_signo = SIGKILL;
    timer_t timer{};
    const itimerspec then{{0, 0}, {seconds, 0}};
    if (timer_create(CLOCK_MONOTONIC, &killing, &timer) == 0)
        timer_settime(timer, 0, &then, nullptr);
}

void await_end_by(int thread) {
    constexpr int kTurns = 1000;  // of 10 milliseconds
    for (int turn = 0; turn < kTurns && thread != gettid(); ++turn)
        sleep_nanoseconds(10'000'000);
}

void sleep_nanoseconds(std::uint64_t nanoseconds) {
    timespec rest{static_cast<time_t>(nanoseconds / 1'000'000'000),
                  static_cast<long>(nanoseconds % 1'000'000'000)};
    // A program's signals must not shorten what is counted in sleeps.
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

ProcessState state_of(int process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR* const threads = opendir(path);
    if (!threads) return ProcessState::unknown;
    int stopped = 0, asleep = 0, all = 0;
    while (const dirent* const entry = readdir(threads)) {
        if (entry->d_name[0] == '.') continue;
        std::snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", process, entry->d_name);
        ProcessStat stat;
        if (!read_process_stat(path, stat)) continue;  // it has ended meanwhile
        ++all;
        stopped += stat.state == 'T' || stat.state == 't';
        asleep += stat.state == 'S' || stat.state == 'D';
    }
    closedir(threads);
    return all == 0         ? ProcessState::unknown
           : stopped == all ? ProcessState::is_stopped
           : asleep == all  ? ProcessState::sleeps
                            : ProcessState::runs;
}

bool is_single_threaded() {
    return __libc_single_threaded != 0;
}

bool under_valgrind() {
    const char* preload = std::getenv("LD_PRELOAD");
    return preload && std::strstr(preload, "vgpreload");
}

}  // namespace isthmus::os
