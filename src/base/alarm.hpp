// The alarm by which the library ends what may last for ever. SIGALRM is the program's: its timers
// and other processes may send it all the time, and what is not this alarm's counts for nothing.
#pragma once

namespace isthmus::os {

// The handler is called then, also in a program that blocks SIGALRM. Another call moves the alarm
// that is set. All of these also in a handler of a signal.
void call_after(unsigned seconds, void (*handler)(int));
// Not any more. The program gets its own back by the next one.
void call_no_more();
// The program has what it had before the first of these calls: its handler, its alarm, and whether
// this thread blocks the signal.
void give_alarm_back();

}  // namespace isthmus::os
