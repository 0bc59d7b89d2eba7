# SPDX-License-Identifier: Apache-2.0
"""The commands that read and pass on results, as functions of checked arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.api.jobs import path
from narrows._internal.arguments import listed, typed
from narrows._internal.errors import InputError
from narrows._internal.files.disk import new_file
from narrows._internal.run.jobs import Watch, observer
from narrows._internal.run.options import Options, recorded

if TYPE_CHECKING:
    from narrows._internal.explain.moment import Explanation
    from narrows._internal.share.verify import Verdict
    from narrows._internal.trace.shown import Shown


@typed
def export(
    form: str,
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    replication: int | None = None,
    at: Sequence[str] = ("sender",),
) -> Path:
    """Export a run folder in the format of another tool, as `narrows export`.

    Args:
        form: `pcapng`, `csv` or `qlog`.
        folder: The folder of a run.
        out: The file of a capture, or the folder of the others, which must not exist; None is in the folder of the run.
        replication: Number of the replication, but for `csv`; None is the first.
        at: Where packets are captured: `sender`, `receiver`, or links.

    Returns:
        The file or folder.

    Raises:
        InputError: There is no such form, or the run has no packet log for it.
        OutputError: The place is taken or cannot be written.
    """
    from narrows._internal.formats.export import export as write

    return write(form, Path(folder), path(out), replication, listed(at))


@typed
def identify(file: str | os.PathLike[str], *, flow: int = 0, jobs: int | None = None) -> Mapping[str, Any]:
    """Return which congestion control algorithm governed a flow of a trace, as `narrows identify`.

    Args:
        file: A trace, as for `import_trace`.
        flow: Number of the flow, from 0, in the order of their bytes.
        jobs: Maximum number of simulations at a time; None is the number of processors.

    Returns:
        The algorithms that fit, the distance and the limit of each, and the answer in words.

    Raises:
        InputError: The file is no trace, is damaged, or has no such flow.
    """
    from narrows._internal.commands.identifying import of_file

    return of_file(Path(file), flow, jobs).as_json()


@typed
def import_tc(lines: str, out: str | os.PathLike[str] | None = None) -> str:
    """Return the scenario with the links that lines of `tc` describe, as `narrows import tc`; nothing is executed.

    Args:
        lines: One or more commands such as `tc qdisc add dev eth0 root netem delay 50ms`, for one device, whose link
            becomes `path`, or two, of which the second becomes `path.reverse`.
        out: A file for the scenario, which must not exist; None writes none.

    Returns:
        The scenario in TOML. Its comments name the words without counterpart.

    Raises:
        InputError: A line is no such command, or describes something else than one link (docs/tc.md).
        OutputError: The file exists or cannot be written.
    """
    from narrows._internal.core import ScenarioError
    from narrows._internal.formats.tc.scenario import scenario
    from narrows._internal.run.scenario import Scenario

    found = scenario(lines)
    try:
        Scenario(found, "scenario").check()
    except ScenarioError as error:
        raise InputError("tc", f"its scenario has a fault: {error.diagnostics[0]['message']}") from None
    if out is not None:
        with new_file(Path(out)) as file:
            file.write_text(found, encoding="utf-8")
    return found


@typed
def import_trace(
    file: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    source: str | None = None,
    flow: int = 0,
) -> Shown:
    """Return the path of a real flow from its trace, as `narrows import`; nothing is executed.

    Args:
        file: A capture (pcapng or pcap), qlog, sampled `ss -tin`, a result of iperf3 or NDT7, or a table of `tcp_info`
            (docs/traces.md).
        out: A file for the scenario of the path or, if it ends in `.html`, for a page of the trace, which must not
            exist; None writes none.
        source: Address, address with port, or name from which the flow sends; None for any.
        flow: Number of the flow, from 0, in the order of their bytes.

    Returns:
        The quantities of the path with 95 % intervals, or why they are unknown; and the scenario.

    Raises:
        InputError: The file is no trace, is damaged, or has no such flow.
        OutputError: The file `out` exists or cannot be written.
    """
    from narrows._internal.report.trace.page import page
    from narrows._internal.trace.shown import show

    found = show(Path(file), source, flow)
    if out is not None:
        is_page = Path(out).suffix == ".html"
        text = (
            page(found, recorded(["import", os.fspath(file), "--out", os.fspath(out)])) if is_page else found.scenario
        )
        with new_file(Path(out)) as written:
            written.write_text(text, encoding="utf-8")
    return found


@typed
def pack(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Pack a run, comparison, study, suite, reproduction, trial or atlas into one file, as `narrows pack`.

    Args:
        folder: The folder of the results.
        out: The file, which must not exist; None is the name of the folder with `.zip`, in the working directory.

    Returns:
        The file.

    Raises:
        InputError: It is not a folder of results, or a file in it is damaged.
        OutputError: The file exists, or cannot be written.
    """
    from narrows._internal.share import pack as packing

    place = path(out) or Path(f"{Path(folder).resolve().name}.zip")
    with new_file(place) as archive:
        packing.pack(folder, archive)
    return place


@typed
def verify(
    file: str | os.PathLike[str], *, jobs: int | None = None, watch: Watch | None = None, trust: bool = False
) -> Verdict:
    """Rerun packed results and compare them, as `narrows verify`.

    Args:
        file: A file that `pack` wrote.
        jobs: Maximum number of runs at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work.
        trust: Whether the Python files and the commands in it may be executed.

    Returns:
        The verdict: `same`, `differences`, and the digests that were `repeated`.

    Raises:
        InputError: It is not a file written by `narrows pack`, or it is damaged.
        Interrupted: The work was stopped.
    """
    from narrows._internal.share import verify as verifying

    options = Options(jobs=jobs, watch=observer(watch))
    return verifying.verify(file, options.threads, trust=trust, watch=options.watch)


@typed
def playground(scenario: str | os.PathLike[str] = "two-flows", out: str | os.PathLike[str] = "playground.html") -> Path:
    """Write a web page that runs a scenario in the browser, as `narrows playground`.

    Args:
        scenario: A scenario file, the name of one of the library, or the folder of a run.
        out: The page, which must not exist.

    Returns:
        The page.

    Raises:
        InputError: There is no such scenario, it names files, or the simulator for browsers was not built.
        ScenarioError: The scenario has faults.
        OutputError: The page exists, or cannot be written.
    """
    from narrows._internal.commands.playground import write

    return write(os.fspath(scenario), Path(out))


@typed
def why(
    folder: str | os.PathLike[str],
    flow: str | int = 0,
    at: str | float | None = None,
    *,
    replication: int | None = None,
    window: str | float = "1s",
) -> Explanation:
    """Explain what happened to a flow or client around a given time, or list what happened, as `narrows why`.

    Args:
        folder: The folder of a run; of a comparison, the client of an application is explained in the run that has the
            worst moment. Or a trace of a real program: a capture, qlog, the output of `ss -tin`, a result of iperf3 or
            NDT7, or a table of `tcp_info`.
        flow: The flow, or the client of an application: its number from 0, `GROUP[NUMBER]`, or its group; of a trace
            its number or its name, and the flow 0 carries most.
        at: The moment: a time of the run with its unit, as in "12.3s", or a number of seconds; None lists
            every change of the window, or gives the worst moment of a client. Of a trace it is a time from the first
            record, and None lists all events.
        replication: Number of the replication; None is the first.
        window: How far from it to look; a number is seconds.

    Returns:
        The explanation: the `answer`, `sentences` in order of time, and of a client `values`.

    Raises:
        InputError: The folder has no log of events, or flow, time or replication are not in it.
    """
    place, moment = Path(folder), None if at is None else _time(at)
    # A scenario, and a file of results, is no trace.
    if place.is_file() and place.suffix not in {".toml", ".parquet", ".html", ".zip"}:
        from narrows._internal.explain.trace import explain_trace

        if replication is not None:
            raise InputError(f"replication={replication}", f"does not apply: {place} is a trace")
        return explain_trace(place, str(flow), moment, _time(window))
    from narrows._internal.explain.moment import explain

    return explain(place, str(flow), moment, replication, _time(window))


def _time(given: str | float) -> str:
    return given if isinstance(given, str) else f"{given!r}s"
