#include "core/copy/prepare.hpp"

#include "core/copy/settle.hpp"

namespace isthmus {

std::string prepare_copies() {
    // Relaxed: nobody else is here.
    if (copy_parameters_settled.load(std::memory_order_relaxed)) return "";
    const CopyStory story = find_parameters();
    if (!story.refused.empty())
        return "setting ISTHMUS_TUNING=" + story.file +
               " is not valid: expected auto, off, or a file in the form of those that `isthmus "
               "tune` keeps; " +
               story.refused;
    if (settle_by(story)) use_loops(loops_of(story.parameters));
    return "";
}

}  // namespace isthmus
