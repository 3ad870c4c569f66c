/* Names that clients of GASNet use though no specification has them. Part of gasnetex.h
 * and gasnet_tools.h. */
#ifndef ISTHMUS_GASNET_NAMES_H
#define ISTHMUS_GASNET_NAMES_H

#ifndef _STRINGIFY
#define _STRINGIFY_HELPER(x) #x
#define _STRINGIFY(x)        _STRINGIFY_HELPER(x)
#endif
#ifndef _CONCAT
#define _CONCAT_HELPER(a, b) a##b
#define _CONCAT(a, b)        _CONCAT_HELPER(a, b)
#endif
#ifndef if_pf
#define if_pf(c) if (__builtin_expect(!!(c), 0))
#define if_pt(c) if (__builtin_expect(!!(c), 1))
#endif
#ifndef SIZEOF_INT
#define SIZEOF_INT 4
#endif
#ifndef HAVE_MMAP
#define HAVE_MMAP 1
#endif
#if defined(ISTHMUS_GASNETEX_H) && !GASNET_SEQ && !defined(HAVE_PTHREAD_H)
#define HAVE_PTHREAD_H 1
#endif
/* Compiler, processor and system, as GASNet's gasnet_portable_platform.h names them. */
#ifndef PLATFORM_ARCH_64
#define PLATFORM_ARCH_64            1
#define PLATFORM_ARCH_LITTLE_ENDIAN 1
#define PLATFORM_OS_LINUX           1
#if defined(__x86_64__)
#define PLATFORM_ARCH_X86_64 1
#elif defined(__aarch64__)
#define PLATFORM_ARCH_AARCH64 1
#endif
#endif
/* The mpi.h of Open MPI 4 has an old form of these names: the whole of it, or nothing where there
 * is a PLATFORM_COMPILER_FAMILYID. */
#ifndef PLATFORM_COMPILER_FAMILYNAME
#define PLATFORM_COMPILER_VERSION_INT(major, minor, patch) \
    (((major) << 16) | ((minor) << 8) | (patch))
#if defined(__clang__)
#define PLATFORM_COMPILER_FAMILYNAME Clang
#define PLATFORM_COMPILER_FAMILYID   19
#define PLATFORM_COMPILER_CLANG      1
#define PLATFORM_COMPILER_VERSION \
    PLATFORM_COMPILER_VERSION_INT(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define PLATFORM_COMPILER_FAMILYNAME GNU
#define PLATFORM_COMPILER_FAMILYID   1
#define PLATFORM_COMPILER_GNU        1
#define PLATFORM_COMPILER_VERSION \
    PLATFORM_COMPILER_VERSION_INT(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif
#define PLATFORM_COMPILER_VERSION_STR __VERSION__
#endif
#ifndef PLATFORM_COMPILER_VERSION_GT
#define PLATFORM_COMPILER_VERSION_GT(major, minor, patch) \
    (PLATFORM_COMPILER_VERSION > PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_GE(major, minor, patch) \
    (PLATFORM_COMPILER_VERSION >= PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_EQ(major, minor, patch) \
    (PLATFORM_COMPILER_VERSION == PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_LE(major, minor, patch) \
    (PLATFORM_COMPILER_VERSION <= PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_LT(major, minor, patch) \
    (PLATFORM_COMPILER_VERSION < PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#endif
#ifndef PLATFORM_COMPILER_IDSTR
#define PLATFORM_COMPILER_IDSTR "|COMPILER_VERSION:" __VERSION__ "|"
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef PRIuSZ
#define PRIuSZ "zu"
#endif

/* Functions of GASNet's headers whose addresses clients take, so that they are used. */
static __inline__ __attribute__((__unused__)) void _gasneti_threadkey_init(void* key) {
    (void)key;
}
static __inline__ __attribute__((__unused__)) void _gasnett_trace_printf_noop(const char* format,
                                                                              ...) {
    (void)format;
}

#endif
