# SPDX-License-Identifier: Apache-2.0
"""What a published study claims: its claims with their tests, variants, judges, figures and tables."""

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
    """A claimed magnitude of an effect, without which a claim holds in direction only.

    Attributes:
        test: The test of the magnitude.
        whose: Source of the threshold: "study" or "ours".
    """

    test: Test
    whose: str


@frozen
class Cause:
    """Why a claim does not hold, as far as it is known.

    Attributes:
        text: What is known, in words; empty if nothing is.
        whose: One of `CLASSES`; empty if it is not said.
        evidence: Names of the variants and other implementations that show it, or sentences on a run.
        decides: What would decide, in words; empty if it is decided.
    """

    text: str = ""
    whose: str = ""
    evidence: tuple[str, ...] = ()
    decides: str = ""


@frozen
class Printed:
    """A value that the source prints in its text.

    Attributes:
        quantity: The quantity that it is of.
        value: The value.
        label: What it is, in words; empty for the description of the quantity.
    """

    quantity: Quantity
    value: float
    label: str = ""


@frozen
class Claim:
    """A claim of a published study.

    Attributes:
        id: Number of the claim.
        statement: The claim, in words.
        strength: Confidence of the source: "strong", "medium" or "weak".
        place: Section, figure or table of the source.
        supported: Whether the source's own tables or figures support it, in words.
        direction: The test that decides the verdict; None if the claim cannot be tested.
        magnitude: The claimed magnitude; None if only the direction is claimed.
        published: The published value, in words; empty if there is none.
        not_testable: Reason why the claim is not tested; empty if it is.
        cause: Known cause of a claim that does not hold.
        note: Differences of the test from the source, and the reason.
        check: Whether the claim holds by construction, so that it checks the implementation and is no evidence.
        bound: "ours" if the bounds of the test that decides are not the source's, so that more seeds cannot settle what
            it says; empty otherwise.
        printed: Values of the source's text that it is about.
    """

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
    """A value of a table or figure that stands beside a finding.

    Attributes:
        table: Title of the table or figure.
        row: Name of the row, or of the line.
        column: Heading of the column, or the position.
        unit: Unit in which it is written, a key of `SCALES`; empty for that of the table.
    """

    table: str
    row: str
    column: str
    unit: str


@frozen
class Headline:
    """What a source is known for, in a sentence.

    Attributes:
        says: The sentence, in our words.
        claims: The claims that it rests on: it holds if all of them do.
        numbers: Values of tables beside those of the source; none for the number of the claim that decides.
    """

    says: str
    claims: tuple[str, ...]
    numbers: tuple[Shown, ...]


@frozen
class Variant:
    """A variant of experiments: another value for something that the source leaves open.

    Attributes:
        name: Name of the variant.
        about: The difference, in words.
        key: Name of the variant in the study files of its experiments.
        claims: Claims that are judged under it; empty for all that use its experiments.
        algorithms: Algorithms of the variant's cells by the name of those in the tests that they stand for.
        judge: Name of the other implementation that runs the variant's cells, such as a kernel; empty for none.
    """

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
        """Return a row of a cell with the name of the algorithm that its own stands for."""
        names = {of_cell: of_test for of_test, of_cell in self.algorithms.items()}
        return {**row, "algorithm": names.get(row["algorithm"], row["algorithm"])}

    def asked(self, where: Mapping[str, Any]) -> dict[str, Any]:
        """Return values of columns that a test wants as the variant's cells have them."""
        return {
            name: self.algorithms.get(value, value) if name == "algorithm" else value for name, value in where.items()
        }


@frozen
class Judge:
    """Another simulator or implementation that has run experiments, by whose cells claims are judged as well.

    Attributes:
        name: Name of the implementation, with its version.
        about: How its cells were made, in words.
        cells: Files of its cells beside `claims.toml`, by experiment.
        size: Size of the experiments that it has run, at which alone it judges; empty for every size.
    """

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
    """A figure of the study, reproduced.

    Attributes:
        title: Title of the figure.
        caption: Which figure of the source it reproduces, and how it compares.
        label: Label of the horizontal axis.
        places: Values of `{x}`, from left to right.
        lines: The lines.
        log: Whether the vertical axis is logarithmic.
        published: Published values by the name of a line, one or None for each of `places`.
        axis: Label of the vertical axis; empty for that of the metric.
        compared_as: Name of the quantity whose values it has, by which agreement is computed over all tables; empty for
            one of its own.
    """

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
    """A table of results beside the published values.

    Attributes:
        title: Title of the table.
        caption: Which table or figure of the source it reproduces, and caveats.
        label: Heading of the column of row names.
        columns: Headings of the columns of values.
        rows: Quantities by the name of the row, one for each column.
        published: Published values by the name of a row, one or None for each column.
        under: Names of the variants or other implementations whose cells give the values, by the name of a row, one for
            each column; `AS_DESCRIBED` for neither.
        compared_as: Name of the quantity whose values a column has, by which agreement is computed over all tables;
            `{column}` in it is replaced by the heading. Empty for one of its own.
    """

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
    """A part of the values that a study printed: one column of some of its tables.

    Attributes:
        tables: Titles of the tables.
        column: Heading of the column.
    """

    tables: tuple[str, ...]
    column: str


@frozen
class Calibration:
    """How well parts of the printed values agree with ours under variants, such as a choice and its test.

    Attributes:
        title: Title of the table.
        caption: What was chosen and tested.
        parts: Parts of the printed values by their heading.
        under: Names of the variants, or `AS_DESCRIBED`; a row each.
    """

    title: str
    caption: str
    parts: Mapping[str, Half]
    under: tuple[str, ...]


@frozen
class Published:
    """A published study.

    Attributes:
        title: Title of the study.
        number: Short name, as used in claims.
        source: The publication.
        question: The question of the study, in words.
        experiments: Descriptions of the experiments, by name.
        variants: Variants of experiments.
        judges: Other implementations that have run experiments.
        claims: Claims of the study.
        headlines: What the study is known for.
        pictures: Reproduced figures.
        tables: Reproduced tables.
        calibrations: Agreement of parts of the printed values under variants.
        labels: How rows and columns of tables are named, where not by their own names.
        packet_hops: Approximate number of packet-hops by size, variants included; a size may be missing.
    """

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
# Whose a cause is: an error of this implementation; the source's; the set-up, which the source leaves open or has
# otherwise; or not known.
OURS, SOURCE, SET_UP, OPEN = CLASSES = ("ours", "source", "set-up", "open")
# The units in which values of tables are written, in theirs.
SCALES: Mapping[str, float] = {"Mbps": 1e6, "%": 0.01}
# The name of no variant: the study as it is described.
AS_DESCRIBED = "as described"
