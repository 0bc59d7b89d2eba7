# SPDX-License-Identifier: Apache-2.0
"""The descriptions of public functions in Rust, and of what scenario files hold: sentences that say what they do."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from narrows._internal import core
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = [file for file in sorted(HOUSE.glob("crates/*/src/**/*.rs")) if "tests" not in file.as_posix()]
# A function that is visible outside its module, with its documentation and its signature to the body.
FUNCTION = re.compile(
    r"((?:^ *///.*\n)+)(?:^ *#\[.*\n)*^ *pub(?:\([a-z ]+\))? (?:const |unsafe |async )*fn (\w+)([^{;]*)[{;]",
    re.MULTILINE,
)
# A verb in the third person: returns, does, applies. These words are none.
VERB = re.compile(r"[A-Z][a-z]+s$")
NO_VERBS = {"Bits", "Bytes", "Keys", "Links", "Names", "Numbers", "Packets", "Rates", "This", "Its", "As"}


def functions(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each documented public function: its name, its documentation, and whether it returns something."""
    for comment, name, signature in FUNCTION.findall(text):
        yield (
            name,
            " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines()),
            "->" in signature,
        )


def says_what_it_does(documentation: str) -> bool:
    """Return whether the first word is a verb, or a sentence about an event is followed by one of the result."""
    first = documentation.split(maxsplit=1)[0]
    if first == "Whether" or re.search(r"\bReturns\b|of the result\b", documentation):
        return True
    return VERB.match(first) is not None and first not in NO_VERBS


@pytest.mark.parametrize("crate", sorted({file.relative_to(HOUSE / "crates").parts[0] for file in FILES}))
def test_a_function_that_returns_something_says_what_it_does(crate: str) -> None:
    nameless = [
        f"{file.relative_to(HOUSE)}: {name}: {documentation}"
        for file in FILES
        if file.is_relative_to(HOUSE / "crates" / crate)
        for name, documentation, returns in functions(file.read_text(encoding="utf-8"))
        if returns and documentation and not says_what_it_does(documentation)
    ]
    assert not nameless, "\n".join(nameless)


@pytest.mark.parametrize(
    ("documentation", "fits"),
    [
        ("The window, packets.", False),
        ("Number of packets in flight.", False),
        ("Names of all links.", False),
        ("Returns the window, packets.", True),
        ("Whether an episode is in progress.", True),
        ("A packet arrived. Returns whether to report.", True),
    ],
)
def test_a_noun_phrase_is_found(documentation: str, fits: bool) -> None:  # noqa: FBT001  # a parameter of the test
    text = f"/// {documentation}\n#[inline]\npub(crate) fn window(&self) -> f64 {{\n"
    assert [says_what_it_does(found) for _, found, _ in functions(text)] == [fits]


def keys(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the description of every key of a JSON Schema."""
    for name, key in schema.get("properties", {}).items():
        if "const" not in key:
            yield f"{path}.{name}", key.get("description", "")
        yield from keys(key, f"{path}.{name}")
    for inner in [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]:
        yield from keys(inner, path)


def test_every_key_of_a_scenario_is_described_in_sentences() -> None:
    described = dict(keys(json.loads(core.schema())))
    # The name of an algorithm that is written as a table, whose other keys are its parameters.
    undescribed = {path for path, text in described.items() if not text}
    assert undescribed == {".flows.algorithm.name"}
    assert not {path: text for path, text in described.items() if text and not text.endswith(".")}
