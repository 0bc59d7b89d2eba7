# SPDX-License-Identifier: Apache-2.0
"""The card of a metric that is computed from a run's series, declared beside its function.

Examples:
    >>> from narrows._internal.metrics.card import Card
    >>> Card(
    ...     "cov", "flow", "", "lower", "coefficient of variation", "standard deviation over mean", "RFC 5166 §2.2.1"
    ... ).owner
    'group'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from narrows._internal import core
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.metrics.observed import Flow, Observed

    Choices = Mapping[str, Any]
    OfOwner = Callable[[Observed, str, Choices], float]
    OfFlow = Callable[[Observed, str, Flow, Choices], float]
    Taken = TypeVar("Taken", OfOwner, OfFlow)

Of: TypeAlias = Literal["group", "flow", "pair", "link"]
Better: TypeAlias = Literal["higher", "lower", ""]


@frozen
class Parameter:
    """A parameter of a metric.

    Attributes:
        name: Name, as `bin` in `cov(bin=10s)`.
        meaning: Meaning, as a noun phrase in lower case.
        default: Default value as written; empty if a value is required.
        words: Words that are allowed instead of a value.
    """

    name: str
    meaning: str
    default: str = ""
    words: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """Description of the allowed values and words."""
        return ", or ".join([self.kind, *self.words])

    @property
    def kind(self) -> str:
        """Description of the allowed values."""
        raise NotImplementedError

    def read(self, text: str) -> float | str:
        """Return the value of a text: seconds, bits per second, a share, a number, or a word.

        Raises:
            ValueError: The text is not an allowed value.
        """
        return text if text in self.words else self.value(text)

    def value(self, text: str) -> float | str:
        """Return the value of a text that is not one of the words; errors are as for `read`."""
        raise NotImplementedError


@frozen
class Time(Parameter):
    """A time with its unit, read as seconds; `zero` allows a time of zero."""

    zero: bool = False
    kind = "a time with its unit, as in 10s"

    def value(self, text: str) -> float:
        """Return the time, seconds."""
        time_s = core.quantity(text, "time")
        if time_s == 0 and not self.zero:
            raise ValueError(text)
        return time_s


@frozen
class Share(Parameter):
    """A percentage, or a number from 0."""

    kind = "a percentage, as in 80%, or a number from 0"

    def value(self, text: str) -> float:
        """Return the share; 1 is the whole."""
        share = core.quantity(text, "fraction") if text.endswith("%") else float(text)
        if not (math.isfinite(share) and share >= 0):
            raise ValueError(text)
        return share


@frozen
class Whole(Parameter):
    """A whole number from 0."""

    kind = "a whole number from 0"

    def value(self, text: str) -> float:
        """Return the number, 0 or more."""
        if not (text.isascii() and text.isdigit()):
            raise ValueError(text)
        return float(text)


@frozen
class Rate(Parameter):
    """A rate with its unit, in bits per second."""

    kind = "a rate with its unit, as in 10Mbps"

    def value(self, text: str) -> float:
        """Return the rate, bits per second."""
        rate_bps = core.quantity(text, "rate")
        if rate_bps == 0:
            raise ValueError(text)
        return rate_bps


@frozen
class Name(Parameter):
    """A name without white space; the default is a word for one name or for all."""

    @property
    def kind(self) -> str:
        """Description of the allowed values."""
        return "a name without white space" + (f", or {self.default}" if self.default else "")

    def value(self, text: str) -> str:
        """Return the name."""
        if not text:
            raise ValueError(text)
        return text


@frozen
class Word(Parameter):
    """One of its `words`, and no other value."""

    kind = "a word"

    def value(self, text: str) -> str:
        """Raise ValueError: every allowed value is a word."""
        raise ValueError(text)

    @property
    def allowed(self) -> str:
        """Description of the allowed words."""
        return " or ".join(self.words)


@frozen
class Group(Name):
    """The name of a group of flows; the default is a word for a group."""

    @property
    def kind(self) -> str:
        """Description of the allowed values."""
        return f"the name of a group of flows, or {self.default}"


@frozen
class Card:
    """The card of a metric.

    Attributes:
        name: Name in summaries and requests.
        of: Kind of object with a value: "group", "link", "flow" (the value of a group is the mean over its flows that
            have one) or "pair" (a group compared with another).
        unit: Unit: "s", "bps", "B", "packets", "count", "round trips", "share" (1 is the whole); empty for another
            pure number.
        better: Direction in which values are better: "higher", "lower", or empty if that depends on the question.
        label: Name in tables and figures, as in the middle of a sentence, without the unit.
        definition: Definition of the value, as a sentence.
        source: Paper or RFC, with section, that defines it.
        parameters: Parameters of the metric, in order.
    """

    name: str
    of: Of
    unit: str
    better: Better
    label: str
    definition: str
    source: str
    parameters: tuple[Parameter, ...] = ()

    @property
    def owner(self) -> Literal["group", "link"]:
        """The kind of owner among whose metrics it is listed."""
        return "link" if self.of == "link" else "group"

    def as_dict(self) -> dict[str, Any]:
        """Return the card as a dict, in the form of the entries of `core.metrics`."""
        return {
            "name": self.name,
            "family": self.of,
            "summary": self.definition,
            "source": self.source,
            "unit": self.unit,
            "better": self.better,
            "label": self.label,
            "validation": None,
            "counted": False,
            "parameters": [
                {"name": each.name, "meaning": each.meaning, "default": each.default, "allowed": each.allowed}
                for each in self.parameters
            ],
        }


class Declared(NamedTuple):
    """A metric: its card, and the function that computes it."""

    card: Card
    function: Any


def metric(
    label: str, *parameters: Parameter, of: Of, source: str, unit: str = "", better: Better = ""
) -> Callable[[Taken], Taken]:
    """Declare a function as the metric of its name, with its docstring as the definition.

    The function of a metric of flows takes the replication, the name of the group, the flow, and the values of the
    parameters by name; any other one takes the replication, the name of the group or link, and those values. It returns
    the value of the metric, not a number without data.

    Args:
        label: Name in tables and figures.
        parameters: Parameters of the metric, in order.
        of: Kind of object with a value, as in `Card`.
        source: Paper or RFC, with section, that defines it.
        unit: Unit, as in `Card`.
        better: Direction in which values are better, as in `Card`.

    Raises:
        ValueError: The metric is declared already, or its function has no docstring.
    """

    def declare(function: Taken) -> Taken:
        name = function.__name__
        definition = _definition(function.__doc__ or "")
        card = Card(name, of, unit, better, label, definition, source, parameters)
        key = (card.owner, name)
        if key in DECLARED or not definition:
            raise ValueError(f"the {card.owner}'s metric {name} is declared twice or has no definition")
        DECLARED[key] = Declared(card, function)
        return function

    return declare


def _definition(doc: str) -> str:
    """Return a docstring as a definition: on one line, as in the middle of a sentence."""
    text = " ".join(cleandoc(doc).split()).rstrip(".")
    first = text.split(" ", 1)[0]
    return text if first[1:].lower() != first[1:] or "'" in first else text[:1].lower() + text[1:]


# Every metric of the series by owner ("group" or "link") and name, in the order in which they are declared.
DECLARED: dict[tuple[str, str], Declared] = {}
