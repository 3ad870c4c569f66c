#include "sim/report/report.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

namespace isthmus::sim {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, static_cast<std::size_t>(TimingClass::count)> kClassNames = {
    "integer", "multiply", "divide", "float",  "float_divide", "load",  "store", "atomic",
    "branch",  "jump",     "call",   "return", "system",       "fence", "remote"};
constexpr std::array<std::string_view, static_cast<std::size_t>(StallCause::count)> kStallNames = {
    "fetch",     "mispredict", "operand", "remote",  "miss_slots", "store_buffer",
    "nic_slots", "fence",      "unit",    "service", "translation"};
constexpr std::array<std::string_view, 5> kRemoteNames = {"load", "store", "atomic", "bulk_get",
                                                          "bulk_put"};
constexpr std::array<std::string_view, kPorts> kPortNames = {"north", "east", "south", "west",
                                                             "local"};

template <std::size_t kSize>
Json named(const std::array<std::string_view, kSize>& names,
           const std::array<std::uint64_t, kSize>& values) {
    Json out = Json::object();
    for (std::size_t i = 0; i < kSize; ++i)
        out[std::string(names[i])] = values[i];
    return out;
}

Json node_json(const TimingNode& node) {
    const CoreStatistics& core = node.core().statistics();
    const BranchStatistics& branch = node.core().branches();
    const CacheStatistics& cache = node.memory().statistics();
    const DramStatistics& dram = node.memory().dram().statistics();
    const NicStatistics& nic = node.nic().statistics();
    const NlbStatistics& nlb = node.nic().nlb_statistics();
    Json out;
    out["instructions"] = core.instructions_in_all();
    out["classes"] = named(kClassNames, core.instructions);
    out["stalls"] = named(kStallNames, core.stalls);
    out["branch"] = {{"branches", branch.branches},
                     {"jumps", branch.jumps},
                     {"mispredicted", branch.mispredicted}};
    out["cache"] = {{"instruction_misses", cache.instruction_misses},
                    {"data_misses", cache.data_misses},
                    {"upgrades", cache.upgrades},
                    {"l2_hits", cache.l2_hits},
                    {"l2_misses", cache.l2_misses},
                    {"probes", cache.probes},
                    {"writebacks", cache.writebacks},
                    {"remote_reads", cache.remote_reads},
                    {"remote_writes", cache.remote_writes},
                    {"remote_hits", cache.remote_hits}};
    const TranslationStatistics& translation = node.core().translations();
    out["translation"] = {{"instruction_misses", translation.instruction_misses},
                          {"data_misses", translation.data_misses},
                          {"l2_hits", translation.l2_hits},
                          {"walks", translation.walks},
                          {"walk_reads", translation.walk_reads},
                          {"fences", translation.fences},
                          {"request_hits", nic.translation_hits},
                          {"request_misses", nic.translation_misses},
                          {"request_reads", nic.translation_reads}};
    out["dram"] = {{"reads", dram.reads},
                   {"writes", dram.writes},
                   {"merged_writes", dram.merged_writes},
                   {"forwarded_reads", dram.forwarded_reads},
                   {"row_hits", dram.row_hits},
                   {"activates", dram.activates},
                   {"precharges", dram.precharges},
                   {"refreshes", dram.refreshes},
                   {"read_clocks", dram.read_clocks}};
    out["nlb"] = {{"hits", nlb.hits},
                  {"misses", nlb.misses},
                  {"evictions", nlb.evictions},
                  {"table_reads", nlb.table_reads},
                  {"unmapped", nlb.unmapped}};
    out["nic"] = {{"operations", named(kRemoteNames, nic.operations)},
                  {"faults", nic.faults},
                  {"loopbacks", nic.loopbacks},
                  {"packets", nic.packets},
                  {"header_flits", nic.header_flits},
                  {"address_flits", nic.address_flits},
                  {"payload_flits", nic.payload_flits},
                  {"payload_bytes", nic.payload_bytes},
                  {"served_reads", nic.served_reads},
                  {"served_writes", nic.served_writes},
                  {"served_atomics", nic.served_atomics},
                  {"served_bytes", nic.served_bytes},
                  {"peak_outstanding", nic.peak_outstanding}};
    return out;
}

/// Adds the numbers of `from` to those of `to`, object by object. Of peaks the highest stays.
void add(Json& to, const Json& from) {
    for (const auto& [key, value] : from.items()) {
        if (value.is_object()) {
            add(to[key], value);
            continue;
        }
        const auto before = to[key].is_null() ? std::uint64_t{0} : to[key].get<std::uint64_t>();
        const auto more = value.get<std::uint64_t>();
        to[key] = key.starts_with("peak_") ? std::max(before, more) : before + more;
    }
}

}  // namespace

Json report(const TimingSimulator& simulator) {
    Json out;
    out["machine"] = machine_to_json(simulator.machine());
    out["cycles"] = simulator.now();
    Json total = Json::object(), nodes = Json::array(), links = Json::array();
    std::array<Histogram, 5> latency;
    for (const auto& node : simulator.nodes()) {
        nodes.push_back(node_json(*node));
        add(total, nodes.back());
        for (std::size_t i = 0; i < latency.size(); ++i)
            latency[i].merge(node->nic().statistics().latency[i]);
        const RouterStatistics& router = simulator.mesh().statistics(node->id());
        Json link = named(kPortNames, router.link_flits);
        link["x"] = node->id() % simulator.mesh().width();
        link["y"] = node->id() / simulator.mesh().width();
        link["injected_flits"] = router.injected_flits;
        link["ejected_flits"] = router.ejected_flits;
        link["credit_stalls"] = router.credit_stalls;
        link["switch_stalls"] = router.switch_stalls;
        link["peak_buffer"] = router.peak_buffer;
        links.push_back(std::move(link));
    }
    const auto cycles = static_cast<double>(std::max<Cycle>(simulator.now(), 1));
    total["instructions_per_cycle_and_node"] = static_cast<double>(simulator.instructions()) /
                                               cycles /
                                               static_cast<double>(simulator.nodes().size());
    out["total"] = std::move(total);
    for (std::size_t i = 0; i < latency.size(); ++i) {
        out["remote_latency"][std::string(kRemoteNames[i])] = latency[i].to_json();
    }
    out["nodes"] = std::move(nodes);
    out["links"] = std::move(links);
    return out;
}

Json host_report(const TimingSimulator& simulator) {
    const SimulatorStatistics& s = simulator.statistics();
    const double seconds = std::max(s.seconds, 1e-9);
    return {{"seconds", s.seconds},
            {"instructions_per_second", static_cast<double>(simulator.instructions()) / seconds},
            {"cycles_per_second", static_cast<double>(simulator.now()) / seconds},
            {"windows", s.windows},
            {"network_cycles", s.network_cycles},
            {"parallel_network_windows", s.parallel_network_windows},
            {"lopsided_windows", s.lopsided_windows},
            {"skipped_cycles", s.skipped_cycles}};
}

Timeline::Timeline(TimingSimulator& simulator, std::size_t limit)
    : simulator_(simulator),
      clock_mhz_(simulator.machine().core.clock_mhz),
      records_(simulator.nodes().size()) {
    for (auto& node : simulator.nodes()) {
        std::vector<OperationRecord>& records = records_[node->id()];
        records.reserve(std::min<std::size_t>(limit, 1024));
        node->nic().record_operations(&records, limit);
    }
}

std::size_t Timeline::size() const {
    std::size_t sum = 0;
    for (const auto& records : records_)
        sum += records.size();
    return sum;
}

std::size_t Timeline::left_out() const {
    std::size_t ended = 0;
    for (const auto& node : simulator_.nodes()) {
        for (const Histogram& latency : node->nic().statistics().latency)
            ended += latency.count();
    }
    return ended - size();
}

void Timeline::write(std::ostream& out) const {
    const auto microseconds = [&](Cycle cycle) {
        return static_cast<double>(cycle) / static_cast<double>(clock_mhz_);
    };
    out << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"operations_left_out\":" << left_out()
        << "},\"traceEvents\":[";
    bool first = true;
    const auto event = [&](const Json& json) {
        out << (first ? "\n" : ",\n") << json.dump();
        first = false;
    };
    std::uint64_t id = 0;
    for (std::size_t node = 0; node < records_.size(); ++node) {
        if (records_[node].empty()) continue;
        event({{"ph", "M"},
               {"pid", node},
               {"name", "process_name"},
               {"args", {{"name", "node " + std::to_string(node)}}}});
        for (const OperationRecord& r : records_[node]) {
            const Json shared = {{"cat", "remote"},
                                 {"name", kRemoteNames[static_cast<std::size_t>(r.kind)]},
                                 {"id", id++},
                                 {"pid", node},
                                 {"tid", 0}};
            Json begin = shared, end = shared;
            begin["ph"] = "b";
            begin["ts"] = microseconds(r.start);
            begin["args"] = {{"target", r.target}, {"bytes", r.bytes}};
            end["ph"] = "e";
            end["ts"] = microseconds(r.end);
            event(begin);
            event(end);
        }
    }
    out << "\n]}\n";
}

}  // namespace isthmus::sim
