/* Variables of a shared library: symmetric where it is loaded with the program, private where
 * later. */
long library_counter[4];
static long hidden[512];
long* library_hidden(void) {
    return hidden + 256;
}
long library_shown[4];
long* library_named(void) {
    return library_shown + 1;
}

static const long constants[4] = {1, 2};
const long* library_constants(void) {
    return constants;
}
static const struct {
    const char* name;
    long number;
} named[512] = {{"one", 1}};
const long* library_named_constant(void) {
    return &named[0].number;
}

static __thread long of_thread;
long* library_of_thread(void) {
    return &of_thread;
}
