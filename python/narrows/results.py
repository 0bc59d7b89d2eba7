"""What came of a scenario: a run, or a comparison of runs; summaries, Arrow tables, and folders of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from narrows import tables
from narrows.differences import differences
from narrows.errors import ReportError
from narrows.expectations import judge
from narrows.folder import appearing
from narrows.manifest import write_json, write_manifest
from narrows.measures import measured, resolve
from narrows.summary import digest, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from narrows.core import Records, Scenario
    from narrows.measures import Measure


class Run:
    """One scenario and the records of its replications."""

    def __init__(
        self,
        scenario: Scenario,
        records: Mapping[int, Records],
        started: str,
        wall_s: float,
        wanted: Sequence[Measure] = (),
    ) -> None:
        """Hold what came of a run.

        Args:
            scenario: As resolved.
            records: Of each replication that finished.
            started: When, ISO 8601 in UTC.
            wall_s: How long it took by the clock on the wall, seconds.
            wanted: Measures for the summary beside those that every run has and those that the scenario expects.
        """
        self.scenario = scenario
        self.records = records
        self.started = started
        self.wall_s = wall_s
        self.wanted = [*wanted, *(resolve(each["measure"]) for each in scenario.expectations)]

    @property
    def interrupted(self) -> bool:
        """Whether fewer replications finished than were wanted."""
        return len(self.records) < self.scenario.replications

    @cached_property
    def measured(self) -> dict[int, dict[str, dict[str, dict[str, float]]]]:
        """Every measure of `groups` and `links` by replication; not a number where there is no data."""
        return {index: measured(self.scenario, each, self.wanted) for index, each in self.records.items()}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The contents of `summary.json`: every measure as a mean with its 95 % interval, and the checks."""
        summary = summarize(self.scenario, self.records, self.measured, self.wall_s)
        if self.scenario.expectations:
            summary["expectations"] = judge(self.scenario.expectations, summary)
        return summary

    @cached_property
    def flows(self) -> pa.Table:
        """A row per replication and flow."""
        return tables.table(self.records, "flows")

    @cached_property
    def links(self) -> pa.Table:
        """A row per replication and link."""
        return tables.table(self.records, "links")

    @cached_property
    def series(self) -> pa.Table:
        """A row per replication, flow or link, and interval."""
        return tables.table(self.records, "series")

    @cached_property
    def distributions(self) -> pa.Table:
        """A row per replication, owner, quantity and value: how many packets met it."""
        return tables.table(self.records, "distributions")

    @cached_property
    def census(self) -> pa.Table:
        """A row per replication, group whose transfers come and go, and interval; empty without such a group."""
        return tables.table(self.records, "census")

    @cached_property
    def classes(self) -> pa.Table:
        """A row per replication, such group and pair of classes of files and paths."""
        return tables.table(self.records, "classes")

    @cached_property
    def transfers(self) -> pa.Table:
        """A row per replication and transfer of such groups that ended and is kept."""
        return tables.table(self.records, "transfers")

    @cached_property
    def packets(self) -> pa.Table:
        """A row per replication and entry of the packet log; empty unless the scenario asks for one."""
        return tables.table(self.records, "packets")

    def save(self, folder: Path, command: str | None = None, *, replace: bool = False) -> None:
        """Write the run folder, whole or not at all.

        Args:
            folder: Where; it must not exist or be empty.
            command: The command line that asked for it.
            replace: An earlier run's folder there gives way.

        Raises:
            OutputError: The place cannot be used.
            ReportError: All but the report was written.
        """
        with appearing(folder, replace=replace) as partial:
            self.write(partial, command)
            problem = _report(partial)
        _complain(problem, folder)

    def write(self, folder: Path, command: str | None) -> None:
        """Write the files of the run folder, but for the report, into an existing folder."""
        import pyarrow.parquet as pq

        (folder / "scenario.toml").write_text(self.scenario.resolved, encoding="utf-8")
        write_json(folder / "summary.json", self.summary)
        for name in tables.NAMES:
            pq.write_table(getattr(self, name), folder / f"{name}.parquet", compression="zstd")
        for name in tables.OPTIONAL:
            if (table := getattr(self, name)).num_rows:
                pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
        facts = {
            "title": self.scenario.title,
            "command": command,
            "description": self.scenario.description,
            "scenario": f"sha256:{self.scenario.digest}",
            "inputs": {path: f"sha256:{digest}" for path, digest in self.scenario.files},
            "seed": self.scenario.seed,
            "replications": self.scenario.replications,
            "finished": sorted(self.records),
            "interrupted": self.interrupted,
            "digest": self.summary["digest"],
            "started": self.started,
            "wall_s": self.wall_s,
        }
        write_manifest(folder, facts)


class Comparison:
    """The runs of one scenario with one algorithm after the other in the subject's place."""

    def __init__(self, algorithms: list[str], runs: Mapping[str, Run], started: str, wall_s: float) -> None:
        """Hold what came of a comparison.

        Args:
            algorithms: All that were wanted, as they were typed.
            runs: Those of which something finished.
            started: When, ISO 8601 in UTC.
            wall_s: How long it took by the clock on the wall, seconds.
        """
        self.algorithms = algorithms
        self.runs = runs
        self.started = started
        self.wall_s = wall_s

    @property
    def interrupted(self) -> bool:
        """Whether something that was wanted did not finish."""
        return len(self.runs) < len(self.algorithms) or any(run.interrupted for run in self.runs.values())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The contents of the comparison's `summary.json`."""
        summaries = {name: run.summary for name, run in self.runs.items()}
        return {
            "title": self._any.scenario.title,
            "seed": self._any.scenario.seed,
            "replications": max(each["replications"] for each in summaries.values()),
            "digest": digest(each["digest"] for each in summaries.values()),
            "algorithms": {
                name: {key: each[key] for key in RUN_KEYS if key in each} for name, each in summaries.items()
            },
            "differences": differences({name: run.measured for name, run in self.runs.items()}),
        }

    @cached_property
    def flows(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("flows")

    @cached_property
    def links(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("links")

    @cached_property
    def series(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("series")

    @cached_property
    def distributions(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("distributions")

    @cached_property
    def census(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("census")

    @cached_property
    def classes(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("classes")

    @cached_property
    def transfers(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("transfers")

    @cached_property
    def packets(self) -> pa.Table:
        """As in `Run`, with the name of the algorithm under test first."""
        return self._stacked("packets")

    def save(self, folder: Path, command: str | None = None, *, replace: bool = False) -> None:
        """Write the comparison's folder with a run folder for each algorithm, whole or not at all.

        Args:
            folder: Where; it must not exist or be empty.
            command: The command line that asked for it.
            replace: An earlier run's folder there gives way.

        Raises:
            OutputError: The place cannot be used.
            ReportError: All but the report was written.
        """
        with appearing(folder, replace=replace) as partial:
            for name, run in self.runs.items():
                inner = partial / folder_name(name)
                inner.mkdir()
                run.write(inner, command)
                _report(inner)
            write_json(partial / "summary.json", self.summary)
            facts = {
                "title": self._any.scenario.title,
                "command": command,
                "algorithms": {name: folder_name(name) for name in self.algorithms},
                "seed": self._any.scenario.seed,
                "replications": self._any.scenario.replications,
                "finished": {name: sorted(run.records) for name, run in self.runs.items()},
                "interrupted": self.interrupted,
                "digest": self.summary["digest"],
                "started": self.started,
                "wall_s": self.wall_s,
            }
            write_manifest(partial, facts)
            problem = _report(partial)
        _complain(problem, folder)

    @property
    def _any(self) -> Run:
        return next(iter(self.runs.values()))

    def _stacked(self, name: str) -> pa.Table:
        return tables.stacked({each: getattr(run, name) for each, run in self.runs.items()}, "subject")


def folder_name(algorithm: str) -> str:
    """Return the folder of an algorithm's run: its name as typed, but for what separates folders or hides them."""
    return algorithm.removeprefix("./").replace("/", "%2F")


def _report(folder: Path) -> Exception | None:
    from narrows.report import build

    try:
        build(folder)
    except Exception as problem:  # noqa: BLE001  # hours of simulation are not thrown away for want of a picture
        return problem
    return None


def _complain(problem: Exception | None, folder: Path) -> None:
    if problem is not None:
        raise ReportError(f"the results are in {folder}, but their report could not be built: {problem}") from problem


RUN_KEYS = ("groups", "links", "checks", "expectations", "performance")
