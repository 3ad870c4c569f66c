#include "api/profile/description.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace isthmus::profile {
namespace {

TEST(Description, ReadsTheArgumentsOfOneElement) {
    constexpr Description p = describe("shmem_int_p", "(dest, value, pe)");
    EXPECT_EQ(p.target, 2);
    EXPECT_EQ(p.context, -1);
    EXPECT_EQ(p.factor, -1);
    EXPECT_EQ((bytes_of<p, int*, int, int>(nullptr, 7, 1)), 4u);
    constexpr Description g = describe("shmem_ctx_longdouble_g", "(ctx, source, pe)");
    EXPECT_EQ(g.target, 2);
    EXPECT_EQ(g.context, 0);
    EXPECT_EQ((bytes_of<g, shmem_ctx_t, const long double*, int>(nullptr, nullptr, 1)),
              sizeof(long double));
    constexpr Description add = describe("shmem_short_atomic_add_nbi", "(fetch, dest, value, pe)");
    EXPECT_EQ((bytes_of<add, short*, short*, short, int>(nullptr, nullptr, 1, 0)), 2u);
    constexpr Description set = describe("shmem_signal_set", "(sig_addr, signal, pe)");
    EXPECT_EQ((bytes_of<set, uint64_t*, uint64_t, int>(nullptr, 1, 0)), 8u);
}

TEST(Description, ReadsTheArgumentsOfBlocks) {
    constexpr Description put = describe("shmem_int8_put", "(dest, source, nelems, pe)");
    EXPECT_EQ((bytes_of<put, int8_t*, const int8_t*, size_t, int>(nullptr, nullptr, 9, 0)), 9u);
    constexpr Description put128 =
        describe("shmem_ctx_put128_nbi", "(ctx, dest, source, nelems, pe)");
    EXPECT_EQ((bytes_of<put128, shmem_ctx_t, void*, const void*, size_t, int>(nullptr, nullptr,
                                                                              nullptr, 3, 0)),
              48u);
    constexpr Description block =
        describe("shmem_ibget16", "(dest, source, dst, sst, bsize, nblocks, pe)");
    EXPECT_EQ((bytes_of<block, void*, const void*, ptrdiff_t, ptrdiff_t, size_t, size_t, int>(
                  nullptr, nullptr, 9, 9, 5, 7, 0)),
              70u);
    constexpr Description memory =
        describe("shmem_putmem_signal", "(dest, source, nelems, sig_addr, signal, sig_op, pe)");
    EXPECT_EQ(memory.target, 6);
    EXPECT_EQ((bytes_of<memory, void*, const void*, size_t, uint64_t*, uint64_t, int, int>(
                  nullptr, nullptr, 77, nullptr, 1, 0, 0)),
              77u);
}

TEST(Description, CollectivesHaveBytesAndNoTarget) {
    constexpr Description reduce =
        describe("shmem_double_sum_reduce", "(team, dest, source, nelems)");
    EXPECT_EQ(reduce.target, -1);
    EXPECT_EQ((bytes_of<reduce, shmem_team_t, double*, const double*, size_t>(nullptr, nullptr,
                                                                              nullptr, 4)),
              32u);
    constexpr Description old =
        describe("shmem_int_sum_to_all",
                 "(dest, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync)");
    EXPECT_EQ((bytes_of<old, int*, const int*, int, int, int, int, int*, long*>(
                  nullptr, nullptr, 6, 0, 0, 1, nullptr, nullptr)),
              24u);
}

TEST(Description, MemoryHasBytes) {
    constexpr Description calloc = describe("shmem_calloc", "(count, size)");
    EXPECT_EQ((bytes_of<calloc, size_t, size_t>(3, 5)), 15u);
    constexpr Description align = describe("shmem_align", "(alignment, size)");
    EXPECT_EQ((bytes_of<align, size_t, size_t>(64, 5)), 5u);
}

TEST(Description, TheSizeOfATeamIsNoMemory) {
    constexpr Description split =
        describe("shmem_team_split_strided",
                 "(parent_team, start, stride, size, config, config_mask, new_team)");
    EXPECT_EQ(split, Description{});
}

TEST(Description, QueriesTouchNobody) {
    EXPECT_EQ(describe("shmem_ptr", "(dest, pe)").target, -1);
    EXPECT_EQ(describe("shmem_pe_accessible", "(pe)").target, -1);
    constexpr Description wait =
        describe("shmem_long_wait_until_all", "(ivars, nelems, status, cmp, cmp_value)");
    EXPECT_EQ((bytes_of<wait, long*, size_t, const int*, int, long>(nullptr, 9, nullptr, 0, 0)),
              0u);
}

TEST(Description, InitAndFinalizeHaveARole) {
    EXPECT_EQ(describe("shmem_init", "()").role, Role::initialise);
    EXPECT_EQ(describe("shmem_init_thread", "(requested, provided)").role, Role::initialise);
    EXPECT_EQ(describe("shmem_finalize", "()").role, Role::finalise);
    EXPECT_EQ(describe("shmem_my_pe", "()").role, Role::ordinary);
}

// Whoever asks for shmem_X gets the wrapper, for every X of the table; pshmem_X is the library's.
TEST(Symbols, EveryRoutineIsWrapped) {
    Dl_info profile{};
    ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "isthmus_profile_library"), &profile), 0);
    std::set<std::string> names;
    for (const Title& title : kTitles) {
        ASSERT_NE(title.routine, nullptr);
        EXPECT_STRNE(title.section, "");
        EXPECT_TRUE(names.insert(title.routine).second) << title.routine << " is there twice";
        Dl_info wrapper{};
        Dl_info real{};
        void* const symbol = dlsym(RTLD_DEFAULT, title.routine);
        void* const behind = dlsym(RTLD_DEFAULT, ("p" + std::string(title.routine)).c_str());
        ASSERT_NE(symbol, nullptr) << title.routine;
        ASSERT_NE(behind, nullptr) << title.routine;
        dladdr(symbol, &wrapper);
        dladdr(behind, &real);
        EXPECT_EQ(wrapper.dli_fbase, profile.dli_fbase) << title.routine;
        EXPECT_NE(real.dli_fbase, profile.dli_fbase) << title.routine;
    }
    EXPECT_EQ(names.size(), kRoutines);
}

}  // namespace
}  // namespace isthmus::profile
