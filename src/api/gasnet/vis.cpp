// Transfers of memory that is not in one piece (gasnet_vis.h). All six kinds are walks of two lists
// of pieces, whose common parts are moved as bulk operations without a handle; these are then
// waited for, made a handle, or left, as the form says.
#include "api/gasnet/lists.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

using namespace isthmus::gasnet::vis;

// GASNet-1 counts the bytes of a piece with the others, and has no negative strides.
Strided strided(void* at, const std::size_t* strides, const std::size_t* count,
                std::size_t levels) {
    return {at, reinterpret_cast<const std::ptrdiff_t*>(strides), count[0], count + 1, levels};
}

}  // namespace

// Forms with a handle, and those that wait, may stand within an access region, which they are no
// part of.
#define FORMS(NAME, PARAMETERS, CALL)                                 \
    ISTHMUS_API void gasnet_##NAME##_bulk PARAMETERS {                \
        constexpr const char* kRoutine = "gasnet_" #NAME "_bulk";     \
        const Apart apart;                                            \
        CALL;                                                         \
        gasnet_wait_syncnb(apart.handle(kRoutine));                   \
    }                                                                 \
    ISTHMUS_API gasnet_handle_t gasnet_##NAME##_nb_bulk PARAMETERS {  \
        constexpr const char* kRoutine = "gasnet_" #NAME "_nb_bulk";  \
        const Apart apart;                                            \
        CALL;                                                         \
        return apart.handle(kRoutine);                                \
    }                                                                 \
    ISTHMUS_API void gasnet_##NAME##_nbi_bulk PARAMETERS {            \
        constexpr const char* kRoutine = "gasnet_" #NAME "_nbi_bulk"; \
        CALL;                                                         \
    }

FORMS(putv,
      (gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const* dstlist, size_t srccount,
       gasnet_memvec_t const* srclist),
      put(dstnode, Vector(dstcount, dstlist), Vector(srccount, srclist), kRoutine))
FORMS(getv,
      (size_t dstcount, gasnet_memvec_t const* dstlist, gasnet_node_t srcnode, size_t srccount,
       gasnet_memvec_t const* srclist),
      get(Vector(dstcount, dstlist), srcnode, Vector(srccount, srclist), kRoutine))
FORMS(puti,
      (gasnet_node_t dstnode, size_t dstcount, void* const* dstlist, size_t dstlen, size_t srccount,
       void* const* srclist, size_t srclen),
      put(dstnode, Indexed(dstcount, dstlist, dstlen), Indexed(srccount, srclist, srclen),
          kRoutine))
FORMS(geti,
      (size_t dstcount, void* const* dstlist, size_t dstlen, gasnet_node_t srcnode, size_t srccount,
       void* const* srclist, size_t srclen),
      get(Indexed(dstcount, dstlist, dstlen), srcnode, Indexed(srccount, srclist, srclen),
          kRoutine))
FORMS(puts,
      (gasnet_node_t dstnode, void* dstaddr, const size_t* dststrides, void* srcaddr,
       const size_t* srcstrides, const size_t* count, size_t stridelevels),
      put(dstnode, strided(dstaddr, dststrides, count, stridelevels),
          strided(srcaddr, srcstrides, count, stridelevels), kRoutine))
FORMS(gets,
      (void* dstaddr, const size_t* dststrides, gasnet_node_t srcnode, void* srcaddr,
       const size_t* srcstrides, const size_t* count, size_t stridelevels),
      get(strided(dstaddr, dststrides, count, stridelevels), srcnode,
          strided(srcaddr, srcstrides, count, stridelevels), kRoutine))
#undef FORMS
