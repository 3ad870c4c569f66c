#include "sim/tool/spread.hpp"

namespace isthmus::sim {

const bool kSpreads = false;

std::unique_ptr<Spread> make_spread(unsigned) {
    return nullptr;
}

}  // namespace isthmus::sim
