// A hart with page tables that a test fills, for the tests of translation and of supervisor mode.
#pragma once

#include <optional>
#include <string>

#include "tests/sim/step/words.hpp"

namespace isthmus::sim::test {

using step::Outcome;

inline constexpr std::uint64_t kBytes = 0x400000;  // of memory, from kStart
inline constexpr unsigned kMstatus = 0x300, kMedeleg = 0x302, kMepc = 0x341, kMcause = 0x342,
                          kMtval = 0x343, kSepc = 0x141, kScause = 0x142, kStval = 0x143,
                          kStvec = 0x105, kSatp = 0x180, kMenvcfg = 0x30a;
inline constexpr std::uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kA = 64, kD = 128;
inline constexpr std::uint64_t kMprv = 1u << 17, kSum = 1u << 18, kMxr = 1u << 19;
inline constexpr unsigned kFetch = 0, kLoad = 1, kStore = 2;

struct Format {
    unsigned levels, index_bits, entry_bytes;
};

/// A hart with an empty page table; the second page from the start is its root.
struct Paged {
    explicit Paged(const std::string& isa = "rv64imac_zicsr_zifencei_xbgasbulk",
                   const std::string& more = "")
        : narrow(isa[2] == '3'),
          format(narrow ? Format{2, 10, 4} : Format{3, 9, 8}),
          hart("isa=" + isa + " modes=msu memory=0x80000000:0x400000 mtvec=0x80000100 " + more) {
        hart.set_csr(kSatp, satp);
        hart.set_csr(kStvec, kStart + 0x200);
        write(kStart + 0x100, word::kMret, 4);
        write(kStart + 0x200, word::kSret, 4);
        hart.set_csr(kMstatus, 0);
    }
    void write(std::uint64_t at, std::uint64_t value, unsigned size) {
        hart.write_memory(at, &value, size);
    }
    std::uint64_t read(std::uint64_t at, unsigned size) const {
        std::uint64_t value = 0;
        hart.read_memory(at, &value, size);
        return value;
    }
    std::uint64_t entry(std::uint64_t at) const { return read(at, format.entry_bytes); }
    void set_entry(std::uint64_t at, std::uint64_t frame, std::uint64_t bits) {
        write(at, frame >> 12 << 10 | bits, format.entry_bytes);
    }
    unsigned index(std::uint64_t address, unsigned level) const {
        return static_cast<unsigned>(address >> (12 + level * format.index_bits)) &
               ((1u << format.index_bits) - 1);
    }
    /// Maps a page of a level, with tables where there are none; where its entry is.
    std::uint64_t map(std::uint64_t address, std::uint64_t frame, std::uint64_t bits,
                      unsigned level = 0) {
        std::uint64_t table = root;
        for (unsigned l = format.levels - 1; l != level; --l) {
            const std::uint64_t at = table + std::uint64_t{index(address, l)} * format.entry_bytes;
            if (entry(at) == 0) set_entry(at, next_table += 0x1000, kV);
            table = entry(at) >> 10 << 12;
        }
        const std::uint64_t at = table + std::uint64_t{index(address, level)} * format.entry_bytes;
        set_entry(at, frame, bits);
        return at;
    }
    /// One access; its cause, or nothing. Data are accessed from machine mode.
    std::optional<std::uint64_t> access(unsigned type, std::uint64_t address, unsigned mode,
                                        std::uint64_t bits = 0, unsigned size = 4) {
        hart.set_csr(kMstatus, type == kFetch ? bits : bits | kMprv | std::uint64_t{mode} << 11);
        hart.set_x(10, address);
        hart.set_x(11, 0x5a5a5a5a5a5a5a5a);
        const unsigned width = size == 8 ? 3 : 2;
        write(kStart + 0x80,
              type == kLoad ? word::i_type(3, width, 12, 10, 0) : word::s_type(width, 11, 10, 0),
              4);
        isthmus_step_set_privilege(hart.c(), type == kFetch ? static_cast<int>(mode) : 3);
        hart.set_pc(type == kFetch ? address : kStart + 0x80);
        const Outcome outcome = hart.step();
        if (outcome == Outcome::retired) return {};
        return hart.last().cause;
    }

    bool narrow;
    Format format;
    std::uint64_t root = kStart + 0x1000, next_table = root;
    std::uint64_t satp = (narrow ? 1ull << 31 : 8ull << 60) | root >> 12;
    step::Hart hart;
};

}  // namespace isthmus::sim::test
