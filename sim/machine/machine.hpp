// The machine description: every number the timing model uses, in one struct, read from one JSON
// file.
//
// The nouns: a *machine* is a mesh of *nodes*; a node is one in-order core, its caches and
// directory, one memory controller, a namespace lookaside buffer and a network interface (NIC). All
// times are core cycles unless a name says otherwise. sim/machine/parameters.cpp lists each
// parameter with range, unit and source.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus::sim {

/// A point in simulated time, in core clock cycles since reset.
using Cycle = std::uint64_t;
/// Later than anything that happens.
inline constexpr Cycle kNever = ~Cycle{0};
/// Node number: row-major, node = y * width + x.
using NodeId = std::uint32_t;

enum class BranchPredictorKind : std::uint64_t { fixed, bimodal, gshare };
/// Whether programs without page tables of their own pay for translation.
enum class EmulatedPages : std::uint64_t { off, sv39 };
enum class EmulatedPageSize : std::uint64_t { k4, m2, g1 };
enum class DramScheduler : std::uint64_t { fcfs, fr_fcfs };

/// Everything that shapes a machine. Plain data; all parameters are 64-bit so that one table can
/// describe them.
struct MachineDescription {
    std::string name;
    std::vector<std::string> settings;  ///< what set_parameter() changed, for messages

    struct Mesh {
        std::uint64_t width, height;
    } mesh{};

    struct Core {
        std::uint64_t clock_mhz;
        std::uint64_t mispredict_cycles;
        std::uint64_t multiply_cycles, divide_cycles;
        std::uint64_t float_cycles, float_divide_cycles;
        std::uint64_t system_cycles;
        std::uint64_t load_misses, store_buffer, remote_loads;
    } core{};

    struct Branch {
        std::uint64_t predictor;  // BranchPredictorKind
        std::uint64_t entries, history_bits, target_entries, return_stack;
    } branch{};

    struct Cache {
        std::uint64_t bytes, ways, hit_cycles;
    } l1_instruction{}, l1_data{}, l2{};

    struct Directory {
        std::uint64_t line_bytes, lookup_cycles, probe_cycles, occupancy_cycles, return_cycles;
    } directory{};

    struct Mmu {
        std::uint64_t emulated, emulated_page;  // EmulatedPages, EmulatedPageSize
        std::uint64_t l1_instruction_entries, l1_instruction_ways, l1_data_entries, l1_data_ways;
        std::uint64_t l2_entries, l2_ways, l2_hit_cycles, walk_cycles;
        std::uint64_t target_entries, target_ways, target_hit_cycles;
    } mmu{};

    struct Nlb {
        std::uint64_t entries, hit_cycles, table_entries;
    } nlb{};

    struct Memory {
        std::uint64_t base, mebibytes;
        std::uint64_t clock_mhz;
        std::uint64_t bank_groups, banks_per_group, row_bytes;
        std::uint64_t scheduler;  // DramScheduler
        std::uint64_t queue_entries, write_high, write_low, starvation_clocks;
        // JEDEC names, in memory clocks.
        std::uint64_t cl, cwl, burst, t_rcd, t_rp, t_ras, t_rrd_s, t_rrd_l, t_faw, t_ccd_s, t_ccd_l,
            t_wtr_s, t_wtr_l, t_wr, t_rtp, t_refi, t_rfc;
    } memory{};

    struct Network {
        std::uint64_t flit_bits, virtual_channels, message_classes, buffer_flits;
        std::uint64_t router_cycles, link_cycles, credit_cycles;
        std::uint64_t header_flits, address_flits;
    } network{};

    struct Nic {
        std::uint64_t transmit_cycles, receive_cycles, outstanding, atomic_cycles, packet_bytes;
        std::uint64_t descriptor_cycles, completion_cycles;
    } nic{};

    struct Simulation {
        std::uint64_t seed;
    } simulation{};

    std::uint64_t nodes() const { return mesh.width * mesh.height; }
    std::uint64_t flit_bytes() const { return network.flit_bits / 8; }
    std::uint64_t memory_bytes() const { return memory.mebibytes << 20; }
    /// Physical address of the namespace table: the last bytes of the node's memory.
    std::uint64_t namespace_table_base() const;
};

/// Where a number comes from.
enum class ParameterSource {
    paper,     ///< stated in the xBGAS paper
    inferred,  ///< follows from something the paper states
    ours,      ///< the paper is silent; a usual value for hardware of this class
};

/// One row of the table of parameters.
struct Parameter {
    std::string_view path;  ///< "section.key"
    std::string_view unit;
    std::uint64_t minimum, maximum;
    bool power_of_two;
    ParameterSource source;
    std::string_view text;
    std::uint64_t& (*member)(MachineDescription&);
    std::vector<std::string_view> choices{};  ///< non-empty: the value is one of these words
};

/// All parameters, in the order of the file.
std::span<const Parameter> parameters();
std::string_view source_name(ParameterSource source);

/// A description that cannot be used. The text names the file, the line, the key and the legal
/// range.
class MachineError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Reads a description. Every parameter must be present, once; unknown keys are errors that name
/// a known key that is near, or what keys there are. `origin` is what error messages call the text
/// (a file name). Call check_machine when nothing more is changed. Throws MachineError.
MachineDescription parse_machine(std::string_view text, std::string_view origin);
/// As parse_machine, from a file; kTable3Name where there is no such file is table3().
inline constexpr const char* kTable3Name = "table3.json";
MachineDescription load_machine(const std::string& file);
/// The machine of Table III of the paper (sim/machine/table3.json, compiled in).
MachineDescription table3();
std::string_view table3_text();

/// Changes one parameter: "network.link_cycles=2". Call check_machine after the last one. Throws
/// MachineError.
void set_parameter(MachineDescription& machine, std::string_view assignment);
/// Rules that concern more than one parameter (cache shapes, queue marks). Throws MachineError,
/// which names `file` and what was set since.
void check_machine(const MachineDescription& machine, std::string_view file);

/// The description as the file would say it.
nlohmann::ordered_json machine_to_json(const MachineDescription& machine);
/// JSON Schema (draft 2020-12) with range, unit and source of each parameter:
/// sim/machine/machine.schema.json.
nlohmann::ordered_json machine_schema();
/// The table of docs/machine.md, in Markdown.
std::string parameters_markdown();

}  // namespace isthmus::sim
