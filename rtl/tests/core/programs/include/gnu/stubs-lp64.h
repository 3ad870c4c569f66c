/* The C library of the cross compiler has this header for hard floating point only; there is
 * nothing in it. */
