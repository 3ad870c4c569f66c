// What the C++ face ends the job for, where there is no place for a result: one case a run.
#undef NDEBUG  // the views' assertions are looked at, too
#include <isthmus.hpp>

#include <shmem.h>
#include <shmemx.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"

int main(int, char** arguments) {
    const std::string which = arguments[1];
    if (which == "kept_message") {  // no failure: the session has ended before the message
        isthmus_init();
        const auto queue = isthmus::queue::create(6 + isthmus::pe(), 4096).or_fail();
        queue.push(3).or_fail();
        const auto message = queue.take().or_fail();
        isthmus_finalize();
        return 0;
    }
    const isthmus::job job;
    isthmus::symmetric_block<long> block(4);
    std::vector<int> memory(12);
    const isthmus::array_view view(memory.data(), 3, 4);
    int on_stack = 0;
    if (which == "part") (void)view.part({1, 2}, {2, 3});
    if (which == "extent") on_stack = view(0, 4);
    if (which == "or_fail") isthmus::segment::of(isthmus::pes()).or_fail();
    if (which == "assign") *isthmus::global_ptr<long>(block.data(), isthmus::pes()) = 3;
    if (which == "read") on_stack = *isthmus::global_ptr<int>(&on_stack, 0);
    if (which == "atomic") {
        const isthmus::global_ptr<long> nowhere(block.data(), -1);
        isthmus::global_atomic<long>(nowhere).fetch_add(1);
    }
    if (which == "misaligned_atomic") {
        const auto odd = reinterpret_cast<long*>(reinterpret_cast<char*>(block.data()) + 4);
        isthmus::global_atomic<long>(isthmus::global_ptr<long>(odd, 1)).fetch_add(1);
    }
    if (which == "some_handlers") {
        isthmus_aggregator* aggregator = nullptr;
        const auto ignore = [](void*, int, const void*, size_t) {};
        isthmus_aggregator_create(&aggregator, 8, 0, isthmus::pe() == 0 ? nullptr : +ignore,
                                  nullptr);
    }
    if (which == "some_alignments") {
        void* made = nullptr;
        isthmus_symmetric_malloc(&made, 8, isthmus::pe() == 0 ? 48 : 64);
    }
    if (which == "some_calls") {
        void* made = nullptr;
        isthmus_aggregator* aggregator = nullptr;
        if (isthmus::pe() == 0)
            isthmus_symmetric_malloc(&made, 8, 0);
        else
            isthmus_aggregator_create(
                &aggregator, 8, 0, [](void*, int, const void*, size_t) {}, nullptr);
    }
    if (which == "some_capacities") {
        shmem_init();
        shmemx_queue_t queue;
        shmemx_queue_create(isthmus::pe() == 0 ? std::size_t{1} << 40 : 4096, &queue);
    }
    if (which == "message") {
        const auto queue =
            isthmus::queue::create(static_cast<std::uint64_t>(5 + isthmus::pe()), 4096).or_fail();
        queue.push(3).or_fail();
        (void)queue.take().or_fail().as<long>();
    }
    if (which == "objects") {
        const auto segment = isthmus::segment::create(7, 4096).or_fail();
        (void)segment.objects<long>(4000, 100);
    }
    if (which == "event") {
        const auto segment = isthmus::segment::create(7, 4096).or_fail();
        const isthmus::event dropped = segment.async_put(memory, 4090);  // and nobody asks
    }
    if (which == "array") isthmus::shared_array<long> huge(std::size_t{1} << 45);
    if (which == "load") {  // of a PE of another host
        const auto theirs = isthmus::segment::of(1 - isthmus::pe()).or_fail();
        on_stack = *reinterpret_cast<volatile int*>(theirs.native().base);
    }
    if (which == "left") {
        const auto aggregator = isthmus::aggregator_of<int>([](int, std::span<const int>) {});
        if (isthmus::pe() == 1) std::exit(0);
        aggregator.finish().or_fail();
    }
    if (which == "ring") isthmus::aggregator_of<int>([](int, std::span<const int>) {});
    if (which == "handler") {
        const auto aggregator = isthmus::aggregator_of<int>(
            [](int, std::span<const int>) { throw std::string("thrown"); });
        aggregator.push(0, 1).or_fail();
        aggregator.finish().or_fail();
    }
    return 0;
}
