#include "core/job/private_memory.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/process_stat.hpp"
#include "core/job/heap.hpp"
#include "core/job/job.hpp"
#include "core/job/loaded_object.hpp"

namespace isthmus {
namespace {

// A path's last part; the program's own if there is no path.
Text last_part(const char* path) {
    char own[256] = "the program";
    if (*path == '\0') {
        const ssize_t length = readlink(os::own_proc("exe").c_str(), own, sizeof own - 1);
        if (length > 0) own[length] = '\0';
        path = own;
    }
    const char* const slash = std::strrchr(path, '/');
    return Text(slash ? slash + 1 : path);
}

struct Search {
    std::uintptr_t address;
    Text found;
};

// Of this thread's, in every object that is loaded.
Text thread_local_text(std::uintptr_t address) {
    Search search{address, Text()};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* argument) {
            auto& sought = *static_cast<Search*>(argument);
            const auto block = reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data);
            for (int i = 0; block != 0 && i < object->dlpi_phnum; ++i) {
                const ElfW(Phdr)& part = object->dlpi_phdr[i];
                if (part.p_type != PT_TLS || sought.address - block >= part.p_memsz) continue;
                sought.found = Text("a thread-local variable of ", last_part(object->dlpi_name));
                return 1;
            }
            return 0;
        },
        &search);
    return search.found;
}

// In every object that is loaded.
Text constant_text(std::uintptr_t address) {
    Search search{address, Text()};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* argument) {
            auto& sought = *static_cast<Search*>(argument);
            if (is_relocated_constant(*object, sought.address))
                sought.found =
                    Text("a constant of ", last_part(object->dlpi_name),
                         ", read-only after relocation (constants that hold addresses are)");
            for (int i = 0; sought.found.empty() && i < object->dlpi_phnum; ++i) {
                const ElfW(Phdr)& part = object->dlpi_phdr[i];
                const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
                if (part.p_type == PT_LOAD && (part.p_flags & (PF_W | PF_X)) == 0 &&
                    sought.address - begin < part.p_memsz)
                    sought.found = Text("a constant of ", last_part(object->dlpi_name));
            }
            return sought.found.empty() ? 0 : 1;
        },
        &search);
    return search.found;
}

// A line of /proc/self/maps.
struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char rights[5] = "";
    char name[256] = "";
    bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
};

bool read_mapping(const char* line, Mapping& mapping) {
    mapping.name[0] = '\0';
    return std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %255[^\n]", &mapping.begin,
                       &mapping.end, mapping.rights, mapping.name) >= 3;
}

// The mapping that the address lies in; false: none is.
bool find_mapping(std::uintptr_t address, Mapping& mapping) {
    const int file = open(os::own_proc("maps").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    std::array<char, 4096> buffer{};
    std::size_t kept = 0;
    bool found = false;
    while (!found) {
        const ssize_t more = read(file, buffer.data() + kept, buffer.size() - 1 - kept);
        if (more <= 0) break;
        kept += static_cast<std::size_t>(more);
        buffer[kept] = '\0';
        char* line = buffer.data();
        for (char* end = nullptr; !found && (end = std::strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            found = read_mapping(line, mapping) && mapping.contains(address);
        }
        kept -= static_cast<std::size_t>(line - buffer.data());
        std::memmove(buffer.data(), line, kept);
    }
    close(file);
    return found;
}

}  // namespace

bool is_symmetric(const void* address, std::uint64_t bytes) {
    const auto holds = [&](const Range& range) {
        return range.contains(address) &&
               bytes <= range.end() - reinterpret_cast<std::uintptr_t>(address);
    };
    return holds(heap.range()) || holds(static_range(address).range) ||
           std::any_of(job.constants.begin(), job.constants.end(), holds);
}

Text describe_private(const void* address, std::uintptr_t stack) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (Text variable = thread_local_text(at); !variable.empty()) return variable;
    if (Text constant = constant_text(at); !constant.empty()) return constant;
    Mapping mapping;
    if (!find_mapping(at, mapping)) return Text();
    const std::string_view name = mapping.name;
    if (name == "[stack]" || mapping.contains(stack)) return Text("on the stack");
    if (name == "[heap]") return Text("memory of malloc");
    if (name.empty() && mapping.rights[1] == 'w') return Text("memory of malloc or mmap");
    if (name.starts_with("/") && mapping.rights[2] == 'x')
        return Text("code of ", last_part(mapping.name));
    return Text();
}

}  // namespace isthmus
