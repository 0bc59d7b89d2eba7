# SPDX-License-Identifier: Apache-2.0
"""Compares Narrows with the figures of independent references.

Examples:
    .venv/bin/python validation/compare.py kernel
    .venv/bin/python validation/compare.py --markdown
    .venv/bin/python validation/compare.py --show ns2/r2-red > r2-red.toml
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tomllib
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from judgement import HERE, JUDGES, Figure, cases_of, differences, figures, scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparison, and with `--markdown` write it into `README.md` and the cards.

    Returns:
        0 if every figure agrees or has a known cause, otherwise 1.
    """
    parser = argparse.ArgumentParser(description="compare Narrows with the figures of independent references")
    parser.add_argument("judge", nargs="?", choices=[*JUDGES, "all"], default="all")
    parser.add_argument(
        "--markdown",
        action="store_true",
        help="also write the tables of README.md and, for all references, those of the cards",
    )
    parser.add_argument("--show", metavar="CASE", help="only print the scenario of a case such as ns2/r2-red")
    options = parser.parse_args(arguments)
    if options.show is not None:
        judge, _, case = options.show.partition("/")
        if judge not in JUDGES or case not in cases_of(judge):
            known = (f"{judge}/{case}" for judge in JUDGES for case in cases_of(judge))
            parser.error(f"no such case: {options.show}; the cases are {', '.join(known)}")
        sys.stdout.write(scenario(judge, case).resolve().resolved)
        return 0
    judges = JUDGES if options.judge == "all" else (options.judge,)
    compared = {judge: list(figures(judge)) for judge in judges}
    for judge, mine in compared.items():
        if options.markdown:
            _insert(judge, _markdown(mine))
        sys.stdout.write(_text(judge, mine))
    if options.markdown and options.judge == "all":
        CARDS.write_text(card_rows([each for mine in compared.values() for each in mine]), encoding="utf-8")
    return int(any(not each.agrees and each.cause is None for mine in compared.values() for each in mine))


def row(figure: Figure) -> list[str]:
    """Return a figure as cells: metric, value of the reference, value of Narrows, difference, tolerance, verdict."""
    scale, unit = _unit(figure.measure)
    spread = (max(figure.runs) - min(figure.runs)) / 2
    ours, interval = figure.ours["mean"], figure.ours["ci95"]
    half = None if interval is None else (interval[1] - interval[0]) / 2
    return [
        f"{figure.of} {figure.measure.removesuffix('_bps').removesuffix('_s')}{unit and f', {unit}'}",
        _with_spread(figure.value * scale, spread * scale if len(figure.runs) > 1 else None),
        "none" if ours is None else _with_spread(ours * scale, None if half is None else half * scale),
        _amount(figure, figure.difference, "+"),
        _amount(figure, figure.tolerance, ""),
        "yes" if figure.agrees else "no" if figure.cause is None else f"no [{figure.cause + 1}]",
    ]


def card_rows(mine: Iterable[Figure]) -> str:
    """Return the figures that `narrows show` and the pages of the cards show, as JSON."""
    rows = []
    for figure in mine:
        measure, theirs, ours, difference, tolerance, _ = row(figure)
        algorithms, queues = _subjects(figure)
        cause = None if figure.agrees or figure.cause is None else differences()[figure.cause].cause
        rows.append(
            {
                "algorithms": algorithms,
                "queues": queues,
                "judge": NAMES[figure.judge],
                "scenario": f"{figure.judge}/{figure.case}",
                "measure": measure,
                "theirs": theirs,
                "ours": ours,
                "difference": difference,
                "tolerance": tolerance,
                "agrees": figure.agrees,
                "cause": cause,
            }
        )
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _subjects(figure: Figure) -> tuple[list[str], list[str]]:
    """Return the algorithms and queues that a figure is about: its group's, or all algorithms and the link's queue."""
    resolved: dict[str, Any] = tomllib.loads(scenario(figure.judge, figure.case).resolve().resolved)
    names = {group["name"]: group["algorithm"] for group in resolved["flows"]}
    names = {group: each if isinstance(each, str) else each["name"] for group, each in names.items()}
    if figure.of in names:
        return [names[figure.of]], []
    queues = [resolved["path"]["queue"]["kind"]] if figure.of == "bottleneck" else []
    return sorted(set(names.values())), queues


def _text(judge: str, mine: Iterable[Figure]) -> str:
    lines = []
    for case, each in groupby(mine, key=lambda figure: figure.case):
        lines += ["", f"{judge}/{case}"]
        rows = [["metric", "reference", "Narrows", "difference", "tolerance", "agrees"], *map(row, each)]
        lines += [
            f"  {cells[0]:<42}{cells[1]:>20}{cells[2]:>22}{cells[3]:>12}{cells[4]:>12}  {cells[5]}" for cells in rows
        ]
    return "\n".join(lines) + "\n"


def _markdown(mine: Sequence[Figure]) -> str:
    lines = [
        "| scenario | metric | reference | Narrows | difference | tolerance | agrees |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for case, each in groupby(mine, key=lambda figure: figure.case):
        for number, figure in enumerate(each):
            lines.append("| " + " | ".join(["" if number else case, *row(figure)]) + " |")
    causes = sorted({figure.cause for figure in mine if not figure.agrees and figure.cause is not None})
    for cause in causes:
        known = differences()[cause]
        lines += ["", *wrap(f"\\[{cause + 1}] **{known.cause}.** {known.evidence}", width=WIDTH)]
    return "\n".join(lines)


def _insert(judge: str, table: str) -> None:
    """Put a table between its marks in `README.md`."""
    path = HERE / "README.md"
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {judge} -->", f"<!-- end {judge} -->"
    before, rest = text.split(begin)
    path.write_text(f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def _with_spread(value: float, spread: float | None) -> str:
    """Return a value and its spread as text."""
    text = _number(value)
    return text if spread is None else f"{text} ± {spread:.1g}"


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < LARGE else f"{value:.0f}"


def _amount(figure: Figure, amount: float, sign: str) -> str:
    if math.isnan(amount):
        return "none"
    if figure.relative:
        return f"{100 * amount / figure.value:{sign}.1f} %"
    return f"{amount * _unit(figure.measure)[0]:{sign}.2g}"


def _unit(measure: str) -> tuple[float, str]:
    """Return the factor from the measure's own unit to the one shown, and that."""
    if measure.endswith("_bps"):
        return 1e-6, "Mbps"
    if "delay" in measure:
        return 1e3, "ms"
    return 1.0, "s" if measure.endswith("_s") and not measure.startswith("dropped") else ""


CARDS = HERE.parent / "python" / "narrows" / "_internal" / "validation.json"
NAMES = {"ns2": "ns-2", "kernel": "Linux"}
LARGE = 1e4
WIDTH = 120

if __name__ == "__main__":
    sys.exit(main())
