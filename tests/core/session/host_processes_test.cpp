#include "core/session/host_processes.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace isthmus {
namespace {

constexpr pid_t kManager = 999'999'999;  // that no process has

// Of a child, in a PID namespace of its own or in this one; 2: the system lets nobody make one.
template <typename Does>
int in_child(bool in_own_namespace, const Does& does) {
    const auto status_of = [](pid_t child) {
        int status = 0;
        return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
    };
    const pid_t child = fork();
    if (child != 0) return status_of(child);
    if (!in_own_namespace) _exit(does());
    if (unshare(CLONE_NEWPID) != 0) _exit(2);
    const pid_t inner = fork();
    _exit(inner == 0 ? does() : status_of(inner));
}

int hears_of_end() {
    return HostProcesses::is_end_told(kManager) ? 1 : 0;
}

TEST(HostProcesses, HearOfAnEndInTheirPidNamespace) {
    EXPECT_EQ(in_child(false, hears_of_end), 0);
    const Descriptor told = HostProcesses::tell_end(kManager);
    EXPECT_EQ(in_child(false, hears_of_end), 1);
}

// Containers may have one network, and so the names, in common, and the numbers of processes not.
TEST(HostProcesses, HearOfNoEndInAnotherPidNamespace) {
    const Descriptor told = HostProcesses::tell_end(kManager);
    const int heard = in_child(true, hears_of_end);
    if (heard == 2) GTEST_SKIP() << "no PID namespace can be made here";
    EXPECT_EQ(heard, 0);
}

// And who tells it there keeps nobody from telling it here.
TEST(HostProcesses, TellOfAnEndInEachPidNamespace) {
    const Descriptor told = HostProcesses::tell_end(kManager);
    ASSERT_GE(told.file(), 0);
    const int can = in_child(true, [] {
        const Descriptor also = HostProcesses::tell_end(kManager);
        return also.file() >= 0 ? 0 : 1;
    });
    if (can == 2) GTEST_SKIP() << "no PID namespace can be made here";
    EXPECT_EQ(can, 0);
}

}  // namespace
}  // namespace isthmus
