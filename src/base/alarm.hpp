// The alarm by which the library ends what may last for ever. SIGALRM is the program's: its timers
// and other processes may send it all the time, and what is not this alarm's counts for nothing.
#pragma once

namespace isthmus::os {

// What is limited. Each limit holds until its own time or end, whatever becomes of the others: an
// end of the process has several parts, one in the other.
enum class Limit : unsigned char { output, told, meeting, manager, farewell, crash };

// handler(argument) is called then, also in a program that blocks SIGALRM. Another call moves this
// limit. All of these also in a handler of a signal.
void call_after(Limit limit, double seconds, void (*handler)(int), int argument);
// Not any more. The program gets its own back by the next one.
void call_no_more(Limit limit);
// Nor this one. Unless another limit holds, the program has what it had before the first of these
// calls: its handler, its alarm, and whether this thread blocks the signal.
void give_alarm_back(Limit limit);

}  // namespace isthmus::os
