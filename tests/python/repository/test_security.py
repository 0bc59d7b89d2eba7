# SPDX-License-Identifier: Apache-2.0
"""Rule: each promise of SECURITY.md names tests, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

HOUSE = Path(__file__).parents[3]
TEXT = (HOUSE / "SECURITY.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table with a heading."""
    table = TEXT.partition(f"\n{heading}\n|---")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_every_line_of_the_threats_has_tests_that_are_there() -> None:
    named = {who: re.findall(r"`([^`]+)`", tests) for who, tests in rows("| who | tests |")}
    threats = rows("| who | has | wants | what prevents it | what does not |")
    assert len(threats) > 10
    assert all(each[3] for each in threats)
    whose = [each[0] for each in threats if each[0] != "the same"]
    missing = [each for each in whose if not any(each.startswith(who) for who in named)]
    assert not missing, f"name the tests of: {missing}"
    unused = [who for who in named if not any(each.startswith(who) for each in whose)]
    assert not unused, f"no threat is of: {unused}"
    for who, tests in named.items():
        assert tests, who
        for each in tests:
            text = (HOUSE / each).read_text(encoding="utf-8")
            assert re.search(r"^def test_|#\[test\]|proptest", text, re.MULTILINE) or each.endswith("mutants.rs"), each
