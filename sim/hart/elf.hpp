// Reading RISC-V ELF files: what to load where, and the symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/decode.hpp"

namespace isthmus::sim {

struct Segment {
    std::uint64_t address = 0;
    std::uint64_t memory_size = 0;  // the part behind data is zero
    std::vector<std::byte> data;
    bool readable = false, writable = false, executable = false;
};

/// A program as read from its file. Addresses are as in the file; a position-independent one has to
/// be moved.
class Program {
  public:
    /// Throws std::runtime_error, naming the file and what is wrong with it: not ELF, not
    /// little-endian RISC-V, not an executable, dynamically linked, or with headers that point
    /// outside the file.
    static Program load(const std::string& path);
    static Program parse(std::string_view bytes, const std::string& name);

    std::string path;
    Xlen xlen = Xlen::k64;
    std::uint64_t entry = 0;
    bool position_independent = false;
    std::uint64_t header_address = 0;  // of the program headers in memory, 0 if they are not loaded
    unsigned header_count = 0, header_size = 0;
    std::vector<Segment> segments;
    /// The xBGAS encodings that the program's include files say it uses.
    bool for_profile_a = false, for_profile_b = false;

    std::optional<std::uint64_t> symbol(const std::string& name) const;
    /// "name+0x10", a name of C++ as it was written; empty if nothing is known there.
    std::string describe(std::uint64_t address) const;
    /// Adds to every address in here.
    void move(std::uint64_t bias);

    struct Symbol {
        std::string name;
        std::uint64_t size = 0;
        bool is_function = false;
        bool is_place = true;  // else a number
    };
    const std::multimap<std::uint64_t, Symbol>& symbols() const { return symbols_; }

    /// The encoding to run it with: `asked` is "a", "b", or "auto" for what the program says, b if
    /// it says nothing. Throws std::runtime_error if the program says something else, or both.
    Profile profile(std::string_view asked) const;

  private:
    std::multimap<std::uint64_t, Symbol> symbols_;
};

}  // namespace isthmus::sim
