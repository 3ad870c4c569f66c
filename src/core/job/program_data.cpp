#include "core/job/program_data.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/os.hpp"

namespace isthmus {
namespace {

struct Program {
    std::uintptr_t load_address = 0;
    std::vector<ElfW(Phdr)> headers;
};

// dl_iterate_phdr visits the main program first.
int take_first(dl_phdr_info* info, std::size_t, void* out) {
    auto* program = static_cast<Program*>(out);
    program->load_address = info->dlpi_addr;
    program->headers.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
    return 1;
}

Program main_program() {
    Program program;
    dl_iterate_phdr(take_first, &program);
    return program;
}

// Pages of [begin, begin+size) that exist. Untouched .bss reads as zero, and so does a hole in the
// job file, so such pages need not be copied: a program with a gigabyte of zeros starts at once.
// `entries` is as long as there are pages: nothing is allocated here.
void find_present_pages(const Range& range, std::vector<std::uint64_t>& entries) {
    const auto wanted = static_cast<ssize_t>(entries.size() * sizeof(std::uint64_t));
    const auto offset = static_cast<off_t>(range.begin / os::page_size() * sizeof(std::uint64_t));
    const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
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
std::vector<Part> parts_of(const Program& program, const Range& range) {
    std::vector<Part> parts;
    std::uintptr_t at = range.begin;  // parts rise and do not overlap
    for (const auto& header : program.headers) {
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
        const std::uintptr_t from = program.load_address + header.p_vaddr;
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

std::string program_symbol(const void* address, int symbol_type) {
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return "";
    struct stat status {};
    if (fstat(file, &status) != 0) {
        close(file);
        return "";
    }
    const auto length = static_cast<std::size_t>(status.st_size);
    void* const image = mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED) return "";
    const char* const bytes = static_cast<const char*>(image);
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(bytes);
    std::string best;
    std::uintptr_t best_distance = 1 << 20;  // farther is no neighbour
    const std::uintptr_t wanted =
        reinterpret_cast<std::uintptr_t>(address) - main_program().load_address;
    if (header->e_shoff != 0 &&
        header->e_shoff + std::size_t{header->e_shnum} * sizeof(ElfW(Shdr)) <= length) {
        const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes + header->e_shoff);
        for (int i = 0; i < header->e_shnum; ++i) {
            const auto& table = sections[i];
            if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
            if (table.sh_link >= header->e_shnum) continue;
            const auto& strings = sections[table.sh_link];
            if (table.sh_offset + table.sh_size > length ||
                strings.sh_offset + strings.sh_size > length)
                continue;
            const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(bytes + table.sh_offset);
            for (std::size_t s = 0; s < table.sh_size / sizeof(ElfW(Sym)); ++s) {
                const auto& symbol = symbols[s];
                if (ELF64_ST_TYPE(symbol.st_info) != symbol_type || symbol.st_value > wanted ||
                    symbol.st_name >= strings.sh_size)
                    continue;
                const std::uintptr_t distance = wanted - symbol.st_value;
                const bool function = symbol_type == STT_FUNC;
                if (distance >= best_distance || (function && distance >= symbol.st_size)) continue;
                best_distance = distance;
                best = bytes + strings.sh_offset + symbol.st_name;
                if (distance != 0 && !function) best += "+" + std::to_string(distance);
            }
        }
    }
    munmap(image, length);
    return best;
}

}  // namespace

Range program_data_range() {
    const Program program = main_program();
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uintptr_t relro_end = 0;
    for (const auto& header : program.headers) {
        const std::uintptr_t from = program.load_address + header.p_vaddr;
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

Text library_variable(const void* address) {
    struct Search {
        std::uintptr_t at;
        const char* library = nullptr;
        bool is_program = true;  // the first object
    } search{reinterpret_cast<std::uintptr_t>(address)};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* out) {
            auto& wanted = *static_cast<Search*>(out);
            if (std::exchange(wanted.is_program, false)) return 0;
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const ElfW(Phdr)& part = object->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0 ||
                    wanted.at - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz)
                    continue;
                wanted.library = object->dlpi_name;
                return 1;
            }
            return 0;
        },
        &search);
    if (!search.library) return Text();
    const char* const slash = std::strrchr(search.library, '/');
    const char* const library = slash ? slash + 1 : search.library;
    Dl_info place{};
    if (dladdr(address, &place) == 0 || !place.dli_sname) return Text("a variable of ", library);
    const std::uintptr_t beyond = search.at - reinterpret_cast<std::uintptr_t>(place.dli_saddr);
    return beyond == 0 ? Text(place.dli_sname, " of ", library)
                       : Text(place.dli_sname, "+", beyond, " of ", library);
}

// The linkers put constants into a segment of their own, behind the headers, or (old ones) into the
// code's; only then is the code taken.
std::vector<ProgramConstants> program_constants() {
    const Program program = main_program();
    std::vector<ProgramConstants> constants;
    for (const bool code : {false, true}) {
        for (const auto& header : program.headers) {
            if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0 ||
                ((header.p_flags & PF_X) != 0) != code)
                continue;
            const std::uintptr_t from = os::page_down(program.load_address + header.p_vaddr);
            const std::uintptr_t to =
                os::page_up(program.load_address + header.p_vaddr + header.p_filesz);
            constants.push_back({{from, to - from}, os::page_down(header.p_offset)});
        }
        if (!constants.empty()) break;
    }
    return constants;
}

std::uint64_t program_checksum() {
    // By its name first: under an emulator or valgrind the link leads to the tool, but reading it
    // gives the program.
    char name[4096];
    const ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
    name[length < 0 ? 0 : length] = '\0';
    struct stat file {};
    if (stat(name, &file) != 0 && stat("/proc/self/exe", &file) != 0) return 0;
    // FNV-1a over what makes a file itself, on this host.
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(file.st_dev), static_cast<std::uint64_t>(file.st_ino),
          static_cast<std::uint64_t>(file.st_size), static_cast<std::uint64_t>(file.st_mtim.tv_sec),
          static_cast<std::uint64_t>(file.st_mtim.tv_nsec)}) {
        sum = (sum ^ part) * 0x100000001b3;
    }
    return sum;
}

// The copy bypasses the sanitizers: it reads red zones between variables on purpose.
bool share_program_data(const Range& range, int file, std::uint64_t offset, std::string& reason) {
    const NoFileSizeLimit no_limit;
    const auto copy_out = [&](std::uintptr_t from, std::size_t bytes) {
        return write_all(file, reinterpret_cast<const void*>(from), bytes,
                         offset + (from - range.begin));
    };
    const std::vector<Part> parts = parts_of(main_program(), range);
    if (!reserve_gaps(parts, range)) {
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
            reason = std::string("cannot copy it to shared memory: ") + std::strerror(errno);
            return false;
        }
    }
    if (!os::map_shared(reinterpret_cast<void*>(range.begin), range.size, file, offset, true)) {
        reason = std::string("cannot map it shared: ") + std::strerror(errno);
        return false;
    }
    return true;
}

std::string program_variable(const void* address) {
    return program_symbol(address, STT_OBJECT);
}
std::string program_function(const void* address) {
    return program_symbol(address, STT_FUNC);
}

}  // namespace isthmus
