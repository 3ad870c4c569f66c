/* Variables of a shared library, which are not symmetric. */
long library_counter[4];
static long hidden[512];
long* library_hidden(void) {
    return hidden + 256;
}
long library_shown[4];
long* library_named(void) {
    return library_shown + 1;
}
