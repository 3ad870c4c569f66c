#include <cpuid.h>
#include <unistd.h>

#include <cstring>

#include "core/copy/choose.hpp"
#include "core/copy/loops_x86.hpp"

namespace isthmus {

namespace {
constexpr std::size_t kNever = ~std::size_t{0};
}
CopyLimits copy_limits{kNever, kNever, false};
constinit thread_local bool copy_downwards_next = false;

namespace {

bool vendor_is(const char* name) {
    unsigned int top = 0, registers[3] = {};
    __get_cpuid(0, &top, &registers[0], &registers[2], &registers[1]);
    return std::memcmp(registers, name, sizeof registers) == 0;
}

unsigned int processor_family() {
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
    __get_cpuid(1, &eax, &ebx, &ecx, &edx);
    const unsigned int family = (eax >> 8) & 15;
    return family == 15 ? family + ((eax >> 20) & 255) : family;
}

std::size_t cache_size(int name, std::size_t otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

// Measured on a Xeon with 48 KiB and 2 MiB. Source and destination share the first level up to
// 22 KiB each. Copying to and fro beats streaming up to the size of the second level (21.4 against
// 20.2 GB/s at 2 MiB), and no longer at twice that (17.3 against 18.3).
CopyLimits limits_of_intel() {
    const std::size_t level1 = cache_size(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10);
    const std::size_t level2 = cache_size(_SC_LEVEL2_CACHE_SIZE, std::size_t{1} << 20);
    return {level1 / 32 * 15, level2 / 2 * 3, false};
}

// From figures of a Zen 4 with the C library's loops: past the caches from 1 MiB on, where its
// library streams too. Loops stall where addresses alias modulo 4096, unless they run downwards.
CopyLimits limits_of_amd() {
    const std::size_t level1 = cache_size(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10);
    return {level1 / 32 * 15, std::size_t{1} << 20, true};
}

void copy_by_library(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

}  // namespace

ChosenCopy choose_long_copy() {
    __builtin_cpu_init();
    const bool amd = vendor_is("AuthenticAMD");
    copy_limits = amd ? limits_of_amd() : limits_of_intel();
    // 64-byte vectors: not where they slow the clock down (before Ice Lake, the first with VBMI2)
    // nor where they are split in two (AMD before family 26, Zen 5).
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
        (!amd || processor_family() >= 26))
        return {copy_avx512, copy_any_avx512, copy_streamed_avx512, copy_limits.stream,
                amd ? "64-byte vectors, limits for AMD" : "64-byte vectors"};
    if (__builtin_cpu_supports("avx2"))
        return {copy_avx2, copy_any_avx2, copy_streamed_avx2, copy_limits.stream,
                amd ? "32-byte vectors, limits for AMD" : "32-byte vectors"};
    return {copy_by_library, copy_by_library, copy_by_library, kNever,
            "memcpy of the C library (the processor has no AVX2)"};
}

}  // namespace isthmus
