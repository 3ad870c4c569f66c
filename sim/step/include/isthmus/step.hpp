// The C++ side of step.h: owners of a hart and of a snapshot, failures as exceptions.
#pragma once

#include <isthmus/step.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace isthmus::step {

using Record = isthmus_step_record;
using Rvfi = isthmus_rvfi;

/// What failed, in the words of isthmus_step_error().
struct Error : std::runtime_error {
    Error() : std::runtime_error(isthmus_step_error()) {}
};

enum class Outcome {
    retired = ISTHMUS_STEP_RETIRED,
    trapped = ISTHMUS_STEP_TRAPPED,
    waiting = ISTHMUS_STEP_WAITING
};

class Hart {
  public:
    class Snapshot {
        friend class Hart;
        struct End {
            void operator()(isthmus_step_snapshot* at) const { isthmus_step_snapshot_destroy(at); }
        };
        explicit Snapshot(isthmus_step_snapshot* at) : at_(at) {}
        std::unique_ptr<isthmus_step_snapshot, End> at_;
    };

    explicit Hart(const std::string& parameters) : at_(isthmus_step_create(parameters.c_str())) {
        if (!at_) throw Error();
    }
    /// For what has no function here.
    isthmus_step* c() const { return at_.get(); }

    void reset() { isthmus_step_reset(c()); }
    void load_elf(const std::string& path) { check(isthmus_step_load_elf(c(), path.c_str())); }
    void read_memory(std::uint64_t address, void* data, std::size_t size) const {
        check(isthmus_step_read_memory(c(), address, data, size));
    }
    void write_memory(std::uint64_t address, const void* data, std::size_t size) {
        check(isthmus_step_write_memory(c(), address, data, size));
    }

    std::uint64_t x(unsigned number) const { return of(ISTHMUS_STEP_X, number); }
    std::uint64_t f(unsigned number) const { return of(ISTHMUS_STEP_F, number); }
    std::uint64_t e(unsigned number) const { return of(ISTHMUS_STEP_E, number); }
    void set_x(unsigned number, std::uint64_t value) { set(ISTHMUS_STEP_X, number, value); }
    void set_f(unsigned number, std::uint64_t value) { set(ISTHMUS_STEP_F, number, value); }
    void set_e(unsigned number, std::uint64_t value) { set(ISTHMUS_STEP_E, number, value); }
    std::uint64_t pc() const { return isthmus_step_get_pc(c()); }
    void set_pc(std::uint64_t pc) { isthmus_step_set_pc(c(), pc); }
    std::uint64_t csr(unsigned number) const {
        std::uint64_t value = 0;
        check(isthmus_step_get_csr(c(), number, &value));
        return value;
    }
    void set_csr(unsigned number, std::uint64_t value) {
        check(isthmus_step_set_csr(c(), number, value));
    }

    void set_interrupts(std::uint64_t mip) { isthmus_step_set_interrupts(c(), mip); }
    void take_interrupt(unsigned number) { check(isthmus_step_take_interrupt(c(), number)); }
    void take_nmi(std::uint64_t cause) { isthmus_step_take_nmi(c(), cause); }
    void set_time(std::uint64_t time) { isthmus_step_set_time(c(), time); }
    void inject_csr(unsigned number, std::uint64_t value) {
        isthmus_step_inject_csr(c(), number, value);
    }
    void inject_fetch_fault() { isthmus_step_inject_fetch_fault(c()); }
    void inject_access_fault() { isthmus_step_inject_access_fault(c()); }
    void inject_remote(std::uint64_t low, std::uint64_t high = 0) {
        isthmus_step_inject_remote(c(), low, high);
    }
    void inject_remote_bytes(const void* bytes, std::size_t size) {
        isthmus_step_inject_remote_bytes(c(), bytes, size);
    }
    void inject_remote_fault(std::uint64_t address) {
        isthmus_step_inject_remote_fault(c(), address);
    }

    Outcome step() {
        const int outcome = isthmus_step_step(c());
        check(outcome);
        return static_cast<Outcome>(outcome);
    }
    const Record& last() const { return *isthmus_step_last(c()); }
    std::string line() const { return isthmus_step_line(c()); }

    /// The bits of what differs; report() tells it.
    unsigned compare(const Record& core, unsigned says) {
        return isthmus_step_compare(c(), &core, says);
    }
    /// Steps and compares.
    unsigned check_rvfi(const Rvfi& core) {
        const int found = isthmus_step_check_rvfi(c(), &core);
        check(found);
        return static_cast<unsigned>(found);
    }
    std::string report() const { return isthmus_step_report(c()); }

    Snapshot save() { return Snapshot(isthmus_step_save(c())); }
    void restore(const Snapshot& snapshot) { isthmus_step_restore(c(), snapshot.at_.get()); }

  private:
    struct End {
        void operator()(isthmus_step* at) const { isthmus_step_destroy(at); }
    };
    static void check(int outcome) {
        if (outcome < 0) throw Error();
    }
    std::uint64_t of(int file, unsigned number) const {
        return isthmus_step_get_register(c(), file, number);
    }
    void set(int file, unsigned number, std::uint64_t value) {
        isthmus_step_set_register(c(), file, number, value);
    }

    std::unique_ptr<isthmus_step, End> at_;
};

}  // namespace isthmus::step
