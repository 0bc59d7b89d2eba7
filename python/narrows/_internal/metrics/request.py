# SPDX-License-Identifier: Apache-2.0
"""Requests for metrics by name, with or without values of parameters: `jain`, `cov(bin=10s)`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.arguments import typed
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.names import unknown_beside

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Parameter


# How the message about a name that nothing has begins.
UNKNOWN = "unknown "


class MetricError(InputError):
    """A metric does not exist, or does not apply to the scenario.

    Attributes:
        message: Description of the error.
        given: The part of the text that is wrong.
        allowed: Description of the allowed values.
        nearest: The nearest known name; None where none is near.
        hint: The question whether that is meant; None where none is near.
    """

    def __init__(self, metric: str, message: str, given: str, allowed: str, nearest: str | None = None) -> None:
        """Make the error about `metric`; the other arguments are the attributes."""
        what = message.removeprefix(UNKNOWN)
        named = unknown_beside(what, given, nearest, f"allowed: {allowed}")
        super().__init__(f"metric {metric}", f"{message}: {given!r}; allowed: {allowed}" if what == message else named)
        if named.endswith("?") and given == metric:
            # The name is in the sentence already.
            self.args = (self.problem,)
        self.message = message
        self.given = given
        self.allowed = allowed
        self.nearest = nearest
        self.hint = nearest and f"did you mean `{nearest}`?"


@frozen
class Metric:
    """A metric with values of its parameters.

    Attributes:
        text: The request without white space: its key in summaries.
        name: Name in the catalogue.
        owners: Kinds of objects with a value: `group`, `link` or both.
        counted: Whether it comes from counters, so that every run has it.
        choices: The value of every parameter: seconds, bits per second, shares, numbers or words.
        cards: Cards of the metric in the catalogue, by owner.
    """

    text: str
    name: str
    owners: tuple[str, ...]
    counted: bool
    choices: Mapping[str, Any]
    cards: Mapping[str, Mapping[str, Any]]

    @property
    def unit(self) -> str:
        """The unit of its values; empty for a pure number."""
        return str(self.cards[self.owners[0]]["unit"])


@typed
def resolve(text: str, owner: str | None = None) -> Metric:
    """Return the metric that a text names.

    Args:
        text: As in `cov` or `cov(bin=10s)`. A name that counters and series both have means the counted metric, unless
            a parameter is given.
        owner: "group" or "link" to exclude metrics of the other; None allows both.

    Raises:
        MetricError: There is no such metric, or it has no such parameter or value.
    """
    text = "".join(text.split())
    if counted := _cards_of(_counted(), text, owner):
        return Metric(text, text, tuple(counted), counted=True, choices={}, cards=counted)
    name, chosen = _split(text)
    found = _cards_of(_of_series(), name, owner)
    if not found:
        known = names(owner)
        if "(" in text and name in known:
            raise MetricError(text, "unknown parameter of the metric", next(iter(chosen), ""), "none at all")
        related = _related(name, known)
        near = core.nearest(name, known)
        allowed = ", ".join(list(dict.fromkeys([*filter(None, [near]), *related]))[:MOST_NAMED]) or "as in cov"
        # A single word, as in `rpm`, is meant for a metric that has it in its name.
        near = near or (related[0] if related and name.isalnum() else None)
        raise MetricError(text, "unknown metric", name, f"{allowed}; `narrows list metrics` has {len(known)}", near)
    choices = _read(text, chosen, _parameters(name, next(iter(found))))
    return Metric(text, name, tuple(found), counted=False, choices=choices, cards=found)


def _related(name: str, known: Sequence[str]) -> list[str]:
    """Return the metrics that share a word with a name, those that share most words first."""
    words = {word.removesuffix("s") for word in re.split(r"[^a-z0-9]+", name.lower()) if len(word) > 1} - UNITS
    shared = {each: len(words & {word.removesuffix("s") for word in each.split("_")}) for each in known}
    return sorted((each for each in known if shared[each]), key=lambda each: -shared[each])


@cache
def card_of(text: str, owner: str) -> Mapping[str, Any]:
    """Return the card of the metric of a "group" or "link" that a text asks for; errors are as for `resolve`."""
    return resolve(text, owner).cards[owner]


def catalogue() -> list[dict[str, Any]]:
    """Return the card of every metric as a dict: counted metrics, then metrics of the series."""
    return [*_counted(), *_of_series()]


def counted_names(owner: str) -> list[str]:
    """Return the names of the counted metrics of a `group` or `link`, which every run has."""
    return [card["name"] for card in _counted() if card["family"] == owner]


def names(owner: str | None = None) -> list[str]:
    """Return the names of all metrics, each once; with `owner` only the metrics of a `group` or `link`."""
    return list(dict.fromkeys(card["name"] for card in catalogue() if owner in {None, _owner(card)}))


def named_group(text: str, owner: str | None) -> str | None:
    """Return the group of flows that a parameter of a metric names; None if it names none.

    The extension calls this for the metrics in `[[expect]]`.

    Raises:
        MetricError: As for `resolve`.
    """
    from narrows._internal.metrics.card import Group

    metric = resolve(text, owner)
    for parameter in () if metric.counted else _parameters(metric.name, metric.owners[0]):
        if isinstance(parameter, Group) and metric.choices[parameter.name] != parameter.default:
            return str(metric.choices[parameter.name])
    return None


def check(metric: Metric, scenario: core.Scenario) -> None:
    """Check that a scenario has the groups that a metric names.

    Raises:
        MetricError: There is no such group.
    """
    groups = [name for name, _, _ in scenario.paths]
    to = metric.choices.get("to", "own")
    if to == "other" and len(groups) != PAIR:
        raise MetricError(metric.text, "the group to hold it against must be named as to", to, ", ".join(groups))
    if to not in {"own", "other", *groups}:
        raise MetricError(metric.text, "unknown group", to, ", ".join(groups))


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Return the name in a request, and the values of parameters as written."""
    name, opened, rest = text.partition("(")
    if opened and not rest.endswith(")"):
        raise _no_form(text)
    chosen: dict[str, str] = {}
    for part in rest.removesuffix(")").split(",") if rest not in {"", ")"} else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise _no_form(text)
        if key in chosen:
            raise MetricError(text, f"{key} is given twice", part, "each parameter once")
        chosen[key] = value
    return name, chosen


def _no_form(text: str) -> MetricError:
    return MetricError(text, "neither a metric nor a metric with parameters", text, "as in cov or cov(bin=10s)")


def _read(text: str, chosen: Mapping[str, str], parameters: Sequence[Parameter]) -> dict[str, float | str]:
    known = [parameter.name for parameter in parameters]
    for key in chosen:
        if key not in known:
            allowed = ", ".join(known) or "none at all"
            raise MetricError(text, "unknown parameter of the metric", key, allowed, core.nearest(key, known))
    choices = {}
    for parameter in parameters:
        written = chosen.get(parameter.name, parameter.default)
        try:
            choices[parameter.name] = parameter.read(written)
        except ValueError:
            lacking = f"{parameter.name} is needed: {parameter.meaning}"
            message = f"{parameter.name} cannot have this value" if written else lacking
            raise MetricError(text, message, written, parameter.allowed) from None
    return choices


def _cards_of(cards: Sequence[dict[str, Any]], name: str, owner: str | None) -> dict[str, dict[str, Any]]:
    return {_owner(card): card for card in cards if card["name"] == name and owner in {None, _owner(card)}}


def _owner(card: Mapping[str, Any]) -> str:
    return "link" if card["family"] == "link" else "group"


def _parameters(name: str, owner: str) -> tuple[Parameter, ...]:
    from narrows._internal.metrics import registry

    return registry.parameters(owner, name)


@cache
def _counted() -> list[dict[str, Any]]:
    return [{**card, "counted": True, "parameters": []} for card in core.metrics()]


@cache
def _of_series() -> list[dict[str, Any]]:
    # Its functions need numpy, which what starts fast must not load.
    from narrows._internal.metrics import registry

    return registry.catalogue()


PAIR = 2
# Metrics that a message names at most, and words of names that do not describe the measure.
MOST_NAMED = 12
UNITS = frozenset({"bps", "s", "mean", "packets", "rate", "time"})
