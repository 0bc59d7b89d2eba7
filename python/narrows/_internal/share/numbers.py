# SPDX-License-Identifier: Apache-2.0
"""Compares the displayed numbers of results with the repeated records, and names each difference."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    import pyarrow as pa


@frozen
class Difference:
    """A part of packed results that differs when it is computed here."""

    part: str  # `version`, `scenario`, `trace`, `algorithm`, `file`, `records` or `number`
    what: str  # name of the part; for a number the file and the key, or the column
    detail: str  # description of the difference


def of_file(
    file: str, said: Mapping[str, Any], here: Mapping[str, Any], skipped: Collection[str] = (), *, added: bool = False
) -> Iterator[Difference]:
    """Yield each value of a JSON file that differs from the value computed here."""
    skip = [tuple(each.split(".")) for each in skipped]
    plain = json.loads(json.dumps(here))
    for place, was, found in _differing(dict(said), plain, (), skip):
        is_older = added and was is MISSING and place[-3:-2] in {("groups",), ("links",)}
        part = "version" if is_older else "number"
        yield Difference(part, f"{file} {'.'.join(place)}", f"is {_shown(found)} here, and was {_shown(was)}")


def of_table(
    file: str, said: pa.Table, here: pa.Table, skipped: Collection[str] = (), row: Callable[[int], str] | None = None
) -> Iterator[Difference]:
    """Yield the first value of each column of a table that differs from the value computed here."""
    if said.schema.names != here.schema.names:
        yield Difference("records", file, "has other columns")
        return
    if said.num_rows != here.num_rows:
        yield Difference("records", file, f"has {here.num_rows} rows here, and had {said.num_rows}")
        return
    for column in said.schema.names:
        if column in skipped or said[column].equals(here[column]):
            continue
        pairs = zip(said[column].to_pylist(), here[column].to_pylist(), strict=True)
        place = next((at for at, (one, other) in enumerate(pairs) if not _equal(one, other)), None)
        if place is not None:
            at = row(place) if row else f"row {place}"
            now, was = here[column][place].as_py(), said[column][place].as_py()
            yield Difference("records", file, f"{column} in {at} is {_shown(now)} here, and was {_shown(was)}")


def _differing(
    said: Any, here: Any, place: tuple[str, ...], skipped: Collection[tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    # What is left of each pattern below this place.
    if () in skipped:
        return
    match said, here:
        case dict(), dict():
            for key in dict.fromkeys([*said, *here]):
                inner = _below(skipped, str(key))
                yield from _differing(said.get(key, MISSING), here.get(key, MISSING), (*place, str(key)), inner)
        case list(), list() if len(said) == len(here):
            for number, (one, other) in enumerate(zip(said, here, strict=True)):
                yield from _differing(one, other, (*place, str(number)), _below(skipped, str(number)))
        case _:
            if not _equal(said, here):
                yield place, said, here


def _below(skipped: Collection[tuple[str, ...]], key: str) -> Collection[tuple[str, ...]]:
    return [each[1:] for each in skipped if each[0] in {"*", key}]


def _equal(one: Any, other: Any) -> bool:
    # True differs from 1, and NaN equals NaN.
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124  # NaN


def _shown(value: Any) -> str:
    if value is MISSING:
        return "missing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MOST else f"{text[:MOST]} …"


MISSING = object()
# Largest number of characters of a value in a difference.
MOST = 60
