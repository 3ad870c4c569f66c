#include "core/session/stall_report.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "core/job/departure_word.hpp"
#include "core/job/heap.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/program_data.hpp"
#include "core/job/road.hpp"
#include "core/job/window.hpp"
#include "core/segments/segment.hpp"
#include "core/session/stall_groups.hpp"

namespace isthmus {
namespace {

// ", watching flag+8" for the user's memory; the library's own says nothing to anybody.
std::string watched(const void* address) {
    const std::string number = hexadecimal(address);
    if (heap.range().contains(address))
        return std::string(", watching ") + number + " " + describe_in_heap(address).c_str();
    if (const Text place = describe_in_segment(address); !place.empty())
        return std::string(", watching ") + number + " in " + place.c_str();
    if (!in_static_data(address)) return "";
    const std::string name = job.data.contains(address)
                                 ? program_variable(address)
                                 : std::string(library_variable(address).c_str());
    return ", watching " + (name.empty() ? number : name);
}

template <typename Word>
std::string value_text(const void* address, bool is_signed) {
    Word word;
    std::memcpy(&word, address, sizeof word);  // it is aligned, or the wait would have been refused
    return is_signed ? std::to_string(static_cast<std::make_signed_t<Word>>(word))
                     : std::to_string(word);
}

std::string value_at(const void* address, int width, bool is_signed) {
    switch (width) {
        case 2: return value_text<std::uint16_t>(address, is_signed);
        case 4: return value_text<std::uint32_t>(address, is_signed);
        default: return value_text<std::uint64_t>(address, is_signed);
    }
}

// Where the word of a PE can be read here; null if it cannot.
const void* seen_here(const void* address, int pe) {
    if (pe == job.me) return address;
    if (!is_near(pe) || !(job.heap.contains(address) || in_static_data(address))) return nullptr;
    return translate(static_cast<const char*>(address), pe);
}

// " (is 0; waits for == 1)"
std::string condition_text(int pe, const PeStatus& status, const void* address) {
    constexpr const char* kNames[] = {"", "==", "!=", ">", "<=", "<", ">="};
    const std::size_t condition = status.waiting_condition.load(std::memory_order_relaxed);
    if (condition == 0 || condition >= std::size(kNames)) return "";
    const auto width =
        static_cast<std::int8_t>(status.waiting_width.load(std::memory_order_relaxed));
    const std::uint64_t wanted = status.waiting_value.load(std::memory_order_relaxed);
    const void* const word = seen_here(address, pe);
    return " (" + (word ? "is " + value_at(word, std::abs(width), width < 0) + "; " : "") +
           "waits for " + kNames[condition] + " " + value_at(&wanted, std::abs(width), width < 0) +
           ")";
}

// What a PE does, as far as this one can see.
Doing look_at(int pe, std::uint64_t now) {
    Doing doing;
    doing.pe = pe;
    doing.rank = Doing::Rank::gone;
    const auto as = [&doing](const std::string& what) {
        doing.what = what;
        return doing;
    };
    if (!job.host.test(static_cast<std::size_t>(pe))) {
        const std::uint64_t word = far::ask_state(pe);
        return as(
            "on host " + host_of(pe) +
            (word == 0 ? std::string() : std::string(", has ") + departure_text(word).c_str()));
    }
    const PeStatus& status = job.header->pe[pe];
    switch (status.state.load(std::memory_order_relaxed)) {
        case PeState::absent: return as("has not started");
        case PeState::loaded: return as("has not called shmem_init");
        case PeState::finalized: return as("has called shmem_finalize or exit");
        case PeState::failed: return as("has failed");
        case PeState::running: break;
    }
    if (status.departure.load(std::memory_order_relaxed) == Departure::exit)
        return as("has exited without shmem_finalize, and waits for the others");
    const char* const routine = routine_name(status.routine.load(std::memory_order_relaxed));
    const std::uint64_t since = status.waiting_since.load(std::memory_order_relaxed);
    doing.rank = Doing::Rank::computing;
    if (since == 0) return as(std::string("computing; last noted call ") + routine);
    doing.waited = now > since ? now - since : 1;
    doing.peer = status.waiting_for.load(std::memory_order_relaxed);
    doing.rank = doing.peer < 0 ? Doing::Rank::awaits_word : Doing::Rank::awaits_pe;
    // As this PE would write it.
    const std::uint64_t place = status.waiting_at.load(std::memory_order_relaxed);
    const auto* const address = reinterpret_cast<const void*>(
        (place & kInStaticData) != 0 ? static_address(place & ~kInStaticData) : place);
    if (const std::string condition = condition_text(pe, status, address); !condition.empty())
        doing.rest = watched(address) + condition;
    return as(std::string("in ") + routine);
}

}  // namespace

void say_stall(const WaitTarget& target, std::uint64_t since, std::uint64_t now) {
    const char* const routine = routine_name(target.routine);
    try {
        std::string report =
            speaker_prefix() + routine + ": no progress for " + seconds_text(now - since);
        if (target.peer >= 0) report += ", waiting for PE " + std::to_string(target.peer);
        report += watched(target.address);
        if (target.condition != Condition::none)
            report += condition_text(job.me, job.status(), target.address);
        report += " (ISTHMUS_STALL_SECONDS)\n";
        std::vector<Doing> others;
        for (int pe = 0; pe < job.pes; ++pe) {
            if (pe != job.me) others.push_back(look_at(pe, now));
        }
        std::vector<Doing> all = others;
        all.push_back(look_at(job.me, now));
        if (const std::string why = why_nobody_ends_this(all); !why.empty())
            report += "isthmus:   " + why + "\n";
        for (const std::string& line : describe_groups(std::move(others)))
            report += "isthmus:   " + line + "\n";
        say(report.c_str());
    } catch (const std::bad_alloc&) {
        say_from(routine, "no progress; the system has no memory for a report that says more");
    }
}

}  // namespace isthmus
