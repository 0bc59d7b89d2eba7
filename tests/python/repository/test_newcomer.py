# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. What a new algorithm or queue still lacks has a name here, and nothing else must know it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from narrows._internal import cards

HOUSE = Path(__file__).parents[3]
COSTS = json.loads((HOUSE / "benches/catalogue.json").read_text(encoding="utf-8"))
ALGORITHMS, QUEUES = cards.algorithms(), cards.queues()
# Keys of other tables, and a way to start a flow.
OTHER_MEANINGS = {"step", "quick-start"}
# Examples in the documentation of a crate name a queue, too.
COMMENT = re.compile(r"^ *//.*$", re.MULTILINE)
ENTRIES = [*(("algorithms", card) for card in ALGORITHMS), *(("queues", card) for card in QUEUES)]


def lacks(kind: str, name: str) -> list[str]:
    """Return what an entry of a catalogue lacks, each with where it belongs or how it is made.

    Args:
        kind: `algorithms` or `queues`.
        name: The entry's.
    """
    tests = "crates/cc/tests/rules" if kind == "algorithms" else f"crates/qdisc/src/{name.replace('-', '_')}.rs"
    wanted = {
        f"a test of its rule in {tests}": is_tested(kind, name),
        f"its page docs/{kind}/{name}.md, by docs/generate.py": (HOUSE / f"docs/{kind}/{name}.md").is_file(),
        f"its figure docs/{kind}/{name}.svg, by docs/generate.py": (HOUSE / f"docs/{kind}/{name}.svg").is_file(),
        "its cost in benches/catalogue.json, by benches/catalogue.py --write": name in COSTS[kind],
        "its name in docs/coverage.md": f"`{name}`" in (HOUSE / "docs/coverage.md").read_text(encoding="utf-8"),
    }
    return [what for what, there in wanted.items() if not there]


def is_tested(kind: str, name: str) -> bool:
    """Return whether a test names an algorithm, or the module of a queue has tests of its own."""
    if kind == "algorithms":
        return any(re.search(rf'"{re.escape(name)}["(]', text) for text in rule_tests())
    module = name.replace("-", "_")
    files = [HOUSE / f"crates/qdisc/src/{module}.rs", *(HOUSE / f"crates/qdisc/src/{module}").rglob("*.rs")]
    return any("#[test]" in file.read_text(encoding="utf-8") for file in files if file.is_file())


@cache
def rule_tests() -> list[str]:
    """Return the tests of single algorithms: rules and closed forms, not what all must keep to."""
    folder = HOUSE / "crates/cc/tests"
    files = [*(folder / "rules").glob("*.rs"), *(folder / "theory").glob("*.rs"), *(folder / "model").rglob("*.rs")]
    return [file.read_text(encoding="utf-8") for file in [*files, folder / "linux.rs"]]


@pytest.mark.parametrize(("kind", "card"), ENTRIES, ids=lambda each: each if isinstance(each, str) else each["name"])
def test_an_entry_of_a_catalogue_has_tests_a_page_a_figure_and_a_cost(kind: str, card: dict[str, Any]) -> None:
    assert not lacks(kind, card["name"])


def test_the_check_names_what_a_newcomer_forgot() -> None:
    missing = lacks("queues", "mine")
    assert len(missing) == 5
    assert missing[0] == "a test of its rule in crates/qdisc/src/mine.rs"


@pytest.mark.parametrize("name", sorted({card["name"] for card in QUEUES} - OTHER_MEANINGS))
def test_a_queue_is_named_in_its_own_file_alone(name: str) -> None:
    own = f"crates/qdisc/src/{name.replace('-', '_')}.rs"
    crates = ("qdisc", "model", "topology", "scenario", "sim")
    files = [file for crate in crates for file in (HOUSE / "crates" / crate / "src").rglob("*.rs")]
    sources = {file.relative_to(HOUSE).as_posix(): file for file in files if "test" not in file.as_posix()}
    code = {path: COMMENT.sub("", file.read_text(encoding="utf-8")) for path, file in sources.items()}
    naming = {path for path, text in code.items() if f'"{name}"' in text}
    # Packets wait in DropTail or RED under a router's computation.
    assert naming <= {own, "crates/qdisc/src/parameters.rs"}


@pytest.mark.parametrize(("kind", "card"), ENTRIES, ids=lambda each: each if isinstance(each, str) else each["name"])
def test_a_result_on_a_card_names_the_test_that_holds_it(kind: str, card: dict[str, Any]) -> None:
    for each in card["comparisons"]:
        text = (HOUSE / each["test"]).read_text(encoding="utf-8")
        # A test of the whole catalogue names no entry.
        assert f'"{card["name"]}' in text or "catalogue::entries()" in text, (kind, each)


def test_every_row_of_the_table_of_comparisons_is_on_a_card() -> None:
    table = (HOUSE / "crates/card/src/comparisons.tsv").read_text(encoding="utf-8").splitlines()
    assert len(table) == sum(len(card["comparisons"]) for _, card in ENTRIES)
