#include "base/error.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace isthmus {
namespace {

using ErrorDeathTest = testing::Test;

TEST(ErrorDeathTest, FailNamesWhereAndWhat) {
    EXPECT_EXIT(fail("shmem_putmem", "pe 9 is out of range 0..3"), testing::ExitedWithCode(1),
                "^isthmus: shmem_putmem: pe 9 is out of range 0\\.\\.3\n$");
}

TEST(ErrorDeathTest, FailNamesItsPeOnceItIsKnown) {
    EXPECT_EXIT(
        {
            set_speaker(3);
            fail("", "out of luck");
        },
        testing::ExitedWithCode(1), "^isthmus: PE 3 \\(host [^)]+\\): out of luck\n$");
}

TEST(ErrorDeathTest, OnlyTheFirstToFailSpeaks) {
    EXPECT_EXIT(
        {
            set_job_end({[](int) { return false; }, [](int status) { _exit(status + 40); }});
            fail("shmem_putmem", "not said");
        },
        testing::ExitedWithCode(41), "^$");
}

TEST(Error, TheHostHasAName) {
    EXPECT_FALSE(host_name().empty());
}

}  // namespace
}  // namespace isthmus
