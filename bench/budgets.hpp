// Budgets of the short operations: instructions from entry to return on x86-64, on one host. The
// bounds of the benchmarks are these, and docs/cost-classes.md has the table made from them
// (tests/docs/budgets_page.cpp), which also looks for each number where it is stated.
#pragma once

#include <string_view>

namespace isthmus::bench {

struct Budget {
    const char* probe;  // the first of those that it holds for, in programs/counts.c
    const char* operation;
    double instructions;
    const char* stated;  // the file with the comment
};

inline constexpr Budget kOneHostBudgets[] = {
    {"probe_inline_int_p", "`p`, `g` inlined", 7, "include/isthmus/shmem_inline.h"},
    {"probe_inline_fetch_add", "atomic inlined", 8, "include/isthmus/shmem_inline.h"},
    {"probe_call_int_p", "`p`, `g` through the symbol", 9, "src/api/shmem/rma.cpp"},
    {"probe_call_fetch_add", "atomic through the symbol", 10, "src/api/shmem/atomics.cpp"},
    {"probe_call_putmem8", "`put`, `get` of 8 bytes through the symbol", 20,
     "src/api/shmem/rma.cpp"},
    {"probe_call_quiet_none", "`quiet`", 4, "src/api/shmem/ordering.cpp"},
    {"probe_call_fence_none", "`fence`", 3, "src/api/shmem/ordering.cpp"},
    {"probe_call_barrier_all", "`barrier_all`, 2 PEs, waiting not counted", 80,
     "src/core/teams/collective/barrier.cpp"},
    {"probe_call_broadcast8", "`broadcast` of 8 bytes, at the root", 120,
     "src/core/teams/collective/move.cpp"},
};

inline constexpr Budget kNativeBudgets[] = {
    {"probe_put8", "native put of 8 bytes with an event, inlined", 30,
     "include/isthmus/operation.h"},
    {"probe_postadd", "native posted add, inlined", 15, "include/isthmus/operation.h"},
    {"probe_fetchadd", "native fetch-add, inlined", 20, "include/isthmus/operation.h"},
    {"probe_event_test", "native event test: a completed operation, a condition on a word", 6,
     "include/isthmus/event.h"},
};

// Of the probe in either table.
constexpr double budget(std::string_view probe) {
    for (const Budget& row : kOneHostBudgets) {
        if (probe == row.probe) return row.instructions;
    }
    for (const Budget& row : kNativeBudgets) {
        if (probe == row.probe) return row.instructions;
    }
    throw "no budget for this probe";  // at compile time: not a constant expression
}

}  // namespace isthmus::bench
