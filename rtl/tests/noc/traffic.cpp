#include "tests/noc/traffic.hpp"

#include <algorithm>
#include <array>

#include "sim/machine/random.hpp"

namespace isthmus::rtl {

namespace {

using sim::Random;

constexpr std::uint64_t kEpoch = 400;  // cycles of one load
// Shares of what the busiest link carries. Their mean is below 1: what one leaves the next ones
// drain.
constexpr std::array<double, 8> kLoads = {0.1, 0.6, 2.0, 0.0, 0.9, 1.2, 0.3, 0.0};
constexpr std::array<std::uint8_t, 8> kLengths = {1, 1, 2, 3, 5, 5, 9, 20};
constexpr double kMeanLength = 46.0 / 8;

/// Who sends what where, node by node.
class Pattern {
  public:
    Pattern(std::string_view name, unsigned width, unsigned height, std::uint64_t start)
        : name_(name), width_(width), height_(height), nodes_(width * height), bursts_(nodes_) {
        for (unsigned node = 0; node < nodes_; ++node)
            random_.emplace_back(start, node);
    }

    /// Flits a node and cycle that the busiest link carries.
    double bound() const {
        if (name_ == "hotspot") return 1 / (0.2 * nodes_ + 0.8);
        if (name_ == "transpose") return 1.0 / (width_ - 1);
        const double across = std::max(width_, height_);
        if (name_ == "complement") return std::min(1.0, 2 / across);
        if (name_ == "neighbour") return 0.9;
        return std::min(0.9, 4 / across);
    }
    /// A node's next packet, if it makes one in this cycle.
    bool make(std::uint64_t now, unsigned node, double load, Offer& offer) {
        Random& random = random_[node];
        if (name_ == "bursts") {
            // Packets back to back to one node, then a pause of the same length in the mean.
            Burst& burst = bursts_[node];
            if (burst.packets == 0) {
                if (!random.chance(load / (12 * kMeanLength))) return false;
                burst = {static_cast<unsigned>(1 + random.below(23)), any_other(random, node)};
            }
            --burst.packets;
            offer = describe(now, node, burst.destination, random);
            return true;
        }
        if (!random.chance(load / kMeanLength)) return false;
        offer = describe(now, node, destination(random, node), random);
        return true;
    }

  private:
    struct Burst {
        unsigned packets = 0, destination = 0;
    };
    static Offer describe(std::uint64_t now, unsigned node, unsigned destination, Random& random) {
        return {now, static_cast<std::uint16_t>(node), static_cast<std::uint16_t>(destination),
                static_cast<std::uint8_t>(random.below(2)),
                kLengths[random.below(kLengths.size())]};
    }
    unsigned any_other(Random& random, unsigned node) const {
        return static_cast<unsigned>((node + 1 + random.below(nodes_ - 1)) % nodes_);
    }
    unsigned destination(Random& random, unsigned node) const {
        const unsigned x = node % width_, y = node / width_;
        if (name_ == "transpose") return x * width_ + y;
        if (name_ == "complement") return nodes_ - 1 - node;
        if (name_ == "neighbour") return y * width_ + (x + 1) % width_;
        if (name_ == "hotspot" && random.chance(0.2)) return height_ / 2 * width_ + width_ / 2;
        return any_other(random, node);
    }

    const std::string_view name_;
    const unsigned width_, height_, nodes_;
    std::vector<Random> random_;
    std::vector<Burst> bursts_;
};

}  // namespace

std::vector<std::string_view> patterns(unsigned width, unsigned height) {
    std::vector<std::string_view> names = {"uniform", "hotspot", "bursts", "complement",
                                           "neighbour"};
    if (width == height) names.push_back("transpose");
    return names;
}

std::vector<Offer> make_traffic(std::string_view pattern, unsigned width, unsigned height,
                                std::uint64_t count, std::uint64_t start) {
    std::vector<Offer> offers;
    const auto known = patterns(width, height);
    if (std::ranges::find(known, pattern) == known.end()) return offers;
    offers.reserve(count);
    Pattern made(pattern, width, height, start);
    Random epochs(start, 1u << 20);
    double load = 0;
    for (std::uint64_t now = 0; offers.size() < count; ++now) {
        if (now % kEpoch == 0) load = kLoads[epochs.below(kLoads.size())] * made.bound();
        for (unsigned node = 0; node < width * height && offers.size() < count; ++node) {
            Offer offer;
            if (made.make(now, node, std::min(load, 1.0), offer)) offers.push_back(offer);
        }
    }
    return offers;
}

}  // namespace isthmus::rtl
