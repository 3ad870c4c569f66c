// Teams: splits, nested at random, against a model that is a list of world PEs; what every query
// says; slots that come back; the end of the slots; teams used by several threads at once.
#include <thread>

#include "../../api/shmem/collective_model.hpp"

namespace {

using test::mix;
using test::ModelTeam;

void check_team(const ModelTeam& team) {
    const int size = team.size();
    EXPECT_NAMED("shmem_team_n_pes", shmem_team_n_pes(team.team) == size);
    EXPECT_NAMED("shmem_team_my_pe", shmem_team_my_pe(team.team) == team.me);
    for (int i = 0; i < size; ++i) {
        const int world = team.world[static_cast<std::size_t>(i)];
        EXPECT_NAMED("shmem_team_translate_pe",
                     shmem_team_translate_pe(team.team, i, SHMEM_TEAM_WORLD) == world &&
                         shmem_team_translate_pe(SHMEM_TEAM_WORLD, world, team.team) == i &&
                         shmem_team_translate_pe(team.team, i, SHMEM_TEAM_SHARED) == world);
        static int object;
        EXPECT_NAMED("shmem_team_ptr",
                     shmem_team_ptr(team.team, &object, i) == shmem_ptr(&object, world));
    }
    for (int world = 0; world < shmem_n_pes(); ++world) {
        int expected = -1;
        for (int i = 0; i < size; ++i)
            if (team.world[static_cast<std::size_t>(i)] == world) expected = i;
        EXPECT_NAMED("shmem_team_translate_pe",
                     shmem_team_translate_pe(SHMEM_TEAM_WORLD, world, team.team) == expected);
    }
    EXPECT_NAMED("shmem_team_translate_pe",
                 shmem_team_translate_pe(team.team, size, SHMEM_TEAM_WORLD) == -1 &&
                     shmem_team_translate_pe(team.team, -1, SHMEM_TEAM_WORLD) == -1 &&
                     shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1 &&
                     shmem_team_translate_pe(team.team, 0, SHMEM_TEAM_INVALID) == -1);
    // The members agree on who they are.
    static long mine;
    static long all[256];
    mine = shmem_my_pe();
    shmem_long_fcollect(team.team, all, &mine, 1);
    bool right = true;
    for (int i = 0; i < size; ++i)
        right &= all[i] == team.world[static_cast<std::size_t>(i)];
    EXPECT_NAMED("shmem_long_fcollect", right);
    shmem_team_sync(team.team);
}

// Splits at random down to depth 3, all PEs of a parent drawing the same numbers.
void split_at_random(const ModelTeam& parent, std::uint64_t seed, int depth) {
    if (depth == 0) return;
    const int size = parent.size();
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
        const std::uint64_t dice = mix(seed * 31 + turn);
        // Triplets right and wrong.
        const int start = static_cast<int>(dice % static_cast<std::uint64_t>(size + 2)) - 1;
        const int stride = static_cast<int>((dice >> 8) % 7) - 3;
        const int length = static_cast<int>((dice >> 16) % static_cast<std::uint64_t>(size + 2));
        std::vector<int> world;
        bool valid = length >= 1 && (stride != 0 || length == 1);
        for (int i = 0; i < length && valid; ++i) {
            const int index = start + stride * i;
            valid = index >= 0 && index < size;
            if (valid) world.push_back(parent.world[static_cast<std::size_t>(index)]);
        }
        shmem_team_config_t config{static_cast<int>(dice >> 24) & 7};
        shmem_team_t team = SHMEM_TEAM_WORLD;
        const int status = shmem_team_split_strided(parent.team, start, stride, length, &config,
                                                    SHMEM_TEAM_NUM_CONTEXTS, &team);
        EXPECT_NAMED("shmem_team_split_strided", (status == 0) == valid);
        const ModelTeam child = test::model("child", team, valid ? world : std::vector<int>{});
        EXPECT_NAMED("shmem_team_split_strided",
                     (team != SHMEM_TEAM_INVALID) == (valid && child.me >= 0));
        if (team == SHMEM_TEAM_INVALID) continue;
        check_team(child);
        shmem_team_config_t read{-1};
        EXPECT_NAMED("shmem_team_get_config",
                     shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &read) == 0 &&
                         read.num_contexts == config.num_contexts &&
                         shmem_team_get_config(team, 0, nullptr) == 0);
        split_at_random(child, dice, depth - 1);
        shmem_team_destroy(team);
    }
    const int xrange = 1 + static_cast<int>(mix(seed) % static_cast<std::uint64_t>(size + 2));
    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    EXPECT_NAMED("shmem_team_split_2d", shmem_team_split_2d(parent.team, xrange, nullptr, 0, &row,
                                                            nullptr, 0, &column) == 0);
    const int columns = xrange < size ? xrange : size;
    std::vector<int> row_world;
    std::vector<int> column_world;
    for (int pe = 0; pe < size; ++pe) {
        const int world = parent.world[static_cast<std::size_t>(pe)];
        if (pe / columns == parent.me / columns) row_world.push_back(world);
        if (pe % columns == parent.me % columns) column_world.push_back(world);
    }
    check_team(test::model("row", row, row_world));
    check_team(test::model("column", column, column_world));
    shmem_team_destroy(column);
    shmem_team_destroy(row);
}

void test_invalid() {
    EXPECT_NAMED("shmem_team_my_pe", shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1);
    EXPECT_NAMED("shmem_team_n_pes", shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
    shmem_team_config_t config{};
    EXPECT_NAMED("shmem_team_get_config",
                 shmem_team_get_config(SHMEM_TEAM_INVALID, 0, &config) != 0);
    shmem_team_t team = SHMEM_TEAM_WORLD;
    shmem_team_t other = SHMEM_TEAM_WORLD;
    EXPECT_NAMED("shmem_team_split_strided",
                 shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, nullptr, 0, &team) != 0 &&
                     team == SHMEM_TEAM_INVALID);
    team = SHMEM_TEAM_WORLD;
    EXPECT_NAMED(
        "shmem_team_split_2d",
        shmem_team_split_2d(SHMEM_TEAM_INVALID, 1, nullptr, 0, &team, nullptr, 0, &other) != 0 &&
            team == SHMEM_TEAM_INVALID && other == SHMEM_TEAM_INVALID);
    EXPECT_NAMED("shmem_team_split_2d", shmem_team_split_2d(SHMEM_TEAM_WORLD, 0, nullptr, 0, &team,
                                                            nullptr, 0, &other) != 0);
    // Too far for int arithmetic.
    EXPECT_NAMED("shmem_team_split_strided",
                 shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1 << 30, 5, nullptr, 0, &team) != 0);
    shmem_team_destroy(SHMEM_TEAM_INVALID);
    EXPECT_NAMED("shmem_team_destroy", true);
    EXPECT_NAMED("shmem_team_ptr", shmem_team_ptr(SHMEM_TEAM_INVALID, &team, 0) == nullptr);
}

// Takes all the slots, is refused, gives them back, and can take as many again.
void test_slots() {
    std::size_t first = 0;
    for (int turn = 0; turn < 2; ++turn) {
        std::vector<shmem_team_t> teams;
        shmem_team_t team = SHMEM_TEAM_INVALID;
        while (teams.size() < 1000 &&
               shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &team) ==
                   0) {
            teams.push_back(team);
            if (teams.size() % 16 == 0) shmem_team_sync(team);
        }
        EXPECT_NAMED("shmem_team_split_strided",
                     team == SHMEM_TEAM_INVALID && teams.size() >= 100 && teams.size() < 1000);
        for (const shmem_team_t each : teams)
            shmem_team_destroy(each);
        EXPECT_NAMED("shmem_team_destroy", turn == 0 || teams.size() == first);
        first = teams.size();
    }
}

// A slot that goes from team to team of other members, while roots run ahead.
void test_reuse() {
    static long dest[400];
    static long source[400];
    const int pes = shmem_n_pes();
    for (int turn = 0; turn < 200; ++turn) {
        const int size = 1 + turn % pes;
        const int start = turn % (pes - size + 1);
        shmem_team_t team = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 1, size, nullptr, 0, &team);
        if (team == SHMEM_TEAM_INVALID) continue;
        bool right = true;
        for (int i = 0; i < turn % 11; ++i) {
            const std::size_t nelems = i % 2 == 0 ? 1 : 400;
            for (std::size_t k = 0; k < nelems; ++k)
                source[k] = turn * 1000 + i + shmem_my_pe();
            shmem_long_broadcast(team, dest, source, nelems, i % size);
            right &= dest[nelems - 1] == turn * 1000 + i + start + i % size;
        }
        EXPECT_NAMED("shmem_long_broadcast", right);
        shmem_team_destroy(team);
    }
}

// Each thread has a team of its own, splits it and uses it, all at once.
void test_threads() {
    constexpr int kThreads = 3;
    constexpr int kTurns = 40;
    static long dest[kThreads][600];
    static long source[kThreads][600];
    shmem_team_t parents[kThreads];
    for (shmem_team_t& parent : parents)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &parent);
    bool right[kThreads] = {};
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back([&, number] {
            bool good = true;
            const int pes = shmem_n_pes();
            for (int turn = 0; turn < kTurns; ++turn) {
                shmem_team_t child = SHMEM_TEAM_INVALID;
                good &= shmem_team_split_strided(parents[number], pes - 1, -1, pes, nullptr, 0,
                                                 &child) == 0;
                const std::size_t nelems = turn % 2 == 0 ? 3 : 600;
                for (std::size_t k = 0; k < nelems; ++k)
                    source[number][k] = number + turn + shmem_my_pe();
                shmem_long_sum_reduce(child, dest[number], source[number], nelems);
                good &= dest[number][nelems - 1] ==
                        static_cast<long>(number + turn) * pes + pes * (pes - 1L) / 2;
                shmem_team_sync(parents[number]);
                shmem_team_destroy(child);
            }
            right[number] = good;
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (const bool good : right)
        EXPECT_NAMED("shmem_team_split_strided", good);
    for (const shmem_team_t parent : parents)
        shmem_team_destroy(parent);
}

}  // namespace

int main() {
    int provided = -1;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    std::vector<int> all;
    for (int pe = 0; pe < pes; ++pe)
        all.push_back(pe);
    const ModelTeam world = test::model("world", SHMEM_TEAM_WORLD, all);
    check_team(world);
    check_team(test::model("shared", SHMEM_TEAM_SHARED, all));
    test_invalid();
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
        split_at_random(world, seed, 3);
    test_reuse();
    test_slots();
    test_threads();
    shmem_barrier_all();
    const int status = test::finish("teams", me, pes);
    shmem_finalize();
    // Everything starts over.
    shmem_init();
    shmem_team_t again = SHMEM_TEAM_INVALID;
    const int split = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, nullptr, 0, &again);
    shmem_team_sync(again);
    shmem_finalize();
    return status != 0 || split != 0;
}
