// Decoded basic blocks: what the interpreter runs instead of instruction words.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/isa/decode.hpp"

namespace isthmus::sim {

class AddressSpace;

/// One instruction, ready to run: 16 bytes, four to a cache line.
struct Insn {
    const void* handler;  // label in the loop that runs it
    std::int32_t imm;
    std::uint8_t rd, rs1, rs2, rs3;  // rd of register 0 is Hart::kDiscard

    /// auipc has no source registers and keeps its distance from the start of the block there.
    std::uint32_t block_offset() const { return rs2 | std::uint32_t{rs3} << 8; }
};
static_assert(sizeof(Insn) == 16);

/// A register of any file in one number: 0..31 integer, 32..63 floating point, 64..95 extended. 0
/// (x0) also means none.
using FlatRegister = std::uint8_t;

constexpr FlatRegister flat_register(RegisterFile file, std::uint8_t number) {
    switch (file) {
        case RegisterFile::x: return number & 31;
        case RegisterFile::f: return static_cast<FlatRegister>(32 + (number & 31));
        case RegisterFile::e: return static_cast<FlatRegister>(64 + (number & 31));
        case RegisterFile::none: break;
    }
    return 0;
}

/// What the slow paths and observers need beyond that.
struct InsnMeta {
    std::uint32_t raw;
    Op op;
    std::uint16_t offset;  // of the instruction from the start of the block, in bytes
    InstructionClass klass;
    std::uint8_t length;
    FlatRegister rd, rs1, rs2, rs3;
    std::uint8_t unused[2];
};
static_assert(sizeof(InsnMeta) == 16);

/// A run of instructions that is entered only at its start.
struct Block {
    std::uint64_t pc;
    std::uint32_t count;  // instructions, without the end marker
    std::uint32_t bytes;
    Insn* insns;
    const InsnMeta* meta;
    std::uint64_t taken_pc;  // target of a final branch or jal
    Block* taken;            // successors, once known
    Block* next;
    std::uint64_t indirect_pc;  // last target of a final jalr
    Block* indirect;
    std::uint32_t heat;   // times it was entered through the slow path
    const void* native;   // translated code, or null
    std::uint32_t space;  // BlockCache's, that its addresses are of
};

/// Where instructions lie that a program sees elsewhere.
class FetchMap {
  public:
    /// False: nothing can be fetched there.
    virtual bool to_physical(std::uint64_t address, std::uint64_t& physical) = 0;
    /// The same, but only asked: nothing changes, and what would change something is false.
    virtual bool still_leads_to(std::uint64_t address, std::uint64_t physical) const = 0;

  protected:
    ~FetchMap() = default;
};

/// Handlers of the loop a cache belongs to: one per Op, then those of the pseudo-instructions.
struct HandlerTable {
    const void* const* labels = nullptr;
    static constexpr std::size_t kEndOfBlock = kOpCount;  // falls through to the next block
    static constexpr std::size_t kIllegal = kOpCount + 1;
    static constexpr std::size_t kBreakpoint = kOpCount + 2;
    static constexpr std::size_t kTranslated =
        kOpCount + 3;  // first instruction of a block with host code
    static constexpr std::size_t kCount = kOpCount + 4;
};

/// The blocks of one hart. Pointers to blocks stay valid until flush(). A block belongs to the
/// space that was current when it was decoded, and leads to blocks of that space only.
class BlockCache {
  public:
    static constexpr std::size_t kMaxInstructions = 64;

    /// What instructions are fetched through: two equal ones see the same code. `table` 0: physical
    /// addresses.
    struct Space {
        std::uint64_t table = 0;
        bool user = false, floats = false;
        bool operator==(const Space&) const = default;
    };
    /// What is looked up from now on is of this space, fetched through `map` unless its addresses
    /// are physical. True if recheck() is needed first.
    bool set_space(const Space& space, FetchMap& map);
    /// Page tables may have changed: each space is to be rechecked before it is used.
    void suspect_spaces();
    /// Drops all blocks if one of the current space is not where it was decoded from.
    void recheck();
    /// Of the last look-up that found nothing: the address has no translation, rather than no
    /// memory.
    bool translation_failed() const { return translation_failed_; }

    /// The block at pc, decoded now if need be; null if the first instruction cannot be fetched,
    /// with `fault` set to the address that failed.
    Block* lookup(std::uint64_t pc, const Decoder& decoder, AddressSpace& memory, bool fp_enabled,
                  std::uint64_t& fault) {
        Block*& slot = recent_[(pc >> 1) % kRecent];
        if (slot && slot->pc == pc && slot->space == current_->number) return slot;
        return lookup_slow(pc, decoder, memory, fp_enabled, fault);
    }

    BlockCache() { add_space({}); }
    void flush();
    /// Drops the block that starts at pc. Only where no other block leads to it: those that do keep
    /// its address, unless nothing runs more than a block at a time.
    void forget(std::uint64_t pc);
    /// The loop whose labels new blocks refer to; a different one flushes.
    void set_handlers(const HandlerTable& handlers) {
        if (handlers.labels != handlers_.labels) {
            flush();
            handlers_ = handlers;
        }
    }
    /// Longest block from now on; 1 for single steps. Flushes if it changes.
    void set_limit(std::size_t limit) {
        if (limit != limit_) {
            flush();
            limit_ = limit;
        }
    }
    std::size_t limit() const { return limit_; }
    std::unordered_set<std::uint64_t>& breakpoints() { return breakpoints_; }
    std::uint64_t decoded() const { return decoded_; }
    /// Rises with every flush, so that holders of block pointers can tell.
    std::uint64_t generation() const { return generation_; }

    /// What lookup() finds first: the block at pc, if any, is at [(pc >> 1) % kRecent].
    static constexpr std::size_t kRecent = 4096;
    Block* const* recent() const { return recent_.data(); }

  private:
    static constexpr std::size_t kChunk = 1024;  // instructions an arena chunk holds

    Block* lookup_slow(std::uint64_t pc, const Decoder& decoder, AddressSpace& memory,
                       bool fp_enabled, std::uint64_t& fault);
    Block* build(std::uint64_t pc, const Decoder& decoder, AddressSpace& memory, bool fp_enabled,
                 std::uint64_t& fault);

    struct Contents {
        Space key;
        std::uint32_t number = 0;
        bool suspect = false;
        std::unordered_map<std::uint64_t, std::unique_ptr<Block>> blocks;
        std::unordered_map<std::uint64_t, std::uint64_t> pages;  // of code, and where they lie
    };
    static constexpr std::size_t kMaxSpaces = 64;

    void add_space(const Space& key);
    /// Where instructions of the current space lie; notes their page.
    bool physical_of(std::uint64_t address, std::uint64_t& physical);

    HandlerTable handlers_;
    std::vector<Block*> recent_ = std::vector<Block*>(kRecent);
    std::vector<std::unique_ptr<Contents>> spaces_;
    Contents* current_ = nullptr;
    std::uint32_t next_space_ = 0;
    FetchMap* map_ = nullptr;  // null: addresses are physical
    bool translation_failed_ = false;
    std::vector<std::unique_ptr<Insn[]>> insn_chunks_;
    std::vector<std::unique_ptr<InsnMeta[]>> meta_chunks_;
    std::size_t chunk_used_ = kChunk;
    std::size_t limit_ = kMaxInstructions;
    std::unordered_set<std::uint64_t> breakpoints_;
    std::uint64_t decoded_ = 0, generation_ = 0;
};

}  // namespace isthmus::sim
