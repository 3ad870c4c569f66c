// What a handler of a message may not do: wait for another PE's program, which may itself wait for
// what this very thread is to handle.
#pragma once

#include <string_view>

#include "core/wait/wait.hpp"

namespace isthmus {

[[noreturn, gnu::cold]] void refuse_wait_in_handler(std::string_view routine);

// At the beginning of a call that may wait: checked mode refuses it within a handler, whether or
// not it would have to wait this time.
inline bool is_wait_in_handler() {
    return job.checked && runs_handler && runs_handler();
}

}  // namespace isthmus
