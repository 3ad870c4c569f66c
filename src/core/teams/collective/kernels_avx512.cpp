#define ISTHMUS_KERNELS avx512
#include "core/teams/collective/kernels.inl"
