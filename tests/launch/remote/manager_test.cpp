#include "launch/remote/manager.hpp"

#include <gtest/gtest.h>

namespace isthmus::launch {
namespace {

// PEs 2 and 3 of 5.
class HostManagerTest : public testing::Test {
  protected:
    HostManager manager{2, 2, 5, "isthmus-1", "(vector,(0,1,2),(1,1,3))"};
};

TEST_F(HostManagerTest, KnowsWhoHasBegunAndLeft) {
    EXPECT_FALSE(manager.has_begun(2));
    const auto first = manager.take_line(2, "cmd=init pmi_version=1 pmi_subversion=1");
    EXPECT_EQ(first.answer, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    EXPECT_TRUE(first.began);
    EXPECT_FALSE(manager.take_line(2, "cmd=init pmi_version=1 pmi_subversion=1").began);
    EXPECT_TRUE(manager.has_begun(2));
    EXPECT_FALSE(manager.has_begun(3));
    EXPECT_TRUE(manager.take_line(2, "cmd=finalize").left);
    EXPECT_TRUE(manager.has_left(2));
}

TEST_F(HostManagerTest, KnowsWhoHasLeftAndComeAgain) {
    manager.take_line(2, "cmd=init pmi_version=1 pmi_subversion=1");
    const auto left = manager.take_line(2, "cmd=isthmus_leave");
    EXPECT_TRUE(left.left);
    EXPECT_EQ(left.answer, "");
    EXPECT_TRUE(manager.has_left(2));
    EXPECT_TRUE(manager.take_line(2, "cmd=isthmus_start in=1").began);
    EXPECT_FALSE(manager.has_left(2));
    EXPECT_FALSE(manager.take_line(2, "cmd=isthmus_start in=0").began);
    EXPECT_TRUE(manager.take_line(2, "cmd=isthmus_leave").left);
    EXPECT_FALSE(manager.take_line(2, "cmd=finalize").left);
}

TEST_F(HostManagerTest, HearsOfADeath) {
    EXPECT_EQ(manager.take_line(2, "cmd=isthmus_death signal=11").signal, 11);
    EXPECT_EQ(manager.take_line(3, "cmd=isthmus_death signal=6").answer, "");
}

TEST_F(HostManagerTest, OfAnotherVersionIsRefused) {
    EXPECT_NE(manager.take_line(2, "cmd=init pmi_version=2 pmi_subversion=0").answer.find("rc=-1"),
              std::string::npos);
}

TEST_F(HostManagerTest, AnswersWhatClientsAsk) {
    EXPECT_NE(manager.take_line(3, "cmd=get_maxes").answer.find("vallen_max=1024"),
              std::string::npos);
    EXPECT_EQ(manager.take_line(3, "cmd=get_universe_size").answer, "cmd=universe_size size=5\n");
    EXPECT_EQ(manager.take_line(3, "cmd=get_appnum").answer, "cmd=appnum appnum=0\n");
    EXPECT_EQ(manager.take_line(3, "cmd=lookup_name service=x").answer,
              "cmd=lookup_name_result rc=-1 msg=not_offered\n");
    EXPECT_EQ(manager.take_line(3, "cmd=get_my_kvsname").answer,
              "cmd=my_kvsname kvsname=isthmus-1\n");
}

TEST_F(HostManagerTest, TellsWhoIsWhere) {
    const std::string question = "cmd=get kvsname=isthmus-1 key=PMI_process_mapping";
    EXPECT_EQ(manager.take_line(2, question).answer,
              "cmd=get_result rc=0 msg=success value=(vector,(0,1,2),(1,1,3))\n");
    // No client has room for more than a value's length.
    HostManager of_many{0, 1, 5, "isthmus-1", std::string(1024, '1')};
    EXPECT_NE(of_many.take_line(0, question).answer.find("rc=-1"), std::string::npos);
}

TEST_F(HostManagerTest, ValuesAreEverybodysBehindTheBarrier) {
    const auto put = manager.take_line(2, "cmd=put kvsname=isthmus key=a value=0f");
    EXPECT_EQ(put.key, "a");
    EXPECT_EQ(put.value, "0f");
    EXPECT_NE(put.answer.find("rc=0"), std::string::npos);
    EXPECT_NE(manager.take_line(3, "cmd=get kvsname=isthmus key=a").answer.find("rc=-1"),
              std::string::npos);
    EXPECT_FALSE(manager.take_line(2, "cmd=barrier_in").all_arrived);
    EXPECT_TRUE(manager.is_waiting(2));
    EXPECT_TRUE(manager.take_line(3, "cmd=barrier_in").all_arrived);
    manager.learn("a", "0f");
    EXPECT_EQ(manager.go_on(), "cmd=barrier_out\n");
    EXPECT_FALSE(manager.is_waiting(3));
    EXPECT_EQ(manager.take_line(3, "cmd=get kvsname=isthmus key=a").answer,
              "cmd=get_result rc=0 msg=success value=0f\n");
    // A name has one value.
    EXPECT_NE(manager.take_line(2, "cmd=put kvsname=isthmus key=a value=1").answer.find("rc=-1"),
              std::string::npos);
}

TEST_F(HostManagerTest, EveryBarrierNeedsAll) {
    for (int round = 0; round < 3; ++round) {
        EXPECT_FALSE(manager.take_line(3, "cmd=barrier_in").all_arrived);
        EXPECT_TRUE(manager.take_line(2, "cmd=barrier_in").all_arrived);
        manager.go_on();
    }
}

TEST_F(HostManagerTest, TellsOfAnAbortAndOfNonsense) {
    const auto abort = manager.take_line(2, "cmd=abort exitcode=9");
    EXPECT_TRUE(abort.aborts);
    EXPECT_EQ(abort.status, 9);
    EXPECT_FALSE(abort.has_words);
    for (const char* line : {"", "nonsense", "mcmd=spawn", "key=value"})
        EXPECT_NE(manager.take_line(2, line).problem, "") << line;
}

TEST_F(HostManagerTest, HandsOnWhatAnAbortSays) {
    const std::string line = "cmd=abort exitcode=1 isthmus_words=";
    const auto abort = manager.take_line(2, line + "50452033");
    EXPECT_TRUE(abort.has_words);
    EXPECT_EQ(abort.words, "PE 3");
    EXPECT_TRUE(manager.take_line(2, line).has_words);
    for (const char* damaged : {"5", "5x", "zz"})
        EXPECT_EQ(manager.take_line(2, line + damaged).words, "") << damaged;
}

TEST_F(HostManagerTest, IsToldOfTheStart) {
    const auto begin = manager.take_line(2, "cmd=isthmus_start in=1");
    EXPECT_TRUE(begin.starts);
    EXPECT_EQ(begin.answer, "cmd=isthmus_start_result rc=0\n");
    const auto end = manager.take_line(2, "cmd=isthmus_start in=0");
    EXPECT_FALSE(end.starts);
    EXPECT_TRUE(end.has_started);
}

}  // namespace
}  // namespace isthmus::launch
