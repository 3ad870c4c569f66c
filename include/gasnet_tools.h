/* gasnet_tools.h of GASNet, specification 1.20 of the tools: what its clients take of the machine
 * and the compiler, for programs with gasnet.h (which then comes first) and without. The terms are
 * GASNet's. With threads (GASNET_PAR, GASNET_PARSYNC, or without gasnet.h GASNETT_THREAD_SAFE,
 * _REENTRANT or pthread.h) locks are locks; else they are nothing. Traces, statistics and the
 * debugging allocator are nothing. With GASNETT_LITE_MODE macros and types alone are to be used,
 * which need no library. */
#ifndef ISTHMUS_GASNET_TOOLS_H
#define ISTHMUS_GASNET_TOOLS_H
#define _GASNET_TOOLS_H

/* Variadic macros and empty arguments of macros are extensions of C++98. */
#if defined(__cplusplus) && __cplusplus < 201103L
#pragma GCC system_header
#endif

#include <errno.h>
#include <inttypes.h>
#include <isthmus/casts.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <isthmus/gasnet_names.h>
#include <isthmus/gasnett_atomic.h>

/* ---- version and system */

#define GASNETT_SPEC_VERSION_MAJOR    1
#define GASNETT_SPEC_VERSION_MINOR    20
#define GASNETT_RELEASE_VERSION_MAJOR 2025
#define GASNETT_RELEASE_VERSION_MINOR 8
#define GASNETT_RELEASE_VERSION_PATCH 0
/* The same words as in gasnet_fwd.h: both may be included, in any order. */
#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#define GASNETT_CONFIG_STRING        "RELEASE=2025.8.0,SPEC=1.20,ISTHMUS,PTR=64bit"
#define GASNETT_CONFIGURE_MISMATCH   0
#define GASNETT_USING_GETTIMEOFDAY   0
#define GASNETT_PAGESIZE             4096
#define GASNETT_PAGESHIFT            12
#define GASNETT_CACHE_LINE_BYTES     64
#define GASNETT_SYSTEM_TUPLE         "linux"
#define GASNETT_MAX_THREADS          256

#if defined(GASNET_PAR) || defined(GASNET_PARSYNC)
#define ISTHMUS_GASNETT_THREADS 1
#elif defined(GASNET_SEQ)
#define ISTHMUS_GASNETT_THREADS 0
#elif defined(GASNETT_THREAD_SAFE) || defined(_REENTRANT) || defined(_PTHREAD_H)
#define ISTHMUS_GASNETT_THREADS 1
#else
#define ISTHMUS_GASNETT_THREADS 0
#endif
#if ISTHMUS_GASNETT_THREADS
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#ifndef HAVE_PTHREAD_H
#define HAVE_PTHREAD_H 1
#endif
#endif
#if !ISTHMUS_GASNETT_THREADS
#undef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#endif
#if ISTHMUS_GASNETT_THREADS || defined(GASNETT_USE_TRUE_MUTEXES)
#include <pthread.h>
#endif

/* ---- annotations */

#if defined(__has_attribute)
#if __has_attribute(__fallthrough__)
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#endif
#endif
#ifndef GASNETT_FALLTHROUGH
#define GASNETT_FALLTHROUGH
#endif
#define GASNETT_UNUSED_ARGS1(a)          ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b)       ((void)(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c)    ((void)(a), (void)(b), (void)(c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#define gasnett_unreachable()            __builtin_unreachable()
#define gasnett_assume(c)                ((c) ? (void)0 : __builtin_unreachable())

#define GASNETT_INLINE(f)                    static __inline__
#define GASNETT_ALWAYS_INLINE(f)             static __inline__ __attribute__((__always_inline__))
#define GASNETT_PLEASE_INLINE(f)             static __inline__
#define GASNETT_NEVER_INLINE(f, declaration) __attribute__((__noinline__)) declaration
#ifdef __cplusplus
#define GASNETT_RESTRICT         __restrict__
#define GASNETT_BEGIN_EXTERNC    extern "C" {
#define GASNETT_END_EXTERNC      }
#define GASNETT_EXTERNC          extern "C"
#define GASNETT_TENTATIVE_EXTERN extern "C"
#else
#define GASNETT_RESTRICT __restrict__
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#define GASNETT_EXTERNC
#define GASNETT_TENTATIVE_EXTERN
#endif
#define GASNETT_FORMAT_PRINTF(f, format, first, declaration) \
    __attribute__((__format__(__printf__, format, first))) declaration
#define GASNETT_FORMAT_PRINTF_FUNCPTR(f, format, first, declaration) declaration
#define GASNETT_NORETURN                                             __attribute__((__noreturn__))
#define GASNETT_NORETURNP(f)
#define GASNETT_MALLOC __attribute__((__malloc__))
#define GASNETT_MALLOCP(f)
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_PUREP(f)
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_CONSTP(f)
#define GASNETT_HOT                __attribute__((__hot__))
#define GASNETT_COLD               __attribute__((__cold__))
#define GASNETT_DEPRECATED         __attribute__((__deprecated__))
#define GASNETT_USED               __attribute__((__used__))
#define GASNETT_UNUSED             __attribute__((__unused__))
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETT_PREDICT_TRUE(e)    __builtin_expect(!!(e), 1)
#define GASNETT_PREDICT_FALSE(e)   __builtin_expect(!!(e), 0)
#define GASNETT_CURRENT_FUNCTION   __func__
#define GASNETT_IDENT(name, text) \
    extern char name[];           \
    char name[] = "" text
#define gasnett_constant_p(e)      __builtin_constant_p(e)
#define ISTHMUS_GASNETT_STRING_(x) #x
#define ISTHMUS_GASNETT_STRING(x)  ISTHMUS_GASNETT_STRING_(x)
#define gasnett_current_loc        (__FILE__ ":" ISTHMUS_GASNETT_STRING(__LINE__))

GASNETT_BEGIN_EXTERNC
#include <isthmus/warnings_away.inc>

/* ---- ticks: nanoseconds of the monotonic clock */

typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ISTHMUS_CAST(gasnett_tick_t, 0)
#define GASNETT_TICK_MAX ISTHMUS_CAST(gasnett_tick_t, -1)
/* Strict C (-std=c99 without _GNU_SOURCE or the like) declares neither this clock nor locks of
 * readers. */
#ifdef CLOCK_MONOTONIC
static __inline__ gasnett_tick_t gasnett_ticks_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (gasnett_tick_t)now.tv_sec * 1000000000u + (gasnett_tick_t)now.tv_nsec;
}
#else
uint64_t isthmus_gasnett_ticks_now(void);
#define gasnett_ticks_now() isthmus_gasnett_ticks_now()
#endif
#define gasnett_ticks_to_us(t) (ISTHMUS_CAST(uint64_t, t) / 1000u)
#define gasnett_ticks_to_ns(t) ISTHMUS_CAST(uint64_t, t)
double gasnett_tick_granularityus(void);
double gasnett_tick_overheadus(void);
int64_t gasnett_gettimeofday_us(void);

/* ---- locks */

#if ISTHMUS_GASNETT_THREADS || defined(GASNETT_USE_TRUE_MUTEXES)
typedef pthread_mutex_t gasnett_mutex_t;
#define GASNETT_MUTEX_INITIALIZER          PTHREAD_MUTEX_INITIALIZER
#define gasnett_mutex_init(m)              ((void)pthread_mutex_init(m, NULL))
#define gasnett_mutex_destroy(m)           ((void)pthread_mutex_destroy(m))
#define gasnett_mutex_destroy_ignoreerr(m) ((void)pthread_mutex_destroy(m))
#define gasnett_mutex_lock(m)              ((void)pthread_mutex_lock(m))
#define gasnett_mutex_unlock(m)            ((void)pthread_mutex_unlock(m))
#define gasnett_mutex_trylock(m)           (pthread_mutex_trylock(m))
typedef pthread_cond_t gasnett_cond_t;
#define GASNETT_COND_INITIALIZER  PTHREAD_COND_INITIALIZER
#define gasnett_cond_init(c)      ((void)pthread_cond_init(c, NULL))
#define gasnett_cond_destroy(c)   ((void)pthread_cond_destroy(c))
#define gasnett_cond_wait(c, m)   ((void)pthread_cond_wait(c, m))
#define gasnett_cond_signal(c)    ((void)pthread_cond_signal(c))
#define gasnett_cond_broadcast(c) ((void)pthread_cond_broadcast(c))
#ifdef PTHREAD_RWLOCK_INITIALIZER
typedef pthread_rwlock_t gasnett_rwlock_t;
#define GASNETT_RWLOCK_INITIALIZER  PTHREAD_RWLOCK_INITIALIZER
#define gasnett_rwlock_init(l)      ((void)pthread_rwlock_init(l, NULL))
#define gasnett_rwlock_destroy(l)   ((void)pthread_rwlock_destroy(l))
#define gasnett_rwlock_rdlock(l)    ((void)pthread_rwlock_rdlock(l))
#define gasnett_rwlock_wrlock(l)    ((void)pthread_rwlock_wrlock(l))
#define gasnett_rwlock_tryrdlock(l) (pthread_rwlock_tryrdlock(l))
#define gasnett_rwlock_trywrlock(l) (pthread_rwlock_trywrlock(l))
#define gasnett_rwlock_unlock(l)    ((void)pthread_rwlock_unlock(l))
#endif
#else
typedef char gasnett_mutex_t;
#define GASNETT_MUTEX_INITIALIZER          0
#define gasnett_mutex_init(m)              ((void)(m))
#define gasnett_mutex_destroy(m)           ((void)(m))
#define gasnett_mutex_destroy_ignoreerr(m) ((void)(m))
#define gasnett_mutex_lock(m)              ((void)(m))
#define gasnett_mutex_unlock(m)            ((void)(m))
#define gasnett_mutex_trylock(m)           ((void)(m), 0)
typedef char gasnett_cond_t;
#define GASNETT_COND_INITIALIZER           0
#define gasnett_cond_init(c)               ((void)(c))
#define gasnett_cond_destroy(c)            ((void)(c))
#define gasnett_cond_wait(c, m)            ((void)(c), (void)(m))
#define gasnett_cond_signal(c)             ((void)(c))
#define gasnett_cond_broadcast(c)          ((void)(c))
typedef char gasnett_rwlock_t;
#define GASNETT_RWLOCK_INITIALIZER         0
#define gasnett_rwlock_init(l)             ((void)(l))
#define gasnett_rwlock_destroy(l)          ((void)(l))
#define gasnett_rwlock_rdlock(l)           ((void)(l))
#define gasnett_rwlock_wrlock(l)           ((void)(l))
#define gasnett_rwlock_tryrdlock(l)        ((void)(l), 0)
#define gasnett_rwlock_trywrlock(l)        ((void)(l), 0)
#define gasnett_rwlock_unlock(l)           ((void)(l))
#endif
#define gasnett_mutex_assertlocked(m)    ((void)(m))
#define gasnett_mutex_assertunlocked(m)  ((void)(m))
#define gasnett_rwlock_assertlocked(l)   ((void)(l))
#define gasnett_rwlock_assertrdlocked(l) ((void)(l))
#define gasnett_rwlock_assertwrlocked(l) ((void)(l))
#define gasnett_rwlock_assertunlocked(l) ((void)(l))

/* ---- values of threads */

#if ISTHMUS_GASNETT_THREADS
#define GASNETT_THREADKEY_DEFINE(key)  __thread void* key
#define GASNETT_THREADKEY_DECLARE(key) extern __thread void* key
#else
#define GASNETT_THREADKEY_DEFINE(key)  void* key
#define GASNETT_THREADKEY_DECLARE(key) extern void* key
#endif
#define gasnett_threadkey_init(key)              ((void)(key))
#define gasnett_threadkey_get(key)               (key)
#define gasnett_threadkey_set(key, value)        ((void)((key) = (void*)(value)))
#define gasnett_threadkey_get_noinit(key)        (key)
#define gasnett_threadkey_set_noinit(key, value) gasnett_threadkey_set(key, value)

/* ---- environment. A value that is no number, or neither yes nor no, is the default's. */

char* gasnett_getenv(const char* name);
const char* gasnett_getenv_withdefault(const char* name, const char* otherwise);
int gasnett_getenv_yesno_withdefault(const char* name, int otherwise);
/* With k, M, G, T where mem_multiplier is not 0, which is what a number without one is counted in.
 */
int64_t gasnett_getenv_int_withdefault(const char* name, int64_t otherwise,
                                       uint64_t mem_multiplier);
double gasnett_getenv_dbl_withdefault(const char* name, double otherwise);
int64_t gasnett_parse_int(const char* text, uint64_t mem_multiplier);
char* gasnett_format_number(int64_t number, char* text, size_t size, int is_memory);
/* Whether GASNET_VERBOSEENV asks for the following three to print. */
int gasnett_verboseenv(void);
void gasnett_envint_display(const char* name, int64_t value, int is_default, int is_memory);
void gasnett_envstr_display(const char* name, const char* value, int is_default);
void gasnett_envdbl_display(const char* name, double value, int is_default);
#define gasnett_setenv(name, value) ((void)setenv(name, value, 1))
#define gasnett_unsetenv(name)      ((void)unsetenv(name))

/* ---- process */

const char* gasnett_gethostname(void);
int gasnett_cpu_count(void);
uint64_t gasnett_getPhysMemSz(int fail_if_unknown);
int gasnett_isLittleEndian(void);
/* The launcher binds: 1, for nothing is done. */
static __inline__ int gasnett_set_affinity(int rank) {
    (void)rank;
    return 1;
}
#define gasnett_sched_yield() ((void)sched_yield())
static __inline__ void gasnett_spinloop_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
    __asm__ __volatile__("pause" ::: "memory");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}
void gasnett_flush_streams(void);
void gasnett_close_streams(void);
/* Prints the sentence and aborts. */
void gasnett_fatalerror(const char* format, ...)
    __attribute__((__noreturn__, __format__(__printf__, 1, 2)));
#define gasnett_fatalerror_nopos(...) gasnett_fatalerror(__VA_ARGS__)
void gasnett_killmyprocess(int code) __attribute__((__noreturn__));
typedef void (*gasnett_sighandlerfn_t)(int);
static __inline__ gasnett_sighandlerfn_t gasnett_reghandler(int signal_number,
                                                            gasnett_sighandlerfn_t handler) {
    return signal(signal_number, handler);
}
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int resource, const char* name);
/* Sleeps so long; 0. */
int gasnett_nsleep(uint64_t nanoseconds);
/* The program's file. */
const char* gasnett_exe_name(void);
/* "2025.8.0", and as one number: year, month and patch of 4, 2 and 4 digits. */
const char* gasnett_release_version_str(void);
uint64_t gasnett_release_version(void);
/* Zeroed pages; ends the process without. */
void* gasnett_mmap(uintptr_t size);
const char* gasnett_performance_warning_str(void);

/* ---- debugging */

typedef struct {
    const char* name;
    int (*fnp)(int fd); /* 0: it has written the calling thread's backtrace */
    int threadsupport;
} gasnett_backtrace_type_t;
/* Defined by a client that has a way of its own; its name may then be in GASNET_BACKTRACE_TYPE. */
extern gasnett_backtrace_type_t gasnett_backtrace_user;
#define gasnett_backtrace_init(program) ((void)(program))
/* By the ways that GASNET_BACKTRACE_TYPE lists, until one succeeds: EXECINFO, which is the C
 * library's, and the client's; in this order if it is not set. 0: it is written. */
int gasnett_print_backtrace(int fd);
/* The same if GASNET_BACKTRACE is set to yes. A client may set it to another function. */
extern int (*gasnett_print_backtrace_ifenabled)(int fd);
#define gasnett_freezeForDebuggerNow(flag, name) ((void)(flag), (void)(name))
#define gasnett_freezeForDebuggerErr()           ((void)0)

/* ---- bytes */

uint64_t gasnett_checksum(const void* bytes, int count);
size_t gasnett_count0s(const void* source, size_t bytes);
size_t gasnett_count0s_copy(void* dest, const void* source, size_t bytes);
static __inline__ int gasnett_count0s_uint64_t(uint64_t word) {
    return (int)gasnett_count0s(&word, sizeof word);
}
static __inline__ int gasnett_count0s_uint32_t(uint32_t word) {
    return (int)gasnett_count0s(&word, sizeof word);
}
#define gasnett_count0s_uintptr_t(word) gasnett_count0s_uint64_t(word)

/* ---- traces and statistics: nothing */

#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)0)
#define GASNETT_TRACE_GETSOURCELINE(file, line) ((void)0)
#define GASNETT_TRACE_FREEZESOURCELINE()        ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE()      ((void)0)
#define GASNETT_TRACE_PRINTF(...)               ((void)0)
#define GASNETT_TRACE_PRINTF_FORCE(...)         ((void)0)
#define GASNETT_TRACE_ENABLED                   0
#define GASNETT_TRACE_GETMASK()                 ""
#define GASNETT_TRACE_SETMASK(mask)             ((void)0)
#define GASNETT_TRACE_GET_TRACELOCAL()          0
#define GASNETT_TRACE_SET_TRACELOCAL(value)     ((void)0)
#define GASNETT_STATS_DUMP(reset)               ((void)0)
#define GASNETT_STATS_PRINTF(...)               ((void)0)
#define GASNETT_STATS_INIT(callback)            ((void)0)
#define GASNETT_STATS_GETMASK()                 ""
#define GASNETT_STATS_SETMASK(mask)             ((void)0)

/* ---- behind gasnetex.h or gasnet.h: words for values of theirs. The first three return how many
 * bytes the text takes, with its end, and write it if `text` is not null; _bufsz says how many
 * those of lists may take. */

#ifdef ISTHMUS_GASNETEX_H
size_t gasnett_format_dt(char* text, gex_DT_t type);
size_t gasnett_format_op(char* text, gex_OP_t operation);
size_t gasnett_format_ti(char* text, gex_TI_t mask);
size_t gasnett_format_memveclist_bufsz(size_t count);
void gasnett_format_memveclist(char* text, size_t count, gex_Memvec_t const* list);
size_t gasnett_format_addrlist_bufsz(size_t count);
void gasnett_format_addrlist(char* text, size_t count, void* const* list, size_t length);
size_t gasnett_format_putsgets_bufsz(size_t levels);
/* `statistics` is not used. */
void gasnett_format_putsgets(char* text, void* statistics, gex_TM_t team, gex_Rank_t rank, void* to,
                             const ptrdiff_t* to_strides, const void* from,
                             const ptrdiff_t* from_strides, size_t element, const size_t* count,
                             size_t levels);
#endif

#include <isthmus/warnings_back.inc>
GASNETT_END_EXTERNC
#endif
