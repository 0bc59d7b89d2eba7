"""The annex of a suite in Markdown, for a draft or a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.report.evaluation import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def annex(summary: Mapping[str, Any]) -> str:
    """Return the annex as Markdown.

    Args:
        summary: The contents of `summary.json`.
    """
    parts = [f"# {summary['title']}", f"Criteria: {summary['source']}.", *words.preface(summary), _counts(summary)]
    for section, rows in words.sections(summary["rows"]).items():
        parts.append(f"## Section {section}")
        for criterion, alike in _criteria(rows).items():
            parts += _criterion(criterion, alike)
    return "\n\n".join(parts) + "\n"


def _counts(summary: Mapping[str, Any]) -> str:
    lines = ["| verdict | rows |", "|---|--:|"]
    return "\n".join([*lines, *(f"| {verdict} | {count} |" for verdict, count in summary["verdicts"].items())])


def _criteria(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["criterion"], []).append(row)
    return found


def _criterion(criterion: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    level = f" ({rows[0]['level']})" if rows[0]["level"] else ""
    parts = [f"**{criterion}**{level}"]
    if rows[0]["measured"] is None and rows[0]["reason"]:
        return [*parts, f"{rows[0]['verdict'].capitalize()}: {rows[0]['reason']}."]
    lines = ["| condition | measured | compared with | verdict | scenario |", "|---|---|---|---|---|"]
    lines += [
        f"| {_plain(words.condition(row))} | {words.measured(row)} | {words.against(row)} | {words.verdict(row)} | "
        f"[file](<{row['scenario']}>) |"
        for row in rows
    ]
    return [*parts, f"`{rows[0]['measure']}`. Predicate: {rows[0]['predicate_source']}.", "\n".join(lines)]


def _plain(text: str) -> str:
    return text.replace("|", "\\|")
