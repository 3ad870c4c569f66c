#include <fstream>

#include <unistd.h>

#include "harness/run.hpp"

namespace isthmus::bench {
namespace {

// Each row as its distance from the bound: what holds lies left of the line. Below that, the
// figures that rows belong to: ours as lines, the peer's dashed.
constexpr const char* kScript = R"python(
import json, sys
try:
    import matplotlib
except ImportError:
    sys.exit("no matplotlib (package python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plot
every = json.load(open(sys.argv[1]))
rows = [r for r in every if r["ours"] and r["bound"]]
figures = list(dict.fromkeys(r["figure"] for r in every if "figure" in r))
def distance(row, value):
    over = value / row["bound"]
    if row["must"].startswith("<="):
        return over
    return 1 / over if row["must"].startswith(">=") else max(over, 1 / over)
height = 1 + 0.22 * len(rows)
lines = (len(figures) + 1) // 2
figure = plot.figure(figsize=(10, height + 4 * lines))
grid = figure.add_gridspec(1 + lines, 2, height_ratios=[height] + [4] * lines)
axes = figure.add_subplot(grid[0, :])
for y, row in enumerate(reversed(rows)):
    axes.barh(y, distance(row, row["ours"]), color="#3b7dd8" if row["holds"] else "#c0392b")
    if row["peer_value"]:
        axes.plot(distance(row, row["peer_value"]), y, "k|", markersize=8)
axes.set_yticks(range(len(rows)), [r["claim"] for r in reversed(rows)], fontsize=6)
axes.set_xscale("log")
axes.axvline(1, color="black", linewidth=0.8)
axes.set_xlabel("cost relative to the bound (left of 1 holds); | the peer")
for index, name in enumerate(figures):
    axes = figure.add_subplot(grid[1 + index // 2, index % 2])
    points = [r for r in every if r.get("figure") == name]
    for series in dict.fromkeys(r["series"] for r in points):
        for key, style in (("ours", "o-"), ("peer_value", "x--")):
            line = sorted((r["x"], r[key]) for r in points if r["series"] == series and r[key])
            if line:
                label = series if key == "ours" else series + ", paper"
                axes.plot(*zip(*line), style, markersize=3, linewidth=1, label=label)
    axes.set_title(name, fontsize=8)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylabel(points[0]["unit"], fontsize=7)
    axes.tick_params(labelsize=6)
    axes.legend(fontsize=5)
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=120)
)python";

}  // namespace

bool draw(const std::vector<Row>& rows, const std::string& file, std::string& reason) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Row& row : rows)
        json.push_back(to_json(row));
    // By file: there may be more rows than an argument may have bytes.
    const std::string rows_file = "/tmp/isthmus-bench-" + std::to_string(getpid()) + ".rows";
    std::ofstream(rows_file) << json.dump();
    Command command;
    command.arguments = {"python3", "-c", kScript, rows_file, file};
    const Finished finished = run_command(command);
    unlink(rows_file.c_str());
    reason = finished.last_words();
    return finished.succeeded();
}

}  // namespace isthmus::bench
