"""The contract of `narrows compare`: a run folder for each algorithm, one summary with paired differences."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from command_line import SHORT, write

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


@pytest.mark.parametrize("names", [["newreno", "cubik"], ["newreno", "aimd(c=1)"], ["newreno", "aimd(a=-1)"]])
def test_an_unknown_algorithm_is_bad_input(narrows: Narrows, tmp_path: Path, names: list[str]) -> None:
    done = narrows("compare", *names, "--scenario", write(tmp_path, SUBJECT))
    assert (done.returncode, done.stdout) == (2, "")
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml"}
