#include "core/job/loaded_object.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fnv1a.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"

namespace isthmus {
namespace {

// dl_iterate_phdr visits the main program first.
int take_first(dl_phdr_info* info, std::size_t, void* out) {
    auto* program = static_cast<LoadedObject*>(out);
    program->load_address = info->dlpi_addr;
    program->headers.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
    return 1;
}

// Pages of [begin, begin+size) that exist. Untouched .bss reads as zero, and so does a hole in the
// job file, so such pages need not be copied: a program with a gigabyte of zeros starts at once.
// `entries` is as long as there are pages: nothing is allocated here.
void find_present_pages(const Range& range, std::vector<std::uint64_t>& entries) {
    const auto wanted = static_cast<ssize_t>(entries.size() * sizeof(std::uint64_t));
    const auto offset = static_cast<off_t>(range.begin / os::page_size() * sizeof(std::uint64_t));
    const int pagemap = open(os::own_proc("pagemap").c_str(), O_RDONLY | O_CLOEXEC);
    if (pagemap < 0 ||
        pread(pagemap, entries.data(), static_cast<std::size_t>(wanted), offset) != wanted)
        std::fill(entries.begin(), entries.end(), ~std::uint64_t{0});
    if (pagemap >= 0) close(pagemap);
}
// Bit 63: in memory; bit 62: swapped out. A file-backed page that was never read has neither, and
// its content is in the executable: only pages of .bss may be skipped, so the caller asks for
// those.
bool is_present(std::uint64_t entry) {
    return entry >> 62 != 0;
}

// The job file counts as a file to the kernel, and so its size against the user's limit (ulimit
// -f), which is not meant for memory. The launcher has made sure that the hard limit allows it.
class NoFileSizeLimit {
  public:
    NoFileSizeLimit() {
        getrlimit(RLIMIT_FSIZE, &limit_);
        const rlimit raised{limit_.rlim_max, limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &raised);
    }
    ~NoFileSizeLimit() { setrlimit(RLIMIT_FSIZE, &limit_); }
    NoFileSizeLimit(const NoFileSizeLimit&) = delete;
    NoFileSizeLimit& operator=(const NoFileSizeLimit&) = delete;

  private:
    rlimit limit_{};
};

bool write_all(int file, const void* from, std::size_t length, std::uint64_t offset) {
    const char* next = static_cast<const char*>(from);
    while (length > 0) {
        const ssize_t written = pwrite(file, next, length, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        next += written;
        offset += static_cast<std::uint64_t>(written);
        length -= static_cast<std::size_t>(written);
    }
    return true;
}

// One writable segment: what the executable file provides of it, and behind that .bss alone. There
// are several where a variable asks for more alignment than a page, or data is large (-mcmodel).
struct Part {
    Range filled;
    Range zeros;
};
std::vector<Part> parts_of(const LoadedObject& object, const Range& range) {
    std::vector<Part> parts;
    std::uintptr_t at = range.begin;  // parts rise and do not overlap
    for (const auto& header : object.headers) {
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
        const std::uintptr_t from = object.load_address + header.p_vaddr;
        const auto within = [&](std::uintptr_t address) {
            return std::clamp(address, at, range.end());
        };
        const std::uintptr_t begin = within(os::page_down(from));
        const std::uintptr_t filled = within(os::page_up(from + header.p_filesz));
        const std::uintptr_t end = within(os::page_up(from + header.p_memsz));
        parts.push_back({{begin, filled - begin}, {filled, end - filled}});
        at = end;
    }
    return parts;
}

// What lies between the parts becomes ours too, so that the whole is one range; false if somebody
// else has it.
bool reserve_gaps(const std::vector<Part>& parts, const Range& range) {
    std::uintptr_t at = range.begin;
    for (const Part& part : parts) {
        if (part.filled.begin > at &&
            mmap(reinterpret_cast<void*>(at), part.filled.begin - at, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                 0) != reinterpret_cast<void*>(at))
            return false;
        at = part.zeros.end();
    }
    return true;
}

}  // namespace

LoadedObject main_program() {
    LoadedObject program;
    dl_iterate_phdr(take_first, &program);
    return program;
}

bool is_linked_into_program() {
    const LoadedObject program = main_program();
    const auto own = reinterpret_cast<std::uintptr_t>(&is_linked_into_program);
    return std::any_of(program.headers.begin(), program.headers.end(), [&](const auto& header) {
        const std::uintptr_t begin = program.load_address + header.p_vaddr;
        return header.p_type == PT_LOAD && own >= begin && own - begin < header.p_memsz;
    });
}

bool is_relocated_constant(const dl_phdr_info& object, std::uintptr_t address) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        const std::uintptr_t begin = object.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_GNU_RELRO && begin <= address &&
            address < os::page_down(begin + part.p_memsz))
            return true;
    }
    return false;
}

Range data_range(const LoadedObject& object) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uintptr_t relro_end = 0;
    for (const auto& header : object.headers) {
        const std::uintptr_t from = object.load_address + header.p_vaddr;
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W)) {
            if (begin == 0) begin = os::page_down(from);
            end = os::page_up(from + header.p_memsz);
        } else if (header.p_type == PT_GNU_RELRO) {
            relro_end = os::page_down(from + header.p_memsz);
        }
    }
    if (relro_end > begin && relro_end <= end) begin = relro_end;
    return {begin, end - begin};
}

std::uint64_t variables_size(const LoadedObject& object) {
    std::uintptr_t end = 0;
    for (const auto& header : object.headers) {
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W))
            end = object.load_address + header.p_vaddr + header.p_memsz;
    }
    const Range range = data_range(object);
    return end > range.begin ? end - range.begin : 0;
}

std::uint64_t identity(const LoadedObject& object) {
    std::uint64_t sum =
        fnv1a(object.headers.data(), object.headers.size() * sizeof object.headers[0]);
    for (const auto& header : object.headers) {
        if (header.p_type == PT_NOTE)
            sum = fnv1a(reinterpret_cast<const void*>(object.load_address + header.p_vaddr),
                        header.p_memsz, sum);
    }
    return sum;
}

// The copy bypasses the sanitizers: it reads red zones between variables on purpose.
bool share_data(const LoadedObject& object, int file, std::uint64_t offset, std::string& reason) {
    const Range range = data_range(object);
    const NoFileSizeLimit no_limit;
    const auto copy_out = [&](std::uintptr_t from, std::size_t bytes) {
        return write_all(file, reinterpret_cast<const void*>(from), bytes,
                         offset + (from - range.begin));
    };
    const std::vector<Part> parts = parts_of(object, range);
    // The dynamic linker has taken the gaps of a library.
    if (!object.is_library && !reserve_gaps(parts, range)) {
        reason = "other memory lies between its segments";
        return false;
    }
    std::vector<std::vector<std::uint64_t>> pages;
    pages.reserve(parts.size());
    for (const Part& part : parts)
        pages.emplace_back(part.zeros.size / os::page_size());
    // From the copy to the mapping nothing is allocated or freed: a program that is linked
    // statically has malloc's own variables among its data.
    for (std::size_t p = 0; p < parts.size(); ++p)
        find_present_pages(parts[p].zeros, pages[p]);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const auto& [filled, zeros] = parts[p];
        bool copied = copy_out(filled.begin, filled.size);
        for (std::size_t i = 0; copied && i < pages[p].size(); ++i) {
            if (is_present(pages[p][i]))
                copied = copy_out(zeros.begin + i * os::page_size(), os::page_size());
        }
        if (!copied) {
            reason = std::string("cannot copy it to shared memory: pwrite64: ") +
                     std::strerror(errno) + os::advice_on_call(errno);
            return false;
        }
    }
    if (!os::map_shared(reinterpret_cast<void*>(range.begin), range.size, file, offset, true)) {
        reason = std::string("cannot map it shared: ") + std::strerror(errno);
        return false;
    }
    return true;
}

}  // namespace isthmus
