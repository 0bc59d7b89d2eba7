# SPDX-License-Identifier: Apache-2.0
"""Every concept has one name, the literature's, and sentences have the constructions of English."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from repository import HOUSE, tracked

if TYPE_CHECKING:
    from collections.abc import Callable

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
    "tests/python/repository/words.toml",
    "tests/python/repository/test_words.py",
)


@dataclass(frozen=True)
class Word:
    """A word that has a standard replacement.

    Attributes:
        word: The word, as a regular expression.
        pattern: Finds it as a whole word or as a part of a name.
        use: What to write instead.
        where: Folders in which it is searched for; all if empty.
        but: What may stand all the same.
    """

    word: str
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


def whole(word: str) -> re.Pattern[str]:
    """Return the pattern that finds the `word` as a whole word or as a part of a name."""
    # A capital that follows a small letter starts the next word of a name.
    return re.compile(rf"(?<![a-z])(?:{word})(?-i:(?![a-z]|(?<=[A-Z])[A-Z]))", re.IGNORECASE)


@cache
def words() -> tuple[Word, ...]:
    """Read the list."""

    def word(entry: dict[str, Any]) -> Word:
        but = tuple(re.compile(each) for each in entry.get("except", ()))
        where = tuple(f"{folder}/" for folder in entry.get("where", ()))
        return Word(entry["word"], whole(entry["word"]), entry["use"], where, but)

    return tuple(word(entry) for entry in tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))["words"])


@cache
def any_word() -> re.Pattern[str]:
    """Return the pattern that finds every word of the list."""
    return whole("|".join(f"(?:{word.word})" for word in words()))


def found(name: str, text: str) -> list[str]:
    """Return where words of the list stand in the `text` of the file `name`."""
    # Most files have none, for which one search is enough.
    return [each for word in words() for each in word.found(name, text)] if any_word().search(text) else []


def test_no_file_has_a_word_that_has_a_standard_replacement() -> None:
    faults = []
    for file in tracked():
        name = file.relative_to(HOUSE).as_posix()
        if any(fnmatch(name, pattern) for pattern in LEFT_OUT):
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        faults += found(name, text)
    assert not faults, "\n" + "\n".join(faults)


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
    places = [each.removeprefix(f"{name}:").partition(":")[0] for each in found(name, text)]
    assert sorted(map(int, places)) == lines


# Constructions that read like a translation, each with what to write instead. A question is none: "What is it?"
QUESTION = r"(?![^.:;|]*\?)"
CONSTRUCTIONS = {
    "that of": (r"\b(?:that|those) of\b", "the noun again"),
    "what is": (rf"\bwhat (?:is|are|was|were|has|have|had|the|an?)\b{QUESTION}", "a noun"),
    "where it": (rf"\bwhere (?:it|they|there|the|an?|this|that|one|no|nothing)\b{QUESTION}", "if, for a condition"),
}
# A file that a program writes from declarations has its sentences there.
GENERATED = ("exercises", "findings", "metrics", "port", "recommendations", "scenario", "stages", "studies", "tables")
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md")
RUST_COMMENT = re.compile(r"^\s*//[/!]?(.*)$|[;{},)]\s+// (.*)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def of_document(text: str) -> str:
    """Return a page without its blocks of code."""
    return CODE.sub("", text)


def of_rust(text: str) -> str:
    """Return the comments of a file of Rust."""
    return "\n".join(whole or trailing for whole, trailing in RUST_COMMENT.findall(text))


def of_python(text: str) -> str:
    """Return the docstrings and the comments of a file of Python."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string.removeprefix("#") for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join([*docstrings, *comments])


def places(prose: str) -> dict[str, list[str]]:
    """Return where each construction stands in prose, with the words around it."""
    line = " ".join(prose.split())
    return {
        name: [
            line[max(0, match.start() - 40) : match.end() + 30] for match in re.finditer(pattern, line, re.IGNORECASE)
        ]
        for name, (pattern, _) in CONSTRUCTIONS.items()
    }


@pytest.mark.parametrize(
    ("patterns", "but", "prose", "bounds"),
    [
        (DOCUMENTS, ("docs/*/*", *(f"docs/{name}.md" for name in GENERATED)), of_document, (5, 5, 5)),
        (("crates/*.rs",), (), of_rust, (5, 5, 5)),
        (("python/narrows/*.py",), (), of_python, (5, 5, 5)),
    ],
    ids=["documents", "rust", "python"],
)
def test_sentences_repeat_nouns_and_state_conditions_with_if(
    patterns: tuple[str, ...], but: tuple[str, ...], prose: Callable[[str], str], bounds: tuple[int, ...]
) -> None:
    names = {file: file.relative_to(HOUSE).as_posix() for file in tracked()}
    texts = {
        name: prose(file.read_text(encoding="utf-8"))
        for file, name in names.items()
        if any(fnmatch(name, each) for each in patterns) and not any(fnmatch(name, each) for each in but)
    }
    words_in_all = sum(len(text.split()) for text in texts.values())
    assert words_in_all > 10_000
    found = {name: places(text) for name, text in texts.items()}
    for (construction, (_, use)), bound in zip(CONSTRUCTIONS.items(), bounds, strict=True):
        lines = [f"{name}: … {each} …" for name, by_kind in found.items() for each in by_kind[construction]]
        per = len(lines) * 10_000 / words_in_all
        assert per <= bound, f'"{construction}" {per:.1f} times in 10,000 words; write {use}\n' + "\n".join(lines)


@pytest.mark.parametrize(
    ("prose", "text", "counts"),
    [
        (of_document, "Its rate is that\nof the link.\n```\nwhat is it\n```\n", (1, 0, 0)),
        (of_document, "What is its rate? It is where the link is; what the link has, where it ends.", (0, 1, 2)),
        (of_rust, "/// Those\n/// of a flow.\nlet what_is = 1; // what is left\n//! where there is one\n", (1, 1, 1)),
        (of_python, '"""What a flow is."""\nx = "what is it"  # that of y\n', (1, 1, 0)),
    ],
)
def test_constructions_are_counted_in_prose_alone(
    prose: Callable[[str], str], text: str, counts: tuple[int, ...]
) -> None:
    assert tuple(len(each) for each in places(prose(text)).values()) == counts
