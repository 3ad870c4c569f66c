// A hart that is stepped an instruction at a time and says what each did. What is outside of it,
// and would otherwise come from a machine, is injected.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hart/hart.hpp"
#include "sim/step/include/isthmus/step.h"
#include "sim/step/observer.hpp"
#include "sim/step/page_history.hpp"
#include "sim/step/parameters.hpp"

namespace isthmus::sim {

/// What a remote access is to find.
struct RemoteAnswer {
    std::array<std::uint64_t, 2> value{};
    std::vector<std::byte> bytes;  // of a bulk load
    bool fault = false;
    std::uint64_t fault_address = 0;
    std::optional<Cause> cause;  // of the fault; none: an access fault
};

/// The state that the architecture knows of, without memory.
struct ArchitecturalState {
    std::array<std::uint64_t, 33> x{}, e{};
    std::array<std::uint64_t, 32> f{};
    std::uint64_t pc = 0, instret = 0;
    unsigned fflags = 0, frm = 0;
    MachineCsrs csr;
    Privilege privilege = Privilege::machine;
    std::uint64_t reservation_address = 0, reservation_value = 0;
    unsigned reservation_size = 0;
    std::uint64_t remote_reservation_space = 0, remote_reservation_address = 0,
                  remote_reservation_value = 0;
    unsigned remote_reservation_size = 0;
    RemoteRequest remote;
    std::optional<Hart::InjectedCsr> injected_csr;

    static ArchitecturalState of(const Hart& hart);
    void give_to(Hart& hart) const;
};

class SteppedHart {
  public:
    enum class Outcome { retired, trapped, waiting };

    explicit SteppedHart(StepParameters parameters);
    SteppedHart(const SteppedHart&) = delete;
    SteppedHart& operator=(const SteppedHart&) = delete;

    void reset();
    /// Throws std::runtime_error if it cannot be read or does not fit.
    void load_elf(const std::string& path);
    bool write_memory(std::uint64_t address, const void* data, std::size_t size);
    bool read_memory(std::uint64_t address, void* data, std::size_t size) const {
        return memory_.read(address, data, size);
    }
    /// Throws std::invalid_argument if the range is not whole pages.
    void map_device(std::uint64_t start, std::uint64_t size, std::unique_ptr<Device> device);

    Hart& hart() { return hart_; }
    const Hart& hart() const { return hart_; }
    const StepParameters& parameters() const { return parameters_; }
    const Decoder& decoder() const { return decoder_; }

    std::uint64_t reg(RegisterFile file, unsigned number) const;
    void set_reg(RegisterFile file, unsigned number, std::uint64_t value);
    bool csr(unsigned number, std::uint64_t& value);
    bool set_csr(unsigned number, std::uint64_t value);
    bool set_privilege(int privilege);

    void set_interrupts(std::uint64_t mip) {
        hart_.csr.mip = mip & parameters_.hart.interrupt_bits;
        world_.told_interrupt = 0;
    }
    /// False if that is not the one to be taken now.
    bool take_interrupt(unsigned number);
    void take_nmi(std::uint64_t cause) { world_.nmi = cause; }
    void set_time(std::uint64_t time);
    /// Of the next instruction: its fetch, or its local access.
    void fail_fetch() { world_.fetch_fails = true; }
    void fail_access() { world_.access_fails = true; }
    void inject_remote(RemoteAnswer answer) { world_.answers.push_back(std::move(answer)); }

    /// Does in this hart's memory what another one, or this one itself, waits for: as an access of
    /// user mode, where satp has a page table.
    RemoteAnswer serve(const SteppedHart& from);
    bool waiting() const { return waiting_; }
    /// As the hart's own loads see it.
    bool read_local(std::uint64_t address, void* to, std::size_t size) const;

    /// Throws std::invalid_argument if what a bulk load is to find has another size than it asks
    /// for.
    Outcome step();
    const isthmus_step_record& last() const { return record_; }

    /// Everything but devices.
    class Snapshot;
    Snapshot save();
    void restore(const Snapshot& snapshot);

  private:
    /// What has been injected and not used yet.
    struct World {
        std::optional<std::uint64_t> nmi, time;
        bool fetch_fails = false, access_fails = false;
        unsigned told_interrupt = 0;
        std::deque<RemoteAnswer> answers;
    };

    void take_what_is_pending();
    void begin_record();
    void note_sources(const Block& block);
    void note_results(const Insn& insn, const InsnMeta& meta);
    void note_access(const Insn& insn, const InsnMeta& meta);
    void note_csr(unsigned number);
    void note_trap();
    void note_remote();
    Outcome fetch_failed();
    Outcome trapped();
    Outcome retired();
    Outcome answer_remote();
    template <class Act>
    bool as_others(std::uint64_t address, std::size_t size, AccessType type, Act&& act);
    bool read_for_others(std::uint64_t address, void* to, std::size_t size, AccessType type);
    bool write_for_others(std::uint64_t address, const void* from, std::size_t size);
    /// What a trap or an interrupt has written, by who handles it.
    void note_trap_registers();
    /// Memory, or what satp leads to, may have changed other than by instructions.
    void forget_translations();
    bool carry_out_bulk(const RemoteAnswer& answer);
    void drop_stale_code(std::uint64_t address, std::uint64_t size);
    std::uint64_t narrow(std::uint64_t value) const { return value & value_mask_; }

    StepParameters parameters_;
    Decoder decoder_;
    AddressSpace memory_;
    Hart hart_;
    PageHistory pages_;
    std::vector<std::unique_ptr<Device>> devices_;
    StepObserver observer_;
    isthmus_step_record record_{};
    std::uint64_t order_ = 0;
    std::uint64_t value_mask_;
    std::uint64_t seen_code_ = 0;
    std::uint64_t atomic_found_ = 0;  // where its register does not keep it
    bool waiting_ = false;
    Trap bulk_trap_;
    bool paged_ = false;       // decoded code may be of addresses that a page table translates
    bool serves_own_ = false;  // an access of the hart itself to its own memory
    World world_;
};

class SteppedHart::Snapshot {
    friend class SteppedHart;
    ArchitecturalState state_;
    PageHistory::Image pages_;
    isthmus_step_record record_{};
    std::uint64_t order_ = 0;
    bool waiting_ = false;
    World world_;
};

}  // namespace isthmus::sim
