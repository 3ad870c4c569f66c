/* A library of the program's that knows nothing of OpenSHMEM. */
#include "library_data.h"

static long values[3] = {1, 2, 3};

long* plain_values(void) {
    return values;
}
