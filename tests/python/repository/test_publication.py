# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. What the project says of itself where it is cited, judged or reported to agrees with the sources."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
import yaml

from narrows._internal import cards
from repository import HOUSE

STATEMENTS = ["README.md", "CITATION.cff", ".zenodo.json", "paper/paper.md"]
# Each figure of the paper, and the page that measures it.
FIGURES = {
    "112 of 138": "validation/linux/README.md",
    "37 of 40": "validation/linux/README.md",
    "300": "docs/ab.md",
    "98.7 %": "docs/ab.md",
    "163 to 499": "docs/performance.md",
    "18.0": "docs/performance.md",
    "7.0": "docs/performance.md",
}
PARAGRAPHS = ["Context", "Decision", "Consequence"]


def read(name: str) -> str:
    return (HOUSE / name).read_text(encoding="utf-8")


def test_every_statement_of_the_version_is_that_which_is_built() -> None:
    built = tomllib.loads(read("Cargo.toml"))["workspace"]["package"]["version"]
    citation = yaml.safe_load(read("CITATION.cff"))
    (cited,) = re.findall(r"^  version = \{(.*)\},$", read("docs/cite.md"), re.MULTILINE)
    (sentence,) = re.findall(r"Simulated with Narrows (\d+\.\d+\.\d+);", read("docs/cite.md"))
    (binder,) = re.findall(r"^narrows\[all\]==(.*)$", read("binder/requirements.txt"), re.MULTILINE)
    stated = [citation["version"], citation["preferred-citation"]["version"], cited, sentence, binder]
    assert {*stated, json.loads(read(".zenodo.json"))["version"]} == {built}


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_counts_the_algorithms_and_queues_that_there_are(name: str) -> None:
    text = " ".join(read(name).split())
    for count, what in (
        (len(cards.algorithms()), r"algorithms|congestion controls"),
        (len(cards.queues()), "queue disciplines"),
    ):
        found = re.findall(rf"(\d+) (?:{what})\b", text)
        assert found
        assert set(found) == {str(count)}


def test_the_citation_and_the_archive_name_the_same_people() -> None:
    citation, archive = yaml.safe_load(read("CITATION.cff")), json.loads(read(".zenodo.json"))
    assert citation["authors"] == citation["preferred-citation"]["authors"] == archive["creators"]
    assert citation["title"] == citation["preferred-citation"]["title"] == archive["title"]
    assert citation["license"] == archive["license"] == tomllib.loads(read("pyproject.toml"))["project"]["license"]


def test_the_paper_has_what_its_journal_wants() -> None:
    _, head, body = read("paper/paper.md").split("---\n", 2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == set(yaml.safe_load(head))
    for section in (
        "Summary",
        "Statement of need",
        "State of the field",
        "What was verified",
        "Research impact statement",
        "AI usage disclosure",
        "References",
    ):
        assert f"# {section}\n" in body
    assert 250 <= len(body.split()) <= 1000
    cited = set(re.findall(r"@(\w+)", body))
    assert cited == set(re.findall(r"^@\w+\{(\w+),$", read("paper/paper.bib"), re.MULTILINE))


def test_every_figure_of_the_paper_is_one_that_a_page_measures() -> None:
    verified = " ".join(read("paper/paper.md").partition("# What was verified")[2].split())
    # Versions, and the values that were compared, are no measurements.
    left = re.sub(r"ns-2\.35|ns-[23]|Linux 6\.12|from 0\.7 to 0\.72", "", verified)
    for figure, page in FIGURES.items():
        assert figure in left
        assert figure in " ".join(read(page).split())
        left = left.replace(figure, "")
    assert not re.findall(r"\d+", left)


def test_every_decision_has_its_three_paragraphs_and_a_line_in_the_list() -> None:
    pages = sorted(file for file in (HOUSE / "docs/decisions").glob("*.md") if file.name != "README.md")
    listed = re.findall(r"^\d+\. \[(.*)\]\((.*)\)$", read("docs/decisions/README.md"), re.MULTILINE)
    assert [name for _, name in listed] == [file.name for file in pages]
    assert len(pages) >= 10
    for number, ((title, _), file) in enumerate(zip(listed, pages, strict=True), 1):
        text = file.read_text(encoding="utf-8")
        assert text.startswith(f"# {number}. {title}\n")
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == PARAGRAPHS


@pytest.mark.parametrize(
    "of", ["scenario", "native library", "WebAssembly", "kernel's source", "built kernel", "Dask", "pull request"]
)
def test_the_threat_model_names_who_what_prevents_and_what_does_not(of: str) -> None:
    tables = read("SECURITY.md").split("\n\n")
    (threats,) = (each.splitlines() for each in tables if each.startswith("| who | has |"))
    (row,) = (line for line in threats[2:] if of in line.split("|")[1])
    who, has, wants, prevents, *_ = (cell.strip() for cell in row.strip("|").split("|"))
    assert all((who, has, wants, prevents))


@pytest.mark.parametrize(
    "page", ["SECURITY.md", *sorted(f"docs/decisions/{file.name}" for file in (HOUSE / "docs/decisions").glob("*.md"))]
)
def test_the_files_that_it_names_are_there(page: str) -> None:
    named = re.findall(r"`((?:crates|python|tests|docs|validation)/[\w./-]+)`", read(page))
    assert not [name for name in named if not (HOUSE / name).exists()]
