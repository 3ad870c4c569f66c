#include "core/job/job.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/os.hpp"
#include "core/job/last_words.hpp"
#include "core/session/attach.hpp"

namespace isthmus {
namespace {

int variable = 7;

// A job of one PE in this process, for what reads the job.
class JobTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
        attach_job();
    }
    void TearDown() override {
        detach_job();
        unsetenv("SHMEM_SYMMETRIC_SIZE");
    }
};

TEST_F(JobTest, KnowsWhatIsSymmetric) {
    EXPECT_TRUE(attached());
    EXPECT_EQ(why_not_symmetric(&variable, sizeof variable), "");
    const auto* const heap = reinterpret_cast<const char*>(job.heap.begin + kInternalSize);
    EXPECT_EQ(why_not_symmetric(heap, 1 << 20), "");
    EXPECT_NE(why_not_symmetric(heap, (1 << 20) + 1).find("1 bytes past the end"),
              std::string::npos);
    EXPECT_NE(why_not_symmetric(heap - 1, 1), "") << "the library's own part is not the user's";
    int local = 0;
    EXPECT_NE(why_not_symmetric(&local, 4).find("on the stack"), std::string::npos);
    EXPECT_EQ(why_not_symmetric(nullptr, 4), "the address is null");
}

TEST_F(JobTest, BeginsAgainWithZeros) {
    auto* const word = reinterpret_cast<int*>(job.heap.begin + kInternalSize);
    *word = 5;
    detach_job();
    EXPECT_FALSE(attached());
    attach_job();
    EXPECT_EQ(*word, 0);
    EXPECT_EQ(variable, 7);
}

// A job of two PEs that are nobody; this process is the first.
class JobEnd : public testing::Test {
  protected:
    void SetUp() override {
        header.pes = 2;
        job.header = &header;
        job.me = 0;
    }
    void TearDown() override { job = saved_; }

    JobHeader header{};

  private:
    const Job saved_ = job;
};

TEST_F(JobEnd, TheFirstToClaimMaySpeak) {
    EXPECT_TRUE(claim_end(3));
    EXPECT_TRUE(claim_end(4)) << "it may speak again";
    job.me = 1;
    EXPECT_FALSE(claim_end(5));
    EXPECT_EQ(header.exit_status.load(), 3);
    EXPECT_EQ(header.ended_by.load(), 1);
}

// What the system does not keep of a status would say something else to others.
TEST_F(JobEnd, KeepsOfAStatusWhatTheSystemKeeps) {
    EXPECT_TRUE(claim_end(-1));
    EXPECT_EQ(header.exit_status.load(), 255);
}

// A thread that comes to its end behind another one, or behind another PE that has told of its own,
// has that one's status, and comes second.
TEST_F(JobEnd, WhoComesBehindHasTheStatusOfTheFirst) {
    EXPECT_FALSE(ends_behind_another());
    EXPECT_EQ(status_of_end(1), 1);
    std::thread([] { claim_end(9); }).join();
    EXPECT_TRUE(ends_behind_another());
    EXPECT_EQ(status_of_end(1), 9);
    job.me = 1;
    EXPECT_TRUE(ends_behind_another());
    EXPECT_EQ(status_of_end(1), 1) << "it has not been told yet";
    header.ended = kTold;
    EXPECT_EQ(status_of_end(1), 9);
    header.ended = 0;
    header.ended_by = 0;
    EXPECT_TRUE(claim_end(3));
    EXPECT_FALSE(ends_behind_another());
}

TEST_F(JobEnd, NobodyElseMaySpeakBeforeTheFirstHasSaidWhoItIs) {
    header.ended = kEnding;
    for (job.me = 0; job.me < 2; ++job.me)
        EXPECT_FALSE(claim_end(1)) << job.me;
}

}  // namespace
}  // namespace isthmus
