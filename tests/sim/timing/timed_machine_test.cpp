// Programs in time: the functional machine's own test program, run by the timing model.
#include "sim/timing/timed_machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/hart/bare_metal.hpp"
#include "sim/linux/process.hpp"
#include "sim/report/report.hpp"

namespace isthmus::sim {
namespace {

/// A program compiled for static Linux RISC-V; the file lives as long as the object.
class Compiled {
  public:
    static Compiled file(const std::string& source, const std::string& flags = "") {
        return Compiled(source, "", flags);
    }
    static Compiled text(const std::string& text, const std::string& flags = "") {
        return Compiled("", text, flags);
    }
    ~Compiled() { std::filesystem::remove_all(directory_); }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;
    std::string path() const { return directory_ + "/program"; }

  private:
    Compiled(std::string source, const std::string& text, const std::string& flags) {
        char pattern[] = "/tmp/isthmus-timed-XXXXXX";
        directory_ = mkdtemp(pattern);
        if (source.empty()) {
            source = directory_ + "/program.c";
            std::ofstream(source) << text;
        }
        const std::string command = std::string(ISTHMUS_TEST_GCC) +
                                    " -O2 -static -I" ISTHMUS_TEST_INCLUDE " " + flags + " -o " +
                                    path() + " " + source;
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }

    std::string directory_;
};

std::string every_instruction() {
    return std::string(ISTHMUS_SOURCE_DIR) + "/tests/sim/programs/xbgas_all.c";
}

struct Outcome {
    bool ended;
    int exit_code;
    std::string report;
    std::uint64_t remote_operations;
};

Outcome run_timed(const std::string& path, std::uint64_t width, Profile profile, unsigned threads,
                  const Boot& boot = boot_linux, std::uint64_t remote_loads = 1) {
    MachineDescription m = table3();
    m.core.remote_loads = remote_loads;
    m.mesh.width = width;
    m.mesh.height = 1;
    MachineOptions options;
    options.nodes = static_cast<unsigned>(width);
    options.profile = profile;
    options.arguments = {"program"};
    Machine functional(Program::load(path), options, boot);
    TimedMachine timed(functional, m, threads);
    Outcome outcome{};
    outcome.ended = timed.run(200'000'000);
    outcome.exit_code = functional.exit_code();
    outcome.report = report(timed.simulator()).dump();
    for (const auto& node : timed.simulator().nodes()) {
        for (std::uint64_t n : node->nic().statistics().operations)
            outcome.remote_operations += n;
    }
    return outcome;
}

#define NEEDS_COMPILER() \
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed"

// Every xBGAS instruction between nodes, each result checked by the program itself: values travel
// through the simulated NICs and network and must be the same as without time.
TEST(TimedMachine, EveryXbgasInstructionGivesItsValue) {
    NEEDS_COMPILER();
    for (Profile profile : {Profile::b, Profile::a}) {
        const Compiled program =
            Compiled::file(every_instruction(), profile == Profile::a ? "-DXBGAS_PROFILE_A" : "");
        for (std::uint64_t nodes : {1, 3}) {
            const Outcome one = run_timed(program.path(), nodes, profile, 1);
            EXPECT_TRUE(one.ended);
            EXPECT_EQ(one.exit_code, 0);
            EXPECT_GT(one.remote_operations, 100u);
            const Outcome overlapping = run_timed(program.path(), nodes, profile, 1, boot_linux, 8);
            EXPECT_TRUE(overlapping.ended);
            EXPECT_EQ(overlapping.exit_code, 0);
        }
    }
}

TEST(TimedMachine, EqualForAnyNumberOfThreads) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::file(every_instruction());
    const Outcome one = run_timed(program.path(), 3, Profile::b, 1);
    const Outcome two = run_timed(program.path(), 3, Profile::b, 2);
    EXPECT_TRUE(two.ended);
    EXPECT_EQ(one.report, two.report);
}

// A program that measures itself with the clock sees simulated time: a dependent chain of remote
// loads.
// A core issues at most one instruction in a cycle, and what it does not use is booked once.
TEST(TimedMachine, InstructionsAndStallsFitIntoTheCycles) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::file(every_instruction());
    const auto ran = nlohmann::json::parse(run_timed(program.path(), 4, Profile::b, 1).report);
    const auto cycles = ran["cycles"].get<std::uint64_t>();
    for (const auto& node : ran["nodes"]) {
        auto booked = node["instructions"].get<std::uint64_t>();
        for (const auto& stall : node["stalls"])
            booked += stall.get<std::uint64_t>();
        EXPECT_LE(booked, cycles);
        EXPECT_GT(booked, cycles / 2);
    }
}

TEST(TimedMachine, ProgramsSeeSimulatedTime) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::text(R"(
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <xbgas.h>
static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
int main(void) {
    uint64_t me, shared;
    __asm__ volatile(".insn i 0x7b, 6, %0, x10, 0" : "=r"(me));
    __asm__ volatile(".insn i 0x7b, 6, %0, x13, 0" : "=r"(shared));
    if (me != 0) return 0;
    volatile uint64_t* cell = (volatile uint64_t*)shared;
    uint64_t sum = xbgas_erld(2, (void*)cell);
    const uint64_t start = now();
    for (int i = 0; i < 1000; ++i) sum += xbgas_erld(2, (void*)cell);
    const uint64_t each = (now() - start) / 1000;
    // About 110 cycles at 2 GHz: NIC, one hop, directory, memory row hit and back.
    return sum == 0 && each >= 40 && each <= 120 ? 0 : 1 + (int)(each & 63);
}
)");
    const Outcome outcome = run_timed(program.path(), 2, Profile::b, 1);
    EXPECT_TRUE(outcome.ended);
    EXPECT_EQ(outcome.exit_code, 0);
}

TEST(TimedMachine, WorkAndSleepTakeTheirTime) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::text(R"(
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <xbgas.h>
static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static volatile int alarms;
static void count(int number) { alarms += number == SIGALRM; }
int main(void) {
    if (XBGAS_READ_E(10) == 1) { /* busy while the other sleeps */
        for (volatile long i = 0; i < 300000; ++i) {}
        return 0;
    }
    /* Three dependent instructions a turn, at 2 GHz. */
    const uint64_t begin = now();
    for (long i = 0; i < 100000; ++i) __asm__ volatile("addi %0, %0, 0" : "+r"(i));
    const uint64_t busy = now() - begin;
    if (busy < 145000 || busy > 165000) return 3;
    unsigned long first, last, value = 1ul << 40;
    __asm__ volatile("rdcycle %0" : "=r"(first));
    for (int i = 0; i < 100; ++i) __asm__ volatile("divu %0, %0, %1" : "+r"(value) : "r"(1ul));
    __asm__ volatile("rdcycle %0" : "=r"(last));
    if (last - first < 3100 || last - first > 3600) return 4;
    const uint64_t start = now();
    usleep(1500);
    const uint64_t slept = now() - start;
    if (slept < 1500000 || slept > 1510000) return 1;
    signal(SIGALRM, count);
    struct itimerval timer = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &timer, NULL);
    while (alarms < 5) pause();
    const uint64_t all = now() - start - slept;
    return all < 1000000 || all > 1010000 ? 2 : 0;
}
)");
    MachineDescription m = table3();
    m.mesh.width = 2;
    m.mesh.height = 1;
    MachineOptions options;
    options.nodes = 2;
    options.arguments = {"program"};
    Machine functional(Program::load(program.path()), options, boot_linux);
    TimedMachine timed(functional, m, 1);
    ASSERT_TRUE(timed.run(200'000'000));
    EXPECT_EQ(functional.exit_code(), 0);
    EXPECT_GE(timed.simulator().now(), 2'650'000 * m.core.clock_mhz / 1000);
    EXPECT_LE(timed.simulator().now(), 2'690'000 * m.core.clock_mhz / 1000);
}

// What a node did does not depend on time: transfers of nothing and posted operations included.
TEST(TimedMachine, CountsWhatIsCountedWithoutTime) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::text(R"(
#include <stdint.h>
#include <xbgas.h>
int main(void) {
    char* const shared = (char*)XBGAS_READ_E(13);
    static long from[16];
    if (XBGAS_READ_E(10) != 0) return 0;
    xbgas_ebsd(from, 2, shared, 16);
    /* Nothing, and nobody waits for it. */
    __asm__ volatile("mv t6, %0\n\t.insn i 0x7b, 5, x31, %1, 0\n\t"
                     ".insn r4 0x5b, 3, 2, x0, %2, t6, %3" ::"r"(shared), "r"(2l), "r"(from), "r"(0l)
                     : "t6", "memory");
    xbgas_ebld(from, 2, shared, 5);
    xbgas_ersd(2, shared, 1);
    xbgas_eamoadd_d(2, shared, 1);
    xbgas_fence();
    return (int)xbgas_erld(2, shared) - 2;
}
)");
    MachineDescription m = table3();
    m.mesh.width = 2;
    m.mesh.height = 1;
    MachineOptions options;
    options.nodes = 2;
    options.arguments = {"program"};
    Machine timeless(Program::load(program.path()), options, boot_linux);
    ASSERT_TRUE(timeless.run());
    Machine functional(Program::load(program.path()), options, boot_linux);
    TimedMachine timed(functional, m, 1);
    ASSERT_TRUE(timed.run(200'000'000));
    EXPECT_EQ(timeless.exit_code(), 0);
    EXPECT_EQ(functional.exit_code(), 0);
    const NodeCounters &a = timeless.nodes()[0]->counters, &b = functional.nodes()[0]->counters;
    EXPECT_EQ(a.bulk_transfers, 3u);
    EXPECT_EQ(a.remote_loads, b.remote_loads);
    EXPECT_EQ(a.remote_stores, b.remote_stores);
    EXPECT_EQ(a.remote_atomics, b.remote_atomics);
    EXPECT_EQ(a.bulk_transfers, b.bulk_transfers);
    EXPECT_EQ(a.remote_bytes, b.remote_bytes);
}

// The paper's way to wait for a bulk transfer. Memory is looked at as soon as the CSR lets it.
TEST(TimedMachine, AProgramCanPollForItsBulkTransfers) {
    NEEDS_COMPILER();
    const std::string program = R"(
__asm__(".globl _start, tohost\n"
        "_start:\n"
        "   csrr t1, 0xca0\n"
        "   li t2, 1\n"
        "   beqz t1, end\n"
        "   la a0, to\n"
        "   la a1, from\n"
        "   li t0, 2\n"
        "   .insn i 0x7b, 5, x11, t0, 0\n"
        "   li a2, 512\n"
        "   .insn r4 0x5b, 2, 3, x0, a0, a1, a2\n"  /* eblw x0, a0, {2, a1}, a2 */
        "   csrr t1, 0xca0\n"
        "   li t2, 2\n"
        "   bnez t1, end\n"
        "1: csrr t1, 0xca0\n"
        "   beqz t1, 1b\n"
        "   lw t3, 511 * 4(a0)\n"
        "   li t2, 3\n"
        "   li t4, 7\n"
        "   bne t3, t4, end\n"
        "   li t2, 0\n"
        "end:slli t2, t2, 1\n"
        "   ori t2, t2, 1\n"
        "   la t3, tohost\n"
        "   sw t2, 0(t3)\n"
        "2: j 2b\n"
        ".data\n.balign 8\n"
        "from: .rept 512\n .4byte 7\n .endr\n"
        "to: .zero 2048\n"
        "tohost: .8byte 0\n");
)";
    for (const char* width : {"-march=rv64gc -mabi=lp64d", "-march=rv32gc -mabi=ilp32d"}) {
        const Compiled built = Compiled::text(
            program, std::string(width) + " -nostdlib -Wl,-Ttext-segment=0x80000000");
        const Outcome outcome = run_timed(built.path(), 2, Profile::b, 1, boot_bare_metal);
        EXPECT_TRUE(outcome.ended) << width;
        EXPECT_EQ(outcome.exit_code, 0) << width;
    }
}

// A flag that is set by an atomic with rl comes behind what was posted before it. One with aq holds
// what follows: without it the clock would be read before the atomic has been to the other node.
TEST(TimedMachine, RemoteAtomicsKeepTheirOrder) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::text(R"(
#include <stdint.h>
#include <xbgas.h>
static volatile long from[400];
/* eamoswap.d into x0 with the suffix's bits. */
#define SWAP(bits, ns, at)                                           \
    __asm__ volatile("mv t6, %0\n\t.insn i 0x7b, 5, x31, %1, 0\n\t"  \
                     ".insn r 0x6b, 3, " #bits ", x0, x31, %2" ::"r"(at), "r"(ns), "r"(1l) : "t6", "memory")
static long cycles(void) {
    long now;
    __asm__ volatile("rdcycle %0" : "=r"(now)::"memory");
    return now;
}
int main(void) {
    volatile long* const flag = (long*)XBGAS_READ_E(13);
    long* const to = (long*)flag + 64;
    if (XBGAS_READ_E(10) == 1) {
        while (*flag == 0) {}
        return to[399] == 1399 ? 0 : 1;
    }
    if (XBGAS_READ_E(10) != 0) return 0;
    for (long i = 0; i < 400; ++i) from[i] = 1000 + i;
    __asm__ volatile("mv t6, %0\n\t.insn i 0x7b, 5, x31, %1, 0\n\t"
                     ".insn r4 0x5b, 3, 2, x0, %2, t6, %3" ::"r"(to), "r"(2l), "r"(from), "r"(400l)
                     : "t6", "memory");
    SWAP(1, 2l, flag);
    long took[3];
    SWAP(0, 3l, flag);
    xbgas_fence();
    for (int i = 0; i < 3; ++i) { /* the first round warms the caches */
        const long begin = cycles();
        if (i == 2)
            SWAP(2, 3l, flag);
        else
            SWAP(0, 3l, flag);
        took[i] = cycles() - begin;
        xbgas_fence();
    }
    return took[1] < 20 && took[2] > 60 ? 0 : 2;
}
)");
    const Outcome outcome = run_timed(program.path(), 3, Profile::b, 1);
    EXPECT_TRUE(outcome.ended);
    EXPECT_EQ(outcome.exit_code, 0);
    const auto stalls = nlohmann::json::parse(outcome.report)["nodes"][0]["stalls"];
    EXPECT_GT(stalls["fence"].get<std::uint64_t>(), 800u) << "3200 bytes behind 4-byte flits";
}

/// What node 0 left in the first words of the shared region.
std::vector<std::int64_t> words_of(const std::string& path, std::uint64_t nodes,
                                   const std::vector<std::string>& settings, std::size_t count) {
    MachineDescription m = table3();
    m.mesh.width = nodes;
    m.mesh.height = 1;
    for (const std::string& setting : settings)
        set_parameter(m, setting);
    MachineOptions options;
    options.nodes = static_cast<unsigned>(nodes);
    options.arguments = {"program"};
    Machine functional(Program::load(path), options, boot_linux);
    TimedMachine timed(functional, m, 1);
    EXPECT_TRUE(timed.run(200'000'000));
    EXPECT_EQ(functional.exit_code(), 0);
    std::vector<std::int64_t> words(count);
    EXPECT_TRUE(functional.nodes()[0]->memory.read(kLinuxSharedBase, words.data(), 8 * count));
    return words;
}

constexpr const char* kMeasuring = R"(
#include <stdint.h>
#include <xbgas.h>
static long cycles(void) {
    long now;
    __asm__ volatile("rdcycle %0" : "=r"(now)::"memory");
    return now;
}
)";

// Independent loads take one latency with a scoreboard and their sum without. Each register has its
// value when it is used, whatever is done meanwhile.
TEST(TimedMachine, RemoteLoadsOverlap) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::text(std::string(kMeasuring) + R"(
int main(void) {
    long* const shared = (long*)XBGAS_READ_E(13);
    if (XBGAS_READ_E(10) == 1) {
        for (long i = 0; i < 8; ++i) shared[100 + 16 * i] = 1000 + i;
        xbgas_ersd(1, shared + 50, 1);
        xbgas_fence();
        return 0;
    }
    while (*(volatile long*)(shared + 50) == 0) {}
    long sum = 0;
    for (int round = 0; round < 2; ++round) { /* the second one is warm */
        const long begin = cycles();
        __asm__ volatile(".insn i 0x7b, 5, x31, %[ns], 0\n\t"
                         ".insn r 0x33, 3, 0x55, a2, %[a0], x31\n\t"
                         ".insn r 0x33, 3, 0x55, a3, %[a1], x31\n\t"
                         ".insn r 0x33, 3, 0x55, a4, %[a2], x31\n\t"
                         ".insn r 0x33, 3, 0x55, a5, %[a3], x31\n\t"
                         "li %[sum], 0\n\t"
                         "slli a5, a5, 1\n\t"
                         "add %[sum], %[sum], a2\n\t"
                         "add %[sum], %[sum], a3\n\t"
                         "add %[sum], %[sum], a4\n\t"
                         "add %[sum], %[sum], a5\n\t"
                         "li a2, 5\n\t"
                         ".insn r 0x33, 3, 0x55, a2, %[a0], x31\n\t"
                         "li a2, 7\n\t" /* written behind the load */
                         "add %[sum], %[sum], a2\n\t"
                         : [sum] "=&r"(sum)
                         : [ns] "r"(2l), [a0] "r"(shared + 100), [a1] "r"(shared + 116),
                           [a2] "r"(shared + 132), [a3] "r"(shared + 148)
                         : "a2", "a3", "a4", "a5", "memory");
        shared[0] = cycles() - begin;
    }
    shared[1] = sum;
    return 0;
}
)");
    const auto blocking = words_of(program.path(), 2, {"core.remote_loads=1"}, 2);
    const auto overlapping = words_of(program.path(), 2, {"core.remote_loads=4"}, 2);
    EXPECT_EQ(blocking[1], 1000 + 1001 + 1002 + 2 * 1003 + 7);
    EXPECT_EQ(overlapping[1], blocking[1]);
    // Five latencies, and two: the last load waits for nothing but its register.
    EXPECT_GT(blocking[0], 5 * 80);
    EXPECT_LT(overlapping[0], blocking[0] / 2);
    EXPECT_GT(overlapping[0], blocking[0] * 2 / 5 - 20);
}

// Two nodes put a word at each other and then look at their own: with the put in front of the look
// at least one sees what the other has put. Without a fence neither does, as both look at once.
TEST(TimedMachine, AFenceKeepsARemoteStoreInFrontOfALocalLoad) {
    NEEDS_COMPILER();
    const auto neither_saw = [](const char* fence) {
        const Compiled program = Compiled::text(std::string(kMeasuring) + R"(
enum { kRounds = 40, kLine = 8 };
int main(void) {
    const long me = XBGAS_READ_E(10), other = 2 - me; /* the other's namespace */
    volatile long* const shared = (long*)XBGAS_READ_E(13);
    volatile long *const flag = shared + 64, *const word = shared + 128, *const saw = shared + 8;
    for (long round = 1; round <= kRounds; ++round) {
        xbgas_ersd(other, (void*)flag, round);
        xbgas_fence();
        while (*flag < round) {}
        volatile long* const mine = word + round * kLine;
        if (*mine != 0) saw[round] = 2; /* brings the line here; the other was first by far */
        xbgas_ersd(other, (void*)mine, 1);
        __asm__ volatile(")" + std::string(fence) +
                                                R"(" ::: "memory");
        if (*mine != 0) saw[round] |= 1;
    }
    xbgas_ersd(other, (void*)flag, kRounds + 1);
    xbgas_fence();
    while (*flag < kRounds + 1) {}
    if (me == 0) {
        long neither = 0;
        for (long round = 1; round <= kRounds; ++round)
            neither += saw[round] == 0 && xbgas_erld(2, (void*)(saw + round)) == 0;
        shared[0] = neither;
        xbgas_ersd(2, (void*)flag, kRounds + 2);
        xbgas_fence();
    } else {
        while (*flag < kRounds + 2) {}
    }
    return 0;
}
)");
        return words_of(program.path(), 2, {}, 1)[0];
    };
    EXPECT_EQ(neither_saw("fence w, r"), 0);
    EXPECT_EQ(neither_saw("fence rw, rw"), 0);
    EXPECT_GT(neither_saw("fence r, r"), 0);
    EXPECT_GT(neither_saw("fence w, w"), 0);
    EXPECT_GT(neither_saw(""), 0);
}

// The fault comes when the load ends; the register keeps what it had.
TEST(TimedMachine, AnOverlappingLoadMayFaultLate) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::text(std::string(kMeasuring) + R"(
#include <signal.h>
#include <unistd.h>
static void handler(int number) { _exit(number == SIGSEGV || number == SIGBUS ? 9 : 1); }
int main(void) {
    signal(SIGSEGV, handler);
    signal(SIGBUS, handler);
    if (XBGAS_READ_E(10) != 0) return 0;
    long value = 3;
    __asm__ volatile(".insn i 0x7b, 5, x31, %[ns], 0\n\t"
                     "li a2, 3\n\t"
                     ".insn r 0x33, 3, 0x55, a2, %[at], x31\n\t"
                     "addi a3, a3, 1\n\t"
                     "mv %[value], a2\n\t"
                     : [value] "=r"(value) : [ns] "r"(2l), [at] "r"(64l) : "a2", "a3", "memory");
    for (;;) {}
}
)");
    for (const char* loads : {"core.remote_loads=1", "core.remote_loads=4"}) {
        MachineDescription m = table3();
        m.mesh.width = 2;
        m.mesh.height = 1;
        set_parameter(m, loads);
        MachineOptions options;
        options.nodes = 2;
        options.arguments = {"program"};
        Machine functional(Program::load(program.path()), options, boot_linux);
        TimedMachine timed(functional, m, 1);
        EXPECT_TRUE(timed.run(2'000'000)) << loads;
        EXPECT_EQ(functional.exit_code(), 9) << loads;
    }
}

// What the simulator's windows are does not show in time: the same with the other nodes idle and
// with remote accesses everywhere, and on a machine whose windows are longer than a system call.
TEST(TimedMachine, PauseAndSystemCallsTakeTheirTimeWhateverOthersDo) {
    NEEDS_COMPILER();
    constexpr std::size_t kOfAKind = 30;
    const auto measure = [](const char* others, const std::vector<std::string>& settings) {
        const Compiled program = Compiled::text(std::string(kMeasuring) + R"(
static long call(long which, void* argument) {
    register long number __asm__("a7") = which;
    register void* first __asm__("a0") = argument;
    register void* second __asm__("a1") = 0;
    __asm__ volatile("ecall" : "+r"(first) : "r"(number), "r"(second) : "memory");
    return (long)first;
}
#define TIMES(at, ...)                                                      \
    for (int i = 0; i < 30; ++i) {                                          \
        for (int wait = 0; wait < i; ++wait) __asm__ volatile("nop");       \
        const long begin = cycles();                                        \
        __VA_ARGS__;                                                        \
        took[(at) + i] = cycles() - begin;                                  \
    }
int main(void) {
    volatile long* const shared = (long*)XBGAS_READ_E(13);
    if (XBGAS_READ_E(10) != 0) {
        )" + std::string(others) + R"(
        return 0;
    }
    long took[90];
    long moment[2] = {0, 1};
    for (int round = 0; round < 2; ++round) {
        TIMES(0, __asm__ volatile(".word 0x0100000f")); /* pause */
        TIMES(30, call(172, 0)); /* getpid */
        TIMES(60, call(101, moment)); /* nanosleep, a nanosecond */
    }
    for (int i = 0; i < 90; ++i) shared[i] = took[i];
    return 0;
}
)");
        return words_of(program.path(), 3, settings, 3 * kOfAKind);
    };
    constexpr const char* kBusy = R"(
        for (int i = 0; i < 1000; ++i) {
            xbgas_erld(4 - XBGAS_READ_E(10), (void*)(shared + 100));
            for (int wait = 0; wait < i % 7; ++wait) __asm__ volatile("nop");
        }
)";
    for (const std::vector<std::string>& settings :
         {std::vector<std::string>{},
          {"nic.transmit_cycles=900", "nic.receive_cycles=800"},
          {"nic.transmit_cycles=1", "nic.receive_cycles=700"}}) {
        const auto idle = measure("", settings), busy = measure(kBusy, settings);
        for (std::size_t i = 0; i < idle.size(); ++i) {
            EXPECT_EQ(idle[i], idle[i / kOfAKind * kOfAKind + 1]) << i;
            EXPECT_EQ(busy[i], idle[i]) << i;
        }
        // Two readings of the clock take core.system_cycles each, one of which is in between.
        EXPECT_EQ(idle[1], 20 + 5);
        EXPECT_GE(idle[kOfAKind + 1], 400 + 5);
        EXPECT_LE(idle[kOfAKind + 1], 400 + 20);
        // The sleep ends behind the call.
        EXPECT_EQ(idle[2 * kOfAKind + 1], idle[kOfAKind + 1] + 20);
    }
}

TEST(TimedMachine, RefusesWhatDoesNotFit) {
    NEEDS_COMPILER();
    const Compiled program = Compiled::file(every_instruction());
    MachineOptions options;
    options.nodes = 3;
    options.arguments = {"program"};
    Machine functional(Program::load(program.path()), options, boot_linux);
    EXPECT_THROW(TimedMachine(functional, table3()), MachineError);
    // Memory that the nodes do not have.
    MachineDescription small = table3();
    small.mesh.width = 3;
    small.mesh.height = 1;
    small.memory.mebibytes = 32;
    options.shared_bytes = 64 << 20;
    Machine large(Program::load(program.path()), options, boot_linux);
    EXPECT_THROW(TimedMachine(large, small), MachineError);
}

}  // namespace
}  // namespace isthmus::sim
