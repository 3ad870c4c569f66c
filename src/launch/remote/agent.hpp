// `isthmus agent`: the launcher's hand on another host. A remote shell starts it; it starts the PEs
// of its host, is their process manager, and passes on what they write. It needs no port and leaves
// nothing: when the connection is gone, so are the PEs.
#pragma once

namespace isthmus::launch {

// Serves one job over standard input and output (frame.hpp). Returns the process's exit status.
int serve_as_agent();

}  // namespace isthmus::launch
