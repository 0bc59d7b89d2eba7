"""A measure as somebody asks for it, and what it came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


class MeasureError(InputError):
    """Somebody asked for a measure that does not exist, or for one that says nothing about this scenario.

    Attributes:
        message: What is wrong.
        given: What is to blame, as written.
        allowed: What would do.
        nearest: The known name that may have been meant.
    """

    def __init__(self, measure: str, message: str, given: str, allowed: str, nearest: str | None = None) -> None:
        """Say what was given and what is allowed."""
        hint = f"; did you mean {nearest}?" if nearest else ""
        super().__init__(f"measure {measure}", f"{message}: {given!r}; allowed: {allowed}{hint}")
        self.message = message
        self.given = given
        self.allowed = allowed
        self.nearest = nearest


@dataclass(frozen=True)
class Measure:
    """A measure and what was chosen about it.

    Attributes:
        text: As written, without white space: its key in summaries.
        name: In the catalogue.
        owners: `group`, `link` or both: what it can be taken of.
        counted: Counters tell it, so every run has it.
        choices: Every parameter's value: seconds, shares, numbers or words.
        cards: Unit, direction, definition and source, by owner, as in the catalogue.
    """

    text: str
    name: str
    owners: tuple[str, ...]
    counted: bool
    choices: Mapping[str, Any]
    cards: Mapping[str, Mapping[str, Any]]

    @property
    def unit(self) -> str:
        """Its unit; empty for a pure number."""
        return str(self.cards[self.owners[0]]["unit"])


def resolve(text: str) -> Measure:
    """Find a measure by its name, with or without parameters: `cov`, `cov(bin=10s)`.

    Raises:
        MeasureError: There is no such measure, or it has no such parameter or value.
    """
    try:
        found = core.measure(text)
    except ValueError as error:
        wrong: Any = error
        raise MeasureError(text, wrong.message, wrong.given, wrong.allowed, wrong.nearest) from error
    cards = found["cards"]
    return Measure(found["text"], found["name"], tuple(cards), found["counted"], found["choices"], cards)


def check(measure: Measure, scenario: core.Scenario) -> None:
    """See to it that the groups which a measure names are in a scenario.

    Raises:
        MeasureError: One is not.
    """
    groups = [name for name, _, _ in scenario.paths]
    to = measure.choices.get("to", "own")
    if to == "other" and len(groups) != PAIR:
        raise MeasureError(measure.text, "the group to hold it against must be named as to", to, ", ".join(groups))
    if to not in {"own", "other", *groups}:
        raise MeasureError(measure.text, "no such group", to, ", ".join(groups))


PAIR = 2
