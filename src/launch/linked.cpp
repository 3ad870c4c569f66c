#include "launch/linked.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "launch/processes.hpp"

namespace isthmus::launch {
namespace {

class MappedFile {
  public:
    explicit MappedFile(const std::string& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat facts {};
        if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
            size_ = static_cast<std::size_t>(facts.st_size);
            void* const begin = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
            begin_ = begin == MAP_FAILED ? nullptr : static_cast<const char*>(begin);
        }
        if (file >= 0) close(file);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile() {
        if (begin_) munmap(const_cast<char*>(begin_), size_);
    }
    // Nothing if the file does not hold them. Copied: nothing in it need be aligned.
    template <typename Part>
    std::optional<Part> part(std::uint64_t offset) const {
        if (!begin_ || offset > size_ || size_ - offset < sizeof(Part)) return {};
        Part value;
        std::memcpy(&value, begin_ + offset, sizeof value);
        return value;
    }
    // Up to its zero byte.
    std::string_view text(std::uint64_t offset) const {
        if (!begin_ || offset >= size_) return {};
        const std::string_view rest(begin_ + offset, size_ - offset);
        const auto end = rest.find('\0');
        return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
    }

  private:
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
};

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Entry = ElfW(Dyn);
constexpr int kMostEntries = 4096;  // of a dynamic section; real ones have some dozens

using Names = std::vector<std::string>;

bool has_any(const Names& names, std::initializer_list<const char*> begins) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return std::any_of(begins.begin(), begins.end(),
                           [&](const char* begin) { return name.starts_with(begin); });
    });
}

// What is said behind the program's name; empty: nothing.
std::string judge(const Names& libraries, Numbering numbering) {
    const bool ours = has_any(libraries, {"libisthmus"});
    // Open MPI's speak PMIx and nothing else.
    const bool pmix = has_any(libraries, {"liboshmem.", "libmpi.so.40", "libmpi.so.20"});
    if (numbering == Numbering::pmi1 && !pmix) return "";
    const bool shmem = has_any(libraries, {"liboshmem.", "libsma.", "libshmem."});
    if (shmem && ours) return "";
    if (shmem)
        return " is linked with another OpenSHMEM: each of its processes will be a job of one PE; "
               "compile it with this oshcc, or start it with the other's launcher";
    if (!has_any(libraries, {"libmpi.", "libmpich.", "libmpi_"})) return "";
    if (ours)
        return " is linked with MPI as well: each PE will be rank 0 of an MPI job of its own; "
               "start "
               "it with that MPI's mpirun or mpiexec, and each PE is the rank of its number";
    return " is linked with MPI: each of its processes will be an MPI job of one rank; start it "
           "with mpirun or mpiexec";
}

// The names of the files that a process has mapped.
Names mapped_files(pid_t process) {
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    Names names;
    for (std::string line; std::getline(maps, line);) {
        const auto slash = line.rfind('/');
        if (slash == std::string::npos) continue;
        std::string name = line.substr(slash + 1);
        if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    return names;
}

std::string executable_of(pid_t process) {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", error);
}

}  // namespace

namespace {

// None: it is no ELF file of this machine, or damaged.
std::vector<Segment> segments_of(const MappedFile& file) {
    const auto header = file.part<Header>(0);
    constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != kClass || header->e_phentsize != sizeof(Segment))
        return {};
    std::vector<Segment> segments;
    for (unsigned i = 0; i < header->e_phnum; ++i) {
        const auto segment = file.part<Segment>(header->e_phoff + i * sizeof(Segment));
        if (!segment) return {};
        segments.push_back(*segment);
    }
    return segments;
}

}  // namespace

bool is_static_program(const std::string& path) {
    const std::vector<Segment> segments = segments_of(MappedFile(path));
    return !segments.empty() &&
           std::none_of(segments.begin(), segments.end(),
                        [](const Segment& segment) { return segment.p_type == PT_INTERP; });
}

std::vector<std::string> needed_libraries(const std::string& path) {
    const MappedFile file(path);
    const std::vector<Segment> segments = segments_of(file);
    const auto dynamic = std::find_if(segments.begin(), segments.end(), [](const Segment& segment) {
        return segment.p_type == PT_DYNAMIC;
    });
    if (dynamic == segments.end()) return {};
    std::vector<std::uint64_t> names;
    std::uint64_t strings = 0;
    for (int i = 0; i < kMostEntries; ++i) {
        const auto entry =
            file.part<Entry>(dynamic->p_offset + static_cast<unsigned>(i) * sizeof(Entry));
        if (!entry || entry->d_tag == DT_NULL) break;
        if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
        if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    }
    // An address; the file has it where its segment says.
    const auto home = std::find_if(segments.begin(), segments.end(), [&](const Segment& segment) {
        return segment.p_type == PT_LOAD && strings >= segment.p_vaddr &&
               strings - segment.p_vaddr < segment.p_filesz;
    });
    if (home == segments.end()) return {};
    std::vector<std::string> needed;
    needed.reserve(names.size());
    for (const std::uint64_t name : names)
        needed.emplace_back(file.text(strings - home->p_vaddr + home->p_offset + name));
    return needed;
}

std::string warn_of_foreign_program(const std::string& path,
                                    const std::vector<std::string>& arguments, int pes,
                                    Numbering numbering) {
    if (pes < 2) return "";
    const Names own = needed_libraries(path);
    if (const std::string why = judge(own, numbering); !why.empty()) return path + why;
    if (has_any(own, {"libisthmus"})) return "";  // its arguments are its own matter
    for (const std::string& argument : arguments) {
        if (argument.find('/') == std::string::npos || access(argument.c_str(), X_OK) != 0)
            continue;
        if (const std::string why = judge(needed_libraries(argument), numbering); !why.empty())
            return argument + why;
    }
    return "";
}

std::string warn_of_foreign_process(pid_t process, Numbering numbering) {
    std::vector<pid_t> tree = descendants(process);
    tree.insert(tree.begin(), process);
    for (const pid_t each : tree) {
        if (const std::string why = judge(mapped_files(each), numbering); !why.empty())
            return executable_of(each) + why;
    }
    return "";
}

}  // namespace isthmus::launch
