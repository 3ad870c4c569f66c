#include "core/session/attach.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/asan.hpp"
#include "base/error.hpp"
#include "base/error_stream.hpp"
#include "base/identity.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/find.hpp"
#include "core/copy/prepare.hpp"
#include "core/job/block_map.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/heap.hpp"
#include "core/job/heap_size.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/library_data.hpp"
#include "core/job/loaded_object.hpp"
#include "core/job/program_data.hpp"
#include "core/job/program_view.hpp"
#include "core/job/road.hpp"
#include "core/job/room_above.hpp"
#include "core/job/shown_window.hpp"
#include "core/job/window.hpp"
#include "core/session/alike.hpp"
#include "core/session/comparison.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/fault.hpp"
#include "core/session/foreign_launcher.hpp"
#include "core/session/fork.hpp"
#include "core/session/frame_names.hpp"
#include "core/session/gather.hpp"
#include "core/session/host.hpp"
#include "core/session/host_speaker.hpp"
#include "core/session/manager.hpp"
#include "core/session/nodes.hpp"
#include "core/session/peer_memory.hpp"
#include "core/session/road_choice.hpp"
#include "core/session/roads.hpp"
#include "core/session/session.hpp"
#include "core/session/stall_report.hpp"
#include "core/session/start_barrier.hpp"
#include "core/session/start_watch.hpp"
#include "core/wait/mates.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

JobHeader* map_header(int file) {
    void* const place =
        mmap(nullptr, sizeof(JobHeader), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return place == MAP_FAILED ? nullptr : static_cast<JobHeader*>(place);
}

// The environment of a program with more rights than its caller joins it to nothing (load_job);
// that it then runs alone must not go unsaid.
void refuse_job_of_less_rights() {
    if (!os::has_more_rights_than_caller()) return;
    const bool in_job = std::getenv(kBootstrapVariable) || launched_rank() >= 0;
    if (in_job)
        fail("shmem_init",
             "the program has more rights than who started it (set-user-ID, set-group-ID or "
             "capabilities of the file) and joins no job, whose memory that one could read and "
             "write; start the job with the rights that the program needs");
}

// A launcher in between has started this process as one of its own.
void refuse_to_follow_a_pe() {
    const char* const started = std::getenv(kStartedVariable);
    if (!started || *started == '\0') return;
    int pe = 0;
    int pes = 0;
    if (std::sscanf(started, "PE %d of %d", &pe, &pes) != 2)
        fail("shmem_init", Text(kStartedVariable, "=", started,
                                " is damaged; the library alone sets it: unset it"));
    fail("shmem_init",
         Text("this process would be alone: `isthmus run` has started another program, linked with "
              "this library, as ",
              started,
              ", which has executed or started this one before its own shmem_init; start "
              "this one from a script instead, or for a job of its own by `env -u ",
              kStartedVariable, "`"));
}

// From here on what this PE starts is none. In place: other threads may read the environment.
void forget_start() {
    if (char* const started = std::getenv(kStartedVariable)) *started = '\0';
}

// Or -1 and errno.
void remember_file(int file) {
    job.file = file;
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0) return;
    job.file_device = status.st_dev;
    job.file_inode = status.st_ino;
}

std::string why_no_memory(int error) {
    return std::string("cannot make shared memory: ") + std::strerror(error) +
           os::advice_on_shared_file(error);
}

void start_alone() {
    remember_file(os::create_shared_file("isthmus-job", job_file_size(1)));
    job.header = job.file < 0 ? nullptr : map_header(job.file);
    if (!job.header) fail("shmem_init", why_no_memory(errno));
    job.noted = &job.header->pe[0].routine;
    job.header->magic = kJobMagic;
    job.header->pes = 1;
    job.header->launcher = 0;
    job.host.set(0);
}

// The program may be executed again here: what this process is has not been told to anybody yet.
void find_static_data(int pes) {
    window.shift = isthmus_program_window_shift;
    restore_stack_limit();
    if (pes > 1 && !os::is_single_threaded()) return;
    const int slots =
        std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(pes))), window_slots());
    // Without a dynamic linker.
    const Range data = data_range(main_program());
    if (!has_room_above(data, slots)) make_room_above(slots);
    if (!has_room_above(data, slots))
        fail("start",
             "there is no room above the program for the static data of the other PEs; raise the "
             "hard limit of the stack (ulimit -Hs), or link with -static instead of -static-pie");
    find_library_data(slots);
}

// Of a PE of a process manager, to which it has no connection yet: told in shmem_init, once a host.
std::string& why_no_static_data() {
    static std::string reason;
    return reason;
}

void move_static_data() {
    PeStatus& status = job.status();
    if (!os::is_single_threaded()) {
        job.data_note = "the library was loaded after threads had been started";
        return;
    }
    // A wrapper may have set it since the launcher looked.
    if (!os::may_raise_file_size_to(job_file_size(job.me + 1))) fail("start", why_no_memory(EFBIG));
    const LoadedObject program = main_program();
    const Range range = data_range(program);
    std::string reason;
    if (range.size == 0 || range.size > kDataOffset) {
        job.data_note = range.size == 0 ? "the executable has none" : "it is larger than 128 GiB";
        return;
    }
    if (!share_data(program, job.file, region(job.me) + kDataOffset, reason)) {
        reason.insert(0, "the program's static data: ");
        if (!job.managed) fail("start", reason);
        why_no_static_data() = reason;
        return;
    }
    job.data = range;
    variables_bytes = variables_size(program);
    status.data_size.store(range.size, std::memory_order_relaxed);
    share_library_data(job.file, region(job.me) + kDataOffset);
    std::uint64_t moved = 0;
    for (int i = 0; i < job.library_count; ++i) {
        if (job.libraries[static_cast<std::size_t>(i)].range.size != 0)
            moved |= std::uint64_t{1} << i;
    }
    status.libraries.store(moved, std::memory_order_relaxed);
}

// The heap, in whole pages, the library's part on top.
std::uint64_t heap_size() {
    const HeapChoice choice = choose_heap(job.pes);
    if (choice.is_refused()) {
        fail("shmem_init", description(Setting::symmetric_size).name + std::string("=") +
                               value(Setting::symmetric_size).text + " is " +
                               format_size(choice.bytes) + "; at most " +
                               format_size(choice.largest) + " fit in the window");
    }
    return choice.bytes + kInternalSize;
}

// The part of the heap that core dumps hold.
std::uint64_t core_size(std::uint64_t heap) {
    return std::min(os::page_up(size(Setting::core_size, os::memory_size())), heap);
}

// What a PE may take to give its memory back, at least, while the others wait for it: as long as
// the one of this host that has used most.
double discard_seconds() {
    std::int64_t most = 0;
    for (int pe = 0; pe < job.pes; ++pe) {
        struct stat facts {};
        if (is_near(pe) && fstat(memory_file(pe), &facts) == 0)
            most = std::max<std::int64_t>(most, facts.st_blocks);
    }
    constexpr int kBlocks = (1 << 30) / 512;  // of a GiB
    return static_cast<double>(most) / kBlocks;
}

// What every PE of a job of several does while it has one thread.
void begin_pe() {
    show_program(static_cast<std::uint32_t>(job.me));
    window.shift = isthmus_program_window_shift;
    PeStatus& status = job.status();
    status.process.store(getpid(), std::memory_order_relaxed);
    status.process_space.store(own_process_space(), std::memory_order_relaxed);
    status.window_shift.store(window.shift, std::memory_order_relaxed);
    status.data_checksum.store(program_checksum(), std::memory_order_relaxed);
    if (job.pes > 1 || job.managed) move_static_data();
    protect_forks();
    status.state.store(PeState::loaded, std::memory_order_release);
}

// Before any constructor of the program, and so before any thread that it may start.
__attribute__((constructor(101))) void on_load() {
    load_job();
}

}  // namespace

// Started by a process manager. There is no job file yet: this PE makes one for its own memory
// while it has one thread, and shmem_init finds the others.
void load_managed_job() {
    const int rank = launched_rank();
    if (rank < 0 || rank >= kMaxPes || launched_size() == 1) return find_static_data(1);
    occupy_standard_streams();
    find_static_data(launched_size());
    remember_file(os::create_shared_file("isthmus-pe", job_file_size(rank + 1)));
    job.header = job.file < 0 ? nullptr : map_header(job.file);
    if (!job.header) {
        const int error = errno;
        set_speaker(rank);
        job.me = rank;
        fail_before_manager("start", why_no_memory(error));
    }
    job.header->magic = kJobMagic;
    job.me = rank;
    job.pes = rank + 1;
    job.managed = true;
    set_speaker(rank);
    job.noted = &job.header->pe[rank].routine;
    set_job_end({claim_end_for_error, end_job});
    begin_pe();
}

void load_job() {
    // Who started it would hold the other end of the job, and could read and write what is mapped.
    if (os::has_more_rights_than_caller()) return;
    const char* bootstrap = std::getenv(kBootstrapVariable);
    if (!bootstrap) return load_managed_job();
    LocalBootstrap given;
    if (!parse_bootstrap(bootstrap, given))
        fail("start", std::string(kBootstrapVariable) + "=" + bootstrap +
                          " is damaged; it is set by `isthmus run` alone");
    const auto [file, me, pes] = given;
    struct stat facts {};
    const bool known = fstat(file, &facts) == 0;
    if (known && static_cast<std::uint64_t>(facts.st_size) < job_file_size(pes))
        fail("start", std::string(kBootstrapVariable) + "=" + bootstrap + ": file descriptor " +
                          std::to_string(file) + " has " + std::to_string(facts.st_size) +
                          " bytes and is no job of " + std::to_string(pes) +
                          " PEs; was it closed between the launcher and the program?");
    JobHeader* const header = known ? map_header(file) : nullptr;
    if (!header)
        fail("start", "cannot reach the job's shared memory (file descriptor " +
                          std::to_string(file) + "): " + std::strerror(errno) +
                          "; was it closed between the launcher and the program?");
    if (header->magic != kJobMagic || header->pes != static_cast<std::uint32_t>(pes))
        fail("start", "the launcher is of another version than the library");
    set_speaker(me);
    job.header = header;
    job.me = me;
    job.noted = &header->pe[me].routine;
    job.pes = pes;
    set_job_end({claim_end_for_error, end_job});
    if (header->pe[me].state.load(std::memory_order_relaxed) != PeState::absent)
        fail("start", "a program of this job already ran as PE " + std::to_string(me) +
                          "; a job runs one program a PE");
    find_static_data(pes);
    // A PE outlives neither the launcher nor a shell in between.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    unsetenv(kBootstrapVariable);
    if (pes > 1) setenv(kStartedVariable, Text("PE ", me, " of ", pes).c_str(), 1);
    remember_file(file);
    job.launched = true;
    for (int pe = 0; pe < pes; ++pe)
        job.host.set(static_cast<std::size_t>(pe));
    begin_pe();
}

void attach_job() {
    const bool joins = job.managed && job.heap.size == 0;
    const auto refuse = [joins](const std::string& problem) {
        // All PEs have the same settings, as a rule, and do not know each other yet.
        if (joins) fail_before_manager("shmem_init", problem);
        fail("shmem_init", problem);
    };
    if (const int small = os::kibibytes_of_small_stack(); small != 0)  // too small for more
        fail("shmem_init", Text("stacks may have ", small, " KiB, and ", os::kLeastStack,
                                " are needed; raise the limit of stacks (ulimit -s)"));
    if (const auto [call, error] = os::refused_identity_call(); call)
        refuse(std::string(Text(call, ": ", std::strerror(error), os::advice_on_call(error))));
    occupy_standard_streams();
    if (!job.header) {
        refuse_job_of_less_rights();
        refuse_foreign_launcher("");
        refuse_to_follow_a_pe();
        start_alone();
        protect_forks();
    }
    if (job.launched) forget_start();
    keep_error_stream();
    set_speaker(job.me);
    set_job_end({claim_end_for_error, end_job});
    report_stall = say_stall;
    if (job.managed) look_for_dead_mates = end_if_mates_have_died;
    caller_line = [] { return line_of_caller(Sought::openshmem); };
    // For the launcher: a PE that waits here for one that has left without coming here.
    job.status().routine.store(Routine::init, std::memory_order_relaxed);
    for (const auto& problem : read_settings())
        refuse(problem.message);
    if (const std::string problem = prepare_copies(); !problem.empty()) refuse(problem);
    if (joins) {
        for (const std::string& why : {why_no_job_file(), why_manager_is_cut_off()})
            if (!why.empty()) refuse(why);
        if (const std::string why = join_managed_job(why_no_static_data()); !why.empty()) {
            if (!process_manager()) refuse_foreign_launcher(why);
            fail_once_on_host("shmem_init", why);
        }
    }
    if (job.heap.size != 0) meet_again();
    if (job.managed && job.heap.size != 0) {  // again
        tell_manager_of_start(true);
        begin_start_watch(job.me, StartWatch::Phase::asking, true);
        note_host_ranks(pes_of_host());
        note_start_phase(StartWatch::Phase::joining);
        report_stall = nullptr;  // the watch of the start tells of it
        start_barrier();
        report_stall = say_stall;
        note_start_phase(StartWatch::Phase::sharing);
    }
    job.near = job.host;
    split_into_nodes();
    // ISTHMUS_DELAY takes a PE's way to itself as well, so one alone has a road.
    far::present = job.near.count() != static_cast<std::size_t>(job.pes) || is_delayed();
    far::served_by_calls = far::present && !flag(Setting::progress);
    job.checked = flag(Setting::check) || flag(Setting::debug);
    // A PE that is bound to a core sees that core alone; the launcher saw what the job may use.
    const int processors =
        job.launched ? static_cast<int>(job.header->processors) : os::usable_processors();
    const auto host_pes = static_cast<int>(job.host.count());
    job.spin = host_pes > processors ? 0 : static_cast<std::uint32_t>(number(Setting::spin));
    window.shift = isthmus_program_window_shift;
    window.me = static_cast<std::uint32_t>(job.me);
    window.pes = static_cast<std::uint32_t>(job.pes);
    window.host_pes = static_cast<std::uint32_t>(job.near.count());
    // ISTHMUS_DELAY: also this PE's operations on itself come late.
    window.open_limit = job.checked || far::served_by_calls || is_delayed() ? 0 : window_limit();
    if (host_pes > window_slots())
        fail("shmem_init", std::to_string(host_pes) + " PEs are too many for one host; at most " +
                               std::to_string(window_slots()) + " fit in the window");
    PeStatus& status = job.status();
    if (job.heap.size == 0) {
        require_job_file("shmem_init");
        const std::uint64_t length = heap_size();
        map_or_fail(heap_base(), length, region(job.me), job.me, "symmetric heap");
        os::put_into_core_dumps(reinterpret_cast<void*>(heap_base() + kInternalSize),
                                core_size(length - kInternalSize));
        job.heap = {heap_base(), length};
        if (job.pes == 1) {
            job.data = data_range(main_program());
            variables_bytes = variables_size(main_program());
        }
        status.heap_size.store(length, std::memory_order_relaxed);
        set_settings(status, alike_settings());
        start_barrier();
        compare_with_peers();
        map_peers();
        map_peers_constants();
    }
    heap.reset({job.heap.begin + kInternalSize, job.heap.size - kInternalSize});
    if (job.checked && !guarded::open())
        fail("shmem_init", Text("ISTHMUS_CHECK needs ",
                                heap.range().size / BlockMap::kGranule + PassingPages::kBytes,
                                " bytes of address space for a heap of ", heap.range().size,
                                " bytes: ", std::strerror(errno), "; lower SHMEM_SYMMETRIC_SIZE"));
    catch_faults();
    open_road();
    if (far::present) forget_exchanges();
    status.departure.store(Departure::none, std::memory_order_relaxed);
    status.allocations.store(0, std::memory_order_relaxed);
    status.state.store(PeState::running, std::memory_order_release);
    start_barrier();
    open_window();
    fetch_watch::let_ask(window_limit());
    if (job.checked && !far::served_by_calls && !is_delayed() && !asan::is_there()) {
        checked_window = {window_limit(),
                          &status.unasked,
                          window.pes,
                          block_map.range().begin,
                          block_map.range().size,
                          block_map.bytes(),
                          job.data.begin,
                          variables_bytes,
                          session_thread.load(std::memory_order_relaxed)};
        open_checks();
    }
}

void detach_job() {
    std::optional<StartWatch> watch;
    if (job.managed && far::present)
        watch.emplace(job.me, StartWatch::Phase::leaving, "shmem_finalize", discard_seconds());
    hide_window();
    // For the launcher: who leaves, if only by its exit, is not in shmem_init. The barriers publish
    // it before the first of all is gone.
    if (job.status().routine.load(std::memory_order_relaxed) == Routine::init)
        job.status().routine.store(Routine::finalize, std::memory_order_relaxed);
    close_window();
    guarded::close("shmem_finalize");
    start_barrier();
    close_road();
    // Symmetric memory starts over as zeros if the program initialises again.
    discard_pages(job.heap.begin, job.heap.size);
    start_barrier();
    // Not before: the others wait for who ends meanwhile, which is an error.
    job.status().state.store(PeState::finalized, std::memory_order_release);
    tell_refused();
}

}  // namespace isthmus
