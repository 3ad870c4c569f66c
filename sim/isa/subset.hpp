// Which parts of the instruction table a machine has, and the name that says so: rv32imc_zicsr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isthmus::sim {

enum class Xlen : std::uint8_t { k32 = 32, k64 = 64 };

/// The table's extensions, in its order.
enum class Extension : std::uint8_t {
#define ISTHMUS_SIM_EXTENSION(name) name,
#include "isthmus/sim/isa/extensions.inc"
#undef ISTHMUS_SIM_EXTENSION
    kCount
};

struct Extensions {
    std::uint32_t bits = 0;

    static constexpr std::uint32_t bit(Extension extension) {
        return std::uint32_t{1} << static_cast<unsigned>(extension);
    }
    static constexpr Extensions all() { return {bit(Extension::kCount) - 1}; }

    constexpr bool has(Extension extension) const { return (bits & bit(extension)) != 0; }
    constexpr bool has_xbgas() const {
        return has(Extension::Xbgas) || has(Extension::Xbgasamo) || has(Extension::Xbgasbulk);
    }
    constexpr Extensions& add(Extension extension) {
        bits |= bit(extension);
        return *this;
    }
    constexpr Extensions& set(Extension extension, bool there) {
        bits = there ? bits | bit(extension) : bits & ~bit(extension);
        return *this;
    }
    constexpr bool operator==(const Extensions&) const = default;
};

/// A register width and what is there.
struct Isa {
    Xlen xlen = Xlen::k64;
    Extensions extensions = Extensions::all();
};

/// Reads a name as RISC-V compilers take it: rv32 or rv64, i and letters of m a f d c (g is
/// imafd_zicsr_zifencei), then _zicsr, _zifencei, _xbgas, _xbgasamo, _xbgasbulk. What an extension
/// is built on comes with it: d has f, f has zicsr, the last two have xbgas. Machine mode's own
/// instructions come with zicsr. Throws std::invalid_argument, saying what is not understood.
Isa parse_isa(std::string_view name);

/// The name of a subset, every extension written out.
std::string isa_name(const Isa& isa);

}  // namespace isthmus::sim
