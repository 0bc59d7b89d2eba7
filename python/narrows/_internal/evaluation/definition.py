# SPDX-License-Identifier: Apache-2.0
"""The suite file: read strictly, every fault with its place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.experiments.declared import NUMBER, PROSE, Key, anything, fields, listed, needed, one_of, text
from narrows._internal.experiments.document import Document, Node
from narrows._internal.experiments.measures import split
from narrows._internal.files.place import leaves
from narrows._internal.files.text import read_text
from narrows._internal.frozen import frozen
from narrows._internal.library import SUITES
from narrows._internal.names import UnknownNameError
from narrows._internal.typed import beside, like
from narrows.metrics import Metric, MetricError, resolve


@frozen
class Predicate:
    """The bound of a measure."""

    kind: str  # "relative", "bound" or "liveness"
    upper: bool  # whether the bound is an upper one
    factor: float  # the bound; with `than` a factor of the value of the reference
    plus: float = 0.0  # constant that is added, in the unit of the metric
    than: str | None = None  # a reference, "any", "own", or None for an absolute bound
    at: Mapping[str, Any] = field(default_factory=dict)  # levels of the cell compared with, for "own"


@frozen
class Measure:
    """The measure of a row."""

    text: str  # the metric with its owner, as a study names its column
    metric: Metric
    of: str  # "group" or "link", whose metric it is
    per: str | None = None  # column by which it is divided; None for none


@frozen
class Row:
    """A criterion of a suite."""

    section: str  # section of the document
    criterion: str
    level: str  # the requirement level in the document, such as MUST; empty for none
    whose: str  # the author of the predicate
    cells: str = ""  # name of the study file with its cells; empty without a measure
    where: Mapping[str, list[Any]] = field(default_factory=dict)  # levels of factors, each a list of them
    measure: Measure | None = None  # quantity that the row measures; None for none
    predicate: Predicate | None = None  # predicate that the quantity must satisfy; None without a quantity
    card: str = ""  # entry that the subject's card must have; empty for none
    absent: tuple[str, str] | None = None  # verdict and reason of a row that is not measured; None for one that is

    @property
    def sections(self) -> list[str]:
        """The sections of the criterion, which may be several."""
        return [part.strip() for part in self.section.split(",")]


@frozen
class Suite:
    """A suite file."""

    name: str  # name of its folder
    given: str | os.PathLike[str]  # path of the file, whose folder has the study files of its cells
    title: str  # title of the suite
    source: str  # the document whose criteria the rows are
    note: str  # remark for readers; may be empty
    subject: str  # kind of the subject under test: "algorithm" or "queue"
    references: list[str]  # algorithms or queues that run in the same cells for reference
    rows: list[Row]  # the criteria in the order of the file

    @property
    def cells(self) -> dict[str, str]:
        """The study files of the cells by their names, in the order of the rows."""
        return {row.cells: beside(self.given, f"{row.cells}.toml") for row in self.rows if row.cells}


def find_suite(given: str) -> str:
    """Return the path of the file of a suite, typed if the argument is."""
    path = Path(given)
    if path.is_file():
        return like(given, str(path))
    if (path / SUITE_FILE).is_file():
        return like(given, str(path / SUITE_FILE))
    known = {file.parent.name: str(file) for file in sorted(SUITES.glob(f"*/{SUITE_FILE}"))}
    if given in known:
        return known[given]
    hint = f"it is not a folder with a {SUITE_FILE} either; allowed: {', '.join(known)}"
    raise UnknownNameError("suite", given, known, hint)


def read_suite(file: str | os.PathLike[str]) -> Suite:
    """Read a suite file."""
    return _Reader(Document(read_text(Path(file)), str(file)), file).suite()


def narrowed(suite: Suite, sections: Sequence[str]) -> Suite:
    """Return a suite with only the rows of some sections."""
    for section in sections:
        if not any(_is_of(row, section) for row in suite.rows):
            known = ", ".join(dict.fromkeys(part for row in suite.rows for part in row.sections))
            raise InputError(f"--rows {section}", f"no row of {suite.title} is of this section; allowed: {known}")
    wanted = [row for row in suite.rows if not sections or any(_is_of(row, section) for section in sections)]
    return replace(suite, rows=wanted)


def _is_of(row: Row, section: str) -> bool:
    return any(part == section or part.startswith(f"{section}.") for part in row.sections)


class _Reader:
    def __init__(self, document: Document, file: str | os.PathLike[str]) -> None:
        self.document = document
        self.given, self.file = file, Path(file)

    def suite(self) -> Suite:
        found = fields(self.document, self.document.root(), SUITE)
        references = found.get("references", [])
        rows = [self._row(node, references) for node in found.get("rows", ())]
        self.document.check()
        return Suite(
            name=self.file.parent.name if self.file.name == SUITE_FILE else self.file.stem,
            given=self.given,
            title=found["title"],
            source=found["source"],
            note=found.get("note", ""),
            subject=found.get("subject", ALGORITHM),
            references=references,
            rows=[row for row in rows if row is not None],
        )

    def _row(self, node: Node, references: list[str]) -> Row | None:
        found = fields(self.document, node, ROW)
        section, criterion, level, whose = (found.get(name, "") for name in ("section", "criterion", "level", "whose"))
        about = (section, criterion, level, whose)
        absent = [(verdict, found[key]) for key, verdict in ABSENT.items() if key in found]
        if absent:
            return Row(*about, absent=absent[0])
        if "card" in found:
            return Row(*about, card=found["card"])
        for name in ("cells", "measure", "predicate", "whose"):
            if name not in found:
                self.document.complain(node, f"`{name}` is missing", allowed="or not_measured with the reason")
        if not {"cells", "measure", "predicate"} <= set(found):
            return None
        if leaves(found["cells"]):
            # Results are written below a folder of this name.
            allowed = "the name of a study file beside the suite file"
            self.document.complain(node.entries["cells"].node, "is outside of the folder of the suite", allowed=allowed)
        elif not (self.file.parent / f"{found['cells']}.toml").is_file():
            self.document.complain(node, f"no study file {found['cells']}.toml beside the suite file")
        measure = self._measure(found["measure"], found.get("per"))
        predicate = self._predicate(found["predicate"], references)
        if measure is None or predicate is None:
            return None
        levels = self._levels(found.get("where"))
        where = {name: value if isinstance(value, list) else [value] for name, value in levels.items()}
        return Row(*about, cells=found["cells"], where=where, measure=measure, predicate=predicate)

    def _measure(self, node: Node, per: Node | None) -> Measure | None:
        found = [self._column(each) for each in (node, per) if each is not None]
        if any(each is None for each in found):
            return None
        text, metric, of = found[0] or ("", None, "")
        divisor = found[1][0] if len(found) > 1 and found[1] else None
        return None if metric is None else Measure(text, metric, of, divisor)

    def _column(self, node: Node) -> tuple[str, Metric, str] | None:
        written = self.document.text_of(node)
        if not written:
            return None
        owner, name = split("".join(written.split()))
        of = owner.partition(".")[0]
        if of not in OWNERS:
            self.document.complain(
                node, "does not say whose metric it is", allowed="group.NAME.METRIC, link.NAME.METRIC"
            )
            return None
        try:
            metric = resolve(name)
        except MetricError as error:
            self.document.complain(node, f"{error.message}: {error.given}", allowed=error.allowed, hint=error.hint)
            return None
        if of not in metric.owners:
            self.document.complain(node, f"is not a metric of a {of}", allowed=" or ".join(metric.owners))
            return None
        return f"{owner}.{metric.text}", metric, of

    def _predicate(self, node: Node, references: list[str]) -> Predicate | None:
        found = fields(self.document, node, PREDICATE)
        kind, than = found.get("kind"), found.get("than")
        bounds = [name for name in ("at_most", "at_least") if name in found]
        if len(bounds) != 1:
            self.document.complain(node, "needs at_most or at_least, and not both")
        if than is not None and than not in {*references, ANY, OWN}:
            self.document.unknown(node.entries["than"].node, "unknown reference", than, [*references, ANY, OWN])
        if kind == RELATIVE and than is None:
            self.document.complain(node, "`than` is missing", allowed=", ".join([*references, ANY]))
        if than == OWN and "at" not in found:
            self.document.complain(node, "`at` is missing: the levels of the cell compared with")
        at = self._levels(found.get("at"))
        if kind is None or len(bounds) != 1:
            return None
        return Predicate(kind, bounds[0] == "at_most", found[bounds[0]], found.get("plus", 0.0), than, at)

    def _levels(self, table: Node | None) -> dict[str, Any]:
        """Return a table of factors with a level or a list of levels each."""
        found = {}
        for factor, entry in self.document.table(table).items():
            listed = entry.node.items if isinstance(entry.node.value, list) else [entry.node]
            for each in listed:
                if isinstance(each.value, dict | list):
                    self.document.complain(each, "expected a level", allowed="text, a number or a boolean")
            found[factor] = entry.node.plain
        return found


ALGORITHM, QUEUE = "algorithm", "queue"
RELATIVE, BOUND, LIVENESS = "relative", "bound", "liveness"

SUITE = (
    needed("title", PROSE, "What the suite is."),
    needed("source", PROSE, "The document whose criteria the rows are."),
    Key("note", PROSE, "none", "What a reader of the annex must know."),
    Key("subject", one_of(ALGORITHM, QUEUE), f'`"{ALGORITHM}"`', "What is under test."),
    needed("references", listed(PROSE, "a list of names"), "What runs in the same cells with the same seeds."),
    needed("rows", listed(anything("a table"), "a list of tables"), "The criteria."),
)
ROW = (
    needed("section", PROSE, "Section of the document."),
    needed("criterion", PROSE, "The criterion, in words."),
    Key("level", PROSE, "none", 'How the document says it, as in `"MUST"`.'),
    Key("cells", text("the name of a study file beside the suite file, without `.toml`"), "", "Where it is measured."),
    Key(
        "where",
        anything("a table of factors"),
        "every level",
        "The levels, a value or a list of values of each factor.",
    ),
    Key("measure", anything("a metric, as in `group.test.goodput_bps`"), "", "What is measured."),
    Key("per", anything("a metric"), "none", "The measure is divided by this one."),
    Key("predicate", anything("a table"), "", "What the measure is held against."),
    Key("whose", PROSE, "", "Who made the predicate: a document with its section, or `ours`, and why."),
    Key(
        "card",
        text('`"deviations"`'),
        "none",
        "Instead of a measure: the card of the algorithm must have these entries.",
    ),
    Key("not_measured", PROSE, "none", "Instead of a measure: why there is none."),
    Key("not_applicable", PROSE, "none", "Instead of a measure: why the criterion does not apply."),
)
PREDICATE = (
    needed(
        "kind",
        one_of(RELATIVE, BOUND, LIVENESS),
        "relative to references, absolute, or a bound beyond which the algorithm is broken.",
    ),
    Key("at_most", NUMBER, "", "Upper bound; of a predicate with `than`, a factor of what it is compared with."),
    Key("at_least", NUMBER, "", "Lower bound, alike."),
    Key("plus", NUMBER, "0", "What is added to that factor, in the unit of the measure."),
    Key(
        "than",
        text('the name of a reference, `"any"` or `"own"`'),
        "none",
        "What it is compared with: a reference, the most lenient one in each replication, or the subject's own cell "
        "with the levels `at`.",
    ),
    Key("at", anything("a table of factors"), "none", "The levels of the cell compared with."),
)
SUITE_FILE = "suite.toml"
ANY, OWN = "any", "own"
OWNERS = ("group", "link")
ABSENT = {"not_measured": "not measured", "not_applicable": "not applicable"}
