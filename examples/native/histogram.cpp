// A histogram whose bins lie at all PEs: every PE draws numbers and counts each in its bin.
//
// New here: the aggregator. Each PE tells the bin's owner, and the owner counts. What goes to one
// PE is gathered into long messages, so memory is written in order and no two PEs touch one word;
// there is no atomic in this program. And a shared array, whose bins anybody reads by number.
#include <isthmus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

constexpr std::size_t kBinsPerPe = 8;
constexpr int kDraws = 100000;

// A small generator (xorshift), begun differently at each PE.
static std::uint64_t draw(std::uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int main() {
    const isthmus::job job;
    const auto me = static_cast<std::uint64_t>(isthmus::pe());
    const auto pes = static_cast<std::size_t>(isthmus::pes());
    isthmus::shared_array<long, isthmus::blocked> bins(kBinsPerPe * pes);

    // Runs at the bins' owner, inside push and finish, whenever something has come.
    const auto mine = bins.local();
    const auto count = [mine](int, std::span<const std::uint32_t> places) {
        for (const std::uint32_t place : places)
            ++mine[place];
    };
    auto counter = isthmus::aggregator_of<std::uint32_t>(count);

    std::uint64_t state = 88172645463325252u + me * 1000003;
    for (int i = 0; i < kDraws; ++i) {
        const std::size_t bin = draw(state) % bins.size();
        const isthmus::element_place place = bins.layout().locate(bin);
        counter.push(place.pe, static_cast<std::uint32_t>(place.index)).or_fail();
    }
    counter.finish().or_fail();  // everything that anybody pushed has been counted

    int wrong = 0;
    if (me == 0) {
        long total = 0, least = kDraws * static_cast<long>(pes), most = 0;
        for (std::size_t bin = 0; bin < bins.size(); ++bin) {
            const long number = bins[bin];  // one get
            total += number;
            least = std::min(least, number);
            most = std::max(most, number);
        }
        wrong = total != kDraws * static_cast<long>(pes);
        std::printf("%ld numbers in %zu bins, between %ld and %ld each\n", total, bins.size(),
                    least, most);
    }
    isthmus::barrier();  // PE 0 has read all bins
    return wrong;
}
