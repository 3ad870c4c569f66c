#include "core/session/last_thread.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/blocked_signals.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/process_tree.hpp"
#include "base/text.hpp"
#include "core/job/job.hpp"
#include "core/job/mapping.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kBetweenLooks = 1'000'000'000;

std::mutex looking;  // of what follows
std::vector<pid_t> helpers;
std::vector<pid_t> last_seen;
std::uint64_t looked_at = 0;
bool is_exiting = false;
std::map<pid_t, std::string> waiting;  // of the last look that found all of them waiting

bool is_in(const std::vector<pid_t>& all, pid_t thread) {
    return std::find(all.begin(), all.end(), thread) != all.end();
}

bool read_stat_of(pid_t thread, os::ProcessStat& stat) {
    return os::read_process_stat(Text("/proc/self/task/", thread, "/stat").c_str(), stat);
}

// It is listed until the process ends, as one that is waited for.
bool has_main_ended() {
    os::ProcessStat stat;
    return read_stat_of(getpid(), stat) && stat.state == 'Z';
}

// Under `looking`.
void note_this_thread() {
    static thread_local bool is_known = false;
    if (!is_known) helpers.push_back(gettid());
    is_known = true;
}

// Of the program's: neither the calling one nor a helper.
bool counts(pid_t thread) {
    const bool has_ended = thread == getpid() && has_main_ended();
    return thread != gettid() && !has_ended && !is_in(helpers, thread);
}

// No other process shares it: a program's own pages, whatever file they come from.
bool is_private(std::uint64_t address) {
    Mappings mappings;
    Mapping mapping;
    return mappings.find(address, mapping) && mapping.begin <= address && mapping.rights[3] == 'p';
}

// In a wait for a word that this process alone knows, with no end of its own. Joins, futures and
// waits for atomics leave it to the word's place whether others may know it.
bool waits_for_this_process(const std::string& folder) {
    std::ifstream file(folder + "/syscall");
    long call = -1;
    std::array<std::uint64_t, 4> arguments{};
    file >> call >> std::hex;
    for (std::uint64_t& argument : arguments) {
        std::string word;
        file >> word;
        argument = std::strtoull(word.c_str(), nullptr, 16);
    }
    const auto [address, operation, value, timeout] = arguments;
    const auto command = operation & ~std::uint64_t{FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME};
    return file && call == SYS_futex && timeout == 0 &&
           (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) &&
           ((operation & FUTEX_PRIVATE_FLAG) != 0 || is_private(address));
}

std::string turns_of(const std::string& folder) {
    std::ifstream file(folder + "/schedstat");
    std::string line;
    std::getline(file, line);
    return turns_in(line);
}

// A thread's own doing: no other process sends it, and no timer.
bool tells_of_crash(int signal) {
    constexpr int kOfCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    return std::find(std::begin(kOfCrashes), std::end(kOfCrashes), signal) != std::end(kOfCrashes);
}

// What comes from outside, or of a timer, may wake a thread: the handler does.
bool catches_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        // The C library's own are not told of.
        if (tells_of_crash(signal) || sigaction(signal, nullptr, &action) != 0) continue;
        if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return true;
    }
    return false;
}

bool is_program_left(const std::vector<pid_t>& all) {
    return all.empty() || std::any_of(all.begin(), all.end(), [](pid_t thread) {
               return thread != getpid() && !is_in(helpers, thread);
           });
}

// Declared last, so destroyed first: from then on nobody looks, whichever thread ends the process.
const struct End {
    ~End() {
        const std::lock_guard lock(looking);
        is_exiting = true;
    }
} end_of_looks;

// Where there is no road nobody is left to look: somebody begins to when main's thread ends by
// pthread_exit, which is when destructors of keys run; those of an exit do not.
void look_behind_main(void*) {
    if (forked_child) return;
    try {
        const BlockedSignals blocked;
        std::thread([] {
            for (;;) {
                look_for_program();
                os::sleep_nanoseconds(kBetweenLooks / 4);
            }
        }).detach();
    } catch (const std::system_error&) {
        // There is no room for a thread: the process stays, and the stall report tells of it.
    }
}

void watch_end_of_main() {
    static pthread_key_t main_ends;
    static const bool has_key = pthread_key_create(&main_ends, look_behind_main) == 0;
    if (has_key && gettid() == getpid()) pthread_setspecific(main_ends, &main_ends);
}

}  // namespace

HelperThreads::HelperThreads() : before_(os::own_threads()) {}

HelperThreads::~HelperThreads() {
    const std::lock_guard lock(looking);
    for (const pid_t thread : os::own_threads()) {
        if (!is_in(before_, thread) && !is_in(helpers, thread)) helpers.push_back(thread);
    }
    if (!helpers.empty()) watch_end_of_main();
}

void note_helper_thread() {
    const std::lock_guard lock(looking);
    note_this_thread();
}

bool has_other_threads() {
    const std::lock_guard lock(looking);
    const std::vector<pid_t> all = os::own_threads();
    return all.empty() || std::any_of(all.begin(), all.end(), counts);
}

bool does_program_sleep() {
    const std::unique_lock lock(looking, std::try_to_lock);
    if (!lock || !is_in(helpers, gettid())) return false;
    bool is_there = false;
    for (const pid_t thread : os::own_threads()) {
        os::ProcessStat stat;
        if (is_in(helpers, thread) || !read_stat_of(thread, stat) || os::has_ended(stat.state))
            continue;
        if (stat.state != 'S' && stat.state != 'D') return false;
        is_there = true;
    }
    return is_there;
}

std::string turns_in(const std::string& schedstat) {
    std::istringstream numbers(schedstat);
    std::string ran;
    std::string waited;
    std::string turns;
    numbers >> ran >> waited >> turns;
    return turns == "0" ? "" : turns;
}

bool do_others_wait_for_this_one() {
    const std::lock_guard lock(looking);
    // Who has had no turn between two looks slept at the end of the first one, and so did all.
    std::map<pid_t, std::string> seen;
    for (const pid_t thread : os::own_threads()) {
        if (!counts(thread)) continue;
        const std::string folder = "/proc/self/task/" + std::to_string(thread);
        std::string turns = turns_of(folder);
        if (turns.empty() || !waits_for_this_process(folder)) {
            waiting.clear();
            return false;
        }
        seen.emplace(thread, std::move(turns));
    }
    const bool is_same = !seen.empty() && seen == waiting;
    waiting = std::move(seen);
    return is_same && !catches_signals();
}

void look_for_program() {
    const std::unique_lock lock(looking, std::try_to_lock);
    if (!lock || is_exiting) return;
    note_this_thread();
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (now - looked_at < kBetweenLooks) return;
    looked_at = now;
    if (!has_main_ended()) return;
    // A program that hands on from thread to thread has another one each time.
    const std::vector<pid_t> seen = os::own_threads();
    const bool is_same = seen == last_seen;
    last_seen = seen;
    if (is_program_left(seen) || !is_same) return;
    // Not by this thread: the exit closes the roads, and waits for it.
    try {
        std::thread([] { std::exit(EXIT_SUCCESS); }).detach();
        is_exiting = true;
    } catch (const std::system_error&) {
        // There is no room for a thread; the next look tries again.
    }
}

}  // namespace isthmus
