# SPDX-License-Identifier: Apache-2.0
"""The check of what a kept file holds: whether there is a fault, and which, are decided alike."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from narrows._internal.errors import InputError
from narrows._internal.experiments.store import CELL
from narrows._internal.files import shape
from narrows._internal.files.json_objects import RepeatedKeyError, from_json
from narrows._internal.files.shape import ANY_NAME, ANYTHING, check_shape

FILE = Path("cell.json")
WHOLE: dict[str, Any] = {
    "measured": {"groups": {"g": {"a": 1.0, "b": None}}, "links": {"l": {"u": 0.5}}},
    "digest": "x",
    "checks_failed": ["a"],
    "cpu_s": 1.0,
    "packet_hops": 5,
}
OTHERS: tuple[Any, ...] = (None, 1, 1.5, float("nan"), True, "a", [], ["a"], [1], {}, {"a": 1.0}, 10**400, -1)


def test_the_words_for_a_fault_are_made_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError

    monkeypatch.setattr(shape, "_complaint", refuse)
    check_shape(WHOLE, CELL, FILE)


def test_a_number_that_is_not_finite_is_refused_with_its_place() -> None:
    for number in ("1e999", "-1e400", "NaN", "Infinity"):
        with pytest.raises(ValueError, match=rf"{number} is not a finite number: line 2 column 11"):
            from_json(f'{{"a": "{number} \\"",\n "b": [1, {number}]}}')


def test_a_key_that_is_there_twice_is_found_among_very_many_at_once() -> None:
    begun_s = time.process_time()
    with pytest.raises(RepeatedKeyError, match="'k39999' is twice"):
        from_json("{" + ",".join(f'"k{number}":1' for number in [*range(40_000), 39_999]) + "}")
    assert time.process_time() - begun_s < 2


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(WHOLE, CELL), ({"a": 1, "b": [1], "z": 2}, {"a?": int, "b": (str, [int], {"c": float}), ANY_NAME: ANYTHING})],
)
def test_a_changed_content_has_a_fault_in_words_or_none(given: Any, wanted: Any) -> None:
    draw = random.Random(1)  # noqa: S311  # changes of a content, in the same order each time
    refused = 0
    for _ in range(3000):
        changed = given
        for _ in range(draw.randint(0, 3)):
            changed = _changed(changed, draw)
        fault = shape._fault(changed, wanted, "")  # noqa: SLF001  # the slow answer, in words
        if fault is None:
            check_shape(changed, wanted, FILE)
        else:
            refused += 1
            with pytest.raises(InputError, match="is damaged"):
                check_shape(changed, wanted, FILE)
    assert 0 < refused < 3000


def _changed(content: Any, draw: random.Random) -> Any:
    if not isinstance(content, dict) or not content or draw.random() < 0.2:
        return draw.choice(OTHERS)
    key, what = draw.choice(list(content)), draw.random()
    if what < 0.1:
        return {name: each for name, each in content.items() if name != key}
    if what < 0.2:
        return {**content, f"{key}x": 1}
    return {**content, key: _changed(content[key], draw)}
