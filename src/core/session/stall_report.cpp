#include "core/session/stall_report.hpp"

#include <cstdio>
#include <new>
#include <string>

#include "base/error.hpp"
#include "core/job/heap.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/program_data.hpp"
#include "core/segments/segment.hpp"

namespace isthmus {
namespace {

std::string seconds_text(std::uint64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(nanoseconds) / 1e9);
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

}  // namespace

void say_stall(const WaitTarget& target, std::uint64_t since, std::uint64_t now) {
    const char* const routine = routine_name(target.routine);
    try {
        std::string report =
            speaker_prefix() + routine + ": no progress for " + seconds_text(now - since);
        if (target.peer >= 0) report += ", waiting for PE " + std::to_string(target.peer);
        report += watched(target.address) + " (ISTHMUS_STALL_SECONDS)\n";
        for (int pe = 0; pe < job.pes; ++pe) {
            if (pe != job.me) report += "isthmus:   " + describe_pe(pe, now) + "\n";
        }
        say(report.c_str());
    } catch (const std::bad_alloc&) {
        say_from(routine, "no progress; the system has no memory for a report that says more");
    }
}

}  // namespace isthmus
