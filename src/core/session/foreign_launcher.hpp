// Launchers that this library cannot join: who is one of several of theirs must not run alone.
#pragma once

#include <string>

namespace isthmus {

// Ends the process if such a launcher started it among others. `why`: what is in the way; empty:
// nothing but that nobody has written it.
void refuse_foreign_launcher(const std::string& why);

}  // namespace isthmus
