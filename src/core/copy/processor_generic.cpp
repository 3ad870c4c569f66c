#include "core/copy/processor.hpp"

namespace isthmus {

std::string processor_name() {
    return "unknown";
}

}  // namespace isthmus
