// The collectives of gasnet_coll.h: which blocks each exchanges, and handles of them.
#include <algorithm>
#include <cstring>

#include "api/gasnet/exchange.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

using namespace isthmus::gasnet::collectives;
using Handle = isthmus_gasnet_collective;

// What gasnet_coll_init was given.
struct Functions {
    std::vector<gasnet_coll_fn_entry_t> table;
};
Lasting<Functions> functions;

// Of this thread: what calls with GASNET_COLL_AGGREGATE have begun.
thread_local Handle* open_handle __attribute__((tls_model("initial-exec"))) = nullptr;

// A call: its team, what it exchanges, and the routine for messages.
class Call {
  public:
    Call(gasnet_team_handle_t team, int flags, const char* routine)
        : team_(team_of(team, routine)), flags_(flags), routine_(routine) {
        if (job.checked) require_allowed(routine);
        exchange_.in_allsync = (flags & GASNET_COLL_IN_ALLSYNC) != 0;
        exchange_.out_allsync = (flags & GASNET_COLL_OUT_ALLSYNC) != 0;
    }

    int rank() const { return team_.rank; }
    int size() const { return team_.size(); }
    bool is_root(gasnet_image_t image) const {
        if (image >= static_cast<gasnet_image_t>(size()))
            fail(routine_, Text("image ", image, " is out of range 0..", size() - 1));
        return image == static_cast<gasnet_image_t>(rank());
    }
    // This node's address of a list.
    void* own(void* const* list) const {
        return (flags_ & GASNET_COLL_SINGLE) != 0 ? list[rank()] : list[0];
    }

    void give(int to, const void* from, std::size_t bytes) {
        if (bytes != 0) exchange_.gives.push_back({to, static_cast<const char*>(from), bytes});
    }
    void take(int from, void* to, std::size_t bytes) {
        if (bytes != 0) exchange_.takes.push_back({from, static_cast<char*>(to), bytes});
    }
    // All other ranks, this one's successor first, so that not all begin with the same.
    template <typename Use>
    void for_others(Use&& use) const {
        for (int step = 1; step < size(); ++step)
            use((rank() + step) % size());
    }
    // Until behind at_end(); it stays where it is.
    char* make_room(std::size_t bytes) {
        exchange_.room.resize(bytes);
        return exchange_.room.data();
    }
    // Within the node, when data may move: before anything is given back.
    void copy_here(void* to, const void* from, std::size_t bytes) {
        if (to != from && bytes != 0) copies_.push_back({to, from, bytes});
    }
    void at_end(std::function<void()> last) { last_ = std::move(last); }

    Handle* begin() {
        exchange_.finish = [copies = std::move(copies_), last = std::move(last_)] {
            for (const Copy& copy : copies)
                std::memmove(copy.to, copy.from, copy.bytes);
            if (last) last();
        };
        Handle* const handle = open_handle ? open_handle : new Handle;
        collectives::begin(team_, std::move(exchange_), *handle);
        const bool goes_on = (flags_ & GASNET_COLL_AGGREGATE) != 0;
        open_handle = goes_on ? handle : nullptr;
        return goes_on ? GASNET_COLL_INVALID_HANDLE : handle;
    }

  private:
    struct Copy {
        void* to;
        const void* from;
        std::size_t bytes;
    };
    Team& team_;
    int flags_;
    const char* routine_;
    Exchange exchange_;
    std::vector<Copy> copies_;
    std::function<void()> last_;
};

char* block(void* base, int number, std::size_t bytes) {
    return static_cast<char*>(base) + static_cast<std::size_t>(number) * bytes;
}

Handle* broadcast(Call call, void* dst, gasnet_image_t root, void* src, std::size_t bytes) {
    if (call.is_root(root)) {
        call.for_others([&](int rank) { call.give(rank, src, bytes); });
        call.copy_here(dst, src, bytes);
    } else {
        call.take(static_cast<int>(root), dst, bytes);
    }
    return call.begin();
}

Handle* scatter(Call call, void* dst, gasnet_image_t root, void* src, std::size_t bytes) {
    if (call.is_root(root)) {
        call.for_others([&](int rank) { call.give(rank, block(src, rank, bytes), bytes); });
        call.copy_here(dst, block(src, call.rank(), bytes), bytes);
    } else {
        call.take(static_cast<int>(root), dst, bytes);
    }
    return call.begin();
}

Handle* gather(Call call, gasnet_image_t root, void* dst, void* src, std::size_t bytes) {
    if (call.is_root(root)) {
        call.for_others([&](int rank) { call.take(rank, block(dst, rank, bytes), bytes); });
        call.copy_here(block(dst, call.rank(), bytes), src, bytes);
    } else {
        call.give(static_cast<int>(root), src, bytes);
    }
    return call.begin();
}

Handle* gather_all(Call call, void* dst, void* src, std::size_t bytes) {
    call.for_others([&](int rank) {
        call.give(rank, src, bytes);
        call.take(rank, block(dst, rank, bytes), bytes);
    });
    call.copy_here(block(dst, call.rank(), bytes), src, bytes);
    return call.begin();
}

Handle* exchange(Call call, void* dst, void* src, std::size_t bytes) {
    call.for_others([&](int rank) {
        call.give(rank, block(src, rank, bytes), bytes);
        call.take(rank, block(dst, rank, bytes), bytes);
    });
    call.copy_here(block(dst, call.rank(), bytes), block(src, call.rank(), bytes), bytes);
    return call.begin();
}

// What is reduced, in elements.
struct Operands {
    std::size_t block_size;
    std::size_t offset;
    std::size_t size;
    std::size_t count;
    gasnet_coll_fn_handle_t function;
    int argument;
    std::size_t dst_block_size = 0;  // of a scan
    std::size_t dst_offset = 0;
};

gasnet_coll_fn_entry_t function_of(const Operands& operands, const char* routine) {
    const auto& table = functions->table;
    if (operands.block_size != 0 || operands.offset != 0)
        fail(routine, "src_blksz and src_offset are not 0; data in blocks is not offered");
    if (operands.dst_block_size != 0 || operands.dst_offset != 0)
        fail(routine, "dst_blksz and dst_offset are not 0; data in blocks is not offered");
    if (operands.function < 0 || static_cast<std::size_t>(operands.function) >= table.size())
        fail(routine, Text("function ", operands.function, " is none of the ", table.size(),
                           " that gasnet_coll_init was given"));
    return table[static_cast<std::size_t>(operands.function)];
}

Handle* reduce(Call call, gasnet_image_t root, void* dst, void* src, const Operands& operands,
               const char* routine) {
    const gasnet_coll_fn_entry_t function = function_of(operands, routine);
    const std::size_t bytes = operands.size * operands.count;
    if (!call.is_root(root)) {
        call.give(static_cast<int>(root), src, bytes);
        return call.begin();
    }
    // Everybody's, side by side; combined in the order of ranks.
    char* const all = call.make_room(static_cast<std::size_t>(call.size()) * bytes);
    call.for_others([&](int rank) { call.take(rank, block(all, rank, bytes), bytes); });
    call.copy_here(block(all, call.rank(), bytes), src, bytes);
    call.at_end([=, size = call.size()] {
        std::memcpy(dst, all, bytes);
        for (int rank = 1; rank < size; ++rank)
            function.fnptr(dst, operands.count, dst, operands.count, block(all, rank, bytes),
                           operands.size, static_cast<int>(function.flags), operands.argument);
    });
    return call.begin();
}

// At each rank what those before it have, combined, and its own with it unless it is exclusive:
// rank 0 then gets nothing.
Handle* scan(Call call, void* dst, void* src, const Operands& operands, int flags,
             const char* routine) {
    constexpr int kBoth = GASNET_COLL_INCLUSIVE_SCAN | GASNET_COLL_EXCLUSIVE_SCAN;
    const gasnet_coll_fn_entry_t function = function_of(operands, routine);
    const bool is_inclusive = (flags & kBoth) == GASNET_COLL_INCLUSIVE_SCAN;
    if (!is_inclusive && (flags & kBoth) != GASNET_COLL_EXCLUSIVE_SCAN)
        fail(routine,
             "flags are to have one of GASNET_COLL_INCLUSIVE_SCAN and GASNET_COLL_EXCLUSIVE_SCAN");
    const std::size_t bytes = operands.size * operands.count;
    const int mine = call.rank();
    char* const all = call.make_room((static_cast<std::size_t>(mine) + 1) * bytes);
    call.for_others([&](int rank) {
        if (rank > mine)
            call.give(rank, src, bytes);
        else
            call.take(rank, block(all, rank, bytes), bytes);
    });
    call.copy_here(block(all, mine, bytes), src, bytes);
    call.at_end([=, last = is_inclusive ? mine : mine - 1] {
        if (last < 0) return;
        std::memcpy(dst, all, bytes);
        for (int rank = 1; rank <= last; ++rank)
            function.fnptr(dst, operands.count, dst, operands.count, block(all, rank, bytes),
                           operands.size, static_cast<int>(function.flags), operands.argument);
    });
    return call.begin();
}

bool is_done(Handle*& handle) {
    if (!handle || !is_complete(*handle)) return !handle;
    delete handle;
    handle = GASNET_COLL_INVALID_HANDLE;
    return true;
}

struct Count {
    std::size_t under_way = 0;
    std::size_t complete = 0;
};
Count test_all(Handle** handles, std::size_t count) {
    Count found;
    for (std::size_t i = 0; i < count; ++i) {
        if (!handles[i]) continue;
        ++(is_done(handles[i]) ? found.complete : found.under_way);
    }
    return found;
}
bool is_all(const Count& found) {
    return found.under_way == 0;
}
bool is_some(const Count& found) {
    return found.complete != 0 || found.under_way == 0;
}
int try_handles(Handle** handles, std::size_t count, bool (*enough)(const Count&)) {
    poll();
    return enough(test_all(handles, count)) ? GASNET_OK : GASNET_ERR_NOT_READY;
}
void wait_for_handles(Handle** handles, std::size_t count, bool (*enough)(const Count&)) {
    note(Routine::gasnet_coll_wait_sync);
    wait_wakeable({Routine::gasnet_coll_wait_sync}, kNoDeadline, [&] {
        const int handled = poll_if_come();
        return look_of(enough(test_all(handles, count)), handled);
    });
}

}  // namespace

ISTHMUS_API void gasnet_coll_init(const gasnet_image_t* images, gasnet_image_t,
                                  gasnet_coll_fn_entry_t* fn_tbl, size_t fn_count, int) {
    constexpr const char* kRoutine = "gasnet_coll_init";
    require_attached(kRoutine);
    for (int node = 0; images && node < job.pes; ++node)
        if (images[node] != 1)
            fail(kRoutine,
                 Text("node ", node, " is to have ", images[node], " images; each has one here"));
    functions->table.assign(fn_tbl, fn_tbl ? fn_tbl + fn_count : fn_tbl);
}

ISTHMUS_API void gasnet_coll_wait_sync(gasnet_coll_handle_t handle) {
    wait_for_handles(&handle, 1, is_all);
}
ISTHMUS_API int gasnet_coll_try_sync(gasnet_coll_handle_t handle) {
    return try_handles(&handle, 1, is_all);
}
ISTHMUS_API void gasnet_coll_wait_sync_some(gasnet_coll_handle_t* handles, size_t count) {
    wait_for_handles(handles, count, is_some);
}
ISTHMUS_API int gasnet_coll_try_sync_some(gasnet_coll_handle_t* handles, size_t count) {
    return try_handles(handles, count, is_some);
}
ISTHMUS_API void gasnet_coll_wait_sync_all(gasnet_coll_handle_t* handles, size_t count) {
    wait_for_handles(handles, count, is_all);
}
ISTHMUS_API int gasnet_coll_try_sync_all(gasnet_coll_handle_t* handles, size_t count) {
    return try_handles(handles, count, is_all);
}

// Each name in four forms: of addresses and of lists, blocking and with a handle.
#define WITH_HANDLE(NAME, PARAMETERS, CALL)                               \
    ISTHMUS_API gasnet_coll_handle_t gasnet_coll_##NAME##_nb PARAMETERS { \
        constexpr const char* kRoutine = "gasnet_coll_" #NAME "_nb";      \
        Call call(team, flags, kRoutine);                                 \
        return CALL;                                                      \
    }                                                                     \
    ISTHMUS_API void gasnet_coll_##NAME PARAMETERS {                      \
        constexpr const char* kRoutine = "gasnet_coll_" #NAME;            \
        Call call(team, flags & ~GASNET_COLL_AGGREGATE, kRoutine);        \
        gasnet_coll_wait_sync(CALL);                                      \
    }
#define LIST void* const

WITH_HANDLE(broadcast,
            (gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
             size_t nbytes, int flags),
            broadcast(call, dst, srcimage, src, nbytes))
WITH_HANDLE(broadcastM,
            (gasnet_team_handle_t team, LIST dstlist[], gasnet_image_t srcimage, void* src,
             size_t nbytes, int flags),
            broadcast(call, call.own(dstlist), srcimage, src, nbytes))
WITH_HANDLE(scatter,
            (gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
             size_t nbytes, int flags),
            scatter(call, dst, srcimage, src, nbytes))
WITH_HANDLE(scatterM,
            (gasnet_team_handle_t team, LIST dstlist[], gasnet_image_t srcimage, void* src,
             size_t nbytes, int flags),
            scatter(call, call.own(dstlist), srcimage, src, nbytes))
WITH_HANDLE(gather,
            (gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, void* src,
             size_t nbytes, int flags),
            gather(call, dstimage, dst, src, nbytes))
WITH_HANDLE(gatherM,
            (gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, LIST srclist[],
             size_t nbytes, int flags),
            gather(call, dstimage, dst, call.own(srclist), nbytes))
WITH_HANDLE(gather_all, (gasnet_team_handle_t team, void* dst, void* src, size_t nbytes, int flags),
            gather_all(call, dst, src, nbytes))
WITH_HANDLE(gather_allM,
            (gasnet_team_handle_t team, LIST dstlist[], LIST srclist[], size_t nbytes, int flags),
            gather_all(call, call.own(dstlist), call.own(srclist), nbytes))
WITH_HANDLE(exchange, (gasnet_team_handle_t team, void* dst, void* src, size_t nbytes, int flags),
            exchange(call, dst, src, nbytes))
WITH_HANDLE(exchangeM,
            (gasnet_team_handle_t team, LIST dstlist[], LIST srclist[], size_t nbytes, int flags),
            exchange(call, call.own(dstlist), call.own(srclist), nbytes))
WITH_HANDLE(reduce,
            (gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, void* src,
             size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,
             gasnet_coll_fn_handle_t func, int func_arg, int flags),
            reduce(call, dstimage, dst, src,
                   {src_blksz, src_offset, elem_size, elem_count, func, func_arg}, kRoutine))
WITH_HANDLE(reduceM,
            (gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, LIST srclist[],
             size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,
             gasnet_coll_fn_handle_t func, int func_arg, int flags),
            reduce(call, dstimage, dst, call.own(srclist),
                   {src_blksz, src_offset, elem_size, elem_count, func, func_arg}, kRoutine))
WITH_HANDLE(scan,
            (gasnet_team_handle_t team, void* dst, size_t dst_blksz, size_t dst_offset, void* src,
             size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,
             gasnet_coll_fn_handle_t func, int func_arg, int flags),
            scan(call, dst, src,
                 {src_blksz, src_offset, elem_size, elem_count, func, func_arg, dst_blksz,
                  dst_offset},
                 flags, kRoutine))
WITH_HANDLE(scanM,
            (gasnet_team_handle_t team, LIST dstlist[], size_t dst_blksz, size_t dst_offset,
             LIST srclist[], size_t src_blksz, size_t src_offset, size_t elem_size,
             size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags),
            scan(call, call.own(dstlist), call.own(srclist),
                 {src_blksz, src_offset, elem_size, elem_count, func, func_arg, dst_blksz,
                  dst_offset},
                 flags, kRoutine))
#undef LIST
#undef WITH_HANDLE
