// Tracked messages of several threads at once, more than the library has words for: each completes
// once, counters count all.
#include <isthmus.hpp>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4;
constexpr int kMessages = 1000;  // of a thread
constexpr int kUnderWay = 400;
std::int64_t counter = 0;

void send(int thread, const isthmus::message_id<int>& take) {
    std::vector<isthmus::message_completion> handles(kUnderWay);
    for (int i = 0; i < kMessages; ++i) {
        isthmus::message_completion& handle = handles[static_cast<std::size_t>(i % kUnderWay)];
        handle.finish().or_fail();
        const int pe = (isthmus::pe() + thread + i) % isthmus::pes();
        if (i % 2 == 0)
            take.by(counter).request(pe, i).or_fail();
        else
            take.by(handle).request(pe, i).or_fail();
    }
    for (const isthmus::message_completion& handle : handles)
        handle.finish().or_fail();
}

}  // namespace

int main() {
    const isthmus::job job;
    const int pes = isthmus::pes();
    std::atomic<int> handled = 0;
    std::atomic<int> finished = 0;
    const isthmus::message_id<int> answer(3);
    isthmus::message_handler answered(3, [](const isthmus::incoming&, int) {});
    isthmus::message_handler take(1, [&](const isthmus::incoming& from, int number) {
        ++handled;
        if (number % 3 == 0) from.reply(answer, number).or_fail();
    });
    isthmus::message_handler end(2, [&](const isthmus::incoming&) { ++finished; });
    isthmus::barrier();
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] { send(thread, take); });
    for (std::thread& thread : threads)
        thread.join();
    while (__atomic_load_n(&counter, __ATOMIC_ACQUIRE) < kThreads * kMessages / 2)
        isthmus::poll();
    for (int pe = 0; pe < pes; ++pe)
        end.request(pe).or_fail();
    while (finished < pes)
        isthmus::poll();
    isthmus::barrier();
    if (counter == kThreads * kMessages / 2 && handled == kThreads * kMessages) return 0;
    std::printf("PE %d: handled %d, counted %ld\n", isthmus::pe(), handled.load(),
                static_cast<long>(counter));
    return 1;
}
