// `isthmus tune`: measures again how copies are fastest on this processor.
#pragma once

#include <string>
#include <vector>

namespace isthmus::tools {

int tune_command(const std::vector<std::string>& arguments);

}  // namespace isthmus::tools
