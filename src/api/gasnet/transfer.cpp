// The extended API, as far as it is not inlined (isthmus/gasnet_transfer.h): what is far, in
// checked mode, or outside of the window.
//
// Far operations without a handle are the road's, and waiting for them is quiet: it may include
// those of other threads, which costs time and nothing else. Those with a handle have one of their
// own (core/reach/handle.hpp).
#include "api/gasnet/transfer.hpp"

#include <algorithm>
#include <cstring>

#include "api/gasnet/events.hpp"
#include "base/known_objects.hpp"
#include "core/copy/copy.hpp"
#include "core/reach/far.hpp"
#include "core/reach/handle.hpp"
#include "core/reach/operation.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

constexpr std::size_t kBulk = 2048;  // shorter ones are copied aside

using events::handle_of;

// Of this thread's operations without a handle.
struct Implicit {
    bool issued;  // to far nodes, since the last wait
    bool in_region;
    bool issued_before_it;  // what `issued` was there; false outside of regions
    bool has_tried;
    gasnet_handle_t tried;  // of a try that was not successful: what had been issued by then
};
static_assert(offsetof(Implicit, has_tried) == 3);
thread_local Implicit implicit __attribute__((tls_model("initial-exec")));
using FourFlags [[gnu::may_alias]] = std::uint32_t;

[[gnu::noinline]] void check_call(const void* address, std::size_t bytes, int pe,
                                  const char* routine) {
    require_allowed(routine);
    if (bytes != 0 && !is_in_segment(address, bytes, pe))
        fail(routine, why_not_in_segment(address, bytes, pe));
}

// Where the memory of the node is found here; nothing if only the road leads there. Ends the job if
// there is no such node, and in checked mode if the memory is not the node's segment, or this
// thread may not communicate now.
operation::Target find(const void* address, std::size_t bytes, gasnet_node_t node,
                       const char* routine) {
    require_attached(routine);
    if (node >= window.pes)
        fail(routine, Text("node ", node, " is out of range 0..", window.pes - 1));
    const int pe = static_cast<int>(node);
    if (job.checked) [[unlikely]]
        check_call(address, bytes, pe, routine);
    return operation::find_and_serve(address, pe);
}

// To a far node, up to the road's call by as few instructions as may be; the source is free when it
// returns. `offset` is that of `dest` in the heap.
[[gnu::noinline]] void put_otherwise(void* dest, const void* source, std::size_t bytes,
                                     gasnet_node_t node, const char* routine) {
    const int pe = static_cast<int>(node);
    if (!far::put_otherwise(dest, source, bytes, pe))
        operation::put(find(dest, bytes, node, routine), dest, source, bytes, pe, routine);
}
[[gnu::always_inline]] inline void put_far(void* dest, const void* source, std::size_t bytes,
                                           gasnet_node_t node, const char* routine) {
    const std::uint64_t offset = far::offset_in_heap(far::express, dest);
    if (bytes - 1 >= far::express.call.longest || offset > far::express.last) [[unlikely]]
        return put_otherwise(dest, source, bytes, node, routine);
    const int pe = static_cast<int>(node);
    if (!far::is_taken(source, bytes, offset, node)) [[unlikely]]
        far::put_again(dest, source, bytes, pe);
    far::mark_written(pe);
}

[[gnu::noinline]] void put_word_otherwise(void* dest, std::uint64_t value, std::size_t bytes,
                                          std::uint64_t node) {
    implicit.issued = true;
    put_otherwise(dest, &value, bytes, static_cast<gasnet_node_t>(node), "gasnet_put_nbi");
}
// What the road has not taken now.
[[gnu::cold, gnu::noinline]] void put_word_again(void* dest, std::uint64_t value, std::size_t bytes,
                                                 std::uint64_t node) {
    far::put_again(dest, &value, bytes, static_cast<int>(node));
}

void put_bulk(void* dest, const void* source, std::size_t bytes, gasnet_node_t node,
              const char* routine) {
    const int pe = static_cast<int>(node);
    if (bytes < kBulk && !far::view.is_late) return put_far(dest, source, bytes, node, routine);
    operation::put_nbi(find(dest, bytes, node, routine), dest, source, bytes, pe, routine);
}

void complete_at(gasnet_node_t node) {
    if (!far::present || is_near(static_cast<int>(node))) return;
    const int pe = static_cast<int>(node);
    far::road->quiet(&pe, 1);
}

// What this thread has issued to the node so far, as a handle.
gasnet_handle_t handle_of_issued(int pe, const char* routine) {
    if (!far::present || far::is_quiet()) return GASNET_INVALID_HANDLE;
    return events::of(far::begin_quiet(pe, routine));
}

// By pieces of a buffer, where the node is far.
void fill(gasnet_node_t node, void* dest, int value, std::size_t bytes, const char* routine) {
    const operation::Target there = find(dest, bytes, node, routine);
    if (there) {
        std::memset(*there, value, bytes);
        return;
    }
    char pattern[kBulk];
    std::memset(pattern, value, std::min(bytes, sizeof pattern));
    for (std::size_t done = 0; done < bytes; done += sizeof pattern)
        far::put(static_cast<char*>(dest) + done, pattern, std::min(bytes - done, sizeof pattern),
                 static_cast<int>(node), routine);
}

int code(bool done) {
    return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

// ---- operations without a handle

void require_no_region(const char* routine) {
    if (implicit.in_region) fail(routine, "called within an access region");
}

// Neither issued nor in a region: all four words at once.
[[gnu::always_inline]] inline bool is_idle() {
    return is_zero(*reinterpret_cast<const FourFlags*>(&implicit));
}

[[gnu::noinline]] void wait_for_some_implicit(const char* routine) {
    require_no_region(routine);
    poll(routine);
    if (implicit.has_tried) {
        far::await(handle_of(implicit.tried));
        far::give_back(handle_of(implicit.tried));
        implicit.has_tried = false;
    }
    if (!implicit.issued) return;
    implicit.issued = false;
    if (!far::is_quiet()) far::quiet();
}

// Up to 16 instructions where nothing has been issued and nothing has come. It polls all the same,
// but leaves the network to the thread that looks at it.
[[gnu::always_inline]] inline void wait_for_implicit(const char* routine) {
    if (!is_idle() || messages::is_due()) [[unlikely]]
        wait_for_some_implicit(routine);
}

int try_implicit(const char* routine) {
    require_no_region(routine);
    poll(routine);
    if (!implicit.has_tried) {
        if (!implicit.issued) return GASNET_OK;
        implicit.issued = false;
        if (!far::present) return GASNET_OK;
        implicit.tried = events::of(far::begin_quiet(far::Channel::kAll, routine));
        implicit.has_tried = true;
    }
    if (!far::test(handle_of(implicit.tried))) return GASNET_ERR_NOT_READY;
    implicit.has_tried = false;
    return code(!implicit.issued);
}

}  // namespace

Apart::Apart() : issued_before_(implicit.issued) {
    implicit.issued = false;
}
Apart::~Apart() {
    implicit.issued = issued_before_;
}
gasnet_handle_t Apart::handle(const char* routine) const {
    return implicit.issued ? handle_of_issued(far::Channel::kAll, routine) : GASNET_INVALID_HANDLE;
}

void transfer::put(gasnet_node_t node, void* dest, const void* src, std::size_t nbytes,
                   const char* routine) {
    put_bulk(dest, src, nbytes, node, routine);
    complete_at(node);
}
void transfer::put_nbi(gasnet_node_t node, void* dest, const void* src, std::size_t nbytes,
                       Source source, const char* routine) {
    implicit.issued = true;
    if (source == Source::free_on_return)
        put_far(dest, src, nbytes, node, routine);
    else
        put_bulk(dest, src, nbytes, node, routine);
}
gasnet_handle_t transfer::put_nb(gasnet_node_t node, void* dest, const void* src,
                                 std::size_t nbytes, Source source, const char* routine) {
    if (source == Source::free_on_return) {
        put_far(dest, src, nbytes, node, routine);
        return handle_of_issued(static_cast<int>(node), routine);
    }
    const operation::Target there = find(dest, nbytes, node, routine);
    if (!there && nbytes != 0)
        return events::of(far::begin_put(dest, src, nbytes, static_cast<int>(node), routine));
    if (there) copy(*there, src, nbytes);
    return GASNET_INVALID_HANDLE;
}
void transfer::get(void* dest, gasnet_node_t node, const void* src, std::size_t nbytes,
                   const char* routine) {
    operation::get(find(src, nbytes, node, routine), dest, src, nbytes, static_cast<int>(node),
                   routine);
}
void transfer::get_nbi(void* dest, gasnet_node_t node, const void* src, std::size_t nbytes,
                       const char* routine) {
    implicit.issued = true;
    operation::get_nbi(find(src, nbytes, node, routine), dest, src, nbytes, static_cast<int>(node),
                       routine);
}
gasnet_handle_t transfer::get_nb(void* dest, gasnet_node_t node, const void* src,
                                 std::size_t nbytes, const char* routine) {
    const operation::Target there = find(src, nbytes, node, routine);
    if (!there && nbytes != 0)
        return events::of(far::begin_get(far::take_handle(routine), dest, src, nbytes,
                                         static_cast<int>(node), routine));
    if (there) copy(dest, *there, nbytes);
    return GASNET_INVALID_HANDLE;
}
void transfer::note_issued() {
    implicit.issued = true;
}
gasnet_handle_t transfer::handle_of_issued_to(gasnet_node_t node, const char* routine) {
    return handle_of_issued(static_cast<int>(node), routine);
}
void transfer::begin_region(const char* routine) {
    require_attached(routine);
    require_no_region(routine);
    implicit.in_region = true;
    implicit.issued_before_it = implicit.issued;
    implicit.issued = false;
}
gasnet_handle_t transfer::end_region(const char* routine, const char* begin) {
    if (!implicit.in_region) fail(routine, Text("called without ", begin));
    const bool issued = implicit.issued;
    implicit.in_region = false;
    implicit.issued = implicit.issued_before_it;
    implicit.issued_before_it = false;
    return issued ? handle_of_issued(far::Channel::kAll, routine) : GASNET_INVALID_HANDLE;
}
void transfer::wait_for_implicit(const char* routine) {
    ::wait_for_implicit(routine);
}
int transfer::try_implicit(const char* routine) {
    return ::try_implicit(routine);
}
operation::Target transfer::find(const void* address, std::size_t bytes, gasnet_node_t node,
                                 const char* routine) {
    return ::find(address, bytes, node, routine);
}

ISTHMUS_API void isthmus_gasnet_put(gasnet_node_t node, void* dest, const void* src,
                                    size_t nbytes) {
    transfer::put(node, dest, src, nbytes, "gasnet_put");
}
// 16 instructions up to the road's call, 3 of which put into the frame what is needed behind it.
// The order of the arguments is that of the call's.
ISTHMUS_API void isthmus_gasnet_put_nbi_word(void* dest, std::uint64_t value, size_t nbytes,
                                             std::uint64_t node) {
    const std::uint64_t offset = far::offset_in_heap(far::express, dest);
    if (offset > far::express.last) [[unlikely]]
        return put_word_otherwise(dest, value, nbytes, node);
    struct {
        std::uint64_t value;
        std::size_t bytes;
        void* dest;
        std::uint64_t node;
    } frame{value, nbytes, dest, node};
    if (!far::is_taken(&frame.value, nbytes, offset, node)) [[unlikely]]
        put_word_again(frame.dest, frame.value, frame.bytes, frame.node);
    far::mark_written(static_cast<int>(frame.node));
    implicit.issued = true;
}
ISTHMUS_API void isthmus_gasnet_put_nbi(gasnet_node_t node, void* dest, const void* src,
                                        size_t nbytes) {
    implicit.issued = true;
    put_far(dest, src, nbytes, node, "gasnet_put_nbi");
}
ISTHMUS_API void isthmus_gasnet_put_nbi_bulk(gasnet_node_t node, void* dest, const void* src,
                                             size_t nbytes) {
    implicit.issued = true;
    put_bulk(dest, src, nbytes, node, "gasnet_put_nbi_bulk");
}
ISTHMUS_API gasnet_handle_t isthmus_gasnet_put_nb(gasnet_node_t node, void* dest, const void* src,
                                                  size_t nbytes) {
    put_far(dest, src, nbytes, node, "gasnet_put_nb");
    return handle_of_issued(static_cast<int>(node), "gasnet_put_nb");
}
ISTHMUS_API gasnet_handle_t isthmus_gasnet_put_nb_bulk(gasnet_node_t node, void* dest,
                                                       const void* src, size_t nbytes) {
    return transfer::put_nb(node, dest, src, nbytes, transfer::Source::in_use,
                            "gasnet_put_nb_bulk");
}

ISTHMUS_API void isthmus_gasnet_get(void* dest, gasnet_node_t node, const void* src,
                                    size_t nbytes) {
    transfer::get(dest, node, src, nbytes, "gasnet_get");
}
ISTHMUS_API void isthmus_gasnet_get_nbi(void* dest, gasnet_node_t node, const void* src,
                                        size_t nbytes) {
    transfer::get_nbi(dest, node, src, nbytes, "gasnet_get_nbi");
}
ISTHMUS_API gasnet_handle_t isthmus_gasnet_get_nb(void* dest, gasnet_node_t node, const void* src,
                                                  size_t nbytes) {
    return transfer::get_nb(dest, node, src, nbytes, "gasnet_get_nb");
}

namespace {

// In checked mode a value that is there has a handle as well, which is none of an operation: a
// number that no other has had, and the lowest bit.
Lasting<KnownObjects> known_values;

gasnet_handle_t known_value() {
    static constinit std::atomic<std::uintptr_t> number = 0;
    // Relaxed: no two are the same.
    const std::uintptr_t word = number.fetch_add(2, std::memory_order_relaxed) + 1;
    const auto handle =
        reinterpret_cast<gasnet_handle_t>(word);  // NOLINT(performance-no-int-to-ptr)
    whole("gasnet_get_nb_val", [handle] { known_values->add(handle); });
    return handle;
}

// True: it was one of these. Ends the job if it was waited for.
bool is_used_up(gasnet_handle_t handle) {
    const bool is_value = (reinterpret_cast<std::uintptr_t>(handle) & 1) != 0;
    if (is_value ? !known_values->contains(handle) : !far::is_taken_handle(&handle_of(handle)))
        fail("gasnet_wait_syncnb_valget",
             "the handle is none that gasnet_get_nb_val has given, or has been waited for");
    if (is_value) known_values->remove(handle);
    return is_value;
}

}  // namespace

ISTHMUS_API void isthmus_gasnet_refuse_value(size_t nbytes, const char* routine) {
    fail(routine, Text("a value of ", nbytes, " bytes; at most ", sizeof(gasnet_register_value_t)));
}
ISTHMUS_API gasnet_valget_handle_t isthmus_gasnet_get_nb_val(gasnet_node_t node, const void* src,
                                                             size_t nbytes) {
    constexpr const char* kRoutine = "gasnet_get_nb_val";
    gasnet_valget_handle_t result{0, GASNET_INVALID_HANDLE};
    if (nbytes > sizeof result.value) isthmus_gasnet_refuse_value(nbytes, kRoutine);
    if (const operation::Target there = find(src, nbytes, node, kRoutine)) {
        std::memcpy(&result.value, *there, nbytes);
        if (job.checked) result.under_way = known_value();
    } else if (nbytes != 0) {
        far::Handle& handle = far::take_handle(kRoutine);
        handle.word = 0;
        far::begin_get(handle, &handle.word, src, nbytes, static_cast<int>(node), kRoutine);
        result.under_way = events::of(handle);
    }
    return result;
}
ISTHMUS_API gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle) {
    poll("gasnet_wait_syncnb_valget");
    if (handle.under_way == GASNET_INVALID_HANDLE) return handle.value;
    if (job.checked && is_used_up(handle.under_way)) return handle.value;
    far::Handle& mine = handle_of(handle.under_way);
    far::await(mine);
    const std::uint64_t value = mine.word;
    far::give_back(mine);
    return value;
}

ISTHMUS_API void gasnet_memset(gasnet_node_t node, void* dest, int value, size_t nbytes) {
    fill(node, dest, value, nbytes, "gasnet_memset");
    complete_at(node);
}
ISTHMUS_API void gasnet_memset_nbi(gasnet_node_t node, void* dest, int value, size_t nbytes) {
    implicit.issued = true;
    fill(node, dest, value, nbytes, "gasnet_memset_nbi");
}
ISTHMUS_API gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int value,
                                             size_t nbytes) {
    fill(node, dest, value, nbytes, "gasnet_memset_nb");
    return handle_of_issued(static_cast<int>(node), "gasnet_memset_nb");
}

ISTHMUS_API void gasnet_wait_syncnbi_puts(void) {
    wait_for_implicit("gasnet_wait_syncnbi_puts");
}
ISTHMUS_API void gasnet_wait_syncnbi_gets(void) {
    wait_for_implicit("gasnet_wait_syncnbi_gets");
}
ISTHMUS_API void gasnet_wait_syncnbi_all(void) {
    wait_for_implicit("gasnet_wait_syncnbi_all");
}
ISTHMUS_API int gasnet_try_syncnbi_puts(void) {
    return try_implicit("gasnet_try_syncnbi_puts");
}
ISTHMUS_API int gasnet_try_syncnbi_gets(void) {
    return try_implicit("gasnet_try_syncnbi_gets");
}
ISTHMUS_API int gasnet_try_syncnbi_all(void) {
    return try_implicit("gasnet_try_syncnbi_all");
}

ISTHMUS_API void gasnet_begin_nbi_accessregion(void) {
    transfer::begin_region("gasnet_begin_nbi_accessregion");
}
ISTHMUS_API gasnet_handle_t gasnet_end_nbi_accessregion(void) {
    return transfer::end_region("gasnet_end_nbi_accessregion", "gasnet_begin_nbi_accessregion");
}
