# SPDX-License-Identifier: Apache-2.0
"""The annex of a suite in Markdown, for a draft or a repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from narrows.evaluation.summary import by_criterion, views
from narrows.evaluation.verdict import VERDICTS
from narrows.linux.backend import LINUX
from narrows.page.markdown import code, text
from narrows.report.evaluation import words


def annex(summary: Mapping[str, Any]) -> str:
    """Return the annex as Markdown."""
    parts = [f"# {text(summary['title'])}", f"Criteria: {text(summary['source'])}."]
    parts += [*map(text, words.preface(summary)), _counts(summary)]
    seen = {name: by_criterion(rows) for name, rows in views(summary["rows"], summary["on"]).items()}
    for section, rows in words.sections(summary["rows"]).items():
        parts.append(f"## Section {text(section)}")
        for key in by_criterion(rows):
            parts += _criterion(key[1], {name: found[key] for name, found in seen.items()})
    return "\n\n".join(parts) + "\n"


def _counts(summary: Mapping[str, Any]) -> str:
    seen = views(summary["rows"], summary["on"])
    titles = list(seen) if len(seen) > 1 else ["rows"]
    head = [f"| verdict | {' | '.join(titles)} |", "|---|" + "--:|" * len(titles)]
    body = [
        f"| {verdict} | {' | '.join(words.count(rows, verdict) for rows in seen.values())} |" for verdict in VERDICTS
    ]
    return "\n".join(head + body)


def _criterion(criterion: str, seen: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    first, *others = seen.values()
    level = f" ({text(first[0]['level'])})" if first[0]["level"] else ""
    parts = [f"**{text(criterion)}**{level}"]
    reason = words.absent([row for rows in seen.values() for row in rows])
    if reason:
        return [*parts, f"{first[0]['verdict'].capitalize()}: {text(reason)}."]
    backend = ["on"] if others else []
    last = ["minus simulator"] if others else []
    titles = ["condition", *backend, "measured", "compared with", "verdict", "scenario", *last]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for alike in zip(*seen.values(), strict=True):
        for name, row in zip(seen, alike, strict=True):
            cells = [words.condition(row), *([name] if others else []), words.measured(row), words.against(row)]
            cells = [
                *map(text, [*cells, _verdict(row)]),
                f"[file]({quote(row['scenario'])})" if row["scenario"] else "",
            ]
            cells += [words.difference(row) if name == LINUX else ""] if others else []
            lines.append(f"| {' | '.join(cells)} |")
    named = f"{code(words.measure(first))}. Predicate: {text(words.about(first))}."
    return [*parts, named, "\n".join(lines)]


def _verdict(row: Mapping[str, Any]) -> str:
    return words.verdict(row) + (f": {row['reason']}" if row["reason"] else "")
