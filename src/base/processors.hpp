// Lists of processors as Linux writes them: "0-3,8".
#pragma once

#include <sched.h>

#include <string_view>

namespace isthmus {

// False if it is no such list, is empty, or names a processor that a cpu_set_t has no room for.
bool parse_processors(std::string_view text, cpu_set_t& processors);

}  // namespace isthmus
