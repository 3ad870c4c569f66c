// Memory that is not in one piece, as the faces of GASNet name it: lists of pieces, and transfers
// between two of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "api/gasnet/transfer.hpp"
#include "core/copy/pieces.hpp"

namespace isthmus::gasnet::vis {

struct Piece {
    char* at;
    std::size_t bytes;
};

inline Piece piece_of(const gasnet_memvec_t& memory) {
    return {static_cast<char*>(memory.addr), memory.len};
}
inline Piece piece_of(const gex_Memvec_t& memory) {
    return {static_cast<char*>(memory.gex_addr), memory.gex_len};
}

// Lists as something that gives its pieces one after the other; empty() behind the last.
template <typename Memory>
class Vector {
  public:
    Vector(std::size_t count, const Memory* list) : next_(list), end_(list + count) {
        skip_empty();
    }
    bool empty() const { return next_ == end_; }
    Piece piece() const { return piece_of(*next_); }
    void advance() {
        ++next_;
        skip_empty();
    }

  private:
    void skip_empty() {
        while (next_ != end_ && piece_of(*next_).bytes == 0)
            ++next_;
    }
    const Memory* next_;
    const Memory* end_;
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

// `bytes` at a place, count[i] times with strides[i] between; 0 of any: nothing.
class Strided {
  public:
    Strided(void* at, const std::ptrdiff_t* strides, std::size_t bytes, const std::size_t* count,
            std::size_t levels)
        : at_(static_cast<char*>(at)),
          strides_(strides),
          bytes_(bytes),
          count_(count),
          done_(levels, 0),
          empty_(bytes == 0 || std::find(count, count + levels, 0) != count + levels) {}
    bool empty() const { return empty_; }
    Piece piece() const { return {at_, bytes_}; }
    void advance() {
        for (std::size_t level = 0; level < done_.size(); ++level) {
            at_ += strides_[level];
            if (++done_[level] < count_[level]) return;
            at_ -= strides_[level] * static_cast<std::ptrdiff_t>(done_[level]);
            done_[level] = 0;
        }
        empty_ = true;
    }

  private:
    char* at_;
    const std::ptrdiff_t* strides_;
    std::size_t bytes_;
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
            [node, routine](char* to, char* from, std::size_t nbytes) {
                if (ISTHMUS_GASNET_REACHES(node))
                    ISTHMUS_GASNET_COPY(ISTHMUS_WINDOW_ADDRESS(to, static_cast<int>(node)), from);
                else
                    transfer::put_nbi(node, to, from, nbytes, transfer::Source::in_use, routine);
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
            [node, routine](char* to, char* from, std::size_t nbytes) {
                if (ISTHMUS_GASNET_REACHES(node))
                    ISTHMUS_GASNET_COPY(to, ISTHMUS_WINDOW_ADDRESS(from, static_cast<int>(node)));
                else
                    transfer::get_nbi(to, node, from, nbytes, routine);
            },
            routine);
    });
}

}  // namespace isthmus::gasnet::vis
