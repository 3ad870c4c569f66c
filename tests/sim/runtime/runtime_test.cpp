// OpenSHMEM on the machine: the programs of this repository, compiled unchanged by the stock cross
// compiler for xBGAS and for the RDMA NIC, run on simulated nodes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/runtime/on_machine.hpp"

namespace isthmus::sim::test {
namespace {

class Example : public testing::TestWithParam<Case> {};

TEST_P(Example, PrintsWhatItPrintsNatively) {
    REQUIRE_COMPILER();
    const auto& [road, name, flags] = GetParam();
    Scratch scratch;
    const Result compiled =
        compile(kSource + "/examples/" + name + ".c", road, scratch / "program");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    const Result result = simulate(4, scratch / "program");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, read_file(kSource + "/tests/examples/expected/" + name + ".txt"));
    const Result other = simulate(3, scratch / "program");
    EXPECT_EQ(other.status, 0) << other.output;
}

INSTANTIATE_TEST_SUITE_P(Runtime, Example,
                         testing::Values(Case{"xbgas", "hello", ""}, Case{"xbgas", "ring", ""},
                                         Case{"xbgas", "halo", ""}, Case{"xbgas", "histogram", ""},
                                         Case{"xbgas", "master_worker", ""},
                                         Case{"xbgas", "transpose", ""},
                                         Case{"xbgas", "pipeline", ""}, Case{"xbgas", "teams", ""},
                                         Case{"xbgas", "contexts", ""}, Case{"xbgas", "locks", ""},
                                         Case{"xbgas", "generics", ""}, Case{"rdma", "ring", ""},
                                         Case{"rdma", "histogram", ""},
                                         Case{"rdma", "transpose", ""},
                                         Case{"rdma", "pipeline", ""}, Case{"rdma", "teams", ""},
                                         Case{"rdma", "locks", ""}),
                         case_name);

// Programs with shmem.h are the same in the older encoding.
TEST(Profile, A) {
    REQUIRE_COMPILER();
    for (const char* name : {"transpose", "histogram", "locks"}) {
        Scratch scratch;
        const Result compiled =
            compile(kSource + "/examples/" + name + ".c", "xbgas-a", scratch / "program");
        ASSERT_EQ(compiled.status, 0) << compiled.output;
        const Result result = simulate(4, scratch / "program", "--profile a");
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.output, read_file(kSource + "/tests/examples/expected/" + name + ".txt"));
    }
}

class Outsider : public testing::TestWithParam<Case> {};

// Programs as their authors wrote them, in the standards of their time. The ones in C++ need a
// cross compiler for C++, which the package list does not have.
TEST_P(Outsider, IsRight) {
    REQUIRE_COMPILER();
    const auto& [road, name, flags] = GetParam();
    Scratch scratch;
    const std::string folder = kSource + "/tests/programs/";
    const std::string source = std::string(name) == "globals"
                                   ? folder + "globals_main.c " + folder + "globals_other.c"
                                   : folder + name + ".c";
    const Result compiled = compile(source, road, scratch / "program", "-O2 " + std::string(flags));
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    const Result result = simulate(5, scratch / "program");
    EXPECT_EQ(result.status, std::string(name) == "global_exit_code" ? 42 : 0);
    EXPECT_EQ(result.output.find("WRONG"), std::string::npos) << result.output;
    EXPECT_FALSE(result.output.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Runtime, Outsider,
    testing::Values(
        Case{"xbgas", "hello_start_pes", "-std=gnu89"}, Case{"xbgas", "ring_pass", "-std=gnu89"},
        Case{"xbgas", "circular_shift", "-std=gnu89"}, Case{"xbgas", "pi_reduce", "-std=gnu89"},
        Case{"xbgas", "heat_2d", "-std=gnu99"}, Case{"xbgas", "matrix_multiply", "-std=gnu99"},
        Case{"xbgas", "integer_sort", "-std=c99"}, Case{"xbgas", "lock_counter", "-std=gnu99"},
        Case{"xbgas", "random_access", ""}, Case{"xbgas", "strided_puts", ""},
        Case{"xbgas", "wait_flags", ""}, Case{"xbgas", "collect_subsets", "-std=gnu99"},
        Case{"xbgas", "alltoall_transpose", "-std=c99"}, Case{"xbgas", "signal_pipeline", ""},
        Case{"xbgas", "contexts_pthreads", ""}, Case{"xbgas", "contexts_openmp", "-fopenmp"},
        Case{"xbgas", "teams_grid", ""}, Case{"xbgas", "init_twice", ""},
        Case{"xbgas", "exit_without_finalize", ""}, Case{"xbgas", "global_exit_code", ""},
        Case{"xbgas", "generic_const", "-std=c11"}, Case{"xbgas", "globals", "-std=gnu99"},
        Case{"xbgas", "mandelbrot_queue", "-std=gnu99"}, Case{"xbgas", "direct_pointers", ""},
        Case{"xbgas", "wait_any_sum", "-std=gnu11"}, Case{"xbgas", "broadcast_reuse", "-std=gnu99"},
        Case{"xbgas", "scan_compaction", "-std=gnu17"}, Case{"xbgas", "own_profiler", ""},
        Case{"xbgas", "old_atomics", "-std=gnu89"}, Case{"xbgas", "nonblocking", ""},
        Case{"xbgas", "sessions", "-std=gnu11"}, Case{"rdma", "signal_pipeline", ""},
        Case{"rdma", "collect_subsets", "-std=gnu99"}, Case{"rdma", "init_twice", ""},
        Case{"rdma", "mandelbrot_queue", "-std=gnu99"}, Case{"rdma", "nonblocking", ""},
        Case{"xbgas", "broadcast_shapes", "-std=gnu11"},
        Case{"rdma", "broadcast_shapes", "-std=gnu11"}),
    case_name);

class Model : public testing::TestWithParam<Case> {};

TEST_P(Model, EveryKindOfRoutineAgreesWithArithmetic) {
    REQUIRE_COMPILER();
    const auto& [road, name, flags] = GetParam();
    Scratch scratch;
    const Result compiled = compile(kSource + "/tests/sim/programs/shmem_model.c", road,
                                    scratch / "program", std::string(flags));
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    for (const unsigned nodes : {1u, 2u, 5u, 8u}) {
        const Result result = simulate(nodes, scratch / "program");
        EXPECT_EQ(result.status, 0) << nodes;
        EXPECT_EQ(result.output, "all of it is ok\n") << nodes;
    }
    // The order in which nodes are served must not matter.
    const Result shuffled = simulate(3, scratch / "program", "--seed 7 --quantum 211");
    EXPECT_EQ(shuffled.output, "all of it is ok\n");
    const Result timed = simulate(2, scratch / "program", "", "isthmus-timing");
    EXPECT_EQ(timed.output, "all of it is ok\n");
}

INSTANTIATE_TEST_SUITE_P(Runtime, Model,
                         testing::Values(Case{"xbgas", "inlined", "-O2"},
                                         Case{"xbgas", "called", "-O0"},
                                         Case{"rdma", "optimised", "-O2"}),
                         case_name);

TEST(Runtime, HasEveryRoutineOfTheTable) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(
        scratch / "all.c",
        "#define ISTHMUS_NO_INLINE\n#include <shmem.h>\n#include <stdio.h>\n"
        "int (my_pe)(void);\nint (num_pes)(void);\n"  // macros there
        "static void (*const routines[])(void) = {\n"
        "#define SHMEM_ROUTINE(R, NAME, P, A) (void (*)(void))shmem_##NAME, "
        "(void (*)(void))pshmem_##NAME,\n"
        "#include <isthmus/shmem_routines.inc>\n"
        "(void (*)(void))shmem_global_exit, (void (*)(void))shmem_pcontrol,\n"
        "(void (*)(void))start_pes, (void (*)(void))_my_pe, (void (*)(void))_num_pes,\n"
        "(void (*)(void))my_pe, (void (*)(void))num_pes, (void (*)(void))shmalloc,\n"
        "(void (*)(void))shfree, (void (*)(void))shrealloc, (void (*)(void))shmemalign};\n"
        "int main(void) { for (unsigned i = 0; i < sizeof routines / sizeof *routines; ++i)\n"
        "  if (!routines[i]) return 1;\n"
        "  printf(\"%zu\\n\", sizeof routines / sizeof *routines); return 0; }\n");
    for (const char* road : {"xbgas", "rdma"}) {
        const Result compiled = compile(scratch / "all.c", road, scratch / "all", "-std=gnu99");
        ASSERT_EQ(compiled.status, 0) << compiled.output;
        const Result result = simulate(1, scratch / "all");
        EXPECT_EQ(result.status, 0);
        EXPECT_GT(std::stoi(result.output), 2000);
    }
}

/// Instructions of the functions in a source file, by name, the return included.
int instructions_of(const std::string& object, const std::string& function) {
    const Result listing = run("riscv64-linux-gnu-objdump -d " + object + " | sed -n '/<" +
                               function + ">:/,/^$/p' | grep -cE '^ *[0-9a-f]+:'");
    return std::stoi(listing.output);
}

TEST(Runtime, AnEightBytePutGetAndAtomicAreTwoInstructions) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "short.c",
               "#include <shmem.h>\n"
               "void put(long* d, long v, int pe) { shmem_long_p(d, v, pe); }\n"
               "long get(const long* s, int pe) { return shmem_long_g(s, pe); }\n"
               "void quiet(void) { shmem_quiet(); }\n"
               "long fetch_add(long* d, long v, int pe) { return shmem_long_atomic_fetch_add(d, v, "
               "pe); }\n"
               "void block(long* d, const long* s, int pe) { shmem_long_put(d, s, 2, pe); }\n");
    const Result compiled =
        run(kGcc + " -O2 -c -I " + kSource + "/sim/runtime/xbgas -I " + kBinary + "/include " +
            (scratch / "short.c") + " -o " + (scratch / "short.o"));
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    const std::string object = scratch / "short.o";
    EXPECT_EQ(instructions_of(object, "put"), 2 + 1);
    EXPECT_EQ(instructions_of(object, "get"), 2 + 1);
    EXPECT_EQ(instructions_of(object, "quiet"), 1 + 1);
    // Its address goes through the register whose number the e-register has.
    EXPECT_LE(instructions_of(object, "fetch_add"), 3 + 1);
    // Two loads, two puts, an addition for the second address.
    EXPECT_LE(instructions_of(object, "block"), 7 + 1);
}

TEST(Runtime, MistakesEndTheJobWithALine) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "bad.c",
               "#define ISTHMUS_NO_INLINE\n#include <shmem.h>\n#include <stdlib.h>\n"
               "static long box;\n"
               "int main(int argc, char** argv) {\n"
               "  const int which = atoi(argv[1]); (void)argc;\n"
               "  if (which == 0) shmem_barrier(0, 0, 1, &box);\n"
               "  shmem_init();\n"
               "  if (shmem_my_pe() != 1) { if (which != 4) shmem_barrier_all(); while (which == "
               "4) shmem_barrier_all(); }\n"
               "  if (which == 1) shmem_long_p(&box, 1, 3);\n"
               "  if (which == 2) shmem_free(&box);\n"
               "  if (which == 3) shmem_long_wait_until(&box, 9, 1);\n"
               "  if (which == 4) *(volatile int*)8 = 1;\n"
               "  if (which == 5) shmem_clear_lock(&box);\n"
               "  if (which == 6) exit(3);\n"
               "  shmem_barrier_all(); shmem_finalize(); return 0; }\n");
    ASSERT_EQ(compile(scratch / "bad.c", "xbgas", scratch / "bad").status, 0);
    const struct {
        int which, status;
        const char* says;
    } kCases[] = {
        {0, 1, "shmem_barrier: the library is not initialised"},
        {1, 1, "isthmus: PE 1: shmem_long_p: pe 3 is out of range 0..2"},
        {2, 1, "shmem_free: address"},
        {3, 1, "shmem_long_wait_until: cmp 9 is none of"},
        {4, 139, "store access fault"},
        {5, 1, "shmem_clear_lock: the lock is not held by this PE"},
        {6, 3, ""},
    };
    for (const auto& [which, status, says] : kCases) {
        const Result result = run("timeout 60 " + kBinary + "/bin/isthmus-sim --quiet -n 3 " +
                                  (scratch / "bad") + " " + std::to_string(which));
        EXPECT_EQ(result.status, status) << which << ": " << result.output;
        EXPECT_NE(result.output.find(says), std::string::npos) << result.output;
    }
    // Without a check in the way, the namespace is not mapped.
    write_file(scratch / "far.c",
               "#include <shmem.h>\nstatic long box;\n"
               "int main(void) { shmem_init(); shmem_long_p(&box, 1, 9); return 0; }\n");
    for (const char* road : {"xbgas", "rdma"}) {
        ASSERT_EQ(compile(scratch / "far.c", road, scratch / "far").status, 0);
        const Result result = simulate(2, scratch / "far");
        EXPECT_NE(result.status, 0) << road;
        EXPECT_NE(result.output.find("access fault"), std::string::npos) << result.output;
    }
}

TEST(Runtime, AHeapThatIsNotThereIsSaidToBeMissing) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(
        scratch / "size.c",
        "#include <shmem.h>\nint main(void) { shmem_init(); shmem_finalize(); return 0; }\n");
    ASSERT_EQ(compile(scratch / "size.c", "xbgas", scratch / "size").status, 0);
    const struct {
        const char *size, *says;
    } kCases[] = {{"1G", "raise --shared"},
                  {"0.5g", "raise --shared"},
                  {"lots", "is no size"},
                  {"64X", "is no size"},
                  {"1MB", nullptr},
                  {"1MiB", nullptr},
                  {"50%", nullptr},
                  {"-3", "is no size"},
                  {"20M", nullptr},
                  {"65536", nullptr},
                  {"", nullptr}};
    for (const auto& [size, says] : kCases) {
        const Result result =
            simulate(2, scratch / "size", std::string("--env SHMEM_SYMMETRIC_SIZE=") + size);
        EXPECT_EQ(result.status, says ? 1 : 0) << size << result.output;
        if (!says) continue;
        EXPECT_NE(result.output.find(says), std::string::npos) << result.output;
    }
}

// A descriptor with a bad local block faults where and as it does without time, and nothing
// arrives.
TEST(Runtime, ABadDescriptorFaultsInTimeAsWithoutIt) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "bad.c",
               "#include <shmem.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
               "static long box[8] = {1, 2, 3};\n"
               "int main(int argc, char** argv) {\n"
               "  const int which = atoi(argv[1]); (void)argc;\n"
               "  shmem_init();\n"
               "  shmem_barrier_all();\n"
               "  if (shmem_my_pe() == 1) { usleep(100); shmem_global_exit(box[0] != 1); }\n"
               "  if (which == 0) shmem_putmem_nbi(box, (void*)0x123, 64, 1);\n"
               "  if (which == 1) shmem_getmem_nbi((void*)&main, box, 64, 1);\n"
               "  if (which == 2) shmem_putmem(box, (void*)0x123, 64, 1);\n"
               "  if (which == 3) shmem_getmem((void*)&main, box, 64, 1);\n"
               "  if (which == 4) shmem_getmem(box, (void*)0x10, 64, 1);\n"
               "  shmem_barrier_all(); shmem_finalize(); return 0; }\n");
    ASSERT_EQ(compile(scratch / "bad.c", "rdma", scratch / "bad").status, 0);
    const auto says = [&](const std::string& how, int which) {
        const Result result = simulate(2, (scratch / "bad") + " " + std::to_string(which), how);
        EXPECT_EQ(result.status, 139) << how << which << result.output;
        return result.output.substr(0, result.output.find('\n'));
    };
    for (int which = 0; which < 5; ++which)
        EXPECT_EQ(says("--timed", which), says("", which)) << which;
}

// A handler that returns: the fault is over, and what was posted behind it is carried out.
TEST(Runtime, WhatIsPostedBehindABadDescriptorIsCarriedOut) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "behind.c",
               "#include <shmem.h>\n#include <signal.h>\n"
               "static long box[512], from[512];\nstatic volatile int hits;\n"
               "static void count(int n) { hits += n == SIGSEGV; }\n"
               "int main(void) {\n"
               "  shmem_init(); signal(SIGSEGV, count); from[0] = 7;\n"
               "  shmem_barrier_all();\n"
               "  if (shmem_my_pe() == 0) {\n"
               "    shmem_putmem_nbi((void*)0x1000, from, 4096, 1);\n"
               "    shmem_putmem_nbi(box, from, 4096, 1); shmem_quiet();\n"
               "  }\n"
               "  shmem_barrier_all();\n"
               "  const int good = shmem_my_pe() == 0 ? hits == 1 : box[0] == 7;\n"
               "  shmem_finalize(); return !good; }\n");
    ASSERT_EQ(compile(scratch / "behind.c", "rdma", scratch / "behind").status, 0);
    for (const char* how : {"", "--timed"}) {
        const Result result = simulate(2, scratch / "behind", how);
        EXPECT_EQ(result.status, 0) << how << result.output;
    }
}

// In time a posted operation's fault comes late, maybe while the handler of another one runs: it
// waits for the handler's end, as a signal that is blocked does.
TEST(Runtime, FaultsOfPostedOperationsComeOneBehindTheOther) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "three.c",
               "#include <shmem.h>\n#include <signal.h>\n"
               "static long box, from[512];\nstatic volatile int hits, inside, nested;\n"
               "static void count(int n) { nested |= inside++; hits += n == SIGSEGV;\n"
               "  for (volatile int i = 0; i < 3000; ++i); inside--; }\n"
               "int main(void) {\n"
               "  shmem_init(); signal(SIGSEGV, count); from[0] = 7;\n"
               "  shmem_barrier_all();\n"
               "  if (shmem_my_pe() == 0) {\n"
               "    for (long i = 1; i < 4; ++i) shmem_long_p((long*)(i * 0x1000), 1, 1);\n"
               "    shmem_long_p(&box, 7, 1); shmem_quiet();\n"
               "  }\n"
               "  shmem_barrier_all();\n"
               "  const int good = shmem_my_pe() == 0 ? hits == 3 && !nested : box == 7;\n"
               "  shmem_finalize(); return !good; }\n");
    for (const char* road : {"xbgas", "rdma"}) {
        ASSERT_EQ(compile(scratch / "three.c", road, scratch / "three").status, 0);
        for (const char* how : {"", "--timed"}) {
            // Without time a store of its own faults where it is, and the handler comes back to it.
            if (*how == 0 && road == std::string("xbgas")) continue;
            const Result result = simulate(2, scratch / "three", how);
            EXPECT_EQ(result.status, 0) << road << how << result.output;
        }
    }
}

// Who waits for a completion hears of it so much later; what was sent arrives as before.
TEST(Runtime, ACompletionIsWrittenBehindItsOperation) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "get.c",
               "#include <shmem.h>\nstatic long there[16], sum;\n"
               "int main(void) { shmem_init(); shmem_barrier_all();\n"
               "  if (shmem_my_pe() == 0)\n"
               "    for (int i = 0; i < 10; ++i) sum += shmem_long_g(&there[i], 1);\n"
               "  shmem_barrier_all(); shmem_finalize(); return 0; }\n");
    ASSERT_EQ(compile(scratch / "get.c", "rdma", scratch / "get").status, 0);
    nlohmann::json reports[2];
    for (const int late : {0, 1}) {
        const Result result =
            simulate(2, scratch / "get",
                     "--timed --set nic.completion_cycles=" + std::to_string(30 + late * 1000) +
                         " --stats " + (scratch / "report.json"));
        ASSERT_EQ(result.status, 0) << result.output;
        reports[late] = nlohmann::json::parse(read_file(scratch / "report.json"));
    }
    const auto field = [&](int late, const char* name) {
        return reports[late]["remote_latency"]["load"][name].get<double>();
    };
    EXPECT_EQ(field(0, "count"), 10);
    EXPECT_EQ(field(1, "minimum") - field(0, "minimum"), 1000);
    const double more = reports[1]["cycles"].get<double>() - reports[0]["cycles"].get<double>();
    EXPECT_NEAR(more, 11000, 1000) << "the last quiet's, and PE 0 looks for each some cycles later";
}

// What a quiet posts does nothing, but the NIC reads it and writes its completion all the same.
TEST(Runtime, AQuietPaysForItsDescriptor) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "quiet.c",
               "#include <shmem.h>\n#include <stdio.h>\nstatic long there;\n"
               "static long cycles(void) {\n"
               "  long now; __asm__ volatile(\"rdcycle %0\" : \"=r\"(now)); return now; }\n"
               "int main(void) { shmem_init(); long quiet = 0;\n"
               "  for (int i = 0; i < 11; ++i) {\n"
               "    shmem_barrier_all();\n"
               "    if (shmem_my_pe() != 0) continue;\n"
               "    shmem_long_p(&there, i, 1);\n"
               "    const long begin = cycles(); shmem_quiet();\n"
               "    if (i != 0) quiet += cycles() - begin; }\n"
               "  if (shmem_my_pe() == 0) printf(\"%ld\\n\", quiet);\n"
               "  shmem_finalize(); return 0; }\n");
    ASSERT_EQ(compile(scratch / "quiet.c", "rdma", scratch / "quiet").status, 0);
    const auto quiet = [&](const std::string& settings) {
        const Result result = simulate(2, scratch / "quiet", "--timed" + settings);
        EXPECT_EQ(result.status, 0) << result.output;
        return std::atol(result.output.c_str());
    };
    const long usual = quiet("");
    EXPECT_NEAR(quiet(" --set nic.completion_cycles=1030") - usual, 10000, 200);
    // The quiet's own is read while the put's is.
    EXPECT_NEAR(quiet(" --set nic.descriptor_cycles=1030") - usual, 10000, 500);
}

// What does not block returns long before it is complete; a quiet completes it.
TEST(Runtime, WhatDoesNotBlockIsPosted) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(
        scratch / "posted.c",
        "#include <shmem.h>\n#include <stdio.h>\n#include <string.h>\n"
        "static long there[8], from[8];\n"
        "static uint64_t flag;\nstatic long values[4], took[8];\nstatic int me;\n"
        "static long cycles(void) {\n"
        "  long now; __asm__ volatile(\"rdcycle %0\" : \"=r\"(now)::\"memory\"); return now; }\n"
        "#define TIME(i, ...) do { shmem_quiet(); const long begin = cycles(); __VA_ARGS__; \\\n"
        "  took[i] = cycles() - begin; } while (0)\n"
        "int main(void) { shmem_init(); me = shmem_my_pe();\n"
        "  for (int i = 0; i < 8; ++i) there[i] = 100 * me + i, from[i] = i;\n"
        "  shmem_barrier_all();\n"
        "  for (int round = 0; me == 0 && round < 3; ++round) {\n"
        "    memset(values, 0, sizeof values);\n"
        "    TIME(0, shmem_long_get(&values[0], &there[1], 1, 1));\n"
        "    TIME(1, shmem_long_get_nbi(&values[1], &there[2], 1, 1));\n"
        "    TIME(2, values[2] = shmem_long_atomic_fetch(&there[3], 1));\n"
        "    TIME(3, shmem_long_atomic_fetch_nbi(&values[3], &there[4], 1));\n"
        "    TIME(4, shmem_long_put_signal(from + 4, from, 4, &flag, 1, SHMEM_SIGNAL_SET, 1));\n"
        "    TIME(5, shmem_long_put_signal_nbi(from + 4, from, 4, &flag, 2, SHMEM_SIGNAL_SET, "
        "1));\n"
        "    shmem_quiet(); }\n"
        "  shmem_barrier_all();\n"
        "  if (me == 0 && (values[0] != 101 || values[1] != 102 || values[2] != 103 ||\n"
        "                  values[3] != 104)) puts(\"wrong\");\n"
        "  if (me == 1 && (flag != 2 || from[7] != 3)) puts(\"wrong\");\n"
        "  if (me == 0) for (int i = 0; i < 6; ++i) printf(\"%ld\\n\", took[i]);\n"
        "  shmem_finalize(); return 0; }\n");
    // Late answers, so that waiting for one is more than all that else happens in a call.
    for (const auto& [road, late] :
         {std::pair{"xbgas", "nic.receive_cycles"}, std::pair{"rdma", "nic.completion_cycles"}}) {
        ASSERT_EQ(compile(scratch / "posted.c", road, scratch / "posted").status, 0);
        const Result result =
            simulate(2, scratch / "posted", "--timed --set " + std::string(late) + "=1000");
        ASSERT_EQ(result.status, 0) << result.output;
        std::istringstream numbers(result.output);
        std::array<long, 6> took{};
        for (long& one : took)
            ASSERT_TRUE(numbers >> one) << result.output;
        EXPECT_GT(took[0], 1000) << road << ", get: " << result.output;
        EXPECT_LT(took[1], 500) << road << ", get_nbi: " << result.output;
        EXPECT_GT(took[2], 1000) << road << ", fetch: " << result.output;
        EXPECT_LT(took[3], 500) << road << ", fetch_nbi: " << result.output;
        EXPECT_GT(took[4], 1000) << road << ", put_signal: " << result.output;
        // By xBGAS the core itself keeps the signal behind the data.
        if (std::string(road) == "rdma") {
            EXPECT_LT(took[5], 500) << "put_signal_nbi: " << result.output;
        }
    }
}

// Atomics need the right to write, whether they would write or not; and they are aligned.
TEST(Runtime, AtomicsWhereNoneMayBeFault) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "where.c",
               "#include <shmem.h>\n#include <stdlib.h>\n"
               "static const long fixed[512] = {5};\nstatic long box[2];\n"
               "int main(int argc, char** argv) {\n"
               "  const int which = atoi(argv[1]); (void)argc;\n"
               "  shmem_init();\n"
               "  if (which == 0) shmem_long_atomic_compare_swap((long*)fixed, 6, 7, 1);\n"
               "  if (which == 1) shmem_long_atomic_compare_swap((long*)fixed, 5, 7, 1);\n"
               "  if (which == 2) shmem_long_atomic_fetch_add((long*)fixed, 1, 1);\n"
               "  if (which == 3) shmem_long_atomic_fetch_add((long*)((char*)box + 1), 1, 1);\n"
               "  if (which == 4) shmem_int_atomic_compare_swap((int*)((char*)box + 2), 0, 1, 1);\n"
               "  shmem_quiet(); shmem_barrier_all(); shmem_finalize(); return 0; }\n");
    for (const char* road : {"xbgas", "rdma"}) {
        ASSERT_EQ(compile(scratch / "where.c", road, scratch / "where").status, 0);
        for (int which = 0; which < 5; ++which) {
            for (const char* how : {"", "--timed"}) {
                const Result result =
                    simulate(2, (scratch / "where") + " " + std::to_string(which), how);
                EXPECT_EQ(result.status, which < 3 ? 139 : 135)
                    << road << how << which << result.output;
            }
        }
    }
}

// What the runtime copies is communication, however it copies.
TEST(Runtime, CopiesOfTheRuntimeAreCountedAsItsOwn) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "sum.c",
               "#include <shmem.h>\n"
               "static long in[1000], out[1000];\n"
               "__attribute__((noinline)) void benchmark_begin(void) { __asm__ volatile(\"\"); }\n"
               "__attribute__((noinline)) void benchmark_end(void) { __asm__ volatile(\"\"); }\n"
               "int main(void) { shmem_init(); shmem_barrier_all(); benchmark_begin();\n"
               "  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, out, in, 1000);\n"
               "  benchmark_end(); shmem_finalize(); return 0; }\n");
    for (const char* road : {"xbgas", "rdma"}) {
        ASSERT_EQ(compile(scratch / "sum.c", road, scratch / "sum").status, 0);
        const Result result =
            simulate(2, scratch / "sum", "--count --stats " + (scratch / "counts.json"));
        ASSERT_EQ(result.status, 0) << result.output;
        const auto counted = nlohmann::json::parse(read_file(scratch / "counts.json"))["counted"];
        EXPECT_LT(counted["program"].get<int>(), 100) << road;
        EXPECT_GT(counted["communication"].get<int>(), 4000) << road;
    }
}

// One look refuses a wrong root and a library that does not run.
TEST(Runtime, BroadcastsThatCannotBeAreRefused) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(
        scratch / "broadcast.c",
        "#include <shmem.h>\n#include <stdlib.h>\nstatic long d, s, sync[8];\n"
        "int main(int argc, char** argv) { (void)argc;\n"
        "  switch (atoi(argv[1])) {\n"
        "  case 0: shmem_long_broadcast(SHMEM_TEAM_WORLD, &d, &s, 1, 0); break;\n"
        "  case 1: shmem_init(); shmem_finalize();\n"
        "    shmem_long_broadcast(SHMEM_TEAM_WORLD, &d, &s, 1, 0); break;\n"
        "  case 2: shmem_init(); shmem_long_broadcast(SHMEM_TEAM_WORLD, &d, &s, 1, 2); break;\n"
        "  case 3: shmem_init(); shmem_broadcast64(&d, &s, 1, 0, 0, 2, 0x40000001, sync);\n"
        "    break;\n"
        "  case 4: shmem_init(); shmem_broadcast64(&d, &s, 1, 0, -2147483647 - 1, 0, 2, sync);\n"
        "    break;\n"
        "  case 5: shmem_init(); shmem_broadcast64(&d, &s, 1, 0, 0, 31, 2, sync); break;\n"
        "  }\n  return 0; }\n");
    const char* const words[] = {
        "not initialised",      "has been finalised",   "PE_root 2",
        "is no set of the PEs", "is no set of the PEs", "is no set of the PEs"};
    for (const char* road : {"xbgas", "rdma"}) {
        ASSERT_EQ(compile(scratch / "broadcast.c", road, scratch / "broadcast").status, 0);
        for (int which = 0; which < 6; ++which) {
            const Result result =
                simulate(2, (scratch / "broadcast") + " " + std::to_string(which));
            EXPECT_EQ(result.status, 1) << road << which << result.output;
            EXPECT_NE(result.output.find(words[which]), std::string::npos)
                << road << which << result.output;
        }
    }
}

// A program's own names are its own: they neither collide with the runtime's nor count as its.
TEST(Runtime, NamesThatTheStandardDoesNotReserveAreTheProgramsOwn) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "road.c",
               "#include <shmem.h>\nlong road_state, acquire, me, heap;\n"
               "__attribute__((noinline)) long road_length(long n) {\n"
               "  for (long i = 0; i < n; ++i) road_state += i; return road_state; }\n"
               "int main(void) { shmem_init(); const long sum = road_length(10000);\n"
               "  shmem_finalize(); return sum != 49995000; }\n");
    for (const char* road : {"xbgas", "rdma"}) {
        const Result compiled = compile(scratch / "road.c", road, scratch / "road");
        ASSERT_EQ(compiled.status, 0) << compiled.output;
        const Result result =
            simulate(2, scratch / "road", "--count --stats " + (scratch / "counts.json"));
        ASSERT_EQ(result.status, 0) << result.output;
        const auto counted = nlohmann::json::parse(read_file(scratch / "counts.json"))["counted"];
        EXPECT_GT(counted["program"].get<int>(), 20000) << road;
    }
}

// The comparator is to be as lean as it can be: what blocks above 1 GiB need costs others nothing.
TEST(Runtime, ABlockByTheNicIsADescriptor) {
    REQUIRE_COMPILER();
    for (const char* call :
         {"shmem_putmem_nbi(box, from, 64, 1)", "shmem_getmem_nbi(from, box, 64, 1)"}) {
        Scratch scratch;
        write_file(
            scratch / "block.c",
            std::string("#include <shmem.h>\n"
                        "static char box[64], from[64];\n"
                        "__attribute__((noinline)) void benchmark_begin(void) { __asm__(\"\"); }\n"
                        "__attribute__((noinline)) void benchmark_end(void) { __asm__(\"\"); }\n"
                        "int main(void) { shmem_init(); shmem_barrier_all();\n"
                        "  if (shmem_my_pe() == 0) { benchmark_begin();\n"
                        "    for (int i = 0; i < 1000; ++i) ") +
                call + ";\n    benchmark_end(); }\n  shmem_finalize(); return 0; }\n");
        ASSERT_EQ(compile(scratch / "block.c", "rdma", scratch / "block").status, 0);
        const Result result =
            simulate(2, scratch / "block", "--count --stats " + (scratch / "counts.json"));
        ASSERT_EQ(result.status, 0) << result.output;
        const auto counted = nlohmann::json::parse(read_file(scratch / "counts.json"))["counted"];
        EXPECT_LT(counted["communication"].get<int>(), 45 * 1000) << call;
    }
}

}  // namespace
}  // namespace isthmus::sim::test
