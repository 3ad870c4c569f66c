// Instructions from a routine's entry to the provider's call, and of the whole call with libfabric
// (programs/counts.c under programs/step.cpp), and the paper's figures beside them.
#include "harness/statistics.hpp"
#include "sfi/group.hpp"
#include "sfi/steps.hpp"

namespace isthmus::bench {
namespace {

// Which instructions: up to the provider's call, the same less the hash, or all to the return.
enum class Of : unsigned char { before, ours, whole };
struct Count {
    const char* claim;
    const char* name;  // of the case
    Of of;
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

constexpr const char* kGasnetSfi = "GASNet-SFI (paper)";
constexpr const char* kGasnetIbv = "GASNet-IBV (paper)";
// Instructions above libfabric, its poll with them, by callgrind; it is not measured here.
constexpr const char* kGasnet = "GASNet 1.29.3 over tcp;ofi_rxm, its poll with it (measured once)";
constexpr const char* kGasnetWhole = "GASNet 1.29.3 over tcp;ofi_rxm (measured once)";

const Count kCounts[] = {
    {"shmem_int_p to the provider's call", "int_p", Of::before, at_most(16), kPaper, 16},
    {"shmem_quiet, nothing outstanding", "quiet_none", Of::before, at_most(11), kPaper, 11},
    {"shmem_fence, nothing outstanding", "fence_none", Of::before, at_most(11), kSandia, 97},
    {"shmem_int_g to the provider's call", "int_g", Of::before, at_most(40), kSandia, 117},
    {"shmem_long_atomic_fetch_add to the provider's call", "fetch_add", Of::before,
     at_most(45 + kSeal), kSandia, 131},
    {"shmem_putmem 8 B to the provider's call", "putmem8", Of::before, at_most(24), kSandia, 107},
    {"shmem_ctx_int_p to the provider's call", "ctx_int_p", Of::before, at_most(120), "", {}},
    {"shmem_ctx_putmem 8 B to the provider's call",
     "ctx_putmem8",
     Of::before,
     at_most(140),
     "",
     {}},
    {"isthmus_put 8 B to the provider's call", "native_put8", Of::before, at_most(16), kPaper, 16},
    {"isthmus_put 8 B through a pointer, to the provider's call",
     "native_put8_called",
     Of::before,
     {},
     "",
     {}},
    {"shared int x[THREADS], x[1] = y, to the provider's call",
     "upc_write",
     Of::before,
     at_most(20),
     "",
     {}},
    {"fence behind it, nothing outstanding", "upc_fence", Of::before, at_most(15), kSandia, 97},
    {"gasnet_AMRequestShort0 to the provider's call, beside the hash", "am_short0", Of::ours,
     at_most(60), kGasnetSfi, 106},
    {"gasnet_AMRequestMedium0 64 B to the provider's call, beside the hash", "am_medium64",
     Of::ours, at_most(110), kGasnet, 213},
    {"gasnet_put_nbi 8 B to the provider's call", "am_put_nbi", Of::before, at_most(26), kGasnet,
     109},
    {"gasnet_wait_syncnbi_puts, nothing outstanding, to the provider's call", "am_wait_puts",
     Of::before, at_most(16), kGasnetSfi, 56},
    {"gasnet_AMPoll between hosts, nothing there, to the provider's call",
     "am_poll",
     Of::before,
     {},
     kGasnet,
     86},
    {"shmem_int_p into static data to the provider's call", "int_p_static", Of::before, {}, "", {}},
    {"shmem_int_p, libfabric included", "int_p", Of::whole, at_most(1316), kSandiaWhole, 1316},
    {"shmem_int_g, libfabric included", "int_g", Of::whole, at_most(6704), kSandiaWhole, 6704},
    {"shmem_long_atomic_fetch_add, libfabric included", "fetch_add", Of::whole, at_most(4018),
     kSandiaWhole, 4018},
    {"shmem_quiet, nothing outstanding, libfabric included", "quiet_none", Of::whole, at_most(1500),
     kSandiaWhole, 5141},
    {"shmem_quiet after a put, libfabric included", "quiet_1put", Of::whole, at_most(1500),
     kSandiaWhole, 5141},
    {"shmem_fence after a put, libfabric included", "fence_1put", Of::whole, at_most(5141),
     kSandiaWhole, 5141},
    {"shmem_putmem 8 B, libfabric included", "putmem8", Of::whole, at_most(1347), kSandiaWhole,
     1347},
    {"shmem_getmem 8 B, libfabric included", "getmem8", Of::whole, at_most(6927), kSandiaWhole,
     6927},
    {"shmem_putmem 4 KB, libfabric included", "putmem4096", Of::whole, at_most(3835), kSandiaWhole,
     3835},
    {"shmem_putmem 64 KB, libfabric included", "putmem65536", Of::whole, at_most(3805),
     kSandiaWhole, 3805},
    {"shmem_putmem 1 MB, libfabric included", "putmem1048576", Of::whole, at_most(3908),
     kSandiaMeasured, 3908},
    {"shmem_long_atomic_add, libfabric included", "atomic_add", Of::whole, at_most(1328 + kSeal),
     kSandiaWhole, 1328},
    {"shmem_putmem_signal 8 B, libfabric included", "put_signal8", Of::whole, at_most(7351),
     kSandiaMeasured, 7351},
    {"shmem_long_iput, 64 elements, libfabric included", "iput64", Of::whole, at_most(78309),
     kSandiaMeasured, 78309},
};

// What the paper's figures show, and ours beside it. Figure 5 is time: instructions at 1.1 cycles
// each. Of Figure 8 the text has ratios alone.
enum class Part : unsigned char { before, own, whole };
struct Bar {
    const char* figure;
    const char* claim;
    const char* name;  // of our case
    Part part;
    const char* system;
    std::optional<double> value;
};
const Bar kBars[] = {
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", Part::before, kPaper, 16},
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", Part::before, "MVAPICH2-X (paper)", 402},
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", Part::before, kGasnetIbv, 388},
    {"Fig. 6", "Fig. 6: shmem_int_p", "int_p", Part::before, "GASNet-SFI (paper, from its 82 %)",
     70},
    {"Fig. 6", "Fig. 6: shmem_quiet", "quiet_none", Part::before, kPaper, 11},
    {"Fig. 7", "Fig. 7: AMRequestShort", "am_short0", Part::before, kGasnetSfi, 106},
    {"Fig. 7", "Fig. 7: AMRequestShort", "am_short0", Part::before, kGasnetIbv, 345},
    {"Fig. 7", "Fig. 7: AMRequestShort, its poll with it", "am_short0", Part::own, kGasnet, 190},
    {"Fig. 7", "Fig. 7: put_nbi of 8 B", "am_put_nbi", Part::before, kGasnet, 109},
    {"Fig. 7", "Fig. 7: wait_syncnbi_put", "am_wait_puts", Part::before, kGasnetSfi, 56},
    {"Fig. 7", "Fig. 7: wait_syncnbi_put", "am_wait_puts", Part::before, kGasnetIbv, 160},
    {"Fig. 7", "Fig. 7: wait_syncnbi_put", "am_wait_puts", Part::own, kGasnet, 97},
    {"Fig. 8",
     "Fig. 8: x[1] = y, shared int x[THREADS]",
     "upc_write",
     Part::before,
     "UPC over SFI (paper: 80 % below GASNet-IBV's)",
     {}},
    {"Fig. 8",
     "Fig. 8: upc_fence",
     "upc_fence",
     Part::before,
     "UPC over SFI (paper: 50 % below GASNet-IBV's)",
     {}},
    {"Fig. 8",
     "Fig. 8: x[1] = y by gasnet_put_bulk",
     "gasnet_upc_write",
     Part::before,
     "UPC over SFI (paper: 80 % below GASNet-IBV's)",
     {}},
    {"Fig. 8", "Fig. 8: x[1] = y by gasnet_put_bulk, libfabric included", "gasnet_upc_write",
     Part::whole, kGasnetWhole, 5423},
    {"Fig. 8", "Fig. 8: upc_fence by gasnet_wait_syncnbi_all", "gasnet_upc_fence", Part::own,
     kGasnet, 97},
};
// On one host. Many are as many as a host may have; fewer where it must be quick.
constexpr int kMany = 256;
constexpr int kManyQuick = 16;
int many_pes(const Run& run) {
    return run.options().quick ? kManyQuick : kMany;
}
const Environment kOneHost{{"SHMEM_SYMMETRIC_SIZE", "1M"}, {"ISTHMUS_SPIN", "0"}};

constexpr double kCyclesPerInstruction = 1.1;
constexpr double kClocks[] = {1.0, 1.8, 2.93};  // GHz

void add_one_host(Run& run, const Cases& cases, const std::string& reason) {
    const auto find = [&](const char* name) -> const std::vector<double>* {
        const auto found = cases.find(name);
        return found == cases.end() ? nullptr : &found->second.own;
    };
    const auto* const two = find("idle_poll");
    const auto* const many = find("idle_poll_many");
    Row poll =
        row_of("idle poll for messages, " + std::to_string(many_pes(run)) + " PEs of one host",
               "2 PEs", {});
    if (two && many) {
        fill(poll, *many);
        poll.peer_value = median(*two);
        poll.must = equal_to(*poll.peer_value);
    } else {
        poll.reason = reason;
        poll.lacks = "an idle poll was not counted";
    }
    run.add(poll);
    Row strided = row_of("strided message of 64 blocks of 8 B, one host", "shmem_long_iput", {});
    const auto* const message = find("strided64");
    const auto* const put = find("near_iput64");
    if (message && put) {
        fill(strided, *message);
        strided.peer_value = median(*put);
    } else {
        strided.reason = reason;
    }
    run.add(strided);
}

void fill_count(Row& row, const Samples& samples, Of of) {
    if (of == Of::whole) return fill(row, samples.whole, Take::least);
    if (of == Of::before) return fill(row, samples.before);
    std::vector<double> ours = samples.before;
    for (std::size_t i = 0; i < ours.size(); ++i)
        ours[i] -= samples.hash[i];
    fill(row, ours);
    row.method += "; the hash of the seal, libsodium's, " + number_text(median(samples.hash)) +
                  ", libfabric's to the return " + number_text(median(samples.fabric));
}

void add_figures(Run& run, const Cases& cases, const std::string& reason) {
    const auto find = [&](const char* name, Part part) -> const std::vector<double>* {
        const auto found = cases.find(name);
        if (found == cases.end()) return nullptr;
        const Samples& samples = found->second;
        return part == Part::before ? &samples.before
               : part == Part::own  ? &samples.own
                                    : &samples.whole;
    };
    for (const double clock : kClocks) {
        Row row =
            row_of("", "MVAPICH2-X (paper: 402 instructions)", 402 * kCyclesPerInstruction / clock);
        row.claim =
            "Fig. 5: time above the provider, shmem_int_p at " + number_text(clock) + " GHz";
        row.unit = "ns at 1.1 cycles an instruction";
        if (const auto* samples = find("int_p", Part::before))
            row.ours = median(*samples) * kCyclesPerInstruction / clock;
        row.reason = reason;
        run.add(row);
    }
    for (const Bar& bar : kBars) {
        Row row = row_of(bar.claim, bar.system, bar.value);
        row.figure = bar.figure;
        row.series = bar.system;
        if (const auto* samples = find(bar.name, bar.part))
            fill(row, *samples, bar.part == Part::whole ? Take::least : Take::median);
        else
            row.reason = reason;
        row.claim += std::string(", beside ") + bar.system;
        run.add(row);
    }
}

}  // namespace

void measure_far_counts(Run& run) {
    if (!run.options().counts) return;
    run.progress("counting instructions by single steps");
    std::string reason;
    Cases cases;
    for (const char* const program : {"counts", "gasnet_counts"})
        step_through(run, program, 2, kByOfi, cases, reason);
    run.progress("counting instructions on one host");
    step_through(run, "message_counts", 2, kOneHost, cases, reason);
    step_through(run, "message_counts", many_pes(run), kOneHost, cases, reason);
    for (const Count& count : kCounts) {
        Row row = row_of(count.claim, count.peer, count.peer_value);
        row.must = count.must;
        const auto found = cases.find(count.name);
        if (found != cases.end())
            fill_count(row, found->second, count.of);
        else
            row.reason = reason.empty() ? "the program did not come to it" : reason;
        run.add(row);
    }
    add_one_host(run, cases, reason);
    add_figures(run, cases, reason);
}

}  // namespace isthmus::bench
