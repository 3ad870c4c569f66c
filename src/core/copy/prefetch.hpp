// Bringing a line to this processor before it is needed.
#pragma once

namespace isthmus {

#if defined(__x86_64__)
// The compiler's own hint asks for a copy to read unless it is told of PRFCHW; processors without
// that take the instruction for nothing.
inline void prefetch_for_write(const void* line) {
    __asm__ __volatile__("prefetchw %0" ::"m"(*static_cast<const char*>(line)));
}
#else
inline void prefetch_for_write(const void* line) {
    __builtin_prefetch(line, 1);
}
#endif

}  // namespace isthmus
