// The table of parameters: the one place that knows range, unit, source and meaning of each number.
#include <nlohmann/json.hpp>

#include "sim/machine/machine.hpp"

namespace isthmus::sim {

namespace {

using M = MachineDescription;
using enum ParameterSource;

constexpr std::uint64_t kAny = ~std::uint64_t{0};

#define ISTHMUS_PARAMETER(section, key, unit, low, high, power, source, text) \
    Parameter {                                                               \
#section "." #key, unit, low, high, power, source, text,              \
            [](M & m) -> std::uint64_t& { return m.section.key; }, {}         \
    }
#define ISTHMUS_CHOICE(section, key, source, text, ...)              \
    Parameter {                                                      \
#section "." #key, "", 0, 0, false, source, text,            \
            [](M & m) -> std::uint64_t& { return m.section.key; }, { \
            __VA_ARGS__                                              \
        }                                                            \
    }

const std::vector<Parameter>& table() {
    static const std::vector<Parameter> rows = {
        ISTHMUS_PARAMETER(
            mesh, width, "nodes", 1, 1024, false, paper,
            "columns of the mesh; 64 nodes (Table III) as the 8x8 mesh of section VI-B"),
        ISTHMUS_PARAMETER(mesh, height, "nodes", 1, 1024, false, paper, "rows of the mesh"),
        ISTHMUS_PARAMETER(core, clock_mhz, "MHz", 1, 100000, false, paper,
                          "clock of core, caches, NIC and network; one core per node"),
        ISTHMUS_PARAMETER(core, mispredict_cycles, "cycles", 0, 100, false, inferred,
                          "lost after a wrong prediction; the paper's core has seven stages"),
        ISTHMUS_PARAMETER(core, multiply_cycles, "cycles", 1, 100, false, ours,
                          "latency of a multiplication, pipelined"),
        ISTHMUS_PARAMETER(core, divide_cycles, "cycles", 1, 1000, false, ours,
                          "latency of a division, one at a time"),
        ISTHMUS_PARAMETER(core, float_cycles, "cycles", 1, 100, false, ours,
                          "latency of a floating-point operation, pipelined"),
        ISTHMUS_PARAMETER(core, float_divide_cycles, "cycles", 1, 1000, false, ours,
                          "latency of a floating-point division or root, one at a time"),
        ISTHMUS_PARAMETER(core, system_cycles, "cycles", 1, 1000, false, ours,
                          "pipeline drained for a control-register or system instruction"),
        ISTHMUS_PARAMETER(core, load_misses, "lines", 1, 16, false, ours,
                          "lines that may be under way to the data cache (miss registers)"),
        ISTHMUS_PARAMETER(core, store_buffer, "stores", 1, 64, false, ours,
                          "stores that may wait for their line"),
        ISTHMUS_PARAMETER(core, remote_loads, "loads", 1, 64, false, inferred,
                          "remote loads that may be under way; with 1 the core waits for each: the "
                          "paper's core has no scoreboard for them"),
        ISTHMUS_CHOICE(branch, predictor, ours, "direction predictor", "static", "bimodal",
                       "gshare"),
        ISTHMUS_PARAMETER(branch, entries, "counters", 2, 1 << 20, true, ours, "two-bit counters"),
        ISTHMUS_PARAMETER(branch, history_bits, "bits", 1, 20, false, ours,
                          "global history; used by gshare only"),
        ISTHMUS_PARAMETER(branch, target_entries, "entries", 2, 1 << 16, true, ours,
                          "branch target buffer"),
        ISTHMUS_PARAMETER(branch, return_stack, "entries", 1, 64, false, ours,
                          "return address stack"),
        ISTHMUS_PARAMETER(l1_instruction, bytes, "bytes", 256, 1 << 24, true, paper,
                          "16-KB L1, taken for each of the two"),
        ISTHMUS_PARAMETER(l1_instruction, ways, "ways", 1, 16, false, paper, "8-way"),
        ISTHMUS_PARAMETER(l1_instruction, hit_cycles, "cycles", 1, 20, false, ours,
                          "hidden by the pipeline while fetching in sequence"),
        ISTHMUS_PARAMETER(l1_data, bytes, "bytes", 256, 1 << 24, true, paper, "16-KB L1"),
        ISTHMUS_PARAMETER(l1_data, ways, "ways", 1, 16, false, paper, "8-way"),
        ISTHMUS_PARAMETER(l1_data, hit_cycles, "cycles", 1, 20, false, ours, "load to use"),
        ISTHMUS_PARAMETER(l2, bytes, "bytes", 1024, std::uint64_t{1} << 32, true, paper, "8-MB L2"),
        ISTHMUS_PARAMETER(l2, ways, "ways", 1, 16, false, inferred,
                          "the paper's \"8-way\" read for both"),
        ISTHMUS_PARAMETER(l2, hit_cycles, "cycles", 1, 200, false, ours,
                          "from L1 miss to data, directory included"),
        ISTHMUS_PARAMETER(directory, line_bytes, "bytes", 16, 256, true, ours,
                          "cache line; comes in as many memory bursts as it needs"),
        ISTHMUS_PARAMETER(directory, lookup_cycles, "cycles", 1, 200, false, ours,
                          "from request to the decision to go to memory"),
        ISTHMUS_PARAMETER(directory, probe_cycles, "cycles", 0, 200, false, ours,
                          "invalidate or fetch a line held by a first-level cache"),
        ISTHMUS_PARAMETER(directory, occupancy_cycles, "cycles", 1, 100, false, ours,
                          "until the directory takes the next request"),
        ISTHMUS_PARAMETER(directory, return_cycles, "cycles", 0, 200, false, ours,
                          "from the memory's last beat to the requester"),
        ISTHMUS_CHOICE(
            mmu, emulated, ours,
            "what programs without page tables pay, Linux programs: off, nothing, as the "
            "paper's; sv39: as if a kernel had mapped their pages, at the core and for "
            "remote accesses at the target",
            "off", "sv39"),
        ISTHMUS_CHOICE(mmu, emulated_page, ours, "size of those pages", "4k", "2m", "1g"),
        ISTHMUS_PARAMETER(mmu, l1_instruction_entries, "entries", 1, 4096, false, ours,
                          "first-level instruction TLB; a hit takes no time"),
        ISTHMUS_PARAMETER(mmu, l1_instruction_ways, "ways", 1, 4096, false, ours,
                          "as many as entries: fully associative"),
        ISTHMUS_PARAMETER(mmu, l1_data_entries, "entries", 1, 4096, false, ours,
                          "first-level data TLB; a hit takes no time"),
        ISTHMUS_PARAMETER(mmu, l1_data_ways, "ways", 1, 4096, false, ours,
                          "as many as entries: fully associative"),
        ISTHMUS_PARAMETER(mmu, l2_entries, "entries", 1, 1 << 16, false, ours,
                          "second-level TLB, of instructions and data"),
        ISTHMUS_PARAMETER(mmu, l2_ways, "ways", 1, 4096, false, ours, "its associativity"),
        ISTHMUS_PARAMETER(mmu, l2_hit_cycles, "cycles", 1, 100, false, ours,
                          "from a first-level miss to the second level's answer"),
        ISTHMUS_PARAMETER(mmu, walk_cycles, "cycles", 0, 100, false, ours,
                          "of a walk, beside its reads, which go through the data cache"),
        ISTHMUS_PARAMETER(mmu, target_entries, "entries", 1, 1 << 16, false, ours,
                          "TLB of a NIC for the addresses of others' requests; the remote memory "
                          "controller of soNUMA, the paper's reference 30, has 32"),
        ISTHMUS_PARAMETER(mmu, target_ways, "ways", 1, 4096, false, ours,
                          "as many as entries: fully associative"),
        ISTHMUS_PARAMETER(mmu, target_hit_cycles, "cycles", 0, 1000, false, ours,
                          "what a request is translated in at the target; a miss reads the page "
                          "table through the directory besides"),
        ISTHMUS_PARAMETER(nlb, entries, "entries", 1, 1 << 16, false, paper,
                          "fully associative, least recently used; 512 entries"),
        ISTHMUS_PARAMETER(nlb, hit_cycles, "cycles", 1, 100, false, ours, "look-up"),
        ISTHMUS_PARAMETER(nlb, table_entries, "entries", 2, 1 << 20, true, ours,
                          "namespace table in each node's memory; 32 bytes an entry (16 KB / 512)"),
        ISTHMUS_PARAMETER(memory, base, "bytes", 0, std::uint64_t{1} << 40, false, ours,
                          "physical address of the first byte"),
        ISTHMUS_PARAMETER(memory, mebibytes, "MiB", 1, 1 << 16, true, paper, "2 GB per node"),
        ISTHMUS_PARAMETER(memory, clock_mhz, "MHz", 1, 10000, false, ours,
                          "DDR4 (Table III); DDR4-2400, two transfers a clock"),
        ISTHMUS_PARAMETER(memory, bank_groups, "groups", 1, 8, true, inferred, "DDR4, x8 devices"),
        ISTHMUS_PARAMETER(memory, banks_per_group, "banks", 1, 8, true, inferred,
                          "DDR4, x8 devices"),
        ISTHMUS_PARAMETER(memory, row_bytes, "bytes", 256, 1 << 16, true, inferred,
                          "one kilobyte a device, eight devices"),
        ISTHMUS_CHOICE(memory, scheduler, ours, "open-page command scheduler", "fcfs", "fr-fcfs"),
        ISTHMUS_PARAMETER(memory, queue_entries, "requests", 1, 256, false, ours,
                          "requests the scheduler sees, reads and writes each"),
        ISTHMUS_PARAMETER(memory, write_high, "requests", 1, 256, false, ours,
                          "waiting writes at which the controller turns to writing"),
        ISTHMUS_PARAMETER(memory, write_low, "requests", 0, 255, false, ours,
                          "waiting writes at which it turns back"),
        ISTHMUS_PARAMETER(memory, starvation_clocks, "memory clocks", 1, 1000000, false, ours,
                          "age at which a request goes before row hits"),
        ISTHMUS_PARAMETER(memory, cl, "memory clocks", 1, 100, false, ours,
                          "read latency; speed bin 2400R"),
        ISTHMUS_PARAMETER(memory, cwl, "memory clocks", 1, 100, false, ours, "write latency"),
        ISTHMUS_PARAMETER(memory, burst, "memory clocks", 1, 16, false, inferred,
                          "data bus time of a burst, 16 bytes a clock: eight on 64 bits"),
        ISTHMUS_PARAMETER(memory, t_rcd, "memory clocks", 1, 100, false, ours,
                          "activate to column"),
        ISTHMUS_PARAMETER(memory, t_rp, "memory clocks", 1, 100, false, ours,
                          "precharge to activate"),
        ISTHMUS_PARAMETER(memory, t_ras, "memory clocks", 1, 200, false, ours,
                          "activate to precharge"),
        ISTHMUS_PARAMETER(memory, t_rrd_s, "memory clocks", 1, 100, false, ours,
                          "activate to activate, other group"),
        ISTHMUS_PARAMETER(memory, t_rrd_l, "memory clocks", 1, 100, false, ours,
                          "activate to activate, same group"),
        ISTHMUS_PARAMETER(memory, t_faw, "memory clocks", 1, 200, false, ours,
                          "window of four activates"),
        ISTHMUS_PARAMETER(memory, t_ccd_s, "memory clocks", 1, 100, false, ours,
                          "column to column, other group"),
        ISTHMUS_PARAMETER(memory, t_ccd_l, "memory clocks", 1, 100, false, ours,
                          "column to column, same group"),
        ISTHMUS_PARAMETER(memory, t_wtr_s, "memory clocks", 1, 100, false, ours,
                          "end of write data to read, other group"),
        ISTHMUS_PARAMETER(memory, t_wtr_l, "memory clocks", 1, 100, false, ours,
                          "end of write data to read, same group"),
        ISTHMUS_PARAMETER(memory, t_wr, "memory clocks", 1, 100, false, ours,
                          "end of write data to precharge"),
        ISTHMUS_PARAMETER(memory, t_rtp, "memory clocks", 1, 100, false, ours, "read to precharge"),
        ISTHMUS_PARAMETER(memory, t_refi, "memory clocks", 100, 1000000, false, ours,
                          "refresh interval, 7.8 us"),
        ISTHMUS_PARAMETER(memory, t_rfc, "memory clocks", 1, 10000, false, ours,
                          "refresh time, 160 ns for 2-Gbit devices"),
        ISTHMUS_PARAMETER(network, flit_bits, "bits", 8, 1024, true, paper, "32-bit flits"),
        ISTHMUS_PARAMETER(network, virtual_channels, "channels", 1, 12, false, ours,
                          "per link, shared out evenly among the message classes"),
        ISTHMUS_PARAMETER(
            network, message_classes, "classes", 1, 2, false, ours,
            "2: requests and replies travel apart, which the protocol needs; 1: traffic studies"),
        ISTHMUS_PARAMETER(network, buffer_flits, "flits", 1, 64, false, ours,
                          "per virtual channel"),
        ISTHMUS_PARAMETER(network, router_cycles, "cycles", 1, 16, false, ours,
                          "pipeline depth of a router, from buffer write to switch traversal"),
        ISTHMUS_PARAMETER(network, link_cycles, "cycles", 1, 64, false, ours,
                          "wire between two routers"),
        ISTHMUS_PARAMETER(network, credit_cycles, "cycles", 1, 64, false, ours,
                          "from a freed slot to the credit in the sender's hand"),
        ISTHMUS_PARAMETER(network, header_flits, "flits", 1, 16, false, paper,
                          "32-bit header with type and length"),
        ISTHMUS_PARAMETER(network, address_flits, "flits", 0, 16, false, ours,
                          "address in a request; the paper's figure 12 counts none (0 repeats it)"),
        ISTHMUS_PARAMETER(nic, transmit_cycles, "cycles", 1, 1000, false, ours,
                          "from the arbiter to the first flit"),
        ISTHMUS_PARAMETER(nic, receive_cycles, "cycles", 1, 1000, false, ours,
                          "from the last flit to the directory or the core; the engine's window"),
        ISTHMUS_PARAMETER(nic, outstanding, "operations", 1, 256, false, ours,
                          "remote operations a core may have under way"),
        ISTHMUS_PARAMETER(nic, atomic_cycles, "cycles", 1, 100, false, ours,
                          "the arithmetic of a remote atomic, in the NIC"),
        ISTHMUS_PARAMETER(nic, packet_bytes, "bytes", 16, 65536, true, paper,
                          "payload limit of a packet, 4 KB; longer bulk transfers are split"),
        ISTHMUS_PARAMETER(nic, descriptor_cycles, "cycles", 1, 10000, false, ours,
                          "RDMA alone: doorbell written and descriptor read from the core's cache; "
                          "a NIC on the chip"),
        ISTHMUS_PARAMETER(nic, completion_cycles, "cycles", 1, 10000, false, ours,
                          "RDMA alone: completion written and its line fetched by the core"),
        ISTHMUS_PARAMETER(simulation, seed, "", 0, kAny, false, ours,
                          "start of every random sequence"),
    };
    return rows;
}

#undef ISTHMUS_PARAMETER
#undef ISTHMUS_CHOICE

}  // namespace

std::span<const Parameter> parameters() {
    return table();
}

std::string_view source_name(ParameterSource source) {
    switch (source) {
        case paper: return "paper";
        case inferred: return "inferred";
        case ours: return "ours";
    }
    return "";
}

nlohmann::ordered_json machine_schema() {
    using Json = nlohmann::ordered_json;
    Json sections = Json::object();
    sections["name"] = {{"type", "string"}, {"description", "free text, repeated in reports"}};
    for (const Parameter& p : parameters()) {
        const auto dot = p.path.find('.');
        Json& section = sections[std::string(p.path.substr(0, dot))];
        if (section.is_null()) {
            section = {{"type", "object"},
                       {"additionalProperties", false},
                       {"required", Json::array()},
                       {"properties", Json::object()}};
        }
        const std::string key(p.path.substr(dot + 1));
        Json entry;
        if (!p.choices.empty()) {
            entry["enum"] = p.choices;
        } else {
            entry = {{"type", "integer"}, {"minimum", p.minimum}, {"maximum", p.maximum}};
            if (p.power_of_two) entry["x-power-of-two"] = true;
            if (!p.unit.empty()) entry["x-unit"] = p.unit;
        }
        entry["description"] = p.text;
        entry["x-source"] = source_name(p.source);
        section["required"].push_back(key);
        section["properties"][key] = std::move(entry);
    }
    Json required = Json::array();
    for (const auto& [key, value] : sections.items())
        required.push_back(key);
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Isthmus machine description"},
            {"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(sections)}};
}

std::string parameters_markdown() {
    MachineDescription machine = table3();
    std::string out =
        "| parameter | Table III machine | unit | range | source | meaning "
        "|\n|---|---|---|---|---|---|\n";
    for (const Parameter& p : parameters()) {
        const std::uint64_t value = p.member(machine);
        std::string shown, range;
        if (p.choices.empty()) {
            shown = std::to_string(value);
            range = p.maximum == kAny
                        ? "any"
                        : std::to_string(p.minimum) + ".." + std::to_string(p.maximum) +
                              (p.power_of_two ? ", power of two" : "");
        } else {
            shown = p.choices[value];
            for (std::string_view choice : p.choices)
                range += (range.empty() ? "" : ", ") + std::string(choice);
        }
        out += "| `" + std::string(p.path) + "` | " + shown + " | " + std::string(p.unit) + " | " +
               range + " | " + std::string(source_name(p.source)) + " | " + std::string(p.text) +
               " |\n";
    }
    return out;
}

}  // namespace isthmus::sim
