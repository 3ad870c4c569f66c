// What the tests of collectives share: teams to run on, with the model of a team that they are
// checked against (a list of world PEs), the lengths to try, and arithmetic one element at a time.
#pragma once

#include <complex>
#include <vector>

#include "harness.hpp"

namespace test {

struct ModelTeam {
    const char* name;
    shmem_team_t team;       // SHMEM_TEAM_INVALID if this PE is no member
    std::vector<int> world;  // world numbers in the order of the team
    int me = -1;             // this PE's number
    int size() const { return static_cast<int>(world.size()); }
};

inline ModelTeam model(const char* name, shmem_team_t team, std::vector<int> world) {
    ModelTeam result{name, team, std::move(world)};
    for (int i = 0; i < result.size(); ++i)
        if (result.world[static_cast<std::size_t>(i)] == shmem_my_pe()) result.me = i;
    return result;
}

// The world; it backwards; its even PEs; of those all but the first; each PE alone.
class ModelTeams {
  public:
    ModelTeams() {
        const int pes = shmem_n_pes();
        std::vector<int> all;
        std::vector<int> backwards;
        std::vector<int> even;
        for (int pe = 0; pe < pes; ++pe) {
            all.push_back(pe);
            backwards.insert(backwards.begin(), pe);
            if (pe % 2 == 0) even.push_back(pe);
        }
        add(model("world", SHMEM_TEAM_WORLD, all));
        add(model("backwards", split(SHMEM_TEAM_WORLD, pes - 1, -1, pes), backwards));
        const shmem_team_t even_team = split(SHMEM_TEAM_WORLD, 0, 2, static_cast<int>(even.size()));
        add(model("even", even_team, even));
        if (even.size() > 1 && even_team != SHMEM_TEAM_INVALID) {
            std::vector<int> nested(even.begin() + 1, even.end());
            add(model("even but the first", split(even_team, 1, 1, static_cast<int>(nested.size())),
                      nested));
        }
        shmem_team_t row = SHMEM_TEAM_INVALID;
        shmem_team_t column = SHMEM_TEAM_INVALID;
        shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, nullptr, 0, &row, nullptr, 0, &column);
        add(model("alone", row, {shmem_my_pe()}));
        shmem_team_destroy(column);
    }
    ModelTeams(const ModelTeams&) = delete;
    ModelTeams& operator=(const ModelTeams&) = delete;
    ~ModelTeams() {
        while (teams_.size() > 1) {
            shmem_team_destroy(teams_.back().team);
            teams_.pop_back();
        }
    }
    auto begin() const { return teams_.begin(); }
    auto end() const { return teams_.end(); }

  private:
    static shmem_team_t split(shmem_team_t parent, int start, int stride, int size) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        if (shmem_team_split_strided(parent, start, stride, size, nullptr, 0, &team) != 0)
            std::abort();
        return team;
    }
    void add(ModelTeam team) {
        if (team.team != SHMEM_TEAM_INVALID) teams_.push_back(std::move(team));
    }
    std::vector<ModelTeam> teams_;
};

// Elements to move: none, one, those that fit a cell, the stage, and more than that.
inline constexpr std::size_t kLengths[] = {0, 1, 3, 7, 50, 700, 9001};
inline constexpr std::size_t kLongest = 9001;

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};

// A value that tells round, PE and index apart.
template <typename T>
T value_of(std::uint64_t round, int pe, std::size_t index) {
    const std::uint64_t hash =
        mix(mix(round * 1000003 + static_cast<std::uint64_t>(pe)) + index + 1);
    if constexpr (IsComplex<T>::value) {
        using Part = typename T::value_type;
        return {static_cast<Part>(static_cast<std::int32_t>(hash)) / Part{1 << 30},
                static_cast<Part>(static_cast<std::int32_t>(hash >> 32)) / Part{1 << 30}};
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(static_cast<std::int32_t>(hash)) / T{1 << 30};
    } else {
        return static_cast<T>(hash);
    }
}

template <typename T>
bool same_value(const T& left, const T& right) {
    if constexpr (IsComplex<T>::value)
        return same(left.real(), right.real()) && same(left.imag(), right.imag());
    else
        return same(left, right);
}

enum class Op { bit_and, bit_or, bit_xor, max, min, sum, prod };

template <Op op, typename T>
T apply(T a, T b) {
    if constexpr (op == Op::max)
        return a > b ? a : b;
    else if constexpr (op == Op::min)
        return a < b ? a : b;
    else if constexpr (std::is_integral_v<T>) {
        // Wraps around.
        const auto x = static_cast<std::uint64_t>(a);
        const auto y = static_cast<std::uint64_t>(b);
        if constexpr (op == Op::bit_and)
            return static_cast<T>(x & y);
        else if constexpr (op == Op::bit_or)
            return static_cast<T>(x | y);
        else if constexpr (op == Op::bit_xor)
            return static_cast<T>(x ^ y);
        else if constexpr (op == Op::sum)
            return static_cast<T>(x + y);
        else
            return static_cast<T>(x * y);
    } else if constexpr (op == Op::sum)
        return a + b;
    else
        return a * b;
}

// Two symmetric buffers, each in the heap, with room for `pes` times the longest at stride 3, and
// a guard behind what is written.
class Buffers {
  public:
    Buffers() {
        bytes_ = static_cast<std::size_t>(shmem_n_pes()) * kLongest * 16 * 3 + 4096;
        dest_ = static_cast<char*>(shmem_align(64, bytes_));
        source_ = static_cast<char*>(shmem_align(64, bytes_));
        if (!dest_ || !source_) std::abort();
    }
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;
    ~Buffers() {
        shmem_free(source_);
        shmem_free(dest_);
    }
    template <typename T>
    T* dest() const {
        return reinterpret_cast<T*>(dest_);
    }
    template <typename T>
    T* source() const {
        return reinterpret_cast<T*>(source_);
    }

  private:
    std::size_t bytes_;
    char* dest_;
    char* source_;
};

}  // namespace test
