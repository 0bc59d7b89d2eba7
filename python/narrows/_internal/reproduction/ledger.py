# SPDX-License-Identifier: Apache-2.0
"""The ledger: every claim of a study with its verdict, as plain data. The same cells give the same ledger."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.files.format import numbered
from narrows._internal.frozen import frozen
from narrows._internal.plural import counted
from narrows._internal.reproduction.claims import AS_DESCRIBED, OURS, Cause, Claim, Published
from narrows._internal.reproduction.intervals import EQUAL, SEQUENCES
from narrows._internal.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE, Outcome, Rule, Test
from narrows._internal.reproduction.quantity import Asked, LackingError, QuantityError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows._internal.reproduction.quantity import Cells

Item = TypeVar("Item")


class Watched(Protocol):
    """Yields what it is given, and may report the progress."""

    def __call__(self, given: Sequence[Item], /) -> Iterable[Item]:
        """Return the items in their order."""


def unwatched(given: Sequence[Item]) -> Iterable[Item]:
    """Return what is given."""
    return given


DIRECTION_ONLY, NOT_TESTABLE = "holds in direction only", "not testable"
VERDICTS = (HOLDS, DIRECTION_ONLY, FAILS, INCONCLUSIVE, NOT_TESTABLE)
# What is stated of claims: of those that are inconclusive, apart which lie on a bound of ours or take too many seeds.
UNDECIDABLE = "cannot be decided"
STATED = (HOLDS, DIRECTION_ONLY, FAILS, INCONCLUSIVE, UNDECIDABLE, NOT_TESTABLE)


@frozen
class Found:
    """The results of experiments."""

    cells: Cells  # by experiment
    varied: Mapping[str, Cells]  # by variant and experiment, for the experiments that a variant changes
    # Columns whose levels distinguish the cells, by experiment.
    factors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Of the experiments with replications that were added for open claims: all rows, with these.
    grown: Cells = field(default_factory=dict)
    judges: Mapping[str, Cells] = field(default_factory=dict)  # by implementation and experiment

    def under(self, form: str) -> Cells:
        """Return the cells of a variant or another implementation, or the described ones; none if it has not run."""
        # A variant has its own cells, and the described ones of levels or algorithms that it lacks.
        if form == AS_DESCRIBED:
            return self.cells
        if form not in self.varied:
            return self.judges.get(form, {})
        # A variant lacks cells that it takes over from an unfinished experiment.
        own = {name: each for name, each in self.varied[form].items() if name in self.cells}
        return {**self.cells, **{name: self._mixed(name, each) for name, each in own.items()}}

    def _mixed(self, experiment: str, own: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        # A factor of one level distinguishes no cells, and a variant may give it another.
        names = [
            name for name in self.factors.get(experiment, ()) if len({row[name] for row in self.cells[experiment]}) > 1
        ]
        names.append("algorithm")
        replaced = {tuple(row.get(name) for name in names) for row in own}
        left = [row for row in self.cells[experiment] if tuple(row.get(name) for name in names) not in replaced]
        return Asked([*left, *own])


def ledger(  # noqa: PLR0913  # each is a part of the content
    name: str,
    published: Published,
    size: str,
    seed: int,
    found: Found,
    *,
    watched: Watched = unwatched,
) -> dict[str, Any]:
    """Judge every claim of a study; `watched` yields them, and may report the progress."""
    claims = [evaluate(claim, size, _concerning(claim, published, found)) for claim in watched(published.claims)]
    evidence = evidence_in(claims)
    content = {
        "study": name,
        "number": published.number,
        "title": published.title,
        "source": published.source,
        "size": size,
        "seed": seed,
        "digest": _digest(found),
        "digest_schema": core.digest_schema(),
        "experiments": {name: _work(rows, found.factors.get(name, ())) for name, rows in found.cells.items()},
        "verdicts": counted_verdicts(claims),
        "evidence": counted_verdicts(evidence),
        "judges": {judge: _agreeing(judge, evidence) for judge in found.judges},
        "claims": claims,
    }
    return numbered(LEDGER, content)


def upgraded(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ledger of the previous format in the present one."""
    # In published results, `outdated` lists the changes of results since then; None for results of the present engine.
    return {**content, "outdated": None, "claims": [{**UNSTATED, **claim} for claim in content["claims"]]}


def aged(content: Mapping[str, Any], since: str, published: Published) -> dict[str, Any]:
    """Return a ledger of an earlier simulator, with the changes `since` at each verdict."""
    # A claim whose test has changed has no verdict until it is judged again.
    known = {entry["id"]: entry for entry in content["claims"]}
    again = [
        known[claim.id]
        if claim.id in known and known[claim.id]["test"] == digest_of_test(claim)
        else {**unjudged(claim), "test": None, "cause": RETESTED}
        for claim in published.claims
    ]
    claims = [{**entry, "outdated": since} for entry in again]
    evidence = evidence_in(claims)
    judges = {judge: _agreeing(judge, evidence) for judge in content["judges"]}
    counts = {"verdicts": counted_verdicts(claims), "evidence": counted_verdicts(evidence), "judges": judges}
    return {**content, **counts, "outdated": since, "claims": claims}


def digest_of_tests(content: Mapping[str, Any]) -> str:
    """Return a digest of the tests by which the claims of a ledger were judged."""
    return _short_digest(f"{claim['id']} {claim['test']}" for claim in content["claims"])


def evidence_in(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the claims tested on data: no checks of the implementation."""
    return [claim for claim in claims if not claim["check"] and claim["verdict"] != NOT_TESTABLE]


def counted_verdicts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of claims with each verdict."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def stated(claim: Mapping[str, Any]) -> str:
    """Return the verdict of a claim; that it cannot be decided if no number of seeds up to `MANY` would."""
    undecidable = claim["verdict"] == INCONCLUSIVE and (claim["bound"] is not None or claim["many_seeds"])
    return UNDECIDABLE if undecidable else str(claim["verdict"])


def counted_stated(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of claims with each of `STATED`."""
    counts = Counter(stated(claim) for claim in claims)
    return {each: counts[each] for each in STATED}


def _agreeing(judge: str, claims: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the verdicts by another implementation's cells, and how often Narrows has the same one."""
    own = [claim for claim in claims if judge in (claim["judged"] or {})]
    verdicts = counted_verdicts({"verdict": claim["judged"][judge]["verdict"]} for claim in own)
    same = sum(claim["judged"][judge]["verdict"] == claim["verdict"] for claim in own)
    return {"claims": len(own), "same": same, "verdicts": verdicts}


def _concerning(claim: Claim, published: Published, found: Found) -> Found:
    """Leave out the variants that are not tried on a claim."""
    tried = [each.name for each in published.variants if each.concerns(claim.id)]
    return replace(found, varied={name: cells for name, cells in found.varied.items() if name in tried})


def evaluate(claim: Claim, size: str, found: Found) -> dict[str, Any]:
    """Return the entry of a claim in the ledger."""
    entry = unjudged(claim)
    if claim.direction is None:
        return entry
    missing = sorted(claim.direction.experiments() - set(found.cells))
    if missing:
        cause = f"the {size} size has no results of the experiment {', '.join(missing)}"
        return entry | {"cause": cause, "lacks": missing}
    fixed = Rule(deterministic=claim.check)
    try:
        outcome, magnitude = _judge(claim, claim.direction, found, fixed), _magnitude(claim, found, fixed)
        bound = claim.bound
        if outcome.verdict == INCONCLUSIVE and claim.magnitude and magnitude and magnitude["met"] is False:
            # The magnitude is certainly not met, whatever the direction.
            outcome, bound = _judge(claim, claim.magnitude.test, found, fixed), claim.magnitude.whose
    except LackingError as error:
        lacks = sorted(claim.direction.experiments())
        return entry | {"cause": f"the {size} size has not run what it reads: {error}", "lacks": lacks}
    verdict = _level(outcome, magnitude)
    varied = _varied(claim, found, fixed)
    judged = _judged(claim, found, fixed)
    entry |= {
        "verdict": verdict, "decided_by": None if verdict == INCONCLUSIVE else size,
        "bound": OURS if lies_on_ours(outcome, bound) else None, **_shown(outcome),
        "many_seeds": verdict == INCONCLUSIVE and MANY < outcome.needed.even < math.inf,
        "level": outcome.level, "method": outcome.method, "seeds": outcome.seeds, "late": outcome.late,
        "parts": f"{outcome.held} of {outcome.parts}",
        "cells": {"count": len(outcome.cells), "digest": _short_digest(outcome.cells)},
        "magnitude": magnitude, "cause": _cause(claim, verdict, outcome),
        "explained": None if verdict == HOLDS else _explained(claim.cause, varied, judged),
        "variant": _flips(verdict, varied), "variants": varied or None, "judged": judged or None,
    }  # fmt: skip
    return entry


def unjudged(claim: Claim) -> dict[str, Any]:
    """Return the entry of a claim without a verdict."""
    return {
        "id": claim.id, "verdict": NOT_TESTABLE, "decided_by": None, "strength": claim.strength, "check": claim.check,
        "test": digest_of_test(claim), "bound": None, "many_seeds": False, "statement": claim.statement,
        "place": claim.place, "source_supports": claim.supported, "published": claim.published or None,
        **_shown(None), "level": None, "method": None, "seeds": 0, "late": 0, "parts": None, "cells": None,
        "magnitude": None,
        "cause": claim.not_testable or None, "explained": None, "lacks": None, "variant": None, "variants": None,
        "judged": None, "note": claim.note or None,
    }  # fmt: skip


def lies_on_ours(outcome: Outcome, whose: str) -> bool:
    """Return whether the deciding bound is our own; the bound of an order, zero, is the source's."""
    return whose == OURS and outcome.bounds != (0.0, None)


def _shown(outcome: Outcome | None) -> dict[str, Any]:
    """Return the number of a test with its interval and its bounds."""
    if outcome is None:
        return dict.fromkeys(("effect", "ci95", "effect_of", "unit", "bounds")) | {"strict": False}
    return {
        "effect": outcome.effect, "ci95": list(outcome.ci95) if outcome.ci95 else None, "effect_of": outcome.of,
        "unit": outcome.unit or None, "bounds": list(outcome.bounds), "strict": outcome.strict,
    }  # fmt: skip


def _explained(
    cause: Cause, varied: Mapping[str, str], judged: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """Return a cause with its class, its evidence, verdicts under variants and judges, and the missing evidence."""
    if not cause.whose:
        return None
    verdicts = {**varied, **{name: each["verdict"] for name, each in judged.items()}}
    evidence = [{"what": each, "verdict": verdicts.get(each)} for each in cause.evidence]
    return {"whose": cause.whose, "evidence": evidence, "decides": cause.decides or None}


def digest_of_test(claim: Claim) -> str:
    """Return a digest of the tests of a claim's direction and magnitude."""
    return hashlib.sha256(repr((claim.direction, claim.magnitude)).encode()).hexdigest()[:16]


def _try(claim: Claim, test: Test, cells: Cells, rule: Rule) -> Outcome:
    try:
        return test.judge(cells, {}, rule)
    except LackingError:
        raise
    except QuantityError as error:
        raise InputError(f"claim {claim.id}", str(error)) from error


def _judge(claim: Claim, test: Test, found: Found, rule: Rule) -> Outcome:
    """Judge a test by the replications that every claim has; if it stays open, by all with always-valid intervals."""
    outcome = _try(claim, test, found.cells, rule)
    if outcome.verdict != INCONCLUSIVE or not test.experiments() & set(found.grown):
        return outcome
    return _try(claim, test, {**found.cells, **found.grown}, rule._replace(growing=True))


def _magnitude(claim: Claim, found: Found, rule: Rule) -> dict[str, Any] | None:
    asked = claim.magnitude
    if asked is None or asked.test.experiments() - set(found.cells):
        return None
    outcome = _judge(claim, asked.test, found, rule)
    met = {HOLDS: True, FAILS: False, INCONCLUSIVE: None}[outcome.verdict]
    return {"met": met, "whose": asked.whose, **_shown(outcome)}


def _level(outcome: Outcome, magnitude: Mapping[str, Any] | None) -> str:
    """Return the verdict on direction and magnitude together: both must be sure for a claim to hold."""
    if outcome.verdict == HOLDS and magnitude is not None and not magnitude["met"]:
        return DIRECTION_ONLY
    return outcome.verdict


def _cause(claim: Claim, verdict: str, outcome: Outcome) -> str | None:
    if verdict == HOLDS:
        return None
    known = claim.cause.text or "not known"
    if outcome.late and verdict == INCONCLUSIVE:
        known = f"{_late(outcome)}; {known}"
    if outcome.effect is None and outcome.late:
        return known
    if outcome.effect is None:
        return f"no cell has a value; {known}"
    if verdict == INCONCLUSIVE:
        return f"{_undecided(outcome)}; {known}"
    return known


def _late(outcome: Outcome) -> str:
    what = "neither had happened" if outcome.neither else "it had not happened"
    return f"{what} by the end in {counted(outcome.late, 'replication')}"


def _undecided(outcome: Outcome) -> str:
    if outcome.seeds == 1 and outcome.same:
        return f"all {outcome.same + 1} replications are the same run, and others could differ"
    undecided = f"the interval over {outcome.seeds} seeds lies on both sides"
    if outcome.method in {EQUAL, f"confidence sequence of {SEQUENCES[EQUAL]}"}:
        undecided = f"{outcome.seeds} seeds with one and the same value are too few for a verdict"
    needed = seeds_that_decide(outcome)
    return f"{undecided}, {needed} would decide if mean and spread stay" if needed else undecided


def seeds_that_decide(outcome: Outcome) -> str:
    """Return the number of replications that would decide, such as "about 12 (9 in 10: 31)"; empty if none would."""
    even, sure = outcome.needed
    if math.isinf(even):
        return ""
    if even > MANY:
        return f"more than {MANY}"
    if even == sure:
        return f"{even:.0f}"
    likely = f"{sure:.0f}" if sure <= MANY else f"more than {MANY}"
    return f"about {even:.0f} (with a chance of one half; {likely} with one of nine in ten)"


def _varied(claim: Claim, found: Found, rule: Rule) -> dict[str, str]:
    """Return the verdict under each variant whose own cells the test reads."""
    test = claim.direction
    if test is None:
        return {}
    verdicts = {}
    for name, other in found.varied.items():
        own = {row["digest"] for experiment in test.experiments() for row in other.get(experiment, ())}
        if not own:
            continue
        under = Found(found.under(name), {})
        with suppress(LackingError):
            outcome = _try(claim, test, under.cells, rule)
            if own.intersection(outcome.cells):
                verdicts[name] = _level(outcome, _magnitude(claim, under, rule))
    return verdicts


def _judged(claim: Claim, found: Found, rule: Rule) -> dict[str, dict[str, Any]]:
    """Return the verdict by the cells of each other implementation that has all cells of the claim."""
    judged = {}
    for name, cells in found.judges.items():
        if claim.direction is None or claim.direction.experiments() - set(cells):
            continue
        try:
            outcome = claim.direction.judge(cells, {}, rule)
            magnitude = _magnitude(claim, Found(cells, {}), rule)
        except (QuantityError, InputError):
            continue
        ci95 = list(outcome.ci95) if outcome.ci95 else None
        judged[name] = {
            "verdict": _level(outcome, magnitude), "effect": outcome.effect, "ci95": ci95, "seeds": outcome.seeds,
        }  # fmt: skip
    return judged


def _flips(verdict: str, varied: Mapping[str, str]) -> str | None:
    """Return the first variant that reverses the verdict of a claim."""
    for name, changed in varied.items():
        if HOLDS in {changed, verdict} and changed not in {verdict, INCONCLUSIVE}:
            return name
    return None


def _work(rows: Sequence[Mapping[str, Any]], factors: Sequence[str]) -> dict[str, Any]:
    """Return the number of an experiment's cells, and the one with the fewest packets, to be repeated as a sample."""
    replications = len({row["replication"] for row in rows})
    sample = min(rows, key=lambda row: row["packet_hops"])
    named = {name: sample[name] for name in (*factors, "algorithm", "replication", "digest")}
    return {"cells": len(rows), "seeds": replications, "sample": named}


def _digest(found: Found) -> str:
    parts = [("", name, rows) for name, rows in found.cells.items()]
    parts += [(variant, name, rows) for variant, each in found.varied.items() for name, rows in each.items()]
    parts += [("added", name, rows) for name, rows in found.grown.items()]
    # Not the cells' keys: another build that computes the same bits has the same ledger.
    entries = (
        f"{variant} {name} {row['digest']} {row['replication']}" for variant, name, rows in parts for row in rows
    )
    return "sha256:" + hashlib.sha256("\n".join(sorted(entries)).encode()).hexdigest()


def _short_digest(keys: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(sorted(keys)).encode()).hexdigest()[:16]


MANY = 1000
RETESTED = "its test is another than that by which this size was judged"
# Entries that claims of earlier ledgers lack.
UNSTATED: Mapping[str, Any] = {
    "many_seeds": False,
    "strict": False,
    "late": 0,
    "bound": None,
    "explained": None,
    "outdated": None,
}
LEDGER = "ledger.json"
