#include "core/job/job.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/exit_now.hpp"
#include "base/os.hpp"
#include "core/job/crash_reporter.hpp"
#include "core/job/end_of_program.hpp"
#include "core/job/heap.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/last_words.hpp"
#include "core/job/library_data.hpp"
#include "core/job/private_memory.hpp"
#include "core/job/program_data.hpp"
#include "core/job/window.hpp"

namespace isthmus {

Job job;
bool forked_child = false;
void (*end_at_manager)(int status) = nullptr;
constinit EndOfProgram end_of_program;
constinit std::atomic<bool> is_end_wanted = false;
constinit std::atomic<pid_t> crash_reporter = 0;

namespace {

// The thread that has claimed the end, of this PE; 0: none has.
constinit std::atomic<pid_t> claimer = 0;

}  // namespace

bool claim_end(int status) {
    JobHeader& header = *job.header;
    std::uint32_t nobody = 0;
    if (!header.ended.compare_exchange_strong(nobody, kEnding, std::memory_order_acq_rel))
        return header.ended_by.load(std::memory_order_relaxed) == job.me + 1;
    header.exit_status.store(status & kExitStatus, std::memory_order_relaxed);
    claimer.store(gettid(), std::memory_order_relaxed);
    // Release: partners are status_of_end() and ends_behind_another().
    header.ended_by.store(job.me + 1, std::memory_order_release);
    return true;
}

// Who comes behind another PE of this host, as that one has told it to write its output, or behind
// another thread of this PE, ends with that one's status, which a process manager takes from
// either. A thread that claimed the end itself has the status that it claimed it with, but 0.
int status_of_end(int status) {
    const JobHeader& header = *job.header;
    // Acquire: partner is the release in claim_end.
    const int by = header.ended_by.load(std::memory_order_acquire);
    // Acquire: partner is the release in give_last_words, and the one in end_job.
    const std::uint32_t ended = header.ended.load(std::memory_order_acquire);
    const bool is_known = by != 0 && (by == job.me + 1 || ended == kEnded || ended == kTold);
    if (!is_known) return status;
    const int claimed = header.exit_status.load(std::memory_order_relaxed) & kExitStatus;
    // An end that fails itself is no good one.
    return claimed == 0 && by == job.me + 1 && !ends_behind_another() ? status : claimed;
}

void give_last_words(int farewell, std::uint64_t nanoseconds) {
    JobHeader& header = *job.header;
    std::uint32_t ending = kEnding;
    if (header.ended_by.load(std::memory_order_relaxed) != job.me + 1 || ends_behind_another())
        return;
    header.exit_status.store(farewell, std::memory_order_relaxed);
    // Release: partner is whoever looks for kTold.
    if (!header.ended.compare_exchange_strong(ending, kTold, std::memory_order_acq_rel)) return;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!job.host.test(static_cast<std::size_t>(pe))) continue;
        PeStatus& mate = header.pe[pe];
        mate.wake_word.fetch_add(1, std::memory_order_release);  // partner: Sleeper::sleep, acquire
        os::futex_wake_all(reinterpret_cast<const std::uint32_t*>(&mate.wake_word));
    }
    os::sleep_nanoseconds(nanoseconds);
}

bool ends_behind_another() {
    // Acquire: partner is the release in claim_end.
    const int by = job.header->ended_by.load(std::memory_order_acquire);
    const bool is_own = by == job.me + 1 && claimer.load(std::memory_order_relaxed) == gettid();
    return by != 0 && !is_own;
}

void await_other_end() {
    // Acquire: partner is the release of who ends the job.
    for (int i = 0; i < 1000 && job.header->ended.load(std::memory_order_acquire) != kEnded; ++i)
        os::sleep_nanoseconds(1'000'000);
}

void await_reports() {
    // Relaxed, all: a report that begins takes its time.
    const pid_t reporter = crash_reporter.load(std::memory_order_relaxed);
    const bool is_own = reporter == gettid() || forked_child;
    const auto begun = [](int pe) {
        return job.header->pe[pe].has_told_end.load(std::memory_order_relaxed);
    };
    // Who reports as well waits for those that began before: two do not wait for each other.
    const std::uint32_t own = is_own ? begun(job.me) : 0;
    const auto reports = [&](int pe) {
        return !(pe == job.me && is_own) && job.host.test(static_cast<std::size_t>(pe)) &&
               began_before(begun(pe), own);
    };
    for (int turn = 0; turn < 2000; ++turn) {
        int pe = 0;
        while (pe < job.pes && !reports(pe))
            ++pe;
        if (pe == job.pes || job.header->ended.load(std::memory_order_relaxed) != 0) return;
        os::sleep_nanoseconds(1'000'000);
    }
}

bool claim_end_for_error(int status) {
    await_reports();
    return claim_end(status) && !ends_behind_another();
}

void end_job(int status) {
    status &= kExitStatus;
    if (job.header && !forked_child) {
        JobHeader& header = *job.header;
        if (end_at_manager) {
            // A manager that hears of this one first ends the one that says why.
            if (ends_behind_another()) await_other_end();
            status = status_of_end(status);
            end_at_manager(status);
        } else if (is_end_wanted.load(std::memory_order_relaxed) && job.pes > 1) {
            give_last_words(status, kLastWords);
        }
        // Behind it: another thread of the program that calls meanwhile is no error.
        job.status().state.store(PeState::failed, std::memory_order_relaxed);
        const bool is_mine = claim_end(status);
        // Another thread of this PE may be stuck with what it has to say, and is given its time.
        if (!is_mine || ends_behind_another()) await_other_end();
        // Release publishes who and what (partner: the launcher and Waiter, acquire).
        if (is_mine) header.ended.store(kEnded, std::memory_order_release);
        status = status_of_end(status);
    }
    exit_now(status);
}

void exit_job(int status) {
    // A program that is no PE yet, and nobody's.
    if (!job.header) {
        std::fflush(nullptr);
        exit_now(status);
    }
    is_end_wanted.store(true, std::memory_order_relaxed);
    await_reports();
    // The status is claimed first. Buffered output of this PE is the user's last word, but a thread
    // that holds a stream (it reads standard input, say) must not keep the job from ending.
    claim_end(status);
    flush_output(status);
    end_job(status);
}

void follow_end(int status) {
    if (!forked_child) {
        end_of_program.is_over();
        flush_output(status);
    }
    end_job(status);
}

bool job_file_is_open() {
    struct stat now {};
    return fstat(job.file, &now) == 0 && now.st_dev == job.file_device &&
           now.st_ino == job.file_inode;
}

std::string why_no_job_file() {
    if (job_file_is_open()) return "";
    return "the program has closed file descriptor " + std::to_string(job.file) +
           ", which it did not open: the job's memory comes through it; close only what is yours";
}

void require_job_file(const char* routine) {
    if (const std::string why = why_no_job_file(); !why.empty()) fail(routine, why);
}

std::uint64_t job_file_offset(std::uintptr_t address) {
    return region(job.me) + (address - heap_base());
}

bool discard_pages(std::uintptr_t begin, std::uint64_t size) {
    if (job_file_is_open()) return os::discard(job.file, job_file_offset(begin), size);
    return madvise(reinterpret_cast<void*>(begin), size, MADV_REMOVE) == 0;
}

Range existing_pages(const Range& range) {
    if (!job_file_is_open()) return {};
    const auto offset = static_cast<off_t>(job_file_offset(range.begin));
    const auto end = offset + static_cast<off_t>(range.size);
    // Nobody reads or writes the file at its position, which other processes share.
    const off_t data = lseek(job.file, offset, SEEK_DATA);
    if (data < 0 || data >= end) return {};
    const off_t hole = lseek(job.file, data, SEEK_HOLE);
    const off_t until = hole < 0 ? end : std::min(hole, end);
    return {range.begin + static_cast<std::uint64_t>(data - offset),
            static_cast<std::uint64_t>(until - data)};
}

Text why_not_symmetric(const void* address, std::uint64_t bytes) {
    if (address == nullptr) return Text("the address is null");
    if (is_symmetric(address, bytes)) return Text();
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const Range statics = static_range(address).range;
    for (const Range& range : {heap.range(), statics}) {
        if (!range.contains(address)) continue;
        return Text("address ", InHex(address), ": ", bytes, " bytes reach ",
                    bytes - (range.end() - at), " bytes past the end of the ",
                    range.begin == statics.begin ? "static data" : "symmetric heap");
    }
    Text reason("address ", InHex(address), " is not symmetric: ");
    if (at >= heap.range().end() && at < heap_base() + window_stride())
        reason.append(
            Text("it is past the end of the symmetric heap, ", describe_in_heap(address)));
    else if (at < heap.range().begin && heap.range().begin - at <= kSparePage)
        reason.append(Text("it is in front of the symmetric heap, ", heap.range().begin - at,
                           " bytes before its first block"));
    else if (const Text variable = library_variable(address); !variable.empty())
        reason.append(Text("it is ", variable,
                           ", whose variables are private: ", why_library_is_private(address)));
    else if (const Text memory = describe_private(
                 address, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
             !memory.empty())
        reason.append(Text("it is ", memory));
    else
        reason.append("neither in the symmetric heap nor a static variable of the program");
    if (job.data.size == 0)
        reason.append(Text(" (static variables are not symmetric: ", job.data_note, ")"));
    if (*job.constants_note)
        reason.append(Text(" (constants are not symmetric: cannot read /proc/self/exe: ",
                           job.constants_note, ")"));
    reason.append("; use shmem_malloc or a static variable");
    return reason;
}

}  // namespace isthmus
