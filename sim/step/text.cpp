#include "sim/step/text.hpp"

#include <cstdarg>
#include <cstdio>

#include "sim/isa/disassemble.hpp"

namespace isthmus::sim {
namespace {

[[gnu::format(printf, 2, 3)]] void add(std::string& to, const char* form, ...) {
    char piece[160];
    std::va_list arguments;
    va_start(arguments, form);
    std::vsnprintf(piece, sizeof piece, form, arguments);
    va_end(arguments);
    to += piece;
}

}  // namespace

std::string hexadecimal(std::uint64_t value, bool narrow) {
    std::string out;
    add(out, "0x%0*lx", narrow ? 8 : 16, static_cast<unsigned long>(value));
    return out;
}

std::string commit_line(const SteppedHart& hart) {
    const isthmus_step_record& record = hart.last();
    const bool narrow = hart.decoder().xlen() == Xlen::k32;
    const auto digits = [&](std::uint64_t value) { return hexadecimal(value, narrow); };
    std::string line;
    add(line, "core%4u: ", hart.hart().id);
    if (record.trapped) {
        add(line, "exception %s, epc %s, tval %s",
            std::string(cause_name(static_cast<Cause>(record.cause))).c_str(),
            digits(record.pc).c_str(), digits(record.tval).c_str());
        return line;
    }
    add(line, "%u %s (0x%0*x)", record.privilege, digits(record.pc).c_str(), 2 * record.length,
        record.instruction);
    for (unsigned i = 0; i < record.write_count; ++i) {
        const isthmus_step_register& write = record.writes[i];
        if (write.file == ISTHMUS_STEP_F)
            add(line, " f%-2u 0x%016lx", write.number, static_cast<unsigned long>(write.value));
        else
            add(line, " %c%-2u %s", write.file == ISTHMUS_STEP_X ? 'x' : 'e', write.number,
                digits(write.value).c_str());
    }
    for (unsigned i = 0; i < record.csr_count; ++i) {
        const isthmus_step_csr& csr = record.csrs[i];
        add(line, " c%u_%s %s", csr.number, csr_name(csr.number).c_str(),
            digits(csr.value).c_str());
    }
    if (const isthmus_step_access& memory = record.memory; memory.size != 0) {
        if (memory.reads) add(line, " mem %s", digits(memory.address).c_str());
        if (memory.writes)
            add(line, " mem %s 0x%0*lx", digits(memory.address).c_str(), 2 * memory.size,
                static_cast<unsigned long>(memory.written));
    }
    if (record.has_remote && record.remote.name_space != 0)
        add(line, " remote 0x%lx:%s", static_cast<unsigned long>(record.remote.name_space),
            digits(record.remote.address).c_str());
    return line;
}

}  // namespace isthmus::sim
