#include "sim/scale/shmem_spread.hpp"
#include "sim/tool/spread.hpp"

namespace isthmus::sim {

const bool kSpreads = true;

std::unique_ptr<Spread> make_spread(unsigned nodes) {
    return make_shmem_spread(nodes);
}

}  // namespace isthmus::sim
