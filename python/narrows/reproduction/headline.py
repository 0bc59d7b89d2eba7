# SPDX-License-Identifier: Apache-2.0
"""A summary of a ledger in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.reproduction.ledger import NOT_TESTABLE, counted_verdicts
from narrows.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE

if TYPE_CHECKING:
    from collections.abc import Mapping


def headline(ledger: Mapping[str, Any]) -> list[str]:
    """Return the verdicts on the claims that data can decide, then sentences on the others and on other judges."""
    evidence = [claim for claim in ledger["claims"] if not claim["check"] and claim["verdict"] != NOT_TESTABLE]
    checks = [claim for claim in ledger["claims"] if claim["check"] and claim["verdict"] != NOT_TESTABLE]
    strong = [claim for claim in evidence if claim["strength"] == "strong"]
    whole, firm = _said(counted_verdicts(evidence)), _said(counted_verdicts(strong))
    claims = "claim" if len(evidence) == 1 else "claims"
    sentences = [f"{ledger['size'].capitalize()} size: of {len(evidence)} {claims} that data can decide, {whole}."]
    if strong:
        sentences.append(f"Of {len(strong)} strong {'one' if len(strong) == 1 else 'ones'}, {firm}.")
    for judge, judged in ledger["judges"].items():
        if judged["claims"]:
            read = "one of these reads" if judged["claims"] == 1 else f"{judged['claims']} of these read"
            sentences.append(
                f"{judge} has run what {read}: by its cells {_said(judged['verdicts'])}, and {_shared(judged)}."
            )
    if checks:
        held = sum(claim["verdict"] == HOLDS for claim in checks)
        what = "check" if len(checks) == 1 else "checks"
        sentences.append(f"{held} of {len(checks)} {what} of the implementation {'holds' if held == 1 else 'hold'}.")
    lacking = sum(bool(claim["lacks"]) for claim in ledger["claims"])
    if lacking:
        reads = "reads an experiment" if lacking == 1 else "read experiments"
        sentences.append(f"{lacking} {reads} without results of this size.")
    if missing := len(ledger["claims"]) - len(evidence) - len(checks) - lacking:
        sentences.append(f"{missing} cannot be tested.")
    return sentences


def _shared(judged: Mapping[str, Any]) -> str:
    """Return how many verdicts by the cells of another implementation are those of Narrows."""
    if judged["claims"] == 1:
        return "Narrows has the same verdict" if judged["same"] else "Narrows has another verdict"
    if judged["same"] in {0, judged["claims"]}:
        return f"Narrows has the same verdict {'in all' if judged['same'] else 'in none'}"
    return f"Narrows has the same verdict in {judged['same']}"


def _said(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {_plural(verdict, count)}" for verdict, count in counts.items() if count) or "none"


def _plural(verdict: str, count: int) -> str:
    words = {HOLDS: "hold", "holds in direction only": "hold in direction only", FAILS: "fail"}
    if verdict == INCONCLUSIVE:
        return "is inconclusive" if count == 1 else "are inconclusive"
    return verdict if count == 1 else words.get(verdict, verdict)
