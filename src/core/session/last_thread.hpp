// A process ends when its last thread does: a program may end main's by pthread_exit and leave the
// rest to others. Threads of roads would keep it for ever, and who waits for this PE with it.
#pragma once

namespace isthmus {

// From a thread of a road, again and again; looks about once a second. If none but roads' threads
// is left the process exits, as it would without them. Threads that a library below a road has
// made for itself (some providers of libfabric's) count as the program's.
void look_for_program();

}  // namespace isthmus
