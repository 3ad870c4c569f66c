#define ISTHMUS_KERNELS avx512
#include "core/collective/kernels.inl"
