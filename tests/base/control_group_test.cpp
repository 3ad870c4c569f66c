#include "base/control_group.hpp"

#include <gtest/gtest.h>

namespace isthmus::os {
namespace {

using Files = std::vector<std::string>;

TEST(ControlGroup, LimitsOfVersionTwoAreReadUpToTheRoot) {
    EXPECT_EQ(memory_limit_files("0::/user.slice/job_7\n"),
              (Files{"/sys/fs/cgroup/user.slice/job_7/memory.max",
                     "/sys/fs/cgroup/user.slice/memory.max", "/sys/fs/cgroup/memory.max"}));
}

TEST(ControlGroup, LimitsOfVersionOneAreReadUpToTheRoot) {
    EXPECT_EQ(memory_limit_files("9:pids:/x\n4:hugetlb,memory:/slurm/uid_0\n1:name=memory:/y\n"),
              (Files{"/sys/fs/cgroup/memory/slurm/uid_0/memory.limit_in_bytes",
                     "/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes",
                     "/sys/fs/cgroup/memory/memory.limit_in_bytes"}));
}

TEST(ControlGroup, TheRootIsReadOnce) {
    EXPECT_EQ(memory_limit_files("0::/"), Files{"/sys/fs/cgroup/memory.max"});
}

TEST(ControlGroup, NamesMayHoldColons) {
    EXPECT_EQ(memory_limit_files("0::/a:b").front(), "/sys/fs/cgroup/a:b/memory.max");
}

TEST(ControlGroup, WhatIsNoLineIsPassedOver) {
    for (const char* text : {"", "\n\n", "0:", "0::", "::", "0::relative", "memory", "4:memory"})
        EXPECT_EQ(memory_limit_files(text), Files{}) << text;
}

TEST(ControlGroup, ALimitIsSomeMemory) {
    EXPECT_GT(memory_limit(), 1u << 20);
}

}  // namespace
}  // namespace isthmus::os
