// Remote memory access (9.6): strided elements and strided blocks. One pass, no staging copy.
#include <cstring>
#include <string>
#include <vector>

#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "core/copy.hpp"
#include "core/far.hpp"
#include "core/far_segment.hpp"
#include "core/job.hpp"
#include "core/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

// memcpy of a constant size is one move where the processor has one, so elements are not torn.
template <std::size_t kBytes>
void copy_elements(char* dest, const char* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                   std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(dest, source, kBytes);
        dest += dst * static_cast<std::ptrdiff_t>(kBytes);
        source += sst * static_cast<std::ptrdiff_t>(kBytes);
    }
}

struct Shape {
    std::ptrdiff_t dst;
    std::ptrdiff_t sst;
    std::size_t block;  // elements in a block
    std::size_t count;  // blocks
};

// Bytes from the first to behind the last element, for the checks.
std::size_t extent(std::ptrdiff_t stride, const Shape& shape, std::size_t unit) {
    if (shape.count == 0 || shape.block == 0) return 0;
    std::size_t elements = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(stride), shape.count - 1, &elements) ||
        __builtin_add_overflow(elements, shape.block, &elements))
        return ~std::size_t{0};
    return saturated_bytes(elements, unit);
}

[[gnu::cold, gnu::noinline]] void check_strides(const Shape& shape, const char* routine) {
    const auto least = static_cast<std::ptrdiff_t>(shape.block);
    if (shape.dst >= least && shape.sst >= least && shape.dst > 0 && shape.sst > 0) return;
    fail(routine,
         "strides dst " + std::to_string(shape.dst) + " and sst " + std::to_string(shape.sst) +
             " must be at least " +
             (shape.block == 1 ? std::string("1") : "the block of " + std::to_string(shape.block)));
}

inline bool strides_are_legal(const Shape& shape) {
    const auto least = static_cast<std::ptrdiff_t>(shape.block | (shape.block == 0));
    return shape.dst >= least && shape.sst >= least;
}

template <std::size_t kUnit>
void copy_shape(void* dest, const void* source, const Shape& shape) {
    char* to = static_cast<char*>(dest);
    const char* from = static_cast<const char*>(source);
    if (shape.block == 1) {
        copy_elements<kUnit>(to, from, shape.dst, shape.sst, shape.count);
        return;
    }
    const std::size_t bytes = shape.block * kUnit;
    for (std::size_t i = 0; i < shape.count; ++i) {
        copy(to, from, bytes);
        to += shape.dst * static_cast<std::ptrdiff_t>(kUnit);
        from += shape.sst * static_cast<std::ptrdiff_t>(kUnit);
    }
}

// For PEs that the window does not reach. What lies in one piece there goes as one, short blocks
// share requests; a get takes the gaps along, which costs less than a reply for each block, unless
// they are large.
constexpr std::size_t kFetchedWithGaps = 65536;

template <std::size_t kUnit>
void put_shape_far(void* dest, const void* source, const Shape& shape, int pe,
                   const char* routine) {
    const std::size_t bytes = shape.block * kUnit;
    if (shape.dst == static_cast<std::ptrdiff_t>(shape.block) && shape.count > 1) {
        std::vector<char> packed(bytes * shape.count);
        copy_shape<kUnit>(packed.data(), source, shape);
        return far::put(dest, packed.data(), packed.size(), pe, routine);
    }
    auto* to = static_cast<char*>(dest);
    const auto* from = static_cast<const char*>(source);
    ScatteredPut blocks(pe, routine);
    for (std::size_t i = 0; i < shape.count; ++i) {
        blocks.add(to, from, bytes);
        to += shape.dst * static_cast<std::ptrdiff_t>(kUnit);
        from += shape.sst * static_cast<std::ptrdiff_t>(kUnit);
    }
}

template <std::size_t kUnit>
void get_shape_far(void* dest, const void* source, const Shape& shape, int pe,
                   const char* routine) {
    const std::size_t whole = extent(shape.sst, shape, kUnit);
    if (whole != 0 && whole <= kFetchedWithGaps) {
        std::vector<char> fetched(whole);
        far::get(fetched.data(), source, whole, pe, routine);
        return copy_shape<kUnit>(dest, fetched.data(), shape);
    }
    auto* to = static_cast<char*>(dest);
    const auto* from = static_cast<const char*>(source);
    ScatteredGet blocks(pe, nullptr, routine);
    for (std::size_t i = 0; i < shape.count; ++i) {
        blocks.add(to, from, shape.block * kUnit);
        to += shape.dst * static_cast<std::ptrdiff_t>(kUnit);
        from += shape.sst * static_cast<std::ptrdiff_t>(kUnit);
    }
}

template <std::size_t kUnit>
[[gnu::cold, gnu::noinline]] void put_shape_checked(void* dest, const void* source,
                                                    const Shape& shape, int pe,
                                                    const char* routine) {
    if (const auto there = checked_target(dest, extent(shape.dst, shape, kUnit), pe, routine)) {
        check_private(source, extent(shape.sst, shape, kUnit), "source", routine);
        return copy_shape<kUnit>(*there, source, shape);
    }
    put_shape_far<kUnit>(dest, source, shape, pe, routine);
}
template <std::size_t kUnit>
[[gnu::cold, gnu::noinline]] void get_shape_checked(void* dest, const void* source,
                                                    const Shape& shape, int pe,
                                                    const char* routine) {
    if (const auto there = checked_target(source, extent(shape.sst, shape, kUnit), pe, routine)) {
        check_private(dest, extent(shape.dst, shape, kUnit), "dest", routine);
        return copy_shape<kUnit>(dest, *there, shape);
    }
    get_shape_far<kUnit>(dest, source, shape, pe, routine);
}

template <std::size_t kUnit>
void iput(void* dest, const void* source, const Shape& shape, int pe, Routine kind,
          const char* routine) {
    note(kind);
    if (!strides_are_legal(shape)) check_strides(shape, routine);
    if (shape.block > kMostBytes / kUnit) refuse_count(shape.block, kUnit, routine);
    if (shape.count > kMostBytes / kUnit) refuse_count(shape.count, kUnit, routine);
    if (!reaches(pe)) [[unlikely]]
        return put_shape_checked<kUnit>(dest, source, shape, pe, routine);
    copy_shape<kUnit>(translate(dest, pe), source, shape);
}

template <std::size_t kUnit>
void iget(void* dest, const void* source, const Shape& shape, int pe, Routine kind,
          const char* routine) {
    note(kind);
    if (!strides_are_legal(shape)) check_strides(shape, routine);
    if (shape.block > kMostBytes / kUnit) refuse_count(shape.block, kUnit, routine);
    if (shape.count > kMostBytes / kUnit) refuse_count(shape.count, kUnit, routine);
    if (!reaches(pe)) [[unlikely]]
        return get_shape_checked<kUnit>(dest, source, shape, pe, routine);
    copy_shape<kUnit>(dest, translate(source, pe), shape);
}

}  // namespace

#define STRIDED(P, NAME, OPERATION, UNIT)                                                        \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, ptrdiff_t dst, ptrdiff_t sst,       \
                                   size_t nelems, int pe) {                                      \
        OPERATION<UNIT>(dest, source, {dst, sst, 1, nelems}, pe, Routine::OPERATION,             \
                        "shmem_" #NAME);                                                         \
    }                                                                                            \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, ptrdiff_t dst, \
                                       ptrdiff_t sst, size_t nelems, int pe) {                   \
        OPERATION<UNIT>(dest, source, {dst, sst, 1, nelems},                                     \
                        context_pe(ctx, pe, "shmem_ctx_" #NAME), Routine::OPERATION,             \
                        "shmem_ctx_" #NAME);                                                     \
    }
#define STRIDED_BLOCK(P, NAME, OPERATION, KIND, UNIT)                                            \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, ptrdiff_t dst, ptrdiff_t sst,       \
                                   size_t bsize, size_t nblocks, int pe) {                       \
        OPERATION<UNIT>(dest, source, {dst, sst, bsize, nblocks}, pe, Routine::KIND,             \
                        "shmem_" #NAME);                                                         \
    }                                                                                            \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, ptrdiff_t dst, \
                                       ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) {    \
        OPERATION<UNIT>(dest, source, {dst, sst, bsize, nblocks},                                \
                        context_pe(ctx, pe, "shmem_ctx_" #NAME), Routine::KIND,                  \
                        "shmem_ctx_" #NAME);                                                     \
    }
#define STRIDED_ALL(P, IPUT, IGET, IBPUT, IBGET, UNIT) \
    STRIDED(P, IPUT, iput, UNIT)                       \
    STRIDED(P, IGET, iget, UNIT)                       \
    STRIDED_BLOCK(P, IBPUT, iput, ibput, UNIT)         \
    STRIDED_BLOCK(P, IBGET, iget, ibget, UNIT)         \
    SHMEM_TABLE_STRIDED_(ISTHMUS_ALIAS, P, IPUT, IGET, IBPUT, IBGET)

#define TYPED(T, N) STRIDED_ALL(T, N##_iput, N##_iget, N##_ibput, N##_ibget, sizeof(T))
SHMEM_RMA_TYPES(TYPED)
#define SIZED(BITS) STRIDED_ALL(void, iput##BITS, iget##BITS, ibput##BITS, ibget##BITS, (BITS) / 8)
SHMEM_ELEMENT_SIZES(SIZED)
