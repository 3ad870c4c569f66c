// One hardware thread: registers, control and status registers, its view of memory, its decoded
// code.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/hart/address_space.hpp"
#include "sim/hart/block.hpp"
#include "sim/hart/page_table.hpp"
#include "sim/hart/translator.hpp"
#include "sim/isa/decode.hpp"

namespace isthmus::sim {

/// Exception causes of the privileged architecture.
enum class Cause : std::uint8_t {
    fetch_misaligned = 0,
    fetch_fault = 1,
    illegal = 2,
    breakpoint = 3,
    load_misaligned = 4,
    load_fault = 5,
    store_misaligned = 6,
    store_fault = 7,
    user_call = 8,
    supervisor_call = 9,
    machine_call = 11,
    fetch_page_fault = 12,
    load_page_fault = 13,
    store_page_fault = 15,
};

std::string_view cause_name(Cause cause);

struct Trap {
    Cause cause = Cause::illegal;
    std::uint64_t value = 0;       // what goes to mtval
    std::uint64_t name_space = 0;  // of a remote access; 0: the address is the node's own
};

/// What an access that reads and writes traps as where its read does.
inline Trap as_store(Trap trap) {
    if (trap.cause == Cause::load_page_fault) trap.cause = Cause::store_page_fault;
    if (trap.cause == Cause::load_fault) trap.cause = Cause::store_fault;
    return trap;
}

/// Why Hart execution came back to its caller.
enum class Stop : std::uint8_t {
    budget,       // the instructions it was given are used up
    yield,        // pause or wfi: nothing to do before others have moved
    remote,       // Hart::remote asks for an access that another node must serve; pc is behind the
                  // instruction
    system_call,  // ecall under Linux emulation; pc is behind it
    trap,         // Linux emulation: Hart::trap at pc. Bare metal: a trap that cannot be delivered
    host_call,    // a write to the watched page (tohost); pc is behind it
    breakpoint,   // pc is at a debugger's breakpoint
    observer,     // the observer asked for it; pc is behind the instruction
    held,         // the observer holds the instruction at pc: it has not been executed
};

enum class MemoryKind : std::uint8_t { load, store, atomic };

/// A remote access in flight: filled by the instruction, served by the machine (or by a timing
/// model first).
struct RemoteRequest {
    enum class Kind : std::uint8_t {
        load,
        store,
        atomic,
        load_reserved,
        store_conditional,
        bulk_load,
        bulk_store
    };
    Kind kind = Kind::load;
    std::uint8_t size = 0;  // bytes of one element, 1..16
    bool sign_extend = false;
    bool acquire = false, release = false;  // an atomic's aq and rl
    RegisterFile file = RegisterFile::x;
    std::uint8_t rd = 0;  // slot of that file, as in Insn
    Op op = Op::kCount;
    std::uint64_t name_space = 0;
    std::uint64_t address = 0;
    std::uint64_t value = 0;       // store data or atomic operand
    std::uint64_t value_high = 0;  // upper half of a 128-bit store
    std::uint64_t compare = 0;     // what a compare-and-swap wants to find
    std::uint64_t local = 0;       // bulk: local address
    std::uint64_t count = 0;       // bulk: elements
    std::uint64_t pc = 0;          // of the instruction
    std::uint32_t length = 0;      // of the instruction in bytes
};

/// What an observer sees of an instruction that has completed.
struct RetireEvent {
    std::uint64_t pc = 0, next_pc = 0;
    std::uint32_t raw = 0;  // the instruction word; the upper half of a compressed one is 0
    Op op = Op::kCount;
    InstructionClass klass = InstructionClass::alu;
    std::uint8_t length = 4;
    std::uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;  // register numbers; the files are in info(op)
};

enum class Privilege : std::uint8_t { user = 0, supervisor = 1, machine = 3 };

/// Registers of the machine and supervisor level that have state; sstatus, sie and sip are views of
/// mstatus, mie and mip.
struct MachineCsrs {
    std::uint64_t mstatus = 0, mie = 0, mtvec = 0, mscratch = 0, mepc = 0, mcause = 0, mtval = 0;
    /// The interrupt lines, and what software has written to the supervisor's bits of mip.
    std::uint64_t mip = 0, mip_written = 0;
    std::uint64_t mcounteren = 0, menvcfg = 0, medeleg = 0, mideleg = 0;
    std::uint64_t stvec = 0, sscratch = 0, sepc = 0, scause = 0, stval = 0, satp = 0,
                  scounteren = 0, senvcfg = 0;
    std::uint64_t cycle_offset = 0, instret_offset = 0;
};

/// A direct-mapped cache of page translations. An entry matches only aligned accesses; all others
/// take the slow path.
struct Tlb {
    static constexpr std::size_t kEntries = 256;
    struct Entry {
        std::uint64_t tag = ~std::uint64_t{0};
        std::uintptr_t addend = 0;  // host address - guest address
    };
    std::array<Entry, kEntries> read, write;

    /// A whole region, for translated code that expects to find its address there. An access of up
    /// to 8 bytes that starts less than `limit` behind `start` lies in it.
    struct Window {
        std::uint64_t start = 0, limit = 0;
        std::uintptr_t addend = 0;
    };
    static constexpr std::size_t kWindows = 16;
    using Windows = std::array<Window, kWindows>;
    Windows read_windows, write_windows;

    void flush() {
        read.fill({});
        read_windows = {};
        flush_writes();
    }
    void flush_writes() {
        write.fill({});
        write_windows = {};
    }
};

struct HartOptions {
    Xlen xlen = Xlen::k64;
    Profile profile = Profile::b;
    /// True: ecall and traps go to the caller, which plays the kernel. False: they are delivered to
    /// machine mode.
    bool emulate_linux = false;
    /// Raise an illegal-instruction trap when e0..e9 is used for addressing, as the
    /// specification 2.0.0 says.
    bool strict_e = false;
    /// Translate hot code to host code where the host has a translator. Changes nothing but speed.
    bool translate = true;

    // What a core beside which the hart is stepped has otherwise.

    /// Local accesses that are not naturally aligned trap; else they are done.
    bool trap_misaligned = false;
    /// False: machine mode alone.
    bool user_mode = true;
    /// Supervisor mode, with Sv39 (RV32: Sv32). It needs user mode.
    bool supervisor_mode = false;
    /// Who sets A and D of page tables: software, hardware where menvcfg.ADUE says so, or hardware
    /// always.
    enum class SetsAccessed : std::uint8_t { svade, svadu, hardware };
    SetsAccessed sets_accessed = SetsAccessed::svade;
    /// What misa reads; without it, what the decoder's extensions say.
    std::optional<std::uint64_t> misa;
    std::uint64_t mvendorid = 0, marchid = 0, mimpid = 0;
    /// The bits of mie and mip that are there: software, timer, external; a platform's own are 16
    /// and up.
    std::uint64_t interrupt_bits = 0x888;
    /// The bits of mtvec that can be written; the others stay as they are at reset.
    std::uint64_t mtvec_mask = ~std::uint64_t{2};
};

class Hart final : private FetchMap {
  public:
    /// Slot 32 of x and e takes writes to register 0, so that no instruction has to test for it.
    static constexpr unsigned kDiscard = 32;

    std::array<std::uint64_t, 33> x{};
    std::array<std::uint64_t, 33> e{};
    std::array<std::uint64_t, 32> f{};  // binary32 values are NaN-boxed
    std::uint64_t pc = 0;
    std::uint64_t instret = 0;
    std::uint64_t round_instret = 0;  // at the begin of the machine's round
    unsigned fflags = 0, frm = 0;

    Tlb tlb;
    AddressSpace* memory = nullptr;
    BlockCache blocks;

    Stop stop = Stop::budget;
    Trap trap, delivered;  // the last one, and the last that a handler was to get
    RemoteRequest remote;
    /// The instruction that waits for its remote access; an observer sees it retire when that is
    /// served.
    RetireEvent deferred;
    bool has_deferred = false;
    /// The next local access does not take place: a bus error that only a core has seen. To be set
    /// with an empty Tlb, so that the access comes to the slow path.
    bool access_fails = false;
    /// Decoded code is stale, or may be where page tables have changed; looked after before the
    /// next block is looked up, when no instruction of it is running.
    bool flush_pending = false, recheck_pending = false;
    /// A register on which interrupts depend has been written: one may be due at once.
    bool interrupts_changed = false;

    std::uint64_t reservation_address = 0, reservation_value = 0;
    unsigned reservation_size = 0;  // 0: none
    std::uint64_t remote_reservation_space = 0, remote_reservation_address = 0,
                  remote_reservation_value = 0;
    unsigned remote_reservation_size = 0;

    MachineCsrs csr;
    Privilege privilege = Privilege::machine;
    unsigned id = 0;
    /// Reads of the cycle CSR; null: an instruction takes one.
    std::function<std::uint64_t()> cycle_clock;
    std::uint64_t cycles_now() const { return cycle_clock ? cycle_clock() : instret; }
    /// True while an xBGAS operation of this hart is under way; null: none ever is.
    std::function<bool()> remote_under_way;
    /// What a program reads from one CSR, whatever that holds; a core that is checked may know
    /// better.
    struct InjectedCsr {
        unsigned number = 0;
        std::uint64_t value = 0;
    };
    std::optional<InjectedCsr> injected_csr;
    /// Reads of the time CSR; null gives instret.
    std::function<std::uint64_t()> clock;
    /// A page whose writes stop the hart with kHostCall: where tohost lives. ~0 if none.
    std::uint64_t watch_page = ~std::uint64_t{0};
    std::uint64_t watch_address = 0;

    Hart(const HartOptions& options, const Decoder& decoder, AddressSpace& space);
    ~Hart();
    Hart(const Hart&) = delete;
    Hart& operator=(const Hart&) = delete;

    const HartOptions& options() const { return options_; }
    const Decoder& decoder() const { return *decoder_; }
    bool fp_enabled() const { return options_.emulate_linux || (csr.mstatus & kMstatusFs) != 0; }

    static constexpr std::uint64_t kMstatusFs = 3u << 13, kMstatusMpp = 3u << 11,
                                   kMstatusTvm = 1u << 20, kMstatusTw = 1u << 21,
                                   kMstatusTsr = 1u << 22;

    // Address translation.

    /// What addresses are translated by. Without a satp they are physical.
    struct View {
        std::uint64_t satp = 0;
        AccessRights rights;
        bool operator==(const View&) const = default;
    };
    /// Of local data and of instructions, as privilege, mstatus and satp have it.
    const View& data_view() const { return data_view_; }
    const View& fetch_view() const { return fetch_view_; }
    /// To be called when one of the three has changed.
    void view_changed();
    /// The physical address of a local access; false with `trap` set, but not counted as stopped.
    bool data_address(std::uint64_t address, AccessType type, std::uint64_t& physical) {
        physical = address;
        return data_view_.satp == 0 || translate(data_view_, address, type, physical);
    }
    /// The same for a remote access that others make here: one of user mode, by satp.
    bool remote_address(std::uint64_t address, AccessType type, std::uint64_t& physical);
    /// Where an address leads by a view, without a trace in memory or in the hart.
    PageWalk look(const View& view, std::uint64_t address, AccessType type) const {
        return walk_page_table(*memory, options_.xlen, view.satp, address, type, view.rights,
                               AccessedDirty::ignore);
    }
    /// Copies from and to local memory as the program sees it. False, having copied a prefix, with
    /// `trap` set and `failed` where it ended.
    bool copy_in(std::uint64_t address, void* to, std::size_t size, std::uint64_t& failed);
    bool copy_out(std::uint64_t address, const void* from, std::size_t size, std::uint64_t& failed);
    /// sfence.vma: what has been written to page tables is seen behind it. It may name an address
    /// and an address space; kAll: it does not. Here all is forgotten whatever it names.
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};
    void fence_translation(std::uint64_t address, std::uint64_t asid);
    /// Told of every write to memory through page tables, and of A and D set in them: physical
    /// address and size. Then none is done past it.
    std::function<void(std::uint64_t address, std::uint64_t size)> on_translated_write;
    /// Who models more than one of these buffers hears of it.
    std::function<void(std::uint64_t address, std::uint64_t asid)> on_translation_fence;

    /// Slow paths: page faults, devices, misaligned accesses, translation misses. False with `trap`
    /// set on a fault.
    [[gnu::noinline]] bool load_slow(std::uint64_t address, void* value, unsigned size,
                                     MemoryKind kind);
    [[gnu::noinline]] bool store_slow(std::uint64_t address, const void* value, unsigned size);

    template <class T>
    [[gnu::always_inline]] bool load(std::uint64_t address, T& value) {
        const Tlb::Entry& entry = tlb.read[(address / kPageSize) % Tlb::kEntries];
        if ((address & (kPageMask | (sizeof(T) - 1))) == entry.tag) [[likely]] {
            __builtin_memcpy(&value, reinterpret_cast<const void*>(address + entry.addend),
                             sizeof(T));
            return true;
        }
        return load_slow(address, &value, sizeof(T), MemoryKind::load);
    }

    template <class T>
    [[gnu::always_inline]] bool store(std::uint64_t address, T value) {
        const Tlb::Entry& entry = tlb.write[(address / kPageSize) % Tlb::kEntries];
        if ((address & (kPageMask | (sizeof(T) - 1))) == entry.tag) [[likely]] {
            __builtin_memcpy(reinterpret_cast<void*>(address + entry.addend), &value, sizeof(T));
            return true;
        }
        return store_slow(address, &value, sizeof(T));
    }

    /// Sets the trap and stop fields; always false, so that an instruction can return it.
    bool raise(Cause cause, std::uint64_t value);
    /// The same for a trap that is set already.
    bool stop_for_trap() {
        stop = Stop::trap;
        return false;
    }

    /// Reads or writes a CSR with the rules of the current privilege. False: no such CSR or not
    /// allowed.
    bool read_csr(unsigned number, std::uint64_t& value);
    bool write_csr(unsigned number, std::uint64_t value);

    /// The bits of a jump's target that must be 0: without compressed instructions all are at
    /// multiples of four. Only loops that may run such a hart look (Observer::kChecksTargets).
    std::uint64_t target_mask() const { return target_mask_; }

    /// An instruction could not be fetched, for what the last look-up of its block says.
    bool raise_fetch(std::uint64_t address) {
        return raise(blocks.translation_failed() ? fetch_cause_ : Cause::fetch_fault, address);
    }
    /// Delivers `trap`, raised by the instruction at `at`, to its handler. False if it cannot be:
    /// the handler's own first instruction has just failed to be fetched.
    bool enter_trap(std::uint64_t at);
    /// The same, whatever becomes of the handler.
    void deliver_trap(std::uint64_t at);
    void return_from_trap();
    void return_from_supervisor_trap();
    /// Who handles an exception of the current privilege.
    Privilege handler_of(Cause cause) const {
        return options_.supervisor_mode && privilege != Privilege::machine &&
                       (csr.medeleg >> static_cast<unsigned>(cause) & 1) != 0
                   ? Privilege::supervisor
                   : Privilege::machine;
    }
    /// Goes to the handler of a level, past what has been delegated.
    void trap_into(Privilege level, std::uint64_t cause, std::uint64_t value, std::uint64_t at);
    /// Takes a pending enabled interrupt, if any.
    void poll_interrupts();
    std::uint64_t pending_lines() const { return csr.mip | csr.mip_written; }
    /// The number of the one that would be taken, 0 if none.
    unsigned pending_interrupt() const;
    void take_interrupt(unsigned number);

    /// Forgets translations (and decoded code if it changed); to be called when the address space
    /// may have changed.
    void synchronize();
    /// To be called after a block was decoded: its pages must not be written to through cached
    /// translations.
    void note_decoded() {
        if (memory->code_epoch() != seen_epoch_) [[unlikely]] {
            seen_epoch_ = memory->code_epoch();
            tlb.flush_writes();
        }
    }
    /// fence.i: code written before it is seen after it.
    void flush_code();
    /// Does what flush_pending and recheck_pending ask for; no block may be running.
    void settle_code();

    std::uint64_t mhartid = 0;
    /// Traps taken or reported, by cause; for coverage and statistics.
    std::array<std::uint64_t, 16> trap_counts{};

    /// Entries through the slow path after which a block is translated.
    static constexpr std::uint32_t kHotBlock = 12;
    /// Gives the block host code, if there is a translator, and lets `handler` run it.
    void translate(Block& block, const void* handler);
    /// The number of the window for the region of an address, kept from now on; -1: none.
    int window_of(std::uint64_t address);
    /// What runs them, once there are any.
    TranslatedCode translated_code() const { return translated_code_; }
    std::uint64_t translated_blocks() const { return translated_blocks_; }

  private:
    /// Lets translated code reach all of a region that an access has just been let into.
    void open_window(Tlb::Windows& windows, const Region& region);
    /// Starts of the regions that windows are for. They outlive the windows' contents.
    std::vector<std::uint64_t> window_starts_;
    bool read_csr_state(unsigned number, std::uint64_t& value) const;
    bool read_supervisor_csr(unsigned number, std::uint64_t& value) const;
    /// False if it is not there; its privilege has been looked at.
    bool write_supervisor_csr(unsigned number, std::uint64_t value);
    void write_mstatus(std::uint64_t value);
    void leave_trap(Privilege to);
    AccessedDirty accessed_dirty() const;
    PageWalk walk(const View& view, std::uint64_t address, AccessType type);
    void note_translated_write(std::uint64_t address, std::uint64_t size) const {
        if (data_view_.satp != 0 && on_translated_write) on_translated_write(address, size);
    }
    bool translate(const View& view, std::uint64_t address, AccessType type,
                   std::uint64_t& physical);
    bool to_physical(std::uint64_t address, std::uint64_t& physical) override;
    bool still_leads_to(std::uint64_t address, std::uint64_t physical) const override;

    HartOptions options_;
    View data_view_, fetch_view_;
    Cause fetch_cause_ = Cause::fetch_fault;
    const Decoder* decoder_;
    std::uint64_t target_mask_;
    std::uint64_t seen_map_ = 0, seen_code_ = 0, seen_epoch_ = 0;
    std::unique_ptr<Translator> translator_;
    TranslatedCode translated_code_ = nullptr;
    std::uint64_t translated_generation_ = 0, translated_blocks_ = 0;
};

}  // namespace isthmus::sim
