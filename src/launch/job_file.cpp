#include "launch/job_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"

namespace isthmus::launch {
namespace {

std::string explain(int error, std::uint64_t size) {
    return "cannot make the job's shared memory (" + format_size(size) +
           " of address space, none of it occupied yet): " + std::strerror(error) +
           os::advice_on_shared_file(error);
}

// Scripts use the lowest numbers for their own files, and bash and dash those from 10 on.
int inheritable(int file) {
    for (const int lowest : {64, 20, 3}) {
        const int copy = fcntl(file, F_DUPFD, lowest);
        if (copy >= 0) return copy;
    }
    return -1;
}

}  // namespace

JobFile create_job_file(int pes, int launcher, int processors) {
    JobFile job;
    const std::uint64_t size = job_file_size(pes);
    const int file = os::create_shared_file("isthmus-job", size);
    if (file < 0) {
        job.error = explain(errno, size);
        return job;
    }
    job.file = inheritable(file);
    if (job.file < 0) {
        const bool is_forbidden = os::is_call_forbidden(errno);
        job.error = is_forbidden
                        ? std::string("fcntl: ") + std::strerror(errno) + os::advice_on_call(errno)
                        : explain(errno, size);
        close(file);
        return job;
    }
    close(file);
    void* const place =
        mmap(nullptr, sizeof(JobHeader), PROT_READ | PROT_WRITE, MAP_SHARED, job.file, 0);
    if (place == MAP_FAILED) {
        job.error = explain(errno, size);
        return job;
    }
    // Published to the PEs by being there before they are started.
    job.header = new (place) JobHeader{};
    job.header->magic = kJobMagic;
    job.header->pes = static_cast<std::uint32_t>(pes);
    job.header->launcher = launcher;
    job.header->processors = static_cast<std::uint32_t>(processors);
    for (int pe = 0; pe < pes; ++pe)
        job.header->pe[pe].waiting_for.store(-1, std::memory_order_relaxed);
    return job;
}

}  // namespace isthmus::launch
