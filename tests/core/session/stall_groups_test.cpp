// What a stall report says of many PEs.
#include "core/session/stall_groups.hpp"

#include <gtest/gtest.h>

using namespace isthmus;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

Doing waits(int pe, int peer, const std::string& what = "in shmem_barrier_all") {
    Doing doing;
    doing.pe = pe;
    doing.rank = peer < 0 ? Doing::Rank::awaits_word : Doing::Rank::awaits_pe;
    doing.what = what;
    doing.waited = 30 * kSecond;
    doing.peer = peer;
    return doing;
}

TEST(StallGroups, PesAreNamedInFewWords) {
    EXPECT_EQ(name_pes({7}), "PE 7");
    EXPECT_EQ(name_pes({1, 2}), "PEs 1,2");
    EXPECT_EQ(name_pes({0, 1, 2, 5}), "PEs 0-2,5");
    std::vector<int> even;
    for (int pe = 0; pe < 64; pe += 2)
        even.push_back(pe);
    EXPECT_EQ(name_pes(even), "PEs 0,2,4,6,8,10 and 26 more");
}

// 64 PEs: one computes, one waits for a word, the others in a barrier for each other.
TEST(StallGroups, SixtyFourPesAreThreeLinesTheCauseFirst) {
    std::vector<Doing> all;
    for (int pe = 0; pe < 64; ++pe) {
        Doing doing = waits(pe, (pe + 63) % 64);
        if (pe == 40)
            doing = {pe, Doing::Rank::computing, "computing; last noted call shmem_put", 0, -1, ""};
        if (pe == 7) {
            doing = waits(pe, -1, "in shmem_wait_until");
            doing.rest = ", watching flag (is 0; waits for == 1)";
        }
        if (pe == 8) doing.waited += kSecond;
        all.push_back(doing);
    }
    const std::vector<std::string> lines = describe_groups(all);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0], "PE 40: computing; last noted call shmem_put");
    EXPECT_EQ(lines[1],
              "PE 7: in shmem_wait_until for 30.0 s, watching flag (is 0; waits for == 1)");
    EXPECT_EQ(lines[2],
              "PEs 0-6,8-39,41-63: in shmem_barrier_all for 30.0 s to 31.0 s, waiting for PEs "
              "0-5,7-38,40-63");
    EXPECT_EQ(why_nobody_ends_this(all), "");
}

// PE 3 waits for a word, PE 2 for PE 3, the others in the end for PE 2.
TEST(StallGroups, AmongThoseThatWaitForPesTheCauseIsFirst) {
    const std::vector<Doing> all = {waits(0, 1), waits(1, 2), waits(2, 3, "in shmem_set_lock"),
                                    waits(3, -1, "in shmem_wait_until")};
    EXPECT_EQ(describe_groups(all),
              (std::vector<std::string>{
                  "PE 3: in shmem_wait_until for 30.0 s",
                  "PE 2: in shmem_set_lock for 30.0 s, waiting for PE 3",
                  "PEs 0,1: in shmem_barrier_all for 30.0 s, waiting for PEs 1,2"}));
    // Who has told of itself still counts.
    EXPECT_EQ(describe_groups(all, 2).size(), 2u);
    EXPECT_EQ(
        describe_groups({waits(0, 1), waits(1, 2), waits(2, 3, "in shmem_set_lock"),
                         waits(3, 2, "in shmem_team_sync")},
                        1),
        (std::vector<std::string>{"PE 2: in shmem_set_lock for 30.0 s, waiting for PE 3",
                                  "PE 3: in shmem_team_sync for 30.0 s, waiting for PE 2",
                                  "PE 0: in shmem_barrier_all for 30.0 s, waiting for PE 1"}));
}

TEST(StallGroups, ACircleIsToldWhereOthersDoNotWait) {
    Doing computes;
    computes.pe = 2;
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 0), computes}),
              "nobody can end this: PEs wait for each other in a circle: PE 0 for PE 1 for PE 0 "
              "(unless a thread of the program goes on)");
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 2), computes}), "");
}

TEST(StallGroups, ACircleOfDifferentCollectivesIsToldWhatNamesThem) {
    const std::string circle =
        "nobody can end this: all PEs wait, in a circle: PE 0 for PE 1 for PE 0 (unless a thread "
        "of "
        "the program goes on)";
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 0, "in shmem_broadcast")}),
              circle + "; if they are of one team, ISTHMUS_CHECK=1 names the call that differs");
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 0)}), circle);
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 0, "in shmem_set_lock")}), circle);
}

TEST(StallGroups, NobodyEndsWhatAllWaitFor) {
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 2), waits(2, 1)}),
              "nobody can end this: all PEs wait, in a circle: PE 1 for PE 2 for PE 1 (unless a "
              "thread of the program goes on)");
    EXPECT_EQ(why_nobody_ends_this({waits(0, -1), waits(1, -1)}),
              "nobody can end this: all PEs wait (unless a thread of the program goes on)");
    Doing far;
    far.pe = 2;
    far.rank = Doing::Rank::gone;
    far.what = "on host b";
    EXPECT_EQ(why_nobody_ends_this({waits(0, -1), waits(1, 0), far}), "");
}

}  // namespace
