# SPDX-License-Identifier: Apache-2.0
"""The contents of `claims.toml`: claims with their tests, variants, judges, figures and tables."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.reproduction.predicate import Test
    from narrows.reproduction.quantity import Quantity


@frozen
class Magnitude:
    """A claimed magnitude of an effect; without it a claim holds in direction only."""

    test: Test
    whose: str


@frozen
class Cause:
    """The known reason why a claim does not hold."""

    text: str = ""
    whose: str = ""
    evidence: tuple[str, ...] = ()
    decides: str = ""


@frozen
class Printed:
    """A value that the source prints in its text."""

    quantity: Quantity
    value: float
    label: str = ""


@frozen
class Claim:
    """A claim of a published study."""

    id: str
    statement: str
    strength: str
    place: str
    supported: str
    direction: Test | None
    magnitude: Magnitude | None
    published: str
    not_testable: str
    cause: Cause
    note: str
    check: bool = False
    bound: str = ""
    printed: tuple[Printed, ...] = ()


class Shown(NamedTuple):
    """A value of a table or figure that stands beside a finding."""

    table: str
    row: str
    column: str
    unit: str


@frozen
class Headline:
    """A main result of a source, in a sentence."""

    says: str
    claims: tuple[str, ...]
    numbers: tuple[Shown, ...]


@frozen
class Variant:
    """A variant of experiments: another value for a setting that the source leaves open."""

    name: str
    about: str
    key: str
    claims: tuple[str, ...] = ()
    algorithms: Mapping[str, str] = field(default_factory=dict)
    judge: str = ""

    def concerns(self, claim: str) -> bool:
        """Return whether a claim is judged under the variant."""
        return not self.claims or claim in self.claims

    def read_as(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row of a cell with its algorithm renamed to the one that tests name."""
        names = {of_cell: of_test for of_test, of_cell in self.algorithms.items()}
        return {**row, "algorithm": names.get(row["algorithm"], row["algorithm"])}

    def asked(self, where: Mapping[str, Any]) -> dict[str, Any]:
        """Return the column values that a test selects, as they are written in the variant's cells."""
        return {
            name: self.algorithms.get(value, value) if name == "algorithm" else value for name, value in where.items()
        }


@frozen
class Judge:
    """Another simulator or implementation that has run experiments; claims are judged by its cells, too."""

    name: str
    about: str
    cells: Mapping[str, str]
    size: str


@frozen
class Line:
    """A line of a figure: its name and the quantity drawn, in which `{x}` is the position on the horizontal axis."""

    name: str
    quantity: Quantity


@frozen
class Picture:
    """A figure of the study, reproduced."""

    title: str
    caption: str
    label: str
    places: tuple[Any, ...]
    lines: tuple[Line, ...]
    log: bool
    published: Mapping[str, Sequence[float | None]]
    axis: str = ""
    compared_as: str = ""


@frozen
class Table:
    """A table of results beside the published values."""

    title: str
    caption: str
    label: str
    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[Quantity]]
    published: Mapping[str, Sequence[float | None]]
    under: Mapping[str, Sequence[str]]
    compared_as: str = ""


@frozen
class Half:
    """A part of the values that a study printed: one column of some of its tables."""

    tables: tuple[str, ...]
    column: str


@frozen
class Calibration:
    """How well parts of the printed values agree with ours under variants, such as a choice and its test."""

    title: str
    caption: str
    parts: Mapping[str, Half]
    under: tuple[str, ...]


@frozen
class Published:
    """A published study."""

    title: str
    number: str
    source: str
    question: str
    experiments: Mapping[str, str]
    variants: Sequence[Variant]
    judges: Sequence[Judge]
    claims: Sequence[Claim]
    headlines: Sequence[Headline]
    pictures: Sequence[Picture]
    tables: Sequence[Table]
    calibrations: Sequence[Calibration]
    labels: Mapping[str, str]
    packet_hops: Mapping[str, float]


# How firmly a source states a claim.
STRENGTHS = ("strong", "medium", "weak")
# The classes of causes: an error of this implementation; an error of the source; the set-up, which the source leaves
# open or has otherwise; or not known.
OURS, SOURCE, SET_UP, OPEN = CLASSES = ("ours", "source", "set-up", "open")
# The units in which values of tables are written, with their factors.
SCALES: Mapping[str, float] = {"Mbps": 1e6, "%": 0.01}
# In place of the name of a variant: the study as described.
AS_DESCRIBED = "as described"
