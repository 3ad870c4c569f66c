// The exchange before hosts are known, by as many threads as PEs and a process manager in memory.
#include <gtest/gtest.h>

#include <barrier>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/session/gather.hpp"

namespace isthmus {
namespace {

struct Manager {
    explicit Manager(int pes) : meeting(pes) {}
    std::barrier<> meeting;
    std::mutex guard;
    std::map<std::pair<int, int>, std::string> given;  // by call and rank
    std::size_t taken = 0;                             // values, by all
};

class Client final : public Exchange {
  public:
    Client(Manager& manager, int rank, int size) : manager_(manager), rank_(rank), size_(size) {}
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string job_name() const override { return "job"; }
    void share(const void* mine, std::size_t bytes, std::span<const Part> parts) override {
        const int number = shares_++;
        {
            const std::lock_guard lock(manager_.guard);
            if (bytes != 0)
                manager_.given[{number, rank_}].assign(static_cast<const char*>(mine), bytes);
        }
        meet();
        const std::lock_guard lock(manager_.guard);
        for (const Part& part : parts) {
            const std::string& found = manager_.given[{number, part.rank}];
            ++manager_.taken;
            ASSERT_EQ(found.size(), part.bytes) << "rank " << part.rank;
            std::memcpy(part.to, found.data(), part.bytes);
        }
    }
    void meet() override { manager_.meeting.arrive_and_wait(); }
    std::vector<int> host_ranks() override { return {}; }
    void end(int) override {}
    void leave() override {}
    const char* name() const override { return "test"; }
    int shares() const { return shares_; }

  private:
    Manager& manager_;
    int rank_;
    int size_;
    int shares_ = 0;
};

// Returns how many values were taken.
std::size_t gather_everywhere(int pes, std::size_t bytes) {
    Manager manager(pes);
    const auto byte_of = [](int pe, std::size_t i) {
        return static_cast<char>(static_cast<std::size_t>(pe) * 31 + i);
    };
    std::vector<std::thread> threads;
    for (int pe = 0; pe < pes; ++pe)
        threads.emplace_back([&, pe] {
            Client client(manager, pe, pes);
            std::string mine(bytes, '\0');
            for (std::size_t i = 0; i < bytes; ++i)
                mine[i] = byte_of(pe, i);
            std::string all(bytes * static_cast<std::size_t>(pes), 'x');
            std::vector<int> shares_by_then;
            gather_by_groups(client, mine.data(), bytes, all.data(),
                             [&] { shares_by_then.push_back(client.shares()); });
            ASSERT_EQ(shares_by_then,
                      std::vector<int>{1});  // the first one tells that all are here
            for (int other = 0; other < pes; ++other) {
                for (std::size_t i = 0; i < bytes; ++i)
                    ASSERT_EQ(all[static_cast<std::size_t>(other) * bytes + i], byte_of(other, i))
                        << "PE " << pe << ", of PE " << other;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    return manager.taken;
}

TEST(GatherByGroups, BringsEverythingToEveryone) {
    for (const int pes : {1, 2, 3, 16, 29, 30, 31, 60, 61, 100})
        gather_everywhere(pes, 16);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{700}})
        gather_everywhere(20, bytes);
}

TEST(GatherByGroups, TakesFarFewerValuesThanPairs) {
    EXPECT_LE(gather_everywhere(100, 16), 100u * 4 + 100);
}

}  // namespace
}  // namespace isthmus
