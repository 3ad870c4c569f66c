// The wait of who closes.
#include "transport/packet/ends.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace isthmus::transport::packet {
namespace {

TEST(PacketEnds, NoSignalEndsTheWait) {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    struct sigaction before {};
    ASSERT_EQ(sigaction(SIGUSR1, &nothing, &before), 0);
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ASSERT_EQ(write(pair[1], "unread", 6), 6);
    const pthread_t waiting = pthread_self();
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        for (int i = 0; i < 20; ++i) {
            pthread_kill(waiting, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        shutdown(pair[1], SHUT_WR);
        while (!is_over)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    std::vector<pollfd> ends{{pair[0], POLLIN, 0}};
    std::array<char, 4> room;
    await_ends(ends, 20'000, room);
    EXPECT_TRUE(ends.empty());
    is_over = true;
    other.join();
    sigaction(SIGUSR1, &before, nullptr);
    close(pair[0]);
    close(pair[1]);
}

TEST(PacketEnds, WhoDoesNotEndIsNotWaitedForLonger) {
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    std::vector<pollfd> ends{{pair[0], POLLIN, 0}};
    std::array<char, 4> room;
    await_ends(ends, 1, room);
    EXPECT_EQ(ends.size(), 1U);
    close(pair[0]);
    close(pair[1]);
}

}  // namespace
}  // namespace isthmus::transport::packet
