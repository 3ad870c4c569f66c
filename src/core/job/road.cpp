#include "core/job/road.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/text.hpp"
#include "core/job/job.hpp"
#include "core/job/on_road.hpp"

namespace isthmus::far {

bool present = false;
bool served_by_calls = false;
bool marks_calls = false;
transport::Transport* road = nullptr;
transport::Transport* quick_road = nullptr;

namespace {

__thread bool serving = false;
// Volatile: handlers of signals look at it.
__thread const char* volatile called = nullptr;
// How many marks this thread has; those that wait are counted.
__thread volatile int marks = 0;
// Threads that have any, and who was the last to get one. Relaxed: for the report of a fault.
std::atomic<int> threads_marked = 0;
std::atomic<pthread_t> last_marked{};

}  // namespace

void OnRoad::enter(const char* routine) {
    if (!routine) routine = routine_name(job.status().routine.load(std::memory_order_relaxed));
    before_ = called;
    if (before_)
        fail(routine, Text("called within ", before_,
                           " by the same thread: a handler of a signal may not call the library "
                           "where it may have interrupted a call"));
    if (marks == 0) {
        threads_marked.fetch_add(1, std::memory_order_relaxed);
        last_marked.store(pthread_self(), std::memory_order_relaxed);
    }
    marks = marks + 1;
    called = routine;
    entered_ = true;
}
void OnRoad::leave() const {
    called = before_;
    marks = marks - 1;
    if (marks == 0) threads_marked.fetch_sub(1, std::memory_order_relaxed);
}
bool is_marked() {
    return marks != 0;
}
bool find_only_thread_on_road(pthread_t& thread) {
    thread = last_marked.load(std::memory_order_relaxed);
    return threads_marked.load(std::memory_order_relaxed) == 1;
}
OffRoad::OffRoad() : before_(called) {
    called = nullptr;
}
OffRoad::~OffRoad() {
    called = before_;
}
OffRoad::Back::Back(const char* routine) {
    called = routine;
}
OffRoad::Back::~Back() {
    called = nullptr;
}

Serving::Serving() {
    serving = true;
}

Serving::~Serving() {
    serving = false;
}

namespace {

[[gnu::cold, gnu::noinline]] void progress_on_road() {
    const OnRoad on_road;
    road->progress();
}

}  // namespace

void progress() {
    if (quick_road && !serving) return quick_road->progress();
    if (road && !serving) progress_on_road();
}

void progress_beneath() {
    if (road && !serving) road->progress();
}

void progress_by_call() {
    thread_local std::uint32_t calls = 0;
    if (++calls % 16 == 0 && marks == 0) progress();
}

namespace {

// What is waited for rings, but for what another thread found just before. Where many PEs share a
// processor, who wakes in vain takes the turn of one that has something to do.
std::uint64_t longest_sleep() {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    constexpr std::uint64_t kPesPerMillisecond = 4;
    constexpr std::uint64_t kMost = 10;
    const int processors =
        job.launched ? static_cast<int>(job.header->processors) : os::usable_processors();
    const std::uint64_t pes =
        job.host.count() / static_cast<std::uint64_t>(std::max(processors, 1));
    return std::clamp<std::uint64_t>(pes / kPesPerMillisecond, 1, kMost) * kMillisecond;
}

}  // namespace

bool sleep() {
    static const std::uint64_t longest = longest_sleep();
    return road && !serving && road->sleep(longest);
}

std::uint64_t ask_state(int pe) {
    return road ? road->ask_state(pe, transport::Asking::life) : 0;
}
std::uint64_t ask_for_report(int pe) {
    return road ? road->ask_state(pe, transport::Asking::report) : 0;
}

}  // namespace isthmus::far
