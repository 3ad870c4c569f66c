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
        EXPECT_TRUE(is_of_own_headers(std::string(name) + "(long*)", "m.cpp:92", true)) << name;
    for (const char* name : {"shmem_put_row(long*)", "shmem_pu(long*)", "shmem_(long*)",
                             "my::shmem_put(long*)", "put(long*)", "shmem_put"})
        EXPECT_FALSE(is_of_own_headers(name, "m.cpp:92", true)) << name;
}

TEST(OwnNames, AHeaderIsOwnByItsFolderAndItsName) {
    const char* const own = "/usr/include/isthmus/shmem_inline.h:132";
    EXPECT_TRUE(is_of_own_headers("shmem_long_put", own, false));
    EXPECT_TRUE(is_of_own_headers("main", own, true));
    EXPECT_FALSE(is_of_own_headers("push", "/home/me/isthmus/queue.h:5", false));
    EXPECT_FALSE(is_of_own_headers("push", "/home/me/isthmus/model.h:5", true));
    EXPECT_FALSE(is_of_own_headers("shmem_long_put", "/home/me/shmem_inline.h:5", true));
    EXPECT_FALSE(is_of_own_headers("shmem_long_put", "shmem_inline.h:5", true));
}

TEST(OwnNames, SymbolsAreToldMangled) {
    EXPECT_TRUE(is_own_symbol("_Z7shmem_pPVlli"));
    EXPECT_TRUE(is_own_symbol("_ZN7isthmus3far3putEv"));
    EXPECT_FALSE(is_own_symbol("_Z13shmem_put_rowPl"));
    EXPECT_FALSE(is_own_symbol("_Z99shmem_p"));
    EXPECT_FALSE(is_own_symbol("shmem_p"));
    EXPECT_FALSE(is_own_symbol("_Z"));
}

}  // namespace
}  // namespace isthmus
