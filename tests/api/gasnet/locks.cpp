// Turns at a handler-safe lock, of GASNet's (hsl) or the native interface's (native). First a
// thread that holds it for 200 us again and again, and three that want it: each of these is to have
// its turns, whatever the first one does. Then all threads count under it, short as handlers are.
// locks hsl|native [ROUNDS]
#include <gasnet.h>
#include <isthmus/message.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWaiters = 3;
constexpr int kTurns = 300;  // of each; they take a second or two
constexpr auto kHeld = std::chrono::microseconds(200);
constexpr auto kApart = std::chrono::microseconds(50);  // so that the first thread has it again
constexpr auto kLongest = std::chrono::seconds(30);

struct Gasnet {
    void lock() { gasnet_hsl_lock(&lock_); }
    bool try_lock() { return gasnet_hsl_trylock(&lock_) == GASNET_OK; }
    void unlock() { gasnet_hsl_unlock(&lock_); }

  private:
    gasnet_hsl_t lock_ = GASNET_HSL_INITIALIZER;
};
struct Native {
    void lock() { isthmus_message_lock_take(&lock_); }
    bool try_lock() { return isthmus_message_lock_try(&lock_) == 0; }
    void unlock() { isthmus_message_lock_release(&lock_); }

  private:
    isthmus_message_lock lock_ = ISTHMUS_MESSAGE_LOCK_FREE;
};

template <typename Lock>
void take_turns() {
    static Lock lock;
    std::atomic<bool> is_over = false;
    std::atomic<int> left = kWaiters;
    int turns[kWaiters] = {};  // under the lock
    const auto until = Clock::now() + kLongest;
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        while (!is_over.load(std::memory_order_relaxed)) {
            lock.lock();
            std::this_thread::sleep_for(kHeld);
            lock.unlock();
        }
    });
    for (int& mine : turns)
        threads.emplace_back([&] {
            // Who is woken does not take the processor from the one that wakes it, and with it the
            // lock.
            const sched_param none{};
            sched_setscheduler(0, SCHED_BATCH, &none);
            for (bool goes_on = true; goes_on && !is_over.load(std::memory_order_relaxed);) {
                lock.lock();
                goes_on = ++mine < kTurns;
                lock.unlock();
                std::this_thread::sleep_for(kApart);
            }
            left.fetch_sub(1, std::memory_order_relaxed);
        });
    while (left.load(std::memory_order_relaxed) != 0 && Clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    is_over.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads)
        thread.join();
    for (const int count : turns) {
        if (count < kTurns) std::printf("a thread had %d turns of %d\n", count, kTurns);
        CHECK(count == kTurns);
    }
}

template <typename Lock>
void count_all(int rounds) {
    static Lock lock;
    long counted = 0;  // under the lock
    std::atomic<long> tried = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread <= kWaiters; ++thread)
        threads.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                lock.lock();
                ++counted;
                lock.unlock();
                if (!lock.try_lock()) continue;
                ++counted;
                lock.unlock();
                tried.fetch_add(1, std::memory_order_relaxed);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(counted == long{rounds} * (kWaiters + 1) + tried.load(std::memory_order_relaxed));
    CHECK(lock.try_lock());
    CHECK(!lock.try_lock());
    lock.unlock();
}

template <typename Lock>
void test(int rounds) {
    take_turns<Lock>();
    count_all<Lock>(rounds);
}

}  // namespace

int main(int argc, char** argv) {
    const bool is_native = argc > 1 && std::strcmp(argv[1], "native") == 0;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 20000;
    start(argc, argv, nullptr, 0, GASNET_PAGESIZE);
    is_native ? test<Native>(rounds) : test<Gasnet>(rounds);
    end();
}
