#define ISTHMUS_KERNELS avx2
#include "core/collective/kernels.inl"
