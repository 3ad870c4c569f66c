// Settings that must be alike at all PEs.
#include "core/session/alike.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/settings.hpp"
#include "core/job/job.hpp"

namespace isthmus {
namespace {

// What PE 0 shows and what PE 1 has got of it.
void compare(const AlikeSettings& shown, const AlikeSettings& got) {
    void* const memory = std::calloc(1, sizeof(JobHeader));
    job.header = static_cast<JobHeader*>(memory);
    job.me = 1;
    job.pes = 2;
    set_settings(job.header->pe[1], shown);
    set_settings(job.header->pe[0], got);
    compare_settings(0);
    std::_Exit(0);
}

AlikeSettings with(const char* nodes) {
    setenv("ISTHMUS_NODES", nodes, 1);
    read_settings();
    const AlikeSettings settings = alike_settings();
    unsetenv("ISTHMUS_NODES");
    return settings;
}

TEST(AlikeSettings, OfPesThatHaveThemAlikeSayNothing) {
    EXPECT_EXIT(compare(with("2"), with("2")), testing::ExitedWithCode(0), "^$");
}

TEST(AlikeSettings, ThatDifferAreTold) {
    EXPECT_EXIT(compare(with("2"), with("4")), testing::ExitedWithCode(1),
                "ISTHMUS_NODES is 2 here and 4 at PE 0; set it alike everywhere");
    EXPECT_EXIT(compare(with(""), with("4")), testing::ExitedWithCode(1),
                "ISTHMUS_NODES is not set here and 4 at PE 0; set it alike everywhere");
}

// Any of the words that carry a text, its hash too.
TEST(AlikeSettings, ThatWereChangedOnTheirWayAreToldAsThat) {
    const AlikeSettings shown = with("");
    const AlikeSettings other = with("4");
    int changed = 0;
    for (std::size_t word = 0; word < kAlikeWords; ++word) {
        if (shown[word] == other[word]) continue;
        AlikeSettings got = shown;
        got[word] = other[word];
        EXPECT_EXIT(compare(shown, got), testing::ExitedWithCode(1),
                    "what PE 0 has told of its ISTHMUS_NODES was changed on its way here");
        ++changed;
    }
    EXPECT_EQ(changed, 2);
}

}  // namespace
}  // namespace isthmus
