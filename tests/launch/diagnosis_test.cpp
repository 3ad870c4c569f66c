#include "launch/diagnosis.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "launch/signals.hpp"

namespace isthmus::launch {
namespace {

constexpr int exited(int status) {
    return status << 8;
}

struct Case {
    PeEnd end;
    const char* line;
    bool ends;
    int status;
};

// The texts are a contract: docs/tools/isthmus-run.md shows them.
TEST(Diagnosis, Lines) {
    const Case cases[] = {
        {{1, exited(1), PeState::running, Routine::finalize, false},
         "isthmus: PE 1 (host b): exited with status 1 before shmem_finalize; last noted call "
         "shmem_finalize (if it has returned, shmem_init was called more often); the job ends",
         true,
         1},
        {{1, SIGSEGV, PeState::running, Routine::finalize, false},
         "isthmus: PE 1 (host b): killed by SIGSEGV (segmentation fault); last noted call "
         "shmem_finalize; the job ends",
         true,
         139},
        {{2, SIGSEGV, PeState::running, Routine::barrier_all, false},
         "isthmus: PE 2 (host b): killed by SIGSEGV (segmentation fault); last noted call "
         "shmem_barrier_all; the job ends",
         true,
         139},
        {{2, SIGABRT | 0x80, PeState::loaded, Routine::none, false},
         "isthmus: PE 2 (host b): killed by SIGABRT (aborted), core dumped; last noted call none; "
         "the "
         "job ends",
         true,
         134},
        {{0, SIGKILL, PeState::absent, Routine::none, false},
         "isthmus: PE 0 (host b): killed by SIGKILL (killed); the job ends",
         true,
         137},
        {{0, SIGKILL, PeState::running, Routine::putmem, true},
         "isthmus: PE 0 (host b): killed by SIGKILL (killed); the system ran out of memory "
         "meanwhile; last noted call shmem_putmem; the job ends",
         true,
         137},
        {{1, SIGTERM, PeState::finalized, Routine::finalize, false},
         "isthmus: PE 1 (host b): killed by SIGTERM (terminated); last noted call shmem_finalize; "
         "the "
         "job ends",
         true,
         143},
        {{255, exited(3), PeState::absent, Routine::none, false},
         "isthmus: PE 255 (host b): exited with status 3; the job ends",
         true,
         3},
        {{1, exited(3), PeState::running, Routine::putmem, false},
         "isthmus: PE 1 (host b): exited with status 3 before shmem_finalize; last noted call "
         "shmem_putmem; the job ends",
         true,
         3},
        {{1, exited(0), PeState::running, Routine::init, false},
         "isthmus: PE 1 (host b): exited with status 0 before shmem_finalize; last noted call "
         "shmem_init; the job ends",
         true,
         1},
        {{1, exited(4), PeState::loaded, Routine::none, false},
         "isthmus: PE 1 (host b): exited with status 4 before shmem_init; last noted call none; "
         "the job "
         "ends",
         true,
         4},
        {{1, exited(0), PeState::loaded, Routine::init, false},
         "isthmus: PE 1 (host b): exited with status 0 in the middle of shmem_init; the job ends",
         true,
         1},
        {{1, exited(3), PeState::finalized, Routine::init_thread, false},
         "isthmus: PE 1 (host b): exited with status 3 in the middle of shmem_init; the job ends",
         true,
         3},
        {{1, exited(139), PeState::absent, Routine::none, false},
         "isthmus: PE 1 (host b): exited with status 139 (128 + SIGSEGV (segmentation fault)); the "
         "job ends",
         true,
         139},
        {{1, exited(5), PeState::finalized, Routine::finalize, false},
         "isthmus: PE 1 (host b): exited with status 5 after shmem_finalize",
         false,
         5},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(describe_end(c.end, "b"), c.line);
        EXPECT_EQ(ends_job(c.end), c.ends) << c.line;
        EXPECT_EQ(job_status(c.end), c.status) << c.line;
    }
}

TEST(Diagnosis, GoodEnds) {
    for (const PeState state : {PeState::absent, PeState::loaded, PeState::finalized}) {
        const PeEnd end{0, exited(0), state, Routine::none, false};
        EXPECT_FALSE(ends_job(end));
        EXPECT_EQ(job_status(end), 0);
    }
}

TEST(Diagnosis, ListsPes) {
    EXPECT_EQ(list_pes({}), "");
    EXPECT_EQ(list_pes({4}), "4");
    EXPECT_EQ(list_pes({0, 1}), "0 and 1");
    EXPECT_EQ(list_pes({0, 1, 2}), "0-2");
    EXPECT_EQ(list_pes({0, 2, 3, 4, 7}), "0, 2-4 and 7");
}

TEST(Diagnosis, LastCalls) {
    const auto header = std::make_unique<JobHeader>();
    for (const int pe : {0, 2, 3}) {
        header->pe[pe].state.store(PeState::running, std::memory_order_relaxed);
        header->pe[pe].routine.store(Routine::barrier_all, std::memory_order_relaxed);
    }
    header->pe[1].state.store(PeState::loaded, std::memory_order_relaxed);
    EXPECT_EQ(describe_last_calls(*header, {0, 1, 2, 3, 4}),
              "none at PE 1; shmem_barrier_all at PE 0, 2 and 3");
    EXPECT_EQ(describe_last_calls(*header, {4, 5}), "");
    // Another process wrote this number: it may be anything.
    header->pe[0].routine.store(static_cast<Routine>(123456), std::memory_order_relaxed);
    EXPECT_EQ(describe_last_calls(*header, {0}), "none at PE 0");
}

TEST(Signals, Names) {
    EXPECT_EQ(describe_signal(SIGBUS), "SIGBUS (bus error)");
    EXPECT_EQ(describe_signal(SIGXCPU), "SIGXCPU (CPU time limit exceeded)");
    EXPECT_EQ(describe_signal(40), "signal 40");
    EXPECT_EQ(use_of(SIGINT), SignalUse::end);
    EXPECT_EQ(use_of(SIGTSTP), SignalUse::suspend);
    EXPECT_EQ(use_of(SIGUSR1), SignalUse::pass);
}

}  // namespace
}  // namespace isthmus::launch
