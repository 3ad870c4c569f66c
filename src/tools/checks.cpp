#include "tools/checks.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/heap_size.hpp"
#include "core/job/job_layout.hpp"
#include "core/job/window.hpp"
#include "launch/binding.hpp"
#include "launch/job_file.hpp"
#include "tools/info.hpp"
#include "tools/place.hpp"

namespace isthmus::tools {
namespace {

// First line of a file, empty if it cannot be read.
std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::uint64_t available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::uint64_t kilobytes = 0;
    std::string unit;
    while (file >> name >> kilobytes) {
        std::getline(file, unit);
        if (name == "MemAvailable:") return kilobytes * 1024;
    }
    return 0;
}

std::string limit_text(rlim_t limit) {
    return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

rlimit limit_of(int resource) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    return limit;
}

// A job file with its descriptor and mapping given back at the end.
class TrialJob {
  public:
    explicit TrialJob(int pes) {
        // As the keeper does: the limit of a file's size must not end the tool.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit raised{limit_.rlim_max, limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &raised);
        job_ = launch::create_job_file(pes, getpid(), 1);
    }
    ~TrialJob() {
        setrlimit(RLIMIT_FSIZE, &limit_);
        if (job_.header) munmap(job_.header, sizeof(JobHeader));
        if (job_.file >= 0) close(job_.file);
    }
    TrialJob(const TrialJob&) = delete;
    TrialJob& operator=(const TrialJob&) = delete;
    int file() const { return job_.file; }
    const std::string& error() const { return job_.error; }

  private:
    rlimit limit_ = limit_of(RLIMIT_FSIZE);
    launch::JobFile job_;
};

}  // namespace

Check check_memory(int pes) {
    Check check{"memory", Verdict::ok, "", ""};
    const std::uint64_t total = os::memory_size();
    const std::uint64_t available = available_memory();
    check.finding = format_size(total) + " in all (or the control group's limit), " +
                    format_size(available) + " available";
    if (available < static_cast<std::uint64_t>(pes) << 26) {
        check.verdict = Verdict::warn;
        check.advice = "less than 64 MiB for each of " + std::to_string(pes) +
                       " PEs; run fewer, or end other programs";
    }
    return check;
}

Check check_shared_memory(int pes) {
    Check check{"shared memory", Verdict::ok, "", ""};
    const TrialJob job(pes);
    if (!job.error().empty()) {
        check.verdict = Verdict::fail;
        check.finding = job.error();
        check.advice = "allow memfd_create (in a container: the default seccomp profile does)";
        return check;
    }
    const std::size_t page = os::page_size();
    void* views[2];
    for (void*& view : views)
        view = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, job.file(),
                    static_cast<off_t>(region(pes - 1)));
    if (views[0] == MAP_FAILED || views[1] == MAP_FAILED) {
        check.verdict = Verdict::fail;
        check.finding = std::string("the job's memory cannot be mapped: ") + std::strerror(errno);
        check.advice = "see the checks of limits below";
        return check;
    }
    *static_cast<volatile int*>(views[0]) = 42;
    const bool shared = *static_cast<volatile int*>(views[1]) == 42;
    for (void* view : views)
        munmap(view, page);
    check.finding =
        "an unnamed file of " + format_size(job_file_size(pes)) +
        (shared ? " works; /dev/shm is not used" : " can be mapped, but two views of it differ");
    if (!shared) check.verdict = Verdict::fail;
    return check;
}

Check check_processors(int pes) {
    Check check{"processors", Verdict::ok, "", ""};
    const launch::ProcessorSet allowed = launch::ProcessorSet::allowed();
    check.finding = std::to_string(allowed.count()) + " may be used (" + allowed.text() + ")";
    std::istringstream quota(first_line("/sys/fs/cgroup/cpu.max"));
    double microseconds = 0;
    double period = 0;
    if (quota >> microseconds >> period && period > 0) {
        char text[64];
        std::snprintf(text, sizeof text, "; the control group grants the time of %.1f",
                      microseconds / period);
        check.finding += text;
        if (microseconds / period < allowed.count()) {
            check.verdict = Verdict::warn;
            check.advice =
                "PEs that spin use the grant up and are then stopped for a while; run at "
                "most as many PEs as the grant has processors";
        }
    }
    if (pes > allowed.count()) {
        check.finding += "; " + std::to_string(pes) + " PEs share them, so waits yield";
    }
    return check;
}

Check check_topology() {
    Check check{"topology", Verdict::ok, "", ""};
    const launch::Topology topology = launch::read_topology(launch::ProcessorSet::allowed());
    if (topology.problem.empty()) {
        const auto counted = [](std::size_t count, const char* noun) {
            return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
        };
        check.finding = counted(topology.cores.size(), "core") + " on " +
                        counted(topology.sockets.size(), "socket");
    } else {
        check.verdict = Verdict::warn;
        check.finding = topology.problem;
        check.advice = "PEs will not be bound to cores; install libhwloc15";
    }
    return check;
}

Check check_address_space_limit(int pes) {
    Check check{"address space limit", Verdict::ok, "", ""};
    const rlimit limit = limit_of(RLIMIT_AS);
    check.finding = "ulimit -v: " + limit_text(limit.rlim_cur);
    const std::uint64_t needed =
        static_cast<std::uint64_t>(pes) * (choose_heap(pes).bytes + kInternalSize);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < needed) {
        check.verdict = Verdict::fail;
        check.finding += " bytes; " + std::to_string(pes) + " heaps take " + format_size(needed) +
                         " of addresses";
        check.advice = "ulimit -v unlimited, or lower SHMEM_SYMMETRIC_SIZE";
    }
    return check;
}

Check check_file_size_limit() {
    Check check{"file size limit", Verdict::ok, "", ""};
    const rlimit limit = limit_of(RLIMIT_FSIZE);
    check.finding =
        "ulimit -f: " + limit_text(limit.rlim_cur) + ", at most " + limit_text(limit.rlim_max);
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < job_file_size(kMaxHostPes)) {
        check.verdict = Verdict::fail;
        check.advice = "shared memory counts as a file to the kernel: ulimit -Hf unlimited";
    }
    return check;
}

Check check_open_files_limit(int pes) {
    Check check{"open files limit", Verdict::ok, "", ""};
    const rlimit limit = limit_of(RLIMIT_NOFILE);
    check.finding =
        "ulimit -n: " + limit_text(limit.rlim_cur) + ", at most " + limit_text(limit.rlim_max);
    if (limit.rlim_max < 24) {
        check.verdict = Verdict::fail;
        check.advice = "the launcher needs about 20: raise it (ulimit -Hn)";
    } else if (limit.rlim_max < 2 * static_cast<rlim_t>(pes) + 80) {
        check.verdict = Verdict::warn;
        check.advice =
            "too few for --prefix with " + std::to_string(pes) + " PEs; --split needs none";
    }
    return check;
}

Check check_process_limit(int pes) {
    Check check{"process limit", Verdict::ok, "", ""};
    const rlimit limit = limit_of(RLIMIT_NPROC);
    check.finding = "ulimit -u: " + limit_text(limit.rlim_cur);
    if (limit.rlim_cur < static_cast<rlim_t>(pes) + 8) {
        check.verdict = Verdict::warn;
        check.advice = "hardly enough for " + std::to_string(pes) + " PEs: raise it (ulimit -u)";
    }
    return check;
}

Check check_overcommit() {
    Check check{"overcommit", Verdict::ok, "", ""};
    const std::string mode = first_line("/proc/sys/vm/overcommit_memory");
    check.finding = "vm.overcommit_memory = " + (mode.empty() ? "unknown" : mode);
    if (mode == "2") {
        check.verdict = Verdict::warn;
        check.advice =
            "symmetric memory is not counted in advance, but what programs allocate is; "
            "if they fail, sysctl vm.overcommit_memory=0";
    }
    return check;
}

Check check_window(int pes) {
    Check check{"window", Verdict::ok, "", ""};
    if (pes > window_slots()) {
        check.verdict = Verdict::fail;
        check.finding = std::to_string(pes) + " PEs; at most " + std::to_string(window_slots());
        return check;
    }
    const TrialJob job(pes);
    if (!job.error().empty()) {
        check.verdict = Verdict::fail;
        check.finding = "no shared memory to map (see there)";
        return check;
    }
    const std::uint64_t length = choose_heap(pes).bytes + kInternalSize;
    int mapped = 0;
    for (; mapped < pes; ++mapped) {
        auto* const place = reinterpret_cast<void*>(
            heap_base() + static_cast<std::uint64_t>(mapped) * window_stride());
        if (!os::map_shared(place, length, job.file(), region(mapped), false)) break;
    }
    const int reason = errno;
    for (int slot = 0; slot < mapped; ++slot)
        munmap(reinterpret_cast<void*>(heap_base() +
                                       static_cast<std::uint64_t>(slot) * window_stride()),
               length);
    char base[32];
    std::snprintf(base, sizeof base, "%#zx", static_cast<std::size_t>(heap_base()));
    check.finding = std::to_string(mapped) + " of " + std::to_string(pes) + " heaps of " +
                    format_size(length) + " fit, from " + base + " on";
    if (mapped < pes) {
        check.verdict = Verdict::fail;
        check.finding += std::string("; the next: ") + std::strerror(reason);
        check.advice = reason == ENOMEM ? "ulimit -v unlimited, or lower SHMEM_SYMMETRIC_SIZE"
                                        : "something else occupies these addresses";
    }
    return check;
}

Check check_huge_pages() {
    Check check{"huge pages", Verdict::ok, "", ""};
    const std::string mode = first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    check.finding = mode.empty() ? "the kernel offers none for shared memory"
                                 : "transparent huge pages of shared memory: " + mode;
    const bool usable = mode.find("[never]") == std::string::npos &&
                        mode.find("[deny]") == std::string::npos && !mode.empty();
    if (flag(Setting::huge_pages) && !usable) {
        check.verdict = Verdict::warn;
        check.advice =
            "ISTHMUS_HUGE_PAGES=1 may have no effect: write `advise` to "
            "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
    }
    return check;
}

Check check_proc() {
    Check check{"/proc", Verdict::ok, "readable", ""};
    for (const char* path :
         {"/proc/self/maps", "/proc/self/exe", "/proc/self/task", "/proc/self/stat"}) {
        if (access(path, R_OK) == 0) continue;
        check.verdict = Verdict::fail;
        check.finding = std::string(path) + ": " + std::strerror(errno);
        check.advice = "mount /proc (mount -t proc proc /proc)";
    }
    return check;
}

Check check_settings() {
    Check check{"settings", Verdict::ok, "", ""};
    int from_environment = 0;
    const auto problems = read_settings();
    for (std::size_t i = 0; i < static_cast<std::size_t>(Setting::count); ++i)
        from_environment += value(static_cast<Setting>(i)).origin == SettingOrigin::environment;
    check.finding = std::to_string(from_environment) + " set in the environment";
    for (const SettingProblem& problem : problems) {
        check.verdict = Verdict::fail;
        check.finding += "; " + problem.message;
        check.advice = "correct or unset it";
    }
    return check;
}

Check check_other_launchers() {
    Check check{"other launchers", Verdict::ok, "none around this process", ""};
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                             "SLURM_STEP_NUM_TASKS", "PALS_RANKID", "ALPS_APP_PE", "FLUX_JOB_SIZE",
                             "JSM_NAMESPACE_SIZE", "MV2_COMM_WORLD_SIZE", "MPIRUN_RANK"}) {
        const char* const found = std::getenv(name);
        if (!found) continue;
        check.verdict = Verdict::warn;
        check.finding = std::string(name) + "=" + found + " is set";
        check.advice =
            "inside a job of another launcher, use `isthmus run` once and not in each "
            "of its processes";
    }
    return check;
}

Check check_library() {
    Check check{"library", Verdict::ok, "", ""};
    const Place place = find_place();
    const LibraryVersion version =
        ask_library(place.lib.empty() ? "" : place.lib + "/libisthmus.so");
    check.finding = version.name.empty() ? version.problem : version.name + " in " + place.lib;
    const bool same = version.name == "Isthmus " ISTHMUS_VERSION;
    if (version.name.empty() || !same) {
        check.verdict = Verdict::fail;
        if (!version.name.empty()) check.finding += "; this tool is of " ISTHMUS_VERSION;
        check.advice = "install again (cmake --install), so that tools and library belong together";
    }
    return check;
}

}  // namespace isthmus::tools
