# SPDX-License-Identifier: Apache-2.0
"""The words of an annex: the measure of a row, its reference, and the conditions, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from narrows._internal.linux.backend import BOTH
from narrows._internal.page.estimates import estimate_text
from narrows._internal.page.metrics import unit_named

Row = Mapping[str, Any]


def measured(row: Row) -> str:
    """Return the measured value with its interval."""
    return _estimate(row["measured"], row["interval"], row["unit"])


def against(row: Row) -> str:
    """Return the reference of the row, with its value."""
    if row["bound"] is None:
        return ""
    ((side, bound),) = row["bound"].items()
    limit = f"{side.replace('_', ' ')} {_estimate(bound, None, row['unit'])}"
    if row["reference"] is None:
        return limit
    value = _estimate(row["reference_measured"], row["reference_interval"], row["unit"])
    return f"{row['reference']}: {value}; {limit}"


def condition(row: Row) -> str:
    """Return the levels of the row's cell."""
    return ", ".join(f"{name} {level}" for name, level in row["condition"].items())


def verdict(row: Row) -> str:
    """Return the verdict, and whether the interval leaves it open."""
    if row["verdict"] == "within" and not row["decided"]:
        return "within (not decided)"
    return str(row["verdict"])


def count(rows: Sequence[Row], of: str) -> str:
    """Return the number of rows with a verdict, and how many of the rows within the bound are not decided."""
    found = [row for row in rows if row["verdict"] == of]
    still_open = sum(verdict(row) != of for row in found)
    return f"{len(found)} ({still_open} not decided)" if still_open else str(len(found))


def difference(row: Row) -> str:
    """Return the difference of the kernel to the simulator, of a row on both; empty without one."""
    found = row.get("difference")
    return "" if found is None or found["mean"] is None else _estimate(found["mean"], found["ci95"], row["unit"])


def absent(rows: Sequence[Row]) -> str | None:
    """Return the common reason why all rows of a criterion have no measure; None without one."""
    reasons = {row["reason"] for row in rows}
    return reasons.pop() if len(reasons) == 1 and all(row["measured"] is None for row in rows) else None


def about(rows: Sequence[Row]) -> str:
    """Return the author of the predicate of a criterion's rows."""
    return str(rows[0]["predicate_source"])


def measure(rows: Sequence[Row]) -> str:
    """Return the measure of the rows of a criterion; empty if none has a measure."""
    return next((row["measure"] for row in rows if row["measure"]), "")


def preface(summary: Mapping[str, Any]) -> list[str]:
    """Return the paragraphs before the rows."""
    # The subject itself may be the only reference.
    beside = f" beside {' and '.join(summary['references'])}" if summary["references"] else ""
    relative = sum(row["predicate"] == "relative" for row in summary["rows"])
    method = (
        f"{summary['subject']} was measured{beside} in the same scenarios with the same seeds. Each value "
        "is a mean over replications with its 95 % interval. A bound that follows from another run is widened by the "
        "margin of the metric. A verdict is that of an interval: of the measured one where the bound is a number, "
        "else of the paired difference to the bound. It is worse (or broken, for a liveness bound) if all of the "
        "interval is beyond the bound, better if all of the difference to the reference is on the better side by more "
        "than the margin, otherwise within; within is decided if none of the interval is beyond the bound. Each row "
        'says whose the predicate is, and links to the scenario that repeats it with "narrows run".'
    )
    expected = 0.025 * relative
    about_so_many = f"about {round(expected)}" if expected >= 1.0 else "fewer than one"
    chance = (
        f"The intervals are not corrected for the number of rows: of {relative} rows that compare with a reference, "
        f"{about_so_many} would leave the bound by chance if all were exactly at it."
    )
    kernel = summary["kernel"]
    where = []
    if kernel is not None:
        tcp = f"the TCP of Linux {kernel['kernel']} in simulated time, with the simulator's links and queues"
        where = [f'Senders and receivers were {tcp}; "narrows run FILE --on linux" repeats a row.']
        if summary["on"] == BOTH:
            both = (
                f"Every row was measured in the simulator and, below it, with {tcp}, from the same seeds. The last "
                "column is the difference of both, kernel minus simulator. What the kernel cannot do is not applicable "
                'to it, for the reason given. The scenario of its line runs with "narrows run FILE --on linux".'
            )
            where = [both]
    chosen = summary["sections"]
    part = [f"Rows of section{'s' if len(chosen) > 1 else ''} {', '.join(chosen)} alone."] if chosen else []
    return [*([] if summary["note"] is None else [summary["note"]]), *part, method, *where, chance]


def sections(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows by section, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["section"], []).append(row)
    return found


def _estimate(mean: float | None, interval: Sequence[float] | None, unit_name: str) -> str:
    if mean is None:
        return "-"
    return estimate_text(mean, interval, unit_named(unit_name))
