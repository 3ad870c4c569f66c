// Memory runs out inside a call: nothing is thrown across the border, and the status is the right
// one.
//   (no argument)   calls that one PE makes alone: every function, every allocation
//   NAME K          a call of all PEs, in which the K-th allocation of PE 0 fails: ends the job;
//                   says "done" if it needs fewer
#include <isthmus.hpp>

#include <shmem.h>
#include <shmemx.h>
#include <sys/mman.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "check.h"

namespace {

// Of this thread, from now on: the `failing`-th allocation fails, and, if `for_good`, all after it.
// 0: none does.
constinit thread_local int failing = 0;
constinit thread_local bool for_good = false;

void* allocate(std::size_t size) {
    if (failing == 1 && for_good) throw std::bad_alloc();
    if (failing != 0 && --failing == 0) throw std::bad_alloc();
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    return allocate(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
    return allocate(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace {

int me, pes;
int calls = 0, failures = 0;

// `call` returns the status `wanted` where there is memory, and where there is none that or
// NO_MEMORY; said again, it is as if it had not been said. `undo` is run after each that is OK.
void says(
    const char* name, isthmus_status wanted, const std::function<int()>& call,
    const std::function<void()>& undo = [] {}) {
    ++calls;
    for (const bool all : {false, true}) {
        for (int nth = 0;; ++nth) {
            int status = -1;
            bool spent = false;
            bool thrown = false;
            failing = nth;
            for_good = all;
            try {
                status = call();
            } catch (...) {
                thrown = true;
            }
            spent = nth != 0 && failing == (all ? 1 : 0);
            failing = 0;
            failures += spent;
            const std::string text = isthmus_error_text();
            const bool said = status == ISTHMUS_OK || text.find(": ") != std::string::npos;
            const bool right = status == wanted || (spent && status == ISTHMUS_NO_MEMORY);
            if (thrown || !right || !said) {
                std::fprintf(stderr, "PE %d: %s, allocation %d%s: %s %s (%s)\n", me, name, nth,
                             all ? " and all after it" : "", thrown ? "thrown" : "status",
                             isthmus_status_name(status), text.c_str());
                isthmus_exit(1);
            }
            if (status == ISTHMUS_OK) undo();
            if (nth != 0 && !spent) break;
        }
    }
}

void segments() {
    const std::uint64_t id = 1000 + 100 * static_cast<std::uint64_t>(me);
    isthmus_segment made{}, view{}, small{}, damaged{};
    const auto destroy = [&] { OK(isthmus_segment_destroy(&made)); };
    void* const pages = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    alignas(16) static std::int64_t symmetric[64];
    const auto create = [&](void* memory, std::uint64_t size, std::uint32_t access) {
        return [&made, id, memory, size, access] {
            return isthmus_segment_create(&made, id, memory, size, access);
        };
    };
    says("create", ISTHMUS_OK, create(nullptr, 4096, 0), destroy);
    says("create, symmetric", ISTHMUS_OK, create(symmetric, sizeof symmetric, 0), destroy);
    says("create, adopted", ISTHMUS_OK, create(pages, 1 << 16, 0), destroy);
    says("create, allocator", ISTHMUS_OK,
         create(nullptr, 65536, ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR), destroy);
    says(
        "create, any", ISTHMUS_OK,
        [&] { return isthmus_segment_create(&made, ISTHMUS_ANY_ID, nullptr, 4096, 0); }, destroy);
    says("create, size 0", ISTHMUS_ARGUMENT, create(nullptr, 0, 0));
    says("create, no room", ISTHMUS_NO_MEMORY, create(nullptr, std::uint64_t{1} << 60, 0));
    says("create, unknown access", ISTHMUS_ARGUMENT, create(nullptr, 4096, 1 << 9 | 1 << 30));
    says("create, queue", ISTHMUS_ARGUMENT, create(nullptr, 4096, ISTHMUS_QUEUE));
    says("create, unaligned", ISTHMUS_ARGUMENT,
         create(reinterpret_cast<char*>(symmetric) + 1, 8, ISTHMUS_DEFAULT_ACCESS));
    says("create, part of a page", ISTHMUS_ARGUMENT, create(static_cast<char*>(pages) + 1, 8, 0));
    says("create, small allocator", ISTHMUS_ARGUMENT, create(symmetric, 16, ISTHMUS_ALLOCATOR));
    says("create, not mapped", ISTHMUS_ARGUMENT,
         create(reinterpret_cast<void*>(std::uintptr_t{4096}), 4096, 0));
    says("create, large id", ISTHMUS_ARGUMENT,
         [&] { return isthmus_segment_create(&made, std::uint64_t{1} << 62, nullptr, 4096, 0); });

    OK(isthmus_segment_create(&small, id + 1, nullptr, 4096, ISTHMUS_READ | ISTHMUS_TRANSFERS));
    OK(isthmus_segment_create(&made, id, nullptr, 65536,
                              ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR));
    says("create, taken", ISTHMUS_EXISTS,
         [&] { return isthmus_segment_create(&view, id, nullptr, 4096, 0); });
    says("clone", ISTHMUS_OK, [&] { return isthmus_segment_clone(&view, id, 1); });
    says("clone, nobody", ISTHMUS_TIMEOUT,
         [&] { return isthmus_segment_clone(&view, id + 50, 0); });
    says("clone, large id", ISTHMUS_ARGUMENT,
         [&] { return isthmus_segment_clone(&view, ISTHMUS_DEFAULT_ID(pes), 0); });
    says("default", ISTHMUS_OK, [&] { return isthmus_segment_default(&view, 0); });
    says("default, no PE", ISTHMUS_ARGUMENT, [&] { return isthmus_segment_default(&view, pes); });

    std::uint64_t offset = 0;
    void* address = nullptr;
    says("offset", ISTHMUS_BOUNDS,
         [&] { return isthmus_segment_offset(&made, made.base + 65536, &offset); });
    says("address", ISTHMUS_BOUNDS,
         [&] { return isthmus_segment_address(&made, 65536, &address); });
    says(
        "malloc", ISTHMUS_OK, [&] { return isthmus_segment_malloc(&made, 100, &offset, nullptr); },
        [&] { OK(isthmus_segment_free(&made, offset, nullptr)); });
    says("malloc, no room", ISTHMUS_NO_MEMORY,
         [&] { return isthmus_segment_malloc(&made, 1 << 20, &offset, nullptr); });
    says("malloc, no allocator", ISTHMUS_PROTOCOL,
         [&] { return isthmus_segment_malloc(&small, 100, &offset, nullptr); });
    says("memalign", ISTHMUS_ARGUMENT,
         [&] { return isthmus_segment_memalign(&made, 48, 100, &offset, nullptr); });
    says("free", ISTHMUS_ARGUMENT, [&] { return isthmus_segment_free(&made, 77, nullptr); });

    char bytes[64] = "";
    std::int64_t value = 0;
    std::int32_t narrow = 0;
    const std::uint64_t far_out = ~std::uint64_t{0} - 8;
    const isthmus_point2d here{0, 0, 4, 4};
    const isthmus_point2d out{3, 0, 4, 4};
    const isthmus_point3d here3{0, 0, 0, 4, 4, 4};
    const isthmus_point3d out3{3, 0, 0, 4, 4, 4};
    const isthmus_range range{bytes, far_out, 8};
    isthmus_channel channel = ISTHMUS_CHANNEL_INIT;
    const std::vector<std::function<int()>> beyond = {
        [&] { return isthmus_put(bytes, &made, far_out, 8, nullptr); },
        [&] { return isthmus_get(bytes, &made, far_out, 8, nullptr); },
        [&] { return isthmus_postadd(&made, far_out, 1); },
        [&] { return isthmus_postadd32(&made, far_out, 1); },
        [&] { return isthmus_poke(&made, far_out, 1); },
        [&] { return isthmus_peek(&made, far_out, &value, nullptr); },
        [&] { return isthmus_peek32(&made, far_out, &narrow, nullptr); },
        [&] { return isthmus_fetchadd(&made, far_out, 1, &value, nullptr); },
        [&] { return isthmus_swap(&made, far_out, 1, &value, nullptr); },
        [&] { return isthmus_compare_swap(&made, far_out, 1, 2, &value, nullptr); },
        [&] { return isthmus_postmin(&made, 4, 2); },  // no multiple of 8
        [&] { return isthmus_put_strided(bytes, 8, &made, far_out, 8, 4, 2, nullptr); },
        [&] { return isthmus_get_strided(bytes, 8, &made, far_out, 8, 4, 2, nullptr); },
        [&] { return isthmus_put_block2d(bytes, &here, &made, 0, &out, 1, 2, 2, nullptr); },
        [&] { return isthmus_get_block2d(bytes, &out, &made, 0, &here, 1, 2, 2, nullptr); },
        [&] { return isthmus_put_block3d(bytes, &here3, &made, 0, &out3, 1, 2, 2, 2, nullptr); },
        [&] { return isthmus_get_block3d(bytes, &here3, &made, 0, &out3, 1, 2, 2, 2, nullptr); },
        [&] { return isthmus_put_list(&range, 1, &made, nullptr); },
        [&] { return isthmus_get_list(&range, 1, &made, nullptr); },
        [&] { return isthmus_channel_put(&channel, bytes, &made, far_out, 8); },
    };
    for (std::size_t i = 0; i < beyond.size(); ++i)
        says(("operation " + std::to_string(i)).c_str(), ISTHMUS_BOUNDS, beyond[i]);
    says("strided, pitch", ISTHMUS_ARGUMENT,
         [&] { return isthmus_put_strided(bytes, 8, &made, 0, 2, 4, 2, nullptr); });
    says("atomic, no atomics", ISTHMUS_PROTOCOL, [&] { return isthmus_postadd(&small, 0, 1); });

    isthmus_event event;
    const std::int64_t word = 0;
    says("arm", ISTHMUS_ARGUMENT,
         [&] { return isthmus_event_arm(&event, nullptr, ISTHMUS_EQ, 0); });
    says("arm, condition", ISTHMUS_ARGUMENT,
         [&] { return isthmus_event_arm(&event, &word, static_cast<isthmus_condition>(17), 0); });
    OK(isthmus_event_arm(&event, &word, ISTHMUS_EQ, 1));
    std::size_t index = 0;
    says("wait", ISTHMUS_TIMEOUT, [&] { return isthmus_event_wait_for(&event, 0.001); });
    says("wait all", ISTHMUS_TIMEOUT, [&] { return isthmus_event_wait_all(&event, 1, 0.001); });
    says("wait any", ISTHMUS_TIMEOUT,
         [&] { return isthmus_event_wait_any(&event, 1, &index, 0.001); });
    says("wait any, none", ISTHMUS_ARGUMENT,
         [&] { return isthmus_event_wait_any(&event, 0, &index, 0.001); });

    isthmus_gather* gather = nullptr;
    says(
        "gather", ISTHMUS_OK, [&] { return isthmus_gather_create(&gather, &made, 1, 8); },
        [&] { OK(isthmus_gather_destroy(gather)); });
    OK(isthmus_gather_create(&gather, &made, 1, 8));
    isthmus_gather* none = nullptr;
    says("gather, item", ISTHMUS_ARGUMENT,
         [&] { return isthmus_gather_create(&none, &made, 1, 4096); });
    says("gather, source", ISTHMUS_ARGUMENT,
         [&] { return isthmus_gather_push(gather, 3, 0, bytes); });
    says("gather, bounds", ISTHMUS_BOUNDS,
         [&] { return isthmus_gather_push(gather, 0, 65536, bytes); });
    OK(isthmus_gather_destroy(gather));

    isthmus_segment copy = made;
    std::memset(made.base, 0x55, 64);
    says("malloc, damaged", ISTHMUS_ARGUMENT,
         [&] { return isthmus_segment_malloc(&made, 100, &offset, nullptr); });
    OK(isthmus_segment_destroy(&made));
    says("destroy again", ISTHMUS_STALE, [&] {
        damaged = copy;
        return isthmus_segment_destroy(&damaged);
    });
    says("put, destroyed", ISTHMUS_STALE, [&] { return isthmus_put(bytes, &copy, 0, 8, nullptr); });
    says("fence, destroyed", ISTHMUS_STALE, [&] { return isthmus_fence(&copy, nullptr); });
    OK(isthmus_segment_destroy(&small));
    munmap(pages, 1 << 16);
}

void queues() {
    const std::uint64_t id = 2000 + 100 * static_cast<std::uint64_t>(me);
    static char large[1 << 16];
    isthmus_queue *queue = nullptr, *other = nullptr;
    const void* message = nullptr;
    void* room = nullptr;
    std::uint64_t size = 0;
    says(
        "queue", ISTHMUS_OK, [&] { return isthmus_queue_create(&queue, id, 4096); },
        [&] { OK(isthmus_queue_destroy(queue, nullptr)); });
    says("queue, too large", ISTHMUS_TOO_LARGE,
         [&] { return isthmus_queue_create(&queue, id, (std::uint64_t{1} << 31) + 1); });
    OK(isthmus_queue_create(&queue, id, 4096));
    says("queue, taken", ISTHMUS_EXISTS, [&] { return isthmus_queue_create(&other, id, 4096); });
    says(
        "queue clone", ISTHMUS_OK, [&] { return isthmus_queue_clone(&other, id, 1); },
        [&] { OK(isthmus_queue_destroy(other, nullptr)); });
    says("queue clone, nobody", ISTHMUS_TIMEOUT,
         [&] { return isthmus_queue_clone(&other, id + 50, 0); });
    OK(isthmus_queue_clone(&other, id, 1));
    says("enqueue, too large", ISTHMUS_TOO_LARGE,
         [&] { return isthmus_enqueue(queue, large, 4000, nullptr); });
    says("try_enqueue, too large", ISTHMUS_TOO_LARGE,
         [&] { return isthmus_try_enqueue(queue, large, 4000); });
    says("reserve, too large", ISTHMUS_TOO_LARGE,
         [&] { return isthmus_enqueue_reserve(queue, 4000, &room); });
    OK(isthmus_enqueue_reserve(queue, 8, &room));
    says("commit, too large", ISTHMUS_TOO_LARGE,
         [&] { return isthmus_enqueue_commit(queue, room, 9); });
    says("destroy, reserved", ISTHMUS_ARGUMENT,
         [&] { return isthmus_queue_destroy(queue, nullptr); });
    OK(isthmus_enqueue_commit(queue, room, 8));
    says("commit again", ISTHMUS_ARGUMENT, [&] { return isthmus_enqueue_commit(queue, room, 8); });
    OK(isthmus_dequeue(queue, &message, &size, 1));
    OK(isthmus_dequeue_release(queue));
    says("release", ISTHMUS_ARGUMENT, [&] { return isthmus_dequeue_release(queue); });
    says("release message", ISTHMUS_ARGUMENT,
         [&] { return isthmus_dequeue_release_message(queue, message); });
    says("dequeue", ISTHMUS_TIMEOUT,
         [&] { return isthmus_dequeue(queue, &message, &size, 0.001); });
    says("dequeue, now", ISTHMUS_AGAIN, [&] { return isthmus_dequeue(queue, &message, &size, 0); });
    says("peek", ISTHMUS_AGAIN, [&] { return isthmus_queue_peek(queue, &message, &size); });
    says("dequeue from a clone", ISTHMUS_RIGHTS,
         [&] { return isthmus_dequeue(other, &message, &size, 0); });
    OK(isthmus_queue_close(queue));
    says("enqueue, closed", ISTHMUS_CLOSED,
         [&] { return isthmus_enqueue(other, large, 8, nullptr); });
    OK(isthmus_queue_destroy(queue, nullptr));
    says("enqueue, destroyed", ISTHMUS_STALE, [&] { return isthmus_try_enqueue(other, large, 8); });
    OK(isthmus_queue_destroy(other, nullptr));
}

void ignore(void*, int, const void*, std::size_t) {}

// A push is of one PE, unlike the rest of an aggregator.
void aggregators() {
    isthmus_aggregator* aggregator = nullptr;
    OK(isthmus_aggregator_create(&aggregator, 8, 0, ignore, nullptr));
    const std::int64_t item = 0;
    says("push, no PE", ISTHMUS_ARGUMENT,
         [&] { return isthmus_aggregator_push(aggregator, pes, &item); });
    OK(isthmus_aggregator_finish(aggregator));
    OK(isthmus_aggregator_destroy(aggregator));
}

void shmemx_queues() {
    shmemx_queue_t queue;
    static char large[1 << 16];
    const void* message = nullptr;
    std::size_t size = 0;
    OK(shmemx_queue_create(4096, &queue));
    says("shmemx enqueue, no PE", ISTHMUS_ARGUMENT,
         [&] { return shmemx_queue_enqueue(queue, large, 8, -1); });
    says("shmemx enqueue, too large", ISTHMUS_TOO_LARGE,
         [&] { return shmemx_queue_enqueue(queue, large, 4000, me); });
    says("shmemx try_enqueue, too large", ISTHMUS_TOO_LARGE,
         [&] { return shmemx_queue_try_enqueue(queue, large, 4000, me); });
    says("shmemx dequeue", ISTHMUS_AGAIN,
         [&] { return shmemx_queue_try_dequeue(queue, &message, &size); });
    says("shmemx release", ISTHMUS_ARGUMENT, [&] { return shmemx_queue_release(queue); });
    says("shmemx close", ISTHMUS_ARGUMENT, [&] { return shmemx_queue_close(queue, pes); });
    isthmus_barrier();
    OK(shmemx_queue_close(queue, me));
    says("shmemx enqueue, closed", ISTHMUS_CLOSED,
         [&] { return shmemx_queue_enqueue(queue, large, 8, me); });
    OK(shmemx_queue_destroy(queue, nullptr));
}

void symmetric() {
    char bytes[64];
    static std::int64_t word;
    std::int64_t before = 0;
    int on_stack = 0;
    says("symmetric put, no PE", ISTHMUS_ARGUMENT,
         [&] { return isthmus_symmetric_put(&word, bytes, 8, pes, nullptr); });
    says("symmetric put", ISTHMUS_BOUNDS,
         [&] { return isthmus_symmetric_put(&on_stack, bytes, 4, 0, nullptr); });
    says("symmetric get", ISTHMUS_BOUNDS, [&] {
        return isthmus_symmetric_get(bytes, reinterpret_cast<void*>(~std::uintptr_t{0} - 64), 4, 0,
                                     nullptr);
    });
    says("symmetric atomic", ISTHMUS_BOUNDS, [&] {
        return isthmus_symmetric_atomic(&before, 0, ISTHMUS_ATOMIC_ADD, 8, 1, 0, &before);
    });
    says("symmetric atomic, kind", ISTHMUS_ARGUMENT, [&] {
        return isthmus_symmetric_atomic(&word, 0, static_cast<isthmus_atomic_kind>(99), 8, 1, 0,
                                        &before);
    });
    says("symmetric atomic, width", ISTHMUS_ARGUMENT,
         [&] { return isthmus_symmetric_atomic(&word, 0, ISTHMUS_ATOMIC_ADD, 2, 1, 0, &before); });
    says("symmetric address", ISTHMUS_OK,
         [&] { return isthmus_symmetric_address(&on_stack, 0) ? ISTHMUS_ARGUMENT : ISTHMUS_OK; });
    isthmus_segment made{};
    const std::uint64_t id = 3000 + static_cast<std::uint64_t>(me);
    OK(isthmus_segment_create(&made, id, nullptr, 100, ISTHMUS_READ | ISTHMUS_TRANSFERS));
    says("symmetric put, arena", ISTHMUS_BOUNDS,
         [&] { return isthmus_symmetric_put(made.base + 96, bytes, 8, me, nullptr); });
    says("symmetric atomic, arena", ISTHMUS_PROTOCOL, [&] {
        return isthmus_symmetric_atomic(made.base, me, ISTHMUS_ATOMIC_ADD, 8, 1, 0, &before);
    });
    OK(isthmus_segment_destroy(&made));
}

// One call of all PEs; with "refused" one that all of them refuse, once they have agreed on it.
int collective(const std::string& name) {
    void* block = nullptr;
    isthmus_aggregator* aggregator = nullptr;
    shmemx_aggregate_t aggregate;
    shmemx_queue_t queue;
    if (name == "isthmus_symmetric_malloc") return isthmus_symmetric_malloc(&block, 4096, 0);
    if (name == "symmetric_block") return isthmus::symmetric_block<int>::create(100).code();
    if (name == "isthmus_symmetric_free") return isthmus_symmetric_free(nullptr);
    if (name == "isthmus_aggregator_create")
        return isthmus_aggregator_create(&aggregator, 8, 0, ignore, nullptr);
    if (name == "shmemx_aggregate_create")
        return shmemx_aggregate_create(8, 0, ignore, nullptr, &aggregate);
    if (name == "shmemx_queue_create") return shmemx_queue_create(4096, &queue);
    const auto refused = [](int status, int wanted) {
        return status == wanted ? ISTHMUS_OK : ISTHMUS_CLOSED;
    };
    if (name == "isthmus_symmetric_malloc refused")
        return refused(isthmus_symmetric_malloc(&block, 8, 48), ISTHMUS_ARGUMENT);
    if (name == "isthmus_aggregator_create refused")
        return refused(isthmus_aggregator_create(&aggregator, 8, 0, nullptr, nullptr),
                       ISTHMUS_ARGUMENT);
    if (name == "shmemx_aggregate_create refused")
        return refused(shmemx_aggregate_create(257, 0, ignore, nullptr, &aggregate),
                       ISTHMUS_ARGUMENT);
    if (name == "shmemx_queue_create refused")
        return refused(shmemx_queue_create(std::size_t{1} << 40, &queue), ISTHMUS_TOO_LARGE);
    return -1;
}

}  // namespace

int main(int count, char** arguments) {
    shmem_init();
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    if (count > 2) {
        const std::string name = arguments[1];
        isthmus_barrier();
        if (me == 0) failing = std::atoi(arguments[2]);
        const int status = collective(name);
        const bool spent = failing == 0;
        failing = 0;
        OK(status);
        if (me == 0 && !spent) std::puts("done");
    } else {
        segments();
        queues();
        symmetric();
        isthmus_barrier();
        aggregators();
        shmemx_queues();
        if (me == 0) std::printf("%d calls, %d failures of memory\n", calls, failures);
        CHECK(failures > 20);
    }
    isthmus_barrier();
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
