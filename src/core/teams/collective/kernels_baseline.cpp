#define ISTHMUS_KERNELS baseline
#include "core/teams/collective/kernels.inl"
