// Several threads of each node at once (GASNET_PAR): requests with replies to all nodes, locks that
// handlers take, transfers with handles of each thread's own, and threads that all sleep in
// GASNET_BLOCKUNTIL until one of them has handled what another waits for. threads [ROUNDS]
#include "check.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 3;
gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
long requests = 0;  // guarded by the lock
std::atomic<long> replies[kThreads];

void reply(gasnet_token_t, gasnet_handlerarg_t thread) {
    replies[thread].fetch_add(1, std::memory_order_relaxed);
}
void request(gasnet_token_t token, gasnet_handlerarg_t thread) {
    gasnet_hsl_lock(&lock);
    ++requests;
    gasnet_hsl_unlock(&lock);
    OK(gasnet_AMReplyShort1(token, 129, thread));
}

// One thread sleeps; the handler that it waits for runs on another, and takes longer than the
// message's own waking lasts.
std::atomic<bool> is_set = false;
void set_slowly(gasnet_token_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_set.store(true, std::memory_order_relaxed);
}
void check_waking(gasnet_node_t to) {
    meet();
    is_set.store(false, std::memory_order_relaxed);
    std::thread sleeper([] { GASNET_BLOCKUNTIL(is_set.load(std::memory_order_relaxed)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    meet();
    OK(gasnet_AMRequestShort0(to, 130));
    while (!is_set.load(std::memory_order_relaxed))
        OK(gasnet_AMPoll());
    sleeper.join();
}

void work(int thread, int rounds) {
    auto* const base = static_cast<long*>(segments[0].addr);
    const auto nodes = static_cast<long>(gasnet_nodes());
    // Words of this thread's at each node.
    const long place = (gasnet_mynode() * kThreads + thread) * 16;
    for (long round = 1; round <= rounds; ++round) {
        for (long node = 0; node < nodes; ++node)
            OK(gasnet_AMRequestShort1(static_cast<gasnet_node_t>(node), 128, thread));
        for (long node = 0; node < nodes; ++node) {
            const auto to = static_cast<gasnet_node_t>(node);
            long value = round * 3 + thread;
            long got = 0;
            gasnet_put_nbi(to, base + place, &value, sizeof value);
            gasnet_wait_syncnb(gasnet_put_nb(to, base + place + 1, &value, sizeof value));
            gasnet_wait_syncnbi_puts();
            gasnet_wait_syncnb(gasnet_get_nb(&got, to, base + place, sizeof got));
            CHECK(got == value);
            CHECK(gasnet_get_val(to, base + place + 1, 8) ==
                  static_cast<gasnet_register_value_t>(value));
        }
        GASNET_BLOCKUNTIL(replies[thread].load(std::memory_order_relaxed) >= round * nodes);
        if (gasnet_hsl_trylock(&lock) == GASNET_OK) gasnet_hsl_unlock(&lock);
    }
}

}  // namespace

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{128, reinterpret_cast<isthmus_gasnet_handler>(request)},
                                     {129, reinterpret_cast<isthmus_gasnet_handler>(reply)},
                                     {130, reinterpret_cast<isthmus_gasnet_handler>(set_slowly)}};
    start(argc, argv, table, 3, 1 << 20);
    check_waking(gasnet_mynode());
    check_waking((gasnet_mynode() + 1) % gasnet_nodes());
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 2000;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back(work, thread, rounds);
    for (std::thread& thread : threads)
        thread.join();
    meet();
    gasnet_hsl_lock(&lock);
    CHECK(requests == long{rounds} * kThreads * gasnet_nodes());
    gasnet_hsl_unlock(&lock);
    gasnet_hsl_destroy(&lock);
    gasnet_hsl_init(&lock);
    end();
}
