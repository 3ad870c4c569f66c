// Running a program of the group on the simulated machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/run.hpp"

namespace isthmus::bench {

inline constexpr const char* kNoCrossCompiler =
    "the build found no riscv64-linux-gnu-gcc (package gcc-riscv64-linux-gnu)";

// A simulator's command, which lies beside this one.
std::string simulator_tool(const char* name);
// A program for the machine; `folder` is how it was built: by a road, or plain.
std::string riscv_program(const Run& run, const std::string& folder, const std::string& name);

// The peer of most rows.
inline constexpr const char* kRdmaPeer = "RDMA NIC, same nodes";

enum class Road : unsigned char { xbgas, rdma };

// Of one run, all nodes together, between benchmark_begin and benchmark_end.
struct Counts {
    double program = 0, communication = 0, waiting = 0;
    double first_node = 0;  // communication of node 0
    // Waiting depends on how long others take, not on the software.
    double working() const { return program + communication; }
};

struct Timed {
    double nanoseconds = 0;  // as the program measured it, simulated time
    nlohmann::json report;   // of isthmus-timing
};

class SimulatedMachine {
  public:
    explicit SimulatedMachine(const Run& run) : run_(run) {}

    // Nothing if it could not be run or its result was wrong; why_not() then says why.
    std::optional<Counts> count(Road road, int nodes, const std::string& program,
                                const std::vector<std::string>& arguments);
    std::optional<Timed> time(Road road, int nodes, const std::string& program,
                              const std::vector<std::string>& arguments,
                              const std::vector<std::string>& options = {});

    // Without counting, by xBGAS: the report of isthmus-sim.
    std::optional<nlohmann::json> run_plain(int nodes, const std::string& program,
                                            const std::vector<std::string>& arguments = {});

    const std::string& why_not() const { return why_not_; }

  private:
    std::optional<std::string> simulate(const char* tool, Road road, int nodes,
                                        const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        std::vector<std::string> options);

    const Run& run_;
    std::string why_not_;
};

}  // namespace isthmus::bench
