# SPDX-License-Identifier: Apache-2.0
"""Results of runs and comparisons: summaries, Arrow tables, and results folders."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.arguments import typed
from narrows._internal.comparison import ALGORITHM, ALGORITHMS, BACKEND, BACKENDS
from narrows._internal.core import Records, Scenario
from narrows._internal.emulate import hosts
from narrows._internal.errors import ReportError
from narrows._internal.external.alike import unlike
from narrows._internal.files.folder import appearing, file_name
from narrows._internal.files.format import SUMMARY, numbered
from narrows._internal.files.json_objects import write_json
from narrows._internal.files.manifest import PROGRAMS, keep, write_manifest
from narrows._internal.files.parquet import write_parquet
from narrows._internal.files.run_folder import SCENARIO
from narrows._internal.linux import backend
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.metrics.criteria import Margin
from narrows._internal.run import pages, tables
from narrows._internal.run.differences import NO_MARGINS, differences, neutral
from narrows._internal.run.display import Displayed
from narrows._internal.run.summary import digest, judge, replaced_in, summarize
from narrows._internal.run.tables import COLUMNS
from narrows.metrics import Metric, measured, resolve

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.run.levels import Crossed


NONE_FAILED: Mapping[str, Exception] = MappingProxyType({})


class Tables(Displayed):
    """The Arrow tables of results as attributes by their names: `flows`, `links`, `series` and so on."""

    def __getattr__(self, name: str) -> pa.Table:
        # A table that was built once is an attribute as any other.
        if name not in tables.names():
            message = f"{type(self).__name__} has no attribute or table `{name}`"
            raise AttributeError(message, name=name, obj=self)
        found = self.__dict__[name] = self.table(name)
        return found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tables.names()]


class Results(Tables):
    """Results in memory, which can be saved."""

    def keep(self, folder: Path, command: str | None = None, *, replace: bool = False) -> None:
        """Write the folder of the results without its report, as `Run.keep`."""
        raise NotImplementedError

    @typed
    def save(self, folder: str | os.PathLike[str], command: str | None = None, *, replace: bool = False) -> None:
        """Write the folder of a run, or of a comparison with a folder per run, atomically, and then its report."""
        self.keep(Path(folder), command, replace=replace)
        try:
            pages.build(Path(folder))
        except Exception as error:
            problem = f"the results are in {folder}, but their report could not be built"
            raise ReportError(f"{problem}: {type(error).__name__}: {error}") from error


class Run(Results):
    """The results of one scenario: the records of its replications, with tables, metrics and summary."""

    def __init__(  # noqa: PLR0913, PLR0917  # the parts of a run
        self,
        scenario: Scenario,
        records: Mapping[int, Records],
        started: str,
        wall_s: float,
        wanted: Sequence[Metric] = (),
        at_most: int | None = None,
    ) -> None:
        """Make the results of a run; `at_most` is the limit of a comparison that ended when it was decided."""
        self.at_most = at_most
        self.scenario = scenario
        self.records = records
        self.started = started
        self.wall_s = wall_s
        self.wanted = [*wanted, *(resolve(each["measure"]) for each in scenario.expectations)]

    @property
    def interrupted(self) -> bool:
        """Whether fewer replications finished than were requested."""
        return len(self.records) < self.scenario.replications

    @cached_property
    def measured(self) -> dict[int, dict[str, dict[str, dict[str, float]]]]:
        """The value of every metric by replication, `groups` or `links`, owner and name; not a number without data."""
        return {index: measured(self.scenario, each, self.wanted) for index, each in self.records.items()}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The contents of `summary.json`: the mean and 95 % interval of every metric, the checks, the cost."""
        wanted = [each.name for each in self.wanted]
        summary = summarize(self.scenario, self.records, self.measured, self.wall_s, wanted, at_most=self.at_most)
        if self.scenario.expectations:
            summary["expectations"] = judge(self.scenario.expectations, summary)
        printed = describe_programs(self.records)
        if not printed:
            return summary
        connections = largest(self.table(CONNECTIONS).to_pylist())
        return summary | {"programs": printed} | ({CONNECTIONS: connections} if connections else {})

    def table(self, name: str) -> pa.Table:
        """Return a table of all replications, the number of the replication first.

        Args:
            name: Name of the table. A table that does not apply to the run has no columns.

        Raises:
            KeyError: There is no such table.
        """
        return tables.table(self.records, name)

    def keep(self, folder: Path, command: str | None = None, *, replace: bool = False) -> None:
        """Write the run folder without its report, atomically; arguments as `save`."""
        with appearing(folder, replace=replace) as partial:
            self.write(partial, command)

    def write(self, folder: Path, command: str | None) -> None:
        """Write all files of the run folder except the report into an existing folder."""
        keep(folder, self.scenario.files)
        (folder / SCENARIO).write_text(self.scenario.portable, encoding="utf-8")
        write_json(folder / SUMMARY, self.summary)
        write_programs(folder, self.records)
        for schema in core.tables():
            table = self.table(schema["name"])
            # An optional table without rows is not written.
            if table.num_rows or not schema["absent"]:
                write_parquet(table, folder / f"{schema['name']}.parquet")
        facts = {
            "title": self.scenario.title,
            "command": command,
            "description": self.scenario.description,
            "scenario": f"sha256:{self.scenario.digest}",
            "inputs": {kept: f"sha256:{digest}" for _, digest, kept in self.scenario.files},
            "seed": self.scenario.seed,
            "replications": self.scenario.replications,
            "finished": sorted(self.records),
            "interrupted": self.interrupted,
            "digest": self.summary["digest"],
            "started": self.started,
            "wall_s": self.wall_s,
            "backend": backend.describe(self.scenario.linux, self.scenario.given["real_time"]),
        }
        write_manifest(folder, facts)


class Comparison(Results):
    """The runs of one scenario with several algorithms, at several levels of its keys, or on several backends."""

    def __init__(  # noqa: PLR0913, PLR0917  # the parts of a comparison
        self,
        names: list[str],
        runs: Mapping[str, Run],
        started: str,
        wall_s: float,
        margins: Mapping[str, Margin] = NO_MARGINS,
        of: str = ALGORITHMS,
        crossed: Crossed | None = None,
        failed: Mapping[str, Exception] = NONE_FAILED,
    ) -> None:
        """Make the results of a comparison."""
        self.failed = failed
        self.names = [name for name in names if name not in failed]
        self.of = of
        self.crossed = crossed
        self.runs = runs
        self.margins = margins
        self.started = started
        self.wall_s = wall_s

    @property
    def interrupted(self) -> bool:
        """Whether a replication of any run that did not fail did not finish."""
        return len(self.runs) < len(self.names) or any(run.interrupted for run in self.runs.values())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The contents of the comparison's `summary.json`."""
        summaries = {name: run.summary for name, run in self.runs.items()}
        sequential = self._any.at_most is not None
        found = differences(self.runs, self.margins, sequential=sequential)
        content = {
            "title": self._any.scenario.title,
            "seed": self._any.scenario.seed,
            "replications": max(each["replications"] for each in summaries.values()),
            **({"at_most": self._any.at_most} if sequential else {}),
            "digest": digest(each["digest"] for each in summaries.values()),
            **({} if self.crossed is None else {"factors": self.crossed.factors}),
            **self._failures(),
            **({"unlike": alike} if (alike := self._unlike()) else {}),
            **self._replaced(),
            self.of: {name: self._own(name, each) for name, each in summaries.items()},
            "differences": [each if self._is_of_one_backend(each) else neutral(each) for each in found],
        }
        return numbered(SUMMARY, content)

    def _unlike(self) -> str:
        """Return the other differences of algorithms, or of an emulation and a simulation; empty for none."""
        if self.of == BACKENDS and hosts.NAME in self.runs:
            return hosts.UNLIKE.format(hosts.IN_SIMULATOR if SIMULATOR in self.runs else hosts.ON_KERNEL)
        sides: dict[str, list[str]] = {}
        for name, run in self.runs.items():
            at = {} if self.crossed is None else self.crossed.at[name]
            algorithm = name if self.of == ALGORITHMS else at.get(ALGORITHM)
            if algorithm is None or run.scenario.linux is not None or at.get(BACKEND, SIMULATOR) != SIMULATOR:
                return ""
            sides.setdefault(algorithm, []).append(run.scenario.resolved)
        return unlike(sides)

    def _replaced(self) -> dict[str, Any]:
        """Return the replaced groups, as part of the summary; empty if all or no groups are under test."""
        varied = self.of == ALGORITHMS or (self.crossed is not None and ALGORITHM in self.crossed.factors)
        found = replaced_in(self._any.scenario) if varied else None
        return {} if found is None else {"replaced": asdict(found)}

    def _is_of_one_backend(self, difference: Mapping[str, Any]) -> bool:
        """Return whether a difference is one of algorithms or levels: of two backends neither is better."""
        pair = (difference["of"], difference["against"])
        on = pair if self.crossed is None else [self.crossed.at[name].get(BACKEND) for name in pair]
        return self.of != BACKENDS and (self.crossed is None or on[0] == on[1])

    def _folder(self, name: str) -> str:
        """Return the folder of a run, by its backend, if there are several, and by its levels."""
        backend = None if self.crossed is None else self.crossed.at[name].get(BACKEND)
        if backend is None:
            return file_name(name)
        rest = name.removesuffix(backend).removesuffix(", ")
        return f"{backend}/{file_name(rest)}" if rest else backend

    def _own(self, name: str, summary: Mapping[str, Any]) -> dict[str, Any]:
        at = {} if self.crossed is None else {"at": self.crossed.at[name]}
        return {**at, **{key: summary[key] for key in RUN_KEYS if key in summary}}

    def table(self, name: str) -> pa.Table:
        """Return a table of all runs, the name of the run in its first column (`COLUMNS`); else as `Run.table`."""
        return tables.stacked({each: run.table(name) for each, run in self.runs.items()}, COLUMNS[self.of])

    def keep(self, folder: Path, command: str | None = None, *, replace: bool = False) -> None:
        """Write the folder of the comparison, with a folder per run, without reports; otherwise as `Run.keep`."""
        with appearing(folder, replace=replace) as partial:
            for name, run in self.runs.items():
                inner = partial / self._folder(name)
                inner.mkdir(parents=True)
                run.write(inner, command)
            write_json(partial / SUMMARY, self.summary)
            facts = {
                "title": self._any.scenario.title,
                "command": command,
                self.of: {name: self._folder(name) for name in self.names},
                "seed": self._any.scenario.seed,
                "replications": self._any.scenario.replications,
                "finished": {name: sorted(run.records) for name, run in self.runs.items()},
                **self._failures(),
                "interrupted": self.interrupted,
                "digest": self.summary["digest"],
                "started": self.started,
                "wall_s": self.wall_s,
            }
            write_manifest(partial, facts)

    def _failures(self) -> dict[str, Any]:
        """Return the errors of failed runs by name, as part of the summary; empty without any."""
        return {"failed": {name: str(error) for name, error in self.failed.items()}} if self.failed else {}

    @property
    def _any(self) -> Run:
        return next(iter(self.runs.values()))


def describe_programs(records: Mapping[int, Records]) -> list[dict[str, Any]]:
    """Return an entry for each program of a run."""
    return [
        {"replication": index, "flow": flow, "role": role, "status": status, "file": _file(index, flow, role)}
        for index, each in sorted(records.items())
        for flow, role, status, _ in each.programs
    ]


def largest(connections: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the connections of programs that have sent most, of rows of their table."""
    return sorted(connections, key=lambda row: -row["sent_bytes"])[:MOST_CONNECTIONS]


def write_programs(folder: Path, records: Mapping[int, Records]) -> None:
    """Write the output of the programs of a run, a file each; nothing without programs."""
    for index, each in records.items():
        for flow, role, _, text in each.programs:
            path = folder / _file(index, flow, role)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")


def _file(index: int, flow: int, role: str) -> str:
    return f"{PROGRAMS}/replication-{index}-flow-{flow}-{role}.txt"


# The table of connections of programs, and its entry in the summary with the largest ones.
CONNECTIONS = "connections"
MOST_CONNECTIONS = 10
RUN_KEYS = ("groups", "links", "checks", "expectations", "performance")
