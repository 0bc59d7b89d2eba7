# SPDX-License-Identifier: Apache-2.0
"""Theory with tolerance: a capture of a simulated flow gives back the path. The product as a user runs it: `import`.

`validation/traces/paths.md` has forty paths; these are one of each kind.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import narrows as nw
from command_line import Narrows
from narrows._internal.errors import InputError
from narrows._internal.trace.estimate import Estimate, Found, Unknown
from narrows._internal.trace.losses import Discipline

sys.path.insert(0, str(Path(__file__).parents[3] / "validation" / "traces"))
import paths

KINDS = {case.name.rstrip("0123456789 "): case for case in reversed(paths.cases())}


@pytest.mark.parametrize("kind", KINDS)
def test_a_capture_gives_back_its_path(kind: str, tmp_path: Path) -> None:
    case = KINDS[kind]
    shown = paths.infer(case, tmp_path)
    found = paths.judged(case, shown)
    assert False not in found.values(), (found, shown.rows)
    path = shown.path
    if case.queue:
        assert isinstance(path.losses.buffer_bytes, Unknown)
    if case.policer:
        assert path.losses.discipline is Discipline.POLICED
        assert value(path.losses.policed_bps) == pytest.approx(case.policer[0], rel=0.01)
    if case.others:
        assert path.rate.responsive is not case.others.endswith("Mbps")
    if case.step_s:
        [step] = path.steps
        assert step.time_s == pytest.approx(paths.SECONDS / 2, abs=0.1)
    # The scenario that it gives is one.
    nw.Scenario(shown.scenario).check()


def value(found: Found) -> float:
    assert isinstance(found, Estimate)
    return found.value


def test_qlog_gives_the_path_that_the_capture_gives(tmp_path: Path) -> None:
    case = KINDS["buffer"]
    nw.Scenario(case.scenario + 'flows = "all"\n').run(replications=1).keep(tmp_path / "run")
    capture = nw.import_trace(nw.export("pcapng", tmp_path / "run", tmp_path / "run.pcapng"))
    [log] = nw.export("qlog", tmp_path / "run", tmp_path / "qlog").iterdir()
    logged = nw.import_trace(log)
    assert value(logged.path.rate.rate_bps) == pytest.approx(value(capture.path.rate.rate_bps), rel=0.05)
    assert paths.judged(case, logged)["base delay"]


def test_a_capture_at_the_receiver_leaves_open_what_it_does_not_show(tmp_path: Path) -> None:
    case = KINDS["buffer"]
    nw.Scenario(case.scenario).run(replications=1).keep(tmp_path / "run")
    shown = nw.import_trace(nw.export("pcapng", tmp_path / "run", tmp_path / "run.pcapng", at=["receiver"]))
    assert isinstance(shown.path.losses.buffer_bytes, Unknown)
    assert isinstance(shown.path.queue_s, Unknown)
    assert value(shown.path.goodput_bps) > 0


def test_the_command_prints_the_path_and_writes_its_scenario(narrows: Narrows, tmp_path: Path) -> None:
    case = KINDS["others"]
    nw.Scenario(case.scenario).run(replications=1).keep(tmp_path / "run")
    capture = nw.export("pcapng", tmp_path / "run", tmp_path / "run.pcapng")
    shown = narrows("import", capture, "--from", "10.0.0.0", "--out", tmp_path / "path.toml")
    assert shown.returncode == 0, shown.stderr
    assert "rate of the bottleneck" in shown.stdout
    assert "unknown" in shown.stdout
    text = (tmp_path / "path.toml").read_text(encoding="utf-8")
    assert "# rate of the bottleneck: " in text
    assert narrows("check", tmp_path / "path.toml").returncode == 0
    plain = json.loads(narrows("import", capture, "--from", "10.0.0.0", "--json").stdout)
    rate = plain["quantities"]["rate of the bottleneck"]
    assert rate["unit"] == "bps"
    assert rate["low"] <= case.rate_bps <= rate["high"]
    page = narrows("import", capture, "--from", "10.0.0.0", "--out", tmp_path / "path.html")
    assert page.stdout.endswith(f"{tmp_path / 'path.html'}\n")
    html = (tmp_path / "path.html").read_text(encoding="utf-8")
    assert "rate of the bottleneck" in html
    assert html.count("<svg") >= 2
    assert "http://" not in html.replace("http://www.w3.org/", "")
    # Nothing is overwritten.
    again = narrows("import", capture, "--out", tmp_path / "path.toml")
    assert again.returncode == 2
    assert "exists" in again.stderr


def test_what_is_no_flow_and_no_form_is_named(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no trace\n", encoding="utf-8")
    with pytest.raises(InputError, match="capture"):
        nw.import_trace(tmp_path / "notes.txt")
    form = narrows("import", tmp_path / "notes.txt", "--out", tmp_path / "path.json")
    assert (form.returncode, "FILE.toml" in form.stderr) == (2, True)
    step = narrows("import", tmp_path / "notes.txt", "--step", "1s")
    assert (step.returncode, "--out FILE.csv" in step.stderr) == (2, True)
