// Transfers of memory that is not in one piece (gasnet_vis.h). All six kinds are walks of two lists
// of pieces, whose common parts are moved as bulk operations without a handle; these are then
// waited for, made a handle, or left, as the form says.
#include "api/gasnet/face.hpp"

#include <gasnet_vis.h>

#include <vector>

#include "core/copy/pieces.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

struct Piece {
    char* at;
    std::size_t bytes;
};

// Lists as something that gives its pieces one after the other; empty() behind the last.
class Vector {
  public:
    Vector(std::size_t count, const gasnet_memvec_t* list) : next_(list), end_(list + count) {
        skip_empty();
    }
    bool empty() const { return next_ == end_; }
    Piece piece() const { return {static_cast<char*>(next_->addr), next_->len}; }
    void advance() {
        ++next_;
        skip_empty();
    }

  private:
    void skip_empty() {
        while (next_ != end_ && next_->len == 0)
            ++next_;
    }
    const gasnet_memvec_t* next_;
    const gasnet_memvec_t* end_;
};

class Indexed {
  public:
    Indexed(std::size_t count, void* const* list, std::size_t bytes)
        : next_(list), end_(bytes == 0 ? list : list + count), bytes_(bytes) {}
    bool empty() const { return next_ == end_; }
    Piece piece() const { return {static_cast<char*>(*next_), bytes_}; }
    void advance() { ++next_; }

  private:
    void* const* next_;
    void* const* end_;
    std::size_t bytes_;
};

class Strided {
  public:
    Strided(void* at, const std::size_t* strides, const std::size_t* count, std::size_t levels)
        : at_(static_cast<char*>(at)), strides_(strides), count_(count), done_(levels, 0) {
        empty_ = std::find(count, count + levels + 1, 0) != count + levels + 1;
    }
    bool empty() const { return empty_; }
    Piece piece() const { return {at_, count_[0]}; }
    void advance() {
        for (std::size_t level = 0; level < done_.size(); ++level) {
            at_ += strides_[level];
            if (++done_[level] < count_[level + 1]) return;
            at_ -= strides_[level] * done_[level];
            done_[level] = 0;
        }
        empty_ = true;
    }

  private:
    char* at_;
    const std::size_t* strides_;
    const std::size_t* count_;
    std::vector<std::size_t> done_;
    bool empty_;
};

template <typename Dest, typename Source, typename Move>
void walk(const Dest& dest, const Source& source, Move&& move, const char* routine) {
    if (!walk_pieces(dest, source, move))
        fail(routine, "source and destination have different numbers of bytes");
}

template <typename Dest, typename Source>
void put(gasnet_node_t node, const Dest& dest, const Source& source, const char* routine) {
    require_attached(routine);
    whole(routine, [&] {
        walk(
            dest, source,
            [node](char* to, char* from, std::size_t bytes) {
                gasnet_put_nbi_bulk(node, to, from, bytes);
            },
            routine);
    });
}
template <typename Dest, typename Source>
void get(const Dest& dest, gasnet_node_t node, const Source& source, const char* routine) {
    require_attached(routine);
    whole(routine, [&] {
        walk(
            dest, source,
            [node](char* to, char* from, std::size_t bytes) {
                gasnet_get_nbi_bulk(to, node, from, bytes);
            },
            routine);
    });
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
      put(dstnode, Strided(dstaddr, dststrides, count, stridelevels),
          Strided(srcaddr, srcstrides, count, stridelevels), kRoutine))
FORMS(gets,
      (void* dstaddr, const size_t* dststrides, gasnet_node_t srcnode, void* srcaddr,
       const size_t* srcstrides, const size_t* count, size_t stridelevels),
      get(Strided(dstaddr, dststrides, count, stridelevels), srcnode,
          Strided(srcaddr, srcstrides, count, stridelevels), kRoutine))
#undef FORMS
