/* Collectives and teams. Most of these are found in checked mode only. */
#include "cases.h"

static long to[64];
static long from[64];
static long sync_array[SHMEM_SYNC_SIZE];
static int work_array[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void sizes(int me, int pes) {
    (void)pes;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, me == 0 ? 4 : 5, 0);
}
static void routines(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, 4);
    else
        shmem_long_max_reduce(SHMEM_TEAM_WORLD, to, from, 4);
}
static void types(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_long_fcollect(SHMEM_TEAM_WORLD, to, from, 4);
    else
        shmem_int_fcollect(SHMEM_TEAM_WORLD, (int*)to, (int*)from, 4);
}
static void operations(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, 4);
    else
        shmem_long_prod_reduce(SHMEM_TEAM_WORLD, to, from, 4);
}
static void operations_of_set(int me, int pes) {
    static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    if (me == 0)
        shmem_long_sum_to_all(to, from, 4, 0, 0, pes, work, sync_array);
    else
        shmem_long_max_to_all(to, from, 4, 0, 0, pes, work, sync_array);
}
static void types_of_reduction(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, 4);
    else
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)to, (double*)from, 4);
}
static void widths_of_reduction(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, (int*)to, (int*)from, 4);
    else
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)to, (double*)from, 4);
}
static void sizes_of_reduction(int me, int pes) {
    (void)pes;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, me == 0 ? 4 : 5);
}
static void invalid_team(int me, int pes) {
    shmem_team_t team;
    (void)pes;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
    if (me == 1 && shmem_long_sum_reduce(team, to, from, 4) == 0) abort();
}
static void invalid_team_sync(int me, int pes) {
    (void)pes;
    if (me == 1 && shmem_team_sync(SHMEM_TEAM_INVALID) == 0) abort();
}
static void team_of_nobody(int me, int pes) {
    static uint64_t something[64];
    (void)me;
    (void)pes;
    shmem_team_sync((shmem_team_t)(void*)something);
}
/* What lies there is not 0, and must not be taken for whose turn it is. */
static shmem_team_t filled_with(int byte) {
    void* const something = malloc(512);
    memset(something, byte, 512);
    return (shmem_team_t)something;
}
static void team_of_letters(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_long_sum_reduce(filled_with('A'), to, from, 1);
}
static void team_of_ones(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_team_sync(filled_with(0xff));
}
static void team_of_letters_root(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_long_broadcast(filled_with('A'), to, from, 1, -1);
}
static void team_of_constant(int me, int pes) {
    static const uint64_t something[64] = {0, 1};
    (void)me;
    (void)pes;
    shmem_long_collect((shmem_team_t)(uintptr_t)something, to, from, 1);
}
static void split_of_letters(int me, int pes) {
    shmem_team_t team;
    (void)me;
    shmem_team_split_strided(filled_with('A'), 0, 1, pes, NULL, 0, &team);
}
static void psync_unset(int me, int pes) {
    static long mine[SHMEM_SYNC_SIZE];
    (void)me;
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i)
        mine[i] = -7;
    shmem_barrier(0, 0, pes, mine);
}
/* In a set that has been used with a better one. */
static void psync_unset_later(int me, int pes) {
    static long mine[SHMEM_SYNC_SIZE];
    (void)me;
    mine[3] = 1;
    shmem_barrier(0, 0, pes, sync_array);
    shmem_barrier(0, 0, pes, mine);
}
static void roots(int me, int pes) {
    (void)pes;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 4, me == 0 ? 0 : 1);
}
static void overlap(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_fcollect(SHMEM_TEAM_WORLD, to, to + 2, 4);
    shmem_barrier_all();
}
static void overlap_in_place(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, to + 2, 4);
    shmem_barrier_all();
}
/* Only the last of dest is one of source. */
static void overlap_strided(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, to + 7, 1, 2, 4);
    shmem_barrier_all();
}
static void overlap_one_stride(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, to, 2, 2, 4);
    shmem_barrier_all();
}
static void dest_on_stack(int me, int pes) {
    long mine[64];
    (void)pes;
    if (me == 0) shmem_long_fcollect(SHMEM_TEAM_WORLD, mine, from, 4);
    shmem_barrier_all();
}
static void source_past_end(int me, int pes) {
    char* block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_broadcastmem(SHMEM_TEAM_WORLD, to, block, 2 << 20, 0);
    shmem_barrier_all();
}
static void root_range(int me, int pes) {
    (void)me;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 4, pes);
}
static void alltoalls_stride(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, from, 0, 1, 1);
}
static void destroyed_team(int me, int pes) {
    shmem_team_t team;
    (void)me;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
    shmem_team_destroy(team);
    shmem_team_sync(team);
}
static void destroy_world(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_team_destroy(SHMEM_TEAM_WORLD);
}
static void team_config(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, NULL);
}
static void active_set_range(int me, int pes) {
    (void)me;
    shmem_barrier(0, 0, pes + 1, sync_array);
}
static void active_set_on_stack(int me, int pes) {
    long mine[4] = {0};
    (void)me;
    shmem_broadcast64(mine, from, 4, 0, 0, 0, pes, sync_array);
}
static void active_set_sum_on_stack(int me, int pes) {
    int mine[4] = {0};
    (void)me;
    shmem_int_sum_to_all(mine, (int*)from, 4, 0, 0, pes, work_array, sync_array);
}
static void active_set_lengths(int me, int pes) {
    shmem_fcollect32(to, from, me == 0 ? 1 : 2, 0, 0, pes, sync_array);
}
static void active_set_root(int me, int pes) {
    (void)me;
    shmem_broadcast32(to, from, 1, pes, 0, 0, pes, sync_array);
}
static void active_set_stranger(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_barrier(1, 0, 1, sync_array);
}
static void psync_on_stack(int me, int pes) {
    long mine[SHMEM_SYNC_SIZE] = {0};
    if (me == 0) shmem_barrier(0, 0, pes, mine);
    shmem_barrier_all();
}
/* One element too few. */
static void psync_short(int me, int pes) {
    long* const mine = shmem_calloc(SHMEM_SYNC_SIZE - 1, sizeof(long));
    if (me == 0) shmem_barrier(0, 0, pes, mine);
    shmem_barrier_all();
}
static void pwrk_short(int me, int pes) {
    const int half = 40 / 2 + 1;
    long* const mine = shmem_malloc((half - 1) * sizeof(long));
    if (me == 0) shmem_long_sum_to_all(to, from, 40, 0, 0, pes, mine, sync_array);
    shmem_barrier_all();
}
static void pwrk_shortest(int me, int pes) {
    double* const mine = shmem_malloc((SHMEM_REDUCE_MIN_WRKDATA_SIZE - 1) * sizeof(double));
    if (me == 0)
        shmem_double_max_to_all((double*)to, (double*)from, 1, 0, 0, pes, mine, sync_array);
    shmem_barrier_all();
}
static void pwrk_enough(int me, int pes) {
    long* const mine = shmem_malloc((40 / 2 + 1) * sizeof(long));
    (void)me;
    shmem_long_sum_to_all(to, from, 40, 0, 0, pes, mine, sync_array);
}

const struct Case cases[] = {
    {"sizes", sizes},
    {"routines", routines},
    {"types", types},
    {"operations", operations},
    {"operations_of_set", operations_of_set},
    {"types_of_reduction", types_of_reduction},
    {"widths_of_reduction", widths_of_reduction},
    {"sizes_of_reduction", sizes_of_reduction},
    {"invalid_team", invalid_team},
    {"invalid_team_sync", invalid_team_sync},
    {"team_of_nobody", team_of_nobody},
    {"team_of_letters", team_of_letters},
    {"team_of_letters_root", team_of_letters_root},
    {"team_of_ones", team_of_ones},
    {"team_of_constant", team_of_constant},
    {"split_of_letters", split_of_letters},
    {"psync_unset", psync_unset},
    {"psync_unset_later", psync_unset_later},
    {"roots", roots},
    {"overlap", overlap},
    {"overlap_in_place", overlap_in_place},
    {"overlap_strided", overlap_strided},
    {"overlap_one_stride", overlap_one_stride},
    {"dest_on_stack", dest_on_stack},
    {"source_past_end", source_past_end},
    {"root_range", root_range},
    {"alltoalls_stride", alltoalls_stride},
    {"destroyed_team", destroyed_team},
    {"destroy_world", destroy_world},
    {"team_config", team_config},
    {"active_set_range", active_set_range},
    {"active_set_stranger", active_set_stranger},
    {"active_set_on_stack", active_set_on_stack},
    {"active_set_sum_on_stack", active_set_sum_on_stack},
    {"active_set_lengths", active_set_lengths},
    {"active_set_root", active_set_root},
    {"psync_on_stack", psync_on_stack},
    {"psync_short", psync_short},
    {"pwrk_short", pwrk_short},
    {"pwrk_shortest", pwrk_shortest},
    {"pwrk_enough", pwrk_enough},
    {NULL, NULL},
};
