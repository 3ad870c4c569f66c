// The job file as the launcher makes it.
#pragma once

#include <string>

#include "core/job/job_layout.hpp"

namespace isthmus::launch {

struct JobFile {
    JobHeader* header = nullptr;
    int file = -1;      // inherited by programs, at a number that shells do not use
    std::string error;  // why there is none
};

// For `pes` PEs of the launcher with this process id, which may use `processors` processors.
JobFile create_job_file(int pes, int launcher, int processors);

}  // namespace isthmus::launch
