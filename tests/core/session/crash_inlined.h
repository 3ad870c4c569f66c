/* A crash in a function that the compiler puts into its caller. */
static inline __attribute__((always_inline)) void write_inlined(volatile int* where) {
    *where = 1; /* line 3 */
}
void write_beyond_file(void);
void begin_next_session(void);
void crash_in_child(void);
void crash_in_handler(void);
void put_from_null(void);
void put_from_low(void);
void put_given_back(void);
void fill_nowhere(void);
void allocate_unlike(void);
void get_to_nowhere(void);
void get_to_nowhere_later(void);
void put_from_nowhere(void);
void print_nowhere(void);
