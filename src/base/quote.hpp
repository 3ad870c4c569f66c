// Commands as text.
#pragma once

#include <string>
#include <vector>

namespace isthmus {

// The command as a shell would take it.
std::string quote(const std::vector<std::string>& words);

}  // namespace isthmus
