// The extended API, as far as it is not inlined (isthmus/gasnet_transfer.h): what is far, in
// checked mode, or outside of the window.
//
// Far operations without a handle are the road's, and waiting for them is quiet: it may include
// those of other threads, which costs time and nothing else. Those with a handle have one of their
// own (core/reach/handle.hpp).
#include <algorithm>
#include <cstring>

#include "api/gasnet/face.hpp"
#include "core/copy/copy.hpp"
#include "core/reach/far.hpp"
#include "core/reach/handle.hpp"
#include "core/reach/operation.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

constexpr std::size_t kBulk = 2048;  // shorter ones are copied aside

gasnet_handle_t word_of(far::Handle& handle) {
    return reinterpret_cast<gasnet_handle_t>(&handle);
}
far::Handle& handle_of(gasnet_handle_t word) {
    return *reinterpret_cast<far::Handle*>(word);
}

// Of this thread's operations without a handle.
struct Implicit {
    bool issued;  // to far nodes, since the last wait
    bool in_region;
    bool issued_before_it;  // what `issued` was there
    gasnet_handle_t tried;  // of a try that was not successful: what had been issued by then
};
thread_local Implicit implicit __attribute__((tls_model("initial-exec")));

// Where the memory of the node is found here; nothing if only the road leads there. Ends the job if
// there is no such node, and in checked mode if the memory is not the node's segment.
operation::Target find(const void* address, std::size_t bytes, gasnet_node_t node,
                       const char* routine) {
    require_attached(routine);
    if (node >= window.pes)
        fail(routine, Text("node ", node, " is out of range 0..", window.pes - 1));
    const int pe = static_cast<int>(node);
    if (job.checked && bytes != 0 && !is_in_segment(address, bytes, pe))
        fail(routine, why_not_in_segment(address, bytes, pe));
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

void put_bulk(void* dest, const void* source, std::size_t bytes, gasnet_node_t node,
              const char* routine) {
    const int pe = static_cast<int>(node);
    if (bytes < kBulk && !far::view.is_late) return put_far(dest, source, bytes, node, routine);
    operation::put_nbi(find(dest, bytes, node, routine), dest, source, bytes, pe, routine);
}

void complete(gasnet_node_t node) {
    if (!far::present || is_near(static_cast<int>(node))) return;
    const int pe = static_cast<int>(node);
    far::road->quiet(&pe, 1);
}

// What this thread has issued to the node so far, as a handle.
gasnet_handle_t handle_of_issued(int pe, const char* routine) {
    if (!far::present || far::is_quiet()) return GASNET_INVALID_HANDLE;
    return word_of(far::begin_quiet(pe, routine));
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

// ---- tables of handles

// Tests those that are valid; how many still are, and how many became complete.
struct Count {
    std::size_t under_way = 0;
    std::size_t complete = 0;
};
Count test_all(gasnet_handle_t* handles, std::size_t count) {
    Count found;
    for (std::size_t i = 0; i < count; ++i) {
        if (handles[i] == GASNET_INVALID_HANDLE) continue;
        if (far::test(handle_of(handles[i]))) {
            handles[i] = GASNET_INVALID_HANDLE;
            ++found.complete;
        } else {
            ++found.under_way;
        }
    }
    return found;
}
bool is_some(const Count& found) {
    return found.complete != 0 || found.under_way == 0;
}
bool is_all(const Count& found) {
    return found.under_way == 0;
}
template <typename Enough>
void wait_for_handles(gasnet_handle_t* handles, std::size_t count, Enough enough) {
    poll();
    if (enough(test_all(handles, count))) return;
    wait_for({Routine::gasnet_wait_syncnb, -1, nullptr, WaitFor::memory}, [&] {
        poll_if_come();
        return enough(test_all(handles, count));
    });
}
int code(bool done) {
    return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

// ---- operations without a handle

void require_no_region(const char* routine) {
    if (implicit.in_region) fail(routine, "called within an access region");
}

void wait_for_implicit(const char* routine) {
    require_no_region(routine);
    poll();
    if (implicit.tried != GASNET_INVALID_HANDLE) {
        far::await(handle_of(implicit.tried));
        far::give_back(handle_of(implicit.tried));
        implicit.tried = GASNET_INVALID_HANDLE;
    }
    if (!implicit.issued) return;
    implicit.issued = false;
    if (!far::is_quiet()) far::quiet();
}

int try_implicit(const char* routine) {
    require_no_region(routine);
    poll();
    if (implicit.tried == GASNET_INVALID_HANDLE) {
        if (!implicit.issued) return GASNET_OK;
        implicit.issued = false;
        if (!far::present) return GASNET_OK;
        implicit.tried = word_of(far::begin_quiet(far::Channel::kAll, routine));
    }
    if (!far::test(handle_of(implicit.tried))) return GASNET_ERR_NOT_READY;
    implicit.tried = GASNET_INVALID_HANDLE;
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

ISTHMUS_API void isthmus_gasnet_put(gasnet_node_t node, void* dest, const void* src,
                                    size_t nbytes) {
    put_bulk(dest, src, nbytes, node, "gasnet_put");
    complete(node);
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
    constexpr const char* kRoutine = "gasnet_put_nb_bulk";
    const operation::Target there = find(dest, nbytes, node, kRoutine);
    if (!there && nbytes != 0)
        return word_of(far::begin_put(dest, src, nbytes, static_cast<int>(node), kRoutine));
    if (there) copy(*there, src, nbytes);
    return GASNET_INVALID_HANDLE;
}

ISTHMUS_API void isthmus_gasnet_get(void* dest, gasnet_node_t node, const void* src,
                                    size_t nbytes) {
    constexpr const char* kRoutine = "gasnet_get";
    operation::get(find(src, nbytes, node, kRoutine), dest, src, nbytes, static_cast<int>(node),
                   kRoutine);
}
ISTHMUS_API void isthmus_gasnet_get_nbi(void* dest, gasnet_node_t node, const void* src,
                                        size_t nbytes) {
    constexpr const char* kRoutine = "gasnet_get_nbi";
    implicit.issued = true;
    operation::get_nbi(find(src, nbytes, node, kRoutine), dest, src, nbytes, static_cast<int>(node),
                       kRoutine);
}
ISTHMUS_API gasnet_handle_t isthmus_gasnet_get_nb(void* dest, gasnet_node_t node, const void* src,
                                                  size_t nbytes) {
    constexpr const char* kRoutine = "gasnet_get_nb";
    const operation::Target there = find(src, nbytes, node, kRoutine);
    if (!there && nbytes != 0)
        return word_of(far::begin_get(far::take_handle(kRoutine), dest, src, nbytes,
                                      static_cast<int>(node), kRoutine));
    if (there) copy(dest, *there, nbytes);
    return GASNET_INVALID_HANDLE;
}

ISTHMUS_API gasnet_valget_handle_t isthmus_gasnet_get_nb_val(gasnet_node_t node, const void* src,
                                                             size_t nbytes) {
    constexpr const char* kRoutine = "gasnet_get_nb_val";
    gasnet_valget_handle_t result{0, GASNET_INVALID_HANDLE};
    if (nbytes > sizeof result.value)
        fail(kRoutine, Text("a value of ", nbytes, " bytes; at most ", sizeof result.value));
    if (const operation::Target there = find(src, nbytes, node, kRoutine)) {
        std::memcpy(&result.value, *there, nbytes);
    } else if (nbytes != 0) {
        far::Handle& handle = far::take_handle(kRoutine);
        handle.word = 0;
        far::begin_get(handle, &handle.word, src, nbytes, static_cast<int>(node), kRoutine);
        result.under_way = word_of(handle);
    }
    return result;
}
ISTHMUS_API gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle) {
    poll();
    if (handle.under_way == GASNET_INVALID_HANDLE) return handle.value;
    far::Handle& mine = handle_of(handle.under_way);
    far::await(mine);
    const std::uint64_t value = mine.word;
    far::give_back(mine);
    return value;
}

ISTHMUS_API void gasnet_memset(gasnet_node_t node, void* dest, int value, size_t nbytes) {
    fill(node, dest, value, nbytes, "gasnet_memset");
    complete(node);
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

ISTHMUS_API void isthmus_gasnet_wait_handle(gasnet_handle_t handle) {
    poll();
    note(Routine::gasnet_wait_syncnb);
    far::await(handle_of(handle));
    far::give_back(handle_of(handle));
}
ISTHMUS_API int isthmus_gasnet_try_handle(gasnet_handle_t handle) {
    return code(far::test(handle_of(handle)));
}

ISTHMUS_API void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t count) {
    wait_for_handles(handles, count, is_all);
}
ISTHMUS_API void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t count) {
    wait_for_handles(handles, count, is_some);
}
ISTHMUS_API int gasnet_try_syncnb_all_nopoll(gasnet_handle_t* handles, size_t count) {
    return code(is_all(test_all(handles, count)));
}
ISTHMUS_API int gasnet_try_syncnb_some_nopoll(gasnet_handle_t* handles, size_t count) {
    return code(is_some(test_all(handles, count)));
}
ISTHMUS_API int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t count) {
    poll();
    return gasnet_try_syncnb_all_nopoll(handles, count);
}
ISTHMUS_API int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t count) {
    poll();
    return gasnet_try_syncnb_some_nopoll(handles, count);
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
    require_attached("gasnet_begin_nbi_accessregion");
    require_no_region("gasnet_begin_nbi_accessregion");
    implicit.in_region = true;
    implicit.issued_before_it = implicit.issued;
    implicit.issued = false;
}
ISTHMUS_API gasnet_handle_t gasnet_end_nbi_accessregion(void) {
    if (!implicit.in_region)
        fail("gasnet_end_nbi_accessregion", "called without gasnet_begin_nbi_accessregion");
    const bool issued = implicit.issued;
    implicit.in_region = false;
    implicit.issued = implicit.issued_before_it;
    return issued ? handle_of_issued(far::Channel::kAll, "gasnet_end_nbi_accessregion")
                  : GASNET_INVALID_HANDLE;
}
