# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. What a study is known for: read strictly, with the verdict that follows from its claims."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import findings_page
import pytest
from claim_files import claim, claims_file
from claims_page import ledgers_of

from narrows._internal.core import ScenarioError
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.findings import findings
from narrows._internal.reproduction.ledger import RETESTED, Found, aged, ledger
from narrows._internal.reproduction.quantity import Asked
from narrows._internal.reproduction.registry import StudyFolder, published_studies

if TYPE_CHECKING:
    from narrows._internal.reproduction.claims import Published

TEST = '{ is = { measure = "m", where = { algorithm = "a" } }, at_least = LEAST }'
TABLE = """\
[[tables]]
title = "Rates"
caption = "Table 1."
label = "algorithm"
experiment = "one"
is = { measure = "m", where = { algorithm = "{row}" } }
rows = ["a"]
columns = ["m"]
published = { a = [4e6] }
[labels]
a = "Algorithm A"
"""
HEADLINE = '[[headlines]]\nsays = "It is fast."\nclaims = ["1-1", "1-2"]\n'
NUMBERS = 'numbers = [{ table = "Rates", row = "a", column = "m", unit = "Mbps" }]\n'


def published(folder: Path, headline: str, least: float = 5.0) -> Published:
    file = folder / "claims.toml"
    first = claim("1-1", "It does", TEST.replace("LEAST", "5")) + 'published = "ten"\n'
    second = claim("1-2", "It does", TEST.replace("LEAST", str(least)))
    file.write_text(claims_file(1, first, second, headline, TABLE), encoding="utf-8")
    return read_claims(file)


def judged(study: Published) -> dict[str, Any]:
    rows = Asked(
        {"algorithm": "a", "replication": r, "m": 9 + r / 10, "digest": str(r), "packet_hops": 1} for r in range(4)
    )
    return {**ledger("small", study, "quick", 1, Found({"one": rows}, {})), "outdated": None}


@pytest.mark.parametrize(
    ("least", "verdict", "first"), [(6.0, "holds", "1-1"), (20.0, "fails", "1-2"), (9.1, "inconclusive", "1-2")]
)
def test_a_headline_has_the_verdict_of_the_worst_of_its_claims(
    tmp_path: Path, least: float, verdict: str, first: str
) -> None:
    study = published(tmp_path, HEADLINE, least)
    (found,) = findings(study, {each["id"]: each for each in judged(study)["claims"]}, [])
    assert (found.verdict, found.claims[0]["id"], len(found.claims)) == (verdict, first, 2)
    assert found.ours.startswith("9.15 (")
    assert found.theirs == ("ten" if first == "1-1" else "")


def test_numbers_are_those_of_tables_in_their_unit(tmp_path: Path) -> None:
    study = published(tmp_path, HEADLINE + NUMBERS)
    entries = {each["id"]: each for each in judged(study)["claims"]}
    table = {"title": "Rates", "columns": ["m"], "rows": {"a": {"ours": [3.25e6], "published": [4e6]}}}
    (found,) = findings(study, entries, [table])
    assert (found.ours, found.theirs) == ("Algorithm A: 3.25 Mbps", "Algorithm A: 4 Mbps")
    # What has not run has no number.
    assert findings(study, entries, [])[0].ours == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"1-2"]', '"1-3"]', "1-3"),
        ('["1-1", "1-2"]', "[]", "`claims` is empty"),
        ('["1-1", "1-2"]', '"1-1"', "claims"),
        ('says = "It is fast."\n', "", "says"),
        ('says = "It is fast."', "says = 1", "says"),
        ('row = "a"', 'row = "b"', "b"),
        ('column = "m"', 'column = "n"', "n"),
        ('"Rates", row', '"Rate", row', "Rate"),
        ('"Mbps"', '"furlongs"', "furlongs"),
        ('says = "It is fast."', 'says = "It is fast."\nverdict = "holds"', "verdict"),
    ],
)
def test_headlines_are_read_strictly(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=r"claims\.toml:\d+:") as raised:
        published(tmp_path, (HEADLINE + NUMBERS).replace(old, new, 1))
    assert said in str(raised.value)


def test_a_claim_whose_test_has_changed_has_no_verdict_until_it_is_judged_again(tmp_path: Path) -> None:
    old = judged(published(tmp_path, HEADLINE, 6.0))
    study = published(tmp_path, HEADLINE, 20.0)
    now = aged(old, "timers have changed", study)
    first, second = now["claims"]
    assert (first["verdict"], first["outdated"]) == ("holds", "timers have changed")
    assert (second["verdict"], second["effect"], second["cause"]) == ("not testable", None, RETESTED)
    assert (now["verdicts"]["holds"], now["evidence"]["holds"]) == (1, 1)
    assert old["verdicts"]["holds"] == 2
    (found,) = findings(study, {each["id"]: each for each in now["claims"]}, [])
    assert found.verdict == "not testable"
    row = findings_page.table([found], "claims.md").splitlines()[-1]
    assert "**not testable** (earlier simulator)" in row


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_every_study_says_what_it_is_known_for(study: StudyFolder) -> None:
    found = findings_page.found_in(study, ledgers_of(study))
    assert len(found) >= 5
    # Whatever stands beside a number of the source has one of ours.
    assert all(each.ours for each in found if each.verdict != "not testable")
    ran = {each["size"] for each in ledgers_of(study)}
    assert set(study.results) == ran
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", each["date"]) for each in study.results.values())
    old = {each["size"]: each["outdated"] for each in ledgers_of(study)}
    assert {size: known.get("since") for size, known in study.results.items()} == old


def test_the_readme_counts_the_headlines_that_hold() -> None:
    every = [each for study in published_studies() for each in findings_page.found_in(study, ledgers_of(study))]
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert f"[{findings_page.counts(every, others=False)}](docs/findings.md)" in readme
