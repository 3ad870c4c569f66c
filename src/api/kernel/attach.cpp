// Coming and going of kernels (isthmus/kernel.h): the job, segments, functions.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "api/kernel/face.hpp"
#include "base/error.hpp"
#include "core/job/heap.hpp"
#include "core/job/shown_window.hpp"
#include "core/session/session.hpp"
#include "core/teams/collective.hpp"
#include "core/teams/collective/agreement.hpp"
#include "core/wait/sleep.hpp"
#include "message/post.hpp"

namespace isthmus::kernel_face {

Lasting<Face> face;

namespace {

constexpr int kMultiple = 3;  // SHMEM's number of the thread level
constexpr std::uint64_t kPage = 4096;
constexpr unsigned kBothRights = ISTHMUS_READ | ISTHMUS_WRITE;

char* allocate(std::uint64_t bytes) {
    const std::lock_guard lock(heap_guard);
    return static_cast<char*>(heap.allocate(bytes, kPage));
}
void release(void* block) {
    const std::lock_guard lock(heap_guard);
    if (block) heap.release(block);
}

// Zeros; whole pages are given back, which takes none of the system's memory.
void clear(char* memory, std::uint64_t bytes) {
    constexpr std::uint64_t kWorthDiscarding = std::uint64_t{1} << 20;
    const std::uint64_t whole = bytes / kPage * kPage;
    const bool discarded =
        bytes >= kWorthDiscarding && discard_pages(reinterpret_cast<std::uintptr_t>(memory), whole);
    const std::uint64_t done = discarded ? whole : 0;
    std::memset(memory + done, 0, bytes - done);
}

int no_room(std::uint64_t bytes, const char* routine) {
    const std::lock_guard lock(heap_guard);
    return refuse(ISTHMUS_NO_MEMORY, routine, "a segment of ", bytes,
                  " bytes: ", no_room_text(bytes, kPage));
}

int attach(std::uint64_t segment_bytes, unsigned rights, const char* routine) {
    enter_session(kMultiple);
    keep_window();
    register_for_wakeups();
    messages::open_post();
    note(Routine::native_kernel_attach);
    const Segment mine{segment_bytes, rights == 0 ? kBothRights : rights};
    face->segments.resize(static_cast<std::size_t>(job.pes));
    share_words(isthmus_team_world, Routine::native_kernel_attach, &mine, sizeof mine,
                face->segments.data());
    std::uint64_t largest = 0;
    for (const Segment& segment : face->segments)
        largest = std::max(largest, segment.bytes);
    char* const control = allocate(sizeof(Control));
    face->memory = control && largest != 0 ? allocate(largest) : nullptr;
    if (!control || (largest != 0 && !face->memory)) {
        const int status = no_room(largest, routine);
        release(control);
        barrier_world();
        leave_session();
        return status;
    }
    clear(control, sizeof(Control));
    if (segment_bytes != 0) clear(face->memory, segment_bytes);
    face->control = reinterpret_cast<Control*>(control);
    open_deliveries();
    face->attached = true;
    barrier_world();  // nobody sends before everybody can be reached
    return ISTHMUS_OK;
}

void detach() {
    constexpr const char* kRoutine = "isthmus_kernel_detach";
    barrier(kRoutine);
    // Nobody sends any more but handlers, of what nobody has waited for.
    while (poll() > 0) {
    }
    barrier(kRoutine);
    barrier_world();
    face->attached = false;
    close_deliveries();
    forget_expected();
    release(face->memory);
    release(face->control);
    *face = Face{};
    leave_session();
}

int check_entries(const isthmus_kernel_entry* entries, std::size_t count, const char* routine) {
    for (std::size_t i = 0; i < count; ++i) {
        const int kernel = entries[i].kernel;
        if (kernel < ISTHMUS_KERNEL_ANY)
            return refuse(ISTHMUS_ARGUMENT, routine, "entry ", i, " is for kernel ", kernel,
                          ", which is neither a number nor ISTHMUS_KERNEL_ANY");
        if (!entries[i].function)
            return refuse(ISTHMUS_ARGUMENT, routine, "entry ", i, " has a null function");
        for (std::size_t k = 0; k < i; ++k) {
            if (entries[k].kernel == kernel)
                return refuse(ISTHMUS_ARGUMENT, routine, "entries ", k, " and ", i,
                              " are for the same kernel, ", kernel);
        }
    }
    return ISTHMUS_OK;
}

const isthmus_kernel_entry* find_entry(const isthmus_kernel_entry* entries, std::size_t count,
                                       int kernel) {
    const isthmus_kernel_entry* any = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        if (entries[i].kernel == kernel) return &entries[i];
        if (entries[i].kernel == ISTHMUS_KERNEL_ANY) any = &entries[i];
    }
    return any;
}

}  // namespace

void require_attached(const char* routine) {
    if (face->attached && isthmus::attached()) [[likely]]
        return;
    fail(routine, forked_child
                      ? "called in a forked child, which is no kernel"
                      : "called before isthmus_kernel_attach or behind isthmus_kernel_detach");
}

const char* begin(Routine noted, const char* routine) {
    require_attached(routine);
    note(noted);
    return routine;
}

}  // namespace isthmus::kernel_face

using namespace isthmus;
using namespace isthmus::kernel_face;

ISTHMUS_API int isthmus_kernel_attach(uint64_t segment_bytes, unsigned rights) {
    const char* routine = "isthmus_kernel_attach";
    if (face->attached) return refuse(ISTHMUS_EXISTS, routine, "the kernel is attached");
    if ((rights & ~kBothRights) != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "rights ", rights,
                      " has bits beside ISTHMUS_READ and ISTHMUS_WRITE");
    return whole(routine, [&] { return attach(segment_bytes, rights, routine); });
}

ISTHMUS_API int isthmus_kernel_detach(void) {
    const char* routine = "isthmus_kernel_detach";
    if (!face->attached && !forked_child)
        return refuse(ISTHMUS_STALE, routine, "the kernel is not attached");
    whole(begin(Routine::native_kernel_detach, routine), detach);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_kernel_run(const isthmus_kernel_entry* entries, size_t count) {
    const char* routine = "isthmus_kernel_run";
    if (face->attached) return refuse(ISTHMUS_EXISTS, routine, "the kernel is attached");
    if (const int status = check_entries(entries, count, routine)) return status;
    whole(routine, [] { enter_session(kMultiple); });
    const isthmus_kernel_entry* const entry = find_entry(entries, count, job.me);
    if (!entry)
        fail(routine, Text("there is no function for kernel ", job.me, "; the job has kernels 0..",
                           job.pes - 1, ", and no entry is for ISTHMUS_KERNEL_ANY"));
    int status = isthmus_kernel_attach(entry->segment_bytes, entry->rights);
    if (status == ISTHMUS_OK) {
        entry->function(job.me, entry->context);
        // A kernel that has detached itself has left.
        if (face->attached) status = isthmus_kernel_detach();
    }
    whole(routine, [] { leave_session(); });
    return status;
}

ISTHMUS_API int isthmus_kernel_id(void) {
    require_attached("isthmus_kernel_id");
    return job.me;
}
ISTHMUS_API int isthmus_kernel_count(void) {
    require_attached("isthmus_kernel_count");
    return job.pes;
}
ISTHMUS_API void* isthmus_kernel_segment(void) {
    require_attached("isthmus_kernel_segment");
    return face->segments[static_cast<std::size_t>(job.me)].bytes == 0 ? nullptr : face->memory;
}
ISTHMUS_API uint64_t isthmus_kernel_segment_bytes(int kernel) {
    require_attached("isthmus_kernel_segment_bytes");
    if (kernel < 0 || kernel >= job.pes) return 0;
    return face->segments[static_cast<std::size_t>(kernel)].bytes;
}
