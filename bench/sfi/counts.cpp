// Instructions from a routine's entry to the provider's call, and of the whole call with libfabric
// (programs/counts.c under programs/step.cpp), and the paper's figures beside them.
#include <unistd.h>

#include <cstring>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {
namespace {

constexpr const char* kNoStepper =
    "not measured: single steps are read on x86-64 alone, and libfabric 1.17 must have been there "
    "when this was built";

// Samples by case and by what was counted.
struct Samples {
    std::vector<double> before;  // to the provider's call; all of it if there is none
    std::vector<double> whole;   // the library's and libfabric's
};
using Cases = std::map<std::string, Samples>;

Cases step_through(const Run& run, std::string& reason) {
    Cases cases;
    const std::string stepper = run.program(Side::ours, "step");
    if (access(stepper.c_str(), X_OK) != 0) {
        reason = kNoStepper;
        return cases;
    }
    const Finished finished =
        run.job(Side::ours, 2, "counts", {}, {stepper},
                {{"ISTHMUS_TRANSPORT", "ofi"}, {"SHMEM_SYMMETRIC_SIZE", "64M"}});
    if (!finished.succeeded()) {
        reason = finished.last_words();
        return cases;
    }
    for (const Record& record : parse_records(finished.output)) {
        const auto name = record.find("case");
        if (name == record.end()) continue;
        Samples& samples = cases[name->second];
        samples.before.push_back(number(record, "before"));
        samples.whole.push_back(number(record, "own") + number(record, "fabric"));
    }
    return cases;
}

struct Count {
    const char* claim;
    const char* name;  // of the case
    bool whole;
    Must must;
    const char* peer;
    std::optional<double> peer_value;
};

// What a request's seal takes: 383 for libsodium's hash, 21 for its number and the calls around it.
// The peers' requests have none.
constexpr double kSeal = 404;

constexpr const char* kPaper = "SHMEM-SFI (paper)";
constexpr const char* kSandia = "Sandia OpenSHMEM, the layer (published)";
constexpr const char* kSandiaWhole = "Sandia OpenSHMEM on tcp;ofi_rxm (published)";
// By callgrind, the lowest of four runs; single steps count 9506, 4254 and 83045.
constexpr const char* kSandiaMeasured = "Sandia OpenSHMEM 1.5.3 on tcp;ofi_rxm (measured once)";

const Count kCounts[] = {
    {"shmem_int_p to the provider's call", "int_p", false, at_most(16), kPaper, 16},
    {"shmem_quiet, nothing outstanding", "quiet_none", false, at_most(11), kPaper, 11},
    {"shmem_fence, nothing outstanding", "fence_none", false, at_most(11), kSandia, 97},
    {"shmem_int_g to the provider's call", "int_g", false, at_most(40), kSandia, 117},
    {"shmem_long_atomic_fetch_add to the provider's call", "fetch_add", false, at_most(45 + kSeal),
     kSandia, 131},
    {"shmem_putmem 8 B to the provider's call", "putmem8", false, at_most(24), kSandia, 107},
    {"shmem_ctx_int_p to the provider's call", "ctx_int_p", false, at_most(120), "", {}},
    {"shmem_ctx_putmem 8 B to the provider's call", "ctx_putmem8", false, at_most(140), "", {}},
    {"isthmus_put 8 B to the provider's call", "native_put8", false, at_most(16), kPaper, 16},
    {"isthmus_put 8 B through a pointer, to the provider's call",
     "native_put8_called",
     false,
     {},
     "",
     {}},
    {"shared int x[THREADS], x[1] = y, to the provider's call",
     "upc_write",
     false,
     at_most(20),
     "",
     {}},
    {"fence behind it, nothing outstanding", "upc_fence", false, at_most(15), kSandia, 97},
    {"shmem_int_p into static data to the provider's call", "int_p_static", false, {}, "", {}},
    {"shmem_int_p, libfabric included", "int_p", true, at_most(1316), kSandiaWhole, 1316},
    {"shmem_int_g, libfabric included", "int_g", true, at_most(6704), kSandiaWhole, 6704},
    {"shmem_long_atomic_fetch_add, libfabric included", "fetch_add", true, at_most(4018),
     kSandiaWhole, 4018},
    {"shmem_quiet, nothing outstanding, libfabric included", "quiet_none", true, at_most(1500),
     kSandiaWhole, 5141},
    {"shmem_quiet after a put, libfabric included", "quiet_1put", true, at_most(1500), kSandiaWhole,
     5141},
    {"shmem_fence after a put, libfabric included", "fence_1put", true, at_most(5141), kSandiaWhole,
     5141},
    {"shmem_putmem 8 B, libfabric included", "putmem8", true, at_most(1347), kSandiaWhole, 1347},
    {"shmem_getmem 8 B, libfabric included", "getmem8", true, at_most(6927), kSandiaWhole, 6927},
    {"shmem_putmem 4 KB, libfabric included", "putmem4096", true, at_most(3835), kSandiaWhole,
     3835},
    {"shmem_putmem 64 KB, libfabric included", "putmem65536", true, at_most(3805), kSandiaWhole,
     3805},
    {"shmem_putmem 1 MB, libfabric included", "putmem1048576", true, at_most(3908), kSandiaMeasured,
     3908},
    {"shmem_long_atomic_add, libfabric included", "atomic_add", true, at_most(1328 + kSeal),
     kSandiaWhole, 1328},
    {"shmem_putmem_signal 8 B, libfabric included", "put_signal8", true, at_most(7351),
     kSandiaMeasured, 7351},
    {"shmem_long_iput, 64 elements, libfabric included", "iput64", true, at_most(78309),
     kSandiaMeasured, 78309},
};

// What the paper's figures show, and ours beside it. Figure 5 is time: instructions at 1.1 cycles
// each.
struct Bar {
    const char* figure;
    const char* claim;
    const char* name;  // of our case; null: it needs what there is not yet
    const char* system;
    std::optional<double> value;
};
const Bar kBars[] = {
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", kPaper, 16},
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", "MVAPICH2-X (paper)", 402},
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", "GASNet-IBV (paper)", 388},
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", "GASNet-SFI (paper, from its 82 %)", 70},
    {"Fig. 6", "Fig. 6: shmem_quiet", "quiet_none", kPaper, 11},
    {"Fig. 7", "Fig. 7: AMRequestShort", nullptr, "GASNet-SFI (paper)", 106},
    {"Fig. 7", "Fig. 7: wait_syncnbi_put", nullptr, "GASNet-SFI (paper)", 56},
    {"Fig. 8", "Fig. 8: x[1] = y, shared int x[THREADS]", "upc_write", "UPC over SFI (paper)", {}},
    {"Fig. 8", "Fig. 8: upc_fence", "upc_fence", "UPC over SFI (paper)", {}},
};
constexpr double kCyclesPerInstruction = 1.1;
constexpr double kClocks[] = {1.0, 1.8, 2.93};  // GHz

Row row_of(const char* claim, const char* peer, std::optional<double> value) {
    Row row;
    row.claim = claim;
    row.unit = "instructions";
    row.peer = peer;
    row.peer_value = value;
    return row;
}

void fill(Row& row, const std::vector<double>& samples) {
    row.ours = median(samples);
    row.spread = spread_text(samples);
    row.method = "single steps, median of " + std::to_string(samples.size()) + " calls";
}

void add_figures(Run& run, const Cases& cases, const std::string& reason) {
    const auto before = [&](const char* name) -> const std::vector<double>* {
        const auto found = cases.find(name);
        return found == cases.end() ? nullptr : &found->second.before;
    };
    for (const double clock : kClocks) {
        Row row =
            row_of("", "MVAPICH2-X (paper: 402 instructions)", 402 * kCyclesPerInstruction / clock);
        row.claim =
            "Fig. 5: time above the provider, shmem_int_p at " + number_text(clock) + " GHz";
        row.unit = "ns at 1.1 cycles an instruction";
        if (const auto* samples = before("int_p"))
            row.ours = median(*samples) * kCyclesPerInstruction / clock;
        row.reason = reason;
        run.add(row);
    }
    for (const Bar& bar : kBars) {
        Row row = row_of(bar.claim, bar.system, bar.value);
        row.figure = bar.figure;
        row.series = bar.system;
        if (!bar.name)
            row.waits = "active messages, which are not there yet";
        else if (const auto* samples = before(bar.name))
            fill(row, *samples);
        row.claim += std::string(", beside ") + bar.system;
        row.reason = reason;
        run.add(row);
    }
}

}  // namespace

void measure_far_counts(Run& run) {
    if (!run.options().counts) return;
    run.progress("counting instructions by single steps");
    std::string reason;
    const Cases cases = step_through(run, reason);
    for (const Count& count : kCounts) {
        Row row = row_of(count.claim, count.peer, count.peer_value);
        row.must = count.must;
        const auto found = cases.find(count.name);
        if (found != cases.end())
            fill(row, count.whole ? found->second.whole : found->second.before);
        else
            row.reason = reason.empty() ? "the program did not come to it" : reason;
        run.add(row);
    }
    add_figures(run, cases, reason);
}

}  // namespace isthmus::bench
