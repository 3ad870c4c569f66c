#!/usr/bin/env python3
"""Pictures of a simulated machine's counters.

Reads the JSON that ``isthmus-timing --stats`` or ``isthmus-network --json`` writes and draws

* ``links``    how busy each link of the mesh was (arrows between routers, coloured by flits per cycle),
* ``latency``  histograms of remote operations or packets,
* ``curve``    latency and accepted throughput over offered load (isthmus-network only),
* ``stalls``   where the cores' cycles went (isthmus-timing only).

Needs matplotlib. Exit status: 0 done, 1 the file does not hold what the picture needs or the picture cannot be
written.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

DIRECTIONS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class ReportError(Exception):
    """The report does not hold what a picture needs; the text says what is missing."""


def load_report(path: Path) -> dict[str, Any]:
    """Reads a report.

    Raises:
        ReportError: the file cannot be read or is not a report.
    """
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: {error}") from error
    if not isinstance(report, dict) or "machine" not in report:
        raise ReportError(f"{path}: not a report of isthmus-timing or isthmus-network: no key \"machine\"")
    return report


def links_of(report: dict[str, Any]) -> tuple[list[dict[str, int]], int]:
    """Returns the routers' link counters and the number of cycles; of a curve, those of its last point."""
    holder = report["curve"][-1] if report.get("curve") else report
    if "links" not in holder:
        raise ReportError("the report has no key \"links\"")
    return holder["links"], max(1, holder["cycles"])


def histograms_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the latency histograms that hold something, by name."""
    if report.get("curve"):
        found = {f"load {point['load']:g}": point["latency"] for point in report["curve"]}
    else:
        found = dict(report.get("remote_latency", {}))
    found = {name: histogram for name, histogram in found.items() if histogram["count"]}
    if not found:
        raise ReportError("the report has no latencies: no remote operation was made")
    return found


def draw_links(report: dict[str, Any], axes: Any) -> None:
    """Draws each link as an arrow, coloured by its use."""
    from matplotlib import cm, colormaps, colors

    links, cycles = links_of(report)
    width, height = report["machine"]["mesh"]["width"], report["machine"]["mesh"]["height"]
    peak = max(link[name] for link in links for name in DIRECTIONS) / cycles
    scale = colors.Normalize(0, max(peak, 1e-9))
    palette = colormaps["viridis"]
    for link in links:
        x, y = link["x"], link["y"]
        for name, (dx, dy) in DIRECTIONS.items():
            if not (0 <= x + dx < width and 0 <= y + dy < height):
                continue
            # The two directions of a pair lie side by side.
            side_x, side_y = 0.09 * -dy, 0.09 * dx
            axes.annotate("", xy=(x + 0.82 * dx + side_x, y + 0.82 * dy + side_y),
                          xytext=(x + 0.18 * dx + side_x, y + 0.18 * dy + side_y),
                          arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": palette(scale(link[name] / cycles))})
        axes.plot(x, y, "s", color="0.85", markersize=max(3, 90 / max(width, height)), zorder=0)
    axes.set_xlim(-0.6, width - 0.4)
    axes.set_ylim(height - 0.4, -0.6)
    axes.set_aspect("equal")
    axes.set_title(f"link use, busiest {peak:.3f} flits per cycle")
    axes.figure.colorbar(cm.ScalarMappable(norm=scale, cmap=palette), ax=axes, label="flits per cycle")


def staircase(steps: list[list[int]], count: int) -> tuple[list[int], list[float]]:
    """The outline of a histogram: edges, and the share from each on. A step is one cycle wide below 16, then a
    sixteenth of its octave; those with nothing in them are not in the report."""
    edges: list[int] = []
    shares: list[float] = []
    for lower, values in steps:
        if edges and edges[-1] == lower:
            shares[-1] = values / count
        else:
            edges += [lower, lower]
            shares += [0, values / count]
        edges.append(lower + (1 << max(0, lower.bit_length() - 5)))
        shares.append(0)
    return edges, shares


def draw_latency(report: dict[str, Any], axes: Any) -> None:
    """Draws the latency histograms as shares."""
    for name, histogram in histograms_of(report).items():
        edges, shares = staircase(histogram["steps"], histogram["count"])
        axes.step(edges, shares, where="post", label=f"{name}, mean {histogram['mean']:.0f}")
    axes.set_xscale("log")
    axes.set_xlabel("cycles")
    axes.set_ylabel("share")
    axes.legend()
    axes.set_title("latency")


def draw_curve(report: dict[str, Any], axes: Any) -> None:
    """Draws mean latency and accepted throughput over offered load."""
    points = report.get("curve")
    if not points:
        raise ReportError("the report has no key \"curve\"; it comes from isthmus-network --json")
    offered = [point["offered"] for point in points]
    axes.plot(offered, [point["latency"]["mean"] for point in points], "o-", label="mean latency")
    axes.set_yscale("log")
    axes.set_xlabel("offered, flits per node and cycle")
    axes.set_ylabel("cycles")
    other = axes.twinx()
    other.plot(offered, [point["accepted"] for point in points], "s--", color="tab:orange", label="accepted")
    other.axhline(report["bound"], color="0.6", linestyle=":", label="bound of the busiest link")
    other.set_ylabel("accepted, flits per node and cycle")
    lines = axes.get_lines() + other.get_lines()
    axes.legend(lines, [line.get_label() for line in lines], loc="upper left")
    axes.set_title(points[0]["pattern"])


def draw_stalls(report: dict[str, Any], axes: Any) -> None:
    """Draws, node by node, what the cores' cycles were spent on."""
    nodes = report.get("nodes")
    if not nodes:
        raise ReportError("the report has no key \"nodes\"; it comes from isthmus-timing --stats")
    below = [0.0] * len(nodes)
    parts = {"instructions": [node["instructions"] for node in nodes]}
    for cause in nodes[0]["stalls"]:
        parts[cause] = [node["stalls"][cause] for node in nodes]
    for name, values in parts.items():
        if not any(values):
            continue
        axes.bar(range(len(nodes)), values, bottom=below, label=name, width=1.0)
        below = [a + b for a, b in zip(below, values)]
    axes.set_xlabel("node")
    axes.set_ylabel("cycles")
    axes.legend(fontsize="small")
    axes.set_title("cycles of the cores")


PICTURES = {"links": draw_links, "latency": draw_latency, "curve": draw_curve, "stalls": draw_stalls}


def main() -> int:
    """Parses the command line and draws one picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", choices=PICTURES)
    parser.add_argument("report", type=Path, help="JSON file")
    parser.add_argument("output", type=Path, help="picture to write: .png, .svg or .pdf")
    arguments = parser.parse_args()
    try:
        import matplotlib
    except ImportError:
        print("plot.py: matplotlib is not installed (Debian: python3-matplotlib)", file=sys.stderr)
        return 1
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 6), layout="constrained")
    try:
        PICTURES[arguments.picture](load_report(arguments.report), axes)
    except ReportError as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 1
    try:
        figure.savefig(arguments.output, dpi=120)
    except (OSError, ValueError) as error:
        # ValueError: a format that the library does not know.
        print(f"plot.py: {arguments.output}: cannot be written: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
