// The isthmus-sim command: exit codes, messages, statistics.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

const std::string kTool = ISTHMUS_TEST_BINARY "/bin/isthmus-sim ";

TEST(Tool, RefusesBadRequests) {
    EXPECT_EQ(test::run(kTool).status, 126);
    const auto missing = test::run(kTool + "/nowhere/program");
    EXPECT_EQ(missing.status, 126);
    EXPECT_NE(missing.output.find("/nowhere/program: cannot be opened"), std::string::npos)
        << missing.output;
    const auto script = test::run(kTool + ISTHMUS_TEST_SOURCE "/CMakeLists.txt");
    EXPECT_EQ(script.status, 126);
    EXPECT_NE(script.output.find("is no ELF file"), std::string::npos) << script.output;
    for (const char* bad : {"-n 0 x", "-n 1025 x", "--profile c x", "--threads 0 x",
                            "--mode fast x", "--no-such-option x"})
        EXPECT_EQ(test::run(kTool + bad).status, 126) << bad;
    EXPECT_NE(test::run(kTool + "-n 1025 x").output.find("1024"), std::string::npos);
}

TEST(NetworkTool, RefusesBadRequestsBeforeItPrints) {
    const std::string network = ISTHMUS_TEST_BINARY "/bin/isthmus-network ";
    for (const char* bad : {"--measure 0", "--load 0.1,2", "--load nan", "--packet-flits 0"}) {
        const auto result = test::run(network + bad);
        EXPECT_EQ(result.status, 1) << bad;
        EXPECT_EQ(result.output.rfind("isthmus-network: traffic: ", 0), 0u) << result.output;
    }
    const auto setting = test::run(network + "--set memory.write_low=30");
    EXPECT_EQ(setting.status, 1);
    EXPECT_NE(setting.output.find("with --set memory.write_low=30: "), std::string::npos)
        << setting.output;
}

class ToolWithProgram : public test::WithProgram {
  protected:
    ToolWithProgram()
        : WithProgram(R"(
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xbgas.h>
int main(int argc, char** argv) {
    if (argc > 1 && !strcmp(argv[1], "crash")) return *(volatile int*)16;
    if (argc > 1 && !strcmp(argv[1], "abort")) abort();
    if (argc > 2 && !strcmp(argv[1], "signal")) raise(atoi(argv[2]));
    if (argc > 1 && !strcmp(argv[1], "spin")) for (;;) __asm__ volatile("");
    printf("node %d of %d\n", (int)XBGAS_READ_E(10), (int)XBGAS_READ_E(11));
    xbgas_ersd(1, (void*)XBGAS_READ_E(13), 1);
    return argc > 1 ? atoi(argv[1]) + (int)XBGAS_READ_E(10) : 0;
}
)") {}
};

TEST_F(ToolWithProgram, ExitCodeIsTheProgramsOwn) {
    EXPECT_EQ(test::run(kTool + program).status, 0);
    EXPECT_EQ(test::run(kTool + program + " 5").status, 5);
    EXPECT_EQ(test::run(kTool + program + " -n 2 --seed 3 -- 5").status, 5)
        << "options may stand behind the program";
    EXPECT_EQ(test::run(kTool + "-n 3 " + program + " 0").status, 1)
        << "the lowest node with a code other than 0";
}

TEST_F(ToolWithProgram, MemoryIsOfTheBareMachine) {
    const auto refused = test::run(kTool + "--memory 1GB " + program + " 5");
    EXPECT_EQ(refused.status, 126);
    EXPECT_NE(refused.output.find("--memory is for the bare machine"), std::string::npos)
        << refused.output;
    EXPECT_EQ(refused.output.find("node 0"), std::string::npos) << refused.output;
    // A message about the memory of the bare machine names it; in time it names what to turn there.
    const auto timed = test::run(kTool + "--timed --mode bare --memory 1GB " + program);
    EXPECT_EQ(timed.status, 126);
    EXPECT_NE(timed.output.find("--set memory.mebibytes="), std::string::npos) << timed.output;
}

TEST_F(ToolWithProgram, AnOptionThatRepeatsTakesOneValueEachTime) {
    const auto plain = test::run(kTool + "-n 2 --env A=1 --env B=2 " + program + " 5");
    EXPECT_EQ(plain.status, 5) << plain.output;
    const auto timed = test::run(
        kTool + "--quiet -n 2 --set nlb.entries=4 --set nic.outstanding=2 " + program + " 5");
    EXPECT_EQ(timed.status, 5) << timed.output;
}

// An instruction is a nanosecond: a thread that begins late does not have to catch up with the
// others before their sleep ends.
TEST_F(ToolWithProgram, TimePassesAlikeForAllThreads) {
    test::write_file(scratch / "late.c", R"(
#include <pthread.h>
#include <unistd.h>
static volatile long turns;
static volatile int over;
static void* work(void* unused) {
    while (!over) ++turns;
    return unused;
}
int main(void) {
    for (volatile long i = 0; i < 2000000; ++i) {}
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    usleep(1000);
    over = 1;
    pthread_join(thread, 0);
    return turns > 100000 && turns < 300000 ? 0 : 1;
}
)");
    const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -static -o " +
                                 (scratch / "late") + " " + (scratch / "late.c") + " -lpthread");
    ASSERT_EQ(built.status, 0) << built.output;
    EXPECT_EQ(test::run(kTool + (scratch / "late")).status, 0);
}

TEST_F(ToolWithProgram, ThreadsRunBesideEachOther) {
    test::write_file(scratch / "many.c", R"(
#include <pthread.h>
#include <time.h>
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}
static void* work(void* unused) {
    for (long i = 0; i < 500000; ++i) __asm__ volatile("");
    return unused;
}
int main(void) {
    for (int n = 1; n <= 16; n *= 4) {
        pthread_t threads[16];
        const long start = now();
        for (int i = 0; i < n; ++i) pthread_create(&threads[i], 0, work, 0);
        for (int i = 0; i < n; ++i) pthread_join(threads[i], 0);
        const long took = now() - start;
        if (took < 1000000 || took > 1200000) return n;
    }
    return 0;
}
)");
    const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -static -o " +
                                 (scratch / "many") + " " + (scratch / "many.c") + " -lpthread");
    ASSERT_EQ(built.status, 0) << built.output;
    EXPECT_EQ(test::run(kTool + (scratch / "many")).status, 0);
}

TEST_F(ToolWithProgram, TimeTakesTheMachineAsItIs) {
    const auto nodes = [&](const std::string& arguments) {
        const auto ran = test::run(kTool + "--quiet --stats " + (scratch / "s.json") + " " +
                                   arguments + " " + program);
        EXPECT_EQ(ran.status, 0) << ran.output;
        const auto stats = nlohmann::json::parse(test::read_file(scratch / "s.json"));
        return stats["machine"]["mesh"];
    };
    const nlohmann::json two_by_three = {{"width", 2}, {"height", 3}};
    EXPECT_EQ(nodes("--set mesh.width=2 --set mesh.height=3"), two_by_three);
    // A number of nodes that the machine has already does not shape it anew.
    EXPECT_EQ(nodes("--set mesh.width=2 --set mesh.height=3 -n 6"), two_by_three);
    const nlohmann::json line = {{"width", 6}, {"height", 1}};
    EXPECT_EQ(nodes("--set mesh.width=6 --set mesh.height=1 -n 6"), line);
    for (const char* option : {"--max-instructions 5", "--seed 3", "--trace-file x", "--host-clock",
                               "--quantum 9", "--memory 1GB", "--strict-e", "--interpret"}) {
        const auto refused = test::run(kTool + "--timed " + option + " " + program);
        EXPECT_EQ(refused.status, 126) << option;
        EXPECT_NE(refused.output.find("works without time only"), std::string::npos)
            << refused.output;
    }
}

TEST_F(ToolWithProgram, HandlersReachOtherNodesWithAndWithoutTime) {
    const std::string with = scratch / "signals";
    const auto built =
        test::run(std::string(ISTHMUS_TEST_GCC) + " -O2 -static -I" ISTHMUS_TEST_INCLUDE " -o " +
                  with + " " ISTHMUS_TEST_SOURCE "/tests/sim/programs/xbgas_signals.c");
    ASSERT_EQ(built.status, 0) << built.output;
    for (const char* how : {"-n 1 ", "-n 4 --threads 2 ", "-n 4 --timed --quiet --threads 2 "}) {
        const auto ran = test::run(kTool + how + with);
        EXPECT_EQ(ran.status, 0) << how << ran.output;
    }
}

TEST_F(ToolWithProgram, ASignalWithoutAHandlerEndsTheProgram) {
    const auto aborted = test::run(kTool + program + " abort");
    EXPECT_EQ(aborted.status, 134);
    EXPECT_NE(aborted.output.find("isthmus-sim: node 0: signal 6 ends the program"),
              std::string::npos)
        << aborted.output;
    EXPECT_NE(aborted.output.find("back trace:"), std::string::npos) << aborted.output;
    // Nothing is wrong with a program that is told to end.
    for (const int number : {1, 2, 9, 14, 15}) {
        const auto told = test::run(kTool + program + " signal " + std::to_string(number));
        EXPECT_EQ(told.status, 128 + number);
        EXPECT_EQ(told.output,
                  "isthmus-sim: node 0: signal " + std::to_string(number) + " ends the program\n");
    }
}

// A reader of the output that goes away ends the program, not the simulator.
TEST_F(ToolWithProgram, OutputThatNobodyReadsEndsTheProgram) {
    test::write_file(scratch / "talk.c", R"(
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
    if (argc > 1) signal(SIGPIPE, SIG_IGN);
    while (write(1, "text", 4) == 4) {}
    fprintf(stderr, "error %d", errno == EPIPE);
    return argc > 1 ? 3 : 4;
}
)");
    const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -static -o " +
                                 (scratch / "talk") + " " + (scratch / "talk.c"));
    ASSERT_EQ(built.status, 0) << built.output;
    const auto unread = [&](const std::string& command) {
        return test::run("( ( " + command + "; echo status $? >&2 ) | true )");
    };
    const auto ended = unread(kTool + (scratch / "talk"));
    EXPECT_EQ(ended.output, "status 141\n");
    const auto timed = unread(kTool + "--timed --quiet -n 2 " + (scratch / "talk"));
    EXPECT_EQ(timed.output, "status 141\n");
    const auto ignored = unread(kTool + (scratch / "talk") + " ignore");
    EXPECT_EQ(ignored.output, "error 1status 3\n");
}

// Nobody outside can help a program that waits for a pipe of its own.
TEST_F(ToolWithProgram, APipeThatNobodyEmptiesIsADeadlock) {
    test::write_file(scratch / "full.c", R"(
#include <unistd.h>
static char text[100000];
int main(int argc, char** argv) {
    int ends[2];
    pipe(ends);
    return (argc > 1 ? read(ends[0], text, 1) : write(ends[1], text, sizeof text)) != 0;
}
)");
    const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -static -o " +
                                 (scratch / "full") + " " + (scratch / "full.c"));
    ASSERT_EQ(built.status, 0) << built.output;
    for (const char* how : {"", " read", " -n 2 --timed --quiet"}) {
        const auto ended = test::run("timeout 20 " + kTool + (scratch / "full") + how);
        EXPECT_EQ(ended.status, 124) << how;
        EXPECT_NE(ended.output.find("the program is deadlocked"), std::string::npos) << how;
    }
}

TEST_F(ToolWithProgram, CrashesNameThePlace) {
    const auto crash = test::run(kTool + program + " crash");
    EXPECT_EQ(crash.status, 139);
    for (const char* part :
         {"node 0: load access fault (cause 5, value 0x10)", "<main+0x", "back trace", "a0"})
        EXPECT_NE(crash.output.find(part), std::string::npos) << part << " is not in\n"
                                                              << crash.output;
    EXPECT_EQ(test::run(kTool + program + " abort").status, 134);
    // A number is no place, and a name of C++ is shown as it was written.
    test::write_file(scratch / "named.s", R"(
.globl _start, _ZN4heat2atEi, two
.set two, 2
_start: call _ZN4heat2atEi
.type _ZN4heat2atEi, @function
_ZN4heat2atEi: li t0, 4
    jr t0
.size _ZN4heat2atEi, . - _ZN4heat2atEi
)");
    ASSERT_EQ(test::run(std::string(ISTHMUS_TEST_GCC) + " -nostdlib -static -o " +
                        (scratch / "named") + " " + (scratch / "named.s"))
                  .status,
              0);
    const std::string named = test::run(kTool + (scratch / "named")).output;
    EXPECT_NE(named.find("pc 0x0000000000000004: "), std::string::npos) << named;
    EXPECT_NE(named.find(" <heat::at(int)>"), std::string::npos) << named;
    // Of many nodes each is named, but one fills the screen.
    const std::string many = test::run(kTool + "-n 3 " + program + " crash").output;
    EXPECT_NE(many.find("node 2, hart 0, pc "), std::string::npos) << many;
    EXPECT_EQ(many.find("back trace:"), many.rfind("back trace:")) << many;
    const auto spin = test::run(kTool + "--max-instructions 100000 " + program + " spin");
    EXPECT_EQ(spin.status, 125);
    EXPECT_NE(spin.output.find("--max-instructions"), std::string::npos);
}

TEST_F(ToolWithProgram, CountersComeAsJson) {
    const auto result = test::run(kTool + "-n 4 --threads 2 --json --stats " +
                                  (scratch / "s.json") + " " + program);
    ASSERT_EQ(result.status, 0) << result.output;
    const auto printed = nlohmann::json::parse(result.output.substr(result.output.find('{')));
    const auto written = nlohmann::json::parse(test::read_file(scratch / "s.json"));
    EXPECT_EQ(printed, written);
    EXPECT_EQ(written["nodes"], 4);
    EXPECT_EQ(written["finished"], true);
    ASSERT_EQ(written["per_node"].size(), 4u);
    std::uint64_t sum = 0;
    for (const auto& node : written["per_node"]) {
        EXPECT_EQ(node["remote_stores"], 1);
        EXPECT_EQ(node["remote_bytes"], 8);
        sum += node["instructions"].get<std::uint64_t>();
    }
    EXPECT_EQ(written["instructions"], sum);
}

TEST_F(ToolWithProgram, LogsAndTracesAreWrittenPerNode) {
    ASSERT_EQ(test::run(kTool + "-n 2 --log-commits " + (scratch / "log") + " " + program).status,
              0);
    EXPECT_TRUE(test::read_file(scratch / "log.0").starts_with("core   0: 0 0x"));
    EXPECT_NE(test::read_file(scratch / "log.1").find(" remote 0x1:0x0000001000000000"),
              std::string::npos);
    ASSERT_EQ(test::run(kTool + "--trace-file " + (scratch / "trace") + " " + program).status, 0);
    EXPECT_NE(test::read_file(scratch / "trace").find("ecall"), std::string::npos);
    EXPECT_EQ(test::run(kTool + "--log-commits /nowhere/log " + program).status, 126);
}

/// What must not depend on how many processes have run it.
nlohmann::json lasting(const std::string& file) {
    nlohmann::json report = nlohmann::json::parse(test::read_file(file), nullptr, false);
    for (const char* key : {"seconds", "mips", "peak_resident_bytes"})
        report.erase(key);
    for (auto& node : report["per_node"])
        node.erase("resident_bytes");
    return report;
}

// What programs wait for and when they are woken is the machine's time, never the host's.
TEST(SystemCalls, DoNotDependOnHostThreadsOrProcesses) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    const std::string stats = scratch / "stats", program = scratch / "program";
    for (const char* name : {"pipes", "events", "timers", "locks", "signal_files"}) {
        const auto built =
            test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -w -static -o " + program +
                      " " ISTHMUS_TEST_SOURCE "/tests/sim/programs/" + name + ".c -lpthread");
        ASSERT_EQ(built.status, 0) << built.output;
        nlohmann::json first;
        std::string output;
        for (const char* how : {"", "--threads 3 ", "--processes 2 "}) {
            const auto ran = test::run("timeout 100 " + kTool + how + "--quiet -n 3 --stats " +
                                       stats + " " + program + " < /dev/null");
            EXPECT_EQ(ran.status, 0) << name << " " << how << ran.output;
            if (first.is_null()) {
                first = lasting(stats);
                output = ran.output;
            } else {
                EXPECT_EQ(lasting(stats), first) << name << " " << how;
                EXPECT_EQ(ran.output, output) << name << " " << how;
            }
        }
    }
}

// Nodes that add to a number in a file, each with a lock of its own description of it; the last
// time they leave the lock to their end. And one makes a file longer that another has mapped.
TEST(SystemCalls, NodesShareFilesAndTheirLocks) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    test::write_file(scratch / "p.c", R"(
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char** argv) {
    const int by_part = argc > 1 && !strcmp(argv[1], "part");
    const int fd = open("number", O_RDWR | O_CREAT, 0600);
    const int grows = open("grows", O_RDWR | O_CREAT, 0600);
    const volatile char* const map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, grows, 0);
    for (int i = 0; i < 20; ++i) {
        struct flock part = {.l_type = F_WRLCK};
        if ((by_part ? fcntl(fd, F_OFD_SETLKW, &part) : flock(fd, LOCK_EX)) != 0) return 1;
        int number = 0;
        pread(fd, &number, sizeof number, 0);
        ++number;
        for (volatile int wait = 0; wait < 300; ++wait) {}
        pwrite(fd, &number, sizeof number, 0);
        if (i == 19) break;
        part.l_type = F_UNLCK;
        by_part ? fcntl(fd, F_OFD_SETLK, &part) : flock(fd, LOCK_UN);
        struct stat st = {0};
        if (number == 1) write(grows, "text", 4);
        while (st.st_size == 0) {
            usleep(100);
            fstat(grows, &st);
        }
        if (*map != 't') return 2;
    }
    return 0;
}
)");
    const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -w -static -o " +
                                 (scratch / "p") + " " + (scratch / "p.c"));
    ASSERT_EQ(built.status, 0) << built.output;
    const std::string stats = scratch / "stats";
    for (const char* kind : {" all", " part"}) {
        nlohmann::json first;
        for (const char* how :
             {"", "--threads 3 ", "--processes 2 ", "--timed --threads 2 ", "--timed "}) {
            const bool timed = std::strncmp(how, "--timed", 7) == 0;
            const auto ran =
                test::run("cd " + (scratch / "") + " && rm -f number grows && timeout 100 " +
                          kTool + how + "--quiet -n 4 --stats " + stats + " " + (scratch / "p") +
                          kind + " < /dev/null && od -An -tu4 number");
            EXPECT_EQ(ran.status, 0) << how << kind << ran.output;
            EXPECT_EQ(ran.output, "         80\n") << how << kind;
            if (timed) continue;
            if (first.is_null()) first = lasting(stats);
            EXPECT_EQ(lasting(stats), first) << how << kind;
        }
    }
}

// Not compared with qemu: who runs that may be allowed to.
TEST(SystemCalls, AnOrdinaryUserRunsTheProgram) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    test::write_file(scratch / "p.c", R"(
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    const struct timespec time = {0, 0};
    const struct timeval day = {0, 0};
    const struct sched_param param = {5};
    printf("%d", clock_settime(CLOCK_REALTIME, &time) == -1 && errno == EPERM);
    printf(" %d", clock_settime(CLOCK_PROCESS_CPUTIME_ID, &time) == -1 && errno == EPERM);
    printf(" %d", settimeofday(&day, NULL) == -1 && errno == EPERM);
    printf(" %d", sched_setscheduler(0, SCHED_FIFO, &param) == -1 && errno == EPERM);
    printf(" %d", setpriority(PRIO_PROCESS, 0, -5) == -1 && errno == EACCES);
    printf(" %d", setuid(0) == -1 && errno == EPERM);
    printf(" %d", setsid() == -1 && errno == EPERM);
    printf(" %ld\n", (long)getpgrp());
    return 0;
}
)");
    const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -static -o " +
                                 (scratch / "p") + " " + (scratch / "p.c"));
    ASSERT_EQ(built.status, 0) << built.output;
    EXPECT_EQ(test::run(kTool + (scratch / "p")).output, "1 1 1 1 1 1 1 1000\n");
}

TEST(Tool, TimersOfBareMetalGoByTheTime) {
    if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    test::Scratch scratch;
    // Spins until the timer interrupts at 20000 ns, and fails if the clock shows much more then.
    const auto built = test::assemble_bare(scratch, R"(
.globl _start, tohost
_start: la t0, handler
    csrw mtvec, t0
    li t0, 0x02004000
    li t1, 20000
    sd t1, 0(t0)
    li t0, 0x80
    csrw mie, t0
    csrsi mstatus, 8
1:  j 1b
.balign 4
handler:
    li t1, 0x0200bff8
    ld a0, 0(t1)
    li t1, 20000
    sub a0, a0, t1
    sltiu a0, a0, 1000
    xori a0, a0, 1
    slli a0, a0, 1
    ori a0, a0, 1
    la t6, tohost
    sd a0, 0(t6)
1:  j 1b
.data
.balign 4096
tohost: .8byte 0
)",
                                           scratch / "timer");
    ASSERT_EQ(built.status, 0) << built.output;
    const std::string quantum = "--quantum 100 ";
    EXPECT_EQ(test::run("timeout 20 " + kTool + quantum + (scratch / "timer")).status, 0);
    EXPECT_EQ(
        test::run("timeout 20 " + kTool + "--timed --quiet -n 1 " + (scratch / "timer")).status, 0);
}

// One simulation in several processes is the one in a single process: output, exit code and every
// counter, for programs that communicate by all kinds of accesses, end in order and do not.
TEST(Processes, ChangeNothing) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    test::write_file(scratch / "end.c", R"(
#include <shmem.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 2) {
        if (argc > 1) *(volatile int*)8 = 1;
        shmem_global_exit(42);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
)");
    // Text of every node in a certain order, halves of lines among it, on both streams.
    test::write_file(scratch / "talk.c", R"(
#include <shmem.h>
#include <stdio.h>
int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    printf("PE %d of %d has %g\n", me, n, me / 7.0);
    fflush(stdout);
    shmem_barrier_all();
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int k = 0; k < 8 * n; ++k) {
        if (k % n == me) printf("<%d:%d>%s", me, k, k % 5 ? "" : "\n");
        if (k % n == me && k % 3 == 0) fprintf(stderr, "[%d]", k);
        shmem_barrier_all();
    }
    shmem_finalize();
    return me == 3 ? 7 : 0;
}
)");
    struct Case {
        std::string source;
        const char* road;
        const char* options;
        int status;
        const char* arguments;
    };
    const std::string bench = ISTHMUS_TEST_SOURCE "/bench/xbgas/programs/";
    const Case cases[] = {
        {bench + "gups.c", "xbgas", "-n 8", 0, "--count 200"},
        {bench + "random.c", "rdma", "-n 5 --seed 3 --count", 0, "--count 100"},
        {bench + "scatter.c", "xbgas", "-n 6 --seed 8 --count --quantum 700", 0, "--count 200"},
        {bench + "gups.c", "xbgas", "-n 4 --max-instructions 20000", 125, ""},
        {scratch / "talk.c", "xbgas", "-n 5", 7, ""},
        {scratch / "talk.c", "rdma", "-n 5 --seed 4", 7, ""},
        {scratch / "end.c", "xbgas", "-n 4", 42, ""},
        {scratch / "end.c", "xbgas", "-n 4 --seed 9", 139, "crash"}};
    for (const Case& one : cases) {
        const std::string what = one.source + " " + one.options;
        const auto built = test::run(std::string(ISTHMUS_TEST_GCC) + " -O1 -w " + one.source +
                                     " @" ISTHMUS_TEST_BINARY "/lib/riscv64/" + one.road +
                                     ".rsp -o " + (scratch / "program"));
        ASSERT_EQ(built.status, 0) << built.output;
        nlohmann::json alone;
        std::string output;  // both streams, as they come
        for (const int processes : {1, 2, 3}) {
            const std::string stats = scratch / "stats";
            const auto result =
                test::run("timeout 100 " + kTool + "--quiet " + one.options + " --processes " +
                          std::to_string(processes) + " --stats " + stats + " " +
                          (scratch / "program") + (*one.arguments ? " -- " : "") + one.arguments);
            EXPECT_EQ(result.status, one.status) << what << "\n" << result.output;
            if (processes == 1) {
                alone = lasting(stats);
                output = result.output;
            } else {
                EXPECT_EQ(lasting(stats), alone) << what << ", " << processes << " processes";
                EXPECT_EQ(result.output, output) << what << ", " << processes << " processes";
            }
        }
    }
    EXPECT_EQ(test::run(kTool + "-n 2 --processes 3 " + (scratch / "program")).output,
              "isthmus-sim: 3 processes for 2 nodes: each needs one at least (--processes, -n)\n");
    EXPECT_EQ(test::run(kTool + "--processes 2 --gdb 0 " + (scratch / "program")).status, 126);
}

}  // namespace
}  // namespace isthmus::sim
