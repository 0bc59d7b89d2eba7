# SPDX-License-Identifier: Apache-2.0
"""Truth: product. The tables of a study under variants, and that what is published of all studies is current."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from claim_files import claims_file
from claims_figures import agreement as figure_of_agreement
from claims_tables import expanded, number

from narrows.core import ScenarioError
from narrows.reproduction.agreement import agreement
from narrows.reproduction.campaign import parts
from narrows.reproduction.claims_file import read_claims
from narrows.reproduction.judges import cells_of
from narrows.reproduction.ledger import Found
from narrows.reproduction.quantity import Asked
from narrows.reproduction.registry import TABLES, StudyFolder, published_studies
from narrows.reproduction.stored_cells import mark

if TYPE_CHECKING:
    from pathlib import Path

VARIANT = '[[variants]]\nname = "a slow link"\nabout = "Half the rate."\nvariant = "slow"\n'
TABLE = """\
[[tables]]
title = "Goodput"
caption = "Table 1."
label = "link"
experiment = "one"
is = { measure = "m", where = { algorithm = "{column}" } }
rows = ["as described", "a slow link"]
columns = ["a", "b", "c"]
under = "{row}"
published = { "as described" = [1, 2, 5] }
[[calibrations]]
title = "Halves"
caption = "Chosen and tested."
under = ["as described", "a slow link"]
parts.first = { tables = ["Goodput"], column = "a" }
[labels]
a = "Algorithm A"
"""


def cells(**means: float) -> Asked:
    """Return the cells of one experiment, with the mean over two replications by the name of the algorithm."""
    return Asked(
        {"algorithm": name, "replication": r, "m": mean + r - 0.5, "digest": f"{name}{mean}{r}"}
        for name, mean in means.items()
        for r in (0, 1)
    )


def tables_of(tmp_path: Path, text: str = TABLE) -> dict[str, Any]:
    """Return the content of `tables.json` of a small study."""
    file = tmp_path / "claims.toml"
    file.write_text(claims_file(903, VARIANT, text), encoding="utf-8")
    found = Found({"one": cells(a=2, b=3, c=4)}, {"a slow link": {"one": cells(a=1, b=1.5)}}, {"one": ["algorithm"]})
    return agreement(read_claims(file), "quick", "sha256:0", found)


def test_a_table_may_be_of_variants(tmp_path: Path) -> None:
    (table,) = tables_of(tmp_path)["tables"]
    assert table["rows"]["as described"]["ours"] == [2, 3, 4]
    # What a variant does not run is as described.
    assert table["rows"]["a slow link"]["ours"] == [1, 1.5, 4]
    assert table["agreement"]["values"] == 3


def test_a_calibration_is_the_agreement_of_a_part_under_each_variant(tmp_path: Path) -> None:
    (calibration,) = tables_of(tmp_path)["calibrations"]
    assert calibration["columns"] == ["first"]
    errors = {form: row[0]["median_relative_error"] for form, row in calibration["rows"].items()}
    # The only printed value of the part is 1, and ours are 2 and, under the variant, 1.
    assert errors == {"as described": 1.0, "a slow link": 0.0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('under = "{row}"', 'under = "a fast link"'),
        ('tables = ["Goodput"]', 'tables = ["Badput"]'),
        ('column = "a" }', 'column = "d" }'),
    ],
)
def test_what_a_table_is_of_must_be_there(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(ScenarioError, match="unknown name"):
        tables_of(tmp_path, TABLE.replace(old, new))


def test_a_discussion_takes_its_tables_from_what_was_measured(tmp_path: Path) -> None:
    tables = tables_of(tmp_path)
    text = expanded("Before.\n\n{table: Goodput}\n\nAfter.", tables, {"a": "Algorithm A"}, [])
    assert text.splitlines() == [
        "Before.", "", "**Goodput.** *Table 1.*", "", "| link | Algorithm A | b | c |", "|---|--:|--:|--:|",
        "| as described | 2 (1) | 3 (2) | 4 (5) |", "| a slow link | 1 | 1.5 | 4 |", "", "After.",
    ]  # fmt: skip
    assert "| link | a, % | b, % | c, % |" in expanded("{table: Goodput, in %}", tables, {}, [])
    with pytest.raises(ValueError, match="no table 'Badput'"):
        expanded("{table: Badput}", tables, {}, [])


def test_a_discussion_lists_the_claims_of_a_variant_and_of_two_sizes() -> None:
    def entry(name: str, verdict: str, under: str | None) -> dict[str, Any]:
        return {"id": name, "verdict": verdict, "variants": {"slow": under} if under else None}

    large = {
        "size": "medium",
        "claims": [entry("1", "holds", "fails"), entry("2", "holds", "holds"), entry("3", "fails", None)],
    }
    small = {"size": "quick", "claims": [entry("1", "inconclusive", None), *large["claims"][1:]]}
    tables: dict[str, Any] = {"tables": [], "calibrations": []}
    assert expanded("{variant: slow}", tables, {}, [large, small]) == (
        "Of the 2 claims that hold at the medium size, 2 are tried under this variant: 1 fails (1); 1 holds (2)."
    )
    only_quick = {**large, "claims": [entry("1", "not testable", None)]}
    assert expanded("{variant: slow}", tables, {}, [only_quick, small]).startswith(
        "Of the 1 claim that holds at the quick"
    )
    first, *_, last = expanded("{sizes}", tables, {}, [large, small]).splitlines()
    assert first == "Both sizes judge 3 claims, 2 of them with the same verdict. The others:"
    assert last == "| inconclusive | holds | 1 |"
    assert expanded("{sizes}", tables, {}, [only_quick, small]).startswith("Both sizes judge 0 claims")
    with pytest.raises(ValueError, match="variant 'fast'"):
        expanded("{variant: fast}", tables, {}, [large])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.0001, "< 0.0005"), (0.5624, "0.56"), (2.84, "2.8"), (9.96, "10"), (41.5, "42"), (123.4, "123"),
     (486_123.0, "486000"), (-2.35, "-2.4")],
)  # fmt: skip
def test_numbers_are_written_with_as_many_digits_as_are_read(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_published_tables_are_those_of_the_ledger_and_the_claims(study: StudyFolder) -> None:
    ledgers = {each["size"]: each["digest"] for each in (study.ledger, study.ledger_quick) if each}
    assert study.tables
    for tables in study.tables:
        assert tables["digest"] == ledgers[tables["size"]]
        published = study.claims(tables["size"])
        declared = {table.title: table for table in published.tables}
        stored = {table["title"]: table for table in tables["tables"] if table["kind"] == "table"}
        assert set(stored) <= set(declared)
        # Whatever the source printed has a value of ours.
        compared = {table.title for table in published.tables if table.published}
        compared |= {
            picture.title
            for picture in published.pictures
            if {line.name for line in picture.lines} & {*picture.published}
        }
        assert compared <= {table["title"] for table in tables["tables"] if table["agreement"]["values"]}
        for title, table in stored.items():
            assert list(table["rows"]) == list(declared[title].rows)
            assert table["columns"] == list(declared[title].columns)
            assert table["caption"] == declared[title].caption
        assert [each["title"] for each in tables["calibrations"]] == [each.title for each in published.calibrations]


# From the least to the most cells.
KEPT = sorted(
    (study for study in published_studies() if study.cells("medium").is_file()),
    key=lambda study: study.cells("medium").stat().st_size,
)
LONG = pytest.mark.full("the tables of the study with the most cells take a minute; those of all others are made, too")


@pytest.mark.parametrize("study", [*KEPT[:-1], pytest.param(KEPT[-1], marks=LONG)], ids=lambda each: each.name)
def test_published_tables_follow_from_the_cells_that_are_kept(study: StudyFolder) -> None:
    published = study.claims("medium")
    planned = {(part.experiment, part.variant): part.plan for part in parts(study, "medium", None, None)}
    points = {
        (*name, mark(point, plan.seed)): {**point.levels, "algorithm": point.algorithm}
        for name, plan in planned.items()
        for point in plan.points
    }
    found: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in pq.read_table(study.cells("medium")).to_pylist():
        # Tables have a fixed number of seeds: which were added depends on what was seen.
        if row.get("added"):
            continue
        levels = points[row["experiment"], row["variant"], row["point"]]
        found[row["variant"]][row["experiment"]].append({**row, **levels, **dict(row["values"])})
    asked = {variant: {name: Asked(rows) for name, rows in each.items()} for variant, each in found.items()}
    factors = {experiment: plan.factors for (experiment, variant), plan in planned.items() if not variant}
    judges = {each.name: cells_of(each, study.folder) for each in published.judges if each.size in {"", "medium"}}
    results = Found(asked.pop(""), asked, factors, judges=judges)
    stored = json.loads((study.folder / TABLES).read_text(encoding="utf-8"))
    assert agreement(published, "medium", stored["digest"], results) == stored


# Costs of runs that are no results of cells.
MEASURED_BY_HAND = {"mills-2010": 1}


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_no_discussion_has_a_table_written_by_hand(study: StudyFolder) -> None:
    text = (study.folder / "discussion.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\|[-:|]+\|$", text, re.MULTILINE)) == MEASURED_BY_HAND.get(study.name, 0)


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_a_discussion_names_claims_with_the_verdicts_that_they_have(study: StudyFolder) -> None:
    assert study.ledger is not None
    assert study.ledger_quick is not None
    ledgers = (study.ledger_quick, study.ledger)
    # The larger size decides, unless it has not run what the claim reads.
    verdicts = {each["id"]: each["verdict"] for ledger in ledgers for each in ledger["claims"] if not each["lacks"]}
    text = " ".join((study.folder / "discussion.md").read_text(encoding="utf-8").split())
    stated = re.findall(r"\*\*(Holds|Fails|Inconclusive)\b[^*]*\*\* \(([^();]*)", text)
    for verdict, names in stated:
        for name in re.findall(r"\d{3}-\d{3}", names):
            assert verdicts[name] == verdict.lower(), name


def test_the_figure_of_agreement_has_every_pair_once() -> None:
    row = {"ours": [2.0, 3.0, 0.0], "published": [1.0, 4.0, 5.0]}
    other = {"ours": [2.0, None, 20.0], "published": [1.0, 2.0, 200.0]}
    tables = {"tables": [{"title": "Table 1", "rows": {"a": row}}, {"title": "Figure 1", "rows": {"a": other}}]}
    drawn = figure_of_agreement(tables)
    # Two of the table, and one of the figure that the table has not; each title has a dot in the legend.
    assert drawn.count("<circle") == 3 + 2
    assert "1 value of 0 is not shown" in drawn
    assert "10³" in drawn
    many = {"tables": [{"title": f"Appendix: {name}", "rows": {name: row}} for name in "abcdefghij"]}
    assert figure_of_agreement(many).count("Appendix") == 2
