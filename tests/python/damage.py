# SPDX-License-Identifier: Apache-2.0
"""Damage to files that people write: what hypothesis draws to replace, remove, rename and cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as some

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES: list[Any] = [
    "", " ", "10ms", "one", "{x}", "any", 0, -1, 2**62, 1.5, float("nan"), float("inf"), True, [], [[]], [1, "a"],
    ["a"], [{}], {}, {"a": 1}, {"a": {}}, {"a": ["b"]}, {"measure": "goodput_bps"}, {"named": "a"},
]  # fmt: skip


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to everything in a tree of tables and lists."""
    if path:
        yield path
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def fresh(content: Any) -> Any:
    """Return a tree that shares nothing with this one, nor within itself."""
    match content:
        case dict():
            return {key: fresh(value) for key, value in content.items()}
        case list():
            return [fresh(value) for value in content]
    return content


@some.composite
def damaged(draw: some.DrawFn, content: dict[str, Any]) -> dict[str, Any]:
    """Draw a tree of which one to three members are replaced by something else, removed or renamed."""
    found: dict[str, Any] = fresh(content)
    for _ in range(draw(some.integers(1, 3))):
        there = list(places(found))
        if not there:
            break
        *outer, last = draw(some.sampled_from(there))
        holder: Any = found
        for key in outer:
            holder = holder[key]
        match draw(some.integers(0, 4)):
            case 0:
                del holder[last]
            case 1 if isinstance(holder, dict):
                holder[draw(some.sampled_from(["x", f"{last}x", ""]))] = holder.pop(last)
            case _:
                holder[last] = fresh(draw(some.sampled_from(VALUES)))
    return found
