"""The results of a suite: the counts of its verdicts, and the contents of `summary.json`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from narrows.evaluation.verdict import BROKEN, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.evaluation.campaign import Evaluation


def summarize(evaluation: Evaluation, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the contents of `summary.json`.

    Args:
        evaluation: The suite with its subject.
        rows: The judged rows.
    """
    suite = evaluation.suite
    return {
        "title": f"{suite.title}: {evaluation.names[0]}",
        "suite": suite.name,
        "source": suite.source,
        "note": suite.note or None,
        "subject": evaluation.names[0],
        "references": evaluation.names[1:],
        "size": evaluation.size,
        "seeds": {part.experiment: part.plan.seed for part in evaluation.parts},
        "verdicts": counts(rows),
        "rows": list(rows),
    }


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of rows with each verdict."""
    found = Counter(row["verdict"] for row in rows)
    return {verdict: found[verdict] for verdict in VERDICTS}


def is_broken(summary: Mapping[str, Any]) -> bool:
    """Return whether a row found the algorithm broken."""
    return any(row["verdict"] == BROKEN for row in summary["rows"])


def by_criterion(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Return the rows of each criterion, by its section and words, in their order."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["section"], row["criterion"]), []).append(row)
    return found
