// Descriptions of machines (JSON): taken whole, or refused by a MachineError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sim/machine/machine.hpp"

using namespace isthmus::sim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        MachineDescription machine = parse_machine(text, "fuzz.json");
        for (const Parameter& parameter : parameters()) {
            const std::uint64_t value = parameter.member(machine);
            if (parameter.choices.empty() &&
                (value < parameter.minimum || value > parameter.maximum))
                std::abort();
        }
        check_machine(machine, "fuzz.json");
    } catch (const MachineError&) {
        // What is wrong has been said.
    }
    // The same bytes as somebody's --set.
    try {
        MachineDescription machine = table3();
        set_parameter(machine, text);
        check_machine(machine, "fuzz.json");
    } catch (const MachineError&) {
    }
    return 0;
}
