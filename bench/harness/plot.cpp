#include <fstream>

#include <unistd.h>

#include "harness/run.hpp"

namespace isthmus::bench {
namespace {

// Each row as its distance from the bound: what holds lies left of the line. Below that, the
// figures that rows belong to: ours as lines, the peers' dashed; or as bars, the peers' hatched.
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
def groups(points, value, label):
    for name in dict.fromkeys(label(r) for r in points if r[value] is not None):
        yield name, [r for r in points if r[value] is not None and label(r) == name]
def bars(axes, points):
    # Names of what is drawn, each with its value of a category, and whether it is a peer's.
    several = len({r["series"] for r in points}) > 1
    prefix = lambda r: r["series"] + ": " if several else ""
    drawn = [(name, {r["category"]: r["ours"] for r in rows}, False)
             for name, rows in groups(points, "ours", lambda r: r["series"])]
    drawn += [(name, {r["category"]: r["peer_value"] for r in rows}, True)
              for name, rows in groups(points, "peer_value", lambda r: prefix(r) + r["peer"])]
    categories = list(dict.fromkeys(r["category"] for r in points))
    # Side by side, and without gaps where a category has few of them.
    for at, category in enumerate(categories):
        here = [i for i, (_, values, _) in enumerate(drawn) if category in values]
        width = 0.8 / len(drawn)
        for k, i in enumerate(here):
            axes.bar(at + (k - (len(here) - 1) / 2) * width, drawn[i][1][category], width,
                     color=f"C{i}", hatch="//" if drawn[i][2] else None)
    axes.set_xticks(range(len(categories)), categories, rotation=30, ha="right")
    axes.legend([plot.Rectangle((0, 0), 1, 1, color=f"C{i}") for i in range(len(drawn))],
                [name for name, _, _ in drawn], fontsize=5)
def lines_of(axes, points):
    several = len({r["series"] for r in points}) > 1
    prefix = lambda r: r["series"] + ": " if several else ""
    for value, style, label in (("ours", "o-", lambda r: r["series"]),
                                ("peer_value", "x--", lambda r: prefix(r) + r["peer"])):
        for name, rows in groups(points, value, label):
            line = sorted({(r["x"], r[value]) for r in rows})
            axes.plot(*zip(*line), style, markersize=3, linewidth=1, label=name)
    axes.set_xscale("log", base=2)
    axes.legend(fontsize=5)
for index, name in enumerate(figures):
    axes = figure.add_subplot(grid[1 + index // 2, index % 2])
    points = [r for r in every if r.get("figure") == name]
    measured = [r for r in points if r["ours"] is not None or r["peer_value"] is not None]
    axes.set_title(name, fontsize=8)
    axes.set_ylabel(points[0]["unit"], fontsize=7)
    axes.tick_params(labelsize=6)
    if not measured:
        continue
    (bars if "category" in points[0] else lines_of)(axes, measured)
    # Shares may be nothing or less.
    if points[0]["unit"] != "%":
        axes.set_yscale("log")
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
