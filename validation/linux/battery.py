# SPDX-License-Identifier: Apache-2.0
"""Hold the simulator against the kernel, situation by situation, and write the page of the battery.

Every situation of `battery.toml` is a scenario that runs on both backends with the same seed, for each of its
algorithms. What has run is kept, so that a command that was stopped goes on where it was.

Examples:
    .venv/bin/python validation/linux/battery.py                       # about fifteen minutes of processor time
    .venv/bin/python validation/linux/battery.py --write               # also write battery.md
    .venv/bin/python validation/linux/battery.py --only 'idle-*' --algorithm cubic
    .venv/bin/python validation/linux/battery.py --only tail-last --walk          # the segments around the parting
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import os
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from functools import cache as remembered
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import judge
import numpy as np
import part

from narrows._internal import core
from narrows._internal.files.toml import inline
from narrows._internal.linux import backend, library
from narrows._internal.run.scenario import Scenario, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HERE = Path(__file__).parent
BATTERY = HERE / "battery.toml"
BASE = HERE / "battery-scenario.toml"
REASONS = HERE / "battery-reasons.toml"
PAGE = HERE / "battery.md"
LINK = "a-b"
GROUP = "judged"
# How late a segment may be before two runs part: longer than the transmission time of a packet at 10 Mbps.
TOLERANCE_S = 2e-3


class Log(NamedTuple):
    """What a replication has recorded, and from when on "after" counts.

    Attributes:
        records: Its records.
        packets: Columns of the packet log, as arrays of words and numbers.
        at: Seconds.
    """

    records: core.Records
    packets: Mapping[str, Any]
    at: float

    def rows(self, place: str, event: str, kind: str) -> Any:
        """Return the rows of a kind of packet at a place."""
        log = self.packets
        return np.flatnonzero((log["place"] == place) & (log["event"] == event) & (log["kind"] == kind))

    def times(self, place: str, event: str, kind: str) -> Any:
        """Return the times of those rows, seconds."""
        return self.packets["time_ps"][self.rows(place, event, kind)] / 1e12


class Figure(NamedTuple):
    """A number that is compared.

    Attributes:
        column: Its name, unit and aim.
        of: Computes it.
    """

    column: judge.Column
    of: Callable[[Log], float]


class Case(NamedTuple):
    """A situation with an algorithm.

    Attributes:
        situation: The entry of `battery.toml`.
        algorithm: Name.
        keys: What the algorithm changes where the situation does not.
    """

    situation: Mapping[str, Any]
    algorithm: str
    keys: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the case is called in `battery-reasons.toml`."""
        return f"{self.situation['name']}/{self.algorithm}"

    @property
    def figures(self) -> list[str]:
        """What is compared. An undone reduction of BBR, which has no threshold, does not show in the kernel's state."""
        hidden = {"undone"} if self.algorithm == "bbr1" else set()
        return [name for name in self.situation["figures"] if name not in hidden]

    def scenario(self, on: str) -> Scenario:
        """Return the scenario for a backend."""
        situation = self.situation
        keys = {
            f"flows.{GROUP}.algorithm": self.algorithm,
            **self.keys,
            **situation.get("set", {}),
            **situation.get(on, {}),
        }
        return load(BASE, [f"{key}={inline(value)}" for key, value in keys.items()], on=on)


class Outcome(NamedTuple):
    """What a case gave on both backends.

    Attributes:
        rows: The figures.
        parting: Where the first replications part, as text; empty if nowhere.
    """

    rows: dict[str, judge.Row]
    parting: str

    @property
    def different(self) -> list[str]:
        """Names of the figures that do not agree."""
        return [name for name, row in self.rows.items() if row.agrees is False or _has_one(row)]


class Reason(NamedTuple):
    """Why figures differ.

    Attributes:
        cause: The rule of the kernel that makes the difference, or what is known of it.
        figures: Patterns of `SITUATION/ALGORITHM FIGURE`.
    """

    cause: str
    figures: tuple[str, ...]


def _metric(name: str) -> Callable[[Log], float]:
    return lambda log: log.records.group_metrics[GROUP][name]


def _retransmissions(log: Log) -> float:
    sent = log.rows("sender", "sent", "data")
    return float(np.count_nonzero(log.packets["retransmission"][sent]))


def _first_retransmission(log: Log) -> float:
    sent = log.rows("sender", "sent", "data")
    again = sent[log.packets["retransmission"][sent].astype(bool)]
    return log.packets["time_ps"][again[0]] / 1e12 if len(again) else math.nan


def _duplicates(log: Log) -> float:
    numbers = log.packets["number"][log.rows("receiver", "received", "data")]
    return float(len(numbers) - len(np.unique(numbers)))


def _flight(log: Log) -> float:
    sent = log.times("sender", "sent", "data")
    sent = sent[sent >= log.at]
    if not len(sent):
        return math.nan
    acks = log.times("sender", "received", "ack")
    acks = acks[acks > sent[0]]
    # What is sent when an acknowledgement arrives is of the next flight.
    return float(np.count_nonzero(sent < acks[0])) if len(acks) else float(len(sent))


def _time_after(log: Log) -> float:
    acks = log.times("sender", "received", "ack")
    return float(acks[-1] - log.at) if len(acks) and acks[-1] > log.at else math.nan


def _lost_after(log: Log) -> float:
    return float(np.count_nonzero(log.times(LINK, "dropped", "data") >= log.at))


def _longest_window_after(log: Log) -> float:
    times, numbers = (log.packets[name][log.rows("sender", "sent", "data")] for name in ("time_ps", "number"))
    # What is in flight at most: the sender's window is not in the packet log.
    acks = log.rows("sender", "received", "ack")
    acked_at, acked = log.packets["time_ps"][acks], log.packets["number"][acks]
    later = times / 1e12 >= log.at
    place = np.searchsorted(acked_at, times[later], side="right") - 1
    below = np.where(place >= 0, np.maximum.accumulate(acked)[np.maximum(place, 0)], 0) if len(acked) else 0
    flight = numbers[later] + 1 - below
    return float(flight.max()) if len(flight) else math.nan


def _marks(log: Log) -> float:
    received = log.rows("receiver", "received", "data")
    return float(np.count_nonzero(log.packets["ecn"][received] == "ce"))


def _undone(log: Log) -> float:
    table = log.records.tables["events"]
    return float(np.count_nonzero(part.words(table["event"]) == "undo")) if table else 0.0


def _column(title: str, tolerance: float, *, relative: bool, unit: float = 1.0) -> judge.Column:
    return judge.Column("", title, unit, tolerance, relative)


# The aims were set before the first comparison: rates, times and windows within some percent, small counts equal.
FIGURES = {
    "goodput": Figure(_column("goodput, Mbps", 0.02, relative=True, unit=1e6), _metric("goodput_bps")),
    "completion": Figure(_column("completion, s", 0.02, relative=True), _metric("completion_time_s")),
    "time_after": Figure(_column("time of the second write, s", 0.02, relative=True), _time_after),
    "first_retransmission": Figure(_column("first retransmission, s", 0.02, relative=True), _first_retransmission),
    "timeouts": Figure(_column("timeouts", 0.0, relative=False), _metric("timeouts")),
    "retransmissions": Figure(_column("retransmissions", 0.1, relative=True), _retransmissions),
    "duplicates": Figure(_column("received twice", 0.1, relative=True), _duplicates),
    "reductions": Figure(_column("reductions", 0.1, relative=True), _metric("reductions")),
    "undone": Figure(_column("undone", 0.1, relative=True), _undone),
    "marks": Figure(_column("marked", 0.1, relative=True), _marks),
    "lost_after": Figure(_column("lost then", 0.1, relative=True), _lost_after),
    "first_flight": Figure(_column("first flight", 1.0, relative=False), _flight),
    "flight_after": Figure(_column("first flight then", 1.0, relative=False), _flight),
    "longest_window": Figure(_column("longest window", 0.05, relative=True), _metric("cwnd_peak_packets")),
    "longest_window_after": Figure(_column("most in flight then", 0.05, relative=True), _longest_window_after),
    "mean_window": Figure(_column("mean window", 0.05, relative=True), _metric("cwnd_mean_packets")),
    "queue_delay": Figure(
        _column("queueing delay, ms", 0.05, relative=True, unit=1e-3),
        lambda log: log.records.link_metrics[LINK]["queue_delay_mean_s"],
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what has not run, print each case, and write the page.

    Returns:
        0 if every difference has its reason, else 1.
    """
    parser = argparse.ArgumentParser(description="hold the simulator against the kernel, situation by situation")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="situations, as in 'idle-*' (all)")
    parser.add_argument("--algorithm", metavar="NAME", action="append", help="an algorithm (all)")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(), help="cases at a time (%(default)s)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("runs/battery"), help="folder (%(default)s)")
    about = "take the kernel's results of another build of Narrows, which a change of algorithms leaves as they are"
    parser.add_argument("--keep-kernel", action="store_true", help=about)
    parser.add_argument("--walk", action="store_true", help="print the packets around each parting")
    parser.add_argument("--write", action="store_true", help="write battery.md, beside this file")
    options = parser.parse_args(arguments)
    if options.write and (options.only != "*" or options.algorithm):
        parser.error("--write needs all cases")
    bare = 0
    found: dict[str, Outcome] = {}
    chosen = list(cases(options.only, options.algorithm))
    compared = partial(compare, out=options.out, keep_kernel=options.keep_kernel)
    for case, outcome in zip(chosen, at_once(compared, chosen, options.jobs), strict=True):
        found[case.name] = outcome
        unexplained = [name for name in outcome.different if reason(case.name, name) is None]
        bare += bool(unexplained)
        sys.stdout.write(f"{case.name}: {described(outcome, unexplained)}\n")
        sys.stdout.flush()
        if options.walk:
            sys.stdout.write(walk(case, options.out, keep_kernel=options.keep_kernel) + "\n")
    sys.stdout.write(
        f"{len(found)} cases, {sum(not each.different for each in found.values())} agree, {bare} unexplained\n"
    )
    if options.write:
        judge.write(PAGE, {"battery": page(found)})
    return int(bare > 0)


def at_once(of: Callable[[Case], Outcome], chosen: Sequence[Case], jobs: int) -> Iterator[Outcome]:
    """Yield what each case gave, in order; `jobs` of them run at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(of, chosen)
        finally:
            pool.shutdown(cancel_futures=True)


def cases(pattern: str = "*", algorithms: Sequence[str] | None = None) -> Iterator[Case]:
    """Yield the cases of situations whose names match, of these algorithms; None for all."""
    battery = tomllib.loads(BATTERY.read_text(encoding="utf-8"))
    for situation in battery["situations"]:
        for algorithm in battery["algorithms"][situation["algorithms"]]:
            if fnmatchcase(situation["name"], pattern) and (not algorithms or algorithm in algorithms):
                yield Case(situation, algorithm, battery["keys"].get(algorithm, {}))


def compare(case: Case, out: Path, *, keep_kernel: bool = False) -> Outcome:
    """Return what a case gave, which runs first where it has not run.

    Args:
        case: The case.
        out: Folder of what has run.
        keep_kernel: Whether results of the kernel with another build of Narrows' network are taken.
    """
    ours, theirs = (measured(case, on, out, keep=keep_kernel) for on in part.BACKENDS)
    rows = {}
    for name in case.figures:
        values = [[math.nan if each is None else each for each in run["figures"][name]] for run in (ours, theirs)]
        rows[name] = judge.Row(case.name, FIGURES[name].column, *values)
    one, other = ([part.Step(*step) for step in run["steps"]] for run in (ours, theirs))
    place = part.parting(one, other, TOLERANCE_S)
    return Outcome(rows, "" if place is None else _at(one, other, place))


def measured(case: Case, on: str, out: Path, *, keep: bool) -> dict[str, Any]:
    """Return figures, one value for each replication, and the segments of the first replication, on one backend."""
    scenario = case.scenario(on)
    replications = case.situation.get("replications", 1)
    resolved = scenario.resolve(None, replications, None)
    what = [resolved.digest, case.figures, case.situation.get("at", 0.0), backend.describe(resolved.linux)]
    engine = "" if keep and on != part.BACKENDS[0] else core.fingerprint()
    stem = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:24]
    kept = sorted(out.glob(f"{stem}-{engine}*.json.gz"))
    if kept:
        result: dict[str, Any] = json.loads(gzip.decompress(kept[0].read_bytes()))
        return result
    run = scenario.run(replications, jobs=1)
    logs = [_log(records, case.situation.get("at", 0.0)) for records in run.records.values()]
    figures = {name: [_plain(FIGURES[name].of(log)) for log in logs] for name in case.figures}
    first = next(iter(run.records.values())).tables["packets"]
    sent = part.chosen(next(iter(part.steps(first).values()), []), "data")
    result = {"figures": figures, "steps": [[round(step.time, 6), step.what] for step in sent]}
    out.mkdir(parents=True, exist_ok=True)
    written = out / f"{stem}.partial"
    written.write_bytes(gzip.compress(json.dumps(result).encode(), 6))
    written.replace(out / f"{stem}-{core.fingerprint()}.json.gz")
    return result


@remembered
def reasons() -> tuple[Reason, ...]:
    """Return the reasons of all differences."""
    known = tomllib.loads(REASONS.read_text(encoding="utf-8"))["reasons"]
    return tuple(Reason(each["cause"], tuple(each["figures"])) for each in known)


def reason(case: str, figure: str) -> int | None:
    """Return the number of the first reason, from 1, for the difference of a figure; None if there is none."""
    name = f"{case} {figure}"
    known = enumerate(reasons(), 1)
    return next((at for at, each in known if any(fnmatchcase(name, pattern) for pattern in each.figures)), None)


def described(outcome: Outcome, unexplained: Sequence[str]) -> str:
    """Return an outcome on a line: the figures as `simulator/kernel`, those that differ with a mark."""
    cells = [f"{name} {_pair(row)}{'*' * (name in outcome.different)}" for name, row in outcome.rows.items()]
    end = f"; no reason for {', '.join(unexplained)}" if unexplained else ""
    return f"{', '.join(cells)}; parts at {outcome.parting or 'nothing'}{end}"


def walk(case: Case, out: Path, *, keep_kernel: bool) -> str:
    """Return the segments around the place where the two runs of a case part."""
    runs = [measured(case, on, out, keep=keep_kernel)["steps"] for on in part.BACKENDS]
    ours, theirs = ([part.Step(*step) for step in run] for run in runs)
    return part.described(ours, theirs, part.parting(ours, theirs, TOLERANCE_S))


def page(found: Mapping[str, Outcome]) -> str:
    """Return a table for each situation, and the reasons."""
    agree = sum(not outcome.different for outcome in found.values())
    lines = [f"{agree} of {len(found)} cases agree."]
    before = ""
    for case in cases():
        situation = case.situation
        if situation["name"] != before:
            before = situation["name"]
            titles = [FIGURES[name].column.title for name in situation["figures"]]
            heading = ["algorithm", *titles, "they part at", "agrees"]
            lines += ["", f"### {situation['name']}", "", f"{situation['about']}.", "", f"| {' | '.join(heading)} |"]
            lines.append("|---" + "|--:" * len(titles) + "|---|---|")
        outcome = found[case.name]
        pairs = {name: _pair(row) for name, row in outcome.rows.items()}
        cells = [
            f"**{pairs[name]}**" if name in outcome.different else pairs.get(name, "-") for name in situation["figures"]
        ]
        why = sorted({str(reason(case.name, name) or "?") for name in outcome.different})
        verdict = f"no: {', '.join(why)}" if why else "yes"
        lines.append(f"| {' | '.join([case.algorithm, *cells, outcome.parting or '-', verdict])} |")
    lines += ["", "### Reasons", ""]
    lines += [f"{number}. {each.cause}" for number, each in enumerate(reasons(), 1)]
    return "\n".join(lines)


def _log(records: core.Records, at: float) -> Log:
    table = records.tables["packets"]
    packets = {name: part.words(column) if column[1] is not None else column[0] for name, column in table.items()}
    return Log(records, packets, at)


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def _has_one(row: judge.Row) -> bool:
    """Whether a figure has a value on one backend alone."""
    return any(math.isnan(a) != math.isnan(b) for a, b in zip(row.simulator, row.linux, strict=True))


def _pair(row: judge.Row) -> str:
    ours, theirs = (f"{float(np.mean(values)) / row.column.unit:.4g}" for values in (row.simulator, row.linux))
    return ours if ours == theirs else f"{ours} / {theirs}"


def _at(ours: Sequence[part.Step], theirs: Sequence[part.Step], place: int) -> str:
    one, other = (run[place] if place < len(run) else None for run in (ours, theirs))
    here = one or other
    whats = " / ".join(dict.fromkeys(step.what if step else "nothing" for step in (one, other)))
    return f"{whats}, {here.time:.3f} s" if here else ""


if __name__ == "__main__":
    library.find()
    sys.exit(main())
