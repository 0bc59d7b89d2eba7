# SPDX-License-Identifier: Apache-2.0
"""The contents of `claims.toml`: claims with their tests, variants, judges, figures and tables."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows._internal.reproduction.predicate import Test
    from narrows._internal.reproduction.quantity import Quantity


@frozen
class Magnitude:
    """A claimed magnitude of an effect; without it a claim holds in direction only."""

    test: Test
    whose: str  # source of the threshold: "study" or "ours"


@frozen
class Cause:
    """The known reason why a claim does not hold."""

    text: str = ""
    whose: str = ""  # one of `CLASSES`; empty if not given
    evidence: tuple[str, ...] = ()  # names of variants and other implementations, or sentences on a run
    decides: str = ""  # the missing evidence; empty if it is decided


@frozen
class Printed:
    """A value that the source prints in its text."""

    quantity: Quantity
    value: float
    label: str = ""  # empty for the description of the quantity


@frozen
class Claim:
    """A claim of a published study."""

    id: str
    statement: str
    strength: str  # confidence of the source: "strong", "medium" or "weak"
    place: str  # section, figure or table of the source
    supported: str  # whether the source's own tables or figures support it, in words
    direction: Test | None  # the test that decides the verdict; None if the claim cannot be tested
    magnitude: Magnitude | None  # None if only the direction is claimed
    published: str  # the published value, in words
    not_testable: str  # reason why the claim is not tested
    cause: Cause
    note: str  # differences of the test from the source, and the reason
    check: bool = False  # whether the claim holds by construction: it checks the implementation and is no evidence
    # "ours" if the source does not give the bounds of the deciding test, so that more seeds cannot settle the claim.
    bound: str = ""
    printed: tuple[Printed, ...] = ()


class Shown(NamedTuple):
    """A value of a table or figure that stands beside a finding."""

    table: str
    row: str  # name of the row, or of the line
    column: str  # heading of the column, or the position
    unit: str  # a key of `SCALES`; empty for the unit of the table


@frozen
class Headline:
    """A main result of a source, in a sentence."""

    says: str
    claims: tuple[str, ...]  # it holds if all of them do
    numbers: tuple[Shown, ...]  # none for the number of the deciding claim


@frozen
class Variant:
    """A variant of experiments: another value for a setting that the source leaves open."""

    name: str
    about: str  # the difference, in words
    key: str  # name of the variant in the study files of its experiments
    claims: tuple[str, ...] = ()  # claims that are judged under it; empty for all that use its experiments
    # Algorithms of the variant's cells, by the name in the tests.
    algorithms: Mapping[str, str] = field(default_factory=dict)
    judge: str = ""  # name of the implementation that runs the variant's cells, such as a kernel; empty for none

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

    name: str  # name of the implementation, with its version
    about: str  # the origin of its cells, in words
    cells: Mapping[str, str]  # files of its cells beside `claims.toml`, by experiment
    size: str  # the only size at which it judges; empty for every size


@frozen
class Line:
    """A line of a figure: its name and the quantity drawn, in which `{x}` is the position on the horizontal axis."""

    name: str
    quantity: Quantity


@frozen
class Picture:
    """A figure of the study, reproduced."""

    title: str
    caption: str  # the figure of the source, and how this one compares
    label: str  # label of the horizontal axis
    places: tuple[Any, ...]  # values of `{x}`, from left to right
    lines: tuple[Line, ...]
    log: bool  # whether the vertical axis is logarithmic
    published: Mapping[str, Sequence[float | None]]  # by the name of a line, one or None for each of `places`
    axis: str = ""  # label of the vertical axis; empty for the label of the metric
    compared_as: str = ""  # quantity for the agreement over all tables; empty for one of its own


@frozen
class Table:
    """A table of results beside the published values."""

    title: str
    caption: str  # the table or figure of the source, and caveats
    label: str  # heading of the column of row names
    columns: tuple[str, ...]  # headings of the columns of values
    rows: Mapping[str, Sequence[Quantity]]  # by the name of the row, a quantity for each column
    published: Mapping[str, Sequence[float | None]]  # by the name of a row, one or None for each column
    # Variants or implementations that give the values, by the name of a row, one for each column; or `AS_DESCRIBED`.
    under: Mapping[str, Sequence[str]]
    # Quantity for the agreement over all tables, with `{column}` for the heading; empty for one of its own.
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
    caption: str  # the choice and its test
    parts: Mapping[str, Half]  # by their heading
    under: tuple[str, ...]  # names of the variants, or `AS_DESCRIBED`; a row each


@frozen
class Published:
    """A published study."""

    title: str
    number: str  # short name, as used in claims
    source: str  # the publication
    question: str
    experiments: Mapping[str, str]  # descriptions, by name
    variants: Sequence[Variant]
    judges: Sequence[Judge]
    claims: Sequence[Claim]
    headlines: Sequence[Headline]
    pictures: Sequence[Picture]
    tables: Sequence[Table]
    calibrations: Sequence[Calibration]
    labels: Mapping[str, str]  # names of rows and columns of tables in pages, by their own names
    packet_hops: Mapping[str, float]  # approximate number by size, variants included; a size may be missing


# How firmly a source states a claim.
STRENGTHS = ("strong", "medium", "weak")
# The classes of causes: an error of this implementation; an error of the source; the set-up, which the source leaves
# open or has otherwise; or not known.
OURS, SOURCE, SET_UP, OPEN = CLASSES = ("ours", "source", "set-up", "open")
# The units in which values of tables are written, with their factors.
SCALES: Mapping[str, float] = {"Mbps": 1e6, "%": 0.01}
# In place of the name of a variant: the study as described.
AS_DESCRIBED = "as described"
