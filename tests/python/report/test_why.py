# SPDX-License-Identifier: Apache-2.0
"""Contract: `narrows why` says what the logs of a run say."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import narrows as nw
from narrows._internal import core
from narrows._internal.explain.story import LOST, NOTICED
from narrows._internal.files.run_folder import compared

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows


@pytest.fixture
def run(narrows: Narrows, scenario: Path, tmp_path: Path) -> Path:
    done = narrows("run", scenario, "--set", "record.packets=true", "--out", "run")
    assert done.returncode == 0, done.stderr
    return tmp_path / "run"


def events(run: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(run / "events.parquet").to_pylist()
    return [row for row in rows if (row["group"], row["flow"]) == ("newreno", 0)]


def test_the_answer_has_the_segment_the_link_and_the_window(narrows: Narrows, run: Path) -> None:
    rows = events(run)
    cut = next(row for row in rows if row["event"] == "reduction" and row["time_ps"] > 1e12)
    declared = next(row for row in rows if row["event"] == "declared-lost" and row["time_ps"] == cut["time_ps"])
    lost = next(row for row in rows if row["event"] == "dropped" and row["number"] == declared["number"])
    at = f"{cut['time_ps']}ps"
    found = json.loads(narrows("why", run, "--flow", "0", "--at", at, "--json").stdout)
    assert (found["flow"], found["algorithm"], found["replication"]) == ("newreno[0]", "newreno", 0)
    assert f"from {cut['cwnd_before_packets']:.4g} to {cut['cwnd_packets']:.4g} packets" in found["answer"]
    assert f"bottleneck dropped segment {declared['number']:.0f}, as its queue was full" in found["answer"]
    assert NOTICED[cut["rule"]] in found["answer"]
    listed = [(each["event"], round(each["time_s"] * 1e12)) for each in found["sentences"]]
    assert listed == sorted(listed, key=lambda each: each[1])
    assert ("dropped", lost["time_ps"]) in listed
    assert ("reduction", cut["time_ps"]) in listed
    # From the packet log: sent, sent again, received.
    assert [name for name, _ in listed if name in {"sent", "received"}] == ["sent", "sent", "received"]
    assert narrows("why", run, "--flow", "newreno[0]", "--at", at).stdout.startswith("At ")


SOURCES = {
    "call": 'kind = "call"',
    "game": 'kind = "game"',
    "web": 'kind = "web", think = "500ms", levels = [{ size = "30kB" }, { count = 6, size = "20kB" }]',
    "video": 'kind = "video", ladder = ["500kbps", "3Mbps"], segment = "1s", buffer = "4s"',
    "responsiveness": 'kind = "responsiveness", connections = 1',
}
# What the answer says of the user, by kind of application.
PERCEIVED = {
    "call": r"of \d+ frames of call\[0\] were skipped",
    "game": r"of \d+ frames of game\[0\] were skipped",
    "web": r"A page of web\[\d\] was loading.*Its slowest object, number \d of level \d with (30|20) kB, took",
    "video": r"The video of video\[0\] (stood still|played|had not begun)",
    "responsiveness": r"Probes of responsiveness\[0\] took .* round trips per minute",
}


def of_applications(sources: dict[str, str], *overrides: str) -> nw.Scenario:
    groups = "".join(
        f'[[flows]]\nname = "{name}"\nalgorithm = "{"gcc" if name == "call" else "cubic"}"\n'
        f"count = {2 if name == 'web' else 1}\nsource = {{ {source} }}\n"
        for name, source in sources.items()
    )
    text = (
        'duration = "8s"\nwarmup = "1s"\n[path]\nrate = "8Mbps"\nrtt = "40ms"\n'
        'queue = { kind = "droptail", limit = "300ms" }\n'
        f'{groups}[[flows]]\nname = "download"\nalgorithm = "cubic"\nstart = "1s"\n'
    )
    return nw.Scenario(text, overrides=list(overrides))


@pytest.fixture(scope="module")
def applications(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("applications") / "run"
    of_applications(SOURCES).run(replications=1, jobs=1).save(folder)
    return folder


@pytest.mark.parametrize("group", SOURCES)
def test_every_application_is_explained_by_its_worst_moment(applications: Path, group: str) -> None:
    found = nw.why(applications, flow=group)
    assert found.flow.startswith(f"{group}[")
    assert found.at_s is not None
    assert found.answer.startswith(f"The worst moment of {group}")
    assert re.search(PERCEIVED[group], found.answer), found.answer
    for part in ("At link bottleneck packets waited", "held it: it sent", "Its controller", "permitted"):
        assert part in found.answer, found.answer
    # The same moment, named: the same explanation, of the group and of the client.
    for flow in (group, found.flow):
        same = nw.why(applications, flow=flow, at=found.at_s)
        assert found.answer.endswith(same.answer)
        assert (same.flow, same.sentences, same.values) == (found.flow, found.sentences, found.values)


def test_the_answer_has_the_numbers_of_the_tables(applications: Path) -> None:
    found = nw.why(applications, flow="call", at=5.0, window=0.5)
    rows = [
        row for row in pq.read_table(applications / "clients.parquet").to_pylist()
        if row["group"] == "call" and 4.5 < row["time_s"] < 5.6 - 1e-9
    ]  # fmt: skip
    for name in ("captured_frames", "skipped_frames", "late_frames"):
        assert found.values[name] == sum(row[name] for row in rows), name
    events = pq.read_table(applications / "client_events.parquet").to_pylist()
    late = [row for row in events if row["event"] == "late-frame" and row["group"] == "call"
            and 4.5e12 <= row["time_ps"] <= 5.5e12]  # fmt: skip
    said = [int(each.text.split()[0]) for each in found.sentences if each.event == "late-frame"]
    assert sum(said) == len(late) > 0
    assert [each.time_s for each in found.sentences] == sorted(each.time_s for each in found.sentences)
    sent = {
        row.get("name") or row["group"]: row["throughput_bps"]
        for table in ("series", "applications")
        for row in reversed(pq.read_table(applications / f"{table}.parquet").to_pylist())
        if row["time_s"] >= 5.0 and row.get("kind", "flow") == "flow" and row["group"] != "call"
    }
    assert found.values["holder"] == max(sent, key=lambda name: sent[name])
    assert found.values["holder_bps"] == max(sent.values())


def test_of_a_comparison_it_is_the_run_with_the_worst_moment(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    queues = {"path.queue": ["fq-codel", "droptail(limit=300ms)"]}
    scenario = of_applications({"call": SOURCES["call"]}, "duration=5s")
    nw.compare(scenario=scenario, vary=queues, replications=1, jobs=1).save(folder)
    found = nw.why(folder, flow="call")
    assert found.run == "queue=droptail(limit=300ms)"
    assert found.answer.startswith(f"Of 2 runs it was worst in {found.run}. The worst moment of call[0] was at ")
    place = compared(folder)[found.run].path
    assert found.answer.endswith(nw.why(place, flow="call").answer)
    # A flow has a list of changes in each run, and a time is a moment of each: the commands are listed.
    for flow, at in (("download", None), ("call", "2s")):
        with pytest.raises(nw.InputError) as refused:
            nw.why(folder, flow=flow, at=at)
        options = ["--flow", flow, *(["--at", at] if at else [])]
        assert shlex.join(["narrows", "why", str(place), *options]) in str(refused.value)


@pytest.mark.parametrize("flow", ["nothing", "call[1]", "web[7]"])
def test_the_error_lists_what_is_allowed(applications: Path, flow: str) -> None:
    with pytest.raises(nw.InputError) as refused:
        nw.why(applications, flow=flow, at=5.0)
    wanted = "0 to 0, or download[0], call, game, web" if flow == "nothing" else "record.clients"
    assert wanted in str(refused.value)


def test_a_group_without_a_record_over_time_is_explained_by_its_means(tmp_path: Path) -> None:
    of_applications({"call": SOURCES["call"]}, "record.clients=0").run(replications=1, jobs=1).save(tmp_path / "run")
    found = nw.why(tmp_path / "run", flow="call", at=5.0)
    assert found.at_s is None
    for part in ("record.clients", "frames not shown in time", "at link bottleneck", "On average over replication 0:"):
        assert part in found.answer, found.answer
    with pytest.raises(nw.InputError, match="after the end of the run, 8s"):
        nw.why(tmp_path / "run", flow="call", at=13.0)


def test_the_page_names_the_worst_moment_of_each_subject_and_leaves_no_application_out(applications: Path) -> None:
    page = (applications / "report.html").read_text("utf-8")
    assert "Not recorded over time" not in page
    for group in SOURCES:
        at_s = nw.why(applications, flow=group).at_s
        assert re.search(rf"narrows why \. --flow (&#x27;|'|&#39;)?{group}\[\d\].* --at {at_s:.4f}s", page), group
    assert re.search(r"narrows why \. --flow .{0,6}download\[0\]", page)


def test_where_nothing_happened_the_nearest_change_is_named(narrows: Narrows, run: Path) -> None:
    done = narrows("why", run, "--flow", "newreno", "--at", "4us", "--window", "1us")
    assert done.returncode == 0
    assert "Nothing cut or restored" in done.stdout
    assert "nearest change was at" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--flow", "9", "--at", "1s"], "allowed: 0 to 2, or newreno[0], newreno[1], other[0]"),
        (["--flow", "cubic", "--at", "1s"], "unknown flow of"),
        (["--flow", "0", "--at", "1"], "as in 12.3s"),
        (["--flow", "0", "--at", "-1s"], "--at -1s: a negative quantity"),
        (["--flow", "0", "--at", "1h"], "after the end of the run, 5s"),
        (["--flow", "0", "--at", "1s", "--replication", "7"], "no replication 7"),
    ],
)
def test_what_is_not_in_the_run_is_bad_input(narrows: Narrows, run: Path, options: list[str], problem: str) -> None:
    done = narrows("why", run, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def test_what_is_no_folder_of_a_run_is_bad_input_for_its_reason(narrows: Narrows, run: Path, tmp_path: Path) -> None:
    small = ["--rates", "5Mbps", "--rtts", "20ms", "--buffers", "1bdp", "--replications", "1"]
    matrix = narrows("matrix", "cubic", *small,
                     "--set", "duration=4s", "--set", "warmup=3s", "--out", "matrix", "--quiet")  # fmt: skip
    assert matrix.returncode == 0, matrix.stderr
    for place, problem in (
        ("nowhere", "nowhere: no such folder"),
        (run / "scenario.toml", "is a file, not a folder of results"),
        ("matrix", "matrix: is the folder of a study"),
        (tmp_path, f"it has no manifest.json; allowed: {tmp_path / 'matrix'}"),
    ):
        done = narrows("why", place, "--flow", "0", "--at", "1s")
        assert done.returncode == 2, done.stderr
        assert problem in done.stderr


def test_a_run_without_a_log_of_events_says_how_to_get_one(narrows: Narrows, scenario: Path) -> None:
    assert narrows("run", scenario, "--set", "record.events=false", "--out", "run").returncode == 0
    done = narrows("why", "run", "--flow", "0", "--at", "1s")
    assert done.returncode == 2
    assert "record.events=true" in done.stderr


def test_every_rule_of_the_log_has_words() -> None:
    (table,) = [table for table in core.tables() if table["name"] == "events"]
    (meaning,) = [column["meaning"] for column in table["columns"] if column["name"] == "rule"]
    events = {"dropped", "lost", "declared-lost", "reduction", "recovery-start", "timeout", "undo", "state"}
    named = set(re.findall(r"`([a-z-]+)`", meaning)) - events
    # `timeout` names both an event and a rule.
    assert named <= set(LOST) | set(NOTICED)
    assert {"overflow", "rack", "sack"} <= named
