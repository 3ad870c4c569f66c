/* What the puts and gets of gasnet.h and gasnetex.h are made of. */
#ifndef ISTHMUS_GASNET_ACCESS_H
#define ISTHMUS_GASNET_ACCESS_H

#ifdef __cplusplus
extern "C" {
#endif

#define ISTHMUS_GASNET_INLINE        static __inline__ __attribute__((__always_inline__, __unused__))
#define ISTHMUS_GASNET_REACHES(node) __builtin_expect(ISTHMUS_WINDOW_REACHES((int)(node)), 1)

/* Of few bytes, known to the compiler: moved in place, and not across other accesses. */
#define ISTHMUS_GASNET_COPY(TO, FROM)                          \
    do {                                                       \
        if (__builtin_constant_p(nbytes) && nbytes - 1 < 64) { \
            __asm__ __volatile__("" ::: "memory");             \
            __builtin_memcpy(TO, FROM, nbytes);                \
            __asm__ __volatile__("" ::: "memory");             \
        } else {                                               \
            isthmus_window.copy(TO, FROM, nbytes);             \
        }                                                      \
    } while (0)

/* Ends the job if a value has more bytes than the type; nothing where the compiler knows. */
void isthmus_gasnet_refuse_value(size_t nbytes, const char* routine)
    __attribute__((__noreturn__, __cold__));
#define ISTHMUS_GASNET_REQUIRE_VALUE(ROUTINE)                                              \
    do {                                                                                   \
        if (__builtin_expect(nbytes > 8, 0)) isthmus_gasnet_refuse_value(nbytes, ROUTINE); \
    } while (0)

/* Of one event, or handle. wait: polls; try: does not, GASNET_OK or GASNET_ERR_NOT_READY. */
void isthmus_gasnet_wait_syncnb(gex_Event_t handle);
int isthmus_gasnet_try_syncnb(gex_Event_t handle);
void isthmus_gasnet_wait_handle(gex_Event_t event);
int isthmus_gasnet_try_handle(gex_Event_t event);

#ifdef __cplusplus
}
#endif
#endif
