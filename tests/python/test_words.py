# SPDX-License-Identifier: Apache-2.0
"""Every concept has one name, that of the literature: words that have a standard replacement stand nowhere."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from repository import HOUSE, tracked

HERE = Path(__file__).parent
# What others wrote, what is generated from it, what was true once, and this list itself.
LEFT_OUT = (
    "*.lock",
    "*.svg",
    "*.tsv",
    "CHANGELOG.md",
    "LICENSE",
    # Made of claims and ledgers.
    "docs/studies/*.md",
    "studies/*/claims.toml",
    "studies/*/ledger*.json",
    "tests/python/words.toml",
    "tests/python/test_words.py",
)


@dataclass(frozen=True)
class Word:
    """A word that has a standard replacement.

    Attributes:
        pattern: Finds it as a whole word or as a part of a name.
        use: What to write instead.
        where: Folders in which it is searched for; all if empty.
        but: What may stand all the same.
    """

    pattern: re.Pattern[str]
    use: str
    where: tuple[str, ...]
    but: tuple[re.Pattern[str], ...]

    def found(self, name: str, text: str) -> list[str]:
        """Return where it stands in the `text` of the file `name`: file, line, word and replacement."""
        if self.where and not name.startswith(self.where):
            return []
        allowed = [match.span() for but in self.but for match in but.finditer(text)]
        return [
            f'{name}:{line_of(match.start(), text)}: "{match[0]}"; use: {self.use}'
            for match in self.pattern.finditer(text)
            if not any(start <= match.start() and match.end() <= end for start, end in allowed)
        ]


def line_of(place: int, text: str) -> int:
    """Return the line, from 1, of a character of the `text`."""
    return text.count("\n", 0, place) + 1


def words() -> list[Word]:
    """Read the list."""

    def word(entry: dict[str, Any]) -> Word:
        # A capital that follows a small letter starts the next word of a name.
        whole = re.compile(rf"(?<![a-z])(?:{entry['word']})(?-i:(?![a-z]|(?<=[A-Z])[A-Z]))", re.IGNORECASE)
        but = tuple(re.compile(each) for each in entry.get("except", ()))
        return Word(whole, entry["use"], tuple(f"{folder}/" for folder in entry.get("where", ())), but)

    return [word(entry) for entry in tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))["words"]]


def test_no_file_has_a_word_that_has_a_standard_replacement() -> None:
    listed = words()
    found = []
    for file in tracked():
        name = file.relative_to(HOUSE).as_posix()
        if any(fnmatch(name, pattern) for pattern in LEFT_OUT):
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [each for word in listed for each in word.found(name, text)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.rs", "let seat = 1;\n// the Seats\nfn of_seat() {}\n", [1, 2, 3]),
        ("a.txt", "\nnews\n", [2]),
        ("a.py", "seattle, disguests, retold, shears\n", []),
        ("b.rs", "struct SeatMap { entrance: Seattle, SEATING }\n", [1, 1]),
        ("a.md", "The begin of a run begins.\n", [1]),
        ("crates/sim/a.rs", 'stream("thoughts"); // of patience\n', []),
        ("crates/transport/a.rs", "\nlet patience = thoughts;\n", [2, 2]),
    ],
)
def test_a_word_is_found_in_names_and_not_within_other_words(name: str, text: str, lines: list[int]) -> None:
    places = [each.removeprefix(f"{name}:").partition(":")[0] for word in words() for each in word.found(name, text)]
    assert sorted(map(int, places)) == lines
