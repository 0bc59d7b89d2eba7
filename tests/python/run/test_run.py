# SPDX-License-Identifier: Apache-2.0
"""The contract of `narrows run`: streams, exit statuses, the run folder and its summary."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import SHORT, command, environment, write

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

FILES = {
    "events.parquet",
    "scenario.toml",
    "summary.json",
    "flows.parquet",
    "groups.parquet",
    "links.parquet",
    "series.parquet",
    "distributions.parquet",
    "report.html",
    "manifest.json",
}
GROUP_MEASURES = {
    "goodput_bps",
    "goodput_fraction",
    "jain",
    "range_fairness",
    "loss_rate",
    "retransmission_rate",
    "rtt_mean_s",
    "cwnd_mean_packets",
    "cwnd_peak_packets",
    "cwnd_before_reduction_packets",
    "reduction_interval_s",
    "timeouts",
}
LINK_MEASURES = {
    "utilization",
    "loss_rate",
    "mark_rate",
    "queue_mean_packets",
    "queue_delay_mean_s",
    "queue_delay_p95_s",
    "dropped_packets",
}
PERFORMANCE = {"wall_s", "cpu_s", "events", "packet_hops", "packet_hops_per_s", "peak_rss_bytes"}
FLOW_SERIES = {
    "goodput_bps",
    "throughput_bps",
    "cwnd_packets",
    "usable_window_packets",
    "ssthresh_packets",
    "in_flight_packets",
    "rtt_s",
    "retransmissions",
}
LINK_SERIES = {
    "rate_bps",
    "capacity_bps",
    "queue_packets",
    "queue_delay_s",
    "dropped_packets",
    "marked_packets",
}


def read(folder: Path, name: str = "summary.json") -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return content


def test_a_run_writes_the_folder_and_names_it_last(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("run", scenario)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / done.stdout.splitlines()[-1]
    assert folder.parent == tmp_path / "runs"
    assert folder.name.startswith("two-newreno-flows-and-one-aiad-flow-")
    assert {entry.name for entry in folder.iterdir()} == FILES
    assert {entry.name for entry in folder.parent.iterdir()} == {folder.name}


def test_the_same_command_again_names_the_same_folder(narrows: Narrows, scenario: Path) -> None:
    first, again = narrows("run", scenario), narrows("run", scenario)
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[-1] == first.stdout.splitlines()[-1]
    other = narrows("run", scenario, "--seed", "2")
    assert other.stdout.splitlines()[-1] != first.stdout.splitlines()[-1]


def test_the_summary_has_the_keys_of_the_contract(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("run", scenario, "--replications", "3", "--seed", "5", "--out", "out")
    assert done.returncode == 0, done.stderr
    summary = read(tmp_path / "out")
    assert {"title", "seed", "replications", "digest", "groups", "links", "checks", "performance"} <= set(summary)
    assert (summary["seed"], summary["replications"]) == (5, 3)
    assert summary["digest"].startswith("sha256:")
    assert {name: group["flows"] for name, group in summary["groups"].items()} == {"newreno": 2, "other": 1}
    for group in summary["groups"].values():
        assert set(group) >= GROUP_MEASURES
    assert set(summary["links"]["bottleneck"]) >= LINK_MEASURES
    assert set(summary["performance"]) >= PERFORMANCE
    assert all(set(check) == {"name", "ok", "level", "detail", "failed"} for check in summary["checks"])
    goodput = summary["groups"]["newreno"]["goodput_bps"]
    assert goodput["ci95"][0] <= goodput["mean"] <= goodput["ci95"][1]


def test_one_replication_says_how_to_get_intervals(narrows: Narrows, scenario: Path) -> None:
    assert "--replications 5" in narrows("run", scenario, "--replications", "1", "--out", "one").stdout
    assert "--replications" not in narrows("run", scenario, "--replications", "2", "--out", "two").stdout


def test_one_replication_has_means_without_intervals(narrows: Narrows, scenario: Path) -> None:
    done = narrows("run", scenario, "--replications", "1", "--json", "--out", "out")
    for group in json.loads(done.stdout)["groups"].values():
        for name, estimate in group.items():
            assert name in {"flows", "bottleneck"} or estimate["ci95"] is None


def test_json_prints_the_summary_and_nothing_else(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("run", scenario, "--json", "--out", "out")
    assert json.loads(done.stdout) == read(tmp_path / "out")


def test_the_tables_hold_what_the_contract_says(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    narrows("run", scenario, "--replications", "2", "--out", "out")
    flows = pq.read_table(tmp_path / "out/flows.parquet")
    assert flows.num_rows == 3 * 2
    assert {"replication", "group", "flow", "algorithm", "start_s", "goodput_bps"} <= set(flows.column_names)
    series = pq.read_table(tmp_path / "out/series.parquet").to_pylist()
    of_flows = [row for row in series if row["kind"] == "flow"]
    of_links = [row for row in series if row["kind"] == "link"]
    assert {row["name"] for row in of_flows} == {"newreno[0]", "newreno[1]", "other[0]"}
    assert "bottleneck" in {row["name"] for row in of_links}
    assert set(series[0]) >= FLOW_SERIES | LINK_SERIES
    # What does not apply is null, not zero and not not-a-number.
    assert all(row[column] is None for row in of_flows for column in LINK_SERIES)
    assert all(row[column] is None for row in of_links for column in FLOW_SERIES | {"group"})
    distributions = pq.read_table(tmp_path / "out/distributions.parquet").to_pylist()
    assert {row["quantity"] for row in distributions} == {"rtt_s", "delay_s", "queue_delay_s"}
    assert all(row["packets"] > 0 for row in distributions)


def test_the_manifest_states_where_the_folder_comes_from(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    narrows("run", scenario, "--replications", "2", "--out", "out")
    manifest, summary = read(tmp_path / "out", "manifest.json"), read(tmp_path / "out")
    assert manifest["format"] == 2
    assert {"narrows", "python", "engine"} <= set(manifest["versions"])
    assert (manifest["seed"], manifest["replications"], manifest["finished"]) == (1, 2, [0, 1])
    assert manifest["interrupted"] is False
    assert manifest["digest"] == summary["digest"]
    assert {"scenario", "host", "wall_s", "started"} <= set(manifest)
    for name, digest in manifest["files"].items():
        assert digest == "sha256:" + hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest()
    assert set(manifest["files"]) == FILES - {"report.html", "manifest.json"}


def test_the_resolved_scenario_runs_to_the_same_digest(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    narrows("run", scenario, "--out", "first")
    again = narrows("run", tmp_path / "first/scenario.toml", "--out", "again")
    assert again.returncode == 0, again.stderr
    assert read(tmp_path / "first")["digest"] == read(tmp_path / "again")["digest"]


def test_the_number_of_jobs_changes_no_bit(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        narrows("run", scenario, "--replications", "3", "--jobs", jobs, "--out", f"out{jobs}")
    assert read(tmp_path / "out1")["digest"] == read(tmp_path / "out2")["digest"]
    for name in ("flows.parquet", "series.parquet"):
        assert pq.read_table(tmp_path / "out1" / name).equals(pq.read_table(tmp_path / "out2" / name))


def test_another_seed_gives_another_digest(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        narrows("run", scenario, "--seed", seed, "--out", f"out{seed}")
    assert read(tmp_path / "out1")["digest"] != read(tmp_path / "out2")["digest"]


def test_set_changes_a_key_and_the_last_word_counts(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("run", scenario, "--set", "duration=3s", "--set", "path.rtt=80ms", "--out", "out")
    assert done.returncode == 0, done.stderr
    resolved = tomllib.loads((tmp_path / "out/scenario.toml").read_text(encoding="utf-8"))
    assert resolved["duration"] == "3s"
    assert read(tmp_path / "out")["groups"]["newreno"]["rtt_mean_s"]["mean"] > 0.08


def test_a_line_of_ones_own_is_two_rates(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("run", scenario, "--down", "6Mbps", "--up", "1Mbps", "--set", "duration=3s", "--out", "out")
    assert done.returncode == 0, done.stderr
    resolved = tomllib.loads((tmp_path / "out/scenario.toml").read_text(encoding="utf-8"))
    assert [resolved["path"]["rate"], resolved["path"]["reverse"]["rate"]] == ["6Mbps", "1Mbps"]


def test_a_taken_folder_is_bad_input_and_stays_as_it_is(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes").write_text("mine")
    done = narrows("run", scenario, "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "out" in done.stderr
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["notes"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('rate = "10Mbps"', 'rat = "10Mbps"'), ["path.rat", "rate"]),
        (('rate = "10Mbps"', "rate = 10"), ["path.rate", "10"]),
        (('"newreno"', '"newrenno"'), ["newrenno", "newreno"]),
        (('duration = "5s"', 'duration = "-5s"'), ["duration"]),
        (('title = "Two', "title = Two"), ["scenario.toml:1"]),
        (('"newreno"', '"subject"'), ["subject"]),
    ],
)
def test_a_faulty_scenario_is_bad_input_and_writes_nothing(
    narrows: Narrows, tmp_path: Path, change: tuple[str, str], words: list[str]
) -> None:
    file = write(tmp_path, SHORT.replace(*change))
    for flags in ([], ["--out", "out"]):
        done = narrows("run", file, *flags)
        assert (done.returncode, done.stdout) == (2, "")
        assert "scenario.toml:" in done.stderr
        assert all(word in done.stderr for word in words), done.stderr
        assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml"}


def test_a_missing_file_is_bad_input_and_the_nearest_is_named(narrows: Narrows, scenario: Path) -> None:
    done = narrows("run", scenario.name.replace("scenario", "scenaro"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "scenario.toml" in done.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b""])
def test_a_file_that_is_no_scenario_is_bad_input(narrows: Narrows, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.toml").write_bytes(content)
    done = narrows("run", "odd.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "odd.toml" in done.stderr


@pytest.mark.parametrize(("bound", "status"), [("at_least = 0.3", 0), ("at_least = 2.0", 1), ("at_most = 0.1", 1)])
def test_an_expectation_decides_the_exit_status(narrows: Narrows, tmp_path: Path, bound: str, status: int) -> None:
    clause = f'\n[[expect]]\nmeasure = "utilization"\nlink = "bottleneck"\n{bound}\n'
    done = narrows("run", write(tmp_path, SHORT + clause), "--replications", "3", "--out", "out")
    assert done.returncode == status, done.stderr
    assert ("expectation failed" in done.stderr) == (status == 1)
    assert (done.stdout + done.stderr).count("utilization of bottleneck at") == 1
    [judged] = read(tmp_path / "out")["expectations"]
    assert judged["verdict"] == ("holds" if status == 0 else "fails")


def test_quiet_shows_no_progress_and_a_pipe_gets_plain_lines(narrows: Narrows, long_scenario: Path) -> None:
    flags = ["--set", "duration=400s", "--replications", "2", "--jobs", "1"]
    assert "%" not in narrows("run", long_scenario, "--quiet", "--out", "a", *flags).stderr
    assert "\r" not in narrows("run", long_scenario, "--out", "b", *flags).stderr


def test_the_report_can_be_built_again(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    narrows("run", scenario, "--out", "out")
    (tmp_path / "out/report.html").unlink()
    done = narrows("report", "out")
    assert (done.returncode, done.stdout) == (0, "out/report.html\n")
    assert (tmp_path / "out/report.html").stat().st_size > 0
    assert narrows("report", "nowhere").returncode == 2


def test_of_two_runs_into_one_folder_one_ends_with_an_error_and_keeps_its_results(
    tmp_path: Path, scenario: Path
) -> None:
    processes = [
        subprocess.Popen(
            command(["run", scenario, "--seed", str(seed), "--out", "out"]),
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(), "TMPDIR": str(tmp_path)},
        )
        for seed in (1, 2)
    ]
    messages = [process.communicate()[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2], messages
    lost = next(text for process, text in zip(processes, messages, strict=True) if process.returncode == 2)
    assert "out" in lost
    seeds = {json.loads(file.read_text())["seed"] for file in tmp_path.glob("*/manifest.json")}
    # Where the second began only after the first had finished, it is refused before it runs.
    assert seeds == {1, 2} or "exists and is not empty" in lost


@pytest.mark.parametrize(
    "arguments", [["run", "{}"], ["check", "{}"], ["report", "{}"], ["run", "two-flows", "--out", "{}"]]
)
def test_a_name_that_is_too_long_is_bad_input(narrows: Narrows, arguments: list[str]) -> None:
    done = narrows(*(each.format("a" * 300) for each in arguments))
    assert done.returncode == 2
    assert "internal" not in done.stderr


def test_an_algorithm_with_a_long_name_has_a_folder(narrows: Narrows, tmp_path: Path, scenario: Path) -> None:
    name = f"cubic(c=0.4{'0' * 260})"
    done = narrows("compare", "newreno", name, "--scenario", scenario, "--replications", "1", "--out", "out")
    assert done.returncode == 0, done.stderr
    folder = json.loads((tmp_path / "out/manifest.json").read_text())["algorithms"][name]
    assert (tmp_path / "out" / folder / "report.html").is_file()


def test_a_run_saves_itself_into_a_folder_given_as_text(tmp_path: Path) -> None:
    nw.Scenario(SHORT).run().save(str(tmp_path / "out"))
    assert (tmp_path / "out/report.html").is_file()
