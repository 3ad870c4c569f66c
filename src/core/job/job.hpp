// The job as one PE sees it: who am I, who else is there, and their memory.
#pragma once

#include <sys/types.h>
#include <string>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "base/text.hpp"
#include "core/job/job_layout.hpp"

namespace isthmus {

// A range of this PE's symmetric memory.
struct Range {
    std::uintptr_t begin = 0;
    std::uint64_t size = 0;
    bool contains(const void* address) const {
        return reinterpret_cast<std::uintptr_t>(address) - begin < size;
    }
    std::uintptr_t end() const { return begin + size; }
};

// Static data of one of the program's libraries; it lies `offset` bytes behind the beginning of the
// program's where offsets are counted, which are the same at every PE.
struct LibraryData {
    Range range;  // empty: private
    std::uint64_t offset = 0;
};
inline constexpr int kMaxLibraries = 64;

struct Job {
    JobHeader* header = nullptr;
    int file = -1;
    dev_t file_device = 0;  // which file that was
    ino_t file_inode = 0;
    int me = 0;
    int pes = 1;
    // Those that share this header, and those of them whose memory is mapped here.
    std::bitset<kMaxPes> host;
    std::bitset<kMaxPes> near;
    bool launched = false;   // by our launcher
    bool managed = false;    // by a process manager; neither: alone
    bool checked = false;    // ISTHMUS_CHECK
    bool native = false;     // isthmus_init has been called in this session
    std::uint32_t spin = 0;  // polls before a wait gives way
    Range heap;              // internal part first, then the user's
    Range data;              // static data of the executable
    std::array<LibraryData, kMaxLibraries> libraries{};  // in the order of loading
    int library_count = 0;
    Range arena;  // room for this PE's segments; empty without the native interface
    std::array<Range, 4> constants;  // read-only parts of the executable, which others may get from
    std::array<unsigned char, 32> secret{};  // of a job of several hosts; the same at every PE
    const char* data_note = "";              // why `data` is empty, if it is
    const char* constants_note = "";  // why `constants` are, if the executable could not be read

    std::atomic<Routine>* noted = nullptr;  // where this PE notes its last call: status().routine

    PeStatus& status() const { return header->pe[me]; }
};
extern Job job __attribute__((visibility("hidden")));

// Every PE makes each call that allocates or frees symmetric memory. Threads may. In front of the
// barriers of the call, whose release makes it known.
inline std::uint64_t count_allocation() {
    return job.status().allocations.fetch_add(1, std::memory_order_relaxed) + 1;
}

// The PE is one of the job and its memory is mapped here. Where the window's test succeeds this is
// true; in checked mode, and where hosts do not hold an aligned power of two of PEs, it is true for
// others as well.
inline bool is_near(int pe) {
    return pe >= 0 && pe < job.pes && job.near[static_cast<std::size_t>(pe)];
}

// Static data of the program and its libraries is counted as one, by offsets. These find the range
// that holds an address, or an offset; an empty one if none does.
struct StaticRange {
    Range range;
    std::uint64_t offset = 0;  // of its beginning
};
inline StaticRange static_range(const void* address) {
    if (job.data.contains(address)) return {job.data, 0};
    for (int i = 0; i < job.library_count; ++i) {
        const LibraryData& library = job.libraries[static_cast<std::size_t>(i)];
        if (library.range.contains(address)) return {library.range, library.offset};
    }
    return {};
}
inline StaticRange static_range_at(std::uint64_t offset) {
    if (offset < job.data.size) return {job.data, 0};
    for (int i = 0; i < job.library_count; ++i) {
        const LibraryData& library = job.libraries[static_cast<std::size_t>(i)];
        if (offset - library.offset < library.range.size) return {library.range, library.offset};
    }
    return {};
}
inline bool in_static_data(const void* address) {
    return static_range(address).range.size != 0;
}
// Of an address that is in static data.
inline std::uint64_t static_offset(const void* address) {
    const StaticRange found = static_range(address);
    return reinterpret_cast<std::uintptr_t>(address) - found.range.begin + found.offset;
}
// The other way round; 0 if no static data has that offset.
inline std::uintptr_t static_address(std::uint64_t offset) {
    const StaticRange found = static_range_at(offset);
    return found.range.size == 0 ? 0 : found.range.begin + (offset - found.offset);
}

// True in the child of a fork: it has no PE.
extern bool forked_child __attribute__((visibility("hidden")));

// True between attach and detach.
inline bool attached() {
    return job.heap.size != 0 &&
           job.status().state.load(std::memory_order_relaxed) == PeState::running;
}

// True for the first PE that ends the job (and for it again): it may say why.
bool claim_end(int status);
// The same for an error of a call: behind the report of a crash, and not beside another thread.
bool claim_end_for_error(int status);
// What this PE ends with that comes to its end with `status`: that of who has ended the job before.
int status_of_end(int status);
// Whether another PE of this host has claimed it, or another thread of this one. Then: the one who
// has may still be printing, and whoever looks after the processes must not see this one go before;
// a second at most.
bool ends_behind_another();
void await_other_end();

// Before an end is claimed or told: a PE of this host that reports its crash was first, or another
// thread of this one, and ends the job when it has; two seconds at most, for it may have stopped.
void await_reports();

// Ends the job at the process manager as well; null without one.
extern void (*end_at_manager)(int status) __attribute__((visibility("hidden")));

// By exit_job.
extern std::atomic<bool> is_end_wanted __attribute__((visibility("hidden")));

// Ends the whole job with this status; returns never. Static destructors do not run.
[[noreturn]] void end_job(int status);

// The same for a program that asks for it: its buffered output is written first, as far as no other
// thread holds the stream. At most a second.
[[noreturn]] void exit_job(int status);

// The same for a PE that another one ends: what it has written before is the user's.
[[noreturn]] void follow_end(int status);

// False once the program has closed the job's file, as daemons close what they did not open; its
// number may be another file's by then. What is mapped stays.
bool job_file_is_open();
std::string why_no_job_file();  // or nothing
// Before something is mapped from it: ends the job if it is not open.
void require_job_file(const char* routine);
// Where in it an address in the heap or the arena of this PE lies.
std::uint64_t job_file_offset(std::uintptr_t address);
// Gives pages of this PE's own shared memory back; they read as zero afterwards.
bool discard_pages(std::uintptr_t begin, std::uint64_t size);

// The first part of a range of this PE's heap whose pages exist: what was never touched has none.
// Empty if there is none, or nobody knows.
Range existing_pages(const Range& range);

// Text of why `address` is no symmetric address, or empty if [address, address+bytes) lies in the
// symmetric memory.
Text why_not_symmetric(const void* address, std::uint64_t bytes);

}  // namespace isthmus
