// One machine as several nodes (ISTHMUS_NODES), without namespaces: the window reaches the PEs of
// the own node, a road the others.
#pragma once

namespace isthmus {

// Takes the PEs of other nodes out of job.near, and fills in host_table.nodes. Ends the job if the
// setting cannot be.
void split_into_nodes();

}  // namespace isthmus
