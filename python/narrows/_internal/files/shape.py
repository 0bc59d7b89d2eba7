# SPDX-License-Identifier: Apache-2.0
"""Validates JSON files of results, which may come from untrusted sources."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError, ReportError
from narrows._internal.files.text import is_text


# A shape is a type (`float` also allows whole numbers); a `range` of whole numbers; None; a tuple of alternatives; a
# list with the shape of its elements; a dict with the shape of each name; or `ANYTHING`. In a dict, a name that ends in
# `?` may be missing, and `ANY_NAME` is the shape of all other names, which are faults without it.
def check_shape(content: object, shape: Any, file: Path) -> None:
    """Check the content of a file."""
    # Faults are described in a second pass: a study reads a file for each of its cells.
    fault = None if _fits(content, shape) else _fault(content, shape, "")
    if fault is not None:
        raise InputError(str(file), f"is damaged: {fault}")


@contextmanager
def fitting(file: Path) -> Iterator[None]:
    """Turn errors of evaluation within the context into a fault of the results, for results from somebody else."""
    try:
        yield
    except (*UNFIT, ReportError) as error:
        cause = error.__cause__ if isinstance(error, ReportError) else error
        if not isinstance(cause, UNFIT):
            raise
        last = traceback.extract_tb(cause.__traceback__)[-1]
        where = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
        problem = f"holds what does not fit together: {type(cause).__name__}: {cause} ({where})"
        raise InputError(str(file), problem) from cause


def _fits(content: object, shape: Any) -> bool:
    """Return whether a part has a shape, that is, no fault."""
    if isinstance(shape, dict) and isinstance(content, dict):
        known = {name.removesuffix("?"): inner for name, inner in shape.items() if name is not ANY_NAME}
        if any(name in shape and name not in content for name in known):
            return False
        other = shape.get(ANY_NAME, _NOTHING)
        return all(_fits(each, known.get(key, other)) for key, each in content.items())
    if isinstance(shape, list) and isinstance(content, list):
        return all(_fits(each, shape[0]) for each in content)
    if isinstance(shape, tuple):
        # Most values in the files of cells are numbers, or null for none.
        return (
            (type(content) is float and float in shape and math.isfinite(content))
            or (content is None and None in shape)
            or any(_fits(content, each) for each in shape)
        )
    return _is(content, shape)


def _fault(content: object, shape: Any, place: str) -> str | None:
    """Return the first fault of a part in words; None without one."""
    if isinstance(shape, dict) and isinstance(content, dict):
        return _fault_of_table(content, shape, place)
    if isinstance(shape, list) and isinstance(content, list):
        faults = (_fault(each, shape[0], f"{place}[{number}]") for number, each in enumerate(content))
        return next(filter(None, faults), None)
    if isinstance(shape, tuple):
        # The list or dict among the alternatives gives the place of the fault.
        kinds = [each for each in shape if isinstance(each, dict | list) and isinstance(content, type(each))]
        fits = any(_fits(content, each) for each in shape)
        return None if fits else _fault(content, kinds[0], place) if kinds else _complaint(content, shape, place)
    return None if _is(content, shape) else _complaint(content, shape, place)


def _fault_of_table(content: dict[str, Any], shape: dict[Any, Any], place: str) -> str | None:
    known = {name.removesuffix("?"): inner for name, inner in shape.items() if name is not ANY_NAME}
    missing = next((name for name in known if name in shape and name not in content), None)
    if missing is not None:
        return f"`{_below(place, missing)}` is missing"
    for key, each in content.items():
        if key not in known and ANY_NAME not in shape:
            return f"`{_below(place, key)}` is unknown"
        fault = _fault(each, known.get(key, shape.get(ANY_NAME)), _below(place, key))
        if fault is not None:
            return fault
    return None


def _is(content: object, shape: Any) -> bool:
    if isinstance(shape, range):
        return _is_whole(content) and content in shape
    return shape is ANYTHING or content is shape or (isinstance(shape, type) and CHECKS[shape](content))


def _is_whole(content: object) -> bool:
    return isinstance(content, int) and not isinstance(content, bool)


def _is_number(content: object) -> bool:
    if type(content) is float:
        return math.isfinite(content)
    if not isinstance(content, int | float) or isinstance(content, bool):
        return False
    try:
        return math.isfinite(content)
    except OverflowError:
        return False


def _complaint(content: object, shape: Any, place: str) -> str:
    given = json.dumps(content)
    given = given if len(given) <= LONGEST else f"{given[:LONGEST]} …"
    return f"`{place or 'the whole'}` is {given}; allowed: {_words(shape)}"


def _words(shape: Any) -> str:
    match shape:
        case tuple():
            return " or ".join(_words(each) for each in shape)
        case range():
            return f"a whole number from {shape[0]} to {shape[-1]}"
        case dict():
            return "a table"
        case list():
            return "a list"
        case None:
            return "null"
    return WORDS.get(shape, "anything")


def _below(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


CHECKS: dict[type, Callable[[object], bool]] = {
    str: lambda content: isinstance(content, str) and is_text(content),
    int: _is_whole,
    float: _is_number,
    bool: lambda content: isinstance(content, bool),
}
# Errors of the evaluation of inconsistent data.
# `StopIteration`: `next` finds nothing of the name that another part of the results gives.
UNFIT = (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError)
ANYTHING = object()
# The shape of what may not be there.
_NOTHING = ()
ANY_NAME = object()
WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "a table"}
# Characters of a value that a message shows.
LONGEST = 60
