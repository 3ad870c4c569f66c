/* gasnet_tools.h, with gasnet.h and (compiled with WITHOUT_GASNET) without. */
#ifndef WITHOUT_GASNET
#include "check.h"
#endif
#include <gasnet_tools.h>
#ifdef WITHOUT_GASNET
#define CHECK(c)                                                              \
    do {                                                                      \
        if (!(c)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #c); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#endif

static int asked, fails;
static int write_one(int fd) {
    ++asked;
    return fails || write(fd, "mine\n", 5) != 5;
}
gasnett_backtrace_type_t gasnett_backtrace_user = {"MINE", write_one, 1};
/* What a backtrace writes, up to its first line's end; how often the client's way was asked. */
static int backtrace(int (*print)(int fd), const char* order, const char* first) {
    char text[1 << 16];
    int ends[2], code;
    ssize_t bytes;
    asked = 0;
    if (order)
        gasnett_setenv("GASNET_BACKTRACE_TYPE", order);
    else
        gasnett_unsetenv("GASNET_BACKTRACE_TYPE");
    CHECK(pipe(ends) == 0);
    code = print(ends[1]);
    close(ends[1]);
    bytes = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    text[bytes < 0 ? 0 : bytes] = 0;
    CHECK((code == 0) == (bytes > 0) && strstr(text, first));
    return asked;
}
static void check_backtraces(void) {
    CHECK(backtrace(gasnett_print_backtrace, NULL, "tools") == 0);
    CHECK(backtrace(gasnett_print_backtrace, "MINE", "mine\n") == 1);
    CHECK(backtrace(gasnett_print_backtrace, "NONE,MINE,EXECINFO", "mine\n") == 1);
    CHECK(backtrace(gasnett_print_backtrace, "EXECINFO,MINE", "tools") == 0);
    CHECK(backtrace(gasnett_print_backtrace, "NONE", "") == 0);
    fails = 1;
    CHECK(backtrace(gasnett_print_backtrace, "MINE,EXECINFO", "tools") == 1);
    CHECK(backtrace(gasnett_print_backtrace, "MINE", "") == 1);
    CHECK(backtrace(gasnett_print_backtrace_ifenabled, "EXECINFO", "") == 0);
    gasnett_setenv("GASNET_BACKTRACE", "1");
    CHECK(backtrace(gasnett_print_backtrace_ifenabled, "EXECINFO", "tools") == 0);
}

GASNETT_IDENT(isthmus_tools_ident, "tools");
GASNETT_THREADKEY_DEFINE(key);
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_atomic_t counter = gasnett_atomic_init(5);
static gasnett_strongatomic64_t wide = gasnett_strongatomic64_init(1);

#ifndef WITHOUT_GASNET
/* What is written is as long as was said, and no longer. */
static void check_words(void) {
    char said[1024];
    size_t bytes;
    const size_t counts[] = {11, 222};
    const ptrdiff_t to[] = {64, -4096}, from[] = {8, 16};
    const gex_Memvec_t pieces[] = {{(void*)0x1234, 56}, {(void*)-1, (size_t)-1}};
    void* const places[] = {(void*)0x1234, (void*)-1};

    CHECK(gasnett_format_dt(NULL, GEX_DT_U64) == sizeof "GEX_DT_U64");
    CHECK(gasnett_format_dt(said, GEX_DT_U64) == sizeof "GEX_DT_U64" &&
          strcmp(said, "GEX_DT_U64") == 0);
    gasnett_format_op(said, GEX_OP_FCAS | GEX_OP_ADD | (1U << 14));
    CHECK(strcmp(said, "GEX_OP_ADD|GEX_OP_FCAS|0x4000") == 0);
    bytes = gasnett_format_op(said, (gex_OP_t)-1);
    CHECK(bytes == strlen(said) + 1 && strstr(said, "|GEX_OP_GET|GEX_OP_USER|GEX_OP_USER_NC|0x"));
    CHECK(gasnett_format_ti(said, 0) == 4 && strcmp(said, "0x0") == 0);
    gasnett_format_ti(said, GEX_TI_ALL);
    CHECK(strcmp(said, "GEX_TI_SRCRANK|GEX_TI_EP|GEX_TI_ENTRY|GEX_TI_IS_REQ|GEX_TI_IS_LONG") == 0);

    gasnett_format_memveclist(said, 2, pieces);
    CHECK(strlen(said) < gasnett_format_memveclist_bufsz(2) &&
          strstr(said, "\n  0: 0x1234, 56 bytes\n"));
    CHECK(strstr(said, "\n  1: 0xffffffffffffffff, 18446744073709551615 bytes"));
    gasnett_format_addrlist(said, 2, places, 9);
    CHECK(strlen(said) < gasnett_format_addrlist_bufsz(2));
    CHECK(strcmp(said, "2 entries of 9 bytes\n  0: 0x1234\n  1: 0xffffffffffffffff") == 0);
    gasnett_format_putsgets(said, NULL, GEX_TM_INVALID, 3, places[0], to, places[1], from, 4,
                            counts, 2);
    CHECK(strlen(said) < gasnett_format_putsgets_bufsz(2) &&
          strstr(said, "rank 3: from 0xffffffffffffffff to 0x1234,"));
    CHECK(strstr(said, "\n  222 elements, 16 bytes apart at the source, -4096 at the destination"));
}
#endif

#define ATOMIC(N)                                                                    \
    do {                                                                             \
        gasnett_##N##_t a = gasnett_##N##_init(7);                                   \
        CHECK(gasnett_##N##_read(&a, GASNETT_ATOMIC_ACQ) == 7);                      \
        gasnett_##N##_set(&a, 1, GASNETT_ATOMIC_REL);                                \
        gasnett_##N##_increment(&a, GASNETT_ATOMIC_NONE);                            \
        CHECK(gasnett_##N##_add(&a, 3, GASNETT_ATOMIC_MB_PRE) == 5);                 \
        CHECK(gasnett_##N##_subtract(&a, 2, GASNETT_ATOMIC_MB_POST) == 3);           \
        CHECK(gasnett_##N##_swap(&a, 2, 0) == 3);                                    \
        CHECK(!gasnett_##N##_compare_and_swap(&a, 3, 9, 0));                         \
        CHECK(gasnett_##N##_compare_and_swap(&a, 2, 1, GASNETT_ATOMIC_ACQ_IF_TRUE)); \
        CHECK(gasnett_##N##_decrement_and_test(&a, GASNETT_ATOMIC_ACQ_IF_TRUE));     \
        gasnett_##N##_decrement(&a, 0);                                              \
        CHECK((gasnett_##N##_sval_t)gasnett_##N##_read(&a, 0) == -1);                \
    } while (0)

int main(void) {
    char text[32];
    uint64_t slept;
    ATOMIC(atomic);
    ATOMIC(atomic32);
    ATOMIC(atomic64);
    ATOMIC(strongatomic);
    ATOMIC(strongatomic32);
    ATOMIC(strongatomic64);
    CHECK(gasnett_atomic_read(&counter, 0) == 5 && gasnett_strongatomic64_read(&wide, 0) == 1);
    CHECK(gasnett_atomic_signed(GASNETT_ATOMIC_MAX) == -1);

    gasnett_mutex_lock(&mutex);
    gasnett_mutex_assertlocked(&mutex);
    gasnett_mutex_unlock(&mutex);
    CHECK(gasnett_mutex_trylock(&mutex) == 0);
    gasnett_mutex_unlock(&mutex);
    gasnett_threadkey_set(key, &mutex);
    CHECK(gasnett_threadkey_get(key) == (void*)&mutex);

    const gasnett_tick_t begin = gasnett_ticks_now();
    gasnett_sched_yield();
    gasnett_spinloop_hint();
    CHECK(gasnett_ticks_now() >= begin && gasnett_ticks_to_us(5000) == 5);
    CHECK(gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);
    CHECK(gasnett_gettimeofday_us() > 0);
    gasnett_local_mb();
    gasnett_local_rmb();
    gasnett_local_wmb();
    gasnett_compiler_fence();

    gasnett_setenv("ISTHMUS_TOOLS_TEST", "Yes");
    CHECK(gasnett_getenv_yesno_withdefault("ISTHMUS_TOOLS_TEST", 0) == 1);
    gasnett_setenv("ISTHMUS_TOOLS_TEST", "no");
    CHECK(gasnett_getenv_yesno_withdefault("ISTHMUS_TOOLS_TEST", 1) == 0);
    CHECK(gasnett_getenv_int_withdefault("ISTHMUS_TOOLS_TEST", 12, 0) == 12);
    gasnett_setenv("ISTHMUS_TOOLS_TEST", "3M");
    CHECK(gasnett_getenv_int_withdefault("ISTHMUS_TOOLS_TEST", 12, 1) == 3 << 20);
    gasnett_setenv("ISTHMUS_TOOLS_TEST", "2.5");
    CHECK(gasnett_getenv_dbl_withdefault("ISTHMUS_TOOLS_TEST", 0) == 2.5);
    gasnett_unsetenv("ISTHMUS_TOOLS_TEST");
    CHECK(!gasnett_getenv("ISTHMUS_TOOLS_TEST"));
    CHECK(strcmp(gasnett_getenv_withdefault("ISTHMUS_TOOLS_TEST", "x"), "x") == 0);
    CHECK(gasnett_parse_int("0x10", 0) == 16 && gasnett_parse_int("-7", 0) == -7);
    CHECK(gasnett_parse_int("1.5k", 1) == 1536 && gasnett_parse_int("4", 1024) == 4096);
    CHECK(gasnett_parse_int("9007199254740993", 0) == 9007199254740993);
    CHECK(strcmp(gasnett_format_number(3 << 20, text, sizeof text, 1), "3 MB") == 0);
    CHECK(strcmp(gasnett_format_number(-1000, text, sizeof text, 0), "-1000") == 0);
    gasnett_envint_display("ISTHMUS_TOOLS_TEST", 1, 1, 0);
    gasnett_envstr_display("ISTHMUS_TOOLS_TEST", "1", 1);
    gasnett_envdbl_display("ISTHMUS_TOOLS_TEST", 1, 1);

    CHECK(gasnett_gethostname()[0] && gasnett_cpu_count() > 0 && gasnett_getPhysMemSz(1) > 0);
    CHECK(gasnett_isLittleEndian() == 0 || gasnett_isLittleEndian() == 1);
    CHECK(*gasnett_performance_warning_str() == 0);
    gasnett_maximize_rlimits();
    char* const pages = gasnett_mmap(GASNETT_PAGESIZE);
    CHECK(gasnett_count0s(pages, GASNETT_PAGESIZE) == GASNETT_PAGESIZE);
    CHECK(gasnett_count0s_copy(pages, "ab\0c", 4) == 1 && pages[3] == 'c');
    CHECK(gasnett_count0s_uint32_t(0x00ff00ff) == 2 && gasnett_count0s_uint64_t(1) == 7);
    CHECK(gasnett_checksum("ab", 2) != gasnett_checksum("ba", 2));
    GASNETT_TRACE_PRINTF("%d", 1);
    GASNETT_TRACE_SETSOURCELINE(__FILE__, __LINE__);
    CHECK(gasnett_reghandler(SIGUSR1, SIG_IGN) == SIG_DFL);
    CHECK(gasnett_constant_p(3) && strstr(gasnett_current_loc, "tools.c:"));
    slept = gasnett_ticks_to_ns(gasnett_ticks_now());
    CHECK(gasnett_nsleep(2000000) == 0);
    CHECK(gasnett_ticks_to_ns(gasnett_ticks_now()) - slept >= 2000000);
    check_backtraces();
    CHECK(gasnett_set_affinity(0) != 0);
    CHECK(gasnett_exe_name()[0] != 0);
    CHECK(GASNET_RELEASE_VERSION_MAJOR == GASNETT_RELEASE_VERSION_MAJOR);
    CHECK(gasnett_release_version() == GASNETT_RELEASE_VERSION_MAJOR * (uint64_t)1000000 +
                                           GASNETT_RELEASE_VERSION_MINOR * 10000 +
                                           GASNETT_RELEASE_VERSION_PATCH);
    CHECK(strncmp(gasnett_release_version_str(), "20", 2) == 0);
    gasnett_assume(slept != 0);
    switch (GASNETT_RELEASE_VERSION_MAJOR) {
        case 2025: GASNETT_UNUSED_ARGS2(slept, text); GASNETT_FALLTHROUGH
        default: GASNETT_STATS_DUMP(0);
    }
#ifndef WITHOUT_GASNET
    check_words();
#endif
    gasnett_flush_streams();
    return isthmus_tools_ident[0] != 't';
}
