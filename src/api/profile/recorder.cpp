#include "api/profile/recorder.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/profile/messages.hpp"
#include "api/profile/statistics.hpp"
#include "api/profile/trace.hpp"
#include "api/profile/unseen.hpp"
#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/settings.hpp"

namespace isthmus::profile {

std::atomic<std::uint32_t> recording{0};

namespace {

constexpr std::size_t kEvents = 4096;  // of a thread, before they go to the file: 160 KiB

struct ThreadRecord {
    std::unique_ptr<Tally> tally;
    std::vector<Event> events;
    std::vector<MessageEvent> messages;
    std::vector<Arrow> arrows;
    // Guards these between its thread and the one that ends the program.
    std::mutex guard;
    int thread = 0;  // number in the trace
};

std::mutex setup;  // everything below
Lasting<std::vector<std::unique_ptr<ThreadRecord>>> all_records;
constinit std::vector<std::unique_ptr<ThreadRecord>>& records = *all_records;
Tally* total = nullptr;    // of threads that have ended
int depth = 0;             // calls of init without finalize
std::uint32_t wanted = 0;  // what the settings ask for
bool handlers_installed = false;
int threads_seen = 0;
int exit_status = 0;

thread_local ThreadRecord* current = nullptr;

void write_events(ThreadRecord& thread) {
    const std::lock_guard lock(thread.guard);
    if (!thread.events.empty() || !thread.messages.empty())
        trace_write(thread.thread, thread.events, thread.messages, thread.arrows);
    thread.events.clear();
    thread.messages.clear();
    thread.arrows.clear();
}

// The end of a thread: its counts go to the total, its events to the file. The first thread's goes
// on: behind it come the program's exit handlers.
struct Retirement {
    ThreadRecord* record = nullptr;
    ~Retirement() {
        if (!record || gettid() == getpid()) return;
        const std::lock_guard lock(setup);
        current = nullptr;
        write_events(*record);
        if (record->tally && total) total->add(*record->tally);
        std::erase_if(records, [this](const auto& one) { return one.get() == record; });
    }
};
thread_local Retirement retirement;

ThreadRecord& new_record() {
    const std::lock_guard lock(setup);
    auto record = std::make_unique<ThreadRecord>();
    if (wanted & kCounting) record->tally = std::make_unique<Tally>(pshmem_n_pes());
    if (wanted & kTracing) record->events.reserve(kEvents);
    record->thread = threads_seen++;
    if (wanted & kTracing) trace_name_thread(record->thread);
    current = record.get();
    retirement.record = current;
    records.push_back(std::move(record));
    return *current;
}

// Counts of all threads of this PE.
Tally sum() {
    Tally result(pshmem_n_pes());
    if (total) result.add(*total);
    for (const auto& record : records) {
        if (record->tally) result.add(*record->tally);
    }
    return result;
}

// Collective. The lock is held.
void close(bool exits) {
    recording.store(0, std::memory_order_relaxed);
    depth = 0;
    if (wanted & kTracing) {
        for (const auto& record : records)
            write_events(*record);
        close_arrows();
    }
    if (wanted & kCounting) report_statistics(sum(), exits);
}

// Behind the exit handlers and destructors of the program, which may still finalise; before those
// of the library, which this one needs: the job still stands. Unless the program's own
// shmem_finalize has called pshmem_finalize: then there is nobody to gather the counts from.
__attribute__((destructor)) void write_at_exit() {
    const std::unique_lock lock(setup, std::try_to_lock);
    if (!lock || depth == 0) return;
    int running = 0;
    pshmem_query_initialized(&running);
    if (exit_status == 0 && running != 0) return close(true);
    if (wanted & kTracing) {
        for (const auto& record : records)
            write_events(*record);
    }
    if ((wanted & kCounting) && exit_status == 0 && pshmem_my_pe() == 0)
        say_from("shmem_finalize",
                 "the counts are lost: the program has called pshmem_finalize by itself, and the "
                 "profiling library did not see it");
}

void before_fork() {
    setup.lock();
}
void in_parent() {
    setup.unlock();
}

// A forked child is no PE and has nothing to report.
void in_child() {
    recording.store(0, std::memory_order_relaxed);
    retirement.record = nullptr;
    current = nullptr;
    for (const auto& record : records) {
        record->events.clear();
        record->messages.clear();
        record->arrows.clear();
    }
    depth = 0;
    wanted = 0;
    setup.unlock();
}

void install_handlers() {
    if (handlers_installed) return;
    handlers_installed = true;
    on_exit([](int status, void*) { exit_status = status; }, nullptr);
    pthread_atfork(before_fork, in_parent, in_child);
}

// Collective. The lock is held.
void open(std::uint64_t begin) {
    set_speaker(pshmem_my_pe());
    read_settings();  // the library has reported what is wrong with them
    wanted = 0;
    if (flag(Setting::stats) && open_statistics()) wanted |= kCounting;
    if (const std::string& path = value(Setting::trace).text;
        !path.empty() && trace_open(path, begin))
        wanted |= kTracing;
    if (wanted == 0) return;
    if (pshmem_my_pe() == 0) tell_unseen();
    if (!total && (wanted & kCounting)) total = new Tally(pshmem_n_pes());
    if (wanted & kTracing) open_arrows();
    install_handlers();
    recording.store(wanted, std::memory_order_relaxed);
}

}  // namespace

void record(Index routine, std::uint64_t begin, std::uint64_t bytes, int target) {
    const std::uint64_t end = os::monotonic_nanoseconds();
    ThreadRecord& mine = current ? *current : new_record();
    const std::uint32_t mode = recording.load(std::memory_order_relaxed);
    if ((mode & kCounting) && mine.tally) mine.tally->count(routine, end - begin, bytes, target);
    if (mode & kTracing) {
        bool full = false;
        {
            const std::lock_guard lock(mine.guard);
            mine.events.push_back({begin, end, bytes, target, routine});
            full = mine.events.size() == kEvents;
        }
        if (full) write_events(mine);
    }
}

void before_write(const void* word, int target, std::uint64_t begin) {
    const ThreadRecord& mine = current ? *current : new_record();
    note_write(word, target, mine.thread, begin);
}

void after_wait(const void* words, std::size_t count, std::size_t bytes) {
    const std::uint64_t end = os::monotonic_nanoseconds();
    ThreadRecord& mine = current ? *current : new_record();
    constexpr std::size_t kMost = 256;  // words of a wait that are looked at
    for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
        Arrow arrow{};
        if (!find_arrow(static_cast<const char*>(words) + i * bytes, end, arrow)) continue;
        const std::lock_guard lock(mine.guard);
        mine.arrows.push_back(arrow);
    }
}

void opened(Index routine, std::uint64_t begin) {
    {
        const std::lock_guard lock(setup);
        if (depth++ != 0) return;
        open(begin);
    }
    if (recording.load(std::memory_order_relaxed) != 0) record(routine, begin, 0, -1);
}

void closing() {
    const std::lock_guard lock(setup);
    if (depth > 1)
        --depth;
    else if (depth == 1)
        close(false);
}

void control(int level) {
    const std::lock_guard lock(setup);
    recording.store(level == 0 || depth == 0 ? 0 : wanted, std::memory_order_relaxed);
    if (level < 2 || !(wanted & kTracing)) return;
    for (const auto& record : records)
        write_events(*record);
}

}  // namespace isthmus::profile

using namespace isthmus;
using namespace isthmus::profile;

void isthmus_profile_open() {
    const std::lock_guard lock(setup);
    if (wanted != 0) return;  // shmem_init has
    set_speaker(pshmem_my_pe());
    read_settings();
    const std::string& path = value(Setting::trace).text;
    if (path.empty() || !trace_open(path, os::monotonic_nanoseconds())) return;
    wanted = kTracing;
    install_handlers();
    recording.store(wanted, std::memory_order_relaxed);
}

void isthmus_profile_close() {
    const std::lock_guard lock(setup);
    if ((wanted & kTracing) == 0) return;
    for (const auto& record : records)
        write_events(*record);
    if (depth != 0) return;  // shmem_finalize will
    recording.store(0, std::memory_order_relaxed);
    wanted = 0;
}

int isthmus_profile_thread() {
    if ((recording.load(std::memory_order_relaxed) & kTracing) == 0) return -1;
    return (current ? *current : new_record()).thread;
}

void isthmus_profile_message(const char* what, const char* face, unsigned handler,
                             unsigned long long begin, unsigned long long bytes, int pe,
                             unsigned long long sent, int thread) {
    if ((recording.load(std::memory_order_relaxed) & kTracing) == 0) return;
    const std::uint64_t end = os::monotonic_nanoseconds();
    ThreadRecord& mine = current ? *current : new_record();
    bool full = false;
    {
        const std::lock_guard lock(mine.guard);
        mine.messages.push_back({begin, end, bytes, pe, handler, face, what});
        if (thread >= 0) mine.arrows.push_back({sent, begin + 2, pe, thread});
        full = mine.messages.size() == kEvents;
    }
    if (full) write_events(mine);
}
