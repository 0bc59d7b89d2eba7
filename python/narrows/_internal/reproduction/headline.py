# SPDX-License-Identifier: Apache-2.0
"""A summary of a ledger in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows._internal.plural import counted
from narrows._internal.reproduction.claims import STRENGTHS
from narrows._internal.reproduction.ledger import (
    MANY,
    NOT_TESTABLE,
    RETESTED,
    UNDECIDABLE,
    counted_stated,
    evidence_in,
    stated,
)
from narrows._internal.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def headline(ledger: Mapping[str, Any]) -> list[str]:
    """Return the verdicts on the claims tested on data, then sentences on the others and on other judges."""
    evidence = evidence_in(ledger["claims"])
    strong = [claim for claim in evidence if claim["strength"] == "strong"]
    whole, firm = _said(counted_stated(evidence)), _said(counted_stated(strong))
    claims = "claim" if len(evidence) == 1 else "claims"
    sentences = [f"{ledger['size'].capitalize()} size: of {len(evidence)} {claims} tested on data, {whole}."]
    if strong:
        sentences.append(f"Of {len(strong)} strong {'one' if len(strong) == 1 else 'ones'}, {firm}.")
    undecidable = [claim for claim in evidence if stated(claim) == UNDECIDABLE]
    if own := sum(claim["bound"] is not None for claim in undecidable):
        lie = "lies on a bound of our own, which" if own == 1 else "lie on bounds of our own, which"
        sentences.append(f"{own} that cannot be decided {lie} more seeds do not settle.")
    if many := sum(claim["bound"] is None for claim in undecidable):
        sentences.append(f"{many} that cannot be decided would take more than {MANY} seeds.")
    for judge, judged in ledger["judges"].items():
        if judged["claims"]:
            read = "one of these reads" if judged["claims"] == 1 else f"{judged['claims']} of these read"
            sentences.append(
                f"{judge} has run what {read}: by its cells {_said(judged['verdicts'])}, and {_shared(judged)}."
            )
    if checks := checked(ledger["claims"]):
        sentences.append(f"{checks}.")
    lacking = sum(bool(claim["lacks"]) for claim in ledger["claims"])
    if lacking:
        reads = "reads an experiment" if lacking == 1 else "read experiments"
        sentences.append(f"{lacking} {reads} without results of this size.")
    untested = [claim for claim in ledger["claims"] if claim["verdict"] == NOT_TESTABLE and not claim["lacks"]]
    if again := sum(claim["cause"] == RETESTED for claim in untested):
        sentences.append(f"{again} {'has another test' if again == 1 else 'have other tests'} now, and no verdict.")
    if missing := len(untested) - again:
        sentences.append(f"{missing} cannot be tested.")
    return sentences


def by_strength(claims: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return the number of claims with each verdict by the strength of its statement, and of `checks` apart."""
    rows = {each: [claim for claim in claims if claim["strength"] == each] for each in STRENGTHS}
    found = {each: [claim for claim in own if not claim["check"]] for each, own in rows.items()}
    found["checks"] = [claim for claim in claims if claim["check"]]
    return {name: counted_stated(own) for name, own in found.items() if own}


def checked(claims: Sequence[Mapping[str, Any]]) -> str:
    """Return how many checks of the implementation hold, as a clause; empty if there are none."""
    checks = [claim for claim in claims if claim["check"] and claim["verdict"] != NOT_TESTABLE]
    held = sum(claim["verdict"] == HOLDS for claim in checks)
    many = counted(len(checks), "check")
    return f"{held} of {many} of the implementation {'holds' if held == 1 else 'hold'}" if checks else ""


def _shared(judged: Mapping[str, Any]) -> str:
    """Return how many verdicts by the cells of another implementation agree with Narrows."""
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
