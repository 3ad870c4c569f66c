// Where messages go: standard error, as long as the program has it open.
#pragma once

namespace isthmus {

// In front of the first descriptor that is opened: one under the number of a standard stream that
// the program was started without would take what it reads and writes there. They are occupied, and
// reads and writes fail as before.
void occupy_standard_streams();

// Keeps what standard error leads to now, for messages behind the program's closing it. Not again
// if it is kept.
void keep_error_stream();
// In a forked child: whoever reads that waits until all have closed it, and a child that has closed
// its streams, as one that goes into the background, is not waited for.
void drop_error_stream();

// The descriptor to write to. Safe from a signal handler.
int error_stream();

}  // namespace isthmus
