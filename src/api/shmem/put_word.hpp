// shmem_N_p of the integers on x86-64, by hand: to a PE of another host 16 instructions from entry
// to the road's call, the window's test included; to a near one 9, as the compiler's. What is
// needed behind the call is pushed, where the compiler would make room by one instruction more.
//
// One macro, PUT_WORD(T, N), which defines pshmem_N_p. Elsewhere, and under sanitizers, which want
// to see each access, it is put_element() of rma.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job/window.hpp"
#include "core/reach/far.hpp"

namespace isthmus::shmem {

// What the express way does not serve: the value's low bytes, by how many they are.
extern "C" {
__attribute__((visibility("hidden"))) void isthmus_put_word_otherwise_1(void* dest,
                                                                        std::uint64_t value,
                                                                        const char* routine,
                                                                        std::uint64_t pe);
__attribute__((visibility("hidden"))) void isthmus_put_word_otherwise_2(void* dest,
                                                                        std::uint64_t value,
                                                                        const char* routine,
                                                                        std::uint64_t pe);
__attribute__((visibility("hidden"))) void isthmus_put_word_otherwise_4(void* dest,
                                                                        std::uint64_t value,
                                                                        const char* routine,
                                                                        std::uint64_t pe);
__attribute__((visibility("hidden"))) void isthmus_put_word_otherwise_8(void* dest,
                                                                        std::uint64_t value,
                                                                        const char* routine,
                                                                        std::uint64_t pe);
}

}  // namespace isthmus::shmem

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace isthmus::shmem {

// The offsets that the text below has.
static_assert(offsetof(Window, me) == 0 && offsetof(Window, limit) == 4 &&
              offsetof(Window, shift) == 8);
static_assert(offsetof(far::Express, heap) == 0 && offsetof(far::Express, last) == 8);
static_assert(offsetof(far::Express, call) + offsetof(transport::ShortCalls, put) == 16 &&
              offsetof(far::Express, call) + offsetof(transport::ShortCalls, put_road) == 24 &&
              offsetof(far::Express, call) + offsetof(transport::ShortCalls, keys) == 40 &&
              offsetof(far::Express, call) + offsetof(transport::ShortCalls, written) == 48);
static_assert(sizeof(*transport::ShortCalls::keys) == 8 &&
              sizeof(*transport::ShortCalls::written) == 1);

}  // namespace isthmus::shmem

// Arguments: dest in rdi, value in rsi, PE in edx. ShortCalls::Put takes road, source, bytes, PE,
// offset and key. The key's look-up faults for a PE that there is not. The mark's byte
// is read as mark_written() of core/reach/far.hpp does: a load of this processor acquires.
// (__inline__: a short text to the compiler, which otherwise refuses to inline other functions of
// the file.)
#define ISTHMUS_STORE_WORD(place, bytes)          \
    ".if " bytes " == 8\n movq %%rsi, " place     \
    "\n"                                          \
    ".elseif " bytes " == 4\n movl %%esi, " place \
    "\n"                                          \
    ".elseif " bytes " == 2\n movw %%si, " place  \
    "\n"                                          \
    ".else\n movb %%sil, " place "\n.endif\n"
#define PUT_WORD(T, N)                                                                         \
    ISTHMUS_API __attribute__((naked)) void pshmem_##N##_p(T*, T, int) {                       \
        __asm__ __inline__("movl %%edx, %%ecx\n"                                             \
                "xorl _ZN7isthmus6windowE(%%rip), %%edx\n"                        \
                "cmpl _ZN7isthmus6windowE+4(%%rip), %%edx\n"                      \
                "jae 1f\n"                                                        \
                "movl _ZN7isthmus6windowE+8(%%rip), %%ecx\n"                      \
                "shlq %%cl, %%rdx\n"                                              \
                "addq %%rdi, %%rdx\n"                                             \
                ISTHMUS_STORE_WORD("(%%rdx)", "%c[bytes]")                        \
                "ret\n"                                                           \
                ".p2align 4\n"                                                    \
                "1: movq %%rdi, %%r8\n"                                           \
                "subq _ZN7isthmus3far7expressE(%%rip), %%r8\n"                    \
                "cmpq %%r8, _ZN7isthmus3far7expressE+8(%%rip)\n"                  \
                "jb 4f\n"                                                         \
                "pushq %%rdi\n.cfi_adjust_cfa_offset 8\n"                         \
                "pushq %%rcx\n.cfi_adjust_cfa_offset 8\n"                         \
                "pushq %%rsi\n.cfi_adjust_cfa_offset 8\n"                         \
                "movq %%rsp, %%rsi\n"                                             \
                "movl %[bytes], %%edx\n"                                          \
                "movq _ZN7isthmus3far7expressE+40(%%rip), %%rax\n"                \
                "movq (%%rax,%%rcx,8), %%r9\n"                                    \
                "movq _ZN7isthmus3far7expressE+24(%%rip), %%rdi\n"                \
                "call *_ZN7isthmus3far7expressE+16(%%rip)\n"                      \
                "testq %%rax, %%rax\n"                                            \
                "jne 3f\n"                                                        \
                "2: movq 8(%%rsp), %%rdi\n"                                       \
                "movq _ZN7isthmus3far7expressE+48(%%rip), %%rdx\n"                \
                "addq $24, %%rsp\n.cfi_adjust_cfa_offset -24\n"                   \
                "cmpb $0, (%%rdx,%%rdi)\n"                                        \
                "je _ZN7isthmus3far12note_writtenEi\n"                                    \
                "ret\n"                                                           \
                ".cfi_adjust_cfa_offset 24\n"                                     \
                "3: movq 16(%%rsp), %%rdi\n"                                      \
                "movq %%rsp, %%rsi\n"                                             \
                "movl %[bytes], %%edx\n"                                          \
                "movl 8(%%rsp), %%ecx\n"                                          \
                "call _ZN7isthmus3far9put_againEPKvS2_mi\n"                                   \
                "jmp 2b\n"                                                        \
                ".cfi_adjust_cfa_offset -24\n"                                    \
                "4: leaq 5f(%%rip), %%rdx\n"                                      \
                "jmp isthmus_put_word_otherwise_%c[bytes]\n"                      \
                ".pushsection .rodata\n5: .string \"shmem_" #N "_p\"\n.popsection\n" \
                :                                                                 \
                : [bytes] "i"(sizeof(T))); \
    }

#else

#define PUT_WORD(T, N)                                          \
    ISTHMUS_API void pshmem_##N##_p(T* dest, T value, int pe) { \
        put_element(dest, value, pe, "shmem_" #N "_p");         \
    }

#endif
