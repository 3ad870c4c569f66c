// The C interface: no exception leaves it, and what went wrong can be asked for.
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "sim/isa/disassemble.hpp"
#include "sim/step/comparison.hpp"
#include "sim/step/include/isthmus/step.h"
#include "sim/step/rvfi.hpp"
#include "sim/step/stepped_hart.hpp"
#include "sim/step/text.hpp"

using namespace isthmus::sim;

struct isthmus_step {
    explicit isthmus_step(const char* parameters)
        : hart(StepParameters::parse(parameters ? parameters : "")) {}
    SteppedHart hart;
    Comparison comparison{hart};
    std::uint64_t core_load = 0;  // what devices without functions give
};

struct isthmus_step_snapshot {
    const isthmus_step* of;
    SteppedHart::Snapshot state;
};

namespace {

thread_local std::string error_text, text;

int fail(const std::string& why) {
    error_text = why;
    return -1;
}

/// What the function returns, or -1 with the text of what it threw.
template <class Function>
int guarded(Function function) {
    try {
        return function();
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}

RegisterFile file_of(int file) {
    switch (file) {
        case ISTHMUS_STEP_X: return RegisterFile::x;
        case ISTHMUS_STEP_F: return RegisterFile::f;
        case ISTHMUS_STEP_E: return RegisterFile::e;
        default: return RegisterFile::none;
    }
}

std::string hexadecimal(std::uint64_t value) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%lx", static_cast<unsigned long>(value));
    return digits;
}

class FunctionDevice final : public Device {
  public:
    FunctionDevice(isthmus_step_device_read reads, isthmus_step_device_write writes, void* context,
                   const std::uint64_t& core_load)
        : core_load_(core_load), read_(reads), write_(writes), context_(context) {}
    std::uint64_t read(std::uint64_t offset, unsigned size) override {
        return read_ ? read_(context_, offset, size) : core_load_;
    }
    void write(std::uint64_t offset, unsigned size, std::uint64_t value) override {
        if (write_) write_(context_, offset, size, value);
    }

  private:
    const std::uint64_t& core_load_;
    isthmus_step_device_read read_;
    isthmus_step_device_write write_;
    void* context_;
};

}  // namespace

extern "C" {

const char* isthmus_step_error(void) {
    return error_text.c_str();
}

isthmus_step* isthmus_step_create(const char* parameters) {
    isthmus_step* hart = nullptr;
    guarded([&] {
        hart = new isthmus_step(parameters);
        return 0;
    });
    return hart;
}
void isthmus_step_destroy(isthmus_step* hart) {
    delete hart;
}
void isthmus_step_reset(isthmus_step* hart) {
    hart->hart.reset();
    hart->comparison.restart();
}

int isthmus_step_load_elf(isthmus_step* hart, const char* path) {
    return guarded([&] {
        hart->hart.load_elf(path);
        return 0;
    });
}
int isthmus_step_read_memory(isthmus_step* hart, uint64_t address, void* data, size_t size) {
    if (hart->hart.read_memory(address, data, size)) return 0;
    return fail("no memory at " + hexadecimal(address) + " for " + std::to_string(size) + " bytes");
}
int isthmus_step_write_memory(isthmus_step* hart, uint64_t address, const void* data, size_t size) {
    if (hart->hart.write_memory(address, data, size)) return 0;
    return fail("no memory at " + hexadecimal(address) + " for " + std::to_string(size) + " bytes");
}
int isthmus_step_map_device(isthmus_step* hart, uint64_t start, uint64_t size,
                            isthmus_step_device_read read, isthmus_step_device_write write,
                            void* context) {
    return guarded([&] {
        hart->hart.map_device(
            start, size, std::make_unique<FunctionDevice>(read, write, context, hart->core_load));
        return 0;
    });
}
int isthmus_step_write_word(isthmus_step* hart, uint64_t address, uint32_t value) {
    return isthmus_step_write_memory(hart, address, &value, sizeof value);
}
int isthmus_step_map_core_device(isthmus_step* hart, uint64_t start, uint64_t size) {
    return isthmus_step_map_device(hart, start, size, nullptr, nullptr, nullptr);
}
void isthmus_step_inject_load(isthmus_step* hart, uint64_t value) {
    hart->core_load = value;
}

uint64_t isthmus_step_get_register(const isthmus_step* hart, int file, unsigned number) {
    return hart->hart.reg(file_of(file), number);
}
void isthmus_step_set_register(isthmus_step* hart, int file, unsigned number, uint64_t value) {
    hart->hart.set_reg(file_of(file), number, value);
    hart->comparison.restart();
}
uint64_t isthmus_step_get_pc(const isthmus_step* hart) {
    return hart->hart.hart().pc;
}
void isthmus_step_set_pc(isthmus_step* hart, uint64_t pc) {
    hart->hart.hart().pc = pc;
}
int isthmus_step_get_privilege(const isthmus_step* hart) {
    return static_cast<int>(hart->hart.hart().privilege);
}
int isthmus_step_set_privilege(isthmus_step* hart, int privilege) {
    if (hart->hart.set_privilege(privilege)) return 0;
    return fail("privilege " + std::to_string(privilege) + " is not one of the hart's");
}
int isthmus_step_get_csr(isthmus_step* hart, unsigned number, uint64_t* value) {
    if (hart->hart.csr(number, *value)) return 0;
    return fail("the hart has no CSR " + csr_name(number));
}
int isthmus_step_set_csr(isthmus_step* hart, unsigned number, uint64_t value) {
    if (hart->hart.set_csr(number, value)) return 0;
    return fail("the hart has no CSR " + csr_name(number) + " that can be written");
}

void isthmus_step_set_interrupts(isthmus_step* hart, uint64_t mip) {
    hart->hart.set_interrupts(mip);
}
int isthmus_step_take_interrupt(isthmus_step* hart, unsigned number) {
    if (hart->hart.take_interrupt(number)) return 0;
    const unsigned other = hart->hart.hart().pending_interrupt();
    return fail(
        "interrupt " + std::to_string(number) + " is not to be taken: " +
        (other == 0 ? "none is pending and enabled" : std::to_string(other) + " goes first"));
}
void isthmus_step_take_nmi(isthmus_step* hart, uint64_t cause) {
    hart->hart.take_nmi(cause);
}
void isthmus_step_set_time(isthmus_step* hart, uint64_t time) {
    hart->hart.set_time(time);
}
void isthmus_step_inject_csr(isthmus_step* hart, unsigned number, uint64_t value) {
    hart->hart.hart().injected_csr = Hart::InjectedCsr{number, value};
}
void isthmus_step_inject_fetch_fault(isthmus_step* hart) {
    hart->hart.fail_fetch();
}
void isthmus_step_inject_access_fault(isthmus_step* hart) {
    hart->hart.fail_access();
}
void isthmus_step_inject_remote(isthmus_step* hart, uint64_t low, uint64_t high) {
    RemoteAnswer answer;
    answer.value = {low, high};
    hart->hart.inject_remote(std::move(answer));
}
void isthmus_step_inject_remote_bytes(isthmus_step* hart, const void* bytes, size_t size) {
    RemoteAnswer answer;
    const auto* const from = static_cast<const std::byte*>(bytes);
    answer.bytes.assign(from, from + size);
    hart->hart.inject_remote(std::move(answer));
}
void isthmus_step_inject_remote_fault(isthmus_step* hart, uint64_t address) {
    RemoteAnswer answer;
    answer.fault = true;
    answer.fault_address = address;
    hart->hart.inject_remote(std::move(answer));
}
int isthmus_step_serve_remote(isthmus_step* hart, isthmus_step* target) {
    if (!hart->hart.waiting()) return fail("the hart does not wait for a remote access");
    hart->hart.inject_remote(target->hart.serve(hart->hart));
    return 0;
}

int isthmus_step_step(isthmus_step* hart) {
    return guarded([&] {
        static_assert(static_cast<int>(SteppedHart::Outcome::waiting) == ISTHMUS_STEP_WAITING);
        return static_cast<int>(hart->hart.step());
    });
}
uint64_t isthmus_step_run(isthmus_step* hart, uint64_t count) {
    uint64_t done = 0;
    guarded([&] {
        while (done < count && hart->hart.step() != SteppedHart::Outcome::waiting)
            ++done;
        return 0;
    });
    return done;
}
const isthmus_step_record* isthmus_step_last(const isthmus_step* hart) {
    return &hart->hart.last();
}
const char* isthmus_step_line(const isthmus_step* hart) {
    text = commit_line(hart->hart);
    return text.c_str();
}
const char* isthmus_step_disassemble(const isthmus_step* hart, uint32_t instruction, uint64_t pc) {
    text = disassemble(hart->hart.decoder(), instruction, pc);
    return text.c_str();
}

unsigned isthmus_step_compare(isthmus_step* hart, const isthmus_step_record* core, unsigned says) {
    return hart->comparison.compare(*core, says);
}
const char* isthmus_step_report(const isthmus_step* hart) {
    return hart->comparison.report().c_str();
}
int isthmus_step_check_rvfi(isthmus_step* hart, const isthmus_rvfi* core) {
    return guarded([&] {
        hart->core_load = rvfi_read(*core).read;
        return static_cast<int>(check_rvfi(hart->hart, hart->comparison, *core));
    });
}
int isthmus_step_check_rvfi_port(isthmus_step* hart, uint64_t order, uint32_t insn, uint8_t trap,
                                 uint8_t halt, uint8_t intr, uint8_t mode, uint8_t ixl,
                                 uint8_t rs1_addr, uint8_t rs2_addr, uint64_t rs1_rdata,
                                 uint64_t rs2_rdata, uint8_t rd_addr, uint64_t rd_wdata,
                                 uint64_t pc_rdata, uint64_t pc_wdata, uint64_t mem_addr,
                                 uint8_t mem_rmask, uint8_t mem_wmask, uint64_t mem_rdata,
                                 uint64_t mem_wdata) {
    const isthmus_rvfi core{order,    insn,     trap,      halt,      intr,      mode,     ixl,
                            rs1_addr, rs2_addr, rd_addr,   rs1_rdata, rs2_rdata, rd_wdata, pc_rdata,
                            pc_wdata, mem_addr, mem_rmask, mem_wmask, mem_rdata, mem_wdata};
    return isthmus_step_check_rvfi(hart, &core);
}

isthmus_step_snapshot* isthmus_step_save(isthmus_step* hart) {
    return new isthmus_step_snapshot{hart, hart->hart.save()};
}
void isthmus_step_restore(isthmus_step* hart, const isthmus_step_snapshot* snapshot) {
    if (snapshot->of != hart) return;
    hart->hart.restore(snapshot->state);
    hart->comparison.restart();
}
void isthmus_step_snapshot_destroy(isthmus_step_snapshot* snapshot) {
    delete snapshot;
}
}
