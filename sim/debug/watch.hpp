// The debugger's watchpoints: an observer that stops a hart behind an access to watched bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "sim/hart/observer.hpp"

namespace isthmus::sim {

/// Bytes that are watched, at this address of every node.
struct Watch {
    enum class Kind : std::uint8_t { write = 2, read = 3, access = 4 };  // as in Z2, Z3, Z4
    Kind kind;
    std::uint64_t address, size;
    bool operator==(const Watch&) const = default;
};

/// A watched access. A remote one happens on the node that `name_space` leads to from `hart`'s.
struct WatchHit {
    Watch watch{};
    const Hart* hart = nullptr;
    bool remote = false;
    std::uint64_t name_space = 0;
    static constexpr std::uint64_t kThisInstruction = ~std::uint64_t{0};
    std::uint64_t pc = kThisInstruction;
    bool done = false;  // it has completed; until then it may still trap
};

/// Sees what instructions do, remote ones of any node included; not what system calls and the RDMA
/// NIC write.
class WatchObserver {
  public:
    static constexpr bool kObserves = true;

    explicit WatchObserver(const std::vector<Watch>& watches) : watches_(&watches) {}

    /// Takes the accesses that have completed, in their order.
    std::vector<WatchHit> take() {
        std::vector<WatchHit> taken;
        std::copy_if(hits_.begin(), hits_.end(), std::back_inserter(taken),
                     [](const WatchHit& hit) { return hit.done; });
        std::erase_if(hits_, [](const WatchHit& hit) { return hit.done; });
        return taken;
    }

    void memory(const Hart& hart, std::uint64_t address, unsigned size, MemoryKind kind,
                std::uint64_t) {
        note({.hart = &hart}, address, size, kind != MemoryKind::store, kind != MemoryKind::load);
    }
    void remote(const Hart& hart, const RemoteRequest& request) {
        using Kind = RemoteRequest::Kind;
        const Kind kind = request.kind;
        const bool bulk = kind == Kind::bulk_load || kind == Kind::bulk_store;
        const std::uint64_t size = request.size * (bulk ? request.count : 1);
        const bool reads = kind != Kind::store && kind != Kind::bulk_store;
        const bool writes =
            kind != Kind::load && kind != Kind::load_reserved && kind != Kind::bulk_load;
        note({.hart = &hart, .remote = true, .name_space = request.name_space, .pc = request.pc},
             request.address, size, reads, writes);
        if (bulk)
            note({.hart = &hart, .pc = request.pc}, request.local, size, kind == Kind::bulk_store,
                 kind == Kind::bulk_load);
    }
    bool retire(const Hart& hart, const RetireEvent& event) {
        bool any = false;
        for (WatchHit& hit : hits_) {
            if (hit.hart == &hart && !hit.done) {
                if (hit.pc == WatchHit::kThisInstruction) hit.pc = event.pc;
                hit.done = hit.pc == event.pc;
            }
            any |= hit.done;
        }
        // A remote access that trapped when it was served never retires.
        std::erase_if(hits_, [&](const WatchHit& hit) { return hit.hart == &hart && !hit.done; });
        return !any;
    }
    void trap(const Hart& hart, std::uint64_t, const Trap&) {
        std::erase_if(hits_, [&](const WatchHit& hit) { return hit.hart == &hart && !hit.done; });
    }

  private:
    void note(WatchHit hit, std::uint64_t address, std::uint64_t size, bool reads, bool writes) {
        for (const Watch& watch : *watches_) {
            const bool meets = address < watch.address ? watch.address - address < size
                                                       : address - watch.address < watch.size;
            const bool matters = (writes && watch.kind != Watch::Kind::read) ||
                                 (reads && watch.kind != Watch::Kind::write);
            if (!meets || !matters) continue;
            hit.watch = watch;
            hits_.push_back(hit);
        }
    }

    const std::vector<Watch>* watches_;
    std::vector<WatchHit> hits_;
};
static_assert(HartObserver<WatchObserver>);

}  // namespace isthmus::sim
