/* Which threads of a program call GASNet: exactly one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR
 * is defined by the program. Each object refers to a symbol of its mode, which the library of that
 * mode alone has; so objects of two modes are not linked into one program. */
#ifndef ISTHMUS_GASNET_MODE_H
#define ISTHMUS_GASNET_MODE_H

#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) != 1
#error \
    "define exactly one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR before gasnet.h or gasnetex.h"
#endif

#if defined(GASNET_SEQ)
#undef GASNET_SEQ
#define GASNET_SEQ                 1
#define ISTHMUS_GASNET_MODE        0
#define ISTHMUS_GASNET_MODE_STR    "SEQ"
#define ISTHMUS_GASNET_MODE_SYMBOL isthmus_gasnet_mode_is_seq
#elif defined(GASNET_PARSYNC)
#undef GASNET_PARSYNC
#define GASNET_PARSYNC             1
#define ISTHMUS_GASNET_MODE        2
#define ISTHMUS_GASNET_MODE_STR    "PARSYNC"
#define ISTHMUS_GASNET_MODE_SYMBOL isthmus_gasnet_mode_is_parsync
#else
#undef GASNET_PAR
#define GASNET_PAR                 1
#define ISTHMUS_GASNET_MODE        3
#define ISTHMUS_GASNET_MODE_STR    "PAR"
#define ISTHMUS_GASNET_MODE_SYMBOL isthmus_gasnet_mode_is_par
#endif

/* Whether the program's own checks are on; the library is the same (ISTHMUS_CHECK=1). */
#if defined(GASNET_DEBUG)
#undef GASNET_DEBUG
#undef GASNET_NDEBUG
#define GASNET_DEBUG 1
#else
#undef GASNET_NDEBUG
#define GASNET_NDEBUG 1
#endif

/* A call that tells the library its mode, and refers to the symbol. */
#ifndef ISTHMUS_GASNET_LIBRARY
#ifdef __cplusplus
extern "C" {
#endif
extern const char ISTHMUS_GASNET_MODE_SYMBOL;
static const char* const isthmus_gasnet_mode __attribute__((__used__)) =
    &ISTHMUS_GASNET_MODE_SYMBOL;
#ifdef __cplusplus
}
#endif
#define ISTHMUS_GASNET_WITH_MODE(CALL) ((void)isthmus_gasnet_mode, CALL)
#else
#define ISTHMUS_GASNET_WITH_MODE(CALL) CALL
#endif

#endif
