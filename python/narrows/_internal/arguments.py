# SPDX-License-Identifier: Apache-2.0
"""Arguments of the functions of the package: their types, lists, and numbers within their limits."""

from __future__ import annotations

import functools
import inspect
import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

from narrows._internal.typed import as_typed, spread

Overrides = Mapping[str, Any] | Sequence[str]
"""Changes of keys of a scenario: texts `"key.path=value"`, or a dict of keys with values."""
Given = ParamSpec("Given")
Result = TypeVar("Result")


class Kind(NamedTuple):
    """The allowed values of an argument."""

    allowed: str
    fits: Callable[[Any], bool]
    several: bool = False


def typed(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Check the arguments of a public function by their names (`KINDS`), and mark them as the user's own (`Typed`)."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*given: Given.args, **named: Given.kwargs) -> Result:
        for old, new in RENAMED.items():
            if old in named and new in signature.parameters:
                raise TypeError(f"{function.__name__}() has no argument {old!r}; did you mean {new!r}?")
        bound = signature.bind(*given, **named)
        for name, value in bound.arguments.items():
            kind = kind_of(function.__name__, name)
            if kind is None or (value is None and signature.parameters[name].default is None):
                continue
            if name == "overrides" and isinstance(value, Mapping):
                value = [change(key, each) for key, each in value.items()]  # noqa: PLW2901  # the same in another form
            # A mapping is a list of its keys to Python alone.
            several = listed(value) if kind.several and not isinstance(value, Mapping | bytes) else [value]
            if not all(map(kind.fits, several)):
                raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; allowed: {kind.allowed}")
            texts = [os.fspath(each) if isinstance(each, os.PathLike) else each for each in several]
            texts = spread(texts) if name == "overrides" else texts
            bound.arguments[name] = as_typed(texts if kind.several else texts[0])
            if name == "vary":
                bound.arguments[name] = {key: as_typed(each) for key, each in value.items()}
        return function(*bound.args, **bound.kwargs)

    return checked


def kind_of(function: str, argument: str) -> Kind | None:
    """Return the allowed values of an argument of a function; None if it is not checked."""
    return KINDS.get(f"{function}.{argument}") or KINDS.get(argument)


def change(key: str, value: object) -> str:
    """Return the change of a key of a scenario, as after `--set`.

    Examples:
        >>> change("path.queue", "codel"), change("transport.ecn", True), change("flows.0.count", 3)
        ('path.queue=codel', 'transport.ecn=true', 'flows.0.count=3')
    """
    if not isinstance(value, str | bool | Real | list | tuple):
        raise TypeError(
            f"overrides[{key!r}] is {value!r}, a {type(value).__name__}; allowed: a text, number, flag or list"
        )
    # Lists, numbers and flags are written alike in JSON and TOML.
    return f"{key}={value if isinstance(value, str) else json.dumps(value, default=_plain)}"


def _plain(number: object) -> int | float:
    """Return a number of NumPy as a number of Python."""
    if isinstance(number, Integral):
        return int(number)
    if isinstance(number, Real):
        return float(number)
    raise TypeError(f"{number!r} is a {type(number).__name__}; allowed in a list: texts, numbers and flags")


def listed(given: object) -> list[Any]:
    """Return an argument as a list; a text, class or number by itself is a list of one.

    Examples:
        >>> listed("duration=5s")
        ['duration=5s']
        >>> listed(("cubic", "bbr3"))
        ['cubic', 'bbr3']
    """
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | type) else [given]


def check_numbers(**given: object) -> None:
    """Check numbers by their names; None is a default."""
    for name, value in given.items():
        least, most = LIMITS[name]
        try:
            number = least if value is None else operator.index(value)  # type: ignore[arg-type]  # raises without an index
        except TypeError:
            number = least - 1
        if not least <= number <= most:
            raise ValueError(f"{name} is {value!r}; allowed: a whole number from {least} to {most}")


LIMITS = {
    "flows": (1, 1000),
    "jobs": (1, 4096),
    "maximum": (2, 10**6),
    "replications": (1, 10**6),
    "seed": (0, 2**63 - 1),
}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _is_algorithm(value: object) -> bool:
    return isinstance(value, str | type)


def _has(*methods: str) -> Callable[[object], bool]:
    return lambda value: all(callable(getattr(value, method, None)) for method in methods)


# Names that arguments have had, and those that they have.
RENAMED = {"measures": "metrics"}
TEXT = Kind("text", _is_text)
TEXTS = Kind("a text, or a list of texts", _is_text, several=True)
PATH = Kind("a path", _is_path)
ALGORITHM = Kind("the name of an algorithm, or a class", _is_algorithm)
NUMBER_OR_TEXT = Kind("a number or a text", lambda value: isinstance(value, str | Real))
# By the name of the argument, or by function and argument.
KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("on", "queue", "size", "variant", "form", "sql", "library", "command", "table", "text"), TEXT),
    **dict.fromkeys(("x", "y", "lines", "experiment"), TEXT),
    "margin": TEXT,
    "why.at": NUMBER_OR_TEXT,
    "playground.scenario": PATH,
    **dict.fromkeys(
        (
            "overrides",
            "metrics",
            "margins",
            "subjects",
            "rates",
            "rtts",
            "buffers",
            "queues",
            "at",
            "rows",
            "only",
            "panels",
            "average",
        ),
        TEXTS,
    ),
    **dict.fromkeys(("out", "folder", "file", "directory", "name", "path", "suite"), PATH),
    **dict.fromkeys(("a", "b", "algorithm", "against", "subject"), ALGORITHM),
    **dict.fromkeys(("budget", "flow", "window"), NUMBER_OR_TEXT),
    "scenarios": PATH._replace(allowed="a list of files or names of scenarios", several=True),
    "like": PATH._replace(allowed="a list of traces or folders of traces", several=True),
    **dict.fromkeys(
        ("trust", "replace", "until_decided"), Kind("True or False", lambda value: isinstance(value, bool))
    ),
    "algorithms": Kind("a list of names of algorithms or classes", _is_algorithm, several=True),
    "fractions": NUMBER_OR_TEXT._replace(allowed="a list of percentages", several=True),
    "within": NUMBER_OR_TEXT,
    "source": Kind("a dict, or the text of a scenario file", lambda value: isinstance(value, str | Mapping)),
    "scenario": Kind(
        "a file, the name of a scenario, a dict or a Scenario",
        lambda value: _is_path(value) or isinstance(value, Mapping) or _has("compare", "resolve")(value),
    ),
    "where": Kind("a dict of factors, each with a level", lambda value: isinstance(value, Mapping)),
    "vary": Kind("a dict of keys with lists of levels", lambda value: isinstance(value, Mapping)),
    "watch": Kind("an object with the methods `update` and `stopped`", _has("update", "stopped")),
    "width_mm": Kind("a number of millimetres", lambda value: isinstance(value, Real) and not isinstance(value, bool)),
    "ax": Kind("axes of matplotlib", _has("plot", "set_xlabel")),
}
