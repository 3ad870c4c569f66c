#include "sim/timing/event_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace isthmus::sim {
namespace {

// By the numbers of their operations: in which order they come.
std::vector<std::uint32_t> take_all(EventQueue& queue) {
    std::vector<std::uint32_t> taken;
    while (!queue.empty())
        taken.push_back(queue.pop().index);
    return taken;
}

TEST(EventQueue, EarlierTimesComeFirst) {
    EventQueue queue;
    for (const Cycle when : {30, 10, 20, 0})
        queue.push(when, EventKind::complete, static_cast<std::uint32_t>(when));
    EXPECT_EQ(queue.next(), 0u);
    EXPECT_EQ(take_all(queue), (std::vector<std::uint32_t>{0, 10, 20, 30}));
    EXPECT_EQ(queue.next(), kNever);
}

// A heap alone gives equal ones back in an order of its own, so that what is simulated would hang
// on how many others wait.
TEST(EventQueue, EqualTimesComeInTheOrderInWhichTheyWereEntered) {
    EventQueue queue;
    std::vector<std::uint32_t> entered;
    for (std::uint32_t i = 0; i < 40; ++i) {
        queue.push(i % 4 == 3 ? 9 : 7, EventKind::complete, i);
        if (i % 4 != 3) entered.push_back(i);
    }
    for (std::uint32_t i = 3; i < 40; i += 4)
        entered.push_back(i);
    EXPECT_EQ(take_all(queue), entered);
}

TEST(EventQueue, WhatIsEnteredWhileOthersAreTakenComesBehindItsEquals) {
    EventQueue queue;
    queue.push(5, EventKind::arrive, 0);
    queue.push(5, EventKind::arrive, 1);
    EXPECT_EQ(queue.pop().index, 0u);
    queue.push(5, EventKind::walk, 2);
    queue.push(4, EventKind::walk, 3);
    EXPECT_EQ(take_all(queue), (std::vector<std::uint32_t>{3, 1, 2}));
}

}  // namespace
}  // namespace isthmus::sim
