/* OpenSHMEM 1.6 for C and C++, by Isthmus.
 *
 * Every routine exists three times: as the symbol shmem_NAME, as pshmem_NAME (profiling interface,
 * chapter 10 of the standard) and, for the short ones, inlined: if the target PE is on this host,
 * a put is a few instructions and a store. Define ISTHMUS_NO_INLINE before including this file (or
 * compile with `oshcc -profile`) to have every call go through the symbol, so that a tool can
 * stand in between.
 *
 * Addresses: `dest` of a put and an atomic, `source` of a get, and every operand of a collective
 * are symmetric: in the symmetric heap, or static or global variables of the executable and of the
 * shared libraries that are loaded with it. Zero elements is always valid and does nothing, though
 * the PE must exist.
 * Errors: a wrong argument ends the job with one line on standard error that says what was wrong
 * (docs/errors.md); routines that the standard gives a status return non-zero instead.
 * Threads: every routine may be called by several threads at once under SHMEM_THREAD_MULTIPLE;
 * collectives on one team must not run concurrently with each other.
 * Not done: Fortran; variables of libraries that are loaded later, by dlopen (told by name). */
#ifndef ISTHMUS_SHMEM_H
#define ISTHMUS_SHMEM_H

/* long long, complex types and variadic macros are extensions of C89 and C++98. */
#if defined(__cplusplus) ? __cplusplus < 201103L \
                         : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#pragma GCC system_header
#endif

/* Programs that ask which implementation this is, in order to know what it has (the Python binding
 * shmem4py is one), read these two from Sandia OpenSHMEM as "all of OpenSHMEM 1.5". So it is here. */
#ifndef SHMEM_DEF_H
#define SHMEM_DEF_H
#endif
#ifndef SHMEM_FUNCTION_ATTRIBUTES
#define SHMEM_FUNCTION_ATTRIBUTES
#endif

#include <isthmus/macros_away.inc>
#include <isthmus/shmem_table.h>
#include <isthmus/shmem_types.h>
#include <isthmus/window.h>

#ifdef __cplusplus
extern "C" {
#endif
#define ISTHMUS_NORETURN __attribute__((__noreturn__)) /* C99 has no word for it */

#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) \
    R shmem_##NAME PARAMETERS;                        \
    R pshmem_##NAME PARAMETERS;
#include <isthmus/shmem_routines.inc>

/* 9.1.6: ends the whole job; the launcher returns `status`. Any PE, at any time. */
ISTHMUS_NORETURN void shmem_global_exit(int status);
ISTHMUS_NORETURN void pshmem_global_exit(int status);
/* 10.1: 0 stops the profiling library's counting, 1 starts it, 2 also flushes; no effect without it. */
void shmem_pcontrol(int level, ...);
void pshmem_pcontrol(int level, ...);

/* Names from before 1.2, deprecated. start_pes ignores its argument. */
void start_pes(int npes);
#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic push
#if __has_warning("-Wreserved-identifier")
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
#endif
int _my_pe(void);
int _num_pes(void);
#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic pop
#endif
/* In C these two are macros that need their parentheses: `my_pe` and `num_pes` are what programs call
 * their variables. */
#ifdef __cplusplus
int my_pe(void);
int num_pes(void);
#else
#define my_pe() shmem_my_pe()
#define num_pes() shmem_n_pes()
#endif
void* shmalloc(size_t size);
void shfree(void* ptr);
void* shrealloc(void* ptr, size_t size);
void* shmemalign(size_t alignment, size_t size);

#ifdef __cplusplus
}
#endif

#ifndef ISTHMUS_NO_INLINE
#include <isthmus/shmem_inline.h>
#endif
#ifdef __cplusplus
#include <isthmus/shmem_overloads.h>
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include <isthmus/shmem_generic.h>
#endif
#include <isthmus/macros_back.inc>

#endif
