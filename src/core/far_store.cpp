// Up to the network's call 9 instructions: what is needed behind it is pushed. By hand on x86-64,
// as a compiler makes room for a frame by one instruction more; not under sanitizers, which want to
// see each access.
#include "core/far_store.hpp"

#include <cstddef>

#include "core/far.hpp"
#include "core/job.hpp"
#include "isthmus/symmetric.h"
#include "isthmus/window.h"

namespace isthmus::far {

void store32_by_address(std::uintptr_t, std::uint32_t value, std::uintptr_t, std::uint64_t pe,
                        std::uintptr_t offset) {
    isthmus_symmetric_store32(reinterpret_cast<std::uint32_t*>(isthmus_window.heap + offset), value,
                              static_cast<int>(pe));
}
void store64_by_address(std::uintptr_t, std::uint64_t value, std::uintptr_t, std::uint64_t pe,
                        std::uintptr_t offset) {
    isthmus_symmetric_store64(reinterpret_cast<std::uint64_t*>(isthmus_window.heap + offset), value,
                              static_cast<int>(pe));
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// The offsets that the text below has.
static_assert(offsetof(Express, heap) == 0);
static_assert(offsetof(Express, road) + offsetof(transport::Express, inject) == 16 &&
              offsetof(Express, road) + offsetof(transport::Express, endpoint) == 24 &&
              offsetof(Express, road) + offsetof(transport::Express, keys) == 40 &&
              offsetof(Express, road) + offsetof(transport::Express, written) == 48);
static_assert(sizeof(*transport::Express::keys) == 8 && sizeof(*transport::Express::written) == 1);

// Value in rsi, PE in rcx, offset in r8. The network's call takes endpoint, source, bytes, PE,
// offset and key. The key's look-up faults for a PE that there is not. The mark's byte is read with
// relaxed order, as mark_written() does.
#define STORE_BY_EXPRESS(NAME, T, BYTES)                                               \
    __attribute__((naked)) void NAME(std::uintptr_t, T, std::uintptr_t, std::uint64_t, \
                                     std::uintptr_t) {                                 \
        __asm__(                                                                       \
            "pushq %%r8\n.cfi_adjust_cfa_offset 8\n"                                   \
            "pushq %%rcx\n.cfi_adjust_cfa_offset 8\n"                                  \
            "pushq %%rsi\n.cfi_adjust_cfa_offset 8\n"                                  \
            "movq %%rsp, %%rsi\n"                                                      \
            "movl $" #BYTES                                                            \
            ", %%edx\n"                                                                \
            "movq _ZN7isthmus3far7expressE+40(%%rip), %%rax\n"                         \
            "movq (%%rax,%%rcx,8), %%r9\n"                                             \
            "movq _ZN7isthmus3far7expressE+24(%%rip), %%rdi\n"                         \
            "call *_ZN7isthmus3far7expressE+16(%%rip)\n"                               \
            "testq %%rax, %%rax\n"                                                     \
            "jne 2f\n"                                                                 \
            "1: movq 8(%%rsp), %%rdi\n"                                                \
            "movq _ZN7isthmus3far7expressE+48(%%rip), %%rdx\n"                         \
            "addq $24, %%rsp\n.cfi_adjust_cfa_offset -24\n"                            \
            "cmpb $0, (%%rdx,%%rdi)\n"                                                 \
            "je _ZN7isthmus3far12note_writtenEi\n"                                     \
            "ret\n"                                                                    \
            ".cfi_adjust_cfa_offset 24\n"                                              \
            "2: movq 16(%%rsp), %%rdi\n"                                               \
            "addq _ZN7isthmus3far7expressE(%%rip), %%rdi\n"                            \
            "movq %%rsp, %%rsi\n"                                                      \
            "movl $" #BYTES                                                            \
            ", %%edx\n"                                                                \
            "movl 8(%%rsp), %%ecx\n"                                                   \
            "call _ZN7isthmus3far9put_againEPKvS2_mi\n"                                \
            "jmp 1b\n"                                                                 \
            ".cfi_adjust_cfa_offset -24\n" ::);                                        \
    }
STORE_BY_EXPRESS(store32_by_express, std::uint32_t, 4)
STORE_BY_EXPRESS(store64_by_express, std::uint64_t, 8)

}  // namespace

void open_stores() {
    isthmus_window.heap = express.heap;
    isthmus_window.store32 = store32_by_express;
    isthmus_window.store64 = store64_by_express;
}

#else

void open_stores() {}

#endif

void close_stores() {
    isthmus_window.store32 = store32_by_address;
    isthmus_window.store64 = store64_by_address;
}

}  // namespace isthmus::far
