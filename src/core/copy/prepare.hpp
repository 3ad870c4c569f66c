// What a PE that starts does for its copies.
#pragma once

#include <string>

namespace isthmus {

// Takes what was kept for this processor, and the loops that go with it: nobody copies yet. Where
// nothing was kept the first long copy measures (settle.hpp); narrower vectors, if that finds them
// faster, come into use with the next job. Returns what is wrong with a file that was named, as
// read_settings() does.
std::string prepare_copies();

}  // namespace isthmus
