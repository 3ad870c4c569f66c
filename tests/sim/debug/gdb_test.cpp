// The debugger's protocol, packet by packet and through gdb-multiarch.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "sim/debug/gdb_server.hpp"
#include "sim/linux/process.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

class Gdb : public testing::Test {
  protected:
    void SetUp() override {
        if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
        compile("p", R"(
#include <stdio.h>
volatile int total;
__attribute__((noinline)) int triple(int x) { total += x; return 3 * x; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += triple(i);
    printf("sum %d\n", sum);
    return 7;
}
)");
    }
    void compile(const std::string& name, const char* text) {
        test::write_file(scratch / (name + ".c"), text);
        const auto built = test::run(std::string(ISTHMUS_TEST_GCC) +
                                     " -g -O1 -static -I" ISTHMUS_TEST_INCLUDE " -o " +
                                     (scratch / name) + " " + (scratch / (name + ".c")));
        ASSERT_EQ(built.status, 0) << built.output;
    }
    test::Scratch scratch;
};

/// A program on nodes, and who answers a debugger.
struct Debugged {
    Debugged(const test::Scratch& scratch, const std::string& name, unsigned nodes)
        : machine(Program::load(scratch / name), options(name, nodes), boot_linux),
          server(machine) {
        machine.complain = [](const std::string&) {};
    }
    static MachineOptions options(const std::string& name, unsigned nodes) {
        MachineOptions options;
        options.nodes = nodes;
        options.arguments = {name};
        return options;
    }
    Machine machine;
    GdbServer server;
};

class RealGdb : public Gdb {
  protected:
    void SetUp() override {
        if (!*ISTHMUS_TEST_GDB) GTEST_SKIP() << "gdb-multiarch is not installed";
        Gdb::SetUp();
    }
    /// What gdb-multiarch prints for `commands`, each in quotes, with the program on `nodes` nodes.
    std::string debug(const std::string& name, unsigned nodes, const std::string& commands) {
        Debugged debugged(scratch, name, nodes);
        GdbServer& server = debugged.server;
        const int port = server.listen(0);
        std::thread serving([&] { server.serve(); });
        const auto result =
            test::run("timeout 60 " ISTHMUS_TEST_GDB
                      " -q -batch -nx -ex 'set confirm off' -ex 'target remote localhost:" +
                      std::to_string(port) + "' " + commands + " " + (scratch / name));
        serving.join();
        return result.output;
    }
};

void expect_all(const std::string& output, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
        EXPECT_NE(output.find(part), std::string::npos) << part << " is not in\n" << output;
}

TEST_F(Gdb, PacketsByHand) {
    Debugged debugged(scratch, "p", 2);
    GdbServer& server = debugged.server;
    EXPECT_EQ(server.answer("?"), "T05thread:1;");
    EXPECT_EQ(server.answer("qfThreadInfo"), "m1,401");
    char text[64];
    std::snprintf(text, sizeof text, "Z0,%lx,2",
                  static_cast<unsigned long>(*debugged.machine.program().symbol("triple")));
    EXPECT_EQ(server.answer(text), "OK");
    EXPECT_EQ(server.answer("c"), "T05thread:1;");
    EXPECT_EQ(debugged.machine.nodes()[0]->harts[0]->pc,
              *debugged.machine.program().symbol("triple"));
    EXPECT_EQ(server.answer("p2a").size(), 16u);
    EXPECT_EQ(server.answer("P55=0807060504030201"), "OK");  // e17
    EXPECT_EQ(debugged.machine.nodes()[0]->harts[0]->e[17], 0x0102030405060708u);
    const std::uint64_t before = debugged.machine.nodes()[0]->harts[0]->instret;
    text[0] = 'z';
    EXPECT_EQ(server.answer(text), "OK");
    EXPECT_EQ(server.answer("s"), "T05thread:1;");
    EXPECT_EQ(debugged.machine.nodes()[0]->harts[0]->instret, before + 1);
    EXPECT_EQ(server.answer("m0,4"), "E14");
    EXPECT_EQ(server.answer("c"), "W07");
}

TEST_F(Gdb, NonsenseIsRefused) {
    Debugged debugged(scratch, "p", 1);
    GdbServer& server = debugged.server;
    for (const char* packet : {"",
                               "p",
                               "pzz",
                               "p64",
                               "P",
                               "P1",
                               "P1=1",
                               "m",
                               "m1",
                               "m1,",
                               "mffffffffffffffff,ffffffff",
                               "M1,2:00",
                               "Z",
                               "Z0",
                               "Z0,",
                               "Z2",
                               "Z2,0",
                               "Z2,0,0",
                               "Z3,zz,4",
                               "Z5,0,4",
                               "vCont;",
                               "vCont;;c",
                               "H",
                               "Hg",
                               "Hgzz",
                               "T",
                               "qXfer:features:read:",
                               "qXfer:features:read:target.xml:zz",
                               "vMustReplyEmpty",
                               "Gz",
                               "!",
                               "\xff"}) {
        const std::string reply = server.answer(packet);
        EXPECT_TRUE(reply.empty() || reply.front() == 'E') << packet << " -> " << reply;
    }
    // Bytes of all kinds: nothing may crash. Resuming packets are left out, as they would run the
    // program.
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        static constexpr char kFirst[] = "?gGpPmMHTZzqvQ";
        std::string packet(1, kFirst[random() % (sizeof kFirst - 1)]);
        const unsigned length = random() % 24;
        for (unsigned k = 0; k < length; ++k)
            packet += "0123456789abcdef,;:=$#\x7f-"[random() % 24];
        if (packet.starts_with("vCont;")) continue;
        server.answer(packet);
    }
}

TEST_F(RealGdb, BreaksStepsAndPrints) {
    const std::string output = debug(
        "p", 1,
        "-ex 'break triple' -ex continue -ex continue -ex backtrace -ex 'print x' -ex 'print $e11' "
        "-ex 'set var $e20=77' -ex 'print $e20' -ex stepi -ex 'info registers pc' -ex 'delete' "
        "-ex continue");
    expect_all(output, {"triple (x=x@entry=1)", "main ()", "$1 = 1", "$2 = 1", "$3 = 77",
                        "exited with code 07"});
}

TEST_F(RealGdb, Watchpoints) {
    const std::string output = debug(
        "p", 2,
        "-ex 'break main' -ex continue -ex delete -ex 'watch total' -ex continue -ex continue "
        "-ex delete -ex 'rwatch total' -ex continue -ex delete -ex continue");
    expect_all(output, {"Hardware watchpoint 2: total", "Old value = 0\nNew value = 1",
                        "Old value = 1\nNew value = 3", "hit Hardware read watchpoint 3: total",
                        "Value = 3", "exited with code 07"});
}

TEST_F(RealGdb, WatchpointsSeeOtherNodes) {
    compile("remote", R"(
#include <xbgas.h>
volatile int flag, block[4], sink;
int main(void) {
    if (XBGAS_READ_E(10) == 0) {
        for (int i = 0; i < 100000; ++i) sink = i;
        xbgas_ersw(2, (void*)&flag, 99);
        xbgas_fence();
        return 0;
    }
    while (!flag) {}
    return flag == 99;
}
)");
    const std::string output = debug(
        "remote", 2, "-ex 'watch flag' -ex continue -ex 'info threads' -ex delete -ex continue");
    expect_all(output,
               {"node 0 reaches node 1 from ", "<main+", "Thread 2 hit Hardware watchpoint 1: flag",
                "Old value = 0\nNew value = 99", "exited with code 01"});
}

TEST_F(RealGdb, WatchpointsTellOfEveryAccessOfEveryNode) {
    compile("all", R"(
#include <xbgas.h>
volatile long value;
int main(void) {
    const long me = (long)XBGAS_READ_E(10);
    for (long i = 1; i <= 3; ++i) value = 10 * i + me;
    return 0;
}
)");
    std::string commands = "-ex 'watch value'";
    for (int i = 0; i < 10; ++i)
        commands += " -ex continue";
    const std::string output = debug("all", 3, commands);
    int hits = 0;
    for (std::size_t at = 0; (at = output.find("hit Hardware watchpoint", at)) != std::string::npos;
         ++at)
        ++hits;
    EXPECT_EQ(hits, 9) << output;
    EXPECT_NE(output.find("exited normally"), std::string::npos) << output;
}

// GDB steps by a breakpoint behind the instruction and `continue` of the one thread.
TEST_F(Gdb, AStepLeavesTheOthersWhereTheyAre) {
    Debugged debugged(scratch, "p", 2);
    GdbServer& server = debugged.server;
    char text[64];
    std::snprintf(text, sizeof text, "Z0,%lx,2",
                  static_cast<unsigned long>(*debugged.machine.program().symbol("triple")));
    EXPECT_EQ(server.answer(text), "OK");
    const std::uint64_t before = debugged.machine.nodes()[1]->harts[0]->instret;
    EXPECT_EQ(server.answer("vCont;c:1"), "T05thread:1;");
    EXPECT_EQ(debugged.machine.nodes()[0]->harts[0]->pc,
              *debugged.machine.program().symbol("triple"));
    EXPECT_EQ(debugged.machine.nodes()[1]->harts[0]->instret, before);
}

// GDB steps by breakpoints, which other nodes that wait in the same loop meet, too.
TEST_F(RealGdb, NextComesOverALoopInWhichAllNodesWait) {
    compile("meet", R"(
#include <xbgas.h>
volatile int arrived[3], left;
__attribute__((noinline)) void wait_for(volatile int* flag, int value) {
    while (*flag < value) __asm__ volatile(".4byte 0x0100000f");
}
__attribute__((noinline)) void meet(int me, int round) {
    for (int pe = 0; pe < 3; ++pe) xbgas_ersw(pe + 1, (void*)&arrived[me], round);
    for (int pe = 0; pe < 3; ++pe) wait_for(&arrived[pe], round);
    if (me == 2) wait_for(&left, round);  // the last to come back
}
int main(void) {
    const int me = (int)XBGAS_READ_E(10);
    for (int round = 1; round < 4; ++round) {
        meet(me, round);
        if (me == 0) xbgas_ersw(3, (void*)&left, round);
    }
    return 0;
}
)");
    std::string commands = "-ex 'break main' -ex continue -ex continue -ex continue";
    for (int i = 0; i < 12; ++i)
        commands += " -ex next";
    const std::string output = debug("meet", 3, commands + " -ex 'info threads' -ex continue");
    expect_all(output, {"* 3    Thread 2049 (node 2 hart 0) main", "exited normally"});
}

TEST_F(RealGdb, SignalsGoOnToTheProgram) {
    compile("fault", R"(
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static volatile int seen;
static void fault(int number) {
    seen = number;
    siglongjmp(back, 1);
}
int main(void) {
    signal(SIGSEGV, fault);
    if (!sigsetjmp(back, 1)) *(volatile int*)16 = 1;
    signal(SIGSEGV, SIG_DFL);
    if (seen == 11) *(volatile int*)24 = 1;
    return 3;
}
)");
    std::string output = debug("fault", 1,
                               "-ex continue -ex 'print seen' -ex 'break fault' -ex continue -ex "
                               "delete -ex continue -ex 'print seen' -ex continue");
    expect_all(output, {"Program received signal SIGSEGV", "$1 = 0", "fault (number=", "$2 = 11",
                        "exited with code 0213"});
    // Without the signal the instruction comes again.
    output = debug("fault", 1, "-ex continue -ex 'signal 0' -ex 'set $pc=$pc+4' -ex 'signal 0'");
    EXPECT_NE(output.find("exited with code 03"), std::string::npos) << output;
}

TEST_F(RealGdb, SendsSignalsToTheProgram) {
    compile("sent", R"(
#include <signal.h>
static volatile int seen[65];
static void note(int number) { ++seen[number]; }
__attribute__((noinline)) void here(void) { __asm__ volatile(""); }
int main(void) {
    for (int number = 1; number < 65; ++number) signal(number, note);
    for (int i = 0; i < 5; ++i) here();
    return seen[SIGUSR1] * 10 + seen[SIGBUS] + seen[SIGRTMIN + 1] * 2;
}
)");
    std::string output = debug("sent", 1,
                               "-ex 'break here' -ex continue -ex 'signal SIGUSR1' "
                               "-ex 'signal SIGBUS' -ex 'signal SIG35' -ex 'signal SIGLOST' "
                               "-ex delete -ex continue");
    expect_all(output, {"exited with code 015", "does not reach the program"});
    // Without a handler it is the end.
    output = debug("sent", 1, "-ex 'break main' -ex continue -ex 'signal SIGUSR2'");
    EXPECT_NE(output.find("exited with code 0214"), std::string::npos) << output;
}

}  // namespace
}  // namespace isthmus::sim
