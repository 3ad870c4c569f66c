// What a wrapper must know of its routine, worked out by the compiler from the table's own text:
// the routine's name and the names of its arguments. Nothing is written twice.
#pragma once

#include <shmem.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace isthmus::profile {

enum class Index : std::uint16_t {
#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) shmem_##NAME,
#include <isthmus/shmem_routines.inc>
    count
};
inline constexpr std::size_t kRoutines = static_cast<std::size_t>(Index::count);

// The table in its order: a section's title, or a routine's name.
struct Entry {
    const char* section;
    const char* routine;
};
inline constexpr Entry kEntries[] = {
#define SHMEM_SECTION(title)                          {title, nullptr},
#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) {nullptr, "shmem_" #NAME},
#include <isthmus/shmem_routines.inc>
};

struct Title {
    const char* routine;
    const char* section;
};
inline constexpr auto kTitles = [] {
    std::array<Title, kRoutines> titles{};
    const char* section = "";
    std::size_t next = 0;
    for (const Entry& entry : kEntries) {
        if (entry.section)
            section = entry.section;
        else
            titles[next++] = {entry.routine, section};
    }
    return titles;
}();

enum class Role : std::uint8_t { ordinary, initialise, finalise };

// Positions count from 0; -1: there is no such argument.
struct Description {
    Role role = Role::ordinary;
    int target = -1;   // PE whose memory the operation reads or writes
    int context = -1;  // `target` is a number in this context's team
    int factor = -1;   // bytes are the product of these two...
    int factor2 = -1;
    int operand = -1;  // ...and the size of what this pointer points to
    int word = -1;     // what the operation writes at the target
    int waits = -1;    // the word, or the first of `wait_count`, that a wait waits for
    int wait_count = -1;
    int unit = 0;  // or of this, if it points to void; 0: neither, the product is bytes
    bool operator==(const Description&) const = default;
};

// Names of the arguments: "(ctx, dest, nelems)" -> ctx, dest, nelems.
class ArgumentNames {
  public:
    consteval explicit ArgumentNames(std::string_view text) {
        for (std::size_t i = 0; i < text.size();) {
            if (!is_letter(text[i])) {
                ++i;
                continue;
            }
            std::size_t end = i;
            while (end < text.size() && is_letter(text[end]))
                ++end;
            names_[static_cast<std::size_t>(count_++)] = text.substr(i, end - i);
            i = end;
        }
    }
    consteval int find(std::string_view name) const {
        for (int i = 0; i < count_; ++i) {
            if (names_[static_cast<std::size_t>(i)] == name) return i;
        }
        return -1;
    }
    consteval bool has(std::string_view name) const { return find(name) >= 0; }

  private:
    static consteval bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    }
    std::array<std::string_view, 12> names_{};
    int count_ = 0;
};

// Bytes of an element of an untyped routine: put32, ctx_iget128, broadcast64; putmem has bytes.
consteval int untyped_element(std::string_view name) {
    int bits = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] < '0' || name[i] > '9') continue;
        while (i < name.size() && name[i] >= '0' && name[i] <= '9')
            bits = bits * 10 + (name[i++] - '0');
        break;
    }
    return bits == 0 ? 1 : bits / 8;
}

// A number of elements of the symmetric operand, as the routine's arguments give it.
consteval bool counts_elements(const ArgumentNames& names) {
    return names.has("dest") && (names.has("nelems") || names.has("nreduce") || names.has("bsize"));
}

// These have a PE for an argument and touch nobody's memory.
consteval bool only_asks(std::string_view name) {
    for (const std::string_view query :
         {"shmem_pe_accessible", "shmem_addr_accessible", "shmem_ptr", "shmem_team_ptr"}) {
        if (name == query) return true;
    }
    return false;
}

consteval bool has_part(std::string_view name, std::string_view part) {
    return name.find(part) != std::string_view::npos;
}

consteval Description describe(std::string_view name, std::string_view arguments) {
    const ArgumentNames names(arguments);
    Description result;
    if (name == "shmem_init" || name == "shmem_init_thread") result.role = Role::initialise;
    if (name == "shmem_finalize") result.role = Role::finalise;
    if (names.has("size") && !names.has("parent_team")) {  // memory management
        result.factor = names.find("size");
        result.factor2 = names.find("count");
        return result;
    }
    if (counts_elements(names)) {
        result.factor = names.has("nreduce")  ? names.find("nreduce")
                        : names.has("nelems") ? names.find("nelems")
                                              : names.find("bsize");
        result.factor2 = names.find("nblocks");
        result.operand = names.find("dest");
        result.unit = untyped_element(name);
    }
    if (has_part(name, "_wait")) {
        result.waits = names.has("ivars")  ? names.find("ivars")
                       : names.has("ivar") ? names.find("ivar")
                                           : names.find("sig_addr");
        if (names.has("ivars")) result.wait_count = names.find("nelems");
    }
    if (!names.has("pe") || only_asks(name)) return result;
    result.word = names.has("sig_addr")    ? names.find("sig_addr")
                  : !has_part(name, "get") ? names.find("dest")
                                           : -1;
    result.target = names.find("pe");
    result.context = names.find("ctx");
    if (result.operand < 0) {  // one element: p, g, atomics, signal_set and signal_add
        result.operand = names.has("dest")     ? names.find("dest")
                         : names.has("source") ? names.find("source")
                                               : names.find("sig_addr");
    }
    return result;
}

template <Description kDescription, typename... Arguments>
std::uint64_t bytes_of(const Arguments&... arguments) {
    const auto all = std::tie(arguments...);
    std::uint64_t bytes = 1;
    if constexpr (kDescription.factor < 0 && kDescription.operand < 0) bytes = 0;
    if constexpr (kDescription.factor >= 0)
        bytes *= static_cast<std::uint64_t>(
            std::get<static_cast<std::size_t>(kDescription.factor)>(all));
    if constexpr (kDescription.factor2 >= 0)
        bytes *= static_cast<std::uint64_t>(
            std::get<static_cast<std::size_t>(kDescription.factor2)>(all));
    if constexpr (kDescription.operand >= 0) {
        using Pointer = std::tuple_element_t<static_cast<std::size_t>(kDescription.operand),
                                             std::tuple<Arguments...>>;
        using Element = std::remove_pointer_t<Pointer>;
        if constexpr (std::is_void_v<Element>)
            bytes *= kDescription.unit;
        else
            bytes *= sizeof(Element);
    }
    return bytes;
}

// World number of the PE; -1 if none is meant. Call it after the routine has accepted its
// arguments: a context that is not valid has no team to ask.
template <Description kDescription, typename... Arguments>
int target_of(const Arguments&... arguments) {
    if constexpr (kDescription.target < 0) {
        return -1;
    } else {
        const auto all = std::tie(arguments...);
        const int pe = std::get<static_cast<std::size_t>(kDescription.target)>(all);
        if constexpr (kDescription.context >= 0) {
            const shmem_ctx_t context =
                std::get<static_cast<std::size_t>(kDescription.context)>(all);
            shmem_team_t team = SHMEM_TEAM_INVALID;
            if (context != SHMEM_CTX_DEFAULT && pshmem_ctx_get_team(context, &team) == 0)
                return pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
        }
        return pe;
    }
}

}  // namespace isthmus::profile
