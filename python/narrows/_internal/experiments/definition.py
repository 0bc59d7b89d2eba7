# SPDX-License-Identifier: Apache-2.0
"""The study file: read strictly, every fault with its place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from narrows._internal.errors import InputError
from narrows._internal.experiments.declared import fields
from narrows._internal.experiments.design import Design, read_design
from narrows._internal.experiments.document import Document, Entry, Node, placed
from narrows._internal.experiments.factors import SECTIONS, Factor, read_factors
from narrows._internal.experiments.keys import MOST_REPLICATIONS, ON, REPLICATIONS, STUDY
from narrows._internal.experiments.overlay import AS_DESCRIBED, Choice, overlaid
from narrows._internal.experiments.words import Words
from narrows._internal.external.trust import granted
from narrows._internal.files.text import read_text
from narrows._internal.files.toml import inline
from narrows._internal.frozen import frozen
from narrows._internal.library import ScenarioFile, find_scenario
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.metrics.criteria import given_margins
from narrows._internal.run.scenario import read
from narrows._internal.typed import like
from narrows.metrics import MetricError

NOTHING_GIVEN: Mapping[str, object] = MappingProxyType({})


@frozen
class Replications:
    """Number of replications of each combination of levels: fixed, or sequential."""

    minimum: int  # least number of replications
    maximum: int  # greatest number of replications; `minimum` if the number is fixed
    measure: tuple[str, ...] = ()  # metrics whose 95 % intervals decide when to stop; none if the number is fixed
    # Greatest half-width of these intervals as written: a part of the mean, or in the unit of the metric.
    within: str = ""
    # With a factor, the intervals are of the means over all else at its levels, and all combinations stop together;
    # with None each combination stops by itself.
    by: str | None = None
    levels: tuple[str, ...] = ()  # the levels of that factor that decide; empty for all


@frozen
class Study:
    """A study file, with all checks that do not need its scenario."""

    document: Document  # document of the file, for further faults
    title: str  # title of the study
    question: str  # question that its report answers; may be empty
    scenario: ScenarioFile  # the base scenario
    algorithms: list[str]  # algorithms in place of the subject; empty for the scenario's own
    replications: Replications  # number of replications of each point
    seed: int | None  # master seed; None for the scenario's own
    on: str  # the backend that runs the cells, unless it is a factor
    factors: list[Factor]  # the factors in the order of the file
    settings: Mapping[str, Node]  # values of the base scenario's keys for all cells, by key path
    design: Design  # combinations of levels that run
    measures: list[Node] | None  # metrics to analyse, as written; None for the main ones
    margins: Mapping[str, str]  # margin that a difference must exceed to matter, as written, by metric
    places: Mapping[str, Node]  # values of the file's keys with their positions
    choice: Choice  # size and variant of the file

    @property
    def directory(self) -> Path:
        """The folder to which paths in the file are relative."""
        return Path(self.document.file).parent

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes of the base scenario in the file, as after `--set`."""
        written = (f"{path}={inline(node.plain)}" for path, node in self.settings.items())
        return (*self.scenario.changes, *written)


def read_study(
    path: str | os.PathLike[str],
    seed: int | None = None,
    replications: int | None = None,
    choice: Choice = AS_DESCRIBED,
    given: Mapping[str, object] = NOTHING_GIVEN,
) -> Study:
    """Read a study file."""
    file = Path(path)
    # Anything but a regular file may be endless.
    if file.exists() and not file.is_file():
        raise InputError(str(file), "is not a file")
    return parse_study(read_text(file), like(path, str(file)), seed, replications, choice, given)


def parse_study(  # noqa: PLR0913, PLR0917  # each replaces a part of the file, and has a default
    text: str,
    file: str,
    seed: int | None = None,
    replications: int | None = None,
    choice: Choice = AS_DESCRIBED,
    given: Mapping[str, object] = NOTHING_GIVEN,
) -> Study:
    """Read the text of a study file; arguments and errors as for `read_study`."""
    document = Document(text, file)
    root = overlaid(document, document.root(), choice)
    own = root.entries["words"].node if "words" in root.entries else None
    known = {name: entry.node for name, entry in document.table(own).items()}
    words = Words(document, {**known, **{name: placed(value, name) for name, value in given.items()}})
    # Factors may define names of their own.
    filled = {
        name: entry if name in {"words", "factors"} else Entry(entry.span, words.filled(entry.node))
        for name, entry in root.entries.items()
    }
    whole = Node(filled, root.span, root.path)
    found = fields(document, whole, STUDY)
    keys = {name: entry.node for name, entry in filled.items() if name in found}
    scenario = _scenario(document, keys.get("scenario"))
    seed = found.get("seed") if seed is None else seed
    before = len(document.faults)
    factors = read_factors(document, keys["factors"], words) if "factors" in keys else []
    # Faulty factors would only make the design complain too.
    design = read_design(document, keys.get("design"), factors, seed or 1) if len(document.faults) == before else None
    title = found.get("title") or Path(file).stem
    if choice.variant is not None:
        title = f"{title}: {choice.variant}"
    study = Study(
        document=document,
        title=title,
        question=found.get("question", ""),
        scenario=scenario,
        algorithms=_distinct(document, found.get("algorithms", [])),
        replications=_replications(document, keys.get("replications"), replications),
        seed=seed,
        on=_backend(document, keys.get("on"), factors),
        factors=factors,
        settings=_settings(document, keys.get("set")),
        design=design or Design("full", [], {}),
        measures=_texts_of(document, found.get("measures")),
        margins=_margins(document, keys.get("margins")),
        places=keys,
        choice=choice,
    )
    document.check()
    return study


def _scenario(document: Document, node: Node | None) -> ScenarioFile:
    if node is None:
        return ScenarioFile(Path())
    name = document.text_of(node)
    beside = Path(document.file_of(node)).parent / name
    try:
        return (
            ScenarioFile(beside)
            if beside.is_file()
            else find_scenario(name if name == Path(name).stem else str(beside))
        )
    except InputError as error:
        document.complain(node, str(error.diagnostics[0]["message"]))
        return ScenarioFile(Path())


def _backend(document: Document, node: Node | None, factors: list[Factor]) -> str:
    if node is None:
        return SIMULATOR
    if any(ON in factor.paths for factor in factors):
        document.complain(node, "the backend is a factor of this study", allowed="either the key or the factor")
    return document.text_of(node) or SIMULATOR


def _settings(document: Document, node: Node | None) -> dict[str, Node]:
    found = {name: entry.node for name, entry in document.table(node).items()}
    for name in SECTIONS & set(found):
        hint = f'write "{name}.KEY" = …'
        document.complain(found[name], "a key path stands in quotes", allowed="key paths of the scenario", hint=hint)
    return found


def _distinct(document: Document, nodes: list[Node]) -> list[str]:
    found = []
    for item in nodes:
        name = document.text_of(item)
        if name in found:
            document.complain(item, "is there twice", allowed="each algorithm once")
        found.append(name)
    return found


def _texts_of(document: Document, nodes: list[Node] | None) -> list[Node] | None:
    for item in nodes or ():
        document.text_of(item)
    return nodes


def _margins(document: Document, node: Node | None) -> dict[str, str]:
    found = {}
    for metric, entry in document.table(node, 'metrics, as in { goodput_bps = "5%" }').items():
        found[metric] = str(entry.node.plain)
        try:
            given_margins([f"{metric}={found[metric]}"])
        except MetricError as error:
            document.complain(entry.node, error.message, allowed=error.allowed, hint=error.hint)
    return found


def _replications(document: Document, node: Node | None, given: int | None) -> Replications:
    fixed = Replications(given or DEFAULT_REPLICATIONS, given or DEFAULT_REPLICATIONS)
    if node is None:
        return fixed
    if not isinstance(node.value, dict):
        count = document.whole(node, 1, MOST_REPLICATIONS)
        return fixed if given or count is None else Replications(count, count)
    inner = fields(document, node, REPLICATIONS)
    minimum = inner.get("minimum", DEFAULT_REPLICATIONS)
    maximum = inner.get("maximum", minimum)
    if maximum < minimum:
        document.complain(node.entries["maximum"].node, f"is less than the minimum, {minimum}")
    if "levels" in inner and "by" not in inner:
        document.complain(inner["levels"], "`by` is missing: levels of which factor?")
    sequential = Replications(
        minimum,
        maximum,
        _texts(document, inner.get("measure")),
        _width(document, inner.get("within")),
        inner.get("by"),
        _texts(document, inner.get("levels")),
    )
    return fixed if given else sequential


def _width(document: Document, node: Node | None) -> str:
    """Return a half-width as text; a bare number below 1 is a part of the mean."""
    if node is None:
        return ""
    if isinstance(node.value, float | int) and not isinstance(node.value, bool) and 0 < node.value < 1:
        return f"{100 * node.value:.15g}%"
    if isinstance(node.value, str) and node.value.strip():
        return node.value.strip()
    document.complain(node, "not a width of an interval", allowed=WIDTH)
    return ""


def _texts(document: Document, node: Node | None) -> tuple[str, ...]:
    if node is not None and isinstance(node.value, list):
        return tuple(document.text_of(each) for each in node.items)
    text = document.text_of(node)
    return (text,) if text else ()


def with_marks(study: Study, overrides: Sequence[str], subjects: Sequence[str], *, trust: bool = False) -> list[str]:
    """Return changes of the base scenario of a study, and the changes that mark only these groups as subject."""
    if subjects and not study.algorithms:
        problem = "has no `algorithms`, so that no group's algorithm is replaced; a factor names groups by itself"
        raise InputError(study.document.file, f"{problem}; allowed: `algorithms`, or no --subject")
    trusted = granted(study.document.file, (), overrides, beside=study.scenario.file, trust=trust)
    base = read(study.scenario.file, [*study.changes, *overrides], trust=trusted, on=study.on)
    return [*overrides, *base.marks(subjects)]


DEFAULT_REPLICATIONS = 5
WIDTH = (
    'a part of the mean above 0 and below 1, as "5%" or 0.05, or a width in the unit of the metric, as "1ms" or "2pp"'
)
