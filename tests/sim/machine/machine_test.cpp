#include "sim/machine/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace isthmus::sim {
namespace {

std::string read_file(const std::string& path) {
    std::ifstream in(std::string(ISTHMUS_SOURCE_DIR) + "/" + path);
    EXPECT_TRUE(in) << path;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto position = text.find(from);
    EXPECT_NE(position, std::string::npos) << from;
    return text.replace(position, from.size(), to);
}

std::string error_of(const std::string& text) {
    try {
        check_machine(parse_machine(text, "m.json"), "m.json");
    } catch (const MachineError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Machine, Table3IsThePapersMachine) {
    const MachineDescription m = table3();
    EXPECT_EQ(m.nodes(), 64u);
    EXPECT_EQ(m.core.clock_mhz, 2000u);
    EXPECT_EQ(m.l1_data.bytes, 16u << 10);
    EXPECT_EQ(m.l1_data.ways, 8u);
    EXPECT_EQ(m.l2.bytes, 8u << 20);
    EXPECT_EQ(m.nlb.entries, 512u);
    EXPECT_EQ(m.memory.mebibytes, 2048u);
    EXPECT_EQ(m.network.flit_bits, 32u);
    // 16 KB for 512 entries.
    EXPECT_EQ(m.memory.base + m.memory_bytes() - m.namespace_table_base(),
              m.nlb.table_entries * (16384 / 512));
}

TEST(Machine, RoundTrip) {
    const MachineDescription m = table3();
    const std::string text = machine_to_json(m).dump(2);
    EXPECT_EQ(machine_to_json(parse_machine(text, "copy")).dump(2), text);
    EXPECT_EQ(text + "\n", std::string(table3_text()));
}

TEST(Machine, UnknownKeyNamesLineAndNeighbour) {
    const std::string text(table3_text());
    EXPECT_EQ(error_of(replaced(text, "\"link_cycles\"", "\"link_cycle\"")),
              "m.json:104: unknown key \"network.link_cycle\"; the nearest known key is "
              "\"network.link_cycles\"");
    EXPECT_EQ(error_of(replaced(text, "\"mesh\"", "\"mash\"")),
              "m.json:3: unknown key \"mash\"; the nearest known key is \"mesh\"");
}

TEST(Machine, UnknownKeyWithoutNeighbourNamesWhatThereIs) {
    const std::string text(table3_text());
    const std::string sections =
        "the sections are mesh, core, branch, l1_instruction, l1_data, l2, directory, mmu, nlb, "
        "memory, "
        "network, nic, simulation";
    EXPECT_EQ(error_of(replaced(text, "\"mesh\"", "\"torus\"")),
              "m.json:3: unknown key \"torus\"; " + sections);
    EXPECT_EQ(error_of(replaced(text, "\"width\"", "\"diameter\"")),
              "m.json:4: unknown key \"mesh.diameter\"; the keys of mesh are width, height");
    MachineDescription m = table3();
    try {
        set_parameter(m, "foo.bar=1");
        ADD_FAILURE() << "no error";
    } catch (const MachineError& error) {
        EXPECT_EQ(error.what(), "setting \"foo.bar=1\": unknown key \"foo.bar\"; " + sections);
    }
}

// What a file says need not hold before the settings that come behind it.
TEST(Machine, RulesAreCheckedLast) {
    const std::string text(table3_text());
    MachineDescription m =
        parse_machine(replaced(text, "\"table_entries\": 4096", "\"table_entries\": 8"), "m.json");
    EXPECT_THROW(check_machine(m, "m.json"), MachineError);
    set_parameter(m, "mesh.width=2");
    set_parameter(m, "mesh.height=2");
    EXPECT_NO_THROW(check_machine(m, "m.json"));
}

TEST(Machine, WrongValuesNameTheLegalRange) {
    const std::string text(table3_text());
    EXPECT_EQ(error_of(replaced(text, "\"width\": 8", "\"width\": 0")),
              "m.json:4: mesh.width = 0 must be a whole number in 1..1024 nodes");
    EXPECT_EQ(error_of(replaced(text, "\"width\": 8", "\"width\": -3")),
              "m.json:4: mesh.width = -3 must be a whole number in 1..1024 nodes");
    EXPECT_EQ(error_of(replaced(text, "\"width\": 8", "\"width\": [1]")),
              "m.json:4: mesh.width = an array must be a whole number in 1..1024 nodes");
    EXPECT_EQ(error_of(replaced(text, "\"fr-fcfs\"", "\"lifo\"")),
              "m.json:75: memory.scheduler = \"lifo\" must be one of \"fcfs\", \"fr-fcfs\"");
    EXPECT_EQ(error_of(replaced(text, "\"flit_bits\": 32", "\"flit_bits\": 24")),
              "m.json:99: network.flit_bits = 24 must be a power of two in 8..1024 bits");
    EXPECT_EQ(error_of(replaced(text, "\"width\": 8", "\"width\": 1024")),
              "m.json: mesh.width x mesh.height = 8192 nodes; the limit is 1024");
    EXPECT_NE(
        error_of(replaced(text, "\"ways\": 8", "\"ways\": 6")).find("power-of-two number of sets"),
        std::string::npos);
}

TEST(Machine, FlitsHoldTheHeaderAndTheAddress) {
    const auto error_with = [](std::initializer_list<const char*> settings) -> std::string {
        MachineDescription m = table3();
        for (const char* setting : settings)
            set_parameter(m, setting);
        try {
            check_machine(m, "m.json");
            return "";
        } catch (const MachineError& error) {
            const std::string text = error.what();
            return text.substr(text.rfind(": network") + 2);
        }
    };
    EXPECT_EQ(error_with({"network.flit_bits=8", "network.address_flits=0"}),
              "network.header_flits must hold type and length, 32 bits: 4 flits of "
              "network.flit_bits = 8");
    EXPECT_EQ(error_with({"network.flit_bits=16", "network.header_flits=2"}),
              "network.address_flits must be 0 or hold an address of 64 bits: 4 flits of "
              "network.flit_bits = 16");
    EXPECT_EQ(
        error_with({"network.flit_bits=8", "network.header_flits=4", "network.address_flits=8"}),
        "");
    EXPECT_EQ(error_with({"network.flit_bits=128", "network.address_flits=1"}), "");
}

TEST(Machine, MissingTwiceAndBroken) {
    const std::string text(table3_text());
    EXPECT_NE(error_of(replaced(text, "\"width\": 8,", "")).find("missing: mesh.width;"),
              std::string::npos);
    EXPECT_EQ(error_of(replaced(text, "\"height\"", "\"width\": 8, \"height\"")),
              "m.json:5: key \"mesh.width\" stands twice, first in line 4");
    EXPECT_NE(error_of(text.substr(0, 40)).find("not JSON"), std::string::npos);
    EXPECT_NE(error_of("[]").find("one object"), std::string::npos);
    EXPECT_NE(error_of("").find("not JSON"), std::string::npos);
}

TEST(Machine, ThePapersMachineHasAName) {
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path("/");
    EXPECT_EQ(load_machine("table3.json").nodes(), table3().nodes());
    EXPECT_THROW(load_machine("table4.json"), MachineError);
    EXPECT_THROW(load_machine("/table3.json"), MachineError);
    std::filesystem::current_path(before);
}

TEST(Machine, SetParameter) {
    MachineDescription m = table3();
    set_parameter(m, "mesh.width=4");
    set_parameter(m, "branch.predictor=gshare");
    EXPECT_EQ(m.mesh.width, 4u);
    EXPECT_EQ(m.branch.predictor, static_cast<std::uint64_t>(BranchPredictorKind::gshare));
    EXPECT_THROW(set_parameter(m, "mesh.width"), MachineError);
    EXPECT_THROW(set_parameter(m, "mesh.width=x"), MachineError);
    EXPECT_THROW(set_parameter(m, "mesh.wdth=4"), MachineError);
}

TEST(Machine, ASectionAloneIsNoKey) {
    MachineDescription m = table3();
    try {
        set_parameter(m, "memory=2");
        ADD_FAILURE() << "no error";
    } catch (const MachineError& error) {
        EXPECT_NE(std::string(error.what()).find("the keys of memory are "), std::string::npos)
            << error.what();
    }
}

TEST(Machine, RulesThatSettingsBreakNameTheSettings) {
    MachineDescription m = table3();
    set_parameter(m, "memory.write_low=30");
    set_parameter(m, "nlb.entries=4");
    try {
        check_machine(m, "m.json");
        ADD_FAILURE() << "no error";
    } catch (const MachineError& error) {
        EXPECT_STREQ(error.what(),
                     "m.json with --set memory.write_low=30 --set nlb.entries=4: memory.write_low "
                     "< memory.write_high <= memory.queue_entries must hold");
    }
}

// Bytes from outside: whatever is cut, changed or doubled, the answer is a description or a
// MachineError.
TEST(Machine, FuzzedTextNeverCrashes) {
    const std::string text(table3_text());
    std::mt19937_64 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string mutated = text;
        for (int change = 0; change < 3; ++change) {
            const std::size_t position = random() % mutated.size();
            switch (random() % 4) {
                case 0: mutated[position] = static_cast<char>(random()); break;
                case 1: mutated.erase(position, random() % 8); break;
                case 2:
                    mutated.insert(position,
                                   mutated.substr(random() % mutated.size(), random() % 20));
                    break;
                default: mutated[position] = "{}[],:\"0-9e"[random() % 11]; break;
            }
        }
        try {
            check_machine(parse_machine(mutated, "fuzz"), "fuzz");
        } catch (const MachineError&) {
        }
    }
}

TEST(Machine, SchemaFileAndPageAreCurrent) {
    EXPECT_EQ(read_file("sim/machine/machine.schema.json"), machine_schema().dump(2) + "\n")
        << "run: isthmus-network --schema > sim/machine/machine.schema.json";
    EXPECT_NE(read_file("docs/machine.md").find(parameters_markdown()), std::string::npos)
        << "run: isthmus-network --parameters and paste its table into docs/machine.md";
}

}  // namespace
}  // namespace isthmus::sim
