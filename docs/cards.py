# SPDX-License-Identifier: Apache-2.0
"""A page for every card with its figure, and an index of each catalogue."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import figures
import pictures

from narrows._internal import cards

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pictures import Shown

Card = dict[str, Any]
COSTS = Path(__file__).parents[1] / "benches" / "catalogue.json"
VALIDATION = Path(__file__).parents[1] / "validation"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path below `docs` and the text of every page and figure."""
    costs = json.loads(COSTS.read_text(encoding="utf-8"))
    algorithms, queues = cards.algorithms(), cards.queues()
    pictures.check(algorithms, queues)
    yield "algorithms/README.md", index("Algorithms", algorithms, "cost per ACK", costs["algorithms"])
    for card in algorithms:
        yield from _card("algorithms", card, pictures.of_algorithm(card))
    yield "queues/README.md", index("Queues", queues, "cost per packet", costs["queues"])
    for card in queues:
        yield from _card("queues", card, pictures.of_queue(card, algorithms))


def index(title: str, entries: Sequence[Card], cost: str, costs: dict[str, dict[str, float]]) -> str:
    """Return the page that lists the cards of a catalogue.

    Args:
        title: Its heading.
        entries: The cards.
        cost: What the last column measures.
        costs: Of each card, as `benches/catalogue.py` measured them.
    """
    reference = "newreno" if title == "Algorithms" else "droptail"
    rows = [
        f"| name | family | what it is | source | validation | {cost} |",
        "|---|---|---|---|---|--:|",
        *(
            f"| [`{card['name']}`]({card['name']}.md) | {card['family']} | {cell(card['summary'])} "
            f"| {cell(card['source'])} | {_judges(card)} | {_cost(costs.get(card['name']))} |"
            for card in entries
        ),
    ]
    note = (
        f"*Validation* counts the figures of independent references and those that agree with them; *closed form* "
        f"means a comparison with theory alone. *{cost[0].upper()}{cost[1:]}* is in processor instructions, and "
        f"relative to `{reference}` in parentheses: see [performance](../performance.md)."
    )
    return f"# {title}\n\n{note}\n\n" + "\n".join(rows) + "\n"


def _cost(measured: dict[str, float] | None) -> str:
    return f"{measured['instructions']:.0f} ({measured['relative']:.2f})" if measured else "not measured"


def _judges(card: Card) -> str:
    if not card["comparisons"] and not card["judged"]:
        return "**unvalidated**"
    counts: dict[str, list[int]] = {}
    for each in card["judged"]:
        agreed = counts.setdefault(each["judge"], [0, 0])
        agreed[0] += each["agrees"]
        agreed[1] += 1
    return ", ".join(f"{judge}: {good} of {all_}" for judge, (good, all_) in counts.items()) or "closed form"


def _card(folder: str, card: Card, shown: Shown) -> Iterator[tuple[str, str]]:
    beside = shown.scenario == pictures.BESIDE.scenario and shown != pictures.BESIDE
    other = pictures.beside() if beside else None
    course = shown.run()
    shown = replace(shown, panels=tuple(panel for panel in shown.panels if course.records(panel)))
    yield (
        f"{folder}/{card['name']}.svg",
        figures.figure(f"{card['name']}: {shown.title}", shown.panels, course, card["name"], other),
    )
    yield f"{folder}/{card['name']}.md", page(card, _caption(card["name"], shown, beside=beside))


def _caption(name: str, shown: Shown, *, beside: bool) -> str:
    sentences = [f"{shown.title}: {', '.join(PANELS[panel] for panel in shown.panels)}."]
    if "queue" in shown.panels:
        sentences.append("Ticks at the bottom of the queue mark intervals with drops (red) and marks (ochre).")
    if beside:
        sentences.append("Grey: NewReno flows over DropTail of one bandwidth-delay product.")
    return f"![{shown.title}]({name}.svg)\n\n*{' '.join(sentences)}* Command: `{shown.command}`"


def page(card: Card, figure: str) -> str:
    """Return the page of a card.

    Args:
        card: As `narrows show --json` prints it.
        figure: The figure with its caption, as Markdown.
    """
    summary = card["summary"][0].upper() + card["summary"][1:]
    parts = [f"# `{card['name']}`", f"{summary}.", figure, f"*Family:* {card['family']}. *Source:* {card['source']}"]
    parts.append("## Equations\n\n```text\n" + "\n".join(card["equations"]) + "\n```")
    if card["parameters"]:
        rows = ["| parameter | default | allowed | meaning | source |", "|---|---|---|---|---|"]
        rows += [
            f"| `{p['name']}` | {_default(p)} | {cell(p['allowed'])} | {cell(p['meaning'])} | {cell(p['source'])} |"
            for p in card["parameters"]
        ]
        parts.append("## Parameters\n\n" + "\n".join(rows))
    if card["variables"]:
        rows = ["| variable | unit | meaning |", "|---|---|---|"]
        rows += [f"| `{v['name']}` | {v['unit']} | {cell(v['meaning'])} |" for v in card["variables"]]
        parts.append("## Variables\n\n" + "\n".join(rows))
    if card["deviations"]:
        parts.append("## Deviations\n\n" + "\n".join(f"* {line}" for line in card["deviations"]))
    parts.append("## Validation")
    if card["comparisons"]:
        parts.append(_compared(card["comparisons"]))
    if card["judged"]:
        parts.append(_references(card["judged"]))
    if not card["comparisons"] and not card["judged"]:
        parts.append("**unvalidated**: not compared with a closed form or an independent reference")
    return "\n\n".join(parts) + "\n"


def _default(parameter: Card) -> str:
    return f"{cell(parameter['default'])} {parameter['unit']}".strip() if parameter["default"] else "required"


def _compared(rows: Sequence[Card]) -> str:
    lines = ["| compared | result | test |", "|---|--:|---|"]
    for each in rows:
        test = f"[{each['test'].removeprefix('crates/')}](../../{each['test']})"
        lines.append(f"| {cell(each['what'])} | {each['result']} | {test} |")
    return f"{COMPARED}\n\n" + "\n".join(lines)


def _references(rows: Sequence[Card]) -> str:
    lines = [
        "| scenario | metric | reference | Narrows | difference | tolerance | agrees |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    before = ""
    for each in rows:
        folder = each["scenario"].partition("/")[0]
        # Where there is no list of cases, the page with the tables.
        cases = "cases.toml" if (VALIDATION / folder / "cases.toml").is_file() else "README.md"
        link = f"[{each['scenario']}](../../validation/{folder}/{cases})"
        scenario = "" if each["scenario"] == before else link
        before = each["scenario"]
        cells = [
            scenario, each["measure"], each["theirs"], each["ours"], each["difference"], each["tolerance"],
            "yes" if each["agrees"] else f"no: {each['cause']}" if each["cause"] else "no",
        ]  # fmt: skip
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return f"{JUDGED}\n\n" + "\n".join(lines)


def cell(text: str) -> str:
    """Text that cannot break a table's row."""
    return text.replace("|", "\\|").replace("\n", " ")


COMPARED = "Tests compare with closed forms, tables and figures of the sources. A result is the relative difference."
JUDGED = "Figures of independent references, from [validation](../../validation/README.md), which explains the columns."
PANELS = {
    "window": "congestion window (line) and slow-start threshold (dots)",
    "rate": "sending rate, and the capacity",
    "queue": "packets waiting at the bottleneck",
    "signals": "share of packets dropped or marked",
}
