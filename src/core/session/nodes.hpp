// One machine as several nodes (ISTHMUS_NODES), without namespaces: the window reaches the PEs of
// the own node, a road the others. Where the window is forbidden each PE is a node, as if it were
// alone on its host: for tests of what lies between hosts.
#pragma once

namespace isthmus {

// Takes the PEs of other nodes out of job.near, and fills in host_table.nodes. Ends the job if the
// setting cannot be.
void split_into_nodes();

}  // namespace isthmus
