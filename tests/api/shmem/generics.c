/* The C11 generics; see generics.h. */
#include "generics.h"

int main(void) {
    return run();
}
