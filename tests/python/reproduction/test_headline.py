# SPDX-License-Identifier: Apache-2.0
"""Truth: product. The summary of a ledger in sentences, for none, one and several of whatever it counts."""

from __future__ import annotations

from typing import Any

import pytest

from narrows._internal.reproduction.headline import by_strength, headline
from narrows._internal.reproduction.ledger import counted_verdicts


def entry(  # noqa: PLR0913  # what a summary reads
    verdict: str,
    *,
    strength: str = "medium",
    check: bool = False,
    lacks: list[str] | None = None,
    bound: str | None = None,
    many: bool = False,
) -> dict[str, Any]:
    """Return what a summary reads of a claim."""
    return {
        "verdict": verdict,
        "strength": strength,
        "check": check,
        "lacks": lacks,
        "bound": bound,
        "cause": None,
        "many_seeds": many,
    }


def summary(*claims: dict[str, Any], judged: tuple[int, int] | None = None, size: str = "quick") -> list[str]:
    """Return the sentences on these claims; `judged` is how many others have judged, and with the same verdict."""
    judges = {}
    if judged:
        count, same = judged
        judges["ns-2"] = {"claims": count, "same": same, "verdicts": counted_verdicts([entry("holds")] * count)}
    return headline({"size": size, "claims": claims, "judges": judges})


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([], "of 0 claims tested on data, none."),
        (["holds"], "of 1 claim tested on data, 1 holds."),
        (["inconclusive"], "of 1 claim tested on data, 1 is inconclusive."),
        (["fails", "holds"], "of 2 claims tested on data, 1 holds, 1 fails."),
        (["holds in direction only"], "of 1 claim tested on data, 1 holds in direction only."),
        (
            ["holds", "holds", "fails", "fails", "inconclusive", "inconclusive"],
            "of 6 claims tested on data, 2 hold, 2 fail, 2 are inconclusive.",
        ),
        (["holds in direction only"] * 2, "of 2 claims tested on data, 2 hold in direction only."),
    ],
)
def test_verdicts_are_counted(verdicts: list[str], said: str) -> None:
    assert summary(*(entry(verdict) for verdict in verdicts)) == [f"Quick size: {said}"]


@pytest.mark.parametrize(("count", "said"), [(1, "Of 1 strong one, 1 fails."), (2, "Of 2 strong ones, 2 fail.")])
def test_strong_claims_are_counted_apart(count: int, said: str) -> None:
    assert summary(*[entry("fails", strength="strong")] * count)[1] == said
    assert len(summary(*[entry("fails")] * count)) == 1


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ((1, 1), "what one of these reads: by its cells 1 holds, and Narrows has the same verdict."),
        ((1, 0), "what one of these reads: by its cells 1 holds, and Narrows has another verdict."),
        ((2, 2), "what 2 of these read: by its cells 2 hold, and Narrows has the same verdict in all."),
        ((2, 0), "what 2 of these read: by its cells 2 hold, and Narrows has the same verdict in none."),
        ((3, 1), "what 3 of these read: by its cells 3 hold, and Narrows has the same verdict in 1."),
    ],
)
def test_other_judges_are_compared(judged: tuple[int, int], said: str) -> None:
    assert summary(entry("holds"), judged=judged)[-1] == f"ns-2 has run {said}"


def test_a_judge_of_nothing_is_not_named() -> None:
    assert len(summary(entry("holds"), judged=(0, 0))) == 1


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["holds"], "1 of 1 check of the implementation holds."),
        (["fails"], "0 of 1 check of the implementation hold."),
        (["holds", "fails"], "1 of 2 checks of the implementation holds."),
        (["holds"] * 2, "2 of 2 checks of the implementation hold."),
    ],
)
def test_checks_of_the_implementation_are_counted_apart(verdicts: list[str], said: str) -> None:
    assert summary(*(entry(verdict, check=True) for verdict in verdicts))[1:] == [said]


def test_what_cannot_be_tested_is_counted_apart() -> None:
    assert summary(entry("not testable"), entry("holds")) == [
        "Quick size: of 1 claim tested on data, 1 holds.", "1 cannot be tested.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "1 reads an experiment without results"), (2, "2 read experiments without results")],
)
def test_what_a_size_has_not_run_is_counted_apart(count: int, said: str) -> None:
    lacking = [entry("not testable", lacks=["large"]), entry("not testable", check=True, lacks=["large"])]
    claims = (entry("not testable"), *lacking[:count], entry("holds", check=True))
    assert summary(*claims, size="medium")[1:] == [
        "1 of 1 check of the implementation holds.", f"{said} of this size.", "1 cannot be tested.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ([None, None], []),
        (["ours", None], ["1 that cannot be decided lies on a bound of our own, which more seeds do not settle."]),
        (["ours", "ours"], ["2 that cannot be decided lie on bounds of our own, which more seeds do not settle."]),
    ],
)
def test_claims_on_a_bound_of_our_own_cannot_be_decided(bounds: list[str | None], said: list[str]) -> None:
    claims = [entry("inconclusive", bound=each) for each in bounds]
    # What is decided lies on no bound.
    assert summary(*claims, entry("holds", bound="ours"))[1:] == said


def test_what_more_seeds_than_a_thousand_would_decide_is_counted_apart_from_what_is_open() -> None:
    some, own = entry("inconclusive", many=True), entry("inconclusive", bound="ours", many=True)
    assert summary(some, entry("inconclusive")) == [
        "Quick size: of 2 claims tested on data, 1 is inconclusive, 1 cannot be decided.",
        "1 that cannot be decided would take more than 1000 seeds.",
    ]
    assert summary(some, some, own)[-1] == "2 that cannot be decided would take more than 1000 seeds."
    assert len(summary(entry("inconclusive"))) == 1
    found = by_strength([some, own, entry("inconclusive"), entry("holds", bound="ours")])["medium"]
    assert (found["inconclusive"], found["cannot be decided"], found["holds"]) == (1, 2, 1)


def test_checks_have_a_row_of_their_own_whatever_their_strength() -> None:
    claims = [entry("holds", strength="strong"), entry("holds", strength="strong", check=True), entry("fails")]
    found = by_strength([*claims, entry("fails", check=True)])
    assert list(found) == ["strong", "medium", "checks"]
    assert [(each["holds"], each["fails"]) for each in found.values()] == [(1, 0), (0, 1), (1, 1)]
