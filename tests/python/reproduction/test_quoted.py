# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. What prose quotes of ledgers is taken from them, or compared with them."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from quoted import contradictions, quoted

from narrows._internal.reproduction.registry import published_studies

if TYPE_CHECKING:
    from narrows._internal.reproduction.registry import StudyFolder


def entry(name: str, verdict: str, seeds: int = 7, **more: Any) -> dict[str, Any]:
    """Return what prose may quote of a claim."""
    rest = {
        "effect": 0.97312,
        "ci95": [0.95, 0.99],
        "unit": "s",
        "lacks": None,
        "check": False,
        "variants": None,
        "cause": None,
    }
    return {"id": name, "verdict": verdict, "seeds": seeds, "judged": None, **rest, **more}


LARGE = {
    "size": "medium",
    "claims": [
        entry("002-010", "holds"),
        entry("002-012", "fails", variants={"half of it": "holds"}),
        entry("002-005", "inconclusive", 5, judged={"ns-2": {"verdict": "fails"}}),
        entry("002-041", "fails"),
        entry("002-042", "fails"),
        entry("002-047", "not testable", lacks=["large"], effect=None, ci95=None),
        entry("002-050", "inconclusive", check=True),
    ],
}
SMALL = {
    "size": "quick",
    "claims": [{**each, "verdict": "holds", "seeds": 5, "lacks": None} for each in LARGE["claims"]],  # type: ignore[dict-item]
}
LEDGERS: list[dict[str, Any]] = [LARGE, SMALL]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # Without a mark these are wrong, each in its way: all were once on a page.
        ("CUBIC and FAST are steady, and 002-012, which holds in the quick size, is open.", ["002-012 is open"]),
        ("* **Other inconclusive claims** need more seeds (002-005, 002-010).", ["002-010 inconclusive"]),
        (
            "* **Other inconclusive claims** need seeds (002-005), have\nparts that end alike (002-041, 002-042).",
            ["002-041 inconclusive", "002-042 inconclusive"],
        ),
        ("Parts in which all five\nseeds are equal, which says too little (002-041).", ["five seeds of 002-041"]),
        ("STCP does not in any of five seeds (002-041), nor does HSTCP (002-005).", ["five seeds of 002-041"]),
        # Other forms.
        ("**Fails: it falls** (002-010) and more.", ["002-010 Fails"]),
        ("**Holds with length**: HTCP uses least (002-010), and FAST most (002-005, open); not STCP (002-012).",
         ["002-012 Holds"]),
        ("It does (002-010, open).", ["002-010 open"]),
        ("002-010 and 002-012 hold.", ["002-012 hold"]),
        ("002-010, 002-005 and 002-041 fail, as it should be.", ["002-010 fail", "002-005 fail"]),
        ("In the quick size 002-010 fails.", ["002-010 fails"]),
        ("002-012 fails in the quick size.", ["002-012 fails"]),
        ("002-005 stays open. 002-010 is inconclusive", ["002-010 is inconclusive"]),
    ],
)  # fmt: skip
def test_prose_that_contradicts_a_ledger_is_found(text: str, said: list[str]) -> None:
    assert [each.partition(";")[0] for each in contradictions(text, LEDGERS)] == said


@pytest.mark.parametrize(
    "text",
    [
        "002-010 holds, 002-012 fails and 002-005 is open.",
        "002-012, which holds in the quick size, fails.",
        "If it ends there, 002-010 fails. With half of it (variant) 002-012 holds.",
        "**Fails: it falls** (002-012). It is 3 (002-010).",
        "In the quick size all five seeds are equal (002-041).",
        "Then 002-012 {verdict: 002-012, half of it}, and it is not (002-005, open).",
        "In the quick size 002-012 holds.",
        "The claims 002-012 and 002-041 fail.",
        "No claim at all is open.",
    ],
)
def test_prose_that_agrees_with_a_ledger_is_left_alone(text: str) -> None:
    assert contradictions(text, LEDGERS) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{verdict: 002-012}", "fails"),
        ("{verdict: 002-005}", "is inconclusive"),
        ("{verdict: 002-012, quick}", "holds"),
        ("{verdict: 002-012, half of it}", "holds"),
        ("{verdict: 002-005, ns-2}", "fails"),
        # The larger size has not run it.
        ("{verdict: 002-047}", "holds"),
        ("{effect: 002-010}", "0.973 s (0.95 to 0.99)"),
        ("{seeds: 002-041} and {seeds: 002-041, quick}", "7 and 5"),
        ("{claims: inconclusive}", "002-005"),
        ("{claims: fails, quick}", "none"),
        ("as {this} is", "as {this} is"),
    ],
)
def test_a_mark_stands_for_what_the_ledger_has(text: str, expected: str) -> None:
    assert quoted(text, LEDGERS) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{verdict: 002-099}", "no ledger has a claim 002-099"),
        ("{seeds: 002-099, quick}", "no ledger of the quick size has"),
        ("{verdict: 002-012, all of it}", "no ledger has a verdict on 002-012 under 'all of it'"),
        ("{claims: open}", "'open' is no verdict; there are holds"),
        ("{effect: 002-047, medium}", "002-047 has no number"),
    ],
)
def test_a_mark_of_what_is_not_there_is_an_error(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        quoted(text, LEDGERS)


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_what_is_written_of_published_studies_does_not_contradict_their_ledgers(study: StudyFolder) -> None:
    ledgers = [each for each in (study.ledger, study.ledger_quick) if each]
    account = tomllib.loads((study.folder / "account.toml").read_text(encoding="utf-8"))
    texts = [(study.folder / "discussion.md").read_text(encoding="utf-8")]
    # Changes say what verdicts were.
    texts += [text for kind in ("deviations", "threats") for each in account[kind] for text in each.values()]
    texts += [claim.cause.text for claim in study.published.claims]
    assert [each for text in texts for each in contradictions(text, ledgers)] == []
