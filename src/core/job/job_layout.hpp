// The job file: one unnamed shared file a host, made by the launcher, mapped by every PE. It holds
// the header below and, sparse behind it, the symmetric memory of every PE:
//
//     0                      header and one status block a PE
//     region(p)              symmetric heap of PE p   (its internal part first)
//     region(p) + 2^37       static data of PE p, then that of its libraries
//
// The file has no name, so nothing is left behind however the job ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/routine.hpp"

namespace isthmus {

inline constexpr std::uint64_t kJobMagic =
    0x314d4854'5349000a;                 // layout version in the low 16 bits
inline constexpr int kMaxPes = 1024;     // of a job
inline constexpr int kMaxHostPes = 256;  // of a host

enum class PeState : std::uint32_t {
    absent,     // the launcher has not started it, or it is not an Isthmus program
    loaded,     // the library's constructor ran
    running,    // between shmem_init and shmem_finalize
    finalized,  // after shmem_finalize
    failed,     // printed its own error line; the launcher need not print another
};

// How a PE left its session, or is leaving it: it waits for the others and answers no collective.
enum class Departure : std::uint32_t {
    none,
    finalize,  // called shmem_finalize or isthmus_finalize
    exit       // ended without
};

// Words of what must be set alike (core/session/alike.hpp).
inline constexpr std::size_t kAlikeWords = 10;

// Written by its PE, read by everyone; plain information, so every access is relaxed, except
// `state`, whose release store publishes the fields above it (partner: acquire in Job::attach).
struct alignas(256) PeStatus {
    std::atomic<std::int32_t> process;         // process id
    std::atomic<std::uint32_t> window_shift;   // that its program was compiled with
    std::atomic<std::uint64_t> data_size;      // bytes of static data, 0 if not symmetric
    std::atomic<std::uint64_t> data_checksum;  // of the executable's identity
    std::atomic<std::uint64_t> heap_size;      // internal part included
    std::atomic<PeState> state;
    std::atomic<Routine> routine;               // last noted call
    std::atomic<std::uint64_t> waiting_since;   // monotonic nanoseconds, 0 if not waiting long
    std::atomic<std::int32_t> waiting_for;      // PE, or -1
    std::atomic<std::uint32_t> waits_in_start;  // 1: for others, in a WatchedWait
    std::atomic<std::uint64_t> waiting_at;      // address it watches, or 0; see kInStaticData
    // Sleeping waits of this PE. Who writes its memory by an operation that can wake looks at
    // `sleepers` and, if there are any, moves `wake_word` on and wakes them (core/wait/sleep.hpp).
    alignas(64) std::atomic<std::uint32_t> sleepers;
    std::atomic<std::uint32_t> wake_word;
    std::atomic<std::uint64_t> arena_size;
    std::atomic<Departure> departure;       // since the last initialisation
    std::atomic<Routine> waiting_in;        // of waiting_since: the wait's call, or the test's
    std::atomic<Routine> leaves_by;         // its program's call for that; none: shmem_finalize
    std::atomic<std::uint32_t> waits_told;  // odd while a wait is written (published_wait.hpp)
    std::atomic<std::uint64_t> departures;  // begun
    // Of a host's first PE: departures that the other hosts have come to.
    std::atomic<std::uint64_t> departed;
    std::atomic<std::uint32_t> multiple;  // threads of it may call at once
    // Of the word at waiting_at: what is waited for, if it is one condition (core/wait/wait.hpp);
    // kAwaitsAnswer: no word, but the answer to an operation that notes nothing.
    std::atomic<std::uint8_t> waiting_condition;
    std::atomic<std::uint8_t> waiting_width;
    // Whether it closes its window for who asks what it fetches (core/job/shown_window.hpp).
    std::atomic<std::uint8_t> closes_window;
    // Others of this host have had pointers to its memory (shmem_ptr). Relaxed: they are used
    // behind a barrier, or in front of one.
    std::atomic<std::uint8_t> is_pointed_at;
    std::atomic<std::uint64_t> waiting_value;
    std::atomic<std::uint64_t> libraries;  // a bit for each whose static data is symmetric
    // Calls of this session that allocate or free symmetric memory, the one under way included.
    std::atomic<std::uint64_t> allocations;
    // When it last found a test in vain: it waits, from waiting_since on, by a loop of its own.
    std::atomic<std::uint64_t> tested_at;
    // Of a wait for one of several words, which begin at waiting_at; kOwnValues if each has a value
    // of its own to wait for.
    std::atomic<std::uint32_t> waiting_words;
    std::atomic<std::uint32_t> has_told_end;   // or tells: how it ends (crash_reporter.hpp)
    std::atomic<std::uint64_t> process_space;  // the namespace of `process`; 0: not known
    // What it fetches again and again (core/job/fetch_watch.hpp).
    std::atomic<std::uint32_t> fetches;
    // Who asks that writes 0 here for a moment, and back what was there: the limit of what passes
    // in checked mode, at least 1. Always 0 if it cannot be asked.
    std::atomic<std::uint32_t> unasked;
    // What it has read from its environment and all must have alike (core/session/alike.hpp).
    std::atomic<std::uint64_t> settings[kAlikeWords];
};
static_assert(sizeof(PeStatus) == 256);

// What its program was to call before it ended.
inline Routine call_to_leave(const PeStatus& pe) {
    const Routine call = pe.leaves_by.load(std::memory_order_relaxed);
    return call == Routine::none ? Routine::finalize : call;
}

// Static data lie elsewhere at each PE: of an address there the offset (static_offset()), and this
// bit.
inline constexpr std::uint64_t kInStaticData = std::uint64_t{1} << 63;

inline constexpr std::uint32_t kOwnValues = std::uint32_t{1} << 31;
// PeStatus::waiting_condition.
inline constexpr std::uint8_t kAwaitsAnswer = 8;

inline constexpr std::uint32_t kEnding = 1;
inline constexpr std::uint32_t kEnded = 2;

struct JobHeader {
    std::uint64_t magic;
    std::uint32_t pes;
    std::int32_t launcher;     // process id
    std::uint32_t processors;  // that the job may use; a PE bound to a core sees fewer

    // The first PE (or the launcher) that ends the job moves `ended` from 0 to kEnding, writes who
    // and what, prints its line if it has one, and stores kEnded (release; acquire by those who
    // look). A launcher that sees a PE go while kEnding holds waits a moment for kEnded.
    alignas(64) std::atomic<std::uint32_t> ended;
    std::atomic<std::int32_t> exit_status;
    std::atomic<std::int32_t> ended_by;  // a PE and 1: 0 is nobody, also of who has just come
    // Of the last stall report, monotonic nanoseconds; relaxed. One PE speaks for all.
    std::atomic<std::uint64_t> stall_reported;
    // What strangers sent to the ports of these PEs in this session, added up when the roads close;
    // and whether one of them has told of the first. Relaxed: the barrier in between orders them.
    std::atomic<std::uint64_t> refused;
    std::atomic<bool> refusal_told;
    // One PE of those here has told that it returns another status than 0 behind shmem_finalize.
    // Relaxed: stands for itself.
    std::atomic<bool> status_told;

    // Start barrier: arrivals count up; `generation` is the futex word that the last one moves on.
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) std::atomic<std::uint32_t> generation;

    PeStatus pe[kMaxPes];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(offsetof(JobHeader, pe) % 256 == 0);

inline constexpr int kRegionShift = 38;
inline constexpr std::uint64_t kDataOffset = std::uint64_t{1} << 37;
constexpr std::uint64_t region(int pe) {
    return (static_cast<std::uint64_t>(pe) + 1) << kRegionShift;
}
constexpr std::uint64_t job_file_size(int pes) {
    return region(pes);
}
static_assert(sizeof(JobHeader) < region(0));

// Part of the heap that belongs to the library: symmetric, zero at start.
inline constexpr std::uint64_t kInternalSize = std::uint64_t{64} << 20;

// How the launcher tells a process which PE it is: ISTHMUS_BOOTSTRAP=local:FILE:PE:PES, where FILE
// is an inherited file descriptor of the job file. The library removes the variable when it has
// read it, so that a program that the PE starts is not taken for the PE.
inline constexpr const char* kBootstrapVariable = "ISTHMUS_BOOTSTRAP";
// What the library puts in its place until shmem_init: "PE 1 of 3". Who finds that there and no job
// was started by the PE, or executed in its stead; alone it would be a job of one, unsaid.
inline constexpr const char* kStartedVariable = "ISTHMUS_STARTED";
// From a program to itself, executed once more (core/job/library_data.hpp): the limit of its stack.
inline constexpr const char* kAgainVariable = "ISTHMUS_STACK_LIMIT";

}  // namespace isthmus
