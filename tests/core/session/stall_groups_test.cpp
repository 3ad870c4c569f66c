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
            doing = {pe, Doing::Rank::computing, "computing; last noted call shmem_put", 0, -1, 0,
                     ""};
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

// A job that goes on while it is looked at is no proof.
TEST(StallGroups, WhoGoesOnOrHasJustBegunIsNoProofThatNobodyCan) {
    const std::vector<Doing> all{waits(0, 1), waits(1, 0), waits(2, 0)};
    const auto why = [&](std::vector<Doing> before, const std::vector<Doing>& now) {
        doubt_what_moves(before, now, kSecond);
        return why_nobody_ends_this(before);
    };
    EXPECT_EQ(why(all, all), why_nobody_ends_this(all));
    EXPECT_NE(why(all, all), "");
    std::vector<Doing> now = all;
    now[1].waited = kSecond / 2;  // the next one
    EXPECT_EQ(why(all, now), "");
    now = all;
    now[1].peer = 2;
    EXPECT_EQ(why(all, now), "");
    now = all;
    now[1].rank = Doing::Rank::computing;
    EXPECT_EQ(why(all, now), "");
    // What the others are at says nothing of a circle.
    now = all;
    now[2].rank = Doing::Rank::computing;
    EXPECT_TRUE(why(all, now).starts_with("nobody can end this: PEs wait for each other"));
    std::vector<Doing> young = all;
    young[0].waited = kSecond / 2;
    EXPECT_EQ(why(young, all), "");
}

Doing waits_for(int pe, std::int64_t value, const char* comparison = "==") {
    Doing doing = waits(pe, -1, "in shmem_wait_until");
    doing.rest.say(", watching flags").tell_beyond(static_cast<std::uint64_t>(pe) * 8);
    doing.rest.say(" (is ").tell_unsigned(0).say("; waits for ").say(comparison).say(" ");
    doing.rest.tell_signed(value).say(")");
    return doing;
}

// The usual wait: each for a word and a value of its own.
TEST(StallGroups, WaitsOfOneCallVariableAndComparisonShareALine) {
    std::vector<Doing> all;
    for (int pe = 63; pe >= 0; --pe)
        all.push_back(waits_for(pe, pe - 1));
    EXPECT_EQ(describe_groups(all),
              (std::vector<std::string>{"PEs 0-63: in shmem_wait_until for 30.0 s, watching "
                                        "flags+0 to 504 bytes (is 0; waits for == -1 to 62)"}));
    EXPECT_EQ(describe_groups({waits_for(0, 1), waits_for(1, 1, ">")}).size(), 2u);
    EXPECT_EQ(describe_groups({waits_for(0, 1), waits_for(2, 1)}, 0),
              (std::vector<std::string>{"PE 2: in shmem_wait_until for 30.0 s, watching flags+16 "
                                        "bytes (is 0; waits for == 1)"}));
    EXPECT_EQ(describe_groups({waits_for(0, 1)})[0],
              "PE 0: in shmem_wait_until for 30.0 s, watching flags (is 0; waits for == 1)");
    Doing any = waits(0, -1);
    Doing other = waits(1, -1);
    any.rest.tell_list(" 1, 2");
    other.rest.tell_list(" 1, 3");
    EXPECT_EQ(describe_groups({any, any}).size(), 1u);
    EXPECT_NE(describe_groups({any, other})[0].find("values that differ"), std::string::npos);
}

// They are the likeliest cause, and end nothing.
TEST(StallGroups, WhoHasLeftWaits) {
    std::vector<Doing> all = {waits(0, -1, "in shmem_wait_until")};
    for (const int pe : {2, 3}) {
        Doing left;
        left.pe = pe;
        left.rank = Doing::Rank::leaves;
        left.what = "on host b, has exited without shmem_finalize, and waits for the others";
        all.insert(all.begin(), left);
    }
    EXPECT_EQ(why_nobody_ends_this(all),
              "nobody can end this: all PEs wait (unless a thread of the program goes on)");
    EXPECT_EQ(describe_groups(all),
              (std::vector<std::string>{"PEs 2,3: on host b, have exited without shmem_finalize, "
                                        "and wait for the others",
                                        "PE 0: in shmem_wait_until for 30.0 s"}));
    all[0].pe = 1;
    all[0].what = "has failed";
    all[1].what = "calls shmem_test in vain";
    EXPECT_EQ(describe_groups(all, 0), (std::vector<std::string>{"PE 1: has failed",
                                                                 "PE 2: calls shmem_test in "
                                                                 "vain"}));
    all[0].what = all[1].what;
    EXPECT_EQ(describe_groups(all, 0)[0], "PEs 1,2: call shmem_test in vain");
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

// Splits give teams of different members the same number.
TEST(StallGroups, TeamsOfOneNumberAreToldApart) {
    const auto in_team = [](int pe, int peer) {
        Doing doing = waits(pe, peer, "in shmem_team_sync");
        doing.rest = ", in team 2";
        doing.team = 2;
        return doing;
    };
    EXPECT_EQ(
        describe_groups({in_team(0, 2), in_team(1, 2), in_team(3, 5), in_team(4, 3), waits(6, 2)}),
        (std::vector<std::string>{
            "PEs 0,1: in shmem_team_sync for 30.0 s, waiting for PE 2, in team 2",
            "PEs 3,4: in shmem_team_sync for 30.0 s, waiting for PEs 3,5, in team 2",
            "PE 6: in shmem_barrier_all for 30.0 s, waiting for PE 2"}));
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
    EXPECT_EQ(why_nobody_ends_this({waits(0, 1), waits(1, 0, "in shmem_broadcast")}, true),
              circle +
                  "; if they are of one team, these calls differ: shmem_barrier_all at PE 0, "
                  "shmem_broadcast at PE 1");
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
