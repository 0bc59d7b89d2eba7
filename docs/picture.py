# SPDX-License-Identifier: Apache-2.0
"""The picture of `README.md`: who gets a line when a second download joins, drawn from the folder of a comparison.

    narrows compare cubic bbr1 vegas --scenario bbr-beside-cubic --set flows.contender.start=20s --out shares
    python docs/picture.py shares

The areas are the goodputs of the first replication, the percentages the means of all. A test runs both commands and
compares what they write with the file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import narrows as nw
from narrows._internal.drawing.svg import Markup, element, means, number, ring
from narrows._internal.opened.folder import OpenedComparison

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

PLACE = Path(__file__).with_suffix(".svg")
# Each algorithm of the second download, and what it is called above its panel.
PANELS = {"cubic": "CUBIC", "bbr1": "BBR", "vegas": "Vegas"}
FIRST, SECOND = "cubic", "contender"
TITLE = "One download fills a line of 20 Mbps. After 20 seconds a second one joins."
QUESTION = "Who gets the line?"
STYLE = """\
text{font:16px system-ui,-apple-system,"Segoe UI","Noto Sans","Liberation Sans",sans-serif;fill:#1c2025}
.paper{fill:#fcfcfa}.first{fill:#b9c3cf}.second{fill:#d9541e}.line{stroke:#1c2025;stroke-width:1.5}
.head{font-size:20px}.question{font-size:20px;font-weight:700}.name{font-weight:700}
.share{font-size:30px;font-weight:700;text-anchor:middle}.on{fill:#fff}.inner{fill:#1c2025}.tick{font-size:13px}
@media(prefers-color-scheme:dark){.paper{fill:#14171b}text{fill:#e7e9eb}.line{stroke:#e7e9eb}.inner{fill:#1c2025}
.on{fill:#fff}}"""
WIDTH, HEIGHT = 880.0, 330.0
LEFT, TOP, GAP = 20.0, 108.0, 20.0
WIDE, TALL = (WIDTH - 2 * LEFT - (len(PANELS) - 1) * GAP) / len(PANELS), 180.0
BIN_S = 1.0
# A part of the line that has no room for its percentage inside gets it above the other's.
LEAST_WITH_TEXT = 0.25


def picture(comparison: OpenedComparison) -> str:
    """Return the picture.

    Args:
        comparison: The opened folder of the first command above.
    """
    panels = [_panel(comparison, name, LEFT + at * (WIDE + GAP)) for at, name in enumerate(PANELS)]
    svg = element(
        "svg",
        element("title", f"{TITLE} {QUESTION}"),
        element("style", Markup(STYLE)),
        element("rect", class_="paper", width="100%", height="100%"),
        element("text", TITLE, class_="head", x=LEFT, y=32.0),
        element("text", QUESTION, class_="question", x=LEFT, y=60.0),
        *panels,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(WIDTH)} {number(HEIGHT)}",
        role="img",
        aria_label=f"{TITLE} {QUESTION}",
    )
    return f"{svg}\n"


def _panel(comparison: OpenedComparison, algorithm: str, left: float) -> Markup:
    groups = comparison.summary["algorithms"][algorithm]["groups"]
    goodputs = [float(groups[each]["goodput_bps"]["mean"]) for each in (FIRST, SECOND)]
    share = goodputs[1] / sum(goodputs)
    series = _series(comparison, algorithm)
    end, capacity = series["time_s"][-1], series["capacity_bps"][-1]
    edges = np.arange(0.0, end + BIN_S / 2, BIN_S)
    low, high = (np.nan_to_num(means(series["time_s"], series[each], edges)) for each in (FIRST, SECOND))
    across = np.repeat(left + edges / end * WIDE, 2)[1:-1]
    floor = np.full(len(across), TOP + TALL)
    border, roof = (np.repeat(TOP + TALL * (1 - np.minimum(rate / capacity, 1.0)), 2) for rate in (low, low + high))
    # The second download is drawn above the first: its percentage stands in its part, or just below where it is thin.
    height = TALL * share
    percent = TOP + (height / 2 + 11 if share >= LEAST_WITH_TEXT else height + 34)
    return element(
        "g",
        element("text", f"It runs {PANELS[algorithm]}", class_="name", x=left, y=TOP - 12),
        element("path", class_="first", d=ring(across, border, floor), data_series=f"{algorithm}: {FIRST}"),
        element("path", class_="second", d=ring(across, roof, border), data_series=f"{algorithm}: {SECOND}"),
        element("path", class_="line", fill="none", d=f"M{number(left)} {number(TOP + TALL)}h{number(WIDE)}"),
        element(
            "text",
            f"{100 * share:.0f} %",
            class_="share on" if share >= LEAST_WITH_TEXT else "share inner",
            x=left + WIDE * 0.64,
            y=percent,
            data_share=f"{share:.4f}",
        ),
        element("text", "0", class_="tick", x=left, y=TOP + TALL + 18),
        element("text", f"{end:.0f} s", class_="tick", x=left + WIDE, y=TOP + TALL + 18, text_anchor="end"),
    )


def _series(comparison: OpenedComparison, algorithm: str) -> Mapping[str, NDArray[np.float64]]:
    """Return the times, the goodput of both downloads and the capacity, of the first replication."""
    rows = [row for row in comparison.series.to_pylist() if row["subject"] == algorithm and row["replication"] == 0]
    found = {FIRST: "goodput_bps", SECOND: "goodput_bps", "bottleneck": "capacity_bps"}
    columns = {
        name: np.array([row[column] for row in rows if row["name"].partition("[")[0] == name])
        for name, column in found.items()
    }
    times = np.array([row["time_s"] for row in rows if row["name"] == "bottleneck"])
    return {"time_s": times, FIRST: columns[FIRST], SECOND: columns[SECOND], "capacity_bps": columns["bottleneck"]}


def main(arguments: list[str]) -> None:
    """Draw the picture.

    Args:
        arguments: The folder of the comparison; and the file to write, if it is not that of the README.
    """
    folder, *place = arguments
    opened = nw.open(folder)
    if not isinstance(opened, OpenedComparison):
        sys.exit(f"{folder}: expected the folder of a comparison, as the command in {Path(__file__).name} writes it")
    Path(place[0] if place else PLACE).write_text(picture(opened), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
