#include "core/session/own_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace isthmus {
namespace {

TEST(OwnNames, QualifiedNameIsWithoutResultAndParameters) {
    EXPECT_EQ(qualified_name("shmem_p(long volatile*, long, int)"), "shmem_p");
    EXPECT_EQ(qualified_name("main"), "main");
    EXPECT_EQ(qualified_name("std::pair<int, long> isthmus::take<int (*)(int)>(int)"),
              "isthmus::take<int (*)(int)>");
}

TEST(OwnNames, OverloadsAreToldByTheirNamesInAnyFile) {
    for (const char* name : {"shmem_p",
                             "shmem_g",
                             "shmem_put",
                             "shmem_get_nbi",
                             "shmem_iput",
                             "shmem_ibget",
                             "shmem_put_signal",
                             "shmem_atomic_add",
                             "shmem_atomic_fetch_xor_nbi",
                             "shmem_fadd",
                             "shmem_swap",
                             "shmem_alltoalls",
                             "shmem_sum_exscan",
                             "shmem_complexd_sum_to_all",
                             "shmem_wait",
                             "shmem_wait_until_some_vector",
                             "shmem_longlong_wait_until",
                             "shmem_sync",
                             "shmem_set_lock",
                             "shmem_signal_add"})
        EXPECT_TRUE(
            is_of_own_headers({std::string(name) + "(long*)", "m.cpp:92", true}, Sought::openshmem))
            << name;
    for (const char* name : {"shmem_put_row(long*)", "shmem_pu(long*)", "shmem_(long*)",
                             "my::shmem_put(long*)", "put(long*)", "shmem_put"})
        EXPECT_FALSE(is_of_own_headers({name, "m.cpp:92", true}, Sought::openshmem)) << name;
}

TEST(OwnNames, AHeaderIsOwnByItsFolderAndItsName) {
    const char* const own = "/usr/include/isthmus/shmem_inline.h:132";
    EXPECT_TRUE(is_of_own_headers({"shmem_long_put", own, false}, Sought::all));
    EXPECT_TRUE(is_of_own_headers({"main", own, true}, Sought::all));
    EXPECT_FALSE(is_of_own_headers({"push", "/home/me/isthmus/queue.h:5", false}, Sought::all));
    EXPECT_FALSE(is_of_own_headers({"push", "/home/me/isthmus/model.h:5", true}, Sought::all));
    EXPECT_FALSE(
        is_of_own_headers({"shmem_long_put", "/home/me/shmem_inline.h:5", true}, Sought::all));
    EXPECT_FALSE(is_of_own_headers({"shmem_long_put", "shmem_inline.h:5", true}, Sought::all));
}

TEST(OwnNames, OpenshmemIsCalledByItsOwnHeadersAlone) {
    const ToldFrame queue{"main", "/home/me/isthmus/queue.h:5", true};
    EXPECT_FALSE(is_of_own_headers(queue, Sought::openshmem));
    EXPECT_TRUE(is_of_own_headers(queue, Sought::all));
    const ToldFrame inlined{"main", "/usr/include/isthmus/shmem_inline.h:86", true};
    EXPECT_TRUE(is_of_own_headers(inlined, Sought::openshmem));
    const ToldFrame member{"isthmus::app::send(long*)", "m.cpp:5", true};
    EXPECT_FALSE(is_of_own_headers(member, Sought::openshmem));
    EXPECT_TRUE(is_of_own_headers(member, Sought::all));
}

TEST(OwnNames, OverloadsOfTheProgramTakeItsTypes) {
    for (const char* name : {"shmem_p(Row, int)", "shmem_p((anonymous namespace)::Row, int)",
                             "shmem_put(std::vector<long> const&, int)"})
        EXPECT_FALSE(is_of_own_headers({name, "m.cpp:92", true}, Sought::openshmem)) << name;
    for (const char* name : {"shmem_put(std::complex<double> volatile*, std::complex<double> const "
                             "volatile*, unsigned long, int)",
                             "shmem_p(isthmus_context*, long volatile*, long, int)"})
        EXPECT_TRUE(is_of_own_headers({name, "m.cpp:92", true}, Sought::openshmem)) << name;
}

TEST(OwnNames, FunctionsOfTheirOwnAreNeverTheInlinedOperations) {
    EXPECT_TRUE(is_own_function("shmem_p(long volatile*, long, int)", Sought::openshmem));
    EXPECT_FALSE(is_own_function("main", Sought::all));
    EXPECT_FALSE(is_own_function("shmem_long_p", Sought::all));
    EXPECT_FALSE(is_own_function("shmem_put_row", Sought::openshmem));
    EXPECT_TRUE(is_own_function("isthmus_put", Sought::all));
    EXPECT_FALSE(is_own_function("isthmus_put", Sought::openshmem));
}

TEST(OwnNames, SymbolsAreToldMangled) {
    EXPECT_TRUE(is_own_symbol("_Z7shmem_pPVlli"));
    EXPECT_TRUE(is_own_symbol("_ZN7isthmus3far3putEv"));
    EXPECT_TRUE(is_own_symbol("_ZNK7isthmus3far3putEv"));
    EXPECT_FALSE(is_own_symbol("_Z13shmem_put_rowPl"));
    EXPECT_FALSE(is_own_symbol("_Z99shmem_p"));
    EXPECT_FALSE(is_own_symbol("shmem_p"));
    EXPECT_FALSE(is_own_symbol("_Z"));
}

}  // namespace
}  // namespace isthmus
