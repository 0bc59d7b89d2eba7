# SPDX-License-Identifier: Apache-2.0
"""The results of a trial as a comment in Markdown, as JUnit's XML, and for a workflow of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from narrows._internal.comparison import Replaced
from narrows._internal.drawing.scale import quantity
from narrows._internal.external.source import split_stack
from narrows._internal.page.estimates import relative_text
from narrows._internal.page.markdown import code, text
from narrows._internal.page.metrics import unit_named
from narrows._internal.plural import counted
from narrows._internal.trace.estimate import share
from narrows._internal.trial.verdict import BETTER, NO_WORSE, UNDECIDED, VERDICTS, WORSE

Row = Mapping[str, Any]


def comment(summary: Mapping[str, Any]) -> str:
    """Return the comment for a pull request: rows other than `no worse` first, the `no worse` rows folded."""
    loud = [row for row in summary["rows"] if row["verdict"] != NO_WORSE]
    quiet = [row for row in summary["rows"] if row["verdict"] == NO_WORSE]
    parts = [f"### {text(headline(summary))}", sentence(summary), *map(text, remarks(summary))]
    if loud:
        parts.append(_table(loud))
    if quiet:
        folded = f"<summary>{len(quiet)} no worse</summary>"
        parts.append(f"<details>{folded}\n\n{_table(quiet)}\n\n</details>")
    return "\n\n".join([*parts, code(summary["command"])]) + "\n"


def headline(summary: Mapping[str, Any]) -> str:
    """Return the result in a line."""
    counts = {verdict: count for verdict, count in summary["verdicts"].items() if count}
    found = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return f"{summary['b']} against {summary['a']}: {found}"


def sentence(summary: Mapping[str, Any]) -> str:
    """Return the meaning of the verdicts."""
    return (
        f"Margin: {summary['margin']}. The probability that a change which makes no difference gets any `worse` is at "
        f"most {100 * summary['alpha']:g} %, however early the trial stopped."
    )


def remarks(summary: Mapping[str, Any]) -> list[str]:
    """Return the remarks that verdicts do not contain."""
    # The replaced algorithms, other differences of A and B, losses below the margin, and scenarios that never vary.
    found = (_replaced(summary), summary.get("unlike", ""), *_of_traces(summary), _slight(summary), _repeated(summary))
    return [remark for remark in found if remark]


def _of_traces(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield on how many of the paths of traces B is better and worse, by metric."""
    if not summary.get("traces"):
        return
    yield (
        "The path of each trace is reconstructed, and what the trace leaves open is drawn from its intervals for each "
        "replication anew, so that the interval of a change contains the uncertainty about the path."
    )
    count = summary["traces"]
    if count == 1:
        return
    for owner, metric in dict.fromkeys((row["owner"], row["metric"]) for row in summary["rows"]):
        own = [row["verdict"] for row in summary["rows"] if (row["owner"], row["metric"]) == (owner, metric)]
        better, worse = own.count(BETTER), own.count(WORSE)
        _, low, high = share(better, len(own))
        yield (
            f"{metric} of {owner}: better on {better} of {counted(len(own), 'path')} ({low:.0%} to {high:.0%} of such "
            f"paths), worse on {worse}, the rest without a difference that is certain or matters."
        )


def _replaced(summary: Mapping[str, Any]) -> str:
    if "replaced" not in summary:
        return ""
    found = Replaced(**summary["replaced"])
    return f"{found.sentence} {found.other(summary['command'])}"


def _slight(summary: Mapping[str, Any]) -> str:
    found = [row for row in summary["rows"] if row["verdict"] != WORSE and _is_certainly_worse(row)]
    if not found:
        return ""
    named = (f"{row['metric']} of {row['owner']} in {row['scenario']}, {change(row)}" for row in found)
    return f"Worse for certain, but on average not by more than the margin: {'; '.join(named)}."


def _repeated(summary: Mapping[str, Any]) -> str:
    names = dict.fromkeys(row["scenario"] for row in summary["rows"] if row.get("repeated"))
    if not names:
        return ""
    return (
        f"All replications of {', '.join(names)} are one and the same run, as nothing in it is random: they count as "
        'one. Let the flows start at random times (start = "0s..1s"), or set transport.send_delay = "1pkt".'
    )


def junit(summary: Mapping[str, Any]) -> str:
    """Return JUnit's XML: a test case per scenario and metric; `worse` is a failure, `undecided` is skipped."""
    rows = summary["rows"]
    failures = sum(row["verdict"] == WORSE for row in rows)
    skipped = sum(row["verdict"] == UNDECIDED for row in rows)
    name = _attribute(f"narrows ab {summary['a']} {summary['b']}")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name={name} tests="{len(rows)}" failures="{failures}" errors="0" skipped="{skipped}">',
    ]
    for row in rows:
        of = _attribute(f"{row['owner']} {row['metric']}")
        case = f"<testcase classname={_attribute(row['scenario'])} name={of}"
        found = _attribute(f"{values(row)}, {change(row)}, margin {_quantity(row['margin'], row)}")
        inner = {WORSE: f"<failure message={found}/>", UNDECIDED: f"<skipped message={found}/>"}.get(row["verdict"])
        lines.append(f"  {case}>{inner}</testcase>" if inner else f"  {case}/>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def values(row: Row) -> str:
    """Return the means of A and B."""
    return f"{_quantity(row['a'], row)} → {_quantity(row['b'], row)}"


def change(row: Row) -> str:
    """Return the relative difference with its interval; the absolute one if A is 0."""
    if row["difference"] is None:
        return "-"
    if row["relative"] is None:
        return _quantity(row["difference"], row)
    return relative_text(row["relative"], [end / abs(row["a"]) for end in row["interval"] or ()])


def _is_certainly_worse(row: Row) -> bool:
    if row["interval"] is None:
        return False
    low, high = row["interval"]
    return bool(low > 0.0 if row["better"] == "lower" else high < 0.0)


def _quantity(value: float, row: Row) -> str:
    return quantity(value, unit_named(row["unit"]))


def _attribute(value: str) -> str:
    """Return an attribute value in quotes; characters that XML cannot hold are replaced (XML 1.0, 2.2)."""
    return quoteattr(re.sub(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\ufffd", value))


def _table(rows: Sequence[Row]) -> str:
    lines = ["| verdict | scenario | metric | A → B | change | replications |", "|---|---|---|---|---|--:|"]
    lines += [
        f"| {MARKS[row['verdict']]} {row['verdict']} | {code(row['scenario'])} | "
        f"{code(row['metric'])} of {code(row['owner'])} | {text(values(row))} | "
        f"{text(change(row))} | {row['replications']} |"
        for row in rows
    ]
    return "\n".join(lines)


def workflow_commands(summary: Mapping[str, Any]) -> list[str]:
    """Return the workflow commands of a trial: an error for each metric that is worse, and a notice of the result."""
    # An error is placed at the changed file, if it is a class in a Python file. GitHub shows ten errors of a step, so
    # the tenth counts the rest.
    worse = [row for row in summary["rows"] if row["verdict"] == WORSE]
    file = source_of(summary["b"])
    shown = worse if len(worse) <= MOST else worse[: MOST - 1]
    lines = [
        annotation(
            "error",
            f"{row['metric']} of {row['owner']} is worse",
            f"{row['scenario']}: {values(row)}, {change(row)}",
            file,
        )
        for row in shown
    ]
    if len(shown) < len(worse):
        lines.append(
            annotation(
                "error", "more is worse", f"{len(worse) - len(shown)} more metrics are worse: see the summary", file
            )
        )
    return [*lines, annotation("notice", "narrows ab", headline(summary))]


def annotation(level: str, title: str, message: str, file: str = "") -> str:
    """Return a workflow command that annotates a run; characters that would end it are escaped."""
    place = f"file={_property(file)}," if file else ""
    return f"::{level} {place}title={_property(title)}::{_data(message)}"


def outputs(summary: Mapping[str, Any], folder: str, status: int) -> dict[str, str]:
    """Return the outputs of the step: the number of metrics with each verdict, the folder and the exit status."""
    counts = {verdict.replace(" ", "-"): str(summary["verdicts"].get(verdict, 0)) for verdict in VERDICTS}
    return {**counts, "status": str(status), "folder": folder, "comment": f"{folder}/comment.md"}


def source_of(algorithm: str) -> str:
    """Return the Python file that an algorithm names, in a stack or not, without `./` before it; empty for none."""
    file, colon, _ = split_stack(algorithm)[1].partition(":")
    return file.removeprefix("./") if colon and file.endswith(".py") and not file.startswith(("/", "../")) else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


MARKS = {"worse": "▼", "better": "▲", "no worse": "✓", "undecided": "?"}
# Annotations of a level that GitHub shows of a step.
MOST = 10
