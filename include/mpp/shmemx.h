/* Where the header was before OpenSHMEM 1.1, kept for programs of that time. */
#include <shmemx.h>
