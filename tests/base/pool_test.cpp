#include "base/pool.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace isthmus {
namespace {

struct Object {
    int value = 7;
    Object* next = nullptr;
};

TEST(PoolTest, HandsOutEachObjectOnce) {
    Pool<Object> pool;
    std::set<Object*> taken;
    for (int i = 0; i < 1000; ++i)
        EXPECT_TRUE(taken.insert(&pool.take()).second);
    for (Object* object : taken)
        EXPECT_EQ(object->value, 7);
}

TEST(PoolTest, HandsOutAgainWhatWasGivenBack) {
    Pool<Object> pool;
    Object& first = pool.take();
    Object& second = pool.take();
    first.value = 1;
    second.value = 2;
    pool.give_back(first);
    pool.give_back(second);
    EXPECT_EQ(pool.take().value, 2);
    EXPECT_EQ(pool.take().value, 1);
    EXPECT_EQ(pool.take().value, 7);
}

TEST(PoolTest, IsSharedByThreads) {
    Pool<Object> pool;
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id)
        threads.emplace_back([&pool, id] {
            for (int i = 0; i < 10000; ++i) {
                Object& mine = pool.take();
                mine.value = id;
                std::this_thread::yield();
                EXPECT_EQ(mine.value, id);
                pool.give_back(mine);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
}

}  // namespace
}  // namespace isthmus
