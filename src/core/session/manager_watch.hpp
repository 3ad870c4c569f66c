// Looks whether the process manager's part on this host still runs, while nothing is asked of it.
#pragma once

namespace isthmus {

// Ends the job if it has ended two seconds ago: it was to pass on what this PE writes, and to end
// it. By PMI-1, whose connection tells. For whoever looks at the other PEs now and then; not more
// than some times a second.
void end_if_manager_has_gone();

}  // namespace isthmus
