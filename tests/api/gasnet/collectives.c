/* The collectives of gasnet_coll.h, in all forms and synchronisations, of all nodes and of teams;
 * the teams' barriers. */
#include "check.h"

enum { kLongest = 40000, kNodes = 16 };

static const int kFlags[] = {GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC,
                             GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC,
                             GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC};
/* Of the program alone, and in the segment. */
static char own_source[kNodes * kLongest], own_dest[kNodes * kLongest];
static char *source, *dest;
static int rank, size, salt;

static char byte_of(int from, int to, size_t i) {
    return (char)(from * 31 + to * 7 + salt * 3 + (int)(i % 101));
}
static void fill(int to_all, size_t bytes) {
    ++salt;
    for (int to = 0; to < size; ++to)
        for (size_t i = 0; i < bytes; ++i) {
            source[(size_t)to * bytes + i] = byte_of(rank, to_all ? 0 : to, i);
            dest[(size_t)to * bytes + i] = 0;
        }
}
static void check_block(int block, int from, int to, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
        CHECK(dest[(size_t)block * bytes + i] == byte_of(from, to, i));
}

static void run(gasnet_team_handle_t team, size_t bytes, int flags) {
    void* const dests[] = {dest};
    void* const sources[] = {source};
    const gasnet_image_t root = (gasnet_image_t)(size - 1);
    const int is_root = rank == (int)root;
    fill(1, bytes);
    gasnet_coll_broadcast(team, dest, root, source, bytes, flags);
    check_block(0, (int)root, 0, bytes);
    fill(1, bytes);
    gasnet_coll_broadcastM(team, dests, 0, source, bytes, flags);
    check_block(0, 0, 0, bytes);
    fill(0, bytes);
    gasnet_coll_scatter(team, dest, root, source, bytes, flags);
    check_block(0, (int)root, rank, bytes);
    fill(0, bytes);
    gasnet_coll_scatterM(team, dests, root, source, bytes, flags);
    check_block(0, (int)root, rank, bytes);
    fill(1, bytes);
    gasnet_coll_gather(team, root, dest, source, bytes, flags);
    for (int from = 0; is_root && from < size; ++from)
        check_block(from, from, 0, bytes);
    fill(1, bytes);
    gasnet_coll_gatherM(team, root, dest, sources, bytes, flags);
    for (int from = 0; is_root && from < size; ++from)
        check_block(from, from, 0, bytes);
    fill(1, bytes);
    gasnet_coll_gather_all(team, dest, source, bytes, flags);
    for (int from = 0; from < size; ++from)
        check_block(from, from, 0, bytes);
    fill(1, bytes);
    gasnet_coll_gather_allM(team, dests, sources, bytes, flags);
    for (int from = 0; from < size; ++from)
        check_block(from, from, 0, bytes);
    fill(0, bytes);
    gasnet_coll_exchange(team, dest, source, bytes, flags);
    for (int from = 0; from < size; ++from)
        check_block(from, from, rank, bytes);
    fill(0, bytes);
    gasnet_coll_exchangeM(team, dests, sources, bytes, flags);
    for (int from = 0; from < size; ++from)
        check_block(from, from, rank, bytes);
}

/* Not commutative: 10 x left and right, of decimal digits. */
static void append(void* results, size_t result_count, const void* left, size_t left_count,
                   const void* right, size_t elem_size, int flags, int arg) {
    CHECK(left_count == result_count && elem_size == sizeof(int64_t) && arg == 5 &&
          flags == GASNET_COLL_NONCOMM);
    for (size_t i = 0; i < result_count; ++i)
        ((int64_t*)results)[i] = 10 * ((const int64_t*)left)[i] + ((const int64_t*)right)[i];
}
static void reduce(gasnet_team_handle_t team, int flags) {
    enum { kCount = 300 };
    int64_t mine[kCount], all[kCount];
    void* const lists[] = {mine};
    const int root = size / 2;
    for (int list = 0; list < 2; ++list) {
        for (int i = 0; i < kCount; ++i)
            mine[i] = (rank + i) % 10;
        if (list == 0)
            gasnet_coll_reduce(team, (gasnet_image_t)root, all, mine, 0, 0, sizeof *mine, kCount, 0,
                               5, flags);
        else
            gasnet_coll_reduceM(team, (gasnet_image_t)root, all, lists, 0, 0, sizeof *mine, kCount,
                                0, 5, flags);
        for (int i = 0; rank == root && i < kCount; ++i) {
            int64_t expected = 0;
            for (int from = 0; from < size; ++from)
                expected = 10 * expected + (from + i) % 10;
            CHECK(all[i] == expected);
        }
    }
}

/* At every rank what those before it have, and its own, in order. */
static void scan(gasnet_team_handle_t team, int flags) {
    enum { kCount = 300, kNothing = -7 };
    int64_t mine[kCount], got[kCount];
    void* const from[] = {mine};
    void* const to[] = {got};
    for (int way = 0; way < 6; ++way) {
        const int exclusive = way % 2;
        const int how =
            flags | (exclusive ? GASNET_COLL_EXCLUSIVE_SCAN : GASNET_COLL_INCLUSIVE_SCAN);
        for (int i = 0; i < kCount; ++i) {
            mine[i] = (rank + i) % 10;
            got[i] = kNothing;
        }
        if (way < 2)
            gasnet_coll_scan(team, got, 0, 0, mine, 0, 0, sizeof *mine, kCount, 0, 5, how);
        else if (way < 4)
            gasnet_coll_scanM(team, to, 0, 0, from, 0, 0, sizeof *mine, kCount, 0, 5, how);
        else
            gasnet_coll_wait_sync(
                gasnet_coll_scan_nb(team, got, 0, 0, mine, 0, 0, sizeof *mine, kCount, 0, 5, how));
        for (int i = 0; i < kCount; ++i) {
            int64_t expected = exclusive && rank == 0 ? kNothing : 0;
            for (int before = 0; before < rank + !exclusive; ++before)
                expected = 10 * expected + (before + i) % 10;
            CHECK(got[i] == expected);
        }
    }
}

/* Several at once, synchronised in another order; and under one handle. */
static void without_waiting(gasnet_team_handle_t team) {
    enum { kMany = 40 };
    const int flags = GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL;
    int values[kMany], got[kMany];
    gasnet_coll_handle_t handles[kMany];
    for (int i = 0; i < kMany; ++i) {
        values[i] = rank == i % size ? i * 3 : -1;
        handles[i] = gasnet_coll_broadcast_nb(team, got + i, (gasnet_image_t)(i % size), values + i,
                                              sizeof *got, flags);
        CHECK(handles[i] != GASNET_COLL_INVALID_HANDLE);
    }
    gasnet_coll_wait_sync(handles[kMany - 1]);
    CHECK(got[kMany - 1] == (kMany - 1) * 3);
    handles[kMany - 1] = GASNET_COLL_INVALID_HANDLE;
    gasnet_coll_wait_sync_some(handles, kMany);
    while (gasnet_coll_try_sync_all(handles, kMany) != GASNET_OK) {
    }
    for (int i = 0; i < kMany; ++i)
        CHECK(got[i] == i * 3 && handles[i] == GASNET_COLL_INVALID_HANDLE);
    gasnet_coll_handle_t both;
    got[0] = got[1] = -1;
    CHECK(gasnet_coll_broadcast_nb(team, got, 0, values, sizeof *got,
                                   flags | GASNET_COLL_AGGREGATE) == GASNET_COLL_INVALID_HANDLE);
    both = gasnet_coll_broadcast_nb(team, got + 1, (gasnet_image_t)(1 % size), values + 1,
                                    sizeof *got, flags);
    gasnet_coll_wait_sync(both);
    CHECK(got[0] == 0 && got[1] == 3);
    OK(gasnet_coll_try_sync(GASNET_COLL_INVALID_HANDLE));
}

/* Behind a barrier of all, nobody has come out before everybody has come. */
static void all_sync(gasnet_team_handle_t team) {
    const int flags = GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC | GASNET_COLL_LOCAL;
    int value = rank == 0 ? 77 : 0;
    int64_t* const come = (int64_t*)segments[0].addr;
    if (rank == size - 1) {
        for (int i = 0; i < 50; ++i)
            gasnet_AMPoll();
        gasnet_put_val(0, come, 1, sizeof *come);
    }
    gasnet_coll_broadcast(team, &value, 0, &value, sizeof value, flags);
    CHECK(value == 77);
    CHECK(gasnet_get_val(0, come, sizeof *come) == 1);
}

static void barriers(gasnet_team_handle_t team) {
    int id = -1;
    OK(gasnet_coll_barrier(team, 0, GASNET_BARRIERFLAG_ANONYMOUS));
    CHECK(gasnet_coll_barrier_result(team, &id) != 0);
    OK(gasnet_coll_barrier(team, 9, rank == 0 ? 0 : GASNET_BARRIERFLAG_ANONYMOUS));
    CHECK(gasnet_coll_barrier_result(team, &id) == 0 && id == 9);
    gasnet_coll_barrier_notify(team, rank, 0);
    int status;
    while ((status = gasnet_coll_barrier_try(team, rank, 0)) == GASNET_ERR_NOT_READY) {
    }
    CHECK(status == (size > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
    gasnet_coll_barrier_notify(team, 4, 0);
    CHECK(gasnet_coll_barrier_wait(team, 5, 0) == GASNET_ERR_BARRIER_MISMATCH);
}

static void run_all(gasnet_team_handle_t team) {
    static const size_t kSizes[] = {1, 100, kLongest};
    CHECK((int)gasnet_coll_team_size(team) == size &&
          gasnet_coll_team_rank2node(team, rank) == gasnet_mynode() &&
          (int)gasnet_coll_team_node2rank(team, gasnet_mynode()) == rank);
    for (int in_segment = 0; in_segment < 2; ++in_segment) {
        char* const base = (char*)segments[gasnet_mynode()].addr + 4096;
        source = in_segment ? base : own_source;
        dest = in_segment ? base + kNodes * kLongest : own_dest;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                run(team, kSizes[j], kFlags[i] | GASNET_COLL_LOCAL);
    }
    for (int i = 0; i < 3; ++i)
        reduce(team, kFlags[i] | GASNET_COLL_LOCAL);
    for (int i = 0; i < 3; ++i)
        scan(team, kFlags[i] | GASNET_COLL_LOCAL);
    without_waiting(team);
    barriers(team);
}

int main(int argc, char** argv) {
    gasnet_coll_fn_entry_t table[] = {{append, GASNET_COLL_NONCOMM}};
    start(argc, argv, NULL, 0,
          2 * kNodes * kLongest + 8 * GASNET_PAGESIZE - 2 * kNodes * kLongest % GASNET_PAGESIZE);
    const int me = (int)gasnet_mynode(), nodes = (int)gasnet_nodes();
    gasnet_coll_init(NULL, gasnet_mynode(), table, 1, 0);
    *(volatile int64_t*)segments[me].addr = 0;
    meet();
    rank = me;
    size = nodes;
    run_all(GASNET_TEAM_ALL);
    all_sync(GASNET_TEAM_ALL);
    /* Odd and even ones, in the reverse order; and of one of these the same once more. */
    const int members = (nodes + 1 - me % 2) / 2;
    const gasnet_team_handle_t half = gasnet_coll_team_split(
        GASNET_TEAM_ALL, (gasnet_node_t)(me % 2), (gasnet_node_t)(members - 1 - me / 2), NULL);
    rank = members - 1 - me / 2;
    size = members;
    CHECK(nodes == 1 ||
          gasnet_coll_team_node2rank(half, (gasnet_node_t)(me ^ 1) % (gasnet_node_t)nodes) ==
              GASNET_MAXNODES ||
          (me ^ 1) >= nodes);
    run_all(half);
    const gasnet_team_handle_t alone = gasnet_coll_team_split(half, (gasnet_node_t)rank, 0, NULL);
    rank = 0;
    size = 1;
    run_all(alone);
    end();
}
