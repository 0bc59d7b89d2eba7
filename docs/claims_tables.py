# SPDX-License-Identifier: Apache-2.0
"""What the discussions of the published studies take from ledgers and tables, so that it is never out of date.

| a line of a discussion | stands for |
|---|---|
| `{table: TITLE}` | the table with this title in `tables.json`; values of the source are in parentheses |
| `{table: TITLE, in Mbps}` | the same in a unit |
| `{variant: NAME}` | the verdicts under a variant of the claims that hold |
| `{sizes}` | the claims whose verdict differs between the two sizes |

Verdicts and numbers of single claims: `quoted.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from cards import cell
from quoted import quoted, verb

from narrows._internal.reproduction.claims import SCALES
from narrows._internal.reproduction.ledger import NOT_TESTABLE
from narrows._internal.reproduction.predicate import HOLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Table = Mapping[str, Any]
    Ledger = Mapping[str, Any]


def expanded(text: str, tables: Mapping[str, Any], labels: Mapping[str, str], ledgers: Sequence[Ledger]) -> str:
    """Return a discussion with its tables and lists of claims.

    Args:
        text: The discussion in Markdown.
        tables: The content of `tables.json`.
        labels: How rows and columns are named, where not by their own names.
        ledgers: The ledgers of the study, that of the larger size first.

    Raises:
        ValueError: The discussion names a table or variant that there is not.
    """
    known = {each["title"]: each for each in tables["tables"]}
    calibrations = {each["title"]: each for each in tables["calibrations"]}

    def table(found: re.Match[str]) -> str:
        title, unit = found["title"], found["unit"] or ""
        if title in calibrations:
            return _written(calibrations[title], "", unit, _calibrated(calibrations[title]), labels)
        if title not in known:
            raise ValueError(f"tables.json has no table {title!r}")
        corner = known[title]["label"] if known[title]["kind"] == "table" else ""
        return _written(known[title], corner, unit, _rows(known[title], SCALES.get(unit, 1)), labels)

    text = TABLE.sub(table, text)
    text = VARIANT.sub(lambda found: _under(found["name"], ledgers), text)
    return quoted(SIZES.sub(lambda _: _changed(ledgers[-1], ledgers[0]), text), ledgers)


def _written(
    table: Table, corner: str, unit: str, rows: Iterator[tuple[str, list[str]]], labels: Mapping[str, str]
) -> str:
    heads = [labels.get(each, each) + (f", {unit}" if unit else "") for each in table["columns"]]
    lines = [f"| {' | '.join(cell(each) for each in (corner, *heads))} |", "|---|" + "--:|" * len(heads)]
    lines += [f"| {' | '.join([cell(labels.get(name, name)), *values])} |" for name, values in rows]
    return f"**{table['title']}.** *{table['caption']}*\n\n" + "\n".join(lines)


def _rows(table: Table, unit: float) -> Iterator[tuple[str, list[str]]]:
    for name, row in table["rows"].items():
        values = []
        for ours, theirs in zip(row["ours"], row["published"], strict=True):
            own = "-" if ours is None else number(ours / unit)
            values.append(own if theirs is None else f"{own} ({theirs / unit:g})")
        yield name, values


def _calibrated(table: Table) -> Iterator[tuple[str, list[str]]]:
    for name, row in table["rows"].items():
        yield name, [f"{two_digits(each['median_factor'])} ({two_digits(each['rank_correlation'])})" for each in row]


def two_digits(value: float | None) -> str:
    """Return a number with two digits after the point; a dash for none."""
    return "-" if value is None else f"{value:.2f}"


def number(value: float) -> str:
    """Return a number with two digits, or three of what is greater than 100, as people write it."""
    if 0 < abs(value) < LEAST:
        return f"< {LEAST:g}" if value > 0 else f"> -{LEAST:g}"
    digits = 3 if abs(value) >= THREE_DIGITS else 2
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:.0f}" if abs(rounded) >= TEN else f"{rounded:g}"


def _under(variant: str, ledgers: Sequence[Ledger]) -> str:
    """Return what becomes under a variant of the claims that hold, at the largest size that has run it."""
    for ledger in ledgers:
        holding = [claim for claim in ledger["claims"] if claim["verdict"] == HOLDS]
        found: dict[str, list[str]] = defaultdict(list)
        for claim in holding:
            if verdict := (claim["variants"] or {}).get(variant):
                found[verdict].append(claim["id"])
        if found:
            size = f" at the {ledger['size']} size" if len(ledgers) > 1 else ""
            tried = sum(map(len, found.values()))
            parts = [
                f"{len(ids)} {verb(verdict, len(ids))} ({', '.join(ids)})" for verdict, ids in sorted(found.items())
            ]
            claims = "claim that holds" if len(holding) == 1 else "claims that hold"
            are = "is" if tried == 1 else "are"
            tried_of = f"Of the {len(holding)} {claims}{size}, {tried} {are} tried under this variant"
            return f"{tried_of}: {'; '.join(parts)}."
    raise ValueError(f"no claim that holds has a verdict under the variant {variant!r}")


def _changed(small: Ledger, large: Ledger) -> str:
    """Return the verdicts that differ between two sizes, of the claims that both have judged."""
    before = {claim["id"]: claim["verdict"] for claim in small["claims"]}
    both = [each for each in large["claims"] if NOT_TESTABLE not in {each["verdict"], before[each["id"]]}]
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for claim in both:
        if claim["verdict"] != before[claim["id"]]:
            found[before[claim["id"]], claim["verdict"]].append(claim["id"])
    same = len(both) - sum(map(len, found.values()))
    rows = [f"| {small['size']} size | {large['size']} size | claims |", "|---|---|---|"]
    rows += [f"| {old} | {new} | {', '.join(ids)} |" for (old, new), ids in sorted(found.items())]
    judged = f"Both sizes judge {len(both)} claims, {same} of them with the same verdict."
    return f"{judged} The others:\n\n" + "\n".join(rows)


TABLE = re.compile(r"^\{table: (?P<title>.+?)(?:, in (?P<unit>Mbps|%))?\}$", re.MULTILINE)
VARIANT = re.compile(r"^\{variant: (?P<name>.+)\}$", re.MULTILINE)
SIZES = re.compile(r"^\{sizes\}$", re.MULTILINE)
LEAST, TEN, THREE_DIGITS = 0.0005, 10, 100
