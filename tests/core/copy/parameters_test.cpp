#include "core/copy/parameters.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/copy/measure.hpp"
#include "core/copy/recent.hpp"
#if defined(__x86_64__)
#include "core/copy/roads.hpp"
#endif

namespace isthmus {
namespace {

constexpr std::size_t kKilo = 1024;
constexpr std::size_t kMega = kKilo * kKilo;

// Zen 5: 48 KiB, 1 MiB, and 32 MiB between two. Sapphire Rapids: 48 KiB, 2 MiB, and 105 MiB between
// 56.
const Caches kEpyc{48 * kKilo, kMega, 16 * kMega, 2};
const Caches kXeon{48 * kKilo, 2 * kMega, 105 * kMega / 56, 56};

// What was measured on each, GB/s.
using Figures = std::vector<CopyFigure>;
const Figures kOfEpyc{
    {"inner", 65536, Way::upwards, 84},
    {"inner", 65536, Way::claimed, 76},
    {"inner", 65536, Way::alternating, 104},
    {"inner", 65536, Way::alternating_claimed, 81},
    {"inner", 65536, Way::string, 117},
    {"ahead", 65536, Way::upwards, 60},
    {"ahead-downwards", 65536, Way::upwards, 80},
    {"outer", 2097152, Way::upwards, 48},
    {"outer", 2097152, Way::claimed, 50},
    {"outer", 2097152, Way::alternating, 50},
    {"outer", 2097152, Way::alternating_claimed, 52},
    {"outer", 2097152, Way::string, 57},
    {"outer", 2097152, Way::streamed_narrow, 38},
    {"outer", 2097152, Way::streamed, 38},
    {"fresh", 262144, Way::upwards, 17},
    {"fresh", 262144, Way::claimed, 16},
    {"fresh", 262144, Way::string, 18},
    {"fresh", 262144, Way::streamed_narrow, 21},
    {"fresh", 262144, Way::streamed, 20},
};
const Figures kOfXeon{
    {"inner", 65536, Way::upwards, 41},
    {"inner", 65536, Way::claimed, 48},
    {"inner", 65536, Way::alternating, 52},
    {"inner", 65536, Way::alternating_claimed, 60},
    {"inner", 65536, Way::string, 42},
    {"ahead", 65536, Way::alternating_claimed, 66},
    {"ahead-downwards", 65536, Way::alternating_claimed, 47},
    {"outer", 4194304, Way::upwards, 11},
    {"outer", 4194304, Way::claimed, 12},
    {"outer", 4194304, Way::alternating, 16},
    {"outer", 4194304, Way::alternating_claimed, 17.3},
    {"outer", 4194304, Way::string, 14},
    {"outer", 4194304, Way::streamed_narrow, 18.1},
    {"outer", 4194304, Way::streamed, 18.3},
    {"fresh", 262144, Way::upwards, 8},
    {"fresh", 262144, Way::claimed, 9},
    {"fresh", 262144, Way::string, 9.1},
    {"fresh", 262144, Way::streamed_narrow, 9},
    {"fresh", 262144, Way::streamed, 9.2},
};

CopyParameters chosen(const Caches& caches, const Figures& figures) {
    return choose_by_figures(standard_parameters(caches), caches, figures);
}

TEST(CopyParameters, FollowTheCaches) {
    const CopyParameters epyc = standard_parameters(kEpyc);
    EXPECT_EQ(epyc.turn, 23040u);
    EXPECT_EQ(epyc.outer_from, 512 * kKilo);
    EXPECT_EQ(epyc.beyond_from, 17 * kMega / 4 * 3);
    EXPECT_EQ(epyc.reuse, 17 * kMega / 2);
    const CopyParameters xeon = standard_parameters(kXeon);
    EXPECT_EQ(xeon.outer_from, kMega);
    EXPECT_EQ(xeon.beyond_from, 3 * kMega);  // 3/2 of the second level: the last adds less
    EXPECT_LT(xeon.reuse, 2 * kMega);
}

TEST(CopyParameters, AreLegalWhereNothingIsKnown) {
    const CopyParameters unknown = standard_parameters({});
    EXPECT_TRUE(parse_parameters(parameters_text(unknown, "none"), "none"));
    // As small as caches have been, and a second level that is smaller than the first.
    for (const Caches& caches : {Caches{8192, 0, 0, 1}, Caches{kMega, 65536, 0, 1}})
        EXPECT_TRUE(parse_parameters(parameters_text(standard_parameters(caches), "none"), "none"));
}

TEST(CopyParameters, TakeWhatIsFastestThere) {
    const CopyParameters epyc = chosen(kEpyc, kOfEpyc);
    EXPECT_EQ(epyc.inner, Way::string);
    EXPECT_EQ(epyc.outer, Way::string);
    EXPECT_EQ(epyc.fresh, Way::streamed_narrow);
    EXPECT_EQ(epyc.beyond_from, standard_parameters(kEpyc).beyond_from);
    const CopyParameters xeon = chosen(kXeon, kOfXeon);
    EXPECT_EQ(xeon.inner, Way::alternating_claimed);
    EXPECT_EQ(xeon.outer, Way::alternating_claimed);
    EXPECT_EQ(xeon.fresh, Way::streamed);
    EXPECT_EQ(xeon.beyond, Way::streamed);
    EXPECT_EQ(xeon.beyond_from, 3 * kMega);
}

// A cloud machine shows the last level of the whole processor to two: measuring finds out.
TEST(CopyParameters, StreamWhereTheLastLevelIsSlow) {
    const Caches shown{48 * kKilo, 2 * kMega, 130 * kMega, 2};
    EXPECT_GT(standard_parameters(shown).beyond_from, 90 * kMega);
    EXPECT_EQ(chosen(shown, kOfXeon).beyond_from, 3 * kMega);
}

// What a cloud machine shows is no reason to take a block for one that the caches still hold.
TEST(CopyParameters, RememberNoMoreThanTheyHavePlacesFor) {
    EXPECT_EQ(standard_parameters({48 * kKilo, 2 * kMega, 240 * kMega, 2}).reuse, Recent::kSpan);
}

// A last level that is hardly faster than memory: only what is nearer counts as met.
TEST(CopyParameters, ForgetWhatTheLastLevelHoldsWhereItIsSlow) {
    const Caches shown{48 * kKilo, 2 * kMega, 240 * kMega, 2};
    Figures figures{{"outer", 4194304, Way::upwards, 14.1},
                    {"outer", 4194304, Way::alternating, 20},
                    {"outer", 4194304, Way::string, 14.3},
                    {"outer", 4194304, Way::streamed_narrow, 12.9},
                    {"outer", 4194304, Way::streamed, 13.4}};
    EXPECT_EQ(chosen(shown, figures).reuse, 4 * kMega);
    figures[2].gigabytes = 17;
    EXPECT_EQ(chosen(shown, figures).reuse, Recent::kSpan);
    EXPECT_EQ(chosen(shown, {}).reuse, Recent::kSpan);
    EXPECT_EQ(chosen(kEpyc, kOfEpyc).reuse, standard_parameters(kEpyc).reuse);
    EXPECT_EQ(chosen(kXeon, kOfXeon).reuse, standard_parameters(kXeon).reuse);
}

// Aliases run downwards unless the way of other blocks is clearly faster there too.
TEST(CopyParameters, ShunAliasesUnlessThatIsSlower) {
    EXPECT_TRUE(chosen(kEpyc, kOfEpyc).shun_alias);
    EXPECT_FALSE(chosen(kXeon, kOfXeon).shun_alias);
    EXPECT_TRUE(chosen(kXeon, {}).shun_alias);
    Figures figures{{"inner", 65536, Way::upwards, 90},
                    {"inner", 65536, Way::alternating, 104},
                    {"ahead", 65536, Way::alternating, 92},
                    {"ahead-downwards", 65536, Way::alternating, 90}};
    EXPECT_TRUE(chosen(kXeon, figures).shun_alias);
    figures[2].gigabytes = 94;
    EXPECT_FALSE(chosen(kXeon, figures).shun_alias);
}

// A way that leaves the destination in the caches has to be faster by what it leaves unwritten.
TEST(CopyParameters, CountWhatIsStillToBeWritten) {
    Figures figures{{"fresh", 262144, Way::upwards, 6.8},
                    {"fresh", 262144, Way::claimed, 8.9},
                    {"fresh", 262144, Way::streamed_narrow, 8.7},
                    {"fresh", 262144, Way::streamed, 8.8}};
    EXPECT_EQ(chosen(kXeon, figures).fresh, Way::streamed);
    figures[1].gigabytes = 9.8;
    EXPECT_EQ(chosen(kXeon, figures).fresh, Way::claimed);
    EXPECT_EQ(chosen(kXeon, figures).beyond, Way::streamed);
    EXPECT_EQ(chosen(kXeon, {}).fresh, standard_parameters(kXeon).fresh);
}

// Microseconds of blocks of 256 KB from memory, of one measurement on a Xeon that others shared:
// the narrow stores were the slower ones in nearly all bursts, and had the two shortest.
TEST(CopyParameters, ALuckyBurstFromMemoryDecidesNothing) {
    const std::vector<double> narrow{22.5, 30.2, 24.1, 31.5, 29.1, 32.5, 28.3, 30.7,
                                     31.0, 29.8, 33.3, 31.8, 25.4, 32.6, 77.5};
    const std::vector<double> wide{26.3, 27.4, 24.9, 29.0, 28.4, 25.5, 27.0, 29.5,
                                   26.5, 30.3, 27.9, 25.8, 26.8, 31.0, 28.3};
    EXPECT_EQ(time_that_counts(narrow, true), 30.7);
    EXPECT_EQ(time_that_counts(wide, true), 27.4);
    EXPECT_EQ(time_that_counts(narrow, false), 22.5);
    EXPECT_EQ(time_that_counts({3, 1, 2, 4}, true), 2);
    EXPECT_EQ(time_that_counts({5}, true), 5);
}

// What is alike on either side of the clear margin must not change with each measurement.
TEST(CopyParameters, StayWithTheFirstOfTwoThatAreAlike) {
    Figures figures{{"inner", 65536, Way::upwards, 40},
                    {"inner", 65536, Way::alternating, 60},
                    {"inner", 65536, Way::alternating_claimed, 61.5},
                    {"fresh", 262144, Way::upwards, 7},
                    {"fresh", 262144, Way::streamed_narrow, 9.2},
                    {"fresh", 262144, Way::streamed, 9}};
    EXPECT_EQ(chosen(kXeon, figures).inner, Way::alternating);
    EXPECT_EQ(chosen(kXeon, figures).fresh, Way::streamed);
    EXPECT_EQ(chosen(kXeon, figures).beyond, Way::streamed);
    figures[2].gigabytes = 62;
    figures[4].gigabytes = 9.3;
    EXPECT_EQ(chosen(kXeon, figures).inner, Way::alternating_claimed);
    EXPECT_EQ(chosen(kXeon, figures).fresh, Way::streamed_narrow);
    EXPECT_EQ(chosen(kXeon, figures).beyond, Way::streamed_narrow);
}

TEST(CopyParameters, AlternateOnlyWhereThatIsClearlyFaster) {
    Figures figures{{"inner", 65536, Way::upwards, 90},
                    {"inner", 65536, Way::alternating, 102},
                    {"inner", 65536, Way::string, 100}};
    EXPECT_EQ(chosen(kEpyc, figures).inner, Way::string);
    figures[1].gigabytes = 104;
    EXPECT_EQ(chosen(kEpyc, figures).inner, Way::alternating);
    figures[1].gigabytes = 91;
    figures[2].gigabytes = 92;  // nor is this clearly faster than the plain loop
    EXPECT_EQ(chosen(kEpyc, figures).inner, Way::upwards);
    EXPECT_EQ(chosen(kEpyc, {}).inner, standard_parameters(kEpyc).inner);
}

// A processor that works on 64-byte vectors in two halves gains nothing by them, and may lose.
TEST(CopyParameters, TakeNarrowVectorsWhereTheyAreFaster) {
    Figures figures{{"wide", 4096, Way::upwards, 100}, {"narrow", 4096, Way::upwards, 102}};
    EXPECT_FALSE(chosen(kEpyc, figures).narrow);
    figures[1].gigabytes = 104;
    EXPECT_TRUE(chosen(kEpyc, figures).narrow);
    EXPECT_FALSE(chosen(kEpyc, kOfEpyc).narrow);  // not measured: there is one width
}

TEST(CopyParameters, ImplausibleFiguresAreNone) {
    EXPECT_TRUE(are_plausible(kOfEpyc));
    EXPECT_FALSE(are_plausible({}));
    Figures figures = kOfEpyc;
    figures[3].gigabytes = 0.1;  // as under valgrind
    EXPECT_FALSE(are_plausible(figures));
    figures[3].gigabytes = 1e6;
    EXPECT_FALSE(are_plausible(figures));
}

TEST(CopyParameters, SurviveTheirText) {
    for (const auto& parameters : {chosen(kEpyc, kOfEpyc), chosen(kXeon, kOfXeon)}) {
        const auto read = parse_parameters(parameters_text(parameters, "here"), "here");
        ASSERT_TRUE(read);
        EXPECT_EQ(*read, parameters);
    }
}

TEST(CopyParameters, DamagedTextIsNone) {
    const std::string good = parameters_text(chosen(kXeon, kOfXeon), "here");
    EXPECT_FALSE(parse_parameters(good, "there"));
    EXPECT_FALSE(parse_parameters("", "here"));
    EXPECT_FALSE(parse_parameters(good + good, "here"));
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_FALSE(parse_parameters(good.substr(0, length), "here")) << length;
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    EXPECT_FALSE(parse_parameters(with("format = 3", "format = 2"), "here"));
    EXPECT_FALSE(parse_parameters(with("turn = 23040", "turn = 0"), "here"));
    EXPECT_FALSE(parse_parameters(with("turn = 23040", "turn = -1"), "here"));
    EXPECT_FALSE(parse_parameters(with("turn = 23040", "turn = 23040x"), "here"));
    EXPECT_FALSE(parse_parameters(with("turn = 23040", "turn = 9999999999"), "here"));
    EXPECT_FALSE(parse_parameters(with("fresh = streamed", "fresh = alternating"), "here"));
    EXPECT_FALSE(parse_parameters(with("fresh = streamed", "fresh = count"), "here"));
    EXPECT_FALSE(parse_parameters(with("shun_alias = 0", "shun_alias = 2"), "here"));
    EXPECT_FALSE(parse_parameters(with("narrow = 0", "narrow = 32"), "here"));
    EXPECT_TRUE(parse_parameters(with("reuse = ", "reuse = 1"), "here"));
}

TEST(Recent, MeetsABlockAgain) {
    Recent recent;
    std::vector<char> memory(64 * kKilo);
    char* const dest = memory.data();
    char* const source = dest + 32 * kKilo;
    EXPECT_TRUE(recent.is_fresh(dest, source, 32 * kKilo, kMega));
    EXPECT_FALSE(recent.is_fresh(dest, source, 32 * kKilo, kMega));
    // However long the block: nothing came between.
    EXPECT_FALSE(recent.is_fresh(dest, source, 64 * kMega, kMega));
    EXPECT_FALSE(recent.is_fresh(dest, source, 64 * kMega, kMega));
}

// Of blocks of 16 KB that are copied in turn, twice around: how many of each round are fresh.
std::pair<int, int> fresh_of(std::size_t blocks, std::size_t reuse) {
    Recent recent;
    const auto at = [](std::size_t block) {
        return reinterpret_cast<const void*>((std::size_t{1} << 40) + block * 16 * kKilo);
    };
    const auto round = [&] {
        int fresh = 0;
        for (std::size_t block = 0; block < blocks; ++block)
            fresh += recent.is_fresh(at(block), at(block + 100'000), 16 * kKilo, reuse);
        return fresh;
    };
    const int first = round();
    return {first, round()};
}

TEST(Recent, ForgetsWhatIsLongAgo) {
    EXPECT_EQ(fresh_of(256, 8 * kMega), std::pair(256, 0));       // 4 MB: met the second time
    EXPECT_EQ(fresh_of(256, 2 * kMega), std::pair(256, 256));     // too long ago
    EXPECT_EQ(fresh_of(4096, 8 * kMega), std::pair(4096, 4096));  // 64 MB: never met again
}

// Blocks that are in the caches throw nothing out of them: however often they are copied, what was
// copied before them is as near as it was.
TEST(Recent, CountsWhatWasNotMet) {
    Recent recent;
    const auto at = [](std::size_t kilo) {
        return reinterpret_cast<const void*>((std::size_t{1} << 40) + kilo * kKilo);
    };
    EXPECT_TRUE(recent.is_fresh(at(0), at(100'000), 64 * kKilo, kMega));
    for (int time = 0; time < 1000; ++time)
        EXPECT_EQ(recent.is_fresh(at(64), at(100'064), 64 * kKilo, kMega), time == 0);
    EXPECT_FALSE(recent.is_fresh(at(0), at(100'000), 64 * kKilo, kMega));
    // A block that is met now and then stays near while others come, as a cache would have it.
    for (std::size_t other = 2; other < 200; ++other) {
        EXPECT_TRUE(recent.is_fresh(at(other * 64), at(100'000 + other * 64), 64 * kKilo, kMega));
        if (other % 8 == 0)
            EXPECT_FALSE(recent.is_fresh(at(0), at(100'000), 64 * kKilo, kMega)) << other;
    }
    EXPECT_TRUE(recent.is_fresh(at(64), at(100'064), 64 * kKilo, kMega));
}

// One end that was met is enough.
TEST(Recent, LooksAtBothEnds) {
    Recent recent;
    std::vector<char> memory(4 * 64 * kKilo);
    char* const at = memory.data();
    EXPECT_TRUE(recent.is_fresh(at, at + 64 * kKilo, 64 * kKilo, kMega));
    EXPECT_FALSE(recent.is_fresh(at + 128 * kKilo, at + 64 * kKilo, 64 * kKilo, kMega));
    EXPECT_FALSE(recent.is_fresh(at, at + 192 * kKilo, 64 * kKilo, kMega));
}

#if defined(__x86_64__)
// A block of its own each time.
const void* next_place() {
    static std::size_t place = std::size_t{1} << 41;
    return reinterpret_cast<const void*>(place += 16 * kMega + 16 * kKilo);
}

TEST(CopyRoads, OfTheEpyc) {
    const CopyParameters epyc = chosen(kEpyc, kOfEpyc);
    for (const std::size_t bytes : {16 * kKilo, 64 * kKilo, 256 * kKilo, 2 * kMega}) {
        const void* const dest = next_place();
        const void* const source = next_place();
        EXPECT_EQ(choose_road_by(epyc, bytes, dest, source, bytes), Road::streamed_narrow);
        EXPECT_EQ(choose_road_by(epyc, bytes, dest, source, bytes),
                  bytes < epyc.turn ? Road::plain : Road::string);
    }
}

TEST(CopyRoads, OfTheXeon) {
    const CopyParameters xeon = chosen(kXeon, kOfXeon);
    const void* const dest = next_place();
    const void* const source = next_place();
    const auto road = [&](std::size_t bytes) {
        return choose_road_by(xeon, bytes, dest, source, bytes);
    };
    EXPECT_EQ(road(64 * kKilo), Road::streamed);
    const Road first = road(64 * kKilo);
    const Road second = road(64 * kKilo);
    EXPECT_NE(first, second);
    for (const Road one : {first, second})
        EXPECT_TRUE(one == Road::claimed || one == Road::claimed_downwards);
    EXPECT_EQ(road(20 * kKilo), Road::plain);
    // At an alias too; blocks of the first level run downwards there.
    const void* const ahead = static_cast<const char*>(dest) + 16;
    EXPECT_NE(choose_road_by(xeon, 64 * kKilo, ahead, source, 64 * kKilo),
              choose_road_by(xeon, 64 * kKilo, ahead, source, 64 * kKilo));
    EXPECT_EQ(choose_road_by(xeon, 20 * kKilo, ahead, source, 20 * kKilo), Road::plain_downwards);
    EXPECT_EQ(road(4 * kMega), Road::streamed);
    // A part of much: what the operation moves decides.
    EXPECT_EQ(choose_road_by(xeon, 8 * kMega, dest, source, 64 * kKilo), Road::streamed);
}

TEST(CopyRoads, StringIsShunnedAtAliases) {
    const auto at = [](std::size_t address) { return reinterpret_cast<const void*>(address); };
    for (const std::size_t ahead : {1, 8, 63})
        EXPECT_EQ(road_of(Way::string, true, at(0x100000 + ahead), at(0x10000)),
                  Road::plain_downwards);
    EXPECT_EQ(road_of(Way::string, true, at(0x100000), at(0x10000)), Road::string);
    EXPECT_EQ(road_of(Way::string, true, at(0x100000), at(0x10008)), Road::string);
}
#endif

}  // namespace
}  // namespace isthmus
