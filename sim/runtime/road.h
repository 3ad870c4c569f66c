/* The contract between the runtime and the road to other nodes. Each road has a folder with a
 * road_impl.h that defines, as static inline functions:
 *
 * - road_start(machine): once, before anything else; says what the machine is.
 *
 * - road_loadN, road_storeN, N = 8, 16, 32, 64 bits: naturally aligned, never torn.
 *
 * - road_{swap,add,and,or,xor}N, road_compare_swapN, N = 32, 64: atomic with each other, return the
 *   old value. road_post_{add,and,or,xor}N: the same for a caller that does not want it.
 *
 * - road_put, road_get: a block. On return the local buffer is the caller's again (put) or filled
 *   (get). 0 bytes do nothing.
 *
 * - road_put_nbi, road_get_nbi: the same, but the local buffer is the road's until road_quiet().
 *   road_put_block_nbi: of at least one byte, without a look at how long it is.
 *
 * - road_flag64(pe, to, value): a store that is visible after all that was issued before.
 *
 * - road_local(): the buffers of all road_put_nbi are the caller's again.
 *
 * - road_fence(): what was issued before is visible before what follows. road_quiet(): what was
 *   issued before is complete.
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
struct road_machine {
    uint32_t pe, pes;
    uint64_t shared_base, shared_bytes; /* the same on every node */
};
#define ISTHMUS_ROAD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#include <road_impl.h>

#endif
