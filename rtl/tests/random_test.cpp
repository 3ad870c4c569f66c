// Random traffic between engines against the golden model.
//   engine_random SCENARIO TRANSACTIONS [START]     (no scenario: lists them)
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "model/golden.hpp"
#include "tests/engine_registers.hpp"

using namespace isthmus::rtl;

namespace {

struct Scenario {
    const char* name;
    unsigned nodes;
    std::uint64_t mask;
    bool compact;
    EngineSettings settings;
    HostBehaviour host;
    NetworkBehaviour network;
    Mix mix;
    bool may_fail;
    unsigned dead;  // nodes that die after half of the transactions, from the last one
};

constexpr HostBehaviour kSlow{.latency = 20,
                              .latency_spread = 60,
                              .hold_command = 90,
                              .hold_credit = 150,
                              .response_pass = 40};
constexpr HostBehaviour kFast{.latency = 4, .latency_spread = 0};
constexpr HostBehaviour kForgets{
    .latency = 20, .latency_spread = 30, .hold_credit = 30, .forget = 1, .forgotten = 9000};

const Scenario kScenarios[] = {
    {"pair", 2, 0, true, {}, kFast, {}, {.hot = 0}, false, 0},
    {"stalls", 4, 0, true, {}, kSlow, {.latency_spread = 40, .gap = 60}, {.issue = 200}, false, 0},
    {"interleaved", 4, 0xc0, true, {}, kSlow, {.latency_spread = 10}, {}, false, 0},
    {"holes", 8, 0x41080, false, {}, kFast, {.latency_spread = 30}, {}, false, 0},
    {"hot",
     16,
     0,
     true,
     {},
     kSlow,
     {.latency_spread = 20},
     {.posted = 5, .read = 80, .issue = 255, .hot = 220},
     false,
     0},
    {"quota",
     4,
     0,
     true,
     {.origin_quota = 5},
     kFast,
     {.latency_spread = 50},
     {.posted = 20, .read = 60, .hot = 100},
     false,
     0},
    {"few-tags", 3, 0, true, {}, kFast, {.latency_spread = 5}, {.issue = 255, .tags = 3}, false, 0},
    {"lossy",
     4,
     0,
     true,
     {.timeout = 4000},
     {.latency = 8, .latency_spread = 20},
     {.latency_spread = 20, .lose = 300, .delay = 100, .delayed = 7000, .damage = 200},
     {.atomic = 6, .flush = 0},
     true,
     0},
    {"forgetful",
     4,
     0,
     true,
     {.timeout = 3000},
     kForgets,
     {.latency_spread = 20},
     {.atomic = 0, .flush = 0},
     true,
     0},
    {"dying", 8, 0, true, {.timeout = 3000}, kFast, {.latency_spread = 20}, {.flush = 1}, true, 2},
    {"everything",
     16,
     0x3c0,
     true,
     {.timeout = 4000, .origin_quota = 60},
     {.latency = 12,
      .latency_spread = 40,
      .hold_command = 40,
      .hold_credit = 60,
      .response_pass = 40},
     {.latency_spread = 30, .gap = 10, .lose = 60, .delay = 60, .delayed = 7000, .damage = 60},
     {.atomic = 6, .flush = 0, .issue = 60},
     true,
     2},
    {"prefetch",
     4,
     0,
     true,
     {.prefetch_lines = 12},
     kSlow,
     {.latency_spread = 40, .gap = 20},
     {.posted = 20, .read = 70, .write = 8, .flush = 1, .issue = 60, .streams = 220},
     false,
     0},
    {"prefetch-lossy",
     16,
     0x3c0,
     true,
     {.timeout = 4000, .prefetch_lines = 24},
     {.latency = 12, .latency_spread = 40, .hold_credit = 40, .response_pass = 40},
     {.latency_spread = 30, .lose = 60, .delay = 60, .delayed = 7000, .damage = 60},
     {.posted = 20, .read = 70, .write = 8, .atomic = 2, .flush = 0, .issue = 60, .streams = 200},
     true,
     2},
    {"sixteen",
     16,
     0x3c0,
     true,
     {},
     {.latency = 12, .latency_spread = 30, .hold_credit = 40},
     {.latency_spread = 30, .gap = 10},
     {.issue = 60},
     false,
     0},
};

int run(const Scenario& s, std::uint64_t transactions, std::uint64_t start) {
    Network network(s.nodes, start);
    const AddressMap map = AddressMap::make(s.nodes, 20, s.mask, s.compact);
    configure(network, map, s.settings);
    network.behaviour = s.network;
    for (unsigned n = 0; n < s.nodes; ++n)
        network.node(n).behaviour = s.host;
    if (const char* file = std::getenv("ENGINE_TRACE")) network.node(0).trace(file);
    Golden golden(network, map, s.settings, start);
    golden.may_fail = s.may_fail;
    const std::uint64_t limit =
        20000 + 4ull * s.settings.timeout + s.host.forgotten + s.network.delayed;
    bool ok = true;
    if (s.dead != 0) {
        ok = golden.run(transactions / 2, s.mix, limit);
        for (unsigned i = 0; i < s.dead; ++i)
            network.dead[s.nodes - 1 - i] = true;
        transactions -= transactions / 2;
    }
    ok = ok && golden.run(transactions, s.mix, limit);
    std::printf(
        "%s: %llu transactions, %llu answers, %llu by copies, %llu by time, %llu packets lost, "
        "%llu "
        "cycles, start %llu: %s\n",
        s.name, static_cast<unsigned long long>(golden.issued),
        static_cast<unsigned long long>(golden.answered),
        static_cast<unsigned long long>(golden.copies),
        static_cast<unsigned long long>(golden.failed_by_time),
        static_cast<unsigned long long>(golden.lost),
        static_cast<unsigned long long>(network.now()), static_cast<unsigned long long>(start),
        ok ? "passed" : golden.error().c_str());
    if (!ok) return 1;
    // No tag may stay taken.
    for (unsigned n = 0; n + s.dead < s.nodes; ++n) {
        const unsigned in_use = network.node(n).read_register(registers::kStatus) >> 1 & 2047;
        if (in_use != 0 && s.dead == 0) {
            std::printf("%s: node %u: %u tags still in use\n", s.name, n, in_use);
            return 1;
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t transactions = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 20000;
    const std::uint64_t start = argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 1;
    for (const Scenario& s : kScenarios) {
        if (argc < 2)
            std::printf("%s\n", s.name);
        else if (std::strcmp(argv[1], s.name) == 0)
            return run(s, transactions, start);
    }
    if (argc < 2) return 0;
    std::fprintf(stderr, "engine_random: no scenario %s; without arguments it lists them\n",
                 argv[1]);
    return 2;
}
