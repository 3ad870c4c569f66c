#include "core/copy/prepare.hpp"

#include "core/copy/settle.hpp"

namespace isthmus {

void prepare_copies() {
    // Relaxed: nobody else is here.
    if (copy_parameters_settled.load(std::memory_order_relaxed)) return;
    const CopyStory story = find_parameters();
    if (settle_by(story)) use_loops(loops_of(story.parameters));
}

}  // namespace isthmus
