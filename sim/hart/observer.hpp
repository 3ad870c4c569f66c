// What watches a hart. The loop is instantiated once per observer type, so that a hart nobody
// watches pays nothing.
#pragma once

#include <concepts>
#include <cstdint>

#include "sim/hart/hart.hpp"

namespace isthmus::sim {

/// A type that can watch the execution of a hart.
///   kObserves      false: none of the functions below is ever called
///   memory()       a local access has been made: guest address, size in bytes, kind, the value (up
///   to 64 bits) remote()       a remote access is about to leave: Hart::remote has its details
///   retire()       an instruction has completed; false stops the hart with Stop::observer, which
///   is how a timing
///                  model stalls it. For a remote access it comes when the access has been served
///   trap()         the instruction at `pc` did not complete
/// An observer may have holds(block, index): true stops the hart in front of that instruction with
/// Stop::held. It may have retire_at(hart, block, index, next_pc) as well, which is then called
/// instead of retire() for instructions that complete at once: cheaper where decoded state is
/// enough.
template <class T>
concept HartObserver = requires(T& observer, const Hart& hart, const RetireEvent& event,
                                std::uint64_t word, unsigned size, MemoryKind kind,
                                const RemoteRequest& request, const Trap& trap) {
    { T::kObserves } -> std::convertible_to<bool>;
    observer.memory(hart, word, size, kind, word);
    observer.remote(hart, request);
    { observer.retire(hart, event) } -> std::same_as<bool>;
    observer.trap(hart, word, trap);
};

/// Nobody watches: the fast loop.
struct NoObserver {
    static constexpr bool kObserves = false;
    void memory(const Hart&, std::uint64_t, unsigned, MemoryKind, std::uint64_t) {}
    void remote(const Hart&, const RemoteRequest&) {}
    bool retire(const Hart&, const RetireEvent&) { return true; }
    void trap(const Hart&, std::uint64_t, const Trap&) {}
};
static_assert(HartObserver<NoObserver>);

}  // namespace isthmus::sim
