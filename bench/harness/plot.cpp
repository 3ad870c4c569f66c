#include "harness/run.hpp"

namespace isthmus::bench {
namespace {

// Each row as its distance from the bound: what holds lies left of the line.
constexpr const char* kScript = R"python(
import json, sys
try:
    import matplotlib
except ImportError:
    sys.exit("no matplotlib (package python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plot
rows = [r for r in json.loads(sys.argv[1]) if r["ours"] and r["bound"]]
def distance(row, value):
    return value / row["bound"] if row["must"].startswith("<=") else row["bound"] / value
figure, axes = plot.subplots(figsize=(10, 1 + 0.22 * len(rows)))
for y, row in enumerate(reversed(rows)):
    axes.barh(y, distance(row, row["ours"]), color="#3b7dd8" if row["holds"] else "#c0392b")
    if row["peer_value"]:
        axes.plot(distance(row, row["peer_value"]), y, "k|", markersize=8)
axes.set_yticks(range(len(rows)), [r["claim"] for r in reversed(rows)], fontsize=6)
axes.set_xscale("log")
axes.axvline(1, color="black", linewidth=0.8)
axes.set_xlabel("cost relative to the bound (left of 1 holds); | the peer")
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=120)
)python";

}  // namespace

bool draw(const std::vector<Row>& rows, const std::string& file, std::string& reason) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Row& row : rows)
        json.push_back(to_json(row));
    Command command;
    command.arguments = {"python3", "-c", kScript, json.dump(), file};
    const Finished finished = run_command(command);
    reason = finished.last_words();
    return finished.succeeded();
}

}  // namespace isthmus::bench
