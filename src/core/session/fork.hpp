// fork() in a program whose static data is shared memory: without care the child would write into
// the parent's variables. The child gets a private copy, the parent waits until it has it.
#pragma once

namespace isthmus {

// Registers the handlers; once.
void protect_forks();

}  // namespace isthmus
