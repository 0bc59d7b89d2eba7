# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Causes of claims that do not hold: class, evidence with its verdict, and what decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from claim_files import claim, claims_file
from claims_page import failing

from narrows._internal.core import ScenarioError
from narrows._internal.report.reproduction.claims import claims as claims_of_report
from narrows._internal.reproduction.causes import by_class, decides_of, evidence_of, sentences, shortened
from narrows._internal.reproduction.claims import CLASSES, OPEN
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.ledger import NOT_TESTABLE, Found, evaluate
from narrows._internal.reproduction.predicate import HOLDS
from narrows._internal.reproduction.quantity import Asked
from narrows._internal.reproduction.registry import published_studies

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.reproduction.claims import Published

VARIANTS = """\
[[variants]]
name = "a slow link"
about = "Half the rate."
variant = "slow"
[[variants]]
name = "of another"
about = "Not tried here."
variant = "other"
claims = ["1-2"]
[[judges]]
name = "ns-2"
about = "Another."
cells = { one = "ns2.csv" }
"""
TEST = '{ is = { measure = "m", where = { algorithm = "a" } }, at_least = 5 }'


def study(folder: Path, cause: str) -> Published:
    file = folder / "claims.toml"
    first, second = claim("1-1", "It does", TEST), claim("1-2", "It does not", TEST)
    file.write_text(claims_file(1, first, cause, "\n", second, VARIANTS), encoding="utf-8")
    return read_claims(file)


def cells(mean: float) -> dict[str, Asked]:
    return {
        "one": Asked(
            {"algorithm": "a", "replication": r, "m": mean + r / 10, "digest": f"{mean}{r}", "packet_hops": 1}
            for r in range(4)
        )
    }


def entry(folder: Path, cause: str, mean: float = 1.0) -> dict[str, Any]:
    found = Found(cells(mean), {"a slow link": cells(9.0)}, judges={"ns-2": cells(2.0)})
    return evaluate(study(folder, cause).claims[0], "quick", found)


FOUR = """\
[claims.cause]
whose = "set-up"
evidence = ["a slow link", "ns-2", "of one run of an hour: 7."]
text = "The link is too fast. The source does not state its rate."
decides = "the rate"
"""


def test_a_cause_has_four_fields_and_the_verdict_under_its_evidence(tmp_path: Path) -> None:
    found = entry(tmp_path, FOUR)
    assert (found["verdict"], found["cause"]) == ("fails", "The link is too fast. The source does not state its rate.")
    assert found["explained"] == {
        "whose": "set-up",
        "evidence": [
            {"what": "a slow link", "verdict": "holds"},
            {"what": "ns-2", "verdict": "fails"},
            {"what": "of one run of an hour: 7.", "verdict": None},
        ],
        "decides": "the rate",
    }
    # What holds has no cause.
    assert entry(tmp_path, FOUR, 9.0)["explained"] is None


def test_a_plain_text_is_a_cause_without_a_class(tmp_path: Path) -> None:
    found = entry(tmp_path, 'cause = "The link is too fast"\n')
    assert (found["cause"], found["explained"]) == ("The link is too fast", None)
    assert entry(tmp_path, "")["cause"] == "not known"


def test_one_evidence_needs_no_list(tmp_path: Path) -> None:
    found = entry(tmp_path, 'cause = { whose = "ours", text = "It is.", evidence = "ns-2" }\n')
    assert found["explained"] == {"whose": "ours", "evidence": [{"what": "ns-2", "verdict": "fails"}], "decides": None}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('whose = "set-up"', 'whose = "setup"', "unknown value"),
        ('whose = "set-up"\n', "", "`whose`"),
        ('text = "The link', 'txt = "The link', "did you mean `text`?"),
        ('"a slow link"', '"a slow lnk"', "hint: did you mean `a slow link`?"),
        ('"a slow link"', '"of another"', "its cause names the variant of another, which is not tried on 1-1"),
        ('"a slow link"', "3", "unknown name"),
        ("too fast. The", "too fast. It is. The", "`text` has 3 sentences"),
    ],
)
def test_a_faulty_cause_is_refused_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in FOUR
    with pytest.raises(ScenarioError, match=r"claims\.toml:\d+:\d+: ") as raised:
        study(tmp_path, FOUR.replace(old, new, 1))
    assert said in " ".join(str(raised.value).split())


def test_sentences_end_before_a_capital_letter() -> None:
    assert sentences("It is 0.5 of 2. (See 3.) What of it? No more") == [
        "It is 0.5 of 2.",
        "(See 3.) What of it?",
        "No more",
    ]
    assert sentences("") == []


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_causes_of_published_studies_that_have_a_class_have_evidence(study: Any) -> None:
    for each in study.published.claims:
        if each.cause.whose:
            assert each.cause.whose in CLASSES
            # What is open is open because nothing shows it; then something must decide.
            assert each.cause.evidence or each.cause.decides, each.id


def claims_of(folder: Path) -> list[dict[str, Any]]:
    """Return entries of a ledger: two that fail with a class and one without, one that holds."""
    ours = FOUR.replace('"set-up"', '"ours"')
    plain = 'cause = "One. Two. Three."\n'
    found = [entry(folder, FOUR), entry(folder, plain), entry(folder, ours), entry(folder, FOUR, 9.0)]
    return [{**each, "id": f"1-{place}", "outdated": None} for place, each in enumerate(found)]


def test_what_does_not_hold_is_sorted_by_class(tmp_path: Path) -> None:
    found = by_class(claims_of(tmp_path))
    assert {whose: [each["id"] for each in own] for whose, own in found.items()} == {
        "ours": ["1-2"], "set-up": ["1-0"], "not classified": ["1-1"],
    }  # fmt: skip
    assert evidence_of(found["ours"][0]) == ["a slow link: holds", "ns-2: fails", "of one run of an hour: 7."]
    # Without a class: the variants with another verdict, and all implementations.
    assert evidence_of(found["not classified"][0]) == ["a slow link: holds", "ns-2: fails"]
    assert shortened("One. Two. Three.") == "One. Two. …"
    assert shortened("One. Two.") == "One. Two."


def test_what_has_not_run_is_no_evidence(tmp_path: Path) -> None:
    found = evaluate(study(tmp_path, FOUR).claims[0], "quick", Found(cells(1.0), {}, judges={"ns-2": cells(2.0)}))
    assert evidence_of(found) == ["ns-2: fails", "of one run of an hour: 7."]
    assert decides_of(found) == "the rate; a run of a slow link"
    text = str(claims_of_report([found]))
    assert "not run" not in text
    assert "the rate; a run of a slow link" in text


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_a_cause_that_blames_something_is_shown_or_says_what_would_show_it(study: Any) -> None:
    for entry in study.ledger["claims"]:
        if entry["explained"] and entry["explained"]["whose"] != OPEN and entry["verdict"] != "not testable":
            assert evidence_of(entry) or decides_of(entry), entry["id"]
    # A sentence that only counts parts, or says the verdict once more, shows no cause.
    restated = [each.id for each in study.published.claims for text in each.cause.evidence if RESTATES.search(text)]
    assert restated == []


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_evidence_has_a_verdict_or_waits_by_name_for_its_run(study: Any) -> None:
    ledger = {entry["id"]: entry for entry in study.ledger["claims"]}
    without = {
        what
        for claim in study.published.claims
        for what in claim.cause.evidence
        if what[-1] != "." and ledger[claim.id]["verdict"] not in {HOLDS, NOT_TESTABLE}
        if what not in {**(ledger[claim.id]["variants"] or {}), **(ledger[claim.id]["judged"] or {})}
    }
    assert without <= WAITING.get(study.name, set())


# Variants that causes name, and that the published ledger of the larger size has no verdict under yet. Only ever fewer.
WAITING = {
    "mills-2010": {
        "hosts ten times as fast",
        "a third of the size",
        "HSTCP's Low_P is 0.001",
        "a milder heavy period",
        "a heavy period of two users",
        "windows grow unfilled",
        "FAST updates once in a round trip",
        "FAST-AT's thresholds a tenth",
    },
    "ha-2006": {"delivery in ticks of 1 ms", "delivery in ticks of 10 ms", "FAST of 100 packets"},
}


# "Four of eight parts are sure.", "MIMD is surely the best."
RESTATES = re.compile(r"^[\w ]+ parts? (is|are) sure\.$|^\w+ is surely the best\.$")


def test_pages_show_classes_evidence_and_two_sentences(tmp_path: Path) -> None:
    ledger: dict[str, Any] = {"size": "quick", "claims": claims_of(tmp_path)}
    parts = list(failing([ledger]))
    assert [part.partition("\n")[0] for part in parts] == ["Cause ours:", "Cause set-up:", "Cause not classified:"]
    rows = [line for part in parts for line in part.splitlines() if line.startswith("| [")]
    assert "a slow link: holds; ns-2: fails; of one run of an hour: 7. | the rate |" in rows[0]
    assert all(len(sentences(row.split("|")[4])) <= 2 for row in rows)
    page = str(claims_of_report(ledger["claims"]))
    assert page.index("Cause ours") < page.index("Cause set-up") < page.index("Cause not classified")
    assert "a slow link: holds; ns-2: fails" in page
