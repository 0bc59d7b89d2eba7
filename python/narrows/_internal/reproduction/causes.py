# SPDX-License-Identifier: Apache-2.0
"""The claims of a ledger that do not hold, by the class of their cause. Pure functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from narrows._internal.reproduction.claims import OPEN, OURS, SET_UP, SOURCE
from narrows._internal.reproduction.ledger import NOT_TESTABLE
from narrows._internal.reproduction.predicate import HOLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Entry = Mapping[str, Any]


def by_class(claims: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the claims that were judged and do not hold, by the heading of the class of their cause."""
    found: dict[str, list[Entry]] = {heading: [] for heading in HEADINGS.values()}
    for claim in claims:
        if claim["verdict"] not in {HOLDS, NOT_TESTABLE}:
            found[HEADINGS[whose_of(claim)]].append(claim)
    return {heading: own for heading, own in found.items() if own}


def whose_of(claim: Entry) -> str:
    """Return the class of the cause of a claim, one of `CLASSES`; empty if none is given."""
    explained = claim["explained"]
    return str(explained["whose"]) if explained else ""


def evidence_of(claim: Entry) -> list[str]:
    """Return the evidence for the cause of a claim: runs, variants and implementations with their verdicts."""
    # Of a cause without a class, these are the variants under which the verdict differs, and all implementations.
    if claim["explained"]:
        shown = {each["what"]: each["verdict"] for each in claim["explained"]["evidence"]}
    else:
        shown = {name: verdict for name, verdict in (claim["variants"] or {}).items() if verdict != claim["verdict"]}
        shown |= {name: judged["verdict"] for name, judged in (claim["judged"] or {}).items()}
    # A variant without a run shows nothing.
    return [f"{what}: {verdict}" if verdict else what for what, verdict in shown.items() if verdict or what[-1] == "."]


def decides_of(claim: Entry) -> str:
    """Return the missing evidence for the cause of a claim, with the variants and implementations yet to run."""
    explained = claim["explained"] or {"evidence": [], "decides": None}
    waits = [each["what"] for each in explained["evidence"] if not each["verdict"] and each["what"][-1] != "."]
    return "; ".join(
        [*([explained["decides"]] if explained["decides"] else []), *(f"a run of {each}" for each in waits)]
    )


def sentences(text: str) -> list[str]:
    """Return the sentences of a text: each ends at a full stop before a capital letter, a number or a parenthesis."""
    return [each for each in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9(*])", text.strip()) if each]


def shortened(text: str) -> str:
    """Return the first sentences of a text, as many as a row of a table has."""
    every = sentences(text)
    return " ".join(every[:LONGEST]) + (" …" if len(every) > LONGEST else "")


# The headings of claims that do not hold, in their order.
HEADINGS: Mapping[str, str] = {
    OURS: "ours", SOURCE: "the source's", SET_UP: "set-up", OPEN: "open", "": "not classified",
}  # fmt: skip
# The most sentences of a cause.
LONGEST = 2
