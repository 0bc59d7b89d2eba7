# SPDX-License-Identifier: Apache-2.0
"""The page of a study on two backends: every metric side by side, with links to the page of each backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from narrows._internal.drawing.svg import Markup, element
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.page import document as page
from narrows._internal.page.blocks import facts, row, table, typed
from narrows._internal.page.estimates import estimate_text
from narrows._internal.page.metrics import meaning


def beside_page(summary: Mapping[str, Any]) -> str:
    """Return the page of a matrix or deployment on both backends."""
    names = list(dict.fromkeys(name for each in summary["differences"] for name in each["measures"]))
    made = facts(typed(summary["command"]))
    parts = [
        page.section("about", "What was measured", element("p", NOTE), _links(), made, link="About"),
        *(page.section(page.anchor(name), _title(name), _table(name, summary["differences"])) for name in names),
    ]
    badge = element("p", f"{len(summary['differences'])} points on both backends", class_="verdict absent")
    return page.document(f"{summary['title']} on both backends", "Both backends", badge, parts)


def _links() -> Markup:
    entries = [element("a", f"Results on the {WORDS[on]}", href=f"{on}/report.html") for on in (SIMULATOR, LINUX)]
    return element("ul", *(element("li", each) for each in entries))


def _title(name: str) -> str:
    kind, owner, measure = name.split(".", 2)
    return meaning(measure, kind).of(owner).title


def _table(name: str, points: Sequence[Mapping[str, Any]]) -> Markup:
    kind, _, measure = name.split(".", 2)
    unit = meaning(measure, kind).unit
    rows = []
    for point in points:
        if entry := point["measures"].get(name):
            words = ", ".join(f"{factor} {level}" for factor, level in point["condition"].items())
            found = (entry[key] for key in (SIMULATOR, LINUX, "difference"))
            rows.append(
                row(
                    words, *(estimate_text(each["mean"], each["ci95"], unit, each["interval_method"]) for each in found)
                )
            )
    return table(_title(name), ("Point", "Simulator", "Kernel", "Kernel minus simulator"), rows)


WORDS = {SIMULATOR: "simulator", LINUX: "kernel"}
NOTE = (
    "Every point ran in the simulator and with the TCP of the kernel, with the same seeds. Values are means over "
    "replications with 95 % intervals; differences are paired, replication by replication."
)
