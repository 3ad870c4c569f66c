// Several threads of each PE in the native interface at once, as far as isthmus.h allows it: all
// but collectives, and objects of one thread at a time. What one thread finds wrong ends the job;
// what only the thread sanitizer can see, it reports.
//
//     threads [ROUNDS]
#include <isthmus.h>
#include <shmemx.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"

namespace {

constexpr int kThreads = 4;
int me, pes, rounds;

// `work(thread)` in kThreads threads; this one, which alone may call collectives, in `collectives`
// meanwhile, as often at every PE.
void run_threads(const std::function<void(int)>& work, const std::function<void()>& collectives) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back(work, thread);
    if (collectives) collectives();
    for (std::thread& thread : threads)
        thread.join();
    isthmus_barrier();
}

// An inner session, memory of the heap, and barriers.
void call_collectives() {
    for (int i = 0; i < 4; ++i) {
        isthmus_init();
        void* block = nullptr;
        OK(isthmus_symmetric_malloc(&block, 4096, 64));
        isthmus_barrier();
        OK(isthmus_symmetric_free(block));
        isthmus_finalize();
    }
}

// There are more threads than cores: what polls lets others run, and not only for a moment.
void give_way() {
    usleep(50);
}

std::uint64_t id_of(int base, int pe, int thread) {
    return static_cast<std::uint64_t>(base) * 1'000'000 + static_cast<std::uint64_t>(pe) * 1000 +
           static_cast<std::uint64_t>(thread);
}
std::uint64_t word_of(int pe, int thread) {
    return 8 * static_cast<std::uint64_t>(pe * kThreads + thread);
}

// ---- Segments: made, found, used and destroyed while the others do the same.

void come_and_go(int thread) {
    for (int round = 0; round < rounds; ++round) {
        isthmus_segment own, chosen, there;
        OK(isthmus_segment_create(&own, id_of(1, me, thread), nullptr, 8192, 0));
        OK(isthmus_segment_create(&chosen, ISTHMUS_ANY_ID, nullptr, 4096,
                                  ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR));
        CHECK(isthmus_segment_create(&there, id_of(1, me, thread), nullptr, 8, 0) ==
              ISTHMUS_EXISTS);
        OK(isthmus_segment_clone(&there, id_of(1, me, thread), -1));
        OK(isthmus_poke(&there, 4096, round + 1));
        CHECK(*reinterpret_cast<std::int64_t*>(own.base + 4096) == round + 1);
        CHECK(*reinterpret_cast<std::int64_t*>(own.base) == 0);  // the last owner's went
        std::uint64_t offset = 0;
        OK(isthmus_segment_malloc(&chosen, 100, &offset, nullptr));
        OK(isthmus_segment_free(&chosen, offset, nullptr));
        // Another thread's, here and at the next PE: it may be there or not.
        const int pe = (me + round) % pes;
        const int other = (thread + 1) % kThreads;
        isthmus_segment view;
        const int status = isthmus_segment_clone(&view, id_of(1, pe, other), 0);
        CHECK(status == ISTHMUS_OK || status == ISTHMUS_TIMEOUT);
        if (status == ISTHMUS_OK) {
            CHECK(view.size == 8192 && view.owner == pe && view.id == id_of(1, pe, other));
            OK(isthmus_segment_destroy(&view));
        }
        OK(isthmus_segment_destroy(&own));
        CHECK(isthmus_poke(&there, 0, 1) == ISTHMUS_STALE);
        OK(isthmus_segment_destroy(&there));
        OK(isthmus_segment_destroy(&chosen));
    }
}

// All threads of all PEs want one id: one gets it.
void one_id() {
    isthmus_segment count;
    OK(isthmus_segment_default(&count, 0));
    static std::int64_t owners;  // symmetric, but PE 0's is used
    for (int round = 0; round < 10; ++round) {
        void* block = nullptr;
        OK(isthmus_symmetric_malloc(&block, 8, 8));
        std::uint64_t offset = 0;
        isthmus_segment mine;
        OK(isthmus_segment_default(&mine, me));
        OK(isthmus_segment_offset(&mine, block, &offset));
        std::vector<isthmus_segment> made(kThreads);
        std::vector<int> status(kThreads);
        run_threads(
            [&](int thread) {
                const auto i = static_cast<std::size_t>(thread);
                status[i] = isthmus_segment_create(&made[i], 7, nullptr, 64, 0);
                if (status[i] == ISTHMUS_OK) OK(isthmus_postadd(&count, offset, 1));
            },
            nullptr);
        OK(isthmus_peek(&count, offset, &owners, nullptr));
        CHECK(owners == 1);
        isthmus_barrier();
        for (std::size_t i = 0; i < kThreads; ++i) {
            CHECK(status[i] == ISTHMUS_OK || status[i] == ISTHMUS_EXISTS);
            if (status[i] == ISTHMUS_OK) OK(isthmus_segment_destroy(&made[i]));
        }
        OK(isthmus_symmetric_free(block));
    }
}

// ---- Operations: one view of each segment, used by all threads.

std::uint64_t hash(std::uint64_t value) {
    return next_random(&value);
}

void operate(const std::vector<isthmus_segment>& all, int thread) {
    // Words: of each thread of each PE; then one that all add to, one that all raise; then a block
    // for each thread of each PE.
    const auto words = static_cast<std::uint64_t>(pes) * kThreads;
    const std::uint64_t sum = 8 * words, most = sum + 8, narrow = sum + 16;
    const std::uint64_t block = 4096 + 256 * (word_of(me, thread) / 8);
    isthmus_channel channel = ISTHMUS_CHANNEL_INIT;
    std::vector<isthmus_segment> sources(all);
    isthmus_gather* gather = nullptr;
    OK(isthmus_gather_create(&gather, sources.data(), static_cast<std::uint32_t>(pes), 8));
    for (int round = 1; round <= rounds; ++round) {
        const auto pe = static_cast<std::size_t>((me + round) % pes);
        const isthmus_segment* const to = &all[pe];
        std::int64_t before = 0;
        std::int32_t before32 = 0;
        isthmus_event event;
        OK(isthmus_postadd(to, sum, 1));
        OK(isthmus_fetchadd(to, sum, 1, &before, &event));
        OK(isthmus_event_wait(&event));
        CHECK(before >= 1);
        OK(isthmus_postmax(to, most, round));
        OK(isthmus_postadd32(to, narrow, 1));
        OK(isthmus_fetchadd32(to, narrow, -1, &before32, nullptr));
        OK(isthmus_poke(to, word_of(me, thread), round));
        OK(isthmus_swap(to, word_of(me, thread), round + 1, &before, nullptr));
        CHECK(before == round);
        OK(isthmus_compare_swap(to, word_of(me, thread), round + 1, round, &before, nullptr));
        CHECK(before == round + 1);
        std::uint64_t data[32], back[32];
        for (std::uint64_t& item : data)
            item = hash(block + static_cast<std::uint64_t>(round));
        OK(isthmus_channel_put(&channel, data, to, block, sizeof data));
        OK(isthmus_channel_fence(&channel));
        OK(isthmus_channel_quiet(&channel));
        OK(isthmus_get(back, to, block, sizeof back, nullptr));
        CHECK(std::memcmp(data, back, sizeof data) == 0);
        OK(isthmus_put_strided(data, 16, to, block, 16, 8, 16, &event));
        for (std::uint64_t i = 0; i < 32; ++i)
            OK(isthmus_gather_push(gather, static_cast<std::uint32_t>(pe), block + 8 * i,
                                   &back[31 - i]));
        OK(isthmus_gather_wait(gather));
        CHECK(back[0] == data[0] && back[31] == data[0]);
        // What is refused says why to the thread that asked.
        char expected[64];
        std::snprintf(expected, sizeof expected, "8 bytes at offset %d",
                      1 << 20 | (thread * 8 + round * 64));
        CHECK(isthmus_poke(to, 1 << 20 | static_cast<unsigned>(thread * 8 + round * 64), 1) ==
              ISTHMUS_BOUNDS);
        CHECK(std::strstr(isthmus_error_text(), expected));
    }
    OK(isthmus_gather_destroy(gather));
}

void operations() {
    isthmus_segment own;
    OK(isthmus_segment_create(&own, id_of(2, me, 0), nullptr, 1 << 16, 0));
    std::vector<isthmus_segment> all(static_cast<std::size_t>(pes));
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_segment_clone(&all[static_cast<std::size_t>(pe)], id_of(2, pe, 0), -1));
    run_threads([&](int thread) { operate(all, thread); }, call_collectives);
    const auto* words = reinterpret_cast<const std::int64_t*>(own.base);
    const int end = pes * kThreads;
    static std::int64_t total;
    std::int64_t sum = 0;
    for (const isthmus_segment& segment : all) {
        OK(isthmus_peek(&segment, 8 * static_cast<std::uint64_t>(end), &total, nullptr));
        sum += total;
    }
    CHECK(sum == std::int64_t{2} * end * rounds);
    CHECK(rounds < pes || words[end + 1] > 0);
    CHECK(words[end + 2] == 0);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&own));
}

// ---- One allocator for all threads of all PEs.

void allocator() {
    isthmus_segment own, shared;
    if (me == 0)
        OK(isthmus_segment_create(&own, 3, nullptr, 1 << 20,
                                  ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR));
    OK(isthmus_segment_clone(&shared, 3, -1));
    run_threads(
        [&](int thread) {
            std::uint64_t state = 3 + static_cast<std::uint64_t>(me * kThreads + thread);
            std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;  // offset, size
            const auto free_one = [&](std::size_t i) {
                unsigned char bytes[512];
                OK(isthmus_get(bytes, &shared, blocks[i].first, blocks[i].second, nullptr));
                for (std::uint64_t byte = 0; byte < blocks[i].second; ++byte)
                    CHECK(bytes[byte] == me * kThreads + thread + 1);
                OK(isthmus_segment_free(&shared, blocks[i].first, nullptr));
                blocks[i] = blocks.back();
                blocks.pop_back();
            };
            for (int round = 0; round < rounds; ++round) {
                const std::uint64_t size = next_random(&state) % 500 + 1;
                std::uint64_t offset = 0;
                const int status =
                    round % 3 == 0 ? isthmus_segment_memalign(&shared, 256, size, &offset, nullptr)
                                   : isthmus_segment_malloc(&shared, size, &offset, nullptr);
                if (status == ISTHMUS_OK) {
                    unsigned char mark[512];
                    std::memset(mark, me * kThreads + thread + 1, size);
                    if (is_far(&shared))
                        OK(isthmus_put(mark, &shared, offset, size, nullptr));
                    else
                        std::memcpy(shared.base + offset, mark, size);
                    OK(isthmus_fence(&shared, nullptr));
                    blocks.emplace_back(offset, size);
                } else {
                    CHECK(status == ISTHMUS_NO_MEMORY);
                }
                if (blocks.size() > 20) free_one(next_random(&state) % blocks.size());
            }
            while (!blocks.empty())
                free_one(0);
        },
        nullptr);
    if (me == 0) {
        std::uint64_t offset = 0;
        OK(isthmus_segment_malloc(&shared, 1000'000, &offset, nullptr));  // all in one piece again
        OK(isthmus_segment_destroy(&own));
    }
    isthmus_barrier();
}

// ---- Events: every thread waits for words that others write, in every manner.

void events() {
    isthmus_segment own;
    OK(isthmus_segment_create(&own, id_of(4, me, 0), nullptr, 4096, 0));
    std::vector<isthmus_segment> all(static_cast<std::size_t>(pes));
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_segment_clone(&all[static_cast<std::size_t>(pe)], id_of(4, pe, 0), -1));
    // In a ring through all threads of all PEs a number goes round: each adds one.
    const int all_threads = pes * kThreads;
    const auto word_here = [&](int thread) {
        return reinterpret_cast<std::int64_t*>(own.base + 64 * static_cast<std::uint64_t>(thread));
    };
    const int laps = rounds / 10 + 2;
    isthmus_barrier();
    run_threads(
        [&](int thread) {
            const int number = me * kThreads + thread;
            const int next = (number + 1) % all_threads;
            std::int64_t zero = 0;
            isthmus_event never;
            OK(isthmus_event_arm(&never, &zero, ISTHMUS_NE, 0));
            for (int lap = 0; lap < laps; ++lap) {
                const std::int64_t value = std::int64_t{lap} * all_threads + number;
                if (value != 0) {
                    isthmus_event event;
                    OK(isthmus_event_arm(&event, word_here(thread), ISTHMUS_GE, value));
                    const isthmus_event both[2] = {never, event};
                    std::size_t which = 9;
                    switch (lap % 4) {
                        case 0: OK(isthmus_event_wait(&event)); break;
                        case 1: OK(isthmus_event_wait_any(both, 2, &which, -1)); break;
                        case 2: OK(isthmus_event_wait_all(both + 1, 1, 60)); break;
                        default:
                            while (isthmus_event_wait_for(&event, 0.02) == ISTHMUS_TIMEOUT) {
                            }
                    }
                    CHECK(lap % 4 != 1 || which == 1);
                    CHECK(__atomic_load_n(word_here(thread), __ATOMIC_RELAXED) == value);
                }
                const isthmus_segment* const to = &all[static_cast<std::size_t>(next / kThreads)];
                const auto offset = 64 * static_cast<std::uint64_t>(next % kThreads);
                OK(isthmus_poke(to, offset, value + 1));
            }
        },
        call_collectives);
    OK(isthmus_segment_destroy(&own));
}

// ---- Queues: threads clone their own ends of every PE's queue; one thread a PE takes.

struct Message {
    std::int32_t pe, thread, number;
    std::uint32_t size;
};

void send(isthmus_queue* queue, int thread, int number) {
    char text[512];
    const auto size = static_cast<std::uint32_t>(
        sizeof(Message) + hash(static_cast<std::uint64_t>(thread * 1000 + number + 1)) % 400);
    const Message message = {me, thread, number, size};
    std::memset(text, number, size);
    std::memcpy(text, &message, sizeof message);
    if (number % 4 == 1) {
        void* place = nullptr;
        OK(isthmus_enqueue_reserve(queue, sizeof text, &place));
        std::memcpy(place, text, size);
        OK(isthmus_enqueue_commit(queue, place, size));
    } else if (number % 4 == 2) {
        int status = ISTHMUS_AGAIN;
        while ((status = isthmus_try_enqueue(queue, text, size)) == ISTHMUS_AGAIN)
            give_way();
        OK(status);
    } else {
        isthmus_event event;
        OK(isthmus_enqueue(queue, text, size, number % 4 ? &event : nullptr));
    }
}

void receive(isthmus_queue* queue) {
    const int producers = pes * (kThreads - 1);
    std::vector<int> expected(static_cast<std::size_t>(pes) * kThreads);
    const int count = producers * rounds;
    for (int i = 0; i < count; ++i) {
        const void* place = nullptr;
        std::uint64_t size = 0;
        if (i % 2 == 0) {
            isthmus_event event;
            OK(isthmus_queue_event(queue, &event));
            OK(isthmus_event_wait(&event));
        }
        OK(isthmus_dequeue(queue, &place, &size, -1));
        Message message;
        std::memcpy(&message, place, sizeof message);
        CHECK(message.size == size && message.pe >= 0 && message.pe < pes);
        CHECK(message.number ==
              expected[static_cast<std::size_t>(message.pe * kThreads + message.thread)]++);
        for (std::uint64_t byte = sizeof message; byte < size; ++byte)
            CHECK(static_cast<const char*>(place)[byte] == static_cast<char>(message.number));
        OK(isthmus_dequeue_release(queue));
    }
    const void* place = nullptr;
    std::uint64_t size = 0;
    CHECK(isthmus_queue_peek(queue, &place, &size) == ISTHMUS_AGAIN);
}

void queues() {
    isthmus_queue* own = nullptr;
    OK(isthmus_queue_create(&own, id_of(5, me, 0), 4096));
    run_threads(
        [&](int thread) {
            if (thread == 0) return receive(own);
            std::vector<isthmus_queue*> ends(static_cast<std::size_t>(pes));
            for (int pe = 0; pe < pes; ++pe)
                OK(isthmus_queue_clone(&ends[static_cast<std::size_t>(pe)], id_of(5, pe, 0), -1));
            for (int number = 0; number < rounds; ++number) {
                for (int i = 0; i < pes; ++i)
                    send(ends[static_cast<std::size_t>((me + i) % pes)], thread, number);
            }
            for (isthmus_queue* end : ends)
                OK(isthmus_queue_destroy(end, nullptr));
        },
        call_collectives);
    std::uint64_t lost = 1;
    OK(isthmus_queue_destroy(own, &lost));
    CHECK(lost == 0);
}

// Queues that go while producers wait for room, closed by a third thread before or destroyed by
// their owner alone; whoever sends learns why.
void queues_that_end() {
    const int laps = rounds / 10 + 2;
    isthmus_segment own, next;  // a word: how many queues the PE has destroyed
    OK(isthmus_segment_create(&own, id_of(8, me, 0), nullptr, 8, 0));
    OK(isthmus_segment_clone(&next, id_of(8, (me + 1) % pes, 0), -1));
    run_threads(
        [&](int thread) {
            const int pe = (me + 1) % pes;
            for (int lap = 0; lap < laps; ++lap) {
                const int base = 6 + lap % 2;
                if (thread == 0) {  // owner
                    isthmus_queue* queue = nullptr;
                    OK(isthmus_queue_create(&queue, id_of(base, me, lap), 4096));
                    int taken = 0;
                    const void* place = nullptr;
                    std::uint64_t size = 0;
                    int status = ISTHMUS_OK;
                    while (taken < 50) {
                        status = isthmus_dequeue(queue, &place, &size, 30);
                        if (status == ISTHMUS_CLOSED) break;
                        OK(status);
                        ++taken;
                        OK(isthmus_dequeue_release(queue));
                    }
                    OK(isthmus_queue_destroy(queue, nullptr));
                    OK(isthmus_postadd(&own, 0, 1));
                    continue;
                }
                isthmus_queue* queue = nullptr;
                int status = ISTHMUS_TIMEOUT;
                std::int64_t gone = 0;  // some come when it is
                while (status == ISTHMUS_TIMEOUT && gone <= lap) {
                    status = isthmus_queue_clone(&queue, id_of(base, pe, lap), 0.001);
                    OK(isthmus_peek(&next, 0, &gone, nullptr));
                }
                if (status == ISTHMUS_TIMEOUT) continue;
                OK(status);
                char text[100] = "";
                for (int i = 0; status == ISTHMUS_OK; ++i) {
                    if (thread == 1 && base == 7 && i == 20) {
                        status = isthmus_queue_close(queue);
                        CHECK(status == ISTHMUS_OK || status == ISTHMUS_STALE);
                    }
                    status = isthmus_enqueue(queue, text, sizeof text, nullptr);
                }
                CHECK(status == ISTHMUS_CLOSED || status == ISTHMUS_STALE);
                OK(isthmus_queue_destroy(queue, nullptr));
            }
        },
        nullptr);
    OK(isthmus_segment_destroy(&own));
}

// The queues of shmemx.h: each thread has its own.
void extension_queues() {
    std::vector<shmemx_queue_t> all(kThreads);
    for (shmemx_queue_t& queue : all)
        OK(shmemx_queue_create(4096, &queue));
    run_threads(
        [&](int thread) {
            shmemx_queue_t queue = all[static_cast<std::size_t>(thread)];
            const void* place = nullptr;
            std::size_t size = 0;
            const auto take = [&] {
                CHECK(size == 4 && *static_cast<const int*>(place) >= 0);
                OK(shmemx_queue_release(queue));
            };
            int taken = 0;
            for (int round = 0; round < rounds; ++round) {
                while (shmemx_queue_try_enqueue(queue, &round, 4, (me + 1) % pes) ==
                       ISTHMUS_AGAIN) {
                    if (shmemx_queue_try_dequeue(queue, &place, &size) != ISTHMUS_OK) {
                        give_way();
                        continue;
                    }
                    take();
                    ++taken;
                }
            }
            for (; taken < rounds; ++taken) {
                OK(shmemx_queue_dequeue(queue, &place, &size));
                take();
            }
            if (thread == 0) OK(shmemx_queue_close(queue, me));
        },
        nullptr);
    for (shmemx_queue_t queue : all)
        OK(shmemx_queue_destroy(queue, nullptr));
}

// ---- Aggregators: one of each thread. They are made and finished by one thread after the other,
// and pushed to by all at once.

class Turns {
  public:
    template <typename Meanwhile>
    void take(int thread, const std::function<void()>& collective, Meanwhile&& meanwhile) {
        for (;;) {
            {
                const std::lock_guard lock(guard_);
                if (turn_ == thread) break;
            }
            meanwhile();
        }
        collective();
        const std::lock_guard lock(guard_);
        turn_ = (turn_ + 1) % kThreads;
    }

  private:
    std::mutex guard_;
    int turn_ = 0;
};

struct Receiver {
    std::int64_t sum = 0;
    isthmus_aggregator* replies = nullptr;
};

void add_items(void* argument, int source, const void* items, std::size_t count) {
    auto* receiver = static_cast<Receiver*>(argument);
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t item = 0;
        std::memcpy(&item, static_cast<const char*>(items) + 8 * i, 8);
        receiver->sum += item;
        if (receiver->replies) OK(isthmus_aggregator_push(receiver->replies, source, &item));
    }
}

void aggregators() {
    Turns turns;
    run_threads(
        [&](int thread) {
            Receiver requests, replies;
            isthmus_aggregator* forth = nullptr;
            isthmus_aggregator* back = nullptr;
            turns.take(
                thread,
                [&] {
                    OK(isthmus_aggregator_create(&back, 8, 0, add_items, &replies));
                    requests.replies = back;
                    OK(isthmus_aggregator_create(&forth, 8, 256, add_items, &requests));
                },
                give_way);
            std::int64_t sent = 0;
            for (int phase = 0; phase < 3; ++phase) {
                for (int i = 0; i < rounds * 20; ++i) {
                    const std::int64_t item = i * (thread + 1) + phase;
                    OK(isthmus_aggregator_push(forth, i % pes, &item));
                    sent += item;
                    if (i % 100 == 0) OK(isthmus_aggregator_progress(forth, nullptr));
                }
                OK(isthmus_aggregator_flush(forth));
                turns.take(
                    thread,
                    [&] {
                        OK(isthmus_aggregator_finish(forth));
                        OK(isthmus_aggregator_finish(back));
                    },
                    [&] {
                        OK(isthmus_aggregator_progress(forth, nullptr));
                        give_way();
                    });
                CHECK(replies.sum == sent);  // every item came back
            }
            turns.take(
                thread,
                [&] {
                    OK(isthmus_aggregator_destroy(forth));
                    OK(isthmus_aggregator_destroy(back));
                },
                give_way);
        },
        nullptr);
}

}  // namespace

int main(int argc, char** argv) {
    rounds = argc > 1 ? std::atoi(argv[1]) : 500;
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    run_threads(come_and_go, call_collectives);
    one_id();
    operations();
    allocator();
    events();
    queues();
    queues_that_end();
    extension_queues();
    aggregators();
    isthmus_finalize();
    return 0;
}
