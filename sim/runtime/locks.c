/* Distributed locks (9.13): a fair queue lock (Mellor-Crummey and Scott) in the lock's own long.
 * The word at the lock's home holds the tail of the queue, the word at each waiting PE its place in
 * it: a PE polls its own memory only. PEs are stored as number + 1; 0 is nobody. */
#include "runtime.h"

struct isthmus_lock {
    uint32_t tail;           /* used at the home */
    volatile uint16_t next;  /* used at a waiting PE */
    volatile uint16_t state; /* of this PE */
};
_Static_assert(sizeof(struct isthmus_lock) == sizeof(long), "a lock is a long");
_Static_assert(kIsthmusMaxPes < 0xffff, "a PE fits in 16 bits");
enum { kIdle = 0, kWaiting = 1, kHolding = 2 };

/* Spread over the PEs by address, alike at every PE. */
static int isthmus_lock_home(const void* lock) {
    return (int)((uintptr_t)lock / sizeof(long) % isthmus_window_pes);
}
static __attribute__((noinline)) void isthmus_spin_lock_held(const struct isthmus_lock* mine) {
    while (mine->state != kHolding)
        isthmus_pause();
}
static __attribute__((noinline)) uint16_t isthmus_spin_lock_next(const struct isthmus_lock* mine) {
    while (mine->next == 0)
        isthmus_pause();
    return mine->next;
}

void pshmem_set_lock(long* lock) {
    isthmus_require_running("shmem_set_lock");
    struct isthmus_lock* const mine = (struct isthmus_lock*)lock;
    const uint32_t self = isthmus_window_me + 1;
    mine->next = 0;
    mine->state = kWaiting;
    isthmus_road_fence();
    const uint32_t before = isthmus_road_swap32(isthmus_lock_home(lock), &mine->tail, self);
    if (before == 0) {
        mine->state = kHolding;
        return;
    }
    isthmus_road_store16((int)before - 1, (void*)&mine->next, (uint16_t)self);
    isthmus_spin_lock_held(mine);
    isthmus_road_fence();
}
int pshmem_test_lock(long* lock) {
    isthmus_require_running("shmem_test_lock");
    struct isthmus_lock* const mine = (struct isthmus_lock*)lock;
    if (mine->state != kIdle) return 1;
    mine->next = 0;
    isthmus_road_fence();
    if (isthmus_road_compare_swap32(isthmus_lock_home(lock), &mine->tail, 0,
                                    isthmus_window_me + 1) != 0) {
        isthmus_pause();
        return 1;
    }
    mine->state = kHolding;
    return 0;
}
void pshmem_clear_lock(long* lock) {
    isthmus_require_running("shmem_clear_lock");
    struct isthmus_lock* const mine = (struct isthmus_lock*)lock;
    if (mine->state != kHolding)
        isthmus_fail("shmem_clear_lock", "the lock is not held by this PE");
    mine->state = kIdle;
    isthmus_road_quiet(); /* what was put under the lock is complete before the next one holds it */
    const uint32_t self = isthmus_window_me + 1;
    if (isthmus_road_compare_swap32(isthmus_lock_home(lock), &mine->tail, self, 0) == self) return;
    const uint16_t next = isthmus_spin_lock_next(mine);
    mine->next = 0;
    isthmus_road_store16(next - 1, (void*)&mine->state, kHolding);
}
SHMEM_TABLE_LOCKS(ISTHMUS_ALIAS)
