#include <fstream>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "harness/run.hpp"

namespace isthmus::bench {
namespace {

// Each row as its distance from the bound: what holds lies left of the line. Below that, the
// figures that rows belong to: ours as lines, the peers' dashed; or as bars, the peers' hatched.
constexpr const char* kScript = R"python(
import json, re, sys
try:
    import matplotlib
except ImportError:
    sys.exit("no matplotlib (package python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plot
every = json.load(open(sys.argv[1]))
rows = [r for r in every if r["ours"] and r["bound"]]
figures = sorted(dict.fromkeys(r["figure"] for r in every if "figure" in r),
                 key=lambda name: (name.split()[0], [int(n) for n in re.findall(r"\d+", name)[:1]]))
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
place = lambda r: r.get("category", r.get("x"))
# What is drawn: a name, values by place, and whether they are a peer's.
def drawn_of(points):
    drawn = []
    for name in dict.fromkeys(r["series"] for r in points if r["ours"] is not None):
        rows = [r for r in points if r["series"] == name and r["ours"] is not None]
        drawn.append((name, {place(r): r["ours"] for r in rows}, False))
    for peer in dict.fromkeys(r["peer"] for r in points if r["peer_value"] is not None):
        rows = [r for r in points if r["peer"] == peer and r["peer_value"] is not None]
        # One for all series, if it is the same beside each.
        if len({(place(r), r["peer_value"]) for r in rows}) == len({place(r) for r in rows}):
            drawn.append((peer, {place(r): r["peer_value"] for r in rows}, True))
            continue
        for name in dict.fromkeys(r["series"] for r in rows):
            values = {place(r): r["peer_value"] for r in rows if r["series"] == name}
            drawn.append((name + ": " + peer, values, True))
    return drawn
def bars(axes, points):
    drawn = drawn_of(points)
    categories = list(dict.fromkeys(r["category"] for r in points))
    # Side by side, and without gaps where a category has few of them.
    for at, category in enumerate(categories):
        here = [i for i, (_, values, _) in enumerate(drawn) if category in values]
        width = 0.8 / len(drawn)
        for k, i in enumerate(here):
            axes.bar(at + (k - (len(here) - 1) / 2) * width, drawn[i][1][category], width,
                     color=f"C{i}", hatch="//" if drawn[i][2] else None)
    axes.margins(y=0.3)
    axes.set_xticks(range(len(categories)), categories, rotation=30, ha="right")
    axes.legend([plot.Rectangle((0, 0), 1, 1, color=f"C{i}") for i in range(len(drawn))],
                [name for name, _, _ in drawn], fontsize=5)
def curves(axes, points):
    for name, values, is_peer in drawn_of(points):
        axes.plot(*zip(*sorted(values.items())), "x--" if is_peer else "o-", markersize=3,
                  linewidth=1, label=name)
    axes.set_xscale("log", base=2)
    axes.legend(fontsize=5)
for index, name in enumerate(figures):
    axes = figure.add_subplot(grid[1 + index // 2, index % 2])
    points = [r for r in every if r.get("figure") == name]
    measured = [r for r in points if r["ours"] is not None or r["peer_value"] is not None]
    axes.set_title(name, fontsize=8)
    axes.set_ylabel(points[0]["unit"], fontsize=7)
    axes.tick_params(which="both", labelsize=6)
    if not measured:
        continue
    if "category" in points[0]:
        bars(axes, measured)
        continue
    curves(axes, measured)
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
