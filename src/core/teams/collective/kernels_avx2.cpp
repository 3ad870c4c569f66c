#define ISTHMUS_KERNELS avx2
#include "core/teams/collective/kernels.inl"
