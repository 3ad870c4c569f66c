/* The C library's <unistd.h>, with the fixed-width and system types that newlib's has: programs for
 * the published library were written for newlib and do not name the headers of these. */
#pragma GCC system_header
#include <stdint.h>
#include <sys/types.h>
#include_next <unistd.h>
