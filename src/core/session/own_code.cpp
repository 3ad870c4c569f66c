#include "core/session/own_code.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstring>
#include <string>

#include "core/job/program_data.hpp"
#include "core/job/window.hpp"

// Of libisthmus.a alone: the linker tells where its section begins and ends.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
extern const char __start_isthmus_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_isthmus_text[] __attribute__((weak, visibility("hidden")));
// NOLINTEND(bugprone-reserved-identifier)
}

namespace isthmus {
namespace {

Range own_code;
bool is_alone = false;  // all code is in the executable

bool contains_address(const dl_phdr_info& object, std::uintptr_t at) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        if (part.p_type == PT_LOAD && at - (object.dlpi_addr + part.p_vaddr) < part.p_memsz)
            return true;
    }
    return false;
}

}  // namespace

Range executable_part(const dl_phdr_info& object) {
    Range found{};
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X))
            found = {object.dlpi_addr + part.p_vaddr, part.p_memsz};
    }
    return found;
}

const void* object_base(const void* address) {
    Dl_info place{};
    return dladdr(address, &place) ? place.dli_fbase : nullptr;
}

void find_own_code() {
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void*) {
            const auto here = reinterpret_cast<std::uintptr_t>(&find_own_code);
            if (!contains_address(*object, here)) return 0;
            is_alone = contains_address(*object, getauxval(AT_PHDR));
            if (!is_alone) own_code = executable_part(*object);
            return 1;
        },
        nullptr);
    // Without the section nothing there is told to be the library's.
    if (is_alone && __start_isthmus_text) {
        const auto begin = reinterpret_cast<std::uintptr_t>(__start_isthmus_text);
        own_code = {begin, reinterpret_cast<std::uintptr_t>(__stop_isthmus_text) - begin};
    }
}

bool is_own_code(const void* at) {
    return own_code.contains(at);
}

CodeOf code_of(const void* at) {
    if (is_own_code(at)) return CodeOf::library;
    if (is_alone) {
        // "memcpy", "__memmove_avx_unaligned": no program's function has such a name.
        const std::string name = program_function(at);
        return name.starts_with("mem") || name.starts_with("__mem") ? CodeOf::system
               : name.empty()                                       ? CodeOf::other
                                                                    : CodeOf::program;
    }
    const void* const base = object_base(at);
    // First: a program may hold a sanitizer, and strlen is that one's.
    if (base && base == object_base(reinterpret_cast<const void*>(getauxval(AT_PHDR))))
        return CodeOf::program;
    return base == object_base(reinterpret_cast<const void*>(&std::strlen)) ? CodeOf::system
                                                                            : CodeOf::other;
}

void CallSearch::pass(const void* at) {
    const CodeOf owner = code_of(at);
    if (owner == CodeOf::library) {
        is_within_ = true;
        is_left_ = false;
    } else if (owner == CodeOf::other) {
        is_left_ = true;
    } else if (owner == CodeOf::program && is_within_) {
        is_over_ = true;
        if (!is_left_) found_ = at;
    }
}

void CallSearch::go_outward() {
    is_over_ = false;
    found_ = nullptr;
}

}  // namespace isthmus
