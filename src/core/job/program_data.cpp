#include "core/job/program_data.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "core/job/loaded_object.hpp"

namespace isthmus {
namespace {

// "app::flag" of "_ZN3app4flagE"; a name of C is as it was.
std::string demangled(const std::string& name) {
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return text ? text.get() : name;
}

NamedPlace program_symbol(const void* address, int symbol_type) {
    const int file = open(os::own_proc("exe").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    struct stat status {};
    if (fstat(file, &status) != 0) {
        close(file);
        return {};
    }
    const auto length = static_cast<std::size_t>(status.st_size);
    void* const image = mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED) return {};
    const char* const bytes = static_cast<const char*>(image);
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(bytes);
    NamedPlace best;
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
                best = {bytes + strings.sh_offset + symbol.st_name, distance};
            }
        }
    }
    munmap(image, length);
    return best;
}

}  // namespace

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
            if (is_relocated_constant(*object, wanted.at)) return 1;
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
    const LoadedObject program = main_program();
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

NamedPlace place_in_program(const void* address) {
    NamedPlace place = program_symbol(address, STT_OBJECT);
    place.name = demangled(place.name);
    return place;
}
NamedPlace place_in_library(const void* address) {
    Dl_info place{};
    if (dladdr(address, &place) == 0 || !place.dli_sname) return {};
    return {demangled(place.dli_sname), reinterpret_cast<std::uintptr_t>(address) -
                                            reinterpret_cast<std::uintptr_t>(place.dli_saddr)};
}
std::string program_variable(const void* address) {
    const NamedPlace place = place_in_program(address);
    return place.beyond == 0 ? place.name
                             : place.name + "+" + std::to_string(place.beyond) + " bytes";
}
std::string program_function(const void* address) {
    return program_symbol(address, STT_FUNC).name;
}

}  // namespace isthmus
