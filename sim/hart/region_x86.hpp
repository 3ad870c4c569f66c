// A region of hot code for the translator for x86-64: a block and the blocks its branches are known
// to lead to, up to a limit. The guest registers that compiled programs use most live in the same
// host registers in all regions, so that code goes on from any block in any other. They are written
// back where it goes back to the loop or calls a fallback.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <deque>
#include <unordered_map>
#include <unordered_set>
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
inline const Gp kA = x86::rax, kC = x86::rcx;  // scratch

/// A guest register and the host register that is its home.
struct Home {
    unsigned guest;
    Gp host;
};
/// sp, s0, s1 and the arguments. rdx is that of what a division or a long product leaves least
/// often.
inline const std::array<Home, 11> kHomes = {{{2, x86::rbp},
                                             {8, x86::r12},
                                             {9, x86::r13},
                                             {10, x86::rsi},
                                             {11, x86::rdi},
                                             {12, x86::r8},
                                             {13, x86::r9},
                                             {14, x86::r10},
                                             {15, x86::r11},
                                             {16, x86::r14},
                                             {17, x86::rdx}}};
/// The one whose home divisions and long products need for themselves.
inline constexpr unsigned kGuestOfD = 17;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
inline constexpr int kXOffset = offsetof(Hart, x);
inline constexpr int kPcOffset = offsetof(Hart, pc);
inline constexpr int kFlushOffset = offsetof(Hart, flush_pending);
static_assert(offsetof(Hart, recheck_pending) == offsetof(Hart, flush_pending) + 1);
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

inline Mem slot(unsigned r) {
    return x86::qword_ptr(kHart, kXOffset + 8 * static_cast<int>(r));
}
inline Mem slot32(unsigned r) {
    return x86::dword_ptr(kHart, kXOffset + 8 * static_cast<int>(r));
}

/// An instruction that its fallback carries out.
struct FallbackCall {
    const Block* block;
    const Insn* insn;
    Fallback fallback;
};

/// A load or store that looks into a window: which one, it learns from where it finds its memory.
struct Access {
    std::uint32_t patience = 1, next_patience = 4;  // misses until it learns again
    int windows = 0;                                // of its kind, in a Hart
    /// The ends of the instructions that name a field of the window; its offset is last in each.
    std::array<std::byte*, 3> fields{};
};
inline constexpr std::array<std::size_t, 3> kWindowFields = {
    offsetof(Tlb::Window, start), offsetof(Tlb::Window, limit), offsetof(Tlb::Window, addend)};

/// Code that all regions share; a Place is a label while it is written, then an address.
template <class Place>
struct Stubs {
    Place enter{};     // runs a block's code: TranslatedCode
    Place unlinked{};  // goes back to the loop at the pc in rax; rcx is the link to note it in
    Place out{};       // the same without a link
    Place fallback{};  // called: rcx is a FallbackCall
    /// Called, by the logarithm of an access's size and whether it writes: rax is an address and
    /// becomes what is added to it, rcx is the Access. The carry says that its page is not known.
    std::array<std::array<Place, 2>, 4> pages{};

    template <class Visit>
    void for_each(Visit visit) {
        for (Place* place : {&enter, &unlinked, &out, &fallback})
            visit(*place);
        for (auto& sizes : pages) {
            for (Place& place : sizes)
                visit(place);
        }
    }
};
Stubs<Label> emit_stubs(x86::Assembler& assembler);
/// Has an access look from now on into the window for `address`, if that has one.
void learn(Hart* hart, Access* access, std::uint64_t address);
/// Leaves in rcx what is added to the address in rax, which is lost, or goes to `miss`.
void emit_page(x86::Assembler& assembler, unsigned size, int tlb, const Label& miss);

class Region {
  public:
    Region(x86::Assembler& assembler, const Stubs<std::uint64_t>& stubs, const Fallback* fallbacks,
           std::deque<Access>& accesses, const BlockCache& known, Block& head, Hart& hart)
        : a_(assembler),
          stubs_(stubs),
          fallbacks_(fallbacks),
          accesses_(accesses),
          known_(known),
          space_(head.space),
          hart_(hart),
          guess_(hart),
          indirect_(assembler.newLabel()) {
        collect(head);
    }
    /// Those it has code for, in the order of that.
    const std::vector<Block*>& blocks() const { return blocks_; }
    /// Where a block is entered, once it is emitted.
    const Label& entry(const Block& block) const { return labels_.at(block.pc); }
    void emit();
    /// To be called when its code is where it will be run.
    void place(const CodeHolder& code, std::byte* start);

  private:
    struct Cold {
        Label entry, back;
        const Block* block;
        const Insn* insn;
        Op op;
    };
    /// An access outside of the window: the page may be known.
    struct Elsewhere {
        Label entry, found, miss;
        const Insn* insn;
        std::uint64_t pages;
        Access* access;
        std::array<Label, 3> fields;
    };
    /// The budget is used up behind a block.
    struct Spent {
        Label entry;
        const Block* block;
    };
    struct Call {
        Label place;
        FallbackCall call;
    };
    struct Exit {
        Label entry;
        std::uint64_t pc;
        Block* const* link;  // of the block left, to the one at pc
    };

    static bool usable(const Block& block);
    static bool is_straight(Op op) { return !ends_block(info(op).klass); }
    void collect(Block& head);
    void arrange();

    static const Gp* find_home(unsigned r) {
        for (const Home& home : kHomes) {
            if (home.guest == r) return &home.host;
        }
        return nullptr;
    }
    static bool homed(unsigned r) { return find_home(r) != nullptr; }
    static const Gp& home(unsigned r) { return *find_home(r); }
    /// The value of a guest register in some host register; `scratch` is used if it has none.
    Gp use(unsigned r, const Gp& scratch) {
        if (homed(r)) return home(r);
        copy(scratch, r);
        return scratch;
    }
    void copy(const Gp& to, unsigned r) {
        if (r == 0)
            a_.xor_(to.r32(), to.r32());
        else if (!homed(r))
            a_.mov(to, slot(r));
        else if (home(r) != to)
            a_.mov(to, home(r));
    }
    /// A guest register as the last operand of a host instruction; rcx is lost if it is 0.
    Operand source(unsigned r) {
        if (homed(r)) return home(r);
        if (r != 0) return slot(r);
        a_.xor_(kC.r32(), kC.r32());
        return kC;
    }
    Operand source32(unsigned r) {
        if (homed(r)) return home(r).r32();
        if (r != 0) return slot32(r);
        a_.xor_(kC.r32(), kC.r32());
        return kC.r32();
    }
    /// Where the value of a guest register is made: in its home or in `scratch`, from which set()
    /// takes it.
    static Gp target(unsigned r, const Gp& scratch) { return homed(r) ? home(r) : scratch; }
    void set(unsigned r, const Gp& from) {
        if (r == Hart::kDiscard) return;
        if (!homed(r))
            a_.mov(slot(r), from);
        else if (home(r) != from)
            a_.mov(home(r), from);
    }
    void set32(unsigned r, const Gp& from) {
        if (r == Hart::kDiscard) return;
        const Gp to = target(r, kA);
        a_.movsxd(to, from.r32());
        set(r, to);
    }
    void set_constant(unsigned r, std::uint64_t value);  // rcx is lost
    void move(unsigned to, unsigned from);
    /// The scratch register that an address does without.
    static const Gp& beside(const Mem& at) {
        return at.baseId() == kC.id() || at.indexId() == kC.id() ? kA : kC;
    }

    bool instruction(const Block& block, const Insn& insn, Op op);
    bool pair(const Insn& first, Op op, const Insn& second, Op second_op);
    void binary(const Insn& i, x86::Inst::Id id, bool commutes);
    void with_immediate(const Insn& i, x86::Inst::Id id);
    void word(const Insn& i, x86::Inst::Id id);
    void word_with_immediate(const Insn& i, x86::Inst::Id id);
    void shift(const Insn& i, x86::Inst::Id id, x86::Inst::Id without_flags, bool is_word);
    void high_product(const Insn& i, bool is_signed);
    void compare(const Insn& i, bool immediate, bool is_signed);
    void load(const Block& block, const Insn& i, Op op, unsigned size, bool is_signed);
    void store(const Block& block, const Insn& i, Op op, unsigned size);
    void divide(const Block& block, const Insn& i, Op op, bool is_signed, bool remainder,
                bool is_word);
    Mem host_memory(const Insn& i, unsigned size, const Path& path, const Label& miss);
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
    void emit_block(const Block& block, const Block* following);
    void end_of_block(const Block& block, const Block* following);
    void spend(const Block& block);
    void emit_spent(const Spent& spent);
    x86::CondCode condition(const Block& block);
    Label successor(std::uint64_t pc, Block* const& known);
    void go(std::uint64_t pc, Block* const& known, const Block* following);
    void emit_exit(const Exit& exit);
    void emit_indirect();
    Label cold(const Block& block, const Insn& i, Op op, const Label& back) {
        colds_.push_back({a_.newLabel(), back, &block, &i, op});
        return colds_.back().entry;
    }

    x86::Assembler& a_;
    const Stubs<std::uint64_t>& stubs_;
    const Fallback* fallbacks_;
    std::deque<Access>& accesses_;
    const BlockCache& known_;
    std::uint32_t space_;
    Hart& hart_;
    AddressGuess guess_;
    Label indirect_;  // goes on at the pc in rax, whose block is looked up
    bool has_indirect_ = false;
    std::vector<Block*> blocks_;
    std::unordered_map<std::uint64_t, Label> labels_;  // of the blocks in the region, by pc
    std::vector<Cold> colds_;
    std::vector<Call> calls_;
    std::vector<Elsewhere> elsewheres_;
    std::vector<Spent> spent_;
    std::vector<Exit> exits_;
};

}  // namespace isthmus::sim::x86_64
