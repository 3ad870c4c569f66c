/* What the two programs of times measure alike. */
#ifndef ISTHMUS_BENCH_SHOAL_TIMES_H
#define ISTHMUS_BENCH_SHOAL_TIMES_H

#include "../../sfi/programs/times.h"

enum { kRoundTrips = 200, kStreams = 7, kStreamBytes = 64 << 20 };

#endif
