// Up to the road's call 7 instructions: what is needed behind it is pushed. By hand on x86-64,
// as a compiler makes room for a frame by one instruction more; not under sanitizers, which want to
// see each access.
#include "core/reach/far_store.hpp"

#include <cstddef>

#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "isthmus/window.h"

namespace isthmus::far {

namespace {

constinit StoresByAddress by_address;

}  // namespace

void set_stores_by_address(const StoresByAddress& stores) {
    by_address = stores;
    close_stores();
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// The offsets that the text below has.
static_assert(offsetof(Express, heap) == 0);
static_assert(offsetof(Express, call) + offsetof(transport::ShortCalls, put) == 16 &&
              offsetof(Express, call) + offsetof(transport::ShortCalls, written) == 48);
static_assert(sizeof(*transport::ShortCalls::keys) == 8 &&
              sizeof(*transport::ShortCalls::written) == 1);

// Road in rdi, value in rsi, keys in rdx, PE in rcx, offset in r8: those that ShortCalls::Put takes
// as well lie where it takes them. The key's look-up faults for a PE that there is not. The mark's
// byte is read as mark_written() does: a load of this processor acquires.
#define STORE_BY_EXPRESS(NAME, T, BYTES)                                            \
    __attribute__((naked)) void NAME(void*, T, const std::uint64_t*, std::uint64_t, \
                                     std::uintptr_t) {                              \
        __asm__(                                                                    \
            "pushq %%r8\n.cfi_adjust_cfa_offset 8\n"                                \
            "pushq %%rcx\n.cfi_adjust_cfa_offset 8\n"                               \
            "pushq %%rsi\n.cfi_adjust_cfa_offset 8\n"                               \
            "movq %%rsp, %%rsi\n"                                                   \
            "movq (%%rdx,%%rcx,8), %%r9\n"                                          \
            "movl $" #BYTES                                                         \
            ", %%edx\n"                                                             \
            "call *_ZN7isthmus3far7expressE+16(%%rip)\n"                            \
            "testq %%rax, %%rax\n"                                                  \
            "jne 2f\n"                                                              \
            "1: movq 8(%%rsp), %%rdi\n"                                             \
            "movq _ZN7isthmus3far7expressE+48(%%rip), %%rdx\n"                      \
            "addq $24, %%rsp\n.cfi_adjust_cfa_offset -24\n"                         \
            "cmpb $0, (%%rdx,%%rdi)\n"                                              \
            "je _ZN7isthmus3far12note_writtenEi\n"                                  \
            "ret\n"                                                                 \
            ".cfi_adjust_cfa_offset 24\n"                                           \
            "2: movq 16(%%rsp), %%rdi\n"                                            \
            "addq _ZN7isthmus3far7expressE(%%rip), %%rdi\n"                         \
            "movq %%rsp, %%rsi\n"                                                   \
            "movl $" #BYTES                                                         \
            ", %%edx\n"                                                             \
            "movl 8(%%rsp), %%ecx\n"                                                \
            "call _ZN7isthmus3far9put_againEPKvS2_mi\n"                             \
            "jmp 1b\n"                                                              \
            ".cfi_adjust_cfa_offset -24\n" ::);                                     \
    }
STORE_BY_EXPRESS(store32_by_express, std::uint32_t, 4)
STORE_BY_EXPRESS(store64_by_express, std::uint64_t, 8)

}  // namespace

void open_stores() {
    isthmus_window.heap = express.heap;
    isthmus_window.road = express.call.put_road;
    isthmus_window.keys = express.call.keys;
    isthmus_window.store32 = store32_by_express;
    isthmus_window.store64 = store64_by_express;
}

#else

void open_stores() {}

#endif

void close_stores() {
    isthmus_window.store32 = by_address.store32;
    isthmus_window.store64 = by_address.store64;
    isthmus_window.road = nullptr;
    isthmus_window.keys = nullptr;
}

}  // namespace isthmus::far
