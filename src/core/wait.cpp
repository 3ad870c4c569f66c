#include "core/wait.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "core/departure.hpp"
#include "core/exchange.hpp"
#include "core/far.hpp"
#include "core/heap.hpp"
#include "core/program_data.hpp"
#include "core/segment.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;
constexpr std::uint64_t kFarPatience = 100 * kMillisecond;  // before a far PE is asked

std::string seconds_text(std::uint64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s",
                  static_cast<double>(nanoseconds) / static_cast<double>(kSecond));
    return text;
}

// ", watching flag+8" for the user's memory; the library's own says nothing to anybody.
std::string watched(const void* address) {
    const std::string number = hexadecimal(address);
    if (heap.range().contains(address))
        return std::string(", watching ") + number + " " + describe_in_heap(address).c_str();
    if (const Text place = describe_in_segment(address); !place.empty())
        return std::string(", watching ") + number + " in " + place.c_str();
    if (job.data.size == 0 || !job.data.contains(address)) return "";
    const std::string name = program_variable(address);
    return ", watching " + (name.empty() ? number : name);
}

// "PE 2: in shmem_barrier_all for 30.0 s, waiting for PE 3"
std::string describe_pe(int pe, std::uint64_t now) {
    if (!job.host.test(static_cast<std::size_t>(pe)))
        return "PE " + std::to_string(pe) + ": on host " + host_of(pe);
    const PeStatus& status = job.header->pe[pe];
    const Routine routine = status.routine.load(std::memory_order_relaxed);
    std::string text = "PE " + std::to_string(pe) + ": ";
    switch (status.state.load(std::memory_order_relaxed)) {
        case PeState::absent: return text + "has not started";
        case PeState::loaded: return text + "has not called shmem_init";
        case PeState::finalized: return text + "has called shmem_finalize or exit";
        case PeState::failed: return text + "has failed";
        case PeState::running: break;
    }
    if (status.departure.load(std::memory_order_relaxed) == Departure::exit)
        return text + "has exited without shmem_finalize, and waits for the others";
    const std::uint64_t since = status.waiting_since.load(std::memory_order_relaxed);
    if (since == 0) return text + "computing; last noted call " + routine_name(routine);
    text += std::string("in ") + routine_name(routine) + " for " +
            seconds_text(now > since ? now - since : 0);
    const int peer = status.waiting_for.load(std::memory_order_relaxed);
    return peer < 0 ? text : text + ", waiting for PE " + std::to_string(peer);
}

// Between the polls of a long wait, in nanoseconds: it ends at most 1/256 later than it might have,
// and costs a core ever less. Where calls of the library make progress for others, not too long.
std::uint64_t nap(std::uint64_t waited) {
    const std::uint64_t longest = far::present ? kMillisecond / 2 : 5 * kMillisecond;
    return std::min(waited / 256, longest);
}

}  // namespace

Waiter::~Waiter() {
    if (since_ != 0) job.status().waiting_since.store(0, std::memory_order_relaxed);
}

void Waiter::begin(std::uint64_t now) {
    since_ = reported_ = now;
    PeStatus& status = job.status();
    status.waiting_for.store(target_.peer, std::memory_order_relaxed);
    status.waiting_at.store(reinterpret_cast<std::uint64_t>(target_.address),
                            std::memory_order_relaxed);
    status.waiting_since.store(now, std::memory_order_relaxed);
}

void Waiter::look() {
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (since_ == 0) begin(now);
    look_around(now);
}

// Yields for the first milliseconds: the peer may only need this core. After that a wait is long,
// and a core that polls is a core that others miss: sleeps between the polls.
void Waiter::step() {
    if (far::present) far::progress();
    os::yield();
    if (++steps_ % 64 != 0 && since_ == 0) return;
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (since_ == 0) return begin(now);
    const std::uint64_t waited = now - since_;
    if (waited < 10 * kMillisecond) {
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
    if (is_near(target_.peer))
        word = departure_word(job.header->pe[target_.peer]);
    else if (now - since_ > kFarPatience)
        word = far::ask_state(target_.peer);  // also of one that it would forgive: it may be lost
    if (word == 0 || target_.what == WaitFor::memory ||
        job.status().departure.load(std::memory_order_relaxed) != Departure::none)
        return;
    if (!peer_left_) {
        peer_left_ = true;
        return;
    }
    fail(routine_name(target_.routine),
         Text("waits in vain for PE ", target_.peer, ", which has ", departure_text(word)));
}

void Waiter::look_around(std::uint64_t now) {
    // Acquire: pairs with the release in end_job; the exit status is then visible.
    if (job.header->ended.load(std::memory_order_acquire) == kEnded) end_job(1);
    look_for_peer(now);
    const double limit = seconds(Setting::stall_seconds);
    if (limit <= 0 || static_cast<double>(now - reported_) < limit * static_cast<double>(kSecond))
        return;
    reported_ = now;
    std::uint64_t last = job.header->stall_reported.load(std::memory_order_relaxed);
    // Another PE may have spoken since `now` was read.
    if (last >= now || static_cast<double>(now - last) < limit * static_cast<double>(kSecond) ||
        !job.header->stall_reported.compare_exchange_strong(last, now, std::memory_order_relaxed))
        return;
    const char* const routine = routine_name(target_.routine);
    try {
        std::string report =
            speaker_prefix() + routine + ": no progress for " + seconds_text(now - since_);
        if (target_.peer >= 0) report += ", waiting for PE " + std::to_string(target_.peer);
        report += watched(target_.address) + " (ISTHMUS_STALL_SECONDS)\n";
        for (int pe = 0; pe < job.pes; ++pe) {
            if (pe != job.me) report += "isthmus:   " + describe_pe(pe, now) + "\n";
        }
        say(report.c_str());
    } catch (const std::bad_alloc&) {
        say_from(routine, "no progress; the system has no memory for a report that says more");
    }
}

}  // namespace isthmus
