/* The contract between the runtime and the road to other nodes. Each road has a folder with a
 * road_impl.h that defines, as static inline functions:
 *
 * - isthmus_road_start(machine): once, before anything else; says what the machine is.
 *
 * - isthmus_road_loadN, isthmus_road_storeN, N = 8, 16, 32, 64 bits: naturally aligned, never torn.
 *
 * - isthmus_road_{swap,add,and,or,xor}N, isthmus_road_compare_swapN, N = 32, 64: atomic with each
 * other, return the old value. isthmus_road_post_{add,and,or,xor}N: the same for a caller that does
 * not want it. isthmus_road_{min,max}N of signed, isthmus_road_{minu,maxu}N of unsigned words: the
 * same, in one trip where the road has such operations.
 *
 * - isthmus_road_put, isthmus_road_get: a block. On return the local buffer is the caller's again
 * (put) or filled (get). 0 bytes do nothing.
 *
 * - isthmus_road_put_nbi, isthmus_road_get_nbi: the same, but the local buffer is the road's until
 * isthmus_road_quiet(). isthmus_road_put_block_nbi: of at least one byte, without a look at how
 * long it is.
 *
 * - isthmus_road_flag64(pe, to, value): a store that is visible after all that was issued before.
 *
 * - isthmus_road_local(), behind an isthmus_road_flag64(): the buffers of all isthmus_road_put_nbi
 * are the caller's again.
 *
 * - isthmus_road_fence(): what was issued before is visible before what follows.
 * isthmus_road_quiet(): what was issued before is complete.
 *
 * `pe` is a PE of the world, the own one included. An address is the same number on every node.
 * Loads and stores are not ordered among themselves. ROAD_CHECKS_PE is 1 if the road itself refuses
 * every PE that does not exist. ROAD_MAX_LEVEL is the thread level it bears.
 */
#ifndef ISTHMUS_SIM_ROAD_H
#define ISTHMUS_SIM_ROAD_H

#include <shmem.h>
#include <stddef.h>
#include <stdint.h>

/* What the machine tells a program at its start. */
struct isthmus_road_machine {
    uint32_t pe, pes;
    uint64_t shared_base, shared_bytes; /* the same on every node */
};
#define ISTHMUS_ROAD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#include <road_impl.h>

#endif
