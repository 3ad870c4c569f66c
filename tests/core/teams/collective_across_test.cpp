// Collectives in any order, with any team, root, type and length, against a model: a random walk
// that is the same at all PEs. No barriers between the calls, so one that touched an operand
// outside its own call, or a stage that another one still reads, would be found out. Meant for PEs
// on several hosts, but right anywhere.
//
//     core_collective_across [STEPS [SEED]]
#include <algorithm>
#include <cmath>

#include "../../api/shmem/collective_model.hpp"

namespace {

using test::apply;
using test::mix;
using test::ModelTeam;
using test::Op;
using test::same_value;

constexpr std::size_t kRoom = std::size_t{32} << 20;  // bytes of each operand
constexpr std::size_t kLongestBlock = std::size_t{8} << 20;

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t limit) { return mix(++state_) % limit; }
    bool one_in(std::size_t odds) { return below(odds) == 0; }

  private:
    std::uint64_t state_;
};

// An ordered set of PEs with a team, an active set, or both.
struct Group : ModelTeam {
    int start = 0;
    int log_stride = -1;  // -1: no active set
    long* work_array = nullptr;
};

std::uint64_t round_number = 0;
char* dest_memory;
char* source_memory;
// One a group: sets must not share one without a barrier between them.
constexpr std::size_t kGroups = 7;
long work_arrays[kGroups][SHMEM_SYNC_SIZE];

std::string said;  // what the step is, for messages

void check(bool right) {
    EXPECT_NAMED("collectives across hosts", right);
    if (!right)
        std::fprintf(stderr, "PE %d: round %llu: %s\n", shmem_my_pe(),
                     static_cast<unsigned long long>(round_number), said.c_str());
}

// One multiplication a value: some operands are long.
template <typename T>
T value(int pe, std::size_t index) {
    const std::uint64_t bits =
        ((round_number * 64 + static_cast<std::uint64_t>(pe)) * 0x1000193 + index) *
        0x9e3779b97f4a7c15;
    if constexpr (test::IsComplex<T>::value)
        return {static_cast<typename T::value_type>(static_cast<std::int32_t>(bits >> 32)) / 65536,
                static_cast<typename T::value_type>(static_cast<std::int32_t>(bits >> 16)) / 65536};
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(static_cast<std::int32_t>(bits >> 32)) / 65536;
    else
        return static_cast<T>(bits >> 24);
}

template <typename T>
void fill(T* block, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        block[i] = value<T>(shmem_my_pe(), i);
}
template <typename T>
bool holds(const T* block, std::size_t count, int pe, std::size_t first = 0) {
    for (std::size_t i = 0; i < count; ++i) {
        if (!same_value(block[i], value<T>(pe, first + i))) return false;
    }
    return true;
}

// Elements of a block: none, one, what fits a cell, a stage or a piece, odd ones, 8 MB; `blocks`
// of them have room.
std::size_t draw_length(Dice& dice, std::size_t blocks, std::size_t element) {
    constexpr std::size_t kBytes[] = {8, 56, 512, 4096, 16384, 40000, 131072, 300000, 1048576};
    std::size_t bytes = kBytes[dice.below(std::size(kBytes))];
    if (dice.one_in(50)) bytes = kLongestBlock;
    bytes = std::min({bytes, kLongestBlock, (kRoom - 64) / blocks});
    const std::size_t elements = bytes / element;
    switch (dice.below(6)) {
        case 0: return 0;
        case 1: return std::min<std::size_t>(1, elements);
        case 2: return elements;
        default: return elements == 0 ? 0 : dice.below(elements);
    }
}

void step_broadcast(Dice& dice, const Group& group, bool as_set) {
    using T = std::uint64_t;
    T* const dest = reinterpret_cast<T*>(dest_memory);
    T* const source = reinterpret_cast<T*>(source_memory);
    const std::size_t count = draw_length(dice, 1, sizeof(T));
    const auto root = static_cast<int>(dice.below(group.world.size()));
    if (group.me < 0) return;
    said = "broadcast of " + std::to_string(count) + " from " + std::to_string(root);
    const T mark = ~T{0};
    fill(source, count);
    dest[count] = mark;
    if (count != 0) dest[0] = mark;
    if (as_set)
        shmem_broadcast64(dest, source, count, root, group.start, group.log_stride, group.size(),
                          group.work_array);
    else
        shmem_uint64_broadcast(group.team, dest, source, count, root);
    const bool untouched = as_set && group.me == root;
    check(dest[count] == mark &&
          (untouched ? count == 0 || dest[0] == mark
                     : holds(dest, count, group.world[static_cast<std::size_t>(root)])));
}

void step_collect(Dice& dice, const Group& group, bool as_set, bool equal) {
    using T = std::uint32_t;
    T* const dest = reinterpret_cast<T*>(dest_memory);
    T* const source = reinterpret_cast<T*>(source_memory);
    const auto pes = group.world.size();
    std::vector<std::size_t> begins{0};
    const std::size_t same = draw_length(dice, pes, sizeof(T));
    const std::size_t longest = draw_length(dice, pes, sizeof(T)) + 1;
    const bool few = dice.one_in(2);
    for (std::size_t i = 0; i < pes; ++i) {
        const std::size_t length = few && dice.one_in(2) ? 0 : dice.below(longest);
        begins.push_back(begins.back() + (equal ? same : length));
    }
    if (group.me < 0) return;
    const auto me = static_cast<std::size_t>(group.me);
    const std::size_t mine = begins[me + 1] - begins[me];
    said = std::string(equal ? "fcollect" : "collect") + " of " + std::to_string(mine) + " in " +
           std::to_string(begins.back());
    const T mark = ~T{0};
    fill(source, mine);
    dest[begins.back()] = mark;
    if (as_set && equal)
        shmem_fcollect32(dest, source, mine, group.start, group.log_stride, group.size(),
                         group.work_array);
    else if (as_set)
        shmem_collect32(dest, source, mine, group.start, group.log_stride, group.size(),
                        group.work_array);
    else if (equal)
        shmem_uint32_fcollect(group.team, dest, source, mine);
    else
        shmem_uint32_collect(group.team, dest, source, mine);
    bool right = dest[begins.back()] == mark;
    for (std::size_t i = 0; i < pes; ++i)
        right &= holds(dest + begins[i], begins[i + 1] - begins[i], group.world[i]);
    check(right);
}

void step_alltoall(Dice& dice, const Group& group, bool as_set, bool strided) {
    using T = std::uint64_t;
    T* const dest = reinterpret_cast<T*>(dest_memory);
    T* const source = reinterpret_cast<T*>(source_memory);
    const auto pes = group.world.size();
    const std::size_t to_stride = strided ? 1 + dice.below(3) : 1;
    const std::size_t from_stride = strided ? 1 + dice.below(3) : 1;
    const std::size_t count = draw_length(dice, pes * 3, sizeof(T));
    if (group.me < 0) return;
    said = std::string(strided ? "alltoalls" : "alltoall") + " of " + std::to_string(count) +
           ", strides " + std::to_string(to_stride) + " " + std::to_string(from_stride);
    const auto me = static_cast<std::size_t>(group.me);
    const T mark = ~T{0};
    std::fill_n(dest, count * pes * to_stride + 1, mark);
    for (std::size_t i = 0; i < count * pes; ++i)
        source[i * from_stride] = value<T>(shmem_my_pe(), i);
    const auto dst = static_cast<std::ptrdiff_t>(to_stride);
    const auto sst = static_cast<std::ptrdiff_t>(from_stride);
    if (as_set && strided)
        shmem_alltoalls64(dest, source, dst, sst, count, group.start, group.log_stride,
                          group.size(), group.work_array);
    else if (as_set)
        shmem_alltoall64(dest, source, count, group.start, group.log_stride, group.size(),
                         group.work_array);
    else if (strided)
        shmem_uint64_alltoalls(group.team, dest, source, dst, sst, count);
    else
        shmem_uint64_alltoall(group.team, dest, source, count);
    bool right = dest[count * pes * to_stride] == mark;
    for (std::size_t i = 0; i < count * pes; ++i) {
        right &= dest[i * to_stride] == value<T>(group.world[i / count], me * count + i % count);
        for (std::size_t gap = 1; gap < to_stride; ++gap)
            right &= dest[i * to_stride + gap] == mark;
    }
    check(right);
}

// reduce(dest, source, count) is called; terms [0, last) are expected, zero if there are none.
template <Op op, typename T, typename Reduce>
void step_reduce(Dice& dice, const Group& group, const char* name, int last, const Reduce& reduce) {
    T* const dest = reinterpret_cast<T*>(dest_memory);
    T* const source = dice.one_in(2) ? dest : reinterpret_cast<T*>(source_memory);
    const std::size_t count = draw_length(dice, 1, sizeof(T));
    if (group.me < 0) return;
    said = std::string(name) + " of " + std::to_string(count) + " x " + std::to_string(sizeof(T)) +
           (source == dest ? " in place" : "");
    fill(source, count);
    const T mark = value<T>(63, 0);
    dest[count] = mark;
    reduce(dest, source, count);
    bool right = same_value(dest[count], mark);
    for (std::size_t i = 0; i < count; ++i) {
        T expected{};
        for (int term = 0; term < last; ++term) {
            const T next = value<T>(group.world[static_cast<std::size_t>(term)], i);
            expected = term == 0 ? next : apply<op, T>(expected, next);
        }
        right &= same_value(dest[i], expected);
    }
    check(right);
}

void step_reductions(Dice& dice, const Group& group, bool as_set) {
    const int all = group.size();
    const shmem_team_t team = group.team;
    switch (dice.below(8)) {
        case 0:
            return step_reduce<Op::sum, double>(
                dice, group, "double sum", all, [&](double* to, double* from, std::size_t count) {
                    static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
                    if (as_set)
                        shmem_double_sum_to_all(to, from, static_cast<int>(count), group.start,
                                                group.log_stride, group.size(), work,
                                                group.work_array);
                    else
                        shmem_double_sum_reduce(team, to, from, count);
                });
        case 1:
            return step_reduce<Op::sum, float>(dice, group, "float sum", all,
                                               [&](auto* to, auto* from, std::size_t count) {
                                                   shmem_float_sum_reduce(team, to, from, count);
                                               });
        case 2:
            return step_reduce<Op::sum, long double>(
                dice, group, "long double sum", all, [&](auto* to, auto* from, std::size_t count) {
                    shmem_longdouble_sum_reduce(team, to, from, count);
                });
        case 3:
            return step_reduce<Op::sum, long>(dice, group, "long sum", all,
                                              [&](auto* to, auto* from, std::size_t count) {
                                                  shmem_long_sum_reduce(team, to, from, count);
                                              });
        case 4:
            return step_reduce<Op::bit_xor, unsigned char>(
                dice, group, "uchar xor", all, [&](auto* to, auto* from, std::size_t count) {
                    shmem_uchar_xor_reduce(team, to, from, count);
                });
        case 5:
            return step_reduce<Op::max, double>(dice, group, "double max", all,
                                                [&](auto* to, auto* from, std::size_t count) {
                                                    shmem_double_max_reduce(team, to, from, count);
                                                });
        case 6:
            return step_reduce<Op::sum, double>(dice, group, "double inclusive scan", group.me + 1,
                                                [&](auto* to, auto* from, std::size_t count) {
                                                    shmem_double_sum_inscan(team, to, from, count);
                                                });
        default:
            return step_reduce<Op::sum, int>(dice, group, "int exclusive scan", group.me,
                                             [&](auto* to, auto* from, std::size_t count) {
                                                 shmem_int_sum_exscan(team, to, from, count);
                                             });
    }
}

void step(Dice& dice, const Group& group) {
    ++round_number;
    // The mixture of a barrier, of what has a root and of what has none.
    const bool as_set = group.log_stride >= 0 && dice.one_in(4);
    switch (dice.below(8)) {
        case 0:
            if (group.me >= 0) shmem_team_sync(group.team);
            return;
        case 1:
        case 2: return step_broadcast(dice, group, as_set);
        case 3: return step_collect(dice, group, as_set, true);
        case 4: return step_collect(dice, group, as_set, false);
        case 5: return step_alltoall(dice, group, as_set, false);
        case 6: return step_alltoall(dice, group, as_set, true);
        default: return step_reductions(dice, group, as_set);
    }
}

// The world, it backwards, every second PE, and some drawn ones.
std::vector<Group> make_groups(Dice& dice) {
    const int pes = shmem_n_pes();
    std::vector<Group> groups;
    const auto add = [&](int start, int stride, int size) {
        Group group;
        group.name = "";
        group.work_array = work_arrays[groups.size()];
        group.start = start;
        if (stride > 0 && (stride & (stride - 1)) == 0)
            group.log_stride = static_cast<int>(std::log2(stride));
        for (int i = 0; i < size; ++i) {
            group.world.push_back(start + i * stride);
            if (group.world.back() == shmem_my_pe()) group.me = i;
        }
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &group.team);
        groups.push_back(std::move(group));
    };
    add(0, 1, pes);
    add(pes - 1, -1, pes);
    add(0, 2, (pes + 1) / 2);
    while (groups.size() < kGroups) {
        const auto start = static_cast<int>(dice.below(static_cast<std::size_t>(pes)));
        int stride = 1 + static_cast<int>(dice.below(3));
        if (dice.one_in(3)) stride = -stride;
        const int most = stride > 0 ? (pes - 1 - start) / stride + 1 : start / -stride + 1;
        add(start, stride, 1 + static_cast<int>(dice.below(static_cast<std::size_t>(most))));
    }
    return groups;
}

}  // namespace

int main(int count, char** arguments) {
    const long steps = count > 1 ? std::atol(arguments[1]) : 200;
    const auto seed = static_cast<std::uint64_t>(count > 2 ? std::atol(arguments[2]) : 1);
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    dest_memory = static_cast<char*>(shmem_align(64, kRoom + 4096));
    source_memory = static_cast<char*>(shmem_align(64, kRoom + 4096));
    if (!dest_memory || !source_memory) std::abort();
    for (long* const array : work_arrays)
        std::fill_n(array, SHMEM_SYNC_SIZE, SHMEM_SYNC_VALUE);
    shmem_barrier_all();
    Dice dice(mix(seed) << 32);
    const std::vector<Group> groups = make_groups(dice);
    for (long i = 0; i < steps; ++i) {
        // PEs that are no members draw the same numbers.
        const std::size_t drawn = dice.below(2 * groups.size());
        const Group& group = groups[drawn < groups.size() ? drawn : 0];
        Dice its(mix(seed * 1000003 + static_cast<std::uint64_t>(i)) << 20);
        step(its, group);
    }
    shmem_barrier_all();
    const int status = test::finish("collective_across", me, pes);
    shmem_finalize();
    return status;
}
