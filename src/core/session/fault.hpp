// A wrong address or PE in an inlined operation lands on a page that is not mapped. The handler
// here turns that fault into the error message. Checks that cost nothing until they fail.
#pragma once

namespace isthmus {

// Installs the handlers of SIGSEGV and SIGBUS, and of SIGFPE, SIGILL and SIGABRT, which are told as
// crashes of the program's own, unless the program (or a sanitizer) has its own.
// Faults that are none of ours go on to what was there before.
void catch_faults();

// Returns if no other thread tells of a crash: else the process ends by that, whatever this thread
// is about to leave with. Also in a handler of a signal.
void let_crash_end();

}  // namespace isthmus
