// Mapping the arenas of all PEs.
#pragma once

namespace isthmus {

// Collective, at each initialisation of the native interface. Ends the job with a message if it is
// impossible.
void open_arenas();

}  // namespace isthmus
