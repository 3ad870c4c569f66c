#define ISTHMUS_KERNELS baseline
#include "core/collective/kernels.inl"
