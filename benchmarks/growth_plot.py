"""Draws the curves of `growth.py` as SVG: seconds over rows, and over files, both axes logarithmic.

Invariants:
* Runs in an environment that has matplotlib and nothing of flakeledger: it reads numbers and writes one file.
* The background is light, so that the plot can be read on a dark page as well; words stay words, and the same numbers
  give the same bytes.

Run: python growth_plot.py NUMBERS.json PLOT.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

from matplotlib import pyplot

TITLES = {"rows": "rows of freezes.yaml (1,000 files)", "files": "files of the repository (300 rows)"}


def main() -> None:
    """Draw."""
    numbers, plot = map(Path, sys.argv[1:])
    curves = json.loads(numbers.read_text(encoding="utf-8"))
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "flakeledger", "font.family": "sans-serif"})
    figure, panels = pyplot.subplots(1, len(TITLES), figsize=(12, 5), sharey=True, facecolor="white")
    for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
        for (curve, points), mark in zip(curves[name].items(), "osv^Dxp", strict=False):
            axes.plot(
                [int(number) for number in points], list(points.values()), marker=mark, label=curve.replace("`", "")
            )
        axes.set(xscale="log", yscale="log", xlabel=title)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8)
    panels[0].set_ylabel("seconds, as a process")
    figure.tight_layout()
    figure.savefig(plot, metadata={"Date": None})


if __name__ == "__main__":
    main()
