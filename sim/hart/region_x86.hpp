// A region of hot code for the translator for x86-64: a block and the blocks its branches are known
// to lead to, up to a limit. The guest registers it uses most live in host registers throughout;
// they are written back wherever the code leaves the region or calls a fallback.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "sim/hart/address_guess.hpp"
#include "sim/hart/hart.hpp"
#include "sim/hart/translator.hpp"

namespace isthmus::sim::x86_64 {

using namespace asmjit;
using x86::Gp;
using x86::Mem;

inline constexpr std::size_t kMaxBlocks = 32, kMaxInstructions = 400;

inline const Gp kHart = x86::rbx, kLeft = x86::r15;
inline const Gp kA = x86::rax, kC = x86::rcx, kD = x86::rdx;  // scratch
inline const std::array<Gp, 10> kGuestHomes = {x86::rbp, x86::r12, x86::r13, x86::r14, x86::rsi,
                                               x86::rdi, x86::r8,  x86::r9,  x86::r10, x86::r11};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
inline constexpr int kXOffset = offsetof(Hart, x);
inline constexpr int kPcOffset = offsetof(Hart, pc);
inline constexpr int kFlushOffset = offsetof(Hart, flush_pending);
inline constexpr int kRecheckOffset = offsetof(Hart, recheck_pending);
inline constexpr int kTlbOffset = offsetof(Hart, tlb);
inline constexpr int kFOffset = offsetof(Hart, f);
inline constexpr int kFlagsOffset = offsetof(Hart, fflags);
inline constexpr int kModeOffset = offsetof(Hart, frm);
#pragma GCC diagnostic pop
static_assert(sizeof(Tlb::Entry) == 16 && Tlb::kEntries == 256 && kPageSize == 4096);

/// How loads or stores find host memory.
struct Path {
    int tlb, windows;  // offsets in a Hart
};
inline constexpr Path kLoads = {kTlbOffset + offsetof(Tlb, read),
                                kTlbOffset + offsetof(Tlb, read_windows)};
inline constexpr Path kStores = {kTlbOffset + offsetof(Tlb, write),
                                 kTlbOffset + offsetof(Tlb, write_windows)};

/// The code that runs a block's: TranslatedCode.
void emit_entry(x86::Assembler& assembler);

class Region {
  public:
    Region(x86::Assembler& assembler, const Fallback* fallbacks, const BlockCache& known,
           const Block& head, Hart& hart)
        : a_(assembler), fallbacks_(fallbacks), known_(known), space_(head.space), guess_(hart) {
        collect(head);
    }
    bool empty() const { return blocks_.empty(); }
    /// Where its first block is entered, once it is emitted.
    const Label& entry() const { return entry_; }
    void emit();

  private:
    struct Cold {
        Label entry, back;
        const Block* block;
        const Insn* insn;
        Op op;
    };
    /// An access outside of the window: the page may be known, with its address in rax.
    struct Elsewhere {
        Label entry, found, fallback;
        unsigned size;
        int tlb;
    };
    void page_of(unsigned size, int tlb, const Label& miss);
    void emit_pages();
    struct Exit {
        Label entry;
        std::uint64_t pc;
        Block* const* link;  // of the block left, to the one at pc
    };

    static bool usable(const Block& block);
    static bool is_straight(Op op) { return !ends_block(info(op).klass); }
    void collect(const Block& head);
    void count(const Block& block);

    Mem home(unsigned r) const { return x86::qword_ptr(kHart, kXOffset + 8 * static_cast<int>(r)); }
    bool cached(unsigned r) const { return r < 32 && host_[r] >= 0; }
    Gp host(unsigned r) const { return kGuestHomes[static_cast<std::size_t>(host_[r])]; }
    /// The value of a guest register in some host register; `scratch` is used if it has none.
    Gp use(unsigned r, const Gp& scratch) {
        if (r == 0) {
            a_.xor_(scratch.r32(), scratch.r32());
            return scratch;
        }
        if (cached(r)) return host(r);
        a_.mov(scratch, home(r));
        return scratch;
    }
    void copy(const Gp& to, unsigned r) {
        const Gp from = use(r, to);
        if (from != to) a_.mov(to, from);
    }
    void set(unsigned r, const Gp& from) {
        if (r == Hart::kDiscard) return;
        if (cached(r)) {
            if (host(r) != from) a_.mov(host(r), from);
        } else {
            a_.mov(home(r), from);
        }
    }
    void set32(unsigned r, const Gp& from) {
        if (r == Hart::kDiscard) return;
        if (cached(r)) {
            a_.movsxd(host(r), from.r32());
        } else {
            a_.movsxd(kA, from.r32());
            a_.mov(home(r), kA);
        }
    }
    void constant(const Gp& to, std::uint64_t value) {
        if (value == 0)
            a_.xor_(to.r32(), to.r32());
        else
            a_.mov(to, value);
    }
    void write_back() {
        for (unsigned r = 1; r < 32; ++r) {
            if (cached(r) && written_[r]) a_.mov(home(r), host(r));
        }
    }
    void reload() {
        for (unsigned r = 1; r < 32; ++r) {
            if (cached(r)) a_.mov(host(r), home(r));
        }
    }

    bool instruction(const Block& block, const Insn& insn, Op op);
    template <class Operation>
    void binary(const Insn& i, bool commutes, Operation operation);
    template <class Operation>
    void with_immediate(const Insn& i, Operation operation);
    template <class Operation>
    void word(const Insn& i, bool immediate, Operation operation);
    template <class Operation>
    void shift(const Insn& i, bool immediate, bool is_word, Operation operation);
    void compare(const Insn& i, bool immediate, bool is_signed);
    void load(const Block& block, const Insn& i, Op op, unsigned size, bool is_signed);
    void store(const Block& block, const Insn& i, Op op, unsigned size);
    void divide(const Block& block, const Insn& i, Op op, bool is_signed, bool remainder,
                bool is_word);
    void translate_address(const Insn& i, unsigned size, const Path& path, const Label& miss);
    void emit_elsewhere(const Elsewhere& access);
    bool floating(const Block& block, const Insn& insn, Op op);
    template <class F>
    void load_float(const Block& block, const Insn& i, Op op);
    template <class F>
    void store_float(const Block& block, const Insn& i, Op op);
    template <class F>
    void operand(const x86::Xmm& to, unsigned r, const Label& otherwise);
    template <class F>
    void checked_result(const Insn& i, const Label& otherwise);
    /// Of an instruction that may round as the host does: goes `otherwise` where it does not.
    void check_rounding(const Insn& i, const Label& otherwise);
    template <class F, class To = F, class Operation>
    bool arithmetic(const Block& block, const Insn& i, Op op, unsigned operands,
                    Operation operation);
    template <class F>
    void compare_floats(const Block& block, const Insn& i, Op op, bool or_equal, bool equal);
    template <class F>
    bool to_integer(const Block& block, const Insn& i, Op op, bool wide);
    template <class F>
    bool from_integer(const Block& block, const Insn& i, Op op, bool wide, bool is_signed);
    void call_fallback(const Block& block, const Insn& i, Op op);
    void end_of_block(const Block& block, const Block* following);
    void go(std::uint64_t pc, Block* const& known, const Block* following);
    Label exit_to(std::uint64_t pc, Block* const* link);
    void emit_exit();
    void emit_indirect_exit();
    void emit_fallback();
    Label cold(const Block& block, const Insn& i, Op op, const Label& back) {
        colds_.push_back({a_.newLabel(), back, &block, &i, op});
        return colds_.back().entry;
    }

    x86::Assembler& a_;
    const Fallback* fallbacks_;
    const BlockCache& known_;
    std::uint32_t space_;
    AddressGuess guess_;
    std::vector<const Block*> blocks_;
    std::unordered_map<std::uint64_t, Label> labels_;  // of the blocks in the region, by pc
    std::array<int, 33> host_{};
    std::array<bool, 33> written_{};
    std::array<unsigned, 33> uses_{};
    std::vector<Cold> colds_;
    std::vector<Elsewhere> elsewheres_;
    std::vector<Exit> exits_;
    Label entry_, exit_, indirect_exit_, unlinked_, out_, stopped_, fallback_;
    /// Shared by the accesses elsewhere: by size (its logarithm) and whether they write.
    std::array<std::array<Label, 2>, 4> pages_;
};

}  // namespace isthmus::sim::x86_64
