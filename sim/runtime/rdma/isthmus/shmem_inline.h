/* Nothing is inlined on the machine with the RDMA NIC: an operation takes some twenty instructions,
 * and the call is two of them. Only what needs no NIC is. */
#ifndef ISTHMUS_SHMEM_INLINE_H
#define ISTHMUS_SHMEM_INLINE_H

#if defined(__OPTIMIZE__) && defined(__GNUC__)
extern inline __attribute__((gnu_inline, always_inline)) int shmem_my_pe(void) {
    return (int)isthmus_window_me;
}
extern inline __attribute__((gnu_inline, always_inline)) int shmem_n_pes(void) {
    return (int)isthmus_window_pes;
}
#endif

#endif
