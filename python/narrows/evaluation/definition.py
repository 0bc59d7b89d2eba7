"""The suite file: read strictly, every fault with its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.errors import InputError
from narrows.evaluation.keys import PREDICATE, ROW, SUITE
from narrows.files.text import read_text
from narrows.library import SUITES
from narrows.metrics import MetricError, resolve
from narrows.study.document import Document
from narrows.study.keys import names
from narrows.study.measures import split

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.metrics import Metric
    from narrows.study.document import Entry, Node
    from narrows.study.keys import Key


@dataclass(frozen=True)
class Predicate:
    """What a measure is held against.

    Attributes:
        kind: "relative", "bound" or "liveness".
        upper: Whether the bound is an upper one.
        factor: The bound; with `than` a factor of what the measure is compared with.
        plus: What is added to it, in the unit of the measure.
        than: A reference, "any", "own", or None for an absolute bound.
        at: Levels of the cell compared with, for "own".
    """

    kind: str
    upper: bool
    factor: float
    plus: float = 0.0
    than: str | None = None
    at: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measure:
    """What a row measures.

    Attributes:
        text: The metric with its owner, as a study names its column.
        metric: The metric.
        of: "group" or "link", whose metric it is.
        per: Column by which it is divided; None for none.
    """

    text: str
    metric: Metric
    of: str
    per: str | None = None


@dataclass(frozen=True)
class Row:
    """A criterion of a suite.

    Attributes:
        section: Section of the document.
        criterion: The criterion.
        level: How the document says it; empty for none.
        whose: Who made the predicate.
        cells: Name of the study file with its cells; empty without a measure.
        where: Levels of factors, each a list of them.
        measure: What is measured; None for nothing.
        predicate: What it is held against; None without a measure.
        card: Entry that the subject's card must have; empty for none.
        absent: Verdict and reason of a row that is not measured; None for one that is.
    """

    section: str
    criterion: str
    level: str
    whose: str
    cells: str = ""
    where: Mapping[str, list[Any]] = field(default_factory=dict)
    measure: Measure | None = None
    predicate: Predicate | None = None
    card: str = ""
    absent: tuple[str, str] | None = None

    @property
    def sections(self) -> list[str]:
        """The sections, where the criterion is of several."""
        return [part.strip() for part in self.section.split(",")]


@dataclass(frozen=True)
class Suite:
    """A suite file.

    Attributes:
        name: Name of its folder.
        folder: The folder, which has the study files of its cells.
        title: Title of the suite.
        source: The document whose criteria the rows are.
        note: What a reader must know; empty for nothing.
        subject: What is under test: "algorithm" or "queue".
        references: What runs in the same cells.
        rows: The criteria in the order of the file.
    """

    name: str
    folder: Path
    title: str
    source: str
    note: str
    subject: str
    references: list[str]
    rows: list[Row]

    @property
    def cells(self) -> dict[str, Path]:
        """The study files of the cells by their names, in the order of the rows."""
        return {row.cells: self.folder / f"{row.cells}.toml" for row in self.rows if row.cells}


def find_suite(given: str) -> Path:
    """Return the file of a suite.

    Args:
        given: Name of a suite that comes with Narrows, or the path of a suite file or of its folder.

    Raises:
        InputError: There is no such suite.
    """
    path = Path(given)
    if path.is_file():
        return path
    if (path / SUITE_FILE).is_file():
        return path / SUITE_FILE
    known = {file.parent.name: file for file in sorted(SUITES.glob(f"*/{SUITE_FILE}"))}
    if given in known:
        return known[given]
    near = core.nearest(given, list(known))
    hint = f"; did you mean {near}?" if near else f"; there are {', '.join(known)}"
    raise InputError(given, f"no suite has this name, and no folder with a {SUITE_FILE}{hint}")


def read_suite(file: Path) -> Suite:
    """Read a suite file.

    Raises:
        InputError: The file cannot be read.
        ScenarioError: The file has errors; `diagnostics` lists them with line and column.
    """
    return _Reader(Document(read_text(file), str(file)), file).suite()


def narrowed(suite: Suite, sections: Sequence[str]) -> Suite:
    """Return a suite with the rows of some sections alone.

    Args:
        suite: The suite.
        sections: Sections of its document, each with those below it: `5.1` means `5.1.3`, too; empty for all.

    Raises:
        InputError: No row is of a section.
    """
    for section in sections:
        if not any(_is_of(row, section) for row in suite.rows):
            known = ", ".join(dict.fromkeys(part for row in suite.rows for part in row.sections))
            raise InputError(f"--rows {section}", f"no row of {suite.title} is of this section; allowed: {known}")
    wanted = [row for row in suite.rows if not sections or any(_is_of(row, section) for section in sections)]
    return replace(suite, rows=wanted)


def _is_of(row: Row, section: str) -> bool:
    return any(part == section or part.startswith(f"{section}.") for part in row.sections)


class _Reader:
    def __init__(self, document: Document, file: Path) -> None:
        self.document = document
        self.file = file

    def suite(self) -> Suite:
        keys = self._known(self.document.root(), SUITE)
        missing = [key.name for key in SUITE if "Required" in key.meaning and key.name not in keys]
        for name in missing:
            self.document.complain(((0, 0), name), f"`{name}` is missing")
        subject = self._text(keys, "subject") or ALGORITHM
        if subject not in SUBJECTS and "subject" in keys:
            self.document.complain(keys["subject"].node, "cannot be under test", allowed=" or ".join(SUBJECTS))
        references = [self.document.text_of(each) for each in self._listed(keys, "references", "names")]
        rows = [self._row(node, references) for node in self._listed(keys, "rows", "tables, as in [[rows]]")]
        self.document.check()
        return Suite(
            name=self.file.parent.name if self.file.name == SUITE_FILE else self.file.stem,
            folder=self.file.parent,
            title=self._text(keys, "title"),
            source=self._text(keys, "source"),
            note=self._text(keys, "note"),
            subject=subject,
            references=references,
            rows=[row for row in rows if row is not None],
        )

    def _row(self, node: Node, references: list[str]) -> Row | None:
        keys = self._known(node, ROW)
        for name in ("section", "criterion"):
            if name not in keys:
                self.document.complain(node, f"`{name}` is missing")
        about = (
            self._text(keys, "section"),
            self._text(keys, "criterion"),
            self._text(keys, "level"),
            self._text(keys, "whose"),
        )
        absent = [(verdict, self._text(keys, key)) for key, verdict in ABSENT.items() if key in keys]
        if absent:
            return Row(*about, absent=absent[0])
        if "card" in keys:
            return Row(*about, card=self._text(keys, "card"))
        return self._measured(node, keys, about, references)

    def _measured(
        self, node: Node, keys: Mapping[str, Entry], about: tuple[str, str, str, str], references: list[str]
    ) -> Row | None:
        for name in ("cells", "measure", "predicate", "whose"):
            if name not in keys:
                self.document.complain(node, f"`{name}` is missing", allowed="or not_measured with the reason")
        if not {"cells", "measure", "predicate"} <= set(keys):
            return None
        cells = self._text(keys, "cells")
        if not (self.file.parent / f"{cells}.toml").is_file():
            self.document.complain(keys["cells"].node, f"there is no study file {cells}.toml beside the suite file")
        measure = self._measure(keys["measure"].node, keys["per"].node if "per" in keys else None)
        predicate = self._predicate(keys["predicate"].node, references)
        if measure is None or predicate is None:
            return None
        where = {
            name: value if isinstance(value, list) else [value] for name, value in self._levels(keys, "where").items()
        }
        return Row(*about, cells=cells, where=where, measure=measure, predicate=predicate)

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
            hint = f"did you mean {error.nearest}?" if error.nearest else None
            self.document.complain(node, f"{error.message}: {error.given}", allowed=error.allowed, hint=hint)
            return None
        if of not in metric.owners:
            self.document.complain(node, f"is not a metric of a {of}", allowed=" or ".join(metric.owners))
            return None
        return f"{owner}.{metric.text}", metric, of

    def _predicate(self, node: Node, references: list[str]) -> Predicate | None:
        keys = self._known(node, PREDICATE)
        kind, than = self._text(keys, "kind"), self._text(keys, "than") or None
        bounds = [name for name in ("at_most", "at_least") if name in keys]
        if kind not in KINDS:
            self.document.complain(node, "its kind is missing or unknown", allowed=", ".join(KINDS))
        if len(bounds) != 1:
            self.document.complain(node, "needs at_most or at_least, and not both")
        if than is not None and than not in {*references, ANY, OWN}:
            self.document.unknown(keys["than"].node, "is no reference", than, [*references, ANY, OWN])
        if kind == RELATIVE and than is None:
            self.document.complain(node, "`than` is missing", allowed=", ".join([*references, ANY]))
        if than == OWN and "at" not in keys:
            self.document.complain(node, "`at` is missing: the levels of the cell compared with")
        numbers = {
            name: self.document.number(keys[name].node) for name in ("at_most", "at_least", "plus") if name in keys
        }
        at = self._levels(keys, "at")
        factor = numbers[bounds[0]] if len(bounds) == 1 else None
        plus = numbers.get("plus", 0.0)
        if kind not in KINDS or factor is None or plus is None:
            return None
        return Predicate(kind, bounds[0] == "at_most", factor, plus, than, at)

    def _levels(self, keys: Mapping[str, Entry], name: str) -> dict[str, Any]:
        """Return a table of factors with a level or a list of levels each."""
        found = {}
        for factor, entry in self.document.table(keys[name].node if name in keys else None).items():
            listed = entry.node.items if isinstance(entry.node.value, list) else [entry.node]
            for each in listed:
                if isinstance(each.value, dict | list):
                    self.document.complain(each, "a level is needed", allowed="text, a number or a boolean")
            found[factor] = entry.node.plain
        return found

    def _listed(self, keys: Mapping[str, Entry], name: str, allowed: str) -> list[Node]:
        return self.document.listed(keys[name].node if name in keys else None, allowed)

    def _known(self, table: Node, keys: tuple[Key, ...]) -> dict[str, Entry]:
        entries = self.document.table(table)
        for name, entry in entries.items():
            if name not in names(keys):
                self.document.unknown((entry.span, entry.node.path), f"unknown key `{name}`", name, names(keys))
        return {name: entry for name, entry in entries.items() if name in names(keys)}

    def _text(self, keys: Mapping[str, Entry], name: str) -> str:
        return " ".join(self.document.text_of(keys[name].node if name in keys else None).split())


SUITE_FILE = "suite.toml"
# A link in the source tree, a folder in an installed package.
ALGORITHM, QUEUE = SUBJECTS = ("algorithm", "queue")
RELATIVE, BOUND, LIVENESS = KINDS = ("relative", "bound", "liveness")
ANY, OWN = "any", "own"
OWNERS = ("group", "link")
ABSENT = {"not_measured": "not measured", "not_applicable": "not applicable"}
