// Two roads in a job of threads, by turns: PEs of even numbers are reached by the first, the others
// by the second.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "loop/loop_job.hpp"
#include "transport/several/several.hpp"

namespace isthmus::transport::test {

template <typename First, typename Second>
class Crossed : public several::Several {
  public:
    explicit Crossed(const Services& services) : Several(open(services), by_turns(services.pes)) {}

  private:
    static std::vector<std::unique_ptr<Transport>> open(Services services) {
        std::vector<std::unique_ptr<Transport>> roads;
        roads.push_back(std::make_unique<First>(services));
        ++services.session;
        ++services.seed;
        roads.push_back(std::make_unique<Second>(services));
        return roads;
    }
    static several::RoadOf by_turns(int pes) {
        several::RoadOf road_of;
        for (int pe = 0; pe < pes; ++pe)
            road_of.push_back(static_cast<std::uint8_t>(pe % 2));
        return road_of;
    }
};
// The first keeps no order, the second does.
using CrossedRoads = Crossed<LoopRoad, OrderedLoopRoad>;

}  // namespace isthmus::transport::test
