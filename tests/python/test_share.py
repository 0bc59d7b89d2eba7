"""Contract: packed results are repeated elsewhere to the bit, and what was changed in them is named."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from command_line import Narrows


def repacked(file: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """Return a copy of an archive with the content of its files changed."""
    other = file.with_name("other.zip")
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(other, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, change(name, archive.read(name)))
    return other


def verdict(narrows: Narrows, file: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = narrows("verify", file, "--json", *options)
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def packed(narrows: Narrows, scenario: Path, tmp_path: Path) -> Path:
    assert narrows("run", scenario, "--replications", "2", "--out", "run").returncode == 0
    assert narrows("pack", "run", "--out", "run.zip").stdout == "run.zip\n"
    return tmp_path / "run.zip"


def test_a_run_is_the_same_elsewhere(narrows: Narrows, packed: Path, tmp_path: Path) -> None:
    status, found = verdict(narrows, packed)
    stored = json.loads((tmp_path / "run/summary.json").read_text())["digest"]
    assert status == 0
    assert found["same"] is True
    assert found["repeated"] == [{"name": "", "stored": stored, "found": stored}]
    assert found["differences"] == []


def test_equal_folders_make_equal_files(narrows: Narrows, packed: Path, tmp_path: Path) -> None:
    assert narrows("pack", "run", "--out", "again.zip").returncode == 0
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()


def test_a_scenario_that_was_changed_is_named(narrows: Narrows, packed: Path) -> None:
    other = repacked(
        packed, lambda name, text: text.replace(b'"10Mbps"', b'"11Mbps"') if name == "scenario.toml" else text
    )
    status, found = verdict(narrows, other)
    assert (status, found["same"]) == (1, False)
    assert [each["part"] for each in found["differences"]] == ["file", "scenario", "records"]


def test_another_engine_with_equal_digests_is_no_failure(
    narrows: Narrows, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from narrows.share import verify

    monkeypatch.setattr("narrows.core.fingerprint", lambda: "0" * 64)
    found = verify.verify(packed)
    assert found.same
    assert [each.part for each in found.differences] == ["version"]
    del narrows


def test_records_that_were_changed_are_named(narrows: Narrows, packed: Path) -> None:
    def change(name: str, text: bytes) -> bytes:
        if name != "manifest.json":
            return text
        manifest = json.loads(text)
        return json.dumps({**manifest, "digest": "sha256:" + "0" * 64}).encode()

    status, found = verdict(narrows, repacked(packed, change))
    assert status == 1
    # The tables are those of the run: only the manifest was changed, which its seal gives away.
    assert [(each["part"], each["what"]) for each in found["differences"]] == [("file", "manifest.json")]


def test_a_trace_that_was_changed_is_named(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    trace = tmp_path / "link.trace"
    trace.write_text("".join(f"{time}\n" for time in range(1, 2000)))
    assert narrows("run", scenario, "--set", f"path.rate.trace={trace}", "--out", "run").returncode == 0
    assert narrows("pack", "run").stdout == "run.zip\n"
    trace.unlink()
    assert verdict(narrows, tmp_path / "run.zip")[0] == 0
    other = repacked(tmp_path / "run.zip", lambda name, text: text[: len(text) // 2] if "link.trace" in name else text)
    status, found = verdict(narrows, other)
    assert status == 1
    assert "trace" in {each["part"] for each in found["differences"]}


def test_an_algorithm_in_python_is_executed_only_if_it_is_trusted(
    narrows: Narrows, scenario: Path, tmp_path: Path
) -> None:
    assert narrows("new", "algorithm", "mine").returncode == 0
    assert narrows("compare", "./mine.py:Mine", "newreno", "--scenario", scenario, "--out", "both").returncode == 0
    assert narrows("pack", "both").returncode == 0
    (tmp_path / "mine.py").unlink()
    refused = narrows("verify", "both.zip")
    assert refused.returncode == 2
    assert "mine.py" in refused.stderr
    assert "--trust" in refused.stderr
    status, found = verdict(narrows, tmp_path / "both.zip", "--trust")
    assert (status, found["kind"], len(found["repeated"])) == (0, "comparison", 2)


def test_the_commands_of_a_run_are_executed_only_if_it_is_trusted(
    narrows: Narrows, scenario: Path, tmp_path: Path
) -> None:
    commands = b'\n[[flows]]\nprogram = { client = "id", server = "true" }\n'
    assert narrows("run", scenario, "--out", "run").returncode == 0
    assert narrows("pack", "run").returncode == 0
    other = repacked(tmp_path / "run.zip", lambda name, text: text + commands if name == "scenario.toml" else text)
    refused = narrows("verify", other)
    assert refused.returncode == 2
    assert "scenario.toml" in refused.stderr
    assert "--trust" in refused.stderr


def test_the_commands_of_a_study_are_executed_only_if_it_is_trusted(
    narrows: Narrows, scenario: Path, tmp_path: Path
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'title = "One buffer"\nscenario = "{scenario}"\n[factors]\n"path.queue.limit" = ["1bdp"]\n')
    assert narrows("study", "run", study, "--out", "study").returncode == 0
    assert narrows("pack", "study").returncode == 0
    other = repacked(
        tmp_path / "study.zip", lambda _, text: text.replace(b"path.queue.limit=", b"flows.program.client=")
    )
    refused = narrows("verify", other)
    assert refused.returncode == 2
    assert "plan.json" in refused.stderr
    assert "--trust" in refused.stderr


def test_a_study_is_the_same_elsewhere(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        f'title = "Two buffers"\nscenario = "{scenario}"\nreplications = 2\nmeasures = ["goodput_bps"]\n'
        '[factors]\n"path.queue.limit" = ["1bdp", "2bdp"]\n'
    )
    assert narrows("study", "run", study, "--out", "study").returncode == 0
    assert narrows("pack", "study").returncode == 0
    status, found = verdict(narrows, tmp_path / "study.zip")
    assert (status, found["kind"], len(found["repeated"])) == (0, "study", 4)


def test_what_is_no_archive_is_bad_input(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("manifest.json", "{}")
        archive.writestr("../evil", "")
    for file in (scenario, Path("missing.zip"), tmp_path, tmp_path / "evil.zip"):
        done = narrows("verify", file)
        assert (done.returncode, done.stdout) == (2, ""), file
        assert "Traceback" not in done.stderr
    assert narrows("pack", tmp_path).returncode == 2


def test_a_file_that_is_far_larger_than_it_seems_is_not_unpacked(narrows: Narrows, packed: Path) -> None:
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(200 << 20))
    done = narrows("verify", packed)
    assert done.returncode == 2
    assert "bytes when unpacked; allowed: at most 67108864" in done.stderr


def test_a_device_is_no_archive(narrows: Narrows) -> None:
    done = narrows("verify", "/dev/zero")
    assert done.returncode == 2
    assert "/dev/zero: is not a file" in done.stderr


def test_the_doctor_names_what_is_missing(narrows: Narrows) -> None:
    done = narrows("doctor", "--json")
    assert done.returncode == 0
    found = {each["name"]: each for each in json.loads(done.stdout)}
    assert {"browser", "kernel", "wasm", "tshark"} <= set(found)
    assert all(each["found"] or each["remedy"] for each in found.values())
    assert len(narrows("doctor").stdout.splitlines()) == len(found)
