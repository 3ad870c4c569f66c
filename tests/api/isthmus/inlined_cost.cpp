// What the inlined accesses of the C++ face cost: inlined_cost.py runs this under callgrind and
// divides what each function below has executed by kRounds. `bare` is the loop itself.
#include <isthmus.hpp>

#include "check.h"

namespace {

constexpr std::size_t kRounds = 4096;

template <typename Array>
[[gnu::always_inline]] inline void fill(const Array& x) {
    for (std::size_t i = 0; i < kRounds; ++i)
        x[i & (kRounds / 2 - 1)] = static_cast<long>(i);
}

}  // namespace

#define COUNTED extern "C" [[gnu::noinline, gnu::noipa]] void

COUNTED cost_bare(volatile long* x) {
    for (std::size_t i = 0; i < kRounds; ++i)
        x[i & (kRounds / 2 - 1)] = static_cast<long>(i);
}
COUNTED cost_pointer_put(const isthmus::global_ptr<long>* x) {
    const isthmus::global_ptr<long> p = *x;
    for (std::size_t i = 0; i < kRounds; ++i)
        p[static_cast<std::ptrdiff_t>(i & (kRounds / 2 - 1))] = static_cast<long>(i);
}
COUNTED cost_pointer_get(const isthmus::global_ptr<long>* x, volatile long* sink) {
    const isthmus::global_ptr<long> p = *x;
    for (std::size_t i = 0; i < kRounds; ++i)
        *sink = p[static_cast<std::ptrdiff_t>(i & (kRounds / 2 - 1))];
}
COUNTED cost_cyclic(const isthmus::shared_array<long>* x) {
    fill(*x);
}
COUNTED cost_blocked(const isthmus::shared_array<long, isthmus::blocked>* x) {
    fill(*x);
}
COUNTED cost_block4(const isthmus::shared_array<long, isthmus::block_cyclic<4>>* x) {
    fill(*x);
}
COUNTED cost_block_at_run_time(const isthmus::shared_array<long, isthmus::block_cyclic<>>* x) {
    fill(*x);
}

int main() {
    const isthmus::job job;
    const isthmus::shared_array<long> cyclic(kRounds);
    const isthmus::shared_array<long, isthmus::blocked> blocked(kRounds);
    const isthmus::shared_array<long, isthmus::block_cyclic<4>> block4(kRounds);
    const isthmus::shared_array<long, isthmus::block_cyclic<>> run_time(kRounds, std::size_t{24});
    const isthmus::global_ptr<long> p = cyclic.pointer(0);
    long sink = 0;
    cost_bare(cyclic.local().data());
    cost_pointer_put(&p);
    cost_pointer_get(&p, &sink);
    cost_cyclic(&cyclic);
    cost_blocked(&blocked);
    cost_block4(&block4);
    cost_block_at_run_time(&run_time);
    CHECK(sink == static_cast<long>(kRounds - 1));
    return 0;
}
