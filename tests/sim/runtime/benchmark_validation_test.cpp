// The benchmarks of the machine say valid=no when communication does not do what it should: each
// program is compiled with one routine replaced, for all PEs or for one of them.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/runtime/on_machine.hpp"

namespace isthmus::sim::test {
namespace {

struct Sabotage {
    const char* program;
    const char* arguments;
    const char* replaced;  // "#define" of it, on one line; empty: nothing is
};
void PrintTo(const Sabotage& sabotage, std::ostream* out) {
    *out << sabotage.program << " " << sabotage.arguments << ": " << sabotage.replaced;
}

Result run_benchmark(const Sabotage& sabotage) {
    Scratch scratch;
    const std::string folder = kSource + "/bench/xbgas/programs/";
    // common.h is included once, before the routine is replaced: its own use of it stays.
    write_file(scratch / "program.c", "#include \"" + folder + "common.h\"\n" +
                                          (*sabotage.replaced != '\0' ? "#define " : "") +
                                          sabotage.replaced + "\n#include \"" + folder +
                                          sabotage.program + ".c\"\n");
    Result compiled = compile(scratch / "program.c", "xbgas", scratch / "program");
    if (compiled.status != 0) return compiled;
    return simulate(8, (scratch / "program") + " " + sabotage.arguments, "--");
}

class Benchmark : public testing::TestWithParam<Sabotage> {};

TEST_P(Benchmark, IsValidAsItIs) {
    REQUIRE_COMPILER();
    const Result result = run_benchmark(GetParam());
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find("valid=yes"), std::string::npos) << result.output;
}
INSTANTIATE_TEST_SUITE_P(
    Whole, Benchmark,
    testing::Values(Sabotage{"gups", "", ""}, Sabotage{"random", "", ""},
                    Sabotage{"random", "--get 1", ""}, Sabotage{"scatter", "", ""},
                    Sabotage{"scatter", "--gather 1", ""}, Sabotage{"scatter", "--gather 2", ""},
                    Sabotage{"scatter", "--gather 3", ""}, Sabotage{"random", "--get 2", ""},
                    Sabotage{"random", "--get 3", ""}, Sabotage{"gups", "--each 1", ""},
                    Sabotage{"is", "--nbi 1", ""}, Sabotage{"ssca1", "--nbi 1", ""},
                    Sabotage{"cg", "--nbi 1", ""}, Sabotage{"stride", "", ""},
                    Sabotage{"ssca1", "", ""}, Sabotage{"is", "", ""}, Sabotage{"ep", "", ""},
                    Sabotage{"cg", "", ""}, Sabotage{"cg", "--count 64", ""},
                    Sabotage{"mg", "", ""}, Sabotage{"mg", "--count 3 --columns 64", ""},
                    Sabotage{"nas_is", "", ""}, Sabotage{"nas_mg", "", ""},
                    Sabotage{"nas_cg", "", ""}, Sabotage{"extremes", "--operation min", ""},
                    Sabotage{"extremes", "--operation max", ""}, Sabotage{"mixed", "", ""},
                    Sabotage{"transfers", "", ""}, Sabotage{"transfers", "--bytes 64", ""},
                    Sabotage{"transfers", "--bytes 64 --words 1", ""}));

class SabotagedBenchmark : public testing::TestWithParam<Sabotage> {};

TEST_P(SabotagedBenchmark, IsNotValid) {
    REQUIRE_COMPILER();
    const Result result = run_benchmark(GetParam());
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.output.find("valid=no"), std::string::npos) << result.output;
}
INSTANTIATE_TEST_SUITE_P(
    Lost, SabotagedBenchmark,
    testing::Values(
        Sabotage{"gups", "", "shmem_uint64_atomic_xor(at, value, pe) ((void)(at))"},
        Sabotage{"gups", "", "shmem_uint64_atomic_xor(at, value, pe) ((void)(*(at) ^= (value)))"},
        Sabotage{"random", "", "shmem_uint64_p(at, value, pe) ((void)(at))"},
        Sabotage{"random", "", "shmem_uint64_p(at, value, pe) ((void)(*(at) = (value)))"},
        Sabotage{"random", "--get 1", "shmem_uint64_g(at, pe) (*(at))"},
        Sabotage{"scatter", "", "shmem_long_p(at, value, pe) ((void)(at))"},
        Sabotage{"scatter", "--gather 1", "shmem_long_g(at, pe) (*(at))"},
        Sabotage{"scatter", "--gather 2", "shmem_long_g(at, pe) (*(at))"},
        Sabotage{"scatter", "--gather 3", "shmem_long_get_nbi(...) ((void)0)"},
        Sabotage{"random", "--get 2", "shmem_uint64_get_nbi(...) ((void)0)"},
        Sabotage{"random", "--get 3", "shmem_uint64_g(at, pe) (*(at))"},
        Sabotage{"is", "--nbi 1", "shmem_int_put_nbi(...) ((void)0)"},
        Sabotage{"ssca1", "--nbi 1",
                 "shmem_int_put_signal_nbi(a, b, n, s, v, op, pe) shmem_signal_set(s, v, pe)"},
        Sabotage{"cg", "--nbi 1", "shmem_double_get_nbi(to, from, n, pe) (*(to) = *(from))"},
        Sabotage{"stride", "", "shmem_double_iput(...) ((void)0)"},
        Sabotage{"stride", "", "shmem_double_iget(...) ((void)0)"},
        Sabotage{"ssca1", "",
                 "shmem_int_put_signal(a, b, n, s, v, op, pe) shmem_signal_set(s, v, pe)"},
        Sabotage{"ssca1", "", "shmem_int_max_reduce(t, to, from, n) memcpy(to, from, (n) * 4)"},
        Sabotage{"is", "", "shmem_int_put(...) ((void)0)"},
        Sabotage{"ep", "", "shmem_long_sum_reduce(t, to, from, n) memcpy(to, from, (n) * 8)"},
        Sabotage{"ep", "", "shmem_double_sum_reduce(...) ((void)0)"},
        Sabotage{"ep", "", "shmem_double_sum_reduce(t, to, from, n) memcpy(to, from, (n) * 8)"},
        Sabotage{"cg", "", "shmem_double_g(at, pe) (*(at))"},
        Sabotage{"cg", "", "shmem_double_sum_reduce(t, to, from, n) memcpy(to, from, (n) * 8)"},
        Sabotage{"mg", "", "shmem_double_put(...) ((void)0)"},
        Sabotage{"mg", "", "shmem_double_sum_reduce(t, to, from, n) memcpy(to, from, (n) * 8)"},
        Sabotage{"nas_is", "", "shmem_int_put_nbi(...) ((void)0)"},
        Sabotage{"nas_mg", "", "shmem_double_put_nbi(...) ((void)0)"},
        Sabotage{"nas_cg", "", "shmem_double_fcollect(...) ((void)0)"},
        Sabotage{"extremes", "--operation min",
                 "DECLARED_FIRST\n#include <xbrtime.h>\n#define "
                 "xbrtime_long_atomic_min(at, value, pe) (*(at) = (value), (value) + 1)"},
        Sabotage{"extremes", "--operation max",
                 "DECLARED_FIRST\n#include <xbrtime.h>\n#define "
                 "xbrtime_long_atomic_max(at, value, pe) (xbrtime_long_atomic_min(at, value, pe))"},
        Sabotage{"mixed", "", "shmem_uint64_g(at, pe) (*(at))"},
        Sabotage{"transfers", "", "shmem_uint64_p(...) ((void)0)"},
        Sabotage{"transfers", "--bytes 64", "shmem_putmem(...) ((void)0)"}));
// One PE's part, which the others cannot make up for.
INSTANTIATE_TEST_SUITE_P(
    LostByOne, SabotagedBenchmark,
    testing::Values(
        Sabotage{"gups", "",
                 "shmem_uint64_atomic_xor(at, value, pe) (me == 3 ? (void)0 : "
                 "shmem_uint64_atomic_xor(at, value, pe))"},
        Sabotage{"random", "",
                 "shmem_uint64_p(at, value, pe) (me == 3 ? (void)0 : "
                 "shmem_uint64_p(at, value, pe))"},
        Sabotage{"ssca1", "",
                 "shmem_int_put_signal(a, b, n, s, v, op, pe) (me == 3 ? shmem_signal_set(s, v, "
                 "pe) : shmem_int_put_signal(a, b, n, s, v, op, pe))"},
        Sabotage{"is", "",
                 "shmem_int_put(to, from, n, pe) (me == 3 ? (void)0 : "
                 "shmem_int_put(to, from, n, pe))"},
        Sabotage{"ep", "",
                 "shmem_double_sum_reduce(t, to, from, n) (me == 3 ? (void)((from)[1] = 0) : "
                 "(void)0, shmem_double_sum_reduce(t, to, from, n))"},
        Sabotage{"cg", "", "shmem_double_g(at, pe) (me == 3 ? *(at) : shmem_double_g(at, pe))"},
        Sabotage{"mg", "",
                 "shmem_double_put(to, from, n, pe) (me == 3 ? (void)0 : "
                 "shmem_double_put(to, from, n, pe))"},
        Sabotage{"mg", "",
                 "shmem_double_put(to, from, n, pe) (me == 7 && (pe) == 0 ? (void)0 : "
                 "shmem_double_put(to, from, n, pe))"}));

INSTANTIATE_TEST_SUITE_P(Micro, Benchmark,
                         testing::Values(Sabotage{"micro", "--operation put --bytes 8", ""},
                                         Sabotage{"micro", "--operation put --bytes 1", ""},
                                         Sabotage{"micro", "--operation put --bytes 2", ""},
                                         Sabotage{"micro", "--operation put --bytes 4", ""},
                                         Sabotage{"micro", "--operation get --bytes 2", ""},
                                         Sabotage{"micro", "--operation get --bytes 4", ""},
                                         Sabotage{"micro", "--operation put --bytes 100", ""},
                                         Sabotage{"micro", "--operation put_words --bytes 64", ""},
                                         Sabotage{"micro", "--operation put_nbi --bytes 64", ""},
                                         Sabotage{"micro", "--operation get --bytes 8", ""},
                                         Sabotage{"micro", "--operation get --bytes 1", ""},
                                         Sabotage{"micro", "--operation get --bytes 100", ""},
                                         Sabotage{"micro", "--operation atomic_add", ""},
                                         Sabotage{"micro", "--operation fetch_add", ""},
                                         Sabotage{"micro", "--operation swap", ""},
                                         Sabotage{"micro", "--operation compare_swap", ""},
                                         Sabotage{"micro", "--operation barrier", ""},
                                         Sabotage{"micro", "--operation broadcast --bytes 100", ""},
                                         Sabotage{"micro", "--operation reduce --bytes 64", ""}));
INSTANTIATE_TEST_SUITE_P(
    Micro, SabotagedBenchmark,
    testing::Values(
        Sabotage{"micro", "--operation put --bytes 8", "shmem_long_p(...) ((void)0)"},
        Sabotage{"micro", "--operation put --bytes 1", "shmem_char_p(...) ((void)0)"},
        Sabotage{"micro", "--operation put --bytes 100",
                 "shmem_putmem(to, from, n, pe) shmem_putmem(to, from, (n) - 1, pe)"},
        Sabotage{"micro", "--operation get --bytes 8", "shmem_long_g(from, pe) 0"},
        Sabotage{"micro", "--operation get --bytes 8", "shmem_long_g(from, pe) (*(from))"},
        Sabotage{"micro", "--operation get --bytes 1", "shmem_char_g(from, pe) 0"},
        Sabotage{"micro", "--operation get --bytes 100", "shmem_getmem(...) ((void)0)"},
        Sabotage{"micro", "--operation get --bytes 100",
                 "shmem_getmem(to, from, n, pe) memcpy(to, from, n)"},
        Sabotage{"micro", "--operation atomic_add", "shmem_long_atomic_add(...) ((void)0)"},
        Sabotage{"micro", "--operation fetch_add",
                 "shmem_long_atomic_fetch_add(at, n, pe) (shmem_long_atomic_add(at, n, pe), 0)"},
        Sabotage{"micro", "--operation swap",
                 "shmem_long_atomic_swap(at, n, pe) (shmem_long_atomic_set(at, n, pe), 0)"},
        Sabotage{"micro", "--operation compare_swap",
                 "shmem_long_atomic_compare_swap(at, is, n, pe) "
                 "(shmem_long_atomic_compare_swap(at, is, n, pe), 0)"},
        Sabotage{"micro", "--operation barrier", "shmem_barrier_all() ((void)0)"},
        Sabotage{"micro", "--operation broadcast --bytes 100", "shmem_broadcastmem(...) ((void)0)"},
        Sabotage{"micro", "--operation reduce --bytes 64",
                 "shmem_long_sum_reduce(t, to, from, n) memcpy(to, from, (n) * 8)"}));

}  // namespace
}  // namespace isthmus::sim::test
