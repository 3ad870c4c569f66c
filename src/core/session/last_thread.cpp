#include "core/session/last_thread.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/os.hpp"
#include "base/process_stat.hpp"

namespace isthmus {
namespace {

std::mutex looking;  // of what follows
std::vector<pid_t> helpers;
std::vector<pid_t> last_seen;
std::uint64_t looked_at = 0;
bool is_exiting = false;

// In the order of their numbers.
std::vector<pid_t> threads() {
    std::vector<pid_t> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
    while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
        if (entry->d_name[0] != '.') found.push_back(static_cast<pid_t>(atoi(entry->d_name)));
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool is_in(const std::vector<pid_t>& all, pid_t thread) {
    return std::find(all.begin(), all.end(), thread) != all.end();
}

// It is listed until the process ends, as one that is waited for.
bool has_main_ended() {
    os::ProcessStat stat;
    const std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/stat";
    return os::read_process_stat(path.c_str(), stat) && stat.state == 'Z';
}

// Under `looking`.
void note_this_thread() {
    static thread_local bool is_known = false;
    if (!is_known) helpers.push_back(gettid());
    is_known = true;
}

bool is_program_left(const std::vector<pid_t>& all) {
    return all.empty() || std::any_of(all.begin(), all.end(), [](pid_t thread) {
               return thread != getpid() && !is_in(helpers, thread);
           });
}

}  // namespace

HelperThreads::HelperThreads() : before_(threads()) {}

HelperThreads::~HelperThreads() {
    const std::lock_guard lock(looking);
    for (const pid_t thread : threads()) {
        if (!is_in(before_, thread) && !is_in(helpers, thread)) helpers.push_back(thread);
    }
}

void note_helper_thread() {
    const std::lock_guard lock(looking);
    note_this_thread();
}

bool has_other_threads() {
    const std::lock_guard lock(looking);
    const std::vector<pid_t> all = threads();
    return all.empty() || std::any_of(all.begin(), all.end(), [](pid_t thread) {
               const bool has_ended = thread == getpid() && has_main_ended();
               return thread != gettid() && !has_ended && !is_in(helpers, thread);
           });
}

void look_for_program() {
    constexpr std::uint64_t kInterval = 1'000'000'000;
    const std::unique_lock lock(looking, std::try_to_lock);
    if (!lock || is_exiting) return;
    note_this_thread();
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (now - looked_at < kInterval) return;
    looked_at = now;
    if (!has_main_ended()) return;
    // A program that hands on from thread to thread has another one each time.
    const std::vector<pid_t> seen = threads();
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
