# SPDX-License-Identifier: Apache-2.0
"""The provenance of a run in words, and the command to repeat it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from narrows._internal.browser.page import Experiment, fragment
from narrows._internal.comparison import ALGORITHMS, BACKENDS, LEVELS
from narrows._internal.drawing.scale import SECONDS, quantity, significant
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.page.blocks import IN_PLACE, WHERE, facts, typed
from narrows._internal.report.run.data import Comparison, Run


def command(subject: Run | Comparison) -> str:
    """Return the command that reproduces the results from the files that the page has, to be run in their folder."""
    numbers = f"--seed {subject.seed} --replications {subject.replications}"
    if not isinstance(subject, Comparison):
        if subject.in_real_time:
            return f"narrows emulate scenario.toml {numbers}"
        return f"narrows run scenario.toml {numbers}{_on(subject)}"
    names = [run.name for run in subject.runs]
    if subject.in_real_time:
        return f"narrows emulate {folder_of(subject, names[-1])}/scenario.toml {numbers} --twin"
    if subject.backends:
        scenario = shlex.quote(f"{folder_of(subject, names[0])}/scenario.toml")
        return f"narrows run {scenario} {numbers} --on both"
    # If other flows compete, the resolved scenarios do not name the subject any more.
    if subject.kind == ALGORITHMS and all(
        algorithm == run.name for run in subject.runs for algorithm in run.algorithms.values()
    ):
        scenario = shlex.quote(f"{folder_of(subject, names[0])}/scenario.toml")
        return f"narrows compare {shlex.join(names)} --scenario {scenario} {numbers}{_on(subject.runs[0])}"
    runs = ((f"{folder_of(subject, run.name)}/scenario.toml", _on(run)) for run in subject.runs)
    return "; ".join(f"narrows run {shlex.quote(each)} {numbers}{on}" for each, on in runs)


def _on(run: Run) -> str:
    """Return the flags of the run's backend; nothing for the simulator."""
    backend = run.manifest.get("backend", {})
    flags = [("--on", backend.get("on", "simulator")), ("--queue", backend.get("queue", ""))]
    return "".join(f" {flag} {value}" for flag, value in flags if value not in {"", "simulator"})


def folder_of(comparison: Comparison, name: str) -> str:
    """Return the path of a run's folder, relative to the folder of the comparison."""
    return comparison.folders.get(name, name)


def what_was_run(subject: Run | Comparison) -> Markup:
    """Return the section that describes the resolved scenario, with seed and replications."""
    if isinstance(subject, Comparison):
        separator = "; " if subject.kind == LEVELS else ", "
        entries = [(LABELS[subject.kind], separator.join(run.name for run in subject.runs)), *_shared(subject.runs)]
    else:
        entries = _description(subject)
    entries += _kernel(_runs(subject))
    # The description has the requested number; the number after an interruption is stated here.
    if subject.manifest.get("interrupted") or not any("seed" in text for _, text in entries):
        entries = [*entries, ("Replications", _replications(subject))]
    each = [entry for entry in entries if any(entry[0].endswith(f" ({run.name})") for run in _runs(subject))]
    if len(each) <= MOST_OPEN:
        return facts(entries)
    shared = [entry for entry in entries if entry not in each]
    return join((facts(shared), element("details", element("summary", "Of each run"), facts(each), class_="rows")))


def _runs(subject: Run | Comparison) -> Sequence[Run]:
    return subject.runs if isinstance(subject, Comparison) else [subject]


def _kernel(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return entries for the kernel of the runs; none if all ran in the simulator."""
    found = []
    for run in runs:
        backend = run.manifest.get("backend", {})
        if run.in_real_time:
            text = f"the programs' TCP was Linux {backend['system']}; the network was simulated as time passed"
            found.append(("Real time", text))
        if "kernel" in backend:
            queue = "; queue disciplines of the kernel" if backend.get("queue") else ""
            text = f"{backend['on']}, version {backend['kernel']}, timer {backend['timer_hz']} Hz{queue}"
            found.append(("Kernel", f"{text}; key {backend['kernel_key'][:12]}"))
    return list(dict.fromkeys(found))


def _replications(subject: Run | Comparison) -> str:
    count = subject.replications
    wanted = subject.manifest.get("replications", count)
    done = f"{count} of {wanted}, interrupted" if subject.manifest.get("interrupted") else f"{count}"
    return f"{done}, seed {subject.seed}"


def _shared(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return the first run's description, with a general name of the algorithm if the runs differ only by it."""
    general = [[_generalized(entry, _names(run)) for entry in _description(run)] for run in runs]
    shared = []
    for place, entry in enumerate(_description(runs[0])):
        if all(entry in _description(run) for run in runs):
            shared.append(entry)
        elif all(len(each) > place and each[place] == general[0][place] for each in general):
            shared.append(general[0][place])
        else:
            shared += [
                (f"{entry[0]} ({run.name})", _description(run)[place][1])
                for run in runs
                if len(_description(run)) > place
            ]
    return shared


def _names(run: Run) -> list[str]:
    """Return the possible names of the algorithm under test, the longest first: an external one is after its file."""
    return sorted({run.name, *run.algorithms.values()}, key=len, reverse=True)


def _generalized(entry: tuple[str, str], names: Sequence[str]) -> tuple[str, str]:
    # A name inside a longer one ("cubic" in "cubic-2008") is another name.
    whole = rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])"
    text = re.sub(whole, _SUBJECT, entry[1])
    return re.sub(whole, "under test", entry[0]), text.replace(f"{_SUBJECT}, under test", _SUBJECT)


def _description(run: Run) -> list[tuple[str, str]]:
    return [_entry(entry) for entry in run.manifest.get("description", [])]


def origin(subject: Run | Comparison) -> Markup:
    """Return the section on reproducibility: digest, versions, cost and command."""
    versions: Mapping[str, Any] = subject.manifest.get("versions", {})
    entries: list[tuple[str, object]] = [
        ("Digest of the records", element("code", subject.digest)),
        ("Versions", ", ".join(f"{name} {str(version)[:12]}" for name, version in versions.items())),
        ("Started", subject.manifest.get("started", "")),
    ]
    runs = subject.runs if isinstance(subject, Comparison) else [subject]
    hops = sum(run.performance.get("packet_hops") or 0 for run in runs)
    cpu = sum(run.performance.get("cpu_s") or 0 for run in runs)
    if hops and cpu:
        rate = significant(hops / cpu / 1e6)
        entries.append(("Simulated", f"{hops / 1e6:.1f} million packet-hops in {quantity(cpu, SECONDS)}, {rate} M/s"))
    given = subject.manifest.get("command")
    entries += typed(given)
    if given and isinstance(subject, Comparison) and subject.replaced is not None:
        other = element("code", subject.replaced.other(str(given)), class_="typed")
        entries.append(("With another group", join((other, WHERE))))
    entries.append(("Made again by", join((element("code", command(subject)), IN_PLACE))))
    if (
        not isinstance(subject, Comparison)
        and set(subject.sources) == {SCENARIO}
        and not (_on(subject) or subject.manifest.get("inputs"))
    ):
        entries.append(("In a browser", _in_a_browser(subject.sources[SCENARIO])))
    return facts((label, text) for label, text in entries if text)


def _in_a_browser(scenario: str) -> Markup:
    """Return the link that opens the scenario in a page that runs it, and the command that writes the page."""
    place = f"playground.html#{fragment(Experiment(scenario, SCENARIO))}"
    return join((
        element("code", f"narrows playground {SCENARIO}"),
        " writes a page beside this one, which ",
        element("a", "this link", href=place),
        " opens with the scenario",
    ))  # fmt: skip


def _entry(given: object) -> tuple[str, str]:
    if isinstance(given, str):
        label, colon, text = given.partition(": ")
        return (label, text) if colon else ("", given)
    if isinstance(given, list | tuple) and len(given) == _PAIR:
        return str(given[0]), str(given[1])
    return "", str(given)


LABELS = {ALGORITHMS: "Algorithms", BACKENDS: "Backends", LEVELS: "Levels"}
SCENARIO = "scenario.toml"
_PAIR = 2
_SUBJECT = "the algorithm under test"
# Entries of single runs that are not folded.
MOST_OPEN = 12
