// Calls that ask the system who this process is. They cannot fail, so nobody looks at what they
// return; but a container's profile can forbid them, and who believes the answer takes its mates
// for strangers.
#pragma once

namespace isthmus::os {

struct RefusedCall {
    const char* name = nullptr;  // null: none
    int error = 0;
};
// The first of those that this library and the launcher need.
RefusedCall refused_identity_call();

}  // namespace isthmus::os
