/* The extended API of GASNet: puts and gets that block, that have a handle (_nb), that are waited
 * for together (_nbi), of values, and memset. Part of gasnet.h.
 *
 * To PEs of this host they are loads and stores, done when the call returns, and a handle is
 * GASNET_INVALID_HANDLE. `dest` of a put and `src` of a get are addresses of the other PE, in its
 * segment; an operation outside of it ends the job with a message if the PE is on another host or
 * in checked mode (ISTHMUS_CHECK). `nbytes` may be 0. */
#ifndef ISTHMUS_GASNET_TRANSFER_H
#define ISTHMUS_GASNET_TRANSFER_H

#include <isthmus/gasnet_access.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* Where the window's test fails. */
void isthmus_gasnet_put(gasnet_node_t node, void* dest, const void* src, size_t nbytes);
void isthmus_gasnet_get(void* dest, gasnet_node_t node, const void* src, size_t nbytes);
void isthmus_gasnet_put_nbi(gasnet_node_t node, void* dest, const void* src, size_t nbytes);
/* Of 1, 2, 4 or 8 bytes, the first ones of `value`. */
void isthmus_gasnet_put_nbi_word(void* dest, uint64_t value, size_t nbytes, uint64_t node);
void isthmus_gasnet_put_nbi_bulk(gasnet_node_t node, void* dest, const void* src, size_t nbytes);
void isthmus_gasnet_get_nbi(void* dest, gasnet_node_t node, const void* src, size_t nbytes);
gasnet_handle_t isthmus_gasnet_put_nb(gasnet_node_t node, void* dest, const void* src,
                                      size_t nbytes);
gasnet_handle_t isthmus_gasnet_put_nb_bulk(gasnet_node_t node, void* dest, const void* src,
                                           size_t nbytes);
gasnet_handle_t isthmus_gasnet_get_nb(void* dest, gasnet_node_t node, const void* src,
                                      size_t nbytes);
gasnet_valget_handle_t isthmus_gasnet_get_nb_val(gasnet_node_t node, const void* src,
                                                 size_t nbytes);

#define ISTHMUS_GASNET_PUT(NAME, OTHERWISE)                                          \
    ISTHMUS_GASNET_INLINE void NAME(gasnet_node_t node, void* dest, const void* src, \
                                    size_t nbytes) {                                 \
        if (ISTHMUS_GASNET_REACHES(node))                                            \
            ISTHMUS_GASNET_COPY(ISTHMUS_WINDOW_ADDRESS(dest, (int)node), src);       \
        else                                                                         \
            OTHERWISE(node, dest, src, nbytes);                                      \
    }
ISTHMUS_GASNET_PUT(gasnet_put, isthmus_gasnet_put)
ISTHMUS_GASNET_PUT(gasnet_put_bulk, isthmus_gasnet_put)
/* A word whose length the compiler knows. */
#define ISTHMUS_GASNET_PUT_NBI(NODE, DEST, SRC, NBYTES)                           \
    do {                                                                          \
        if (__builtin_constant_p(NBYTES) &&                                       \
            ((NBYTES) == 1 || (NBYTES) == 2 || (NBYTES) == 4 || (NBYTES) == 8)) { \
            uint64_t isthmus_word = 0;                                            \
            __builtin_memcpy(&isthmus_word, SRC, NBYTES);                         \
            isthmus_gasnet_put_nbi_word(DEST, isthmus_word, NBYTES, NODE);        \
        } else {                                                                  \
            isthmus_gasnet_put_nbi(NODE, DEST, SRC, NBYTES);                      \
        }                                                                         \
    } while (0)
ISTHMUS_GASNET_PUT(gasnet_put_nbi, ISTHMUS_GASNET_PUT_NBI)
ISTHMUS_GASNET_PUT(gasnet_put_nbi_bulk, isthmus_gasnet_put_nbi_bulk)

#define ISTHMUS_GASNET_GET(NAME, OTHERWISE)                                          \
    ISTHMUS_GASNET_INLINE void NAME(void* dest, gasnet_node_t node, const void* src, \
                                    size_t nbytes) {                                 \
        if (ISTHMUS_GASNET_REACHES(node))                                            \
            ISTHMUS_GASNET_COPY(dest, ISTHMUS_WINDOW_ADDRESS(src, (int)node));       \
        else                                                                         \
            OTHERWISE(dest, node, src, nbytes);                                      \
    }
ISTHMUS_GASNET_GET(gasnet_get, isthmus_gasnet_get)
ISTHMUS_GASNET_GET(gasnet_get_bulk, isthmus_gasnet_get)
ISTHMUS_GASNET_GET(gasnet_get_nbi, isthmus_gasnet_get_nbi)
ISTHMUS_GASNET_GET(gasnet_get_nbi_bulk, isthmus_gasnet_get_nbi)

#define ISTHMUS_GASNET_PUT_NB(NAME, OTHERWISE)                                                  \
    ISTHMUS_GASNET_INLINE gasnet_handle_t NAME(gasnet_node_t node, void* dest, const void* src, \
                                               size_t nbytes) {                                 \
        if (!ISTHMUS_GASNET_REACHES(node)) return OTHERWISE(node, dest, src, nbytes);           \
        ISTHMUS_GASNET_COPY(ISTHMUS_WINDOW_ADDRESS(dest, (int)node), src);                      \
        return GASNET_INVALID_HANDLE;                                                           \
    }
ISTHMUS_GASNET_PUT_NB(gasnet_put_nb, isthmus_gasnet_put_nb)
ISTHMUS_GASNET_PUT_NB(gasnet_put_nb_bulk, isthmus_gasnet_put_nb_bulk)

#define ISTHMUS_GASNET_GET_NB(NAME)                                                               \
    ISTHMUS_GASNET_INLINE gasnet_handle_t NAME(void* dest, gasnet_node_t node, const void* src,   \
                                               size_t nbytes) {                                   \
        if (!ISTHMUS_GASNET_REACHES(node)) return isthmus_gasnet_get_nb(dest, node, src, nbytes); \
        ISTHMUS_GASNET_COPY(dest, ISTHMUS_WINDOW_ADDRESS(src, (int)node));                        \
        return GASNET_INVALID_HANDLE;                                                             \
    }
ISTHMUS_GASNET_GET_NB(gasnet_get_nb)
ISTHMUS_GASNET_GET_NB(gasnet_get_nb_bulk)

/* The low bytes of a value, 1 to 8; values that are got have zeros above them. */
ISTHMUS_GASNET_INLINE void gasnet_put_val(gasnet_node_t node, void* dest,
                                          gasnet_register_value_t value, size_t nbytes) {
    ISTHMUS_GASNET_REQUIRE_VALUE("gasnet_put_val");
    gasnet_put(node, dest, &value, nbytes);
}
ISTHMUS_GASNET_INLINE void gasnet_put_nbi_val(gasnet_node_t node, void* dest,
                                              gasnet_register_value_t value, size_t nbytes) {
    ISTHMUS_GASNET_REQUIRE_VALUE("gasnet_put_nbi_val");
    gasnet_put_nbi(node, dest, &value, nbytes);
}
ISTHMUS_GASNET_INLINE gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void* dest,
                                                        gasnet_register_value_t value,
                                                        size_t nbytes) {
    ISTHMUS_GASNET_REQUIRE_VALUE("gasnet_put_nb_val");
    return gasnet_put_nb(node, dest, &value, nbytes);
}
ISTHMUS_GASNET_INLINE gasnet_register_value_t gasnet_get_val(gasnet_node_t node, const void* src,
                                                             size_t nbytes) {
    gasnet_register_value_t value = 0;
    ISTHMUS_GASNET_REQUIRE_VALUE("gasnet_get_val");
    gasnet_get(&value, node, src, nbytes);
    return value;
}
ISTHMUS_GASNET_INLINE gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, const void* src,
                                                               size_t nbytes) {
    gasnet_valget_handle_t handle = {0, GASNET_INVALID_HANDLE};
    ISTHMUS_GASNET_REQUIRE_VALUE("gasnet_get_nb_val");
    if (!ISTHMUS_GASNET_REACHES(node)) return isthmus_gasnet_get_nb_val(node, src, nbytes);
    gasnet_get(&handle.value, node, src, nbytes);
    return handle;
}
/* Once for each. */
gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle);

void gasnet_memset(gasnet_node_t node, void* dest, int value, size_t nbytes);
void gasnet_memset_nbi(gasnet_node_t node, void* dest, int value, size_t nbytes);
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int value, size_t nbytes);

/* ---- waiting for operations with handles. try: GASNET_OK or GASNET_ERR_NOT_READY. All but
 * _nopoll poll; an invalid handle is complete. Entries of tables become GASNET_INVALID_HANDLE when
 * they are complete. */

ISTHMUS_GASNET_INLINE void gasnet_wait_syncnb(gasnet_handle_t handle) {
    if (handle != GASNET_INVALID_HANDLE) isthmus_gasnet_wait_syncnb(handle);
}
ISTHMUS_GASNET_INLINE int gasnet_try_syncnb_nopoll(gasnet_handle_t handle) {
    return handle == GASNET_INVALID_HANDLE ? GASNET_OK : isthmus_gasnet_try_syncnb(handle);
}
ISTHMUS_GASNET_INLINE int gasnet_try_syncnb(gasnet_handle_t handle) {
    if (handle == GASNET_INVALID_HANDLE) return GASNET_OK;
    gasnet_AMPoll();
    return isthmus_gasnet_try_syncnb(handle);
}
void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t count);
int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t count);
int gasnet_try_syncnb_all_nopoll(gasnet_handle_t* handles, size_t count);
/* At least one of the valid ones; none is valid: at once. */
void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t count);
int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t count);
int gasnet_try_syncnb_some_nopoll(gasnet_handle_t* handles, size_t count);

/* ---- and for those of this thread that have none, outside of access regions. */

void gasnet_wait_syncnbi_puts(void);
void gasnet_wait_syncnbi_gets(void);
void gasnet_wait_syncnbi_all(void);
int gasnet_try_syncnbi_puts(void);
int gasnet_try_syncnbi_gets(void);
int gasnet_try_syncnbi_all(void);

/* The operations without a handle between the two belong to the handle. Not nested. */
void gasnet_begin_nbi_accessregion(void);
gasnet_handle_t gasnet_end_nbi_accessregion(void);

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
