// Routines that the program defines itself, which come before the wrappers.
#pragma once

namespace isthmus::profile {

// Says which they are, if what they pass on to pshmem_NAME is not counted either.
void tell_unseen();

}  // namespace isthmus::profile
