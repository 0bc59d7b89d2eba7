# SPDX-License-Identifier: Apache-2.0
"""Contract: results hold what they rest on, run again wherever they lie, and say nothing of where they were made."""

from __future__ import annotations

import getpass
import json
import shutil
import socket
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from narrows._internal.external.names import short_names
from narrows._internal.external.source import SUFFIXES
from narrows._internal.files.manifest import file_digest
from narrows._internal.run.options import recorded

if TYPE_CHECKING:
    from command_line import Narrows

ALGORITHM = """
class Steady:
    def __init__(self, setup, window=8):
        self.window = window

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        self.window = max(self.window / 2, 2)
"""
SCENARIO = """
title = "Own files"
duration = "3s"
warmup = "1s"

[path]
rate = { trace = "traces/lte.up" }   # traces/lte.up is a recording
rtt = "20ms"
queue = { kind = "droptail", limit = "30pkt" }

[[flows]]
algorithm = "./own/steady.py:Steady(window=9)"

[[flows]]
name = "listed"
algorithm = "cubic"
source = { arrivals = "arrivals.txt" }
"""
GRAPH = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>
"""
NETWORK = """
title = "A graph"
duration = "2s"

[network]
rtt = "40ms"
graph = { file = "two.graphml", rate = "5Mbps", delay = "5ms" }

[[flows]]
algorithm = "cubic"
from = "a"
to = "b"
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Return a folder with a scenario and the files that it names."""
    here = tmp_path / "made-here"
    for name, text in {
        "traces/lte.up": "".join(f"{ms}\n" for ms in range(1, 400)),
        "own/steady.py": ALGORITHM,
        "arrivals.txt": "0.5 20000\n1.5 30000\n",
        "two.graphml": GRAPH,
        "scenario.toml": SCENARIO,
        "network.toml": NETWORK,
    }.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")
    return here


def digest_of(folder: Path) -> str:
    """Return the digest of the records in a folder of results."""
    found: str = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["digest"]
    return found


def succeeded(narrows: Narrows, *arguments: str | Path) -> str:
    """Run a command that must succeed, and return what it prints."""
    done = narrows(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("scenario", ["scenario.toml", "network.toml"])
def test_a_run_folder_runs_again_where_nothing_of_what_it_was_made_of_lies(
    narrows: Narrows, made: Path, tmp_path: Path, scenario: str
) -> None:
    succeeded(narrows, "run", made / scenario, "--replications", "2", "--out", "out")
    copy = tmp_path / "elsewhere/copy"
    shutil.copytree(tmp_path / "out", copy)
    shutil.rmtree(tmp_path / "out")
    shutil.rmtree(made)
    succeeded(narrows, "run", copy / "scenario.toml", "--out", "again")
    assert digest_of(tmp_path / "again") == digest_of(copy)
    manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    assert len(manifest["inputs"]) == (3 if scenario == "scenario.toml" else 1)
    for kept, digest in manifest["inputs"].items():
        assert file_digest(copy / kept) == digest
    # The copy of the copy is the same again; a graph is written out, so that its file is not read again.
    again = json.loads((tmp_path / "again/manifest.json").read_text(encoding="utf-8"))["inputs"]
    assert again == ({} if scenario == "network.toml" else manifest["inputs"])


def test_a_comparison_calls_algorithms_by_their_classes_and_keeps_them(
    narrows: Narrows, made: Path, tmp_path: Path
) -> None:
    names = [f"{made}/own/steady.py:Steady", f"{made}/own/steady.py:Steady(window=4)", "cubic"]
    printed = succeeded(narrows, "compare", *names, "--scenario", "two-flows", "--set", "duration=12s", "--set",
                        "warmup=11s", "--replications", "2", "--out", "out")  # fmt: skip
    assert "steady.py" not in printed
    assert {entry.name for entry in (tmp_path / "out").iterdir() if entry.is_dir()} == {
        "Steady",
        "Steady(window=4)",
        "cubic",
    }
    shutil.copytree(tmp_path / "out/Steady(window=4)", tmp_path / "copy")
    shutil.rmtree(made)
    succeeded(narrows, "run", "copy/scenario.toml", "--out", "again")
    assert digest_of(tmp_path / "again") == digest_of(tmp_path / "copy")


def test_a_study_goes_on_where_nothing_of_what_it_was_made_of_lies(
    narrows: Narrows, made: Path, tmp_path: Path
) -> None:
    (made / "study.toml").write_text(
        """
scenario = "scenario.toml"
algorithms = ["./own/steady.py:Steady", "newreno"]
replications = 2
measures = ["group.listed.goodput_bps"]

[factors]
"path.rate.trace" = ["traces/lte.up", "other.up"]
""",
        encoding="utf-8",
    )
    (made / "other.up").write_text("".join(f"{2 * ms}\n" for ms in range(1, 300)), encoding="utf-8")
    succeeded(narrows, "study", "run", made / "study.toml", "--out", "out")
    copy = tmp_path / "elsewhere/copy"
    shutil.copytree(tmp_path / "out", copy)
    shutil.rmtree(tmp_path / "out")
    shutil.rmtree(made)
    rows = pq.read_table(copy / "cells.parquet").to_pylist()
    assert {row["algorithm"] for row in rows} == {"Steady", "newreno"}
    cell = next(row for row in rows if row["algorithm"] == "Steady")
    assert "the same bits as before" in succeeded(narrows, "study", "replay", copy, cell["cell"], "--trust")
    (copy / "cells.parquet").unlink()
    succeeded(narrows, "study", "resume", copy, "--trust")
    again = pq.read_table(copy / "cells.parquet").to_pylist()
    assert [row["digest"] for row in again] == [row["digest"] for row in rows]


def test_what_is_shared_says_nothing_of_where_it_was_made(narrows: Narrows, made: Path, tmp_path: Path) -> None:
    """No path of this machine, no name of it or of who uses it; nothing inside Parquet files or pages, either."""
    short = ["--set", "duration=8s", "--set", "warmup=6s", "--replications", "2"]
    own = f"{made}/own/steady.py:Steady"
    (made / "study.toml").write_text(
        f"""
scenario = "{made}/scenario.toml"
algorithms = ["{own}", "newreno"]
replications = 2
""",
        encoding="utf-8",
    )
    results = tmp_path / "results"
    succeeded(narrows, "run", made / "scenario.toml", "--set", f"path.rate.trace={made}/traces/lte.up", "--out",
              results / "run")  # fmt: skip
    succeeded(narrows, "compare", own, "cubic", "--scenario", made / "scenario.toml", "--out", results / "comparison")
    succeeded(narrows, "study", "run", made / "study.toml", "--out", results / "study")
    succeeded(narrows, "matrix", own, "cubic", *short, "--out", results / "matrix")
    succeeded(narrows, "deploy", own, "--flows", "2", "--fractions", "50", *short, "--out", results / "deployment")
    private = {str(tmp_path), str(made), str(Path.cwd()), str(Path.home()), socket.gethostname(), getpass.getuser()}
    # Short names, as of a user "a" or of the root of all files, are in every text.
    private = {word for word in private if len(word) > 4 and word != "/root"} | {str(tmp_path)}
    files = [file for file in results.rglob("*") if file.is_file()]
    assert len(files) > 40
    for file in files:
        content = content_of(file)
        for word in private:
            assert word not in content, (file.relative_to(results), word)


def test_what_is_kept_of_a_failure_says_nothing_of_where_it_was_made(
    narrows: Narrows, made: Path, tmp_path: Path
) -> None:
    broken = ALGORITHM.replace("        pass\n", "        raise ValueError('no such window')\n")
    (made / "own/steady.py").write_text(broken, encoding="utf-8")
    (made / "study.toml").write_text(
        f"""
scenario = "two-flows"
algorithms = ["{made}/own/steady.py:Steady"]
replications = 1
""",
        encoding="utf-8",
    )
    done = narrows("study", "run", made / "study.toml", "--out", "out")
    assert done.returncode == 4, done.stderr
    (failure,) = (tmp_path / "out/failed").glob("*.json")
    error = json.loads(failure.read_text(encoding="utf-8"))["error"]
    assert "ValueError: no such window" in error
    assert 'steady.py", line' in error
    for file in (tmp_path / "out").rglob("*.*"):
        assert str(tmp_path) not in content_of(file), file


def content_of(file: Path) -> str:
    """Return all text in a file; of a table, that of its values and of what describes it."""
    if file.suffix == ".parquet":
        table = pq.read_table(file)
        return f"{table.schema} {table.to_pylist()} {pq.read_metadata(file).metadata}"
    assert not zipfile.is_zipfile(file)
    return file.read_text(encoding="utf-8", errors="replace")


def test_a_recorded_command_has_no_folders_of_this_machine() -> None:
    given = [
        "compare",
        "/work-of/ann/copa.py:Copa(delta=1/2)",
        "bbr3",
        "--out",
        "../out",
        "--set=path.rate.trace=/d/a.up",
    ]
    printed = "narrows compare 'copa.py:Copa(delta=1/2)' bbr3 --out ../out --set=path.rate.trace=a.up"
    assert recorded(given) == printed
    assert recorded(["study", "run", "/s/a.toml", "--address", "tcp://n1:8786"]) == "narrows study run a.toml"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_whatever_a_file_of_an_algorithm_is_its_name_is_short(suffix: str) -> None:
    named = [f"./mine{suffix}:Mine(x=1)", "cubic"]
    assert list(short_names(named).values()) == ["Mine", "cubic"]


def test_short_names_distinguish_all_algorithms() -> None:
    assert list(short_names(["./a.py:Copa(x=1)", "cubic"]).values()) == ["Copa", "cubic"]
    assert list(short_names(["a.py:Copa", "b.py:Copa", "a.py:cubic", "cubic"]).values()) == [
        "a.py:Copa",
        "b.py:Copa",
        "a.py:cubic",
        "cubic",
    ]
    names = ["/x/one/a.py:Copa", "/x/two/a.py:Copa", "b.py:Copa(n=2)"]
    assert list(short_names(names).values()) == ["one/a.py:Copa", "two/a.py:Copa", "Copa(n=2)"]
