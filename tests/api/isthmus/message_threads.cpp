// Several threads of each PE send, poll and answer at once: nothing is lost, nothing doubled, and
// what one thread sends to a PE of its host comes in order.
#include <isthmus.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::fprintf(stderr, "PE %d: %s:%d: %s (%s)\n", isthmus::pe(), __FILE__, __LINE__, \
                         #condition, isthmus_error_text());                                    \
            isthmus_exit(1);                                                                   \
        }                                                                                      \
    } while (0)

namespace {

constexpr int kThreads = 3;
constexpr int kMostPes = 16;

std::atomic<std::int64_t> requests;  // handled here
std::atomic<std::int64_t> answers;
std::int64_t next[kMostPes][kThreads];  // number of the next one of that thread; under `lock`
std::int64_t under_lock;
isthmus::message_lock lock;

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 2000;
    const isthmus::job job;
    const int me = isthmus::pe();
    const int pes = isthmus::pes();
    const isthmus::message_handler answer(
        1, [](const isthmus::incoming&) { answers.fetch_add(1); }, ISTHMUS_MESSAGE_REPLY);
    const isthmus::message_handler request(
        0, [&](const isthmus::incoming& from, int thread, std::int64_t number) {
            {
                const std::lock_guard guard(lock);
                CHECK(next[from.source()][thread] == number);
                ++next[from.source()][thread];
                ++under_lock;
            }
            requests.fetch_add(1);
            CHECK(from.reply(answer));
        });
    isthmus::barrier();
    const std::int64_t all = std::int64_t{rounds} * pes * kThreads;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            for (std::int64_t number = 0; number < rounds; ++number) {
                for (int pe = 0; pe < pes; ++pe)
                    CHECK(request.request((me + pe) % pes, thread, number));
                if (number % 7 == thread) isthmus::poll();
                const std::lock_guard guard(lock);
                ++under_lock;
            }
            while (requests.load() < all || answers.load() < all)
                isthmus::poll();
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(requests == all && answers == all);
    CHECK(under_lock == all + std::int64_t{rounds} * kThreads);
    isthmus::barrier();
    return 0;
}
