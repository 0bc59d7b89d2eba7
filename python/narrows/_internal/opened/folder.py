# SPDX-License-Identifier: Apache-2.0
"""Opens a folder of results of any kind, whatever command or machine wrote it."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from narrows._internal.arguments import typed
from narrows._internal.errors import InputError
from narrows._internal.experiments.layout import Asked
from narrows._internal.experiments.query import query
from narrows._internal.experiments.stored import Status, stored, studies_in
from narrows._internal.external.trust import EVERYTHING, of_results
from narrows._internal.extras import require
from narrows._internal.files.format import SUMMARY, read_kept
from narrows._internal.files.kinds import RUN, call, kind_of
from narrows._internal.files.manifest import check_folder
from narrows._internal.files.run_folder import checked
from narrows._internal.files.shape import fitting
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.page.picture import pictures_of, standalone
from narrows._internal.plural import counted
from narrows._internal.run.display import frame_of
from narrows._internal.run.results import Tables
from narrows._internal.run.scenario import Scenario, read
from narrows._internal.run.tables import COLUMNS, check_name, stacked

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure


@typed
def open_folder(
    folder: str | os.PathLike[str], *, trust: bool = False
) -> OpenedRun | OpenedComparison | OpenedStudy | OpenedTable:
    """Open a folder of results.

    Args:
        folder: The folder of any command: a run, comparison, study, matrix, deployment, suite, reproduction, trial or
            search.
        trust: Whether the scenarios of a run or comparison, run again, may execute the Python files and the commands
            that they name, and name files elsewhere. The folder may come from somebody else.

    Raises:
        InputError: It is not a folder of results, has none yet, or a file in it is damaged.

    Examples:
        >>> import narrows as nw, tempfile
        >>> folder = tempfile.mkdtemp() + "/run"
        >>> nw.load("pair", ["duration=5s", "warmup=1s"]).run().save(folder)
        >>> nw.open(folder).flows.num_rows
        2
    """
    path = Path(folder)
    found: OpenedRun | OpenedComparison | OpenedStudy | OpenedTable = call(
        (kind_of(path) or RUN).open, path, trust=trust
    )
    return found


class OpenedRun(Tables):
    """The folder of a run: `summary`, `manifest`, `scenario`, and each table as an attribute.

    Attributes:
        path: The folder.
        manifest: The contents of `manifest.json`.
        summary: The contents of `summary.json`.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:
        """Open a folder, whose files are compared with its manifest."""
        self._folder, self.path, self.trust = checked(path), path, trust
        self.manifest, self.summary = self._folder.manifest, self._folder.summary

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return str(self.summary["title"])

    @property
    def scenario(self) -> Scenario:
        """The resolved scenario, ready to `run` again."""
        # Later changes and comparisons are the user's own.
        own = of_results(self.path)._replace(typed=True)
        return read(self._folder.scenario_file, trust=EVERYTHING if self.trust else own)

    def table(self, name: str) -> pa.Table:
        """Return a table of all replications, the number of the replication first.

        Args:
            name: Name of the table. A table that the run does not have has no rows and no columns.

        Raises:
            KeyError: There is no such table.
        """
        import pyarrow as pa

        check_name(name)
        found = self._folder.optional(name)
        return pa.table({}) if found is None else found


class OpenedComparison(Tables):
    """The folder of a comparison: `summary`, `manifest`, its `runs`, and each table of all runs as an attribute.

    Attributes:
        path: The folder.
        manifest: The contents of `manifest.json`.
        summary: The contents of `summary.json`.
        runs: The run of each algorithm, backend or combination of levels.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:
        """Open a folder, whose files are compared with its manifest."""
        folder = checked(path)
        self.path, self.manifest, self.summary = path, folder.manifest, folder.summary
        self._column = COLUMNS[str(folder.compares)]
        there = {name: run.path for name, run in folder.runs.items() if run.path.is_dir()}
        self.runs = {name: OpenedRun(each, trust=trust) for name, each in there.items()}

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return str(self.summary["title"])

    def table(self, name: str) -> pa.Table:
        """Return a table of all runs, the name of the run in its first column; else as `OpenedRun.table`."""
        return stacked({each: run.table(name) for each, run in self.runs.items()}, self._column)


class OpenedStudy:
    """The folder of a study, finished or not.

    Attributes:
        path: The folder.
        title: Title of the study.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:  # noqa: ARG002  # of a study nothing runs again
        """Open the folder of a study."""
        self.path = path
        self._study = stored(path)
        self.title = self._study.plan.title

    @property
    def cells(self) -> pa.Table:
        """A row for each finished cell: its factors, its algorithm, its replication and its metrics."""
        return self._study.table()

    @property
    def status(self) -> Status:
        """The numbers of all, finished and failed cells."""
        return self._study.status()

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The contents of `summary.json` of a matrix or a deployment.

        Raises:
            InputError: The study is neither, or has not finished; or the file is damaged.
        """
        file = self.path / SUMMARY
        if not file.is_file():
            raise InputError(str(self.path), "has no summary: it is neither matrix nor deployment, or has not finished")
        return read_kept(file)

    @typed
    def query(self, sql: str) -> Answer:
        """Return the rows of an SQL query on the table `cells`: a list of dicts, with `frame()`.

        Raises:
            InputError: The query has an error.
        """
        return Answer(*query(self.path, sql))

    @typed
    def frame(self, library: str | None = None) -> Any:
        """Return the table of cells as a data frame; `library` and errors as `Run.frame`."""
        return frame_of(self.cells, library)

    @typed
    def plot(  # noqa: PLR0913  # each has a default
        self,
        y: str,
        x: str,
        *,
        lines: str | None = None,
        panels: str | Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        average: str | Sequence[str] = (),
        width_mm: float = 160.0,
    ) -> Figure:
        """Return a metric against a factor as a figure of matplotlib, with means and 95 % intervals over replications.

        Each factor with several levels needs a place: x, lines, panels, where or average. `algorithm` is a
        factor, too. The axis of x is numeric if the levels are numbers of one unit, and logarithmic from a factor of
        ten on.

        Args:
            y: The metric: a column of the study, or any other metric of its cells, as in `group.flows.goodput_bps`.
            x: The factor on the axis.
            lines: The factor whose levels have a line each; None is the algorithm if there are several.
            panels: The factor whose levels have a panel each, or several factors.
            where: By factor, the only level that is shown.
            average: Factors over whose levels the mean is taken.
            width_mm: As for `narrows.figure`.

        Raises:
            InputError: There is no such metric, factor or level, a factor has no place, or matplotlib is not installed.
        """
        asked = Asked(y, x, lines, _names(panels), where or {}, _names(average))
        return _plotted(self.path, asked, width_mm)

    def __repr__(self) -> str:
        """Return title and state in a line."""
        state = self.status
        return f"<{type(self).__name__} {self.title!r}: {state.finished} of {state.cells} cells, {state.failed} failed>"

    def _repr_html_(self) -> str:
        columns = [name for name in self.cells.column_names if name not in HIDDEN]
        state = self.status
        cells = table(columns, self.cells.select(columns).to_pylist())
        first = first_of(self.path / PAGE)
        return (
            f"<p><b>{escape(self.title)}</b><br>{state.finished} of {state.cells} cells, {state.failed} failed</p>"
            f"{first}{f'<details><summary>Cells</summary>{cells}</details>' if first else cells}"
        )


class OpenedTable:
    """The folder of a suite, a reproduction, a trial or a search, or of a matrix or deployment on both backends.

    Attributes:
        path: The folder.
        kind: Its kind: `suite`, `reproduction`, `trial`, `atlas` or `study on both backends`.
        summary: The contents of `summary.json`; of a search of `atlas.json`, of a reproduction of `ledger.json`.
        title: The title of the results.
        rows: Their rows, each a dict, with `frame()`: of a suite its criteria, of a reproduction its claims, of a trial
            its contests, of a search its finds, of a study on both backends its points.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:  # noqa: ARG002  # nothing of it runs again
        """Open a folder that has results."""
        kind = kind_of(path)
        if kind is None or not (path / kind.results).is_file():
            raise InputError(str(path), "holds no results yet: the same command goes on")
        self.path, self.kind = path, kind.name
        self.summary = read_kept(path / kind.results)
        with fitting(path):
            self.title = str(self.summary["title"])
            found = [dict(_flat(each)) for each in self.summary[kind.rows]]
        names = list(dict.fromkeys(name for each in found for name in each))
        self.rows = Answer(names, ([each.get(name) for name in names] for each in found))

    @typed
    def frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame; `library` and errors as `Run.frame`."""
        return self.rows.frame(library)

    def __repr__(self) -> str:
        """Return kind, title and the number of rows in a line."""
        return f"<{type(self).__name__} of the kind {self.kind}, {self.title!r}: {counted(len(self.rows), 'row')}>"

    def _repr_html_(self) -> str:
        shown = self.rows._repr_html_()
        first = first_of(self.path / PAGE)
        rows = f"<details><summary>Rows</summary>{shown}</details>" if first else shown
        return f"<p><b>{escape(self.title)}</b></p>{first}{rows}"


class OpenedReproduction(OpenedTable):
    """The folder of a reproduction: its claims as `rows`, and its experiments."""

    @cached_property
    def experiments(self) -> dict[str, OpenedStudy]:
        """The study of each experiment that was begun, by its path in the folder."""
        return {name: OpenedStudy(place) for name, place in studies_in(self.path).items()}

    @typed
    def plot(  # noqa: PLR0913  # each has a default
        self,
        y: str,
        x: str,
        *,
        lines: str | None = None,
        panels: str | Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        average: str | Sequence[str] = (),
        experiment: str | None = None,
        width_mm: float = 160.0,
    ) -> Figure:
        """Return a metric of one of `experiments` against a factor; other arguments and errors as `OpenedStudy.plot`.

        `experiment` is its name; None is the only one that has the metric and all the factors.
        """
        asked = Asked(y, x, lines, _names(panels), where or {}, _names(average))
        return _plotted(self.path, asked, width_mm, experiment)


class OpenedBoth(OpenedTable):
    """The folder of a matrix or deployment on both backends.

    Attributes:
        studies: The study on `simulator` and on `linux`.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:
        """Open a folder, whose files are compared with its manifest."""
        check_folder(path)
        super().__init__(path, trust=trust)
        self.studies = {on: OpenedStudy(path / on) for on in (SIMULATOR, LINUX)}


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _plotted(folder: Path, asked: Asked, width_mm: float, experiment: str | None = None) -> Figure:
    from narrows._internal.opened.figures import printed, response_picture

    require("matplotlib")
    return printed(response_picture(folder, asked, width_mm, experiment), width_mm)


def _flat(row: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a row with the paths of their keys; a list becomes its JSON."""
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{place}{key}.")
        else:
            yield place + key, json.dumps(value) if isinstance(value, list) else value


class Answer(list[dict[str, Any]]):
    """The rows of a query, each a dict, which a notebook shows as a table."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Create from the names of columns and the values of each row."""
        super().__init__(dict(zip(columns, row, strict=True)) for row in rows)
        self._columns = list(columns)

    @typed
    def frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame; `library` and errors as `Run.frame`."""
        import pyarrow as pa

        return frame_of(pa.table({name: _column([row[name] for row in self]) for name in self._columns}), library)

    def _repr_html_(self) -> str:
        return table(self._columns, self)


def _column(values: list[Any]) -> list[Any]:
    """Return the values of a column as texts if they are of types that no column may mix."""
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) < 2 or kinds <= {int, float}  # noqa: PLR2004  # one type
    return values if plain else [None if value is None else str(value) for value in values]


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the first rows as a table, as HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_text(row[name]))}</td>' for name in columns)}</tr>" for row in rows[:FEW]
    )
    left = f"<p>{len(rows) - FEW} more rows</p>" if len(rows) > FEW else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"


def first_of(page: Path) -> str:
    """Return the answer and the first figure of a page, as HTML; empty if there is no page."""
    if not page.is_file():
        return ""
    text = page.read_text("utf-8", errors="replace")
    said = re.search(r'<ul class="answer">(.*?)</ul>', text, re.DOTALL)
    sentences = re.findall(r"<li>(.*?)</li>", said[1], re.DOTALL) if said else []
    plain = [html.unescape(re.sub(r"<[^>]*>", "", each)) for each in sentences]
    listed = "".join(f"<li>{escape(each)}</li>" for each in plain)
    shown = next(iter(pictures_of(text).values()), None)
    if shown is None:
        return f"<ul>{listed}</ul>"
    try:
        drawn = standalone(shown)
    except ET.ParseError:
        return f"<ul>{listed}</ul>"
    caption = f"<figcaption>{escape(shown.title)}. {escape(shown.caption)}</figcaption>"
    return f"<ul>{listed}</ul><figure>{drawn}{caption}</figure>"


def _text(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


HIDDEN = {"cell", "digest", "measured", "checks_failed", "cpu_s", "packet_hops"}
PAGE = "report.html"
FEW = 20
