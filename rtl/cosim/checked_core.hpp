// A core in gates with its memory, and the stepped hart beside it: every instruction that it ends
// is compared, and every access of its ports.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cosim/gates.hpp"

namespace isthmus::rtl {

inline constexpr u64 kMemoryStart = 0x80000000;
/// Where a reset begins: the page of the boot program.
inline constexpr u64 kBootStart = 0x1000, kBootBytes = 0x1000;
/// Values of the remote port (rv_core_pkg::remote_kind_e, xbgas_decode_pkg::alu_e).
inline constexpr u8 kRemoteLoad = 0, kRemoteStore = 1, kRemoteAtomic = 2, kRemoteLoadReserved = 3,
                    kRemoteStoreConditional = 4;
inline constexpr u8 kAluAdd = 1, kAluXor = 6, kAluOr = 9, kAluAnd = 10, kAluSecond = 23,
                    kAluMin = 24, kAluMax = 25, kAluMinu = 26, kAluMaxu = 27, kAluCompareSwap = 28;

/// What the reference loads where the answer is not known yet.
inline constexpr u64 kUnknown = ~u64{0};

/// What the world outside does to a core, in chances of 1024 a cycle, of errors 16384 an access.
struct Disturbance {
    unsigned stall = 0;       // a request is not taken
    unsigned late = 0;        // an answer comes a cycle later, and so on
    unsigned irq = 0;         // a line changes its level
    unsigned data_error = 0;  // memory answers with an error
    unsigned code_error = 0;
    u64 start = 1;  // of the random numbers
};

/// How a node's remote accesses are done: by the machine it is part of.
class RemoteSide {
  public:
    virtual ~RemoteSide() = default;
    struct Answer {
        u64 value[2] = {};
        bool fault = false;
    };
    /// Done now, in the memory of whichever node it is.
    virtual Answer serve(unsigned from, const RemoteAccess& access) = 0;
    virtual u64 latency() = 0;
    /// A core is between the two accesses of an atomic operation: nothing is served.
    virtual bool locked() const = 0;

    // Of gates that have their network. What is wrong is told, or nothing.
    /// The network interface takes what its core asks for, by a number.
    virtual std::string taken(unsigned from, unsigned id, const RemoteAccess& access) = 0;
    /// A word of memory of `at` is about to be read or written for another node.
    struct WordAccess {
        u64 address = 0, data = 0;
        u8 be = 0;
        bool write = false;
    };
    virtual std::string arrives(unsigned at, unsigned source, unsigned id,
                                const WordAccess& word) = 0;
    /// The core has its answer.
    virtual std::string answered(unsigned from, unsigned id, const Answer& answer) = 0;
};

class CheckedCore {
  public:
    CheckedCore(const CoreKind& kind, unsigned node, u64 memory_bytes,
                const Disturbance& disturbance, RemoteSide* remote);

    void load_elf(const std::string& path, u64 nodes);
    /// To both memories, before the first cycle.
    void write_memory(u64 address, const void* data, std::size_t size);
    void reset();
    /// One cycle. False if a difference was found: report() then.
    bool cycle();

    const std::string& report() const { return report_; }
    u64 cycles() const { return cycle_; }
    u64 retired() const { return retired_; }
    u64 traps() const { return traps_; }
    u64 interrupts() const { return interrupts_; }
    u64 remotes() const { return remotes_; }
    bool locked() const { return out_.data_lock; }
    /// Exit code, once tohost has one.
    std::optional<unsigned> exit_code() const { return exit_; }
    const std::string& output() const { return output_; }
    step::Hart& hart() { return hart_; }
    CoreGates& gates() { return *gates_; }
    /// Of a kind with a namespace table.
    NodeGates& node_gates() { return static_cast<NodeGates&>(*gates_); }
    u64 table() const { return kMemoryStart + memory_.size() - 32 * kind_->table_entries; }
    u64 walks() const { return walks_; }
    /// Whether both memories hold the same; if not, where.
    bool memory_equal(std::string& where);

    /// Of the gates' memory, for remote accesses; the hart's follows in the order of accesses.
    bool there(u64 address, u64 size) const;
    u64 read(u64 address, unsigned size) const;
    /// own: by the core itself in namespace 0, where its hart does the same without being told.
    void remote_write(u64 address, unsigned size, const u64* value, bool own);

  private:
    struct Fetch {
        u64 due, address;
    };
    /// What has come to the node's memory, in order: its core's accesses and others' writes.
    struct Event {
        enum Kind { kData, kOwnRemote, kForeignWrite } kind;
        u64 address = 0, data[2] = {};
        u8 be = 0, size = 0;
        bool write = false, error = false, bulk = false, lock = false;
    };
    /// A remote access of a bulk transfer, with what it found.
    struct Piece {
        RemoteAccess access;
        RemoteSide::Answer answer = {};
    };
    struct Flight {
        u64 due = 0, data = 0;
        bool there = false, error = false;
    };

    /// A remote access on its way.
    struct RemoteFlight {
        u64 due = 0;
        bool there = false, load = false, posted = false;
        u64 address = 0, space = 0;
        u8 size = 0;  // log2
        // Of a posted load in a node, whose answer is not known when its instruction ends.
        u8 rd = 0;
        bool with_sign = false;
        RemoteSide::Answer answer = {};
    };

    bool chance(unsigned of_many, unsigned many = 1024) {
        return of_many != 0 && random_() % many < of_many;
    }
    u64 delay() {
        u64 cycles = 1;
        while (chance(disturbance_.late))
            ++cycles;
        return cycles;
    }
    u8* at(u64 address) { return const_cast<u8*>(std::as_const(*this).at(address)); }
    const u8* at(u64 address) const {
        return address < kMemoryStart ? boot_.data() + (address - kBootStart)
                                      : memory_.data() + (address - kMemoryStart);
    }
    void boot(u64 entry, u64 nodes);
    void drive();
    bool stable();
    bool prepare(const Retirement& core);
    bool take_requests();
    bool take_foreign();
    bool watch_remote();
    bool check(const Retirement& core);
    // What goes on behind its instruction (posted.cpp).
    void answer_remote();
    bool may_be_asked(const RemoteAccess& access);
    bool take_late_trap(const Retirement& core);
    bool check_late_write();
    void note_answer(RemoteFlight& flight, const RemoteSide::Answer& answer);
    void note_posted(const Retirement& core, const step::Record& own, u64 before);
    // The data port (ports.cpp).
    bool check_ports(const Retirement& core, const step::Record& own);
    bool check_access(const step::Record& own, bool write, bool failed);
    bool check_atomic(const step::Record& own);
    bool access_failed() const;
    isthmus_step_record record_of(const Retirement& core);
    void follow_writes();
    void follow_one_write();
    // A bulk transfer (transfer.cpp): what the reference is told of it, what the core has said, and
    // whether its pieces are those of the whole.
    bool is_transfer(const Retirement& core) const;
    void prepare_transfer(const Retirement& core);
    isthmus_step_remote transfer_of(const Retirement& core) const;
    bool check_transfer(const Retirement& core, const step::Record& own);
    bool differ(const std::string& what);
    void look_at_tohost();

    const CoreKind* kind_;
    unsigned node_;
    Disturbance disturbance_;
    RemoteSide* remote_side_;
    std::unique_ptr<CoreGates> gates_;
    step::Hart hart_;
    std::vector<u8> memory_, boot_;
    std::mt19937_64 random_;
    unsigned lane_bytes_;

    CoreInputs in_;
    CoreOutputs out_;
    std::deque<Fetch> fetches_;
    Flight data_;
    std::vector<RemoteFlight> remote_;  // by number
    u8 remote_id_ = 0;                  // of the last one
    RemoteSide::Answer remote_answer_;  // to the last one
    /// What the registers of posted loads are to become.
    std::map<u8, u64> late_writes_;
    /// Of the posted accesses that were answered with a fault, the first, until its trap.
    struct LateFault {
        u8 cause = 0;
        u64 address = 0;
    };
    std::optional<LateFault> late_fault_;
    unsigned ended_since_ = 0;                   // instructions, behind that
    std::optional<RemoteAccess> remote_access_;  // the last one, until its instruction ends
    std::vector<Piece> pieces_;                  // all of a bulk transfer
    std::deque<Event> events_;
    std::map<u64, u64> bad_code_;  // words whose fetch failed for no reason, and when
    bool own_word_seen_ = false;   // of the request under way
    bool data_held_ = false, instr_held_ = false, remote_held_ = false;
    CoreOutputs held_;

    u64 cycle_ = 0, retired_ = 0, traps_ = 0, interrupts_ = 0, remotes_ = 0, walks_ = 0, quiet_ = 0;
    u64 tohost_ = 0;
    std::optional<unsigned> exit_;
    std::string output_, report_;
};

}  // namespace isthmus::rtl
