// The routines that a PE notes as its last call, so that another process (the launcher, a PE that
// writes a stall report) can name them. Types are left out (shmem_int_put is shmem_put), but for
// reductions and scans. The short operations (p, g, atomics) are not noted: they are a few
// instructions and never wait.
#pragma once

#include <isthmus/shmem_types.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace isthmus {

// Lists, which clang-format would indent ever deeper.
// clang-format off
#define ISTHMUS_ROUTINES(X)                                                                       \
    X(none) X(init) X(init_thread) X(finalize) X(global_exit) X(malloc) X(free) X(realloc)        \
    X(align) X(malloc_with_hints) X(calloc) X(team_split_strided) X(team_split_2d)                \
    X(team_destroy) X(ctx_create) X(team_create_ctx) X(ctx_destroy) X(ctx_session_start)          \
    X(ctx_session_stop) X(put) X(get) X(putmem) X(getmem) X(iput) X(iget) X(ibput) X(ibget)       \
    X(put_signal) X(signal_wait_until) X(barrier_all) X(sync_all) X(team_sync) X(barrier)         \
    X(sync) X(broadcast) X(collect) X(fcollect) X(alltoall) X(alltoalls) X(and_reduce)            \
    X(or_reduce) X(xor_reduce) X(max_reduce) X(min_reduce) X(sum_reduce) X(prod_reduce)           \
    X(sum_inscan) X(sum_exscan) X(wait_until) X(wait_until_all) X(wait_until_any)                 \
    X(wait_until_some) X(wait_until_all_vector) X(wait_until_any_vector)                          \
    X(wait_until_some_vector) X(wait) X(set_lock) X(test_lock) X(clear_lock) X(pe_quiet)   \
    X(test) X(test_all) X(test_any) X(test_some) X(test_all_vector) X(test_any_vector)            \
    X(test_some_vector)

#define ISTHMUS_NATIVE_ROUTINES(X)                                                                \
    X(init) X(finalize) X(barrier) X(segment_create) X(segment_clone) X(segment_destroy)          \
    X(segment_malloc) X(segment_memalign) X(segment_free) X(queue_create) X(event_wait) X(event_wait_all) X(event_wait_any) X(enqueue) X(dequeue)     \
    X(queue_clone) X(queue_destroy) X(aggregator_push) X(aggregator_flush)                        \
    X(aggregator_finish) X(aggregator_create) X(aggregator_destroy) X(symmetric_malloc)           \
    X(symmetric_free) X(put) X(get) X(fence) X(message_register) X(message_request)              \
    X(message_reply) X(message_get) X(message_poll) X(message_wait) X(kernel_attach)              \
    X(kernel_detach) X(kernel_send) X(kernel_get) X(kernel_wait_replies) X(kernel_wait_arrivals)  \
    X(kernel_wait_counter) X(kernel_receive) X(kernel_barrier)

#define ISTHMUS_EXTENSION_ROUTINES(X)                                                             \
    X(queue_create) X(queue_destroy) X(queue_enqueue) X(queue_dequeue) X(aggregate_create)        \
    X(aggregate_destroy) X(aggregate_flush) X(aggregate_finish)

// By their whole names.
#define ISTHMUS_GASNET_ROUTINES(X)                                                                \
    X(gasnet_init) X(gasnet_attach) X(gasnet_exit) X(gasnet_wait_syncnb) X(gasnet_wait_syncnb_all)  \
    X(gasnet_wait_syncnb_some) X(gex_Event_Wait) X(gex_Event_WaitSome) X(gex_Event_WaitAll)        \
    X(gex_Coll_BarrierBlocking) X(gasnet_barrier_notify)                                          \
    X(gasnet_barrier_wait) X(GASNET_BLOCKUNTIL) X(gasnet_coll_wait_sync) X(gasnet_coll_barrier_wait) \
    X(gasnet_coll_team_split) X(gasnet_AMRequest) X(gasnet_AMReply) X(gex_AM_Request)             \
    X(gex_AM_Reply) X(gex_Client_Init) X(gex_Segment_Attach) X(gex_TM_Split) X(gex_TM_Create)     \
    X(gex_EP_PublishBoundSegment)

// Reductions and scans of each type, as ISTHMUS_TYPED(typed, untyped) of whoever expands it.
#define ISTHMUS_TYPED_BITWISE(T, N)                                                               \
    ISTHMUS_TYPED(N##_and_reduce, and_reduce) ISTHMUS_TYPED(N##_or_reduce, or_reduce)             \
    ISTHMUS_TYPED(N##_xor_reduce, xor_reduce)
#define ISTHMUS_TYPED_ORDERED(T, N)                                                               \
    ISTHMUS_TYPED(N##_max_reduce, max_reduce) ISTHMUS_TYPED(N##_min_reduce, min_reduce)
#define ISTHMUS_TYPED_ARITHMETIC(T, N)                                                            \
    ISTHMUS_TYPED(N##_sum_reduce, sum_reduce) ISTHMUS_TYPED(N##_prod_reduce, prod_reduce)         \
    ISTHMUS_TYPED(N##_sum_inscan, sum_inscan) ISTHMUS_TYPED(N##_sum_exscan, sum_exscan)
#define ISTHMUS_TYPED_BITWISE_SET(T, N)                                                           \
    ISTHMUS_TYPED(N##_and_to_all, and_reduce) ISTHMUS_TYPED(N##_or_to_all, or_reduce)             \
    ISTHMUS_TYPED(N##_xor_to_all, xor_reduce)
#define ISTHMUS_TYPED_ORDERED_SET(T, N)                                                           \
    ISTHMUS_TYPED(N##_max_to_all, max_reduce) ISTHMUS_TYPED(N##_min_to_all, min_reduce)
#define ISTHMUS_TYPED_ARITHMETIC_SET(T, N)                                                        \
    ISTHMUS_TYPED(N##_sum_to_all, sum_reduce) ISTHMUS_TYPED(N##_prod_to_all, prod_reduce)
#define ISTHMUS_TYPED_ROUTINES                                                                    \
    SHMEM_BITWISE_REDUCE_TYPES(ISTHMUS_TYPED_BITWISE)                                             \
    SHMEM_ORDERED_REDUCE_TYPES(ISTHMUS_TYPED_ORDERED)                                             \
    SHMEM_ARITHMETIC_REDUCE_TYPES(ISTHMUS_TYPED_ARITHMETIC)                                       \
    SHMEM_BITWISE_TO_ALL_TYPES(ISTHMUS_TYPED_BITWISE_SET)                                         \
    SHMEM_ORDERED_TO_ALL_TYPES(ISTHMUS_TYPED_ORDERED_SET)                                         \
    SHMEM_ARITHMETIC_TO_ALL_TYPES(ISTHMUS_TYPED_ARITHMETIC_SET)
// clang-format on

enum class Routine : std::uint32_t {
#define ISTHMUS_ENUMERATOR(name) name,
    ISTHMUS_ROUTINES(ISTHMUS_ENUMERATOR)
#undef ISTHMUS_ENUMERATOR
#define ISTHMUS_ENUMERATOR(name) native_##name,
        ISTHMUS_NATIVE_ROUTINES(ISTHMUS_ENUMERATOR)
#undef ISTHMUS_ENUMERATOR
#define ISTHMUS_ENUMERATOR(name) extension_##name,
            ISTHMUS_EXTENSION_ROUTINES(ISTHMUS_ENUMERATOR)
#undef ISTHMUS_ENUMERATOR
#define ISTHMUS_ENUMERATOR(name) name,
                ISTHMUS_GASNET_ROUTINES(ISTHMUS_ENUMERATOR)
#undef ISTHMUS_ENUMERATOR
#define ISTHMUS_TYPED(name, untyped) name,
                    ISTHMUS_TYPED_ROUTINES
#undef ISTHMUS_TYPED
                        count
};

// Its size is not deduced: clang would compare 256 types at most.
inline constexpr std::array<const char*, static_cast<std::size_t>(Routine::count)> kRoutineNames{
#define ISTHMUS_NAME(name) "shmem_" #name,
    ISTHMUS_ROUTINES(ISTHMUS_NAME)
#undef ISTHMUS_NAME
#define ISTHMUS_NAME(name) "isthmus_" #name,
        ISTHMUS_NATIVE_ROUTINES(ISTHMUS_NAME)
#undef ISTHMUS_NAME
#define ISTHMUS_NAME(name) "shmemx_" #name,
            ISTHMUS_EXTENSION_ROUTINES(ISTHMUS_NAME)
#undef ISTHMUS_NAME
#define ISTHMUS_NAME(name) #name,
                ISTHMUS_GASNET_ROUTINES(ISTHMUS_NAME)
#undef ISTHMUS_NAME
#define ISTHMUS_TYPED(name, untyped) "shmem_" #name,
                    ISTHMUS_TYPED_ROUTINES
#undef ISTHMUS_TYPED
};
static_assert(kRoutineNames.back() != nullptr);

// "shmem_barrier_all"; "none" for none and for numbers out of range (another process wrote them).
inline const char* routine_name(Routine routine) {
    const auto index = static_cast<std::size_t>(routine);
    return index == 0 || index >= kRoutineNames.size() ? "none" : kRoutineNames[index];
}

// The other way round; none if no routine has this name.
inline Routine routine_named(std::string_view name) {
    for (std::size_t index = 1; index < kRoutineNames.size(); ++index) {
        if (name == kRoutineNames[index]) return static_cast<Routine>(index);
    }
    return Routine::none;
}

// Under which name a noted call waits, where several share the waits of one.
constexpr Routine waits_as(Routine noted) {
    constexpr std::array kUntyped{
#define ISTHMUS_TYPED(name, untyped) Routine::untyped,
        ISTHMUS_TYPED_ROUTINES
#undef ISTHMUS_TYPED
    };
    constexpr std::size_t kFirst = static_cast<std::size_t>(Routine::count) - kUntyped.size();
    const auto index = static_cast<std::size_t>(noted);
    if (index >= kFirst && noted < Routine::count) return kUntyped[index - kFirst];
    switch (noted) {
        case Routine::native_queue_create: return Routine::native_segment_create;
        case Routine::native_queue_clone: return Routine::native_segment_clone;
        case Routine::native_segment_memalign:
        case Routine::native_segment_free: return Routine::native_segment_malloc;
        default: return noted;
    }
}

// Whether it looks and does not wait.
constexpr bool is_test(Routine routine) {
    return routine >= Routine::test && routine <= Routine::test_some_vector;
}

// Whether it allocates or frees symmetric memory, at all PEs together.
constexpr bool is_allocation(Routine routine) {
    switch (routine) {
        case Routine::malloc:
        case Routine::free:
        case Routine::realloc:
        case Routine::align:
        case Routine::malloc_with_hints:
        case Routine::calloc:
        case Routine::native_symmetric_malloc:
        case Routine::native_symmetric_free: return true;
        default: return false;
    }
}

}  // namespace isthmus
