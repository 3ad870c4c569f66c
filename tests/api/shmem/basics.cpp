// What is not made for each type: setup and queries, memory, teams, contexts and sessions,
// ordering, locks, cache control, the names from before 1.2; the library initialised several times
// over.
#include <cstddef>
#include <cstdlib>

#include "harness.hpp"

namespace {

int me;
int pes;

// PEs of a host, in blocks; all of them if the test does not say.
const int host_pes = [] {
    const char* number = std::getenv("TEST_HOST_PES");
    const char* delay = std::getenv("ISTHMUS_DELAY");
    if (delay != nullptr && std::atoi(delay) != 0) return 1;  // no PE is reached by load and store
    return number != nullptr ? std::atoi(number) : 1 << 20;
}();
bool is_near(int pe) {
    return pe / host_pes == me / host_pes;
}

long static_variable;

int initialized() {
    int flag = -1;
    shmem_query_initialized(&flag);
    return flag;
}

void test_setup(int provided) {
    EXPECT_NAMED("shmem_query_initialized", initialized() != 0);
    EXPECT_NAMED("shmem_init_thread", provided == SHMEM_THREAD_MULTIPLE);
    int level = -1;
    shmem_query_thread(&level);
    EXPECT_NAMED("shmem_query_thread", level == provided);
    EXPECT_NAMED("shmem_n_pes", pes == shmem_team_n_pes(SHMEM_TEAM_WORLD));
    EXPECT_NAMED("shmem_my_pe", me >= 0 && me < pes);
    EXPECT_NAMED("shmem_my_pe", me == shmem_team_my_pe(SHMEM_TEAM_WORLD));
    // Every number is there once.
    static long numbers;
    shmem_barrier_all();
    shmem_long_atomic_add(&numbers, 1L << me, 0);
    shmem_barrier_all();
    EXPECT_NAMED("shmem_my_pe", shmem_long_g(&numbers, 0) == (1L << pes) - 1);
    int major = 0;
    int minor = 0;
    shmem_info_get_version(&major, &minor);
    EXPECT_NAMED("shmem_info_get_version",
                 major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION);
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_name(name);
    EXPECT_NAMED("shmem_info_get_name", std::string(name) == SHMEM_VENDOR_STRING);
    for (int pe = -1; pe <= pes; ++pe)
        EXPECT_NAMED("shmem_pe_accessible",
                     shmem_pe_accessible(pe) == (pe >= 0 && pe < pes ? 1 : 0));
    long local = 0;
    auto* const block = static_cast<long*>(shmem_malloc(sizeof(long)));
    for (int pe = 0; pe < pes; ++pe) {
        EXPECT_NAMED("shmem_addr_accessible", shmem_addr_accessible(block, pe) == 1);
        EXPECT_NAMED("shmem_addr_accessible", shmem_addr_accessible(&static_variable, pe) == 1);
        EXPECT_NAMED("shmem_addr_accessible", shmem_addr_accessible(&local, pe) == 0);
    }
    EXPECT_NAMED("shmem_addr_accessible", shmem_addr_accessible(block, pes) == 0);
    shmem_free(block);
    shmem_pcontrol(1);
    shmem_pcontrol(2, "with", 3, "more arguments");
    EXPECT_NAMED("shmem_pcontrol", true);
}

bool is_symmetric(void* block) {
    static void* other;
    other = block;
    shmem_barrier_all();
    bool same = true;
    for (int pe = 0; pe < pes; ++pe) {
        void* theirs = nullptr;
        shmem_getmem(&theirs, &other, sizeof theirs, pe);
        same = same && theirs == block;
    }
    shmem_barrier_all();
    return same;
}

void test_memory() {
    const std::size_t sizes[] = {1, 8, 24, 4096, 100000, 3u << 20};
    std::vector<char*> blocks;
    for (const std::size_t size : sizes) {
        auto* block = static_cast<char*>(shmem_malloc(size));
        EXPECT_NAMED("shmem_malloc", block != nullptr && is_symmetric(block));
        EXPECT_NAMED("shmem_malloc",
                     reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t) == 0);
        std::memset(block, me + 1, size);
        blocks.push_back(block);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i)
        EXPECT_NAMED("shmem_malloc", blocks[i][0] == me + 1 && blocks[i][sizes[i] - 1] == me + 1);
    EXPECT_NAMED("shmem_malloc", shmem_malloc(0) == nullptr);
    char* grown = blocks[3];
    std::memset(grown, me + 7, 4096);
    grown = static_cast<char*>(shmem_realloc(grown, 200000));
    EXPECT_NAMED("shmem_realloc",
                 is_symmetric(grown) && grown[0] == me + 7 && grown[4095] == me + 7);
    grown = static_cast<char*>(shmem_realloc(grown, 16));
    EXPECT_NAMED("shmem_realloc", is_symmetric(grown) && grown[0] == me + 7 && grown[15] == me + 7);
    EXPECT_NAMED("shmem_realloc", shmem_realloc(grown, 0) == nullptr);
    blocks[3] = static_cast<char*>(shmem_realloc(nullptr, 64));
    EXPECT_NAMED("shmem_realloc", blocks[3] != nullptr && is_symmetric(blocks[3]));
    for (std::size_t alignment = sizeof(void*); alignment <= 1u << 21; alignment *= 4) {
        void* block = shmem_align(alignment, 100);
        EXPECT_NAMED("shmem_align", block != nullptr && is_symmetric(block) &&
                                        reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
        shmem_free(block);
    }
    EXPECT_NAMED("shmem_align", shmem_align(64, 0) == nullptr);
    for (const long hints : {0L, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE,
                             SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE}) {
        auto* block = static_cast<std::uint64_t*>(shmem_malloc_with_hints(64, hints));
        EXPECT_NAMED("shmem_malloc_with_hints", block != nullptr && is_symmetric(block));
        shmem_free(block);
    }
    EXPECT_NAMED("shmem_malloc_with_hints", shmem_malloc_with_hints(0, 0) == nullptr);
    shmem_free(nullptr);
    for (char* block : blocks)
        shmem_free(block);
    // What was dirty comes back as zeros.
    auto* zeros = static_cast<char*>(shmem_calloc(1000, 100));
    bool clean = zeros != nullptr && is_symmetric(zeros);
    for (int i = 0; i < 100000 && clean; ++i)
        clean = zeros[i] == 0;
    EXPECT_NAMED("shmem_calloc", clean);
    EXPECT_NAMED("shmem_calloc", shmem_calloc(0, 100) == nullptr);
    shmem_free(zeros);
    // All is free again: a block as large as before finds the place of the first.
    auto* again = static_cast<char*>(shmem_malloc(sizes[0]));
    // Checked mode keeps freed blocks back.
    EXPECT_NAMED("shmem_free", (again == blocks[0]) == (std::getenv("ISTHMUS_CHECK") == nullptr));
    // Loads and stores through shmem_ptr reach the other PE, in the heap and in static data.
    static int cells[8];
    auto* heap_cells = static_cast<int*>(shmem_calloc(8, sizeof(int)));
    shmem_barrier_all();
    for (int* base : {cells, heap_cells}) {
        for (int pe = 0; pe < pes; ++pe) {
            auto* there = static_cast<int*>(shmem_ptr(base, pe));
            EXPECT_NAMED("shmem_ptr",
                         (there != nullptr) == is_near(pe) && (pe != me || there == base));
            if (there != nullptr)
                there[me] = 100 * me + pe;
            else
                shmem_int_p(base + me, 100 * me + pe, pe);
        }
        shmem_barrier_all();
        for (int pe = 0; pe < pes; ++pe)
            EXPECT_NAMED("shmem_ptr", base[pe] == 100 * pe + me);
    }
    EXPECT_NAMED("shmem_ptr", shmem_ptr(&zeros, 0) == nullptr);
    shmem_free(heap_cells);
    shmem_free(again);
}

void test_teams() {
    EXPECT_NAMED("shmem_team_my_pe", shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1);
    EXPECT_NAMED("shmem_team_n_pes", shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
    EXPECT_NAMED("shmem_team_n_pes",
                 shmem_team_n_pes(SHMEM_TEAM_SHARED) == (host_pes < pes ? host_pes : pes));
    shmem_team_config_t config = {3};
    shmem_team_t backwards = SHMEM_TEAM_INVALID;
    EXPECT_NAMED("shmem_team_split_strided",
                 shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, &config,
                                          SHMEM_TEAM_NUM_CONTEXTS, &backwards) == 0);
    EXPECT_NAMED("shmem_team_my_pe", shmem_team_my_pe(backwards) == pes - 1 - me);
    EXPECT_NAMED("shmem_team_n_pes", shmem_team_n_pes(backwards) == pes);
    shmem_team_config_t found = {0};
    EXPECT_NAMED("shmem_team_get_config",
                 shmem_team_get_config(backwards, SHMEM_TEAM_NUM_CONTEXTS, &found) == 0 &&
                     found.num_contexts == 3);
    EXPECT_NAMED("shmem_team_get_config",
                 shmem_team_get_config(SHMEM_TEAM_INVALID, 0, &found) != 0);
    const int half = (pes + 1) / 2;
    shmem_team_t evens = SHMEM_TEAM_WORLD;
    EXPECT_NAMED(
        "shmem_team_split_strided",
        shmem_team_split_strided(backwards, (pes - 1) % 2, 2, half, nullptr, 0, &evens) == 0);
    // Members of the nested team: every second of those that count backwards.
    const bool member = (pes - 1 - me) % 2 == (pes - 1) % 2 && (pes - 1 - me) / 2 < half;
    EXPECT_NAMED("shmem_team_split_strided", (evens != SHMEM_TEAM_INVALID) == member);
    for (int pe = 0; pe < pes; ++pe) {
        EXPECT_NAMED("shmem_team_translate_pe",
                     shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, backwards) == pes - 1 - pe);
        EXPECT_NAMED("shmem_team_translate_pe",
                     shmem_team_translate_pe(backwards, pe, SHMEM_TEAM_WORLD) == pes - 1 - pe);
    }
    EXPECT_NAMED("shmem_team_translate_pe",
                 shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1);
    if (member) {
        EXPECT_NAMED(
            "shmem_team_translate_pe",
            shmem_team_translate_pe(evens, shmem_team_my_pe(evens), SHMEM_TEAM_WORLD) == me);
        EXPECT_NAMED("shmem_team_sync", shmem_team_sync(evens) == 0);
        shmem_team_destroy(evens);
    }
    static int cell;
    cell = me;
    shmem_barrier_all();
    for (int pe = 0; pe < pes; ++pe) {
        auto* there = static_cast<int*>(shmem_team_ptr(backwards, &cell, pe));
        EXPECT_NAMED("shmem_team_ptr", is_near(pes - 1 - pe)
                                           ? there != nullptr && *there == pes - 1 - pe
                                           : there == nullptr);
    }
    EXPECT_NAMED("shmem_team_ptr", shmem_team_ptr(SHMEM_TEAM_INVALID, &cell, 0) == nullptr);
    EXPECT_NAMED("shmem_team_ptr", shmem_team_ptr(SHMEM_TEAM_WORLD, &cell, pes) == nullptr);
    EXPECT_NAMED("shmem_team_ptr", shmem_team_ptr(SHMEM_TEAM_WORLD, &cell, -1) == nullptr);
    shmem_barrier_all();
    for (int columns = 1; columns <= pes + 1; ++columns) {
        shmem_team_t row = SHMEM_TEAM_INVALID;
        shmem_team_t column = SHMEM_TEAM_INVALID;
        EXPECT_NAMED("shmem_team_split_2d", shmem_team_split_2d(SHMEM_TEAM_WORLD, columns, nullptr,
                                                                0, &row, nullptr, 0, &column) == 0);
        const int width = columns < pes ? columns : pes;
        EXPECT_NAMED("shmem_team_split_2d", shmem_team_my_pe(row) == me % width);
        EXPECT_NAMED("shmem_team_split_2d", shmem_team_my_pe(column) == me / width);
        static int sum;
        static int one = 1;
        EXPECT_NAMED("shmem_team_split_2d",
                     shmem_int_sum_reduce(row, &sum, &one, 1) == 0 && sum == shmem_team_n_pes(row));
        shmem_team_destroy(row);
        shmem_team_destroy(column);
    }
    shmem_team_destroy(backwards);
    shmem_team_destroy(SHMEM_TEAM_INVALID);
    EXPECT_NAMED("shmem_team_destroy", true);
    shmem_barrier_all();
}

void test_contexts() {
    shmem_team_t backwards = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, nullptr, 0, &backwards);
    for (const long options : {0L, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE,
                               SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE}) {
        shmem_ctx_t world_context = SHMEM_CTX_INVALID;
        shmem_ctx_t team_context = SHMEM_CTX_INVALID;
        EXPECT_NAMED("shmem_ctx_create", shmem_ctx_create(options, &world_context) == 0);
        EXPECT_NAMED("shmem_team_create_ctx",
                     shmem_team_create_ctx(backwards, options, &team_context) == 0);
        shmem_team_t found = SHMEM_TEAM_INVALID;
        EXPECT_NAMED("shmem_ctx_get_team",
                     shmem_ctx_get_team(world_context, &found) == 0 && found == SHMEM_TEAM_WORLD);
        EXPECT_NAMED("shmem_ctx_get_team",
                     shmem_ctx_get_team(team_context, &found) == 0 && found == backwards);
        shmem_ctx_session_config_t session = {1000};
        shmem_ctx_session_start(team_context, SHMEM_CTX_SESSION_BATCH, &session,
                                SHMEM_CTX_SESSION_TOTAL_OPS);
        shmem_ctx_session_start(team_context, 0, nullptr, 0);
        static long cell;
        cell = -1;
        shmem_barrier_all();
        shmem_ctx_long_p(team_context, &cell, me, pes - 1 - (me + 1) % pes);
        shmem_ctx_session_stop(team_context);
        shmem_ctx_fence(team_context);
        shmem_ctx_quiet(team_context);
        shmem_sync_all();
        EXPECT_NAMED("shmem_ctx_session_start", cell == (me + pes - 1) % pes);
        EXPECT_NAMED("shmem_ctx_session_stop", cell == (me + pes - 1) % pes);
        EXPECT_NAMED("shmem_ctx_quiet", cell == (me + pes - 1) % pes);
        shmem_sync_all();
        shmem_ctx_destroy(world_context);
        shmem_ctx_destroy(team_context);
    }
    shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, nullptr, 0);
    shmem_ctx_session_stop(SHMEM_CTX_INVALID);
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    EXPECT_NAMED("shmem_ctx_destroy", true);
    shmem_team_t found = SHMEM_TEAM_WORLD;
    EXPECT_NAMED("shmem_ctx_get_team",
                 shmem_ctx_get_team(SHMEM_CTX_INVALID, &found) != 0 && found == SHMEM_TEAM_INVALID);
    EXPECT_NAMED("shmem_ctx_get_team",
                 shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &found) == 0 && found == SHMEM_TEAM_WORLD);
    shmem_ctx_t none = SHMEM_CTX_DEFAULT;
    EXPECT_NAMED(
        "shmem_team_create_ctx",
        shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &none) != 0 && none == SHMEM_CTX_INVALID);
    shmem_team_destroy(backwards);
}

// Data, ordering routine, flag: whoever sees the flag sees the data.
void test_ordering() {
    static long data[64];
    static long flag;
    const int next = (me + 1) % pes;
    const int previous = (me + pes - 1) % pes;
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    shmem_ctx_create(0, &context);
    // What lets the flag come last orders the channel that the flag is put on; the other one is
    // quiet.
    const auto exchange = [&](const char* name, shmem_ctx_t flags, auto&& order) {
        for (int round = 1; round <= 20; ++round) {
            long values[64];
            for (long& value : values)
                value = 1000L * me + round;
            shmem_barrier_all();
            shmem_ctx_long_put_nbi(context, data, values, 64, next);
            shmem_long_put_nbi(data, values, 64, next);
            order();
            shmem_ctx_long_p(flags, &flag, round, next);
            shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
            bool right = true;
            for (const long value : data)
                right = right && value == 1000L * previous + round;
            EXPECT_NAMED(name, right);
            // The values may change, and no round's come into the next one.
            shmem_quiet();
            shmem_ctx_quiet(context);
        }
        shmem_barrier_all();
        flag = 0;
    };
    exchange("shmem_fence", SHMEM_CTX_DEFAULT, [&] {
        shmem_ctx_quiet(context);
        shmem_fence();
    });
    exchange("shmem_ctx_fence", context, [&] {
        shmem_quiet();
        shmem_ctx_fence(context);
    });
    exchange("shmem_quiet", SHMEM_CTX_DEFAULT, [&] {
        shmem_ctx_quiet(context);
        shmem_quiet();
    });
    exchange("shmem_ctx_quiet", SHMEM_CTX_DEFAULT, [&] {
        shmem_ctx_quiet(context);
        shmem_quiet();
    });
    const int targets[] = {next, me};
    exchange("shmem_pe_quiet", SHMEM_CTX_DEFAULT, [&] {
        shmem_ctx_quiet(context);
        shmem_pe_quiet(targets, 2);
    });
    exchange("shmem_ctx_pe_quiet", SHMEM_CTX_DEFAULT, [&] {
        shmem_quiet();
        shmem_ctx_pe_quiet(context, targets, 2);
        shmem_ctx_pe_quiet(context, nullptr, 0);
        shmem_pe_quiet(nullptr, 0);
    });
    shmem_ctx_destroy(context);
    // Without a context there is nothing to order, and it is no error.
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, targets, 2);
}

void test_locks() {
    static long lock;
    static long counter;
    static long other_lock;
    shmem_barrier_all();
    counter = 0;
    shmem_barrier_all();
    constexpr int kRounds = 50;
    for (int i = 0; i < kRounds; ++i) {
        shmem_set_lock(&lock);
        const long value = shmem_long_g(&counter, 0);
        shmem_long_p(&counter, value + 1, 0);
        shmem_quiet();
        shmem_clear_lock(&lock);
    }
    int tries = 0;
    for (int i = 0; i < kRounds; ++i) {
        while (shmem_test_lock(&lock) != 0)
            ++tries;
        const long value = shmem_long_g(&counter, 0);
        shmem_long_p(&counter, value + 1, 0);
        shmem_quiet();
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    for (const char* name : {"shmem_set_lock", "shmem_test_lock", "shmem_clear_lock"})
        EXPECT_NAMED(name, shmem_long_g(&counter, 0) == 2L * kRounds * pes);
    if (me == 0) shmem_set_lock(&lock);
    shmem_barrier_all();
    if (me != 0) EXPECT_NAMED("shmem_test_lock", shmem_test_lock(&lock) == 1);
    EXPECT_NAMED("shmem_set_lock",
                 (shmem_set_lock(&other_lock), shmem_clear_lock(&other_lock), true));
    shmem_barrier_all();
    if (me == 0) shmem_clear_lock(&lock);
    shmem_barrier_all();
}

void test_old_names() {
    EXPECT_NAMED("_my_pe", _my_pe() == me);
    EXPECT_NAMED("my_pe", my_pe() == me);
    EXPECT_NAMED("_num_pes", _num_pes() == pes);
    EXPECT_NAMED("num_pes", num_pes() == pes);
    auto* block = static_cast<char*>(shmalloc(100));
    EXPECT_NAMED("shmalloc", block != nullptr && is_symmetric(block));
    block[0] = 42;
    block = static_cast<char*>(shrealloc(block, 5000));
    EXPECT_NAMED("shrealloc", block != nullptr && block[0] == 42 && is_symmetric(block));
    shfree(block);
    block = static_cast<char*>(shmemalign(4096, 10));
    EXPECT_NAMED("shmemalign",
                 block != nullptr && reinterpret_cast<std::uintptr_t>(block) % 4096 == 0);
    shfree(block);
    EXPECT_NAMED("shfree", true);
    start_pes(0);
    start_pes(pes);
    EXPECT_NAMED("start_pes", shmem_my_pe() == me);
    shmem_set_cache_inv();
    shmem_set_cache_line_inv(&static_variable);
    shmem_clear_cache_inv();
    shmem_clear_cache_line_inv(&static_variable);
    shmem_udcflush();
    shmem_udcflush_line(&static_variable);
    static_variable = 5;
    for (const char* name :
         {"shmem_set_cache_inv", "shmem_set_cache_line_inv", "shmem_clear_cache_inv",
          "shmem_clear_cache_line_inv", "shmem_udcflush", "shmem_udcflush_line"})
        EXPECT_NAMED(name, shmem_long_g(&static_variable, me) == 5);
}

// Initialisations nest; after the last finalisation the library can start over, with memory that
// is clean again.
void test_sessions() {
    for (int session = 0; session < 3; ++session) {
        EXPECT_NAMED("shmem_query_initialized", initialized() == 0);
        shmem_init();
        shmem_init();
        int provided = -1;
        EXPECT_NAMED("shmem_init_thread", shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) == 0);
        EXPECT_NAMED("shmem_init", shmem_my_pe() == me && shmem_n_pes() == pes);
        auto* block = static_cast<long*>(shmem_malloc(sizeof(long) * 8));
        EXPECT_NAMED("shmem_init", block != nullptr && block[0] == 0);
        shmem_barrier_all();
        shmem_long_p(block, me + 100, (me + 1) % pes);
        shmem_finalize();
        EXPECT_NAMED("shmem_finalize",
                     *static_cast<volatile long*>(block) == (me + pes - 1) % pes + 100);
        EXPECT_NAMED("shmem_query_initialized", initialized() != 0);
        shmem_barrier_all();
        shmem_finalize();
        shmem_finalize();
        EXPECT_NAMED("shmem_finalize", initialized() == 0);
    }
}

}  // namespace

int main() {
    EXPECT_NAMED("shmem_query_initialized", initialized() == 0);
    int provided = -1;
    EXPECT_NAMED("shmem_init_thread", shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    test_setup(provided);
    test_memory();
    test_teams();
    test_contexts();
    test_ordering();
    test_locks();
    test_old_names();
    shmem_finalize();
    test_sessions();
    return test::finish("basics", me, pes);
}
