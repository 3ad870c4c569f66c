// Atomic domains of GASNet-EX (gasnet_ratomic.h): each operation is one of the core's, of the
// target's processor or of its road, or a loop of compare-and-swap. Operations that fetch, and such
// loops, are complete when they return; the others go their way.
#include "api/gasnet/face.hpp"

#include <gasnet_ratomic.h>

#include <atomic>
#include <bit>
#include <optional>

#include "api/gasnet/ex/objects.hpp"
#include "api/gasnet/transfer.hpp"

// Behind the word that a program has.
struct isthmus_gex_domain {
    gex_TM_t team;
    gex_DT_t dt;
    gex_OP_t ops;
    gex_Flags_t flags;
    const void* data;
};

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

using transport::Atomic;
using transport::AtomicKind;

constexpr gex_OP_t kFetching = GEX_OP_TO_FETCHING(0x3ffU) | GEX_OP_SWAP | GEX_OP_FCAS | GEX_OP_GET;
constexpr gex_OP_t kPlain = 0x3ffU | GEX_OP_SET | GEX_OP_CAS;
constexpr gex_OP_t kBits = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
constexpr gex_OP_t kOfIntegers = kBits | GEX_OP_TO_FETCHING(kBits);

bool is_real(gex_DT_t dt) {
    return dt == GEX_DT_FLT || dt == GEX_DT_DBL;
}

// What an operation does, whether it fetches or not.
constexpr gex_OP_t plain(gex_OP_t op) {
    if (op == GEX_OP_SWAP) return GEX_OP_SET;
    if (op == GEX_OP_FCAS) return GEX_OP_CAS;
    if (op == GEX_OP_GET) return op;
    return (op & kFetching) != 0 ? GEX_OP_TO_NONFETCHING(op) : op;
}

template <typename T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// As one of the core's atomics; nothing: by a loop.
template <typename T>
std::optional<Atomic> atomic_of(gex_OP_t op, T operand1, T operand2) {
    constexpr auto kWidth = static_cast<std::uint8_t>(sizeof(T));
    const auto bits = [](T value) { return std::uint64_t{std::bit_cast<Word<T>>(value)}; };
    switch (op) {
        case GEX_OP_GET: return Atomic{AtomicKind::fetch, kWidth, 0, 0};
        case GEX_OP_SET: return Atomic{AtomicKind::swap, kWidth, bits(operand1), 0};
        case GEX_OP_CAS:
            return Atomic{AtomicKind::compare_swap, kWidth, bits(operand2), bits(operand1)};
        default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        const auto negative = static_cast<std::uint64_t>(0) - bits(operand1);
        switch (op) {
            case GEX_OP_ADD: return Atomic{AtomicKind::add, kWidth, bits(operand1), 0};
            case GEX_OP_SUB: return Atomic{AtomicKind::add, kWidth, negative, 0};
            case GEX_OP_INC: return Atomic{AtomicKind::add, kWidth, 1, 0};
            case GEX_OP_DEC: return Atomic{AtomicKind::add, kWidth, ~std::uint64_t{0}, 0};
            case GEX_OP_AND: return Atomic{AtomicKind::bit_and, kWidth, bits(operand1), 0};
            case GEX_OP_OR: return Atomic{AtomicKind::bit_or, kWidth, bits(operand1), 0};
            case GEX_OP_XOR: return Atomic{AtomicKind::bit_xor, kWidth, bits(operand1), 0};
            default: break;
        }
    }
    return std::nullopt;
}

template <typename T>
T computed(gex_OP_t op, T before, T operand) {
    // Of integers unsigned: it wraps around.
    const auto multiplied = [&] {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::make_unsigned_t<T>(before) *
                                  std::make_unsigned_t<T>(operand));
        else
            return before * operand;
    };
    switch (op) {
        case GEX_OP_MULT: return multiplied();
        case GEX_OP_MIN: return std::min(before, operand);
        case GEX_OP_MAX: return std::max(before, operand);
        default: break;
    }
    if constexpr (!std::is_integral_v<T>) {
        switch (op) {
            case GEX_OP_ADD: return before + operand;
            case GEX_OP_SUB: return before - operand;
            case GEX_OP_INC: return before + 1;
            case GEX_OP_DEC: return before - 1;
            default: break;
        }
    }
    return before;
}

struct Target {
    operation::Target there;
    void* word;
    gasnet_node_t node;
};

std::uint64_t fetch(const Target& target, const Atomic& atomic, const char* routine) {
    return operation::fetch_atomic(target.there, target.word, static_cast<int>(target.node), atomic,
                                   routine);
}

// What the word held.
template <typename T>
T replace(const Target& target, gex_OP_t op, T operand, const char* routine) {
    constexpr auto kWidth = static_cast<std::uint8_t>(sizeof(T));
    auto seen = static_cast<Word<T>>(fetch(target, {AtomicKind::fetch, kWidth, 0, 0}, routine));
    for (;;) {
        const auto next = std::bit_cast<Word<T>>(computed(op, std::bit_cast<T>(seen), operand));
        const auto before = static_cast<Word<T>>(
            fetch(target, {AtomicKind::compare_swap, kWidth, next, seen}, routine));
        if (before == seen) return std::bit_cast<T>(before);
        seen = before;
    }
}

template <typename T>
constexpr gex_DT_t kType = GEX_DT_USER;
template <>
constexpr gex_DT_t kType<std::int32_t> = GEX_DT_I32;
template <>
constexpr gex_DT_t kType<std::uint32_t> = GEX_DT_U32;
template <>
constexpr gex_DT_t kType<std::int64_t> = GEX_DT_I64;
template <>
constexpr gex_DT_t kType<std::uint64_t> = GEX_DT_U64;
template <>
constexpr gex_DT_t kType<float> = GEX_DT_FLT;
template <>
constexpr gex_DT_t kType<double> = GEX_DT_DBL;

// Whether it is under way at a far process.
template <typename T>
bool issue(gex_AD_t domain, T* result, gasnet_node_t node, void* word, gex_OP_t op, T operand1,
           T operand2, const char* routine) {
    if (domain->dt != kType<T>)
        fail(routine, Text("the domain is of type ", domain->dt, ", not of this one"));
    if ((op & domain->ops) == 0 || (op & (op - 1)) != 0)
        fail(routine, Text("operation ", op, " is none of the domain's, ", domain->ops));
    const Target target{transfer::find(word, sizeof(T), node, routine), word, node};
    const bool fetches = (op & kFetching) != 0;
    const std::optional<Atomic> atomic = atomic_of(plain(op), operand1, operand2);
    if (atomic && !fetches && !target.there) {
        Atomic posted = *atomic;
        if (posted.kind == AtomicKind::swap) posted.kind = AtomicKind::set;
        operation::post_atomic(target.there, word, static_cast<int>(node), posted, routine);
        return true;
    }
    const T before = atomic
                         ? std::bit_cast<T>(static_cast<Word<T>>(fetch(target, *atomic, routine)))
                         : replace(target, plain(op), operand1, routine);
    if (fetches && result) *result = before;
    return false;
}

// The fences of the flags around an operation.
class Fences {
  public:
    explicit Fences(gex_Flags_t flags) : flags_(flags) {
        // Partner: the acquire of whoever sees what the operation writes.
        if ((flags & GEX_FLAG_AD_REL) != 0) std::atomic_thread_fence(std::memory_order_release);
    }
    Fences(const Fences&) = delete;
    Fences& operator=(const Fences&) = delete;
    ~Fences() {
        // Partner: the release of who wrote what the operation has seen.
        if ((flags_ & GEX_FLAG_AD_ACQ) != 0) std::atomic_thread_fence(std::memory_order_acquire);
    }

  private:
    gex_Flags_t flags_;
};

gasnet_node_t target_of(gex_AD_t domain, gex_Rank_t rank, gex_Flags_t flags, const char* routine) {
    require_client(routine);
    const gasnet_node_t node = node_of(domain->team, rank, flags, routine);
    if (node >= window.pes)
        fail(routine, Text("rank ", rank, " is out of range 0..", window.pes - 1));
    return node;
}

template <typename T>
gex_Event_t perform(gex_AD_t domain, T* result, gex_Rank_t rank, void* word, gex_OP_t op,
                    T operand1, T operand2, gex_Flags_t flags, const char* routine) {
    const gasnet_node_t node = target_of(domain, rank, flags, routine);
    const Fences fences(flags);
    return issue(domain, result, node, word, op, operand1, operand2, routine)
               ? transfer::handle_of_issued_to(node, routine)
               : GEX_EVENT_INVALID;
}
template <typename T>
int perform_nbi(gex_AD_t domain, T* result, gex_Rank_t rank, void* word, gex_OP_t op, T operand1,
                T operand2, gex_Flags_t flags, const char* routine) {
    const gasnet_node_t node = target_of(domain, rank, flags, routine);
    const Fences fences(flags);
    if (issue(domain, result, node, word, op, operand1, operand2, routine)) transfer::note_issued();
    return GASNET_OK;
}

}  // namespace

ISTHMUS_API void gex_AD_Create(gex_AD_t* domain, gex_TM_t team, gex_DT_t dt, gex_OP_t ops,
                               gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_AD_Create";
    require_client(kRoutine);
    team_of(team, kRoutine);
    constexpr gex_DT_t kTypes =
        GEX_DT_I32 | GEX_DT_U32 | GEX_DT_I64 | GEX_DT_U64 | GEX_DT_FLT | GEX_DT_DBL;
    if ((dt & kTypes) == 0 || (dt & (dt - 1)) != 0)
        fail(kRoutine, Text("type ", dt, " has no atomic operations"));
    const gex_OP_t known = is_real(dt) ? (kPlain | kFetching) & ~kOfIntegers : kPlain | kFetching;
    if (ops == 0 || (ops & ~known) != 0)
        fail(kRoutine, Text("operations ", ops, ", of which the type has not ", ops & ~known));
    *domain = whole(kRoutine, [&] {
        return new isthmus_gex_domain{team, dt, ops, flags, nullptr};
    });
}
ISTHMUS_API void gex_AD_Destroy(gex_AD_t domain) {
    delete domain;
}
ISTHMUS_API gex_Flags_t gex_AD_QueryFlags(gex_AD_t domain) {
    return domain->flags;
}
ISTHMUS_API gex_TM_t gex_AD_QueryTM(gex_AD_t domain) {
    return domain->team;
}
ISTHMUS_API gex_DT_t gex_AD_QueryDT(gex_AD_t domain) {
    return domain->dt;
}
ISTHMUS_API gex_OP_t gex_AD_QueryOps(gex_AD_t domain) {
    return domain->ops;
}
ISTHMUS_API void gex_AD_SetCData(gex_AD_t domain, const void* data) {
    domain->data = data;
}
ISTHMUS_API void* gex_AD_QueryCData(gex_AD_t domain) {
    return const_cast<void*>(domain->data);
}

#define OPERATIONS(SUFFIX, TYPE)                                                                   \
    ISTHMUS_API gex_Event_t gex_AD_OpNB_##SUFFIX(gex_AD_t domain, TYPE* result, gex_Rank_t rank,   \
                                                 void* target, gex_OP_t op, TYPE operand1,         \
                                                 TYPE operand2, gex_Flags_t flags) {               \
        return perform(domain, result, rank, target, op, operand1, operand2, flags,                \
                       "gex_AD_OpNB_" #SUFFIX);                                                    \
    }                                                                                              \
    ISTHMUS_API int gex_AD_OpNBI_##SUFFIX(gex_AD_t domain, TYPE* result, gex_Rank_t rank,          \
                                          void* target, gex_OP_t op, TYPE operand1, TYPE operand2, \
                                          gex_Flags_t flags) {                                     \
        return perform_nbi(domain, result, rank, target, op, operand1, operand2, flags,            \
                           "gex_AD_OpNBI_" #SUFFIX);                                               \
    }
OPERATIONS(I32, std::int32_t)
OPERATIONS(U32, std::uint32_t)
OPERATIONS(I64, std::int64_t)
OPERATIONS(U64, std::uint64_t)
OPERATIONS(FLT, float)
OPERATIONS(DBL, double)
#undef OPERATIONS
