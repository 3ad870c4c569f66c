// Several threads of each process at once (GASNET_PAR): requests with replies, puts and atomics,
// events that one thread begins and another waits for, and collectives that one thread begins while
// the others poll. threads [ROUNDS]
#include "check.h"

#include <gasnet_ratomic.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 3;
enum { kRequest = 150, kReply = 151 };
gex_HSL_t lock = GEX_HSL_INITIALIZER;
long requests = 0;  // guarded by the lock
std::atomic<long> replies[kThreads];

void reply(gex_Token_t, gex_AM_Arg_t thread) {
    replies[thread].fetch_add(1, std::memory_order_relaxed);
}
void request(gex_Token_t token, void* buffer, size_t nbytes, gex_AM_Arg_t thread) {
    gex_Token_Info_t info;
    CHECK((gex_Token_Info(token, &info, GEX_TI_SRCRANK | GEX_TI_EP) & GEX_TI_EP) != 0);
    CHECK(nbytes == sizeof thread && *static_cast<gex_AM_Arg_t*>(buffer) == thread);
    gex_HSL_Lock(&lock);
    ++requests;
    gex_HSL_Unlock(&lock);
    OK(gex_AM_ReplyShort1(token, kReply, 0, thread));
}

// Of rank 0's segment: a sum, then words of each thread's.
void work(gex_AM_Arg_t thread, int rounds, gex_AD_t sums) {
    auto* const base = reinterpret_cast<int64_t*>(bases[0]);
    const size_t place = 8 + (me * kThreads + static_cast<gex_Rank_t>(thread)) * 8;
    for (int round = 1; round <= rounds; ++round) {
        for (gex_Rank_t rank = 0; rank < ranks; ++rank) {
            // Negotiated by some, and without waiting.
            if (thread == 0) {
                gex_AM_SrcDesc_t description = gex_AM_PrepareRequestMedium(
                    all, rank, nullptr, sizeof thread, sizeof thread, nullptr, 0, 1);
                *static_cast<gex_AM_Arg_t*>(gex_AM_SrcDescAddr(description)) = thread;
                gex_AM_CommitRequestMedium1(description, kRequest, sizeof thread, thread);
            } else {
                while (gex_AM_RequestMedium1(all, rank, kRequest, &thread, sizeof thread,
                                             GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE, thread) != 0)
                    gasnet_AMPoll();
            }
        }
        int64_t value = round * 3 + thread;
        int64_t got = 0;
        OK(gex_RMA_PutNBI(all, 0, base + place, &value, sizeof value, GEX_EVENT_NOW, 0));
        gex_NBI_Wait(GEX_EC_PUT, 0);
        gex_Event_Wait(gex_RMA_GetNB(all, &got, 0, base + place, sizeof got, 0));
        CHECK(got == value);
        OK(gex_AD_OpNBI_I64(sums, nullptr, 0, base, GEX_OP_ADD, 1, 0, 0));
        gex_NBI_Wait(GEX_EC_RMW, 0);
        GASNET_BLOCKUNTIL(replies[thread].load(std::memory_order_relaxed) >= round * long{ranks});
    }
}

// Begun by this thread, waited for by another.
void collect(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        int64_t sum = me + 1;
        gex_Event_t event = gex_Coll_ReduceToAllNB(all, &sum, &sum, GEX_DT_I64, sizeof sum, 1,
                                                   GEX_OP_ADD, nullptr, nullptr, 0);
        std::thread other([event] {
            while (gex_Event_Test(event) != GASNET_OK)
                gasnet_AMPoll();
        });
        other.join();
        CHECK(sum == int64_t{ranks} * (ranks + 1) / 2);
    }
}

}  // namespace

int main(int argc, char** argv) {
    gex_AM_Entry_t table[] = {{kRequest, reinterpret_cast<gex_AM_Fn_t>(request),
                               GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, nullptr, "request"},
                              {kReply, reinterpret_cast<gex_AM_Fn_t>(reply),
                               GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, nullptr, "reply"}};
    start(&argc, &argv, table, 2, 1 << 20);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 500;
    CHECK(gex_System_QueryMaxThreads() >= kThreads);
    if (me == 0) *reinterpret_cast<int64_t*>(bases[0]) = 0;
    meet();
    gex_AD_t sums;
    gex_AD_Create(&sums, all, GEX_DT_I64, GEX_OP_ADD, 0);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back(work, thread, rounds, sums);
    collect(rounds / 10);
    for (std::thread& thread : threads)
        thread.join();
    meet();
    if (me == 0) CHECK(*reinterpret_cast<int64_t*>(bases[0]) == int64_t{rounds} * kThreads * ranks);
    gex_HSL_Lock(&lock);
    CHECK(requests == long{rounds} * kThreads * ranks);
    gex_HSL_Unlock(&lock);
    CHECK(gex_HSL_Trylock(&lock) == GASNET_OK);
    gex_HSL_Unlock(&lock);
    gex_HSL_Destroy(&lock);
    gex_HSL_Init(&lock);
    gex_AD_Destroy(sums);
    end();
}
