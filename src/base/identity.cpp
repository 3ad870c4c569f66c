#include "base/identity.hpp"

#include <unistd.h>

#include "base/limits.hpp"

namespace isthmus::os {

// What is returned is then the error as a negative number, which is no process, and no user either.
RefusedCall refused_identity_call() {
    const struct {
        const char* name;
        int answer;
    } calls[] = {{"getpid", getpid()},
                 {"getppid", getppid()},
                 {"gettid", gettid()},
                 {"getuid", static_cast<int>(getuid())},
                 {"geteuid", static_cast<int>(geteuid())},
                 {"getegid", static_cast<int>(getegid())}};
    for (const auto& [name, answer] : calls) {
        if (answer < 0 && is_call_forbidden(-answer)) return {name, -answer};
    }
    return {};
}

}  // namespace isthmus::os
