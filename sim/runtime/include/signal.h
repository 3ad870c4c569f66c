/* The C library's <signal.h>, with the fixed-width and system types that newlib's has: programs for
 * the published library were written for newlib and do not name the headers of these. */
#pragma GCC system_header
#include_next <signal.h>
#include <stdint.h>
#include <sys/types.h>
