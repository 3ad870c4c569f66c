/* SSCA#1 with room for the rows of SCALE 22, 2^11. A program of its own, as where its data lie
 * moves the time of the small one. */
#define MOST_ROWS 2048
#include "ssca1.c"
