// Where this installation lies. Everything is found from the tool's own place, so that the
// installed tree may be moved and the build tree works without installing.
#pragma once

#include <string>

namespace isthmus::tools {

struct Place {
    std::string bin;      // directory of the running executable
    std::string lib;      // directory of libisthmus.so, empty if not found
    std::string include;  // directory of shmem.h, empty if not found
};
Place find_place();

// Full path of a helper program (isthmus-bench): beside the tool, or in ../libexec/isthmus. Empty
// if there is none.
std::string find_helper(const Place& place, const std::string& name);

}  // namespace isthmus::tools
