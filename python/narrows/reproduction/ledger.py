"""The ledger: every claim of a study with its verdict, as plain data. The same cells give the same ledger."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE
from narrows.reproduction.quantity import Asked, QuantityError
from narrows.statistics import t_quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.reproduction.claims import Claim, Published
    from narrows.reproduction.predicate import Outcome, Test
    from narrows.reproduction.quantity import Cells

NOT_TESTABLE = "not testable"
MANY = 1000
VERDICTS = (HOLDS, FAILS, INCONCLUSIVE, NOT_TESTABLE)


@dataclass(frozen=True)
class Found:
    """The results of experiments.

    Attributes:
        cells: Rows of cells by experiment.
        varied: Rows of cells by variant and experiment, for the experiments that a variant changes.
        factors: Names of the columns whose levels distinguish the cells, by experiment.
    """

    cells: Cells
    varied: Mapping[str, Cells]
    factors: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def under(self, variant: str) -> Cells:
        """Return the cells under a variant: its own, and those without a variant at levels for which it has none."""
        return {**self.cells, **{name: self._mixed(name, own) for name, own in self.varied[variant].items()}}

    def _mixed(self, experiment: str, own: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        # A factor of one level distinguishes no cells, and a variant may give it another.
        names = [
            name for name in self.factors.get(experiment, ()) if len({row[name] for row in self.cells[experiment]}) > 1
        ]
        replaced = {tuple(row[name] for name in names) for row in own}
        left = [row for row in self.cells[experiment] if tuple(row[name] for name in names) not in replaced]
        return Asked([*left, *own])


def ledger(name: str, published: Published, size: str, seed: int, found: Found) -> dict[str, Any]:
    """Judge every claim of a study.

    Args:
        name: Name of the study.
        published: The study with its claims.
        size: "quick" or "full".
        seed: Master seed of the experiments.
        found: Results of its experiments.

    Raises:
        InputError: A claim refers to cells or columns that no experiment has.
    """
    claims = [evaluate(claim, size, _concerning(claim, published, found)) for claim in published.claims]
    counts = Counter(claim["verdict"] for claim in claims)
    return {
        "study": name,
        "number": published.number,
        "title": published.title,
        "source": published.source,
        "size": size,
        "seed": seed,
        "digest": _digest(found),
        "experiments": {experiment: _work(rows) for experiment, rows in found.cells.items()},
        "verdicts": {verdict: counts[verdict] for verdict in VERDICTS},
        "claims": claims,
    }


def _concerning(claim: Claim, published: Published, found: Found) -> Found:
    """Leave away the variants that are not tried on a claim."""
    tried = [each.name for each in published.variants if each.concerns(claim.id)]
    return replace(found, varied={name: cells for name, cells in found.varied.items() if name in tried})


def evaluate(claim: Claim, size: str, found: Found) -> dict[str, Any]:
    """Judge a claim; arguments are those of `ledger`.

    Returns:
        The entry of the claim in the ledger.

    Raises:
        InputError: The claim refers to cells or columns that no experiment has.
    """
    entry: dict[str, Any] = {
        "id": claim.id, "verdict": NOT_TESTABLE, "strength": claim.strength, "statement": claim.statement,
        "place": claim.place, "source_supports": claim.supported, "published": claim.published or None,
        "effect": None, "ci95": None, "unit": None, "bounds": None, "seeds": 0, "effect_of": None, "parts": None,
        "cells": None, "magnitude": None, "cause": claim.not_testable or None, "variant": None,
        "variants": None, "note": claim.note or None,
    }  # fmt: skip
    if claim.direction is None:
        return entry
    missing = sorted(claim.direction.experiments() - set(found.cells))
    if missing:
        entry["cause"] = f"the {size} size leaves out the experiment {', '.join(missing)}"
        return entry
    outcome = _try(claim, claim.direction, found.cells)
    varied = _varied(claim, claim.direction, found)
    entry |= {
        "verdict": outcome.verdict, "effect": outcome.effect, "ci95": _listed(outcome), "unit": outcome.unit or None,
        "bounds": list(outcome.bounds), "seeds": outcome.seeds, "effect_of": outcome.of,
        "parts": f"{outcome.held} of {outcome.parts}",
        "cells": {"count": len(outcome.cells), "digest": _short_digest(outcome.cells)},
        "magnitude": _magnitude(claim, found.cells), "cause": _cause(claim, outcome),
        "variant": _flips(outcome, varied), "variants": varied or None,
    }  # fmt: skip
    return entry


def _try(claim: Claim, test: Test, cells: Cells) -> Outcome:
    try:
        return test.judge(cells, {})
    except QuantityError as error:
        raise InputError(f"claim {claim.id}", str(error)) from error


def _magnitude(claim: Claim, cells: Cells) -> dict[str, Any] | None:
    asked = claim.magnitude
    if asked is None or asked.test.experiments() - set(cells):
        return None
    outcome = _try(claim, asked.test, cells)
    met = {HOLDS: True, FAILS: False, INCONCLUSIVE: None}[outcome.verdict]
    return {
        "met": met, "whose": asked.whose, "effect": outcome.effect, "ci95": _listed(outcome), "effect_of": outcome.of,
    }  # fmt: skip


def _cause(claim: Claim, outcome: Outcome) -> str | None:
    if outcome.verdict == HOLDS:
        return None
    known = claim.cause or "not known"
    if outcome.effect is None:
        return f"no cell has a value; {known}"
    if outcome.verdict == INCONCLUSIVE:
        undecided = f"the interval over {outcome.seeds} seeds lies on both sides"
        needed = seeds_that_decide(outcome)
        return (
            f"{undecided}, {needed} would decide if mean and spread stay; {known}"
            if needed
            else f"{undecided}; {known}"
        )
    return known


def seeds_that_decide(outcome: Outcome) -> str:
    """Return the number of replications whose interval would exclude the nearest bound, with the same mean and spread.

    Returns:
        Text such as "about 12" or "more than 1000"; empty if the interval has no width.
    """
    if outcome.ci95 is None or outcome.effect is None or outcome.ci95[1] <= outcome.ci95[0]:
        return ""
    away = min(abs(outcome.effect - bound) for bound in outcome.bounds if bound is not None)
    half = (outcome.ci95[1] - outcome.ci95[0]) / 2
    spread = half * math.sqrt(outcome.seeds) / t_quantile(outcome.seeds - 1)
    for seeds in range(2, MANY + 1):
        if t_quantile(seeds - 1) * spread / math.sqrt(seeds) < away:
            return f"about {seeds}"
    return f"more than {MANY}"


def _varied(claim: Claim, test: Test, found: Found) -> dict[str, str]:
    """Return the verdict under each variant that the test looks at."""
    return {
        name: _try(claim, test, found.under(name)).verdict
        for name, other in found.varied.items()
        if test.experiments() & set(other)
    }


def _flips(outcome: Outcome, varied: Mapping[str, str]) -> str | None:
    """Return the first variant under which a claim that holds fails, or one that does not hold holds."""
    for name, changed in varied.items():
        if HOLDS in {changed, outcome.verdict} and changed not in {outcome.verdict, INCONCLUSIVE}:
            return name
    return None


def _listed(outcome: Outcome) -> list[float] | None:
    return list(outcome.ci95) if outcome.ci95 else None


def _work(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    replications = len({row["replication"] for row in rows})
    return {"cells": len(rows), "seeds": replications}


def _digest(found: Found) -> str:
    parts = [("", name, rows) for name, rows in found.cells.items()]
    parts += [(variant, name, rows) for variant, each in found.varied.items() for name, rows in each.items()]
    # Not the cells' keys: another build that computes the same bits has the same ledger.
    entries = (
        f"{variant} {name} {row['digest']} {row['replication']}" for variant, name, rows in parts for row in rows
    )
    return "sha256:" + hashlib.sha256("\n".join(sorted(entries)).encode()).hexdigest()


def _short_digest(keys: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(sorted(keys)).encode()).hexdigest()[:16]
