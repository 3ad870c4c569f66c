#include "core/copy/measure.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "base/os.hpp"

namespace isthmus {
namespace {

constexpr double kClearly = 1.03;
constexpr double kStillToWrite = 1.1;
// What a block loses that is taken for one that the last level holds, and is in memory.
constexpr double kWorthMeeting = 1.25;
constexpr int kBursts = 9;
constexpr int kFewestBursts = 6;  // on a machine that is too busy for all
// From memory: a median wants more, and they are short.
constexpr int kColdBursts = 41;
constexpr int kFewestColdBursts = 21;
constexpr std::size_t kInnerBlock = std::size_t{64} << 10;
constexpr std::size_t kMostOuter = std::size_t{4} << 20;
constexpr std::uint64_t kPatience = 90'000'000;  // nanoseconds: the machine is too busy then

// Source and dest of a measurement: private memory that is touched, with room for an alias.
class Buffers {
  public:
    explicit Buffers(std::size_t bytes) : bytes_(bytes + kRoom) {
        void* const memory =
            mmap(nullptr, 2 * bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        memory_ = static_cast<char*>(memory);
        std::memset(memory_, 1, 2 * bytes_);
    }
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;
    ~Buffers() {
        if (memory_) munmap(memory_, 2 * bytes_);
    }
    explicit operator bool() const { return memory_ != nullptr; }
    // Half a page from each other modulo 4096: no alias.
    char* source() const { return memory_; }
    char* dest() const { return memory_ + bytes_ + kDestInPage; }
    static constexpr std::size_t kDestInPage = 2048;  // if `bytes` are whole pages

  private:
    static constexpr std::size_t kRoom = 4096;
    std::size_t bytes_;
    char* memory_ = nullptr;
};

// Of "outer": twice the second level, where that is usual.
std::size_t outer_block(const Caches& caches) {
    return std::clamp<std::size_t>(2 * caches.level2, std::size_t{1} << 20, kMostOuter);
}

// How the blocks of "inner" go at an alias, where no block goes by string.
Way way_ahead(const CopyParameters& parameters) {
    return parameters.inner == Way::string ? Way::upwards : parameters.inner;
}

}  // namespace

double time_that_counts(std::vector<double> times, bool cold) {
    const auto middle = times.begin() + (std::ssize(times) - 1) / 2;
    if (!cold) return *std::min_element(times.begin(), times.end());
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

bool are_plausible(const std::vector<CopyFigure>& figures) {
    // Slower than any memory: an emulator, or valgrind. Faster than any cache: a broken clock.
    return !figures.empty() && std::all_of(figures.begin(), figures.end(), [](const auto& figure) {
        return figure.gigabytes > 0.5 && figure.gigabytes < 2000;
    });
}

CopyParameters choose_by_figures(const CopyParameters& standard, const Caches& caches,
                                 const std::vector<CopyFigure>& figures) {
    const auto rate = [&](const char* where, Way way) {
        for (const CopyFigure& figure : figures)
            if (std::strcmp(figure.where, where) == 0 && figure.way == way) return figure.gigabytes;
        return 0.0;
    };
    // A fast way that `may` allows: it clearly beats the usual one and all in front of it, so that
    // two that are alike do not take turns from one measurement to the next.
    const auto best = [&](const char* where, Way usual, auto&& may) {
        Way chosen = usual;
        double reached = rate(where, usual) * kClearly;
        for (const CopyFigure& figure : figures) {
            if (std::strcmp(figure.where, where) != 0 || figure.gigabytes <= reached ||
                !may(figure.way))
                continue;
            chosen = figure.way;
            reached = figure.gigabytes * kClearly;
        }
        return chosen;
    };
    // In the caches. Alternating gains on a buffer that is copied again and again, as it is here,
    // and on nothing else: it has to beat the best of the others.
    const auto best_steady = [&](const char* where) {
        return best(where, Way::upwards,
                    [](Way way) { return !is_streamed(way) && !is_alternating(way); });
    };
    const auto best_cached = [&](const char* where, Way standard_way) {
        if (rate(where, Way::upwards) == 0) return standard_way;  // not measured
        return best(where, best_steady(where), is_alternating);
    };
    CopyParameters parameters = standard;
    parameters.narrow = rate("narrow", Way::upwards) > rate("wide", Way::upwards) * kClearly;
    parameters.inner = best_cached("inner", standard.inner);
    parameters.outer = best_cached("outer", standard.outer);
    const Way ahead = way_ahead(parameters);
    if (rate("ahead", ahead) > rate("ahead-downwards", ahead) * kClearly)
        parameters.shun_alias = false;
    const auto best_streamed = [&](const char* where) {
        return rate(where, Way::streamed_narrow) > rate(where, Way::streamed) * kClearly
                   ? Way::streamed_narrow
                   : Way::streamed;
    };
    parameters.beyond = best_streamed("fresh");
    // Streamed stores are in memory when the time is taken; what others leave in the caches is
    // still to be written there.
    parameters.fresh = best("fresh", standard.fresh, [](Way way) { return !is_streamed(way); });
    if (rate("fresh", parameters.beyond) * kStillToWrite > rate("fresh", parameters.fresh))
        parameters.fresh = parameters.beyond;
    // Nor is it of use to remember what the last level may hold where that is hardly faster.
    if (rate("outer", best_steady("outer")) < rate("outer", best_streamed("outer")) * kWorthMeeting)
        parameters.reuse = std::min(parameters.reuse, outer_block(caches));
    // Past the caches at twice the second level, although the last one holds the block.
    if (rate("outer", best_streamed("outer")) > rate("outer", parameters.outer) * kClearly) {
        parameters.beyond = best_streamed("outer");
        parameters.beyond_from = std::min(standard.beyond_from, caches.level2 / 2 * 3);
        parameters.outer_from = std::min(parameters.outer_from, parameters.beyond_from);
    }
    return parameters;
}

#if defined(__x86_64__)
}  // namespace isthmus

#include <cpuid.h>
#include <immintrin.h>

#include "core/copy/roads.hpp"

namespace isthmus {
namespace {

// Thirty times as fast as the other one, since flushes then need not wait for each other.
bool can_flush_side_by_side() {
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_CLFLUSHOPT) != 0;
}
[[gnu::target("clflushopt")]] void flush_side_by_side(char* begin, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64)
        _mm_clflushopt(begin + at);
    _mm_mfence();
}
void flush(char* begin, std::size_t bytes) {
    static const bool side_by_side = can_flush_side_by_side();
    if (side_by_side) return flush_side_by_side(begin, bytes);
    for (std::size_t at = 0; at < bytes; at += 64)
        _mm_clflush(begin + at);
    _mm_mfence();
}

// Where the source begins. In a line: loads that cross lines cost the loops more than the
// processor's own copy.
using Places = std::span<const std::size_t>;
constexpr std::size_t kPlaces[] = {0, 9};
// Long blocks cost the most time, and wait for their lines wherever they begin.
constexpr std::size_t kPlaceOfOuter[] = {9};
// Of dest modulo 4096: 16 bytes and one.
constexpr std::size_t kJustBehind[] = {Buffers::kDestInPage - 16, Buffers::kDestInPage - 1};

struct Trial {
    const char* where;
    Way way;
    bool shun_alias = false;
};
std::vector<Trial> trials_of(const char* where, const std::vector<Way>& ways) {
    std::vector<Trial> trials;
    trials.reserve(ways.size());
    for (const Way way : ways)
        trials.push_back({where, way});
    return trials;
}

struct Bench {
    const ChosenCopy& loops;
    const Buffers& buffers;
    std::uint64_t deadline;
    Places places;

    bool is_late() const { return os::monotonic_nanoseconds() > deadline; }
    // Nanoseconds of a copy, of `calls` copies of the block that begins at `offset`.
    double time(const Trial& trial, std::size_t place, std::size_t bytes, int calls,
                std::size_t offset = 0) const {
        char* const dest = buffers.dest() + offset;
        char* const source = buffers.source() + offset + place;
        const std::uint64_t start = os::monotonic_nanoseconds();
        for (int call = 0; call < calls; ++call)
            loops.copy_by(road_of(trial.way, trial.shun_alias, dest, source), dest, source, bytes);
        return static_cast<double>(os::monotonic_nanoseconds() - start) / calls;
    }
};

// How often each copy is timed, and on a machine that is too busy for that.
struct Bursts {
    int usual;
    int fewest;
};
// All trials take turns, so that a change of the clock meets them alike. `time` gives that of a
// trial at a place of the source; a figure is of the mean of the places.
template <typename Time>
void measure_in_turns(const Bench& bench, std::size_t bytes, bool cold, Bursts bursts,
                      const std::vector<Trial>& trials, std::vector<CopyFigure>& figures,
                      Time&& time) {
    std::vector<std::vector<std::vector<double>>> times(
        trials.size(), std::vector<std::vector<double>>(bench.places.size()));
    for (int burst = 0; burst < bursts.usual && !(burst >= bursts.fewest && bench.is_late());
         ++burst) {
        for (std::size_t i = 0; i < trials.size(); ++i) {
            for (std::size_t at = 0; at < bench.places.size(); ++at)
                times[i][at].push_back(time(trials[i], bench.places[at]));
        }
    }
    for (std::size_t i = 0; i < trials.size(); ++i) {
        double sum = 0;
        for (const std::vector<double>& of_place : times[i])
            sum += time_that_counts(of_place, cold);
        const double mean = sum / static_cast<double>(times[i].size());
        figures.push_back(
            {trials[i].where, bytes, trials[i].way, static_cast<double>(bytes) / mean});
    }
}

void measure_trials(const Bench& bench, std::size_t bytes, int calls,
                    const std::vector<Trial>& trials, std::vector<CopyFigure>& figures) {
    measure_in_turns(bench, bytes, false, {kBursts, kFewestBursts}, trials, figures,
                     [&](const Trial& trial, std::size_t place) {
                         // The caches as this way leaves them; one long copy is enough for that.
                         bench.time(trial, place, bytes, calls > 1 ? 2 : 1);
                         return bench.time(trial, place, bytes, calls);
                     });
}

// Blocks from memory, one behind the other: at one place the pages would be at hand, and the stores
// of 32 bytes as fast as those of 64.
void measure_cold_trials(const Bench& bench, std::size_t bytes, const std::vector<Trial>& trials,
                         std::vector<CopyFigure>& figures) {
    std::size_t next = 0;
    measure_in_turns(bench, bytes, true, {kColdBursts, kFewestColdBursts}, trials, figures,
                     [&](const Trial& trial, std::size_t place) {
                         const std::size_t offset = next;
                         next = (offset + bytes) % kMostOuter;
                         flush(bench.buffers.source() + offset, bytes + place);
                         flush(bench.buffers.dest() + offset, bytes);
                         return bench.time(trial, place, bytes, 1, offset);
                     });
}

// Blocks that the first level holds, at places of the source in a line that programs have.
void measure_widths(const Buffers& buffers, const ChosenCopy& widest, const ChosenCopy& narrower,
                    std::vector<CopyFigure>& figures) {
    constexpr std::size_t kBytes = 4096;
    constexpr int kCalls = 64;
    constexpr std::size_t kSources[] = {0, 8, 32, 40};
    const ChosenCopy* const loops[] = {&widest, &narrower};
    double least[] = {1e18, 1e18};
    for (int burst = 0; burst < kBursts; ++burst) {
        for (std::size_t i = 0; i < 2; ++i) {
            const std::uint64_t start = os::monotonic_nanoseconds();
            for (int call = 0; call < kCalls; ++call)
                for (const std::size_t place : kSources)
                    loops[i]->copy(buffers.dest(), buffers.source() + place, kBytes);
            const auto time = static_cast<double>(os::monotonic_nanoseconds() - start);
            least[i] = std::min(least[i], time / (kCalls * std::size(kSources)));
        }
    }
    figures.push_back({"wide", kBytes, Way::upwards, kBytes / least[0]});
    figures.push_back({"narrow", kBytes, Way::upwards, kBytes / least[1]});
}

}  // namespace

CopyMeasurement measure_copies(const ChosenCopy& widest, const ChosenCopy& narrower,
                               const Caches& caches) {
    CopyMeasurement measurement;
    measurement.parameters = standard_parameters(caches);
    if (!widest.copy_by) return measurement;
    const std::uint64_t start = os::monotonic_nanoseconds();
    const std::size_t outer = outer_block(caches);
    const Buffers buffers(kMostOuter);
    if (!buffers) return measurement;
    ChosenCopy loops = widest;
    if (narrower.copy) {
        measure_widths(buffers, widest, narrower, measurement.figures);
        if (choose_by_figures(measurement.parameters, caches, measurement.figures).narrow)
            loops = narrower;
    }
    const Bench bench{loops, buffers, start + kPatience, kPlaces};
    measure_cold_trials(bench, kInnerBlock,
                        trials_of("fresh", {Way::upwards, Way::claimed, Way::string,
                                            Way::streamed_narrow, Way::streamed}),
                        measurement.figures);
    if (!are_plausible(measurement.figures)) return measurement;  // the rest would take long
    measure_trials(bench, kInnerBlock, 8,
                   trials_of("inner", {Way::upwards, Way::claimed, Way::alternating,
                                       Way::alternating_claimed, Way::string}),
                   measurement.figures);
    const Bench aliases{loops, buffers, start + kPatience, kJustBehind};
    const Way ahead =
        way_ahead(choose_by_figures(measurement.parameters, caches, measurement.figures));
    measure_trials(aliases, kInnerBlock, 8, {{"ahead", ahead}, {"ahead-downwards", ahead, true}},
                   measurement.figures);
    measure_trials(
        Bench{loops, buffers, start + kPatience, kPlaceOfOuter}, outer, 1,
        trials_of("outer", {Way::upwards, Way::claimed, Way::alternating, Way::alternating_claimed,
                            Way::string, Way::streamed_narrow, Way::streamed}),
        measurement.figures);
    measurement.milliseconds = static_cast<double>(os::monotonic_nanoseconds() - start) * 1e-6;
    measurement.plausible = are_plausible(measurement.figures);
    if (measurement.plausible)
        measurement.parameters =
            choose_by_figures(measurement.parameters, caches, measurement.figures);
    return measurement;
}
#else
CopyMeasurement measure_copies(const ChosenCopy&, const ChosenCopy&, const Caches& caches) {
    CopyMeasurement measurement;
    measurement.parameters = standard_parameters(caches);
    return measurement;
}
#endif

}  // namespace isthmus
