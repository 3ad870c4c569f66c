// How what is saved depends on what the paper does not state: the NIC's costs, the network's
// delays, the operations under way, the size of the problem, the payload. Rows without bounds: they
// are curves, and those where the RDMA NIC wins are below 0.
#include <functional>

#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/share.hpp"

namespace isthmus::bench {
namespace {

struct Program {
    const char* name;
    const char* program;
    std::vector<std::string> arguments;
};

const Program kPrograms[] = {{"GUPS", "gups", {}},
                             {"gather", "scatter", {"--gather", "1"}},
                             {"gather by get_nbi", "scatter", {"--gather", "3"}},
                             {"IS", "is", {}},
                             {"CG", "cg", {}}};

class Curves {
  public:
    explicit Curves(Run& run) : run_(run), machine_(run), nodes_(run.options().quick ? 4 : 16) {}

    void add(const Program& program, const char* what, const std::string& figure, double x,
             const std::vector<std::string>& settings) {
        std::vector<std::string> options;
        for (const std::string& setting : settings)
            options.insert(options.end(), {"--set", setting});
        add_pair(program, what, figure, x, [&](Road road) {
            return machine_.time(road, nodes_, program.program, program.arguments, options);
        });
    }
    void add_size(const Program& program, const std::string& flag, int size) {
        std::vector<std::string> arguments = program.arguments;
        arguments.insert(arguments.end(), {flag, std::to_string(size)});
        add_pair(
            program, "elements of a node", "Run time saved by size of the problem", size,
            [&](Road road) { return machine_.time(road, nodes_, program.program, arguments); });
    }
    void add_payload(int bytes) {
        const Program put{"put, one at a time", "micro", {}};
        add_pair(put, "bytes", "Run time saved by payload", bytes, [&](Road road) {
            return machine_.time(road, nodes_, "micro",
                                 {"--operation", "put", "--bytes", std::to_string(bytes), "--count",
                                  "50", "--each", "1"});
        });
    }
    bool quick() const { return run_.options().quick; }
    void progress(const char* text) { run_.progress(text); }

  private:
    void add_pair(const Program& program, const char* what, const std::string& figure, double x,
                  const std::function<std::optional<Timed>(Road)>& time) {
        const auto ours = time(Road::xbgas), theirs = time(Road::rdma);
        Row row;
        row.claim = std::string("run time saved, ") + program.name + " on " +
                    std::to_string(nodes_) + " nodes, " + number_text(x) + " " + what;
        row.unit = "%";
        row.peer = kRdmaPeer;
        row.reason = machine_.why_not();
        row.figure = figure;
        row.series = program.name;
        row.x = x;
        if (ours && theirs) {
            row.ours = saved(ours->nanoseconds, theirs->nanoseconds);
            row.method = number_text(ours->nanoseconds / 1e3) + " and " +
                         number_text(theirs->nanoseconds / 1e3) + " us simulated";
        }
        run_.add(row);
    }

    Run& run_;
    SimulatedMachine machine_;
    const int nodes_;
};

std::string setting(const char* key, int value) {
    return std::string(key) + "=" + std::to_string(value);
}

}  // namespace

void measure_sensitivity(Run& run) {
    Curves curves(run);
    const auto values = [&](std::initializer_list<int> all) {
        return curves.quick() ? std::vector<int>{*all.begin(), *(all.end() - 1)}
                              : std::vector<int>(all);
    };
    for (const Program& program : kPrograms) {
        curves.progress(program.name);
        for (const int cycles : values({1, 10, 30, 100, 300, 1000}))
            curves.add(program, "cycles of the RDMA NIC's each for descriptor and completion",
                       "Run time saved by the RDMA NIC's cost", cycles,
                       {setting("nic.descriptor_cycles", cycles),
                        setting("nic.completion_cycles", cycles)});
        for (const int cycles : values({1, 3, 8, 16}))
            curves.add(program, "cycles of a router", "Run time saved by the router's delay",
                       cycles, {setting("network.router_cycles", cycles)});
        for (const int cycles : values({1, 8, 32}))
            curves.add(program, "cycles of a link", "Run time saved by the link's delay", cycles,
                       {setting("network.link_cycles", cycles)});
        for (const int most : values({1, 4, 16, 64}))
            curves.add(program, "operations under way", "Run time saved by operations under way",
                       most, {setting("nic.outstanding", most)});
        // Pages of 4 KB, at the core and at the target of every access, by either road.
        for (const int cycles : values({1, 10, 100}))
            curves.add(program, "cycles of a translation at the target",
                       "Run time saved by the target's translation", cycles,
                       {"mmu.emulated=sv39", setting("mmu.target_hit_cycles", cycles)});
        for (const int loads : values({1, 16}))
            curves.add(program, "remote loads under way behind page tables",
                       "Run time saved with translation, by remote loads", loads,
                       {"mmu.emulated=sv39", setting("core.remote_loads", loads)});
    }
    curves.progress("sizes of the problem");
    for (const int keys : values({512, 2048, 8192}))
        curves.add_size({"IS", "is", {}}, "--count", keys);
    for (const int pairs : values({256, 1024, 4096}))
        curves.add_size({"EP", "ep", {}}, "--count", pairs);
    for (const int rows : values({32, 128, 256}))
        curves.add_size({"CG", "cg", {}}, "--count", rows);
    curves.progress("payloads");
    for (const int bytes : values({1, 8, 64, 512, 4096, 65536}))
        curves.add_payload(bytes);
}

}  // namespace isthmus::bench
