// What a PE that starts does for its copies.
#pragma once

namespace isthmus {

// Takes what was kept for this processor, and the loops that go with it: nobody copies yet. Where
// nothing was kept the first long copy measures (settle.hpp); narrower vectors, if that finds them
// faster, come into use with the next job.
void prepare_copies();

}  // namespace isthmus
