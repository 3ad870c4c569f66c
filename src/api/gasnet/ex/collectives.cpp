// Collectives of GASNet-EX (gasnet_coll.h): exchanges of blocks. A reduction is everybody's blocks
// at the root, combined there in the order of ranks; one to all is followed by a broadcast.
#include "api/gasnet/face.hpp"

#include <gasnet_coll.h>

#include <algorithm>
#include <cstring>

#include "api/gasnet/events.hpp"
#include "api/gasnet/ex/objects.hpp"
#include "core/wait/in_handler.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

using namespace isthmus::gasnet::collectives;
using Collective = isthmus_gasnet_collective;

Team& members_of(gex_TM_t team, const char* routine) {
    require_client(routine);
    if (job.checked) require_allowed(routine);
    return *team_of(team, routine).team;
}
int checked_root(const Team& team, gex_Rank_t root, const char* routine) {
    if (root >= static_cast<gex_Rank_t>(team.size()))
        fail(routine, Text("root ", root, " is out of range 0..", team.size() - 1));
    return static_cast<int>(root);
}

// Begun; an event unless it is complete already.
gex_Event_t event_of(std::unique_ptr<Collective> collective) {
    if (is_complete(*collective)) return GEX_EVENT_INVALID;
    return events::of(collective.release());
}

// All other ranks, this one's successor first, so that not all begin with the same.
template <typename Use>
void for_others(const Team& team, Use&& use) {
    for (int step = 1; step < team.size(); ++step)
        use((team.rank + step) % team.size());
}

Exchange barrier() {
    Exchange exchange;
    exchange.in_allsync = true;
    return exchange;
}

Exchange broadcast(const Team& team, int root, void* dst, const void* src, std::size_t bytes) {
    Exchange exchange;
    if (bytes == 0) return exchange;
    if (team.rank != root) {
        exchange.takes.push_back({root, static_cast<char*>(dst), bytes});
        return exchange;
    }
    for_others(team, [&](int rank) {
        exchange.gives.push_back({rank, static_cast<const char*>(src), bytes});
    });
    if (dst != src) exchange.finish = [=] { std::memmove(dst, src, bytes); };
    return exchange;
}

// ---- operations

template <typename T>
T combined(gex_OP_t op, T one, T other) {
    switch (op) {
        // Unsigned: it wraps around.
        case GEX_OP_ADD:
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(std::make_unsigned_t<T>(one) +
                                      std::make_unsigned_t<T>(other));
            else
                return one + other;
        case GEX_OP_MULT:
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(std::make_unsigned_t<T>(one) *
                                      std::make_unsigned_t<T>(other));
            else
                return one * other;
        case GEX_OP_MIN: return std::min(one, other);
        case GEX_OP_MAX: return std::max(one, other);
        default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        switch (op) {
            case GEX_OP_AND: return one & other;
            case GEX_OP_OR: return one | other;
            case GEX_OP_XOR: return one ^ other;
            default: break;
        }
    }
    return one;
}

// arg2_and_out[i] = arg1[i] op arg2_and_out[i], of elements at any address.
template <typename T>
void combine(gex_OP_t op, const char* arg1, char* arg2_and_out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T one;
        T other;
        std::memcpy(&one, arg1 + i * sizeof(T), sizeof one);
        std::memcpy(&other, arg2_and_out + i * sizeof(T), sizeof other);
        const T result = combined(op, one, other);
        std::memcpy(arg2_and_out + i * sizeof(T), &result, sizeof result);
    }
}

struct Operands {
    gex_DT_t dt;
    std::size_t size;
    std::size_t count;
    gex_OP_t op;
    gex_Coll_ReduceFn_t function;
    void* cdata;

    std::size_t bytes() const { return size * count; }
    void operator()(const char* arg1, char* arg2_and_out) const {
        if (function) return function(arg1, arg2_and_out, count, cdata);
        switch (dt) {
            case GEX_DT_I32: return combine<std::int32_t>(op, arg1, arg2_and_out, count);
            case GEX_DT_U32: return combine<std::uint32_t>(op, arg1, arg2_and_out, count);
            case GEX_DT_I64: return combine<std::int64_t>(op, arg1, arg2_and_out, count);
            case GEX_DT_U64: return combine<std::uint64_t>(op, arg1, arg2_and_out, count);
            case GEX_DT_FLT: return combine<float>(op, arg1, arg2_and_out, count);
            default: return combine<double>(op, arg1, arg2_and_out, count);
        }
    }
};

std::size_t size_of(gex_DT_t dt) {
    switch (dt) {
        case GEX_DT_I32:
        case GEX_DT_U32:
        case GEX_DT_FLT: return 4;
        case GEX_DT_I64:
        case GEX_DT_U64:
        case GEX_DT_DBL: return 8;
        default: return 0;
    }
}

Operands checked_operands(Operands operands, const char* routine) {
    constexpr gex_OP_t kArithmetic = GEX_OP_ADD | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX;
    constexpr gex_OP_t kBits = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
    const bool is_users = operands.op == GEX_OP_USER || operands.op == GEX_OP_USER_NC;
    if (is_users) {
        if (!operands.function)
            fail(routine, "the operation is the client's, and its function null");
        return operands;
    }
    operands.function = nullptr;
    const std::size_t size = size_of(operands.dt);
    if (size == 0)
        fail(routine,
             Text("type ", operands.dt, " has no operations but GEX_OP_USER and _USER_NC"));
    if (operands.size != size)
        fail(routine,
             Text("elements of ", operands.size, " bytes; those of this type have ", size));
    const bool is_real = operands.dt == GEX_DT_FLT || operands.dt == GEX_DT_DBL;
    const gex_OP_t known = is_real ? kArithmetic : kArithmetic | kBits;
    if ((operands.op & known) == 0 || (operands.op & (operands.op - 1)) != 0)
        fail(routine, Text("operation ", operands.op, " is none of a reduction of this type"));
    return operands;
}

Exchange reduce(const Team& team, int root, void* dst, const void* src, const Operands& operands) {
    Exchange exchange;
    const std::size_t bytes = operands.bytes();
    if (bytes == 0) return exchange;
    if (team.rank != root) {
        exchange.gives.push_back({root, static_cast<const char*>(src), bytes});
        return exchange;
    }
    // Everybody's, side by side. The function takes what is nearer to the end second.
    exchange.room.resize(static_cast<std::size_t>(team.size()) * bytes);
    char* const all = exchange.room.data();
    const auto block = [=](int rank) { return all + static_cast<std::size_t>(rank) * bytes; };
    for_others(team, [&](int rank) { exchange.takes.push_back({rank, block(rank), bytes}); });
    exchange.finish = [=, size = team.size()] {
        std::memcpy(block(root), src, bytes);
        for (int rank = size - 2; rank >= 0; --rank)
            operands(block(rank), block(size - 1));
        std::memcpy(dst, block(size - 1), bytes);
    };
    return exchange;
}

gex_Event_t begin_one(Team& team, Exchange exchange) {
    auto collective = std::make_unique<Collective>();
    begin(team, std::move(exchange), *collective);
    return event_of(std::move(collective));
}

}  // namespace

ISTHMUS_API gex_Event_t gex_Coll_BarrierNB(gex_TM_t team, gex_Flags_t) {
    constexpr const char* kRoutine = "gex_Coll_BarrierNB";
    Team& members = members_of(team, kRoutine);
    return whole(kRoutine, [&] { return begin_one(members, barrier()); });
}
ISTHMUS_API void gex_Coll_BarrierBlocking(gex_TM_t team, gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_Coll_BarrierBlocking";
    if (is_wait_in_handler()) refuse_wait_in_handler(kRoutine);
    events::wait(gex_Coll_BarrierNB(team, flags), kRoutine, Routine::gex_Coll_BarrierBlocking);
}
ISTHMUS_API gex_Event_t gex_Coll_BroadcastNB(gex_TM_t team, gex_Rank_t root, void* dst,
                                             const void* src, size_t nbytes, gex_Flags_t) {
    constexpr const char* kRoutine = "gex_Coll_BroadcastNB";
    Team& members = members_of(team, kRoutine);
    const int from = checked_root(members, root, kRoutine);
    return whole(kRoutine,
                 [&] { return begin_one(members, broadcast(members, from, dst, src, nbytes)); });
}
ISTHMUS_API gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t team, gex_Rank_t root, void* dst,
                                               const void* src, gex_DT_t dt, size_t dt_size,
                                               size_t count, gex_OP_t op,
                                               gex_Coll_ReduceFn_t function, void* cdata,
                                               gex_Flags_t) {
    constexpr const char* kRoutine = "gex_Coll_ReduceToOneNB";
    Team& members = members_of(team, kRoutine);
    const int to = checked_root(members, root, kRoutine);
    const Operands operands = checked_operands({dt, dt_size, count, op, function, cdata}, kRoutine);
    return whole(kRoutine,
                 [&] { return begin_one(members, reduce(members, to, dst, src, operands)); });
}
ISTHMUS_API gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t team, void* dst, const void* src,
                                               gex_DT_t dt, size_t dt_size, size_t count,
                                               gex_OP_t op, gex_Coll_ReduceFn_t function,
                                               void* cdata, gex_Flags_t) {
    constexpr const char* kRoutine = "gex_Coll_ReduceToAllNB";
    constexpr int kRoot = 0;
    Team& members = members_of(team, kRoutine);
    const Operands operands = checked_operands({dt, dt_size, count, op, function, cdata}, kRoutine);
    return whole(kRoutine, [&] {
        auto collective = std::make_unique<Collective>();
        begin(members, reduce(members, kRoot, dst, src, operands), *collective);
        Exchange back = broadcast(members, kRoot, dst, dst, operands.bytes());
        back.after_previous = true;
        begin(members, std::move(back), *collective);
        return event_of(std::move(collective));
    });
}
