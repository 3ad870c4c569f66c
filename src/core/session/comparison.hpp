// That all PEs of a job are alike: the settings, the program, the heap.
#pragma once

namespace isthmus {

// With those of this host by its header, and with other hosts by the job's exchange. Ends the job
// where they differ. Libraries whose variables not all PEs could move are private from here on.
void compare_with_peers();

}  // namespace isthmus
