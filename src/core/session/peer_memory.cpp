#include "core/session/peer_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/library_data.hpp"
#include "core/job/program_data.hpp"
#include "core/job/window.hpp"
#include "core/session/road_choice.hpp"

namespace isthmus {
namespace {

std::uintptr_t peer_address(std::uintptr_t address, int pe) {
    return reinterpret_cast<std::uintptr_t>(translate(reinterpret_cast<char*>(address), pe));
}

// Its place has been kept since the program was loaded.
void map_library(const LibraryData& library, int pe) {
    if (library.range.size == 0) return;
    void* const place = reinterpret_cast<void*>(peer_address(library.range.begin, pe));
    if (!os::map_shared(place, library.range.size, memory_file(pe),
                        region(pe) + kDataOffset + library.offset, true))
        fail("shmem_init", "cannot map the variables of shared libraries of PE " +
                               std::to_string(pe) + ": " + std::strerror(errno));
}

}  // namespace

void map_or_fail(std::uintptr_t address, std::uint64_t length, std::uint64_t offset, int pe,
                 const char* what) {
    if (length == 0 ||
        os::map_shared(reinterpret_cast<void*>(address), length, memory_file(pe), offset, false))
        return;
    const int reason = errno;
    const std::string place = hexadecimal(address);
    std::string advice;
    if (reason == ENOMEM)
        advice = "; lower SHMEM_SYMMETRIC_SIZE or raise the limit of address space (ulimit -v)";
    else if (reason == EEXIST)
        advice =
            "; something else lies there (a program with -fsanitize=address must be a "
            "position-independent executable: -fPIE -pie)";
    fail("shmem_init", std::string("cannot map the ") + what + " of PE " + std::to_string(pe) +
                           " (" + format_size(length) + " at " + place +
                           "): " + std::strerror(reason) + advice);
}

void map_peers() {
    for (int pe = 0; pe < job.pes; ++pe) {
        const bool is_late = is_delayed() && job.host.test(static_cast<std::size_t>(pe));
        if (pe == job.me || !(is_near(pe) || is_late)) continue;
        const PeStatus& peer = job.header->pe[pe];
        map_or_fail(peer_address(job.heap.begin, pe),
                    peer.heap_size.load(std::memory_order_relaxed), region(pe), pe,
                    "symmetric heap");
        if (job.data.size != 0)
            map_or_fail(peer_address(job.data.begin, pe), job.data.size, region(pe) + kDataOffset,
                        pe, "static data");
        for (int i = 0; i < job.library_count; ++i)
            map_library(job.libraries[static_cast<std::size_t>(i)], pe);
    }
}

void map_peers_constants() {
    if (job.data.size == 0) return;
    const int program = open(os::own_proc("exe").c_str(), O_RDONLY | O_CLOEXEC);
    if (program < 0) {  // there is no /proc, or the program may be run and not read
        job.constants_note = strerrordesc_np(errno);
        return;
    }
    std::size_t count = 0;
    for (const auto& [range, offset] : program_constants()) {
        if (count == job.constants.size()) break;
        for (int pe = 0; pe < job.pes; ++pe) {
            void* const place = reinterpret_cast<void*>(peer_address(range.begin, pe));
            if (pe != job.me && is_near(pe) &&
                mmap(place, range.size, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, program,
                     static_cast<off_t>(offset)) != place)
                fail("shmem_init", "cannot map the constants of PE " + std::to_string(pe) + ": " +
                                       std::strerror(errno));
        }
        job.constants[count++] = range;
    }
    ::close(program);
}

std::uint32_t window_limit() {
    std::uint32_t limit = 1;
    const std::uint32_t most = std::bit_ceil(static_cast<std::uint32_t>(job.pes));
    const auto me = static_cast<std::uint32_t>(job.me);
    while (limit < most) {
        const std::uint32_t wider = limit * 2;
        const std::uint32_t first = me & ~(wider - 1);
        for (std::uint32_t pe = first; pe < first + wider; ++pe) {
            if (pe < static_cast<std::uint32_t>(job.pes) && !is_near(static_cast<int>(pe)))
                return limit;
        }
        limit = wider;
    }
    return limit;
}

}  // namespace isthmus
