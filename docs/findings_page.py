# SPDX-License-Identifier: Apache-2.0
"""What the published studies are known for, and whether it is so here: a table of each, and one page of all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cards import cell
from quoted import entries

from narrows._internal.plural import counted
from narrows._internal.reproduction.findings import Finding, findings
from narrows._internal.reproduction.ledger import STATED
from narrows._internal.reproduction.predicate import HOLDS
from narrows._internal.reproduction.registry import origin_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows._internal.reproduction.registry import StudyFolder


def found_in(study: StudyFolder, ledgers: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """Return what a study is known for, by its larger size, or the quick one where only that has run."""
    tables = {each["title"]: each for content in reversed(study.tables) for each in content["tables"]}
    return findings(study.published, entries(ledgers), list(tables.values()))


def table(found: Iterable[Finding], claims: str) -> str:
    """Return findings as a table; `claims` is the path of the page of all claims."""
    lines = ["| the source says | here | our numbers | the source's | claims |", "|---|---|---|---|---|"]
    for each in found:
        rests_on = ", ".join(f"[{claim['id']}]({claims}#claim-{claim['id']})" for claim in each.claims)
        verdict = f"**{each.verdict}**{mark(each.claims)}"
        texts = (each.says, verdict, each.ours or "-", each.theirs or "-", rests_on)
        lines.append(f"| {' | '.join(cell(text) for text in texts)} |")
    return "\n".join(lines)


def mark(claims: Iterable[Mapping[str, Any]]) -> str:
    """Return the mark of a verdict that rests on results of an earlier simulator; empty if it does not."""
    return " (earlier simulator)" if any(claim["outdated"] for claim in claims) else ""


def counts(found: Sequence[Finding], *, others: bool = True) -> str:
    """Return how many findings hold, and how many have another verdict if asked for, as a clause."""
    number = Counter(each.verdict for each in found)
    rest = [f"{verdict}: {number[verdict]}" for verdict in STATED if verdict != HOLDS and number[verdict]]
    held = f"{number[HOLDS]} of {counted(len(found), 'headline')} hold"
    return f"{held} ({', '.join(rest)})" if rest and others else held


def page(studies: Sequence[tuple[StudyFolder, Sequence[Mapping[str, Any]]]]) -> str:
    """Return the page of what all studies are known for."""
    found = {study.name: found_in(study, ledgers) for study, ledgers in studies}
    parts = [PREFACE, f"**{counts([each for own in found.values() for each in own])}.**", CAPTION]
    for study, ledgers in studies:
        origins = [f"{ledger['size']} size: {origin_text(study.origin(ledger))}" for ledger in ledgers]
        number = study.published.number
        parts += [
            f"## Study {number}: {study.published.title}",
            f"{study.published.source}: {counts(found[study.name])}. [The study's page](studies/{study.name}.md).",
            f"{'; '.join(origins)}.",
            table(found[study.name], "studies/claims.md"),
        ]
    return "\n\n".join(parts) + "\n"


PREFACE = """\
# What five papers found, and whether it is so here

What each [published study](reproduce.md) is known for, in our words, beside the verdict of `narrows reproduce` and the
numbers of both."""
CAPTION = """\
*A sentence rests on claims, each a test on the results of simulations. It has the verdict of the worst of them, which
comes first: it holds if all do. Where no number is named, ours is the number of the claim's test, and the page of the
claim describes it.*"""
