// Instructions of a call, by callgrind: programs/counts.c puts each call into a function of its
// own (harness/callgrind.hpp).
#include "budgets.hpp"
#include "harness/callgrind.hpp"
#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

// What the total of a probe contains besides the call itself, and is subtracted.
enum class Base : unsigned char {
    inlined,    // probe_inline_empty: the return
    called,     // probe_call_empty less one: the jump to the routine
    broadcast,  // probe_call_empty_broadcast less one: the arguments on the stack and the call
};

// The bound is our budget, if there is one; else the best load/store peer: what Sandia OpenSHMEM on
// XPMEM has published, or what Open MPI's is measured to need here, whichever is less. Peers that
// let the kernel copy (their counts of 4 KB and 64 KB leave the copying out) are no measure.
struct Count {
    const char* claim;
    const char* probe;
    Base base;
    std::optional<double> budget;
    std::optional<double> published;  // by Sandia; what it has not published is measured alone
};
const Count kCounts[] = {
    {"shmem_int_p, inlined", "probe_inline_int_p", Base::inlined, budget("probe_inline_int_p"), 65},
    {"shmem_int_g, inlined", "probe_inline_int_g", Base::inlined, budget("probe_inline_int_p"), 74},
    {"shmem_int_atomic_fetch_add, inlined", "probe_inline_fetch_add", Base::inlined,
     budget("probe_inline_fetch_add"), 89},
    {"shmem_int_p, out of line", "probe_call_int_p", Base::called, budget("probe_call_int_p"), 65},
    {"shmem_int_g, out of line", "probe_call_int_g", Base::called, budget("probe_call_int_p"), 74},
    {"shmem_long_atomic_fetch_add, out of line", "probe_call_fetch_add", Base::called,
     budget("probe_call_fetch_add"), 89},
    {"shmem_long_atomic_add, out of line", "probe_call_atomic_add", Base::called,
     budget("probe_call_fetch_add"), 84},
    {"shmem_putmem 8 B", "probe_call_putmem8", Base::called, budget("probe_call_putmem8"), 65},
    {"shmem_getmem 8 B", "probe_call_getmem8", Base::called, budget("probe_call_putmem8"), 65},
    {"shmem_putmem_nbi 8 B", "probe_call_putmem_nbi8", Base::called, budget("probe_call_putmem8"),
     65},
    {"shmem_putmem 4 KB", "probe_call_putmem4096", Base::called, {}, 463},
    {"shmem_putmem 64 KB", "probe_call_putmem65536", Base::called, {}, 65556},
    {"shmem_quiet, nothing outstanding", "probe_call_quiet_none", Base::called,
     budget("probe_call_quiet_none"), 5},
    {"shmem_quiet after a put", "probe_call_quiet_1put", Base::called,
     budget("probe_call_quiet_none"), 5},
    {"shmem_fence, nothing outstanding", "probe_call_fence_none", Base::called,
     budget("probe_call_fence_none"), 4},
    {"shmem_fence after a put", "probe_call_fence_1put", Base::called,
     budget("probe_call_fence_none"), 4},
    {"shmem_barrier_all, 2 PEs, without the waiting", "probe_call_barrier_all", Base::called,
     budget("probe_call_barrier_all"), 143},
    {"broadcast 8 B at the root", "probe_call_broadcast8", Base::broadcast,
     budget("probe_call_broadcast8"), 240},
    {"broadcast 64 B at the root", "probe_call_broadcast64", Base::broadcast, {}, 239},
    {"broadcast 512 B at the root", "probe_call_broadcast512", Base::broadcast, {}, 302},
    {"broadcast 4 KB at the root", "probe_call_broadcast4096", Base::broadcast, {}, 638},
    {"broadcast 32 KB at the root", "probe_call_broadcast32768", Base::broadcast, {}, {}},
};
constexpr const char* kInlineEmpty = "probe_inline_empty";
constexpr const char* kCallEmpty = "probe_call_empty";
constexpr const char* kBroadcastEmpty = "probe_call_empty_broadcast";

// A call that may wait: the least, when it waited for nobody. Otherwise all calls are alike.
bool may_wait(const Count& row) {
    return row.base == Base::broadcast || std::string_view(row.probe) == "probe_call_barrier_all";
}
double typical(const Count& row, const std::vector<double>& totals) {
    return may_wait(row) ? quantile(totals, 0) : median(totals);
}

std::optional<double> value_of(const ProbeTotals& totals, const Count& row) {
    const char* const base = row.base == Base::inlined  ? kInlineEmpty
                             : row.base == Base::called ? kCallEmpty
                                                        : kBroadcastEmpty;
    const auto found = totals.find(row.probe), empty = totals.find(base);
    if (found == totals.end() || empty == totals.end()) return {};
    const double entry_to_return = row.base == Base::inlined ? 0 : 1;
    return typical(row, found->second) - median(empty->second) + entry_to_return;
}

}  // namespace

void measure_counts(Run& run) {
    if (!run.options().counts) return;
    run.progress("counting instructions with callgrind");
    std::string reason, peer_reason;
    ProbeTotals ours, peer;
    std::vector<std::string> probes{kInlineEmpty, kCallEmpty, kBroadcastEmpty};
    for (const Count& count : kCounts)
        probes.emplace_back(count.probe);
    if (find_program("valgrind").empty()) {
        reason = "not measured: valgrind is not installed (package valgrind; or --no-counts)";
    } else {
        ours = count_probes(run, Side::ours, probes, reason);
        // The peer takes ten times as long.
        if (run.has_peer() && !run.options().quick) {
            run.progress("counting the peer's instructions with callgrind");
            peer = count_probes(run, Side::peer, probes, peer_reason);
        }
    }
    for (const Count& count : kCounts) {
        Row row;
        row.claim = count.claim;
        row.unit = "instructions";
        row.ours = value_of(ours, count);
        row.method =
            std::string("callgrind, ") + (may_wait(count) ? "least" : "median") + " of 10 calls";
        const std::optional<double> measured = value_of(peer, count);
        if (measured) {
            row.peer = Run::peer_name();
            row.peer_value = measured;
            if (count.published)
                row.method += "; Sandia's published count " + number_text(*count.published);
        } else if (count.published) {
            row.peer = "Sandia OpenSHMEM on XPMEM (published)";
            row.peer_value = count.published;
        }
        std::optional<double> bound = count.budget;
        for (const std::optional<double>& other : {count.published, measured}) {
            if (other && (!bound || *other < *bound)) bound = other;
        }
        if (bound) {
            row.must = at_most(*bound);
        } else {
            run.lacks_peer(row, run.options().quick ? "left out by --quick" : peer_reason);
        }
        if (!row.ours) {
            row.reason = reason.empty() ? "callgrind wrote no total for it" : reason;
        } else {
            row.spread = spread_text(ours.find(count.probe)->second) + ", base included";
        }
        run.add(row);
    }
}

}  // namespace isthmus::bench
