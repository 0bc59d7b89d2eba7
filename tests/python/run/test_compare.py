# SPDX-License-Identifier: Apache-2.0
"""The contract of `narrows compare`: a run folder for each algorithm, one summary with paired differences."""

from __future__ import annotations

import html
import json
import re
import statistics
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import SHORT, write
from narrows._internal.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

SUBJECT = SHORT.replace('algorithm = "newreno"', 'name = "tested"\nalgorithm = "subject"')


def read(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return content


def test_each_algorithm_has_its_folder_and_the_summary_its_keys(narrows: Narrows, tmp_path: Path) -> None:
    names = ["newreno", "aimd(a=1,b=0.8)"]
    done = narrows("compare", *names, "--scenario", write(tmp_path, SUBJECT), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "out"
    top = read(tmp_path / "out")
    assert {"title", "seed", "replications", "digest", "algorithms"} <= set(top)
    assert top["replications"] == 5
    assert list(top["algorithms"]) == names
    for name in names:
        inner = read(tmp_path / "out" / name)
        assert {"groups", "links", "checks"} <= set(top["algorithms"][name])
        assert top["algorithms"][name]["groups"] == inner["groups"]
        assert list(inner["groups"]) == ["tested", "other"]
    assert {entry.name for entry in (tmp_path / "out").iterdir()} == {
        *names,
        "summary.json",
        "manifest.json",
        "report.html",
    }


def test_differences_are_paired_replication_by_replication(narrows: Narrows, tmp_path: Path) -> None:
    flags = ["--replications", "3", "--out", "out", "--json"]
    done = narrows("compare", "newreno", "cubic", "--scenario", write(tmp_path, SUBJECT), *flags)
    [difference] = json.loads(done.stdout)["differences"]
    assert (difference["of"], difference["against"]) == ("cubic", "newreno")
    goodput = {
        name: [
            sum(row["goodput_bps"] for row in rows if row["replication"] == index and row["group"] == "tested")
            for index in range(3)
        ]
        for name in ("newreno", "cubic")
        for rows in [pq.read_table(tmp_path / "out" / name / "flows.parquet").to_pylist()]
    }
    pairs = [a - b for a, b in zip(goodput["cubic"], goodput["newreno"], strict=True)]
    found = difference["groups"]["tested"]["goodput_bps"]
    assert found["mean"] == pytest.approx(statistics.mean(pairs))
    # 4.303 is the 97.5 % quantile of t with two degrees of freedom.
    half = 4.303 * statistics.stdev(pairs) / 3**0.5
    assert found["ci95"] == pytest.approx([found["mean"] - half, found["mean"] + half], rel=1e-3)


def test_every_algorithm_meets_the_same_random_numbers(narrows: Narrows, tmp_path: Path) -> None:
    narrows("compare", "newreno", "cubic", "--scenario", write(tmp_path, SUBJECT), "--out", "out")
    starts = [
        pq.read_table(tmp_path / "out" / name / "flows.parquet").column("start_s").to_pylist()
        for name in ("newreno", "cubic")
    ]
    assert starts[0] == starts[1]
    assert len(set(starts[0])) == len(starts[0])


def test_without_a_subject_every_group_is_replaced(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("compare", "cubic", "--scenario", scenario, "--replications", "1", "--out", "out")
    assert done.returncode == 0, done.stderr
    flows = pq.read_table(tmp_path / "out/cubic/flows.parquet").to_pylist()
    assert {row["algorithm"] for row in flows} == {"cubic"}


def test_a_run_and_a_comparison_agree_to_the_bit(narrows: Narrows, tmp_path: Path) -> None:
    file = write(tmp_path, SUBJECT)
    narrows("compare", "cubic", "--scenario", file, "--replications", "2", "--out", "compared")
    plain = write(tmp_path, SUBJECT.replace('"subject"', '"cubic"'))
    narrows("run", plain, "--replications", "2", "--out", "alone")
    assert read(tmp_path / "compared/cubic")["digest"] == read(tmp_path / "alone")["digest"]


@pytest.mark.parametrize("command", [["compare", "newreno", "cubic"], ["ab", "newreno", "cubic"]])
def test_a_scenario_among_the_algorithms_is_refused_with_its_option(
    command: list[str], scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in (str(scenario), *(["home"] if command[0] == "compare" else [])):
        assert main([*command, given]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert f"did you mean --scenario {given}?" in printed.err


def test_a_command_with_scenarios_of_its_own_names_those_that_take_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["worst", "bbr3", "mine.toml"]) == 2
    assert "`narrows compare`, `narrows ab` take a scenario by --scenario" in capsys.readouterr().err


@pytest.mark.parametrize("names", [["newreno", "cubik"], ["newreno", "aimd(c=1)"], ["newreno", "aimd(a=-1)"]])
def test_an_unknown_algorithm_is_bad_input(narrows: Narrows, tmp_path: Path, names: list[str]) -> None:
    done = narrows("compare", *names, "--scenario", write(tmp_path, SUBJECT))
    assert (done.returncode, done.stdout) == (2, "")
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml"}


VARIED = ["--vary", "path.queue=droptail,codel", "--replications", "2", "--out", "out", "--json"]


def test_levels_of_a_key_are_compared_on_the_same_seeds(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    done = narrows("compare", "--scenario", scenario, *VARIED)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["factors"] == {"path.queue": ["droptail", "codel"]}
    assert {name: each["at"] for name, each in found["levels"].items()} == {
        "queue=droptail": {"path.queue": "droptail"},
        "queue=codel": {"path.queue": "codel"},
    }
    narrows("run", scenario, "--set", "path.queue.kind=codel", "--replications", "2", "--out", "alone")
    assert read(tmp_path / "out/queue=codel")["digest"] == read(tmp_path / "alone")["digest"]
    [difference] = found["differences"]
    assert (difference["of"], difference["against"]) == ("queue=codel", "queue=droptail")
    assert difference["links"]["bottleneck"]["queue_delay_mean_s"]["ci95"] is not None
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "queue=codel less queue=droptail" in page
    opened = nw.open(tmp_path / "out")
    assert set(opened.flows["level"].to_pylist()) == set(found["levels"])  # type: ignore[union-attr]
    assert list(opened.runs) == list(found["levels"])  # type: ignore[union-attr]


@pytest.mark.parametrize("algorithms", [[], ["newreno", "aiad"]])
def test_sizes_of_a_buffer_are_answered_with_what_they_cost(
    narrows: Narrows, scenario: Path, algorithms: list[str]
) -> None:
    sizes = ["5ms", "50ms", "300ms"]
    vary = ("--vary", f"path.queue.limit={','.join(sizes)}", "--scenario", str(scenario), "--replications", "2")
    done = narrows("compare", *algorithms, *vary, "--quiet", "--out", "out")
    (line, *_) = [each for each in done.stdout.splitlines() if "is used to" in each]
    summary = json.loads((scenario.parent / "out/summary.json").read_text())
    runs = [each for each in summary["levels"].values() if each["at"].get("algorithm", "newreno") == "newreno"]
    assert len(runs) == len(sizes)
    said = re.findall(r"[Ww]ith (?:a queue of )?(\d+) ms (?:link bottleneck is used to )?(\d+(?:\.\d+)?) %", line)
    for size, each, (level, used) in zip(sizes, runs, said, strict=True):
        assert f"{level}ms" == size
        mean = 100 * each["links"]["bottleneck"]["utilization"]["mean"]
        assert float(used) == pytest.approx(mean, abs=0.5)
    page = html.unescape(re.sub(r"<[^>]*>", "", (scenario.parent / "out/report.html").read_text()))
    assert "".join(line.split()) in "".join(page.split())


def test_algorithms_and_levels_are_crossed(narrows: Narrows, scenario: Path) -> None:
    flags = ["--vary", "path.queue=droptail,red(gentle=true,limit=60pkt)", "--vary", "path.rtt=20ms,40ms"]
    done = narrows("compare", "cubic", "newreno", "--scenario", scenario, *flags, "--replications", "2", "--out", "out")
    assert done.returncode == 0, done.stderr
    heads = [line for line in done.stdout.splitlines() if line.startswith("At ") and ", with " not in line]
    queues = ("droptail", "red(gentle=true,limit=60pkt)")
    assert heads == [
        *(f"At queue={queue}, rtt={rtt}" for queue in queues for rtt in ("20ms", "40ms")),
        *(f"At {algorithm}, rtt={rtt}" for algorithm in ("cubic", "newreno") for rtt in ("20ms", "40ms")),
        *(f"At {algorithm}, queue={queue}" for algorithm in ("cubic", "newreno") for queue in queues),
    ]


def test_levels_in_python_are_those_of_the_command(scenario: Path, narrows: Narrows, tmp_path: Path) -> None:
    narrows("compare", "--scenario", scenario, *VARIED)
    found = nw.compare(scenario=scenario, vary={"path.queue": ["droptail", "codel"]}, replications=2)
    assert found.summary["digest"] == read(tmp_path / "out")["digest"]
    assert set(found.table("flows")["level"].to_pylist()) == {"queue=droptail", "queue=codel"}
    with pytest.raises(nw.InputError, match="needs two levels"):
        nw.load(scenario).compare(["cubic"], 1, vary={"path.rtt": ["20ms"]})


def test_keys_that_are_joined_have_the_same_level_in_each_run_and_setting(scenario: Path) -> None:
    both = "path.queue+path.reverse.queue"
    found = nw.compare(scenario=scenario, vary={both: ["droptail", "fq-codel"]}, replications=1)
    assert found.summary["factors"] == {both: ["droptail", "fq-codel"]}
    assert list(found.summary["levels"]) == ["queues=droptail", "queues=fq-codel"]
    apart = nw.load(scenario, ["path.queue=fq-codel", "path.reverse.queue=fq-codel"]).run(1)
    assert found.summary["levels"]["queues=fq-codel"]["groups"] == apart.summary["groups"]
    assert nw.load(scenario, f"{both}=fq-codel").run(1).summary["digest"] == apart.summary["digest"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("link.queue=a,b", "--vary link.queue=a: unknown key; allowed: title"),
        ("path.queue=droptail,fq_codel", "did you mean `fq-codel`?"),
        ("path.rate=10Mbps", "needs two levels or more"),
        ("path.rate=10Mbps,20", "--vary path.rate=20: a number without a unit"),
        ("path.rate=10Mbps,10Mbps", "gives 10Mbps twice"),
        ("seed=1,2", "`seed` is the same for all runs"),
        ("path.rtt+seed=1,2", "`seed` is the same for all runs"),
        ("path.queue+=droptail,codel", "a key is empty"),
        ("path.rtt+path.rtt=1ms,2ms", "gives `path.rtt` twice"),
        ("path.rtt+path.queue=droptail,codel", "--vary path.rtt=droptail: "),
        ("path.rate", "expected a key with levels, as in path.queue=droptail,codel"),
        ("path.queue=codel,red(gentle=true", "not a name with parameters; allowed: as in codel"),
        (f"path.rtt={','.join(f'{each}ms' for each in range(1, 66))}", "makes 65 runs; allowed: at most 64"),
    ],
)
def test_a_level_that_cannot_be_is_refused(
    given: str, said: str, narrows: Narrows, scenario: Path, tmp_path: Path
) -> None:
    done = narrows("compare", "--scenario", scenario, "--vary", given, "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_nothing_to_compare_is_said(narrows: Narrows) -> None:
    done = narrows("compare")
    assert done.returncode == 2
    assert "allowed: algorithms, --vary" in done.stderr


FAILS = """
class Fails:
    def __init__(self, setup):
        self.window = 10.0
        self.left = 20

    def on_ack(self, ack):
        self.left -= 1
        if not self.left:
            raise ValueError("it lost its way")

    def on_loss(self, loss):
        self.window /= 2
"""


def test_an_algorithm_that_fails_does_not_take_the_others_with_it(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(FAILS, encoding="utf-8")
    names = ["newreno", "./fails.py:Fails", "cubic"]
    flags = ["--replications", "2", "--out", "out"]
    done = narrows("compare", *names, "--scenario", write(tmp_path, SUBJECT), *flags)
    assert done.returncode == 2
    assert "failed: Fails: " in done.stderr
    assert "it lost its way" in done.stderr
    top = read(tmp_path / "out")
    assert list(top["algorithms"]) == ["newreno", "cubic"]
    assert "it lost its way" in top["failed"]["Fails"]
    assert [(each["of"], each["against"]) for each in top["differences"]] == [("cubic", "newreno")]
    alone = narrows(
        "compare", "newreno", "cubic", "--scenario", tmp_path / "scenario.toml", *flags[:2], "--out", "alone"
    )
    assert alone.returncode == 0, alone.stderr
    assert read(tmp_path / "alone")["digest"] == top["digest"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["failed"] == top["failed"]
    assert not manifest["interrupted"]
    assert list(manifest["algorithms"]) == ["newreno", "cubic"]
    assert "Runs that failed" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_comparison_of_which_every_run_fails_leaves_nothing(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(FAILS, encoding="utf-8")
    done = narrows("compare", "./fails.py:Fails", "--scenario", write(tmp_path, SUBJECT), "--out", "out")
    assert done.returncode == 2
    assert "it lost its way" in done.stderr
    assert not (tmp_path / "out").exists()
