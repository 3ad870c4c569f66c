#include "core/wait/wait.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "core/job/activity.hpp"
#include "core/job/called_as.hpp"
#include "core/job/departure_word.hpp"
#include "core/job/end_of_program.hpp"
#include "core/job/last_words.hpp"
#include "core/wait/in_handler.hpp"
#include "core/wait/mates.hpp"
#include "core/wait/told.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;
constexpr std::uint64_t kFarPatience = 100 * kMillisecond;  // before a far PE is asked

// Between the polls of a long wait, in nanoseconds: it ends at most 1/256 later than it might have,
// and costs a core ever less. Where calls of the library make progress for others, not too long.
std::uint64_t nap(std::uint64_t waited) {
    const std::uint64_t longest = far::present ? kMillisecond / 2 : 5 * kMillisecond;
    return std::min(waited / 256, longest);
}

// They answer four times a second at most.
void ask_others(StallReports& reports, std::uint64_t now) {
    constexpr int kMost = 256;  // to ask more is no help to a network that may be full
    if (now - reports.asked < 50 * kMillisecond) return;
    reports.asked = now;
    int asked = 0;
    for (int pe = 0; pe < job.pes && asked < kMost; ++pe) {
        if (job.host.test(static_cast<std::size_t>(pe))) continue;
        far::ask_for_report(pe);
        ++asked;
    }
}

// Says it if nobody else has of late. Where there are other hosts their PEs are asked before, and
// the wait goes on meanwhile: what it waits for may come.
void report_if_stalled(const WaitTarget& target, std::uint64_t since, StallReports& reports,
                       std::uint64_t now) {
    constexpr std::uint64_t kAnswers = 600 * kMillisecond;
    const double limit = seconds(Setting::stall_seconds);
    const auto is_due = [&](std::uint64_t last) {
        return static_cast<double>(now - last) >= limit * static_cast<double>(kSecond);
    };
    if (reports.asking == 0) {
        if (limit <= 0 || !is_due(reports.last) || !report_stall) return;
        reports.last = now;
        std::uint64_t last = job.header->stall_reported.load(std::memory_order_relaxed);
        // Another PE may have spoken since `now` was read.
        if (last >= now || !is_due(last) ||
            !job.header->stall_reported.compare_exchange_strong(last, now,
                                                                std::memory_order_relaxed))
            return;
        if (!far::present) return report_stall(target, since, now);
        reports.asking = now;
    }
    if (now - reports.asking < kAnswers) return ask_others(reports, now);
    reports.asking = 0;
    report_stall(target, since, now);
}

// The mistake behind a wait for a PE that has left, if it can be told: an allocation that not all
// PEs have made.
Text missing_call(const WaitTarget& target) {
    if (is_allocation(target.routine))
        return Text("; every PE must call ", routine_name(target.routine));
    return allocations_text(target.peer);
}

// Of a PE of another host what it has last answered tells the lowest bits of; as often as this PE
// where it has not.
std::uint64_t allocations_at(int pe, std::uint64_t mine) {
    if (is_near(pe)) return job.header->pe[pe].allocations.load(std::memory_order_relaxed);
    const std::uint64_t word = far::ask_state(pe);
    if (is_departure(word)) return nearest_count(mine, word >> 48, 16);
    if (!is_activity(word)) return mine;
    return nearest_count(mine, activity_in(word).allocations, Activity::kCountBits);
}

// 0 of one that does not leave, as of one that crashes (core/job/departure_word.hpp); of a far one
// what it has last answered.
std::uint64_t state_of(int pe) {
    return is_near(pe) ? departure_word(job.header->pe[pe]) : far::ask_state(pe);
}

// A thread of it may crash while it leaves, which is then the cause. Whoever has waited in vain may
// do so for a moment more.
bool does_end_otherwise(int pe) {
    constexpr int kTurns = 10;  // of 5 milliseconds
    for (int turn = 0; turn < kTurns; ++turn) {
        if (far::present) far::progress();
        os::sleep_nanoseconds(5 * kMillisecond);
        if (!has_left_before(state_of(pe), job.status())) return true;
    }
    return false;
}

}  // namespace

Text allocations_text(int pe) {
    // Relaxed, both: plain information.
    const std::uint64_t mine = job.status().allocations.load(std::memory_order_relaxed);
    const std::uint64_t theirs = allocations_at(pe, mine);
    if (mine == theirs) return Text();
    return Text("; calls that allocate or free symmetric memory: ", mine, " at PE ", job.me, ", ",
                theirs, " at PE ", pe, "; every PE must make each of them");
}

void require_allocation_of_all(std::string_view routine, std::uint64_t number) {
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) continue;
        const PeStatus& status = job.header->pe[pe];
        // Relaxed: the barrier has made the count known that belongs to it.
        if (status.allocations.load(std::memory_order_relaxed) >= number) [[likely]]
            continue;
        const Routine last = status.routine.load(std::memory_order_relaxed);
        fail(routine, Text("PE ", pe, " has not made this call; its last noted call is ",
                           routine_name(last), allocations_text(pe)));
    }
}

constinit ReportStall* report_stall = nullptr;
constinit LookForDeadMates* look_for_dead_mates = nullptr;
constinit RunsHandler* runs_handler = nullptr;
constinit DescribeRoom* describe_room = nullptr;

void refuse_wait_in_handler(std::string_view routine) {
    fail(routine, "a handler of a message may not wait for another PE's program");
}

namespace {

thread_local Waiter* innermost = nullptr;  // of those that others are told

// By the name of the call that waits, as called_as().
PublishedWait record_of(const WaitTarget& target, std::uint64_t since) {
    const bool is_set = target.condition == Condition::any;
    const auto* const set = is_set ? reinterpret_cast<const WaitSet*>(target.value) : nullptr;
    const Routine noted = job.status().routine.load(std::memory_order_relaxed);
    PublishedWait wait;
    wait.since = since;
    wait.at = place_word(target.address);
    wait.value = is_set ? set->value : target.value;
    wait.routine = waits_as(noted) == target.routine ? noted : target.routine;
    wait.peer = target.peer;
    if (is_set)
        wait.words = static_cast<std::uint32_t>(std::min<std::size_t>(set->size, kOwnValues - 1)) |
                     (set->values ? kOwnValues : 0);
    wait.condition = static_cast<std::uint8_t>(is_set ? set->condition : target.condition);
    wait.width = static_cast<std::uint8_t>(target.width);
    return wait;
}

}  // namespace

Waiter::~Waiter() {
    if (innermost != this) return;
    innermost = outer_;
    tell_wait(outer_ ? record_of(outer_->target_, outer_->since_) : PublishedWait{});
}

void Waiter::begin() {
    // What it waits for may be the handling of a message by this very thread.
    if (target_.what == WaitFor::program && runs_handler && runs_handler())
        refuse_wait_in_handler(called_as(target_.routine));
    since_ = reports_.last = first_step_;
    // Who asks a far PE again and again waits for what it asks about, not for the answer.
    if (innermost && target_.condition == Condition::answer) return;
    if (!tell_wait(record_of(target_, since_))) return;
    outer_ = innermost;
    innermost = this;
}

void Waiter::watch(int peer) {
    if (peer == target_.peer) return;
    target_.peer = peer;
    peer_left_ = false;
    if (innermost == this) tell_wait(record_of(target_, since_));
}

void Waiter::look() {
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (first_step_ == 0) first_step_ = now;
    if (since_ == 0) begin();
    look_around(now);
}

// Yields for the first milliseconds: the peer may only need this core. After that a wait is long,
// and a core that polls is a core that others miss: sleeps between the polls.
void Waiter::step() {
    constexpr std::uint64_t kShort = 10 * kMillisecond;
    if (first_step_ == 0) first_step_ = os::monotonic_nanoseconds();
    if (far::present) far::progress();
    os::yield();
    const std::uint64_t now = os::monotonic_nanoseconds();
    const std::uint64_t waited = now - first_step_;
    // On a loaded machine a yield takes as long as others run: few of them are a long wait.
    if (++steps_ % 64 != 0 && since_ == 0 && waited < kShort) return;
    if (since_ == 0) return begin();
    if (waited < kShort) {
        if (steps_ % 64 == 0) look_around(now);
        return;
    }
    look_around(now);
    os::sleep_nanoseconds(nap(waited));
}

// A PE that leaves comes to nothing else any more: who waits for it would wait for ever. What it
// did before is seen by the poll between the first such look and the second: it lies in memory that
// is mapped here, or the PE has seen that it arrived (far::settle) before it said that it leaves.
void Waiter::look_for_peer(std::uint64_t now) {
    if (target_.peer < 0 || target_.peer == job.me) return;
    std::uint64_t word = 0;
    // A far one is asked also if it would be forgiven: it may be lost.
    if (is_near(target_.peer) || now - since_ > kFarPatience) word = state_of(target_.peer);
    if (!has_left_before(word, job.status()) || target_.what == WaitFor::memory ||
        job.status().departure.load(std::memory_order_relaxed) != Departure::none)
        return;
    if (!peer_left_) {
        peer_left_ = true;
        return;
    }
    if (does_end_otherwise(target_.peer)) return;
    await_reports();
    fail(called_as(target_.routine), Text("waits in vain for PE ", target_.peer, ", which has ",
                                          departure_text(word), missing_call(target_)));
}

namespace {

// Whoever ends the job gives a moment for that.
void write_last_words() {
    static constinit std::atomic<bool> is_written = false;
    if (forked_child || job.header->ended_by.load(std::memory_order_relaxed) == job.me + 1 ||
        is_written.exchange(true, std::memory_order_relaxed))
        return;
    end_of_program.is_told();
    write_standard_output();
}

}  // namespace

void Waiter::look_around(std::uint64_t now) {
    // Acquire: pairs with the releases in end_job and give_last_words; the exit status is then
    // visible.
    const std::uint32_t ended = job.header->ended.load(std::memory_order_acquire);
    if (ended == kEnded) {
        if (!forked_child) end_of_program.is_told();
        follow_end(1);
    }
    forget_old_tests(now);
    if (ended == kTold) write_last_words();
    look_for_peer(now);
    if (look_for_dead_mates && now - since_ >= kSecond) look_for_dead_mates(target_.routine, now);
    report_if_stalled(target_, since_, reports_, now);
}

std::atomic<int> tests_in_vain = 0;

namespace {

// This thread's loop.
struct FailedTests {
    const void* tested = nullptr;
    std::uint64_t since = 0;  // 0: it has none
    std::uint64_t last = 0;   // of `tested`
    std::uint64_t any = 0;    // of any
    StallReports reports;
};
thread_local FailedTests failed;

}  // namespace

void note_failed_test(const WaitTarget& target) {
    const std::uint64_t now = os::monotonic_nanoseconds();
    const bool goes_on = failed.since != 0 && now - failed.any < kSecond;
    failed.any = now;
    // Of words that are tested in turn the first stands for all.
    if (goes_on && failed.tested != target.address && now - failed.last < kSecond)
        return tell_tests_go_on(now);
    failed.last = now;
    if (!goes_on || failed.tested != target.address) {
        if (failed.since == 0) tests_in_vain.fetch_add(1, std::memory_order_relaxed);
        failed.tested = target.address;
        failed.reports = {now, 0, 0};
        failed.since = now;
        return;
    }
    note(target.routine);
    PublishedWait wait = record_of(target, failed.since);
    wait.tested_at = now;
    tell_tests(wait);
    report_if_stalled(target, failed.since, failed.reports, now);
}

// Those of other threads go on.
void forget_failed_tests() {
    if (failed.since == 0) return;
    failed.since = 0;
    tests_in_vain.fetch_sub(1, std::memory_order_relaxed);
    tell_tests({});
}

void forget_failed_tests_of(const void* address) {
    if (failed.tested == address) forget_failed_tests();
}

}  // namespace isthmus
