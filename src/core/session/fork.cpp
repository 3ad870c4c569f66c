#include "core/session/fork.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "base/error.hpp"
#include "base/error_stream.hpp"
#include "base/exit_now.hpp"
#include "base/os.hpp"
#include "core/job/block_map.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/job/session_object.hpp"
#include "core/job/shown_window.hpp"
#include "core/job/team.hpp"
#include "core/job/window.hpp"
#include "core/segments/directory.hpp"
#include "core/segments/segment.hpp"
#include "core/session/roads.hpp"
#include "core/teams/collective.hpp"

namespace isthmus {
namespace {

// A pipe for the length of a fork. Only the child keeps the writing end open, until it has copied:
// then, or when it dies, or when there is no child because fork failed, the parent reads the end.
// One fork at a time: `forking` is held from prepare to the handlers behind it.
std::mutex forking;
int copied[2] = {-1, -1};
constexpr int kPatience = 30'000;  // milliseconds; for a child that is stopped meanwhile

void prepare() {
    if (forked_child) return;  // its memory is its own; the kernel does the rest
    forking.lock();
    hold_segments();
    hold_directory();
    SessionObject::hold_all();
    // Without a pipe (no file descriptors left) the parent goes on while the child copies.
    if (pipe2(copied, O_CLOEXEC) != 0) copied[0] = copied[1] = -1;
}

void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
}

void wait_for_child() {
    if (forked_child) return;
    // A program that is linked statically has the library's variables among its data, which the
    // child still shares: nothing changes until it has copied.
    if (copied[1] >= 0) close(copied[1]);
    pollfd end{copied[0], POLLIN, 0};
    if (copied[0] >= 0) {
        while (poll(&end, 1, kPatience) < 0 && errno == EINTR) {
        }
    }
    copied[1] = -1;
    close_end(copied[0]);
    SessionObject::let_all_go();
    let_directory_go();
    let_segments_go();
    forking.unlock();
}

// Replaces [begin, begin+size) of the job file by private memory of the same content. Only the
// extents that hold data are copied; a hole stays a hole. Uses no memory but the stack and fresh
// mappings: the program's own variables are being replaced.
void make_private(const Range& range, std::uint64_t offset) {
    if (range.size == 0) return;
    char* const copy = static_cast<char*>(mmap(nullptr, range.size, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (copy == MAP_FAILED) exit_now(127);  // better no child than one that writes into its parent
    auto position = static_cast<off_t>(offset);
    const auto end = static_cast<off_t>(offset + range.size);
    while (position < end) {
        const off_t data = lseek(job.file, position, SEEK_DATA);
        if (data < 0 && errno != ENXIO) exit_now(127);  // ENXIO: from here on there are none
        if (data < 0 || data >= end) break;
        off_t hole = lseek(job.file, data, SEEK_HOLE);
        // Other threads of the parent may give pages back meanwhile.
        if (hole == data) {
            position = data + 1;
            continue;
        }
        if (hole < 0 || hole > end) hole = end;
        const auto begin = static_cast<std::size_t>(data) - offset;
        // Read from the file and not from the range: the address sanitizer guards the gaps between
        // the program's variables, which are copied as well.
        const auto length = static_cast<std::size_t>(hole - data);
        const ssize_t count = pread(job.file, copy + begin, length, data);
        if (count <= 0) exit_now(127);
        position = data + count;
    }
    mremap(copy, range.size, range.size, MREMAP_MAYMOVE | MREMAP_FIXED,
           reinterpret_cast<void*>(range.begin));
}

// Views and queues are used without a look at anything but the generation or the ring: these
// change, so that each use goes the slow way, which ends the child with a message. Where another
// PE's directory was, zeros can be read, which is no segment's generation.
void end_views() {
    for (int pe = 0; pe < job.pes; ++pe) {
        char* const directory = translate(internal_object<char>(kDirectoryOffset), pe);
        // Of this PE it is a copy already. Without another's pages a use of its views is a fault.
        const void* const zeros = mmap(directory, kDirectorySize, PROT_READ,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                                           (pe == job.me ? MAP_FIXED : MAP_FIXED_NOREPLACE),
                                       -1, 0);
        if (zeros == MAP_FAILED && pe == job.me) exit_now(127);
    }
    end_default_segments();
    SessionObject::end_all();
}

void become_private() {
    if (forked_child) return;
    drop_error_stream();
    if (job.heap.size != 0 && !job_file_is_open()) {
        say("isthmus: a forked child ends: the program has closed the library's file, through "
            "which "
            "the child would get memory of its own\n");
        exit_now(127);
    }
    // First: the library's own variables may be in it. A single PE has its static data where it
    // always was.
    if (job.pes > 1 && job.data.size != 0) make_private(job.data, region(job.me) + kDataOffset);
    unshare_shown_page(make_private);
    close_window();
    block_map.close();
    abandon_road();
    window.pes = 0;  // a later call says that this is a forked child
    const auto visit_libraries = [](auto&& visit) {
        for (int i = 0; job.pes > 1 && i < job.library_count; ++i) {
            const LibraryData& library = job.libraries[static_cast<std::size_t>(i)];
            if (library.range.size != 0) visit(library);
        }
    };
    visit_libraries([](const LibraryData& library) {
        make_private(library.range, region(job.me) + kDataOffset + library.offset);
    });
    if (job.heap.size != 0) make_private(job.heap, job_file_offset(job.heap.begin));
    if (job.arena.size != 0) make_private(job.arena, job_file_offset(job.arena.begin));
    for (int pe = 0; pe < job.pes && job.heap.size != 0; ++pe) {
        if (pe == job.me) continue;
        munmap(translate(reinterpret_cast<char*>(job.heap.begin), pe), job.heap.size);
        if (job.arena.size != 0)
            munmap(translate(reinterpret_cast<char*>(job.arena.begin), pe), job.arena.size);
        if (job.data.size != 0)
            munmap(translate(reinterpret_cast<char*>(job.data.begin), pe), job.data.size);
        visit_libraries([pe](const LibraryData& library) {
            munmap(translate(reinterpret_cast<char*>(library.range.begin), pe), library.range.size);
        });
    }
    visit_adopted(make_private);
    SessionObject::let_all_go();
    end_directory_in_child();
    let_directory_go();
    let_segments_go();
    if (job.native) end_views();
    if (isthmus_team_world.slot >= 0) release_teams();
    forked_child = true;
    set_job_end({nullptr, nullptr, false});  // what ends here is the child alone
    close_end(copied[0]);
    close_end(copied[1]);
    forking.unlock();
}

}  // namespace

void protect_forks() {
    static bool done = false;
    if (done) return;
    done = true;
    pthread_atfork(prepare, wait_for_child, become_private);
}

}  // namespace isthmus
