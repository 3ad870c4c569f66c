// Refusals of the native interface: a status and a sentence.
#pragma once

#include <isthmus/status.h>

#include <string>

namespace isthmus {

// Remembers the sentence for isthmus_error_text(), prints it in checked mode, returns the status.
int refuse(isthmus_status status, const char* routine, const std::string& sentence);

const char* last_refusal();

}  // namespace isthmus
