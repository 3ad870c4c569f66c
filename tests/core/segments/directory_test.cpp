#include "core/segments/directory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "core/job/job.hpp"
#include "core/session/attach.hpp"

namespace isthmus {
namespace {

// The directory of a job of one PE, which is then the home of every id.
class DirectoryTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
        begin();
    }
    void TearDown() override {
        end();
        unsetenv("SHMEM_SYMMETRIC_SIZE");
    }
    static void begin() {
        attach_job();
        open_directory();
    }
    static void end() {
        close_directory();
        detach_job();
    }
    static Publication made(std::uint64_t id) { return {id, id * 64, id + 1, 15, 0}; }
};

std::uint64_t random_number(std::uint64_t& state) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 33;
}

// Of 65536 ids in as many buckets: the chance of a longer chain is below 10^-6.
constexpr std::uint32_t kLongest = 16;

TEST_F(DirectoryTest, AgreesWithAModel) {
    struct Known {
        Publication publication;
        DirectoryPlace place;
    };
    std::map<std::uint64_t, Known> model;
    std::set<std::pair<std::int32_t, std::uint32_t>> given;  // generations, of each cell
    std::uint64_t state = 5;
    for (int step = 0; step < 300'000; ++step) {
        const std::uint64_t id = random_number(state) % 3000;
        const auto known = model.find(id);
        DirectoryPlace place;
        Publication found;
        switch (random_number(state) % 3) {
            case 0: {
                const std::uint64_t size = random_number(state);
                const Publication wanted{id, size * 8, size, 3, static_cast<std::int32_t>(step)};
                const PublishResult result = publish(wanted, place);
                if (known != model.end()) {
                    ASSERT_EQ(result, PublishResult::exists);
                    ASSERT_EQ(place.index, known->second.place.index);
                    break;
                }
                ASSERT_EQ(result, PublishResult::done);
                ASSERT_TRUE(given.emplace(place.index, place.generation).second);
                model[id] = {wanted, place};
                break;
            }
            case 1:
                if (known == model.end()) break;
                withdraw(known->second.place);
                ASSERT_NE(known->second.place.entry()->generation.load(),
                          known->second.place.generation);
                model.erase(known);
                break;
            default:
                ASSERT_EQ(look_up(id, found, place), known != model.end());
                if (known == model.end()) break;
                ASSERT_EQ(found.id, id);
                ASSERT_EQ(found.place, known->second.publication.place);
                ASSERT_EQ(found.size, known->second.publication.size);
                ASSERT_EQ(found.owner, known->second.publication.owner);
                ASSERT_EQ(place.index, known->second.place.index);
                ASSERT_EQ(place.generation, known->second.place.generation);
        }
        if (step % 50'000 == 0) {
            ASSERT_TRUE(directory_is_valid(0));
            ASSERT_LE(longest_chain(0), kLongest);
        }
    }
    ASSERT_TRUE(directory_is_valid(0));
}

// A search looks at few entries, also when there is no room left, and when there was none once.
TEST_F(DirectoryTest, StaysQuickWhenItIsFullAndWhenItWas) {
    std::vector<DirectoryPlace> places(kDirectoryEntries);
    DirectoryPlace place;
    Publication found;
    for (int round = 0; round < 3; ++round) {
        const std::uint64_t first = static_cast<std::uint64_t>(round) * 1'000'003;
        for (std::uint64_t i = 0; i < kDirectoryEntries; ++i)
            ASSERT_EQ(publish(made(first + i), places[i]), PublishResult::done);
        ASSERT_EQ(publish(made(first + kDirectoryEntries), place), PublishResult::full);
        ASSERT_EQ(place.home, 0);
        ASSERT_EQ(publish(made(first), place), PublishResult::exists);
        ASSERT_TRUE(directory_is_valid(0));
        ASSERT_LE(longest_chain(0), kLongest);
        for (std::uint64_t i = 0; i < kDirectoryEntries; i += 97) {
            ASSERT_TRUE(look_up(first + i, found, place));
            ASSERT_EQ(found.size, first + i + 1);
        }
        for (const DirectoryPlace& each : places)
            withdraw(each);
        ASSERT_TRUE(directory_is_valid(0));
        ASSERT_EQ(longest_chain(0), 0u);
        ASSERT_FALSE(look_up(first, found, place));
    }
}

// What stays is found by readers that take no lock, whatever goes on around it; and what they find
// is of one piece.
TEST_F(DirectoryTest, ReadersNeverMissWhatStays) {
    constexpr std::uint64_t kStaying = 2000, kComing = 1'000'000;
    DirectoryPlace place;
    for (std::uint64_t id = 0; id < kStaying; ++id)
        ASSERT_EQ(publish(made(id), place), PublishResult::done);
    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> missed = 0, torn = 0, looks = 0;
    std::vector<std::thread> readers;
    for (std::uint64_t reader = 0; reader < 2; ++reader) {
        readers.emplace_back([&, reader] {
            std::uint64_t state = reader + 1;
            do {
                const bool stays = random_number(state) % 2 == 0;
                const std::uint64_t id = stays ? random_number(state) % kStaying
                                               : kComing + random_number(state) % 40'000;
                Publication found;
                DirectoryPlace there;
                if (look_up(id, found, there)) {
                    if (found.id != id || found.place != id * 64 || found.size != id + 1) ++torn;
                } else if (stays) {
                    ++missed;
                }
                ++looks;
            } while (!over);
        });
    }
    // Cells go from chain to chain. All come and go, then few at a time.
    std::vector<DirectoryPlace> places(40'000);
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < places.size(); ++i)
            EXPECT_EQ(publish(made(kComing + i), places[i]), PublishResult::done);
        for (const DirectoryPlace& each : places)
            withdraw(each);
    }
    for (std::uint64_t i = 0; i < 300'000; ++i) {
        EXPECT_EQ(publish(made(kComing + i % 40'000), place), PublishResult::done);
        withdraw(place);
    }
    over = true;
    for (std::thread& reader : readers)
        reader.join();
    EXPECT_EQ(missed.load(), 0u);
    EXPECT_EQ(torn.load(), 0u);
    EXPECT_GT(looks.load(), 0u);
    EXPECT_TRUE(directory_is_valid(0));
}

// Views of an earlier session stay stale although the memory has become zero in between.
TEST_F(DirectoryTest, GivesEachGenerationOnceInAllSessions) {
    std::set<std::pair<std::int32_t, std::uint32_t>> given;
    for (int session = 0; session < 4; ++session) {
        for (std::uint64_t round = 0; round < 50'000; ++round) {
            DirectoryPlace place;
            ASSERT_EQ(publish(made(round % 7), place), PublishResult::done);
            ASSERT_TRUE(given.emplace(place.index, place.generation).second);
            withdraw(place);
        }
        end();
        begin();
    }
}

}  // namespace
}  // namespace isthmus
