// Refusals of the native interface: a status and a sentence.
#pragma once

#include <isthmus/status.h>

#include <string>

namespace isthmus {

// Remembers the sentence for isthmus_error_text(), prints it in checked mode, returns the status.
int refuse(isthmus_status status, const char* routine, const std::string& sentence);

// "2.5 s", "1e-09 s"
std::string seconds_text(double seconds);

// The same for what is part of polling, where making a sentence each time would cost more than the
// poll: it is put together when somebody asks. Both texts must last for ever.
int refuse_poll(isthmus_status status, const char* routine, const char* sentence);

const char* last_refusal();

}  // namespace isthmus
