// Remote memory access (9.6): strided elements and strided blocks. One pass, no staging copy.
#include <cstdint>
#include <string>

#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "core/job/job.hpp"
#include "core/reach/blocks.hpp"
#include "core/wait/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;
using operation::Blocks;

namespace {

[[gnu::cold, gnu::noinline]] void check_strides(const Blocks& shape, const char* routine) {
    const auto least = static_cast<std::ptrdiff_t>(shape.block);
    if (shape.dst >= least && shape.sst >= least && shape.dst > 0 && shape.sst > 0) return;
    refuse(routine, "strides dst " + std::to_string(shape.dst) + " and sst " +
                        std::to_string(shape.sst) + " must be at least " +
                        (shape.block == 1 ? std::string("1")
                                          : "the block of " + std::to_string(shape.block)));
}

inline bool strides_are_legal(const Blocks& shape) {
    const auto least = static_cast<std::ptrdiff_t>(shape.block | (shape.block == 0));
    return shape.dst >= least && shape.sst >= least;
}

// Blocks may lie between those of the other side, or each on its own place.
void check_blocks_apart(const void* dest, const void* source, const Blocks& shape, std::size_t unit,
                        const char* routine) {
    const auto to = reinterpret_cast<std::uintptr_t>(dest);
    const auto from = reinterpret_cast<std::uintptr_t>(source);
    if (shape.block == 0 || shape.count == 0 ||
        to >= from + operation::extent(shape.sst, shape, unit) ||
        from >= to + operation::extent(shape.dst, shape, unit) ||
        (to == from && shape.dst == shape.sst))
        return;
    if (const auto common = operation::find_common(dest, source, shape, unit, dest == source))
        refuse(routine, "source and dest overlap: block " + std::to_string(common->dest) +
                            " of dest and block " + std::to_string(common->source) + " of source");
}

template <std::size_t kUnit>
[[gnu::noinline]] void put_shape_checked(void* dest, const void* source, const Blocks& shape,
                                         int pe, const char* routine, far::Channel* on) {
    const auto there =
        checked_target(dest, operation::extent(shape.dst, shape, kUnit), pe, routine);
    if (job.checked) {
        check_private(source, operation::extent(shape.sst, shape, kUnit), "source", routine);
        if (const char* const seen = seen_here(there, dest, pe))
            check_blocks_apart(seen, source, shape, kUnit, routine);
    }
    operation::put_blocks<kUnit>(there, dest, source, shape, pe, routine, on);
}
template <std::size_t kUnit>
[[gnu::noinline]] void get_shape_checked(void* dest, const void* source, const Blocks& shape,
                                         int pe, const char* routine) {
    const auto there =
        checked_target(source, operation::extent(shape.sst, shape, kUnit), pe, routine);
    if (job.checked) {
        check_private(dest, operation::extent(shape.dst, shape, kUnit), "dest", routine);
        if (const char* const seen = seen_here(there, source, pe))
            check_blocks_apart(dest, seen, shape, kUnit, routine);
    }
    operation::get_blocks<kUnit>(there, dest, source, shape, pe, routine);
}

template <std::size_t kUnit>
void iput(void* dest, const void* source, const Blocks& shape, int pe, Routine kind,
          const char* routine, shmem_ctx_t ctx) {
    note(kind);
    if (!strides_are_legal(shape)) check_strides(shape, routine);
    if (shape.block > kMostBytes / kUnit) refuse_count(shape.block, kUnit, routine);
    if (shape.count > kMostBytes / kUnit) refuse_count(shape.count, kUnit, routine);
    if (!reaches(pe)) [[unlikely]]
        return put_shape_checked<kUnit>(dest, source, shape, pe, routine, channel_of(ctx));
    operation::copy_blocks<kUnit>(translate(dest, pe), source, shape);
}

template <std::size_t kUnit>
void iget(void* dest, const void* source, const Blocks& shape, int pe, Routine kind,
          const char* routine, shmem_ctx_t) {
    note(kind);
    if (!strides_are_legal(shape)) check_strides(shape, routine);
    if (shape.block > kMostBytes / kUnit) refuse_count(shape.block, kUnit, routine);
    if (shape.count > kMostBytes / kUnit) refuse_count(shape.count, kUnit, routine);
    if (!reaches(pe)) [[unlikely]]
        return get_shape_checked<kUnit>(dest, source, shape, pe, routine);
    operation::copy_blocks<kUnit>(dest, translate(source, pe), shape);
}

}  // namespace

#define STRIDED(P, NAME, OPERATION, UNIT)                                                        \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, ptrdiff_t dst, ptrdiff_t sst,       \
                                   size_t nelems, int pe) {                                      \
        OPERATION<UNIT>(dest, source, {dst, sst, 1, nelems}, pe, Routine::OPERATION,             \
                        "shmem_" #NAME, SHMEM_CTX_DEFAULT);                                      \
    }                                                                                            \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, ptrdiff_t dst, \
                                       ptrdiff_t sst, size_t nelems, int pe) {                   \
        OPERATION<UNIT>(dest, source, {dst, sst, 1, nelems},                                     \
                        ContextPe(ctx, pe, "shmem_ctx_" #NAME), Routine::OPERATION,              \
                        "shmem_ctx_" #NAME, ctx);                                                \
    }
#define STRIDED_BLOCK(P, NAME, OPERATION, KIND, UNIT)                                              \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, ptrdiff_t dst, ptrdiff_t sst,         \
                                   size_t bsize, size_t nblocks, int pe) {                         \
        OPERATION<UNIT>(dest, source, {dst, sst, bsize, nblocks}, pe, Routine::KIND,               \
                        "shmem_" #NAME, SHMEM_CTX_DEFAULT);                                        \
    }                                                                                              \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, ptrdiff_t dst,   \
                                       ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) {      \
        OPERATION<UNIT>(dest, source, {dst, sst, bsize, nblocks},                                  \
                        ContextPe(ctx, pe, "shmem_ctx_" #NAME), Routine::KIND, "shmem_ctx_" #NAME, \
                        ctx);                                                                      \
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
