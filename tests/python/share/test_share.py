# SPDX-License-Identifier: Apache-2.0
"""Contract: packed results are repeated elsewhere to the bit, and what was changed in them is named."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command_line import SHORT
from narrows._internal.cli.program import run
from narrows._internal.errors import InputError
from narrows._internal.files.json_objects import sealed
from narrows._internal.share.pack import MOST_FILES, pack
from narrows._internal.share.verify import Verdict, verify

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


def resealed(file: Path, changed: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """Return a copy of an archive with the content of a sealed file changed and sealed anew."""

    def edited(name: str, text: bytes) -> bytes:
        if name != changed:
            return text
        content = json.loads(text)
        del content["seal"]
        change(content)
        return json.dumps(sealed(content)).encode()

    return repacked(file, edited)


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
    from narrows._internal.share import verify

    monkeypatch.setattr("narrows._internal.core.fingerprint", lambda: "0" * 64)
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
    assert narrows("run", scenario, "--out", "run").returncode == 0
    assert narrows("pack", "run").returncode == 0
    plain = b'\n[[flows]]\nprogram = { client = "id", server = "true" }\n'
    # TOML 1.1: a table in braces over several lines; and a byte order mark.
    lines = b'\n[[flows]]\nprogram = {\n  client = "id", # said\n  server = "\\x74rue",\n}\n'
    for before, commands in ((b"", plain), (b"", lines), (b"\xef\xbb\xbf", plain)):

        def change(name: str, text: bytes, before: bytes = before, commands: bytes = commands) -> bytes:
            return before + text + commands if name == "scenario.toml" else text

        other = repacked(tmp_path / "run.zip", change)
        refused = narrows("verify", other)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "scenario.toml would execute client: id; server: true" in refused.stderr
        assert "--trust" in refused.stderr


def test_the_commands_of_a_study_are_executed_only_if_it_is_trusted(
    narrows: Narrows, scenario: Path, tmp_path: Path
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'title = "One buffer"\nscenario = "{scenario}"\n[factors]\n"path.queue.limit" = ["1bdp"]\n')
    assert narrows("study", "run", study, "--out", "study").returncode == 0
    assert narrows("pack", "study").returncode == 0
    programs = '{ client = "id", server = "true" }'
    for override in (
        f"flows.1.program={programs}",
        f'flows.1={{ name = "other", "pr\\u006fgram" = {programs} }}',
        'flows=[{ name = "other", program = { client = "id",\n server = "true", } }]',
    ):

        def change(content: dict[str, Any], override: str = override) -> None:
            content["points"][0]["overrides"].append(override)

        refused = narrows("verify", resealed(tmp_path / "study.zip", "plan.json", change))
        assert refused.returncode == 2
        assert "plan.json would execute client: id; server: true" in refused.stderr


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


def test_a_file_with_very_many_members_is_not_unpacked(narrows: Narrows, packed: Path) -> None:
    with zipfile.ZipFile(packed, "a") as archive:
        for number in range(MOST_FILES):
            archive.writestr(f"empty/{number}", b"")
    done = narrows("verify", packed)
    assert done.returncode == 2
    assert f"allowed: at most {MOST_FILES}" in done.stderr


@pytest.mark.parametrize("place", ["/", "..", "../run", "runs/../..", "a\0b", "", "link"])
def test_a_comparison_whose_runs_are_elsewhere_is_bad_input(
    narrows: Narrows, packed: Path, tmp_path: Path, place: str
) -> None:
    del packed
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "link").symlink_to(tmp_path / "run")
    manifest = {"format": 2, "title": "A comparison", "algorithms": {"a": place}, "files": {}}
    (evil / "manifest.json").write_text(json.dumps(sealed(manifest)))
    (evil / "summary.json").write_text("{}")
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.write(evil / "manifest.json", "manifest.json")
    # A link is not unpacked.
    for arguments in (
        ["verify", "evil.zip"],
        ["report", "evil"],
        ["pack", "evil", "--out", "other.zip"],
        ["export", "csv", "evil"],
    ):
        if place == "link" and arguments[0] == "verify":
            continue
        done = narrows(*arguments)
        assert done.returncode == 2, arguments
        assert "which is not in" in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "override",
    [
        'path.rate.trace="{}"',
        'flows=[{{ algorithm = "cubic", source = {{ arrivals = "{}" }} }}]',
        'flows=[{{ algorithm = "{}:Mine" }}]',
    ],
)
@pytest.mark.parametrize("place", ["{outside}/link.trace", "../link.trace", "link/link.trace"])
def test_no_file_outside_of_an_archive_is_read(
    narrows: Narrows, scenario: Path, tmp_path: Path, override: str, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "link.trace").write_text("not a recording\n")
    study = tmp_path / "study.toml"
    study.write_text(f'scenario = "{scenario}"\nreplications = 1\n[factors]\n"path.queue.limit" = ["1bdp"]\n')
    assert narrows("study", "run", study, "--out", "study").returncode == 0
    assert narrows("pack", "study").returncode == 0
    given = place.format(outside=outside)

    def change(content: dict[str, Any]) -> None:
        content["points"][0]["overrides"].append(override.format(given))

    file = resealed(tmp_path / "study.zip", "plan.json", change)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "study")
    (tmp_path / "study/link").symlink_to(outside)
    (tmp_path / "link.trace").write_text("not a recording\n")
    (tmp_path / "study/cells.parquet").unlink()
    commands: list[list[str | Path]] = [["study", "resume", "study"], ["study", "replay", "study", ""]]
    if not given.startswith("link/"):
        commands += [["verify", file], ["verify", file, "--trust"]]
    for arguments in commands:
        done = narrows(*arguments)
        assert done.returncode == 2, done.stderr
        assert "is not in the folder of the results" in done.stderr, (arguments, done.stderr)


def test_pack_takes_nothing_that_a_link_leads_to_and_nothing_else(
    narrows: Narrows, packed: Path, tmp_path: Path
) -> None:
    before = zipfile.ZipFile(packed).namelist()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "run/own notes.txt").write_text("mine")
    (tmp_path / "run/inputs").mkdir()
    (tmp_path / "run/inputs/key").symlink_to(tmp_path / "secret")
    assert narrows("pack", "run", "--out", "again.zip").returncode == 0
    assert zipfile.ZipFile(tmp_path / "again.zip").namelist() == before
    # Nor where a file that every run has is a link.
    (tmp_path / "run/report.html").unlink()
    (tmp_path / "run/report.html").symlink_to(tmp_path / "secret")
    done = narrows("pack", "run", "--out", "linked.zip")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'report.html', which is not in" in done.stderr
    assert not (tmp_path / "linked.zip").exists()


def test_a_name_that_is_no_text_is_bad_input(narrows: Narrows, packed: Path, tmp_path: Path) -> None:
    del packed
    (tmp_path / "run" / os.fsdecode(b"caf\xe9")).write_text("")
    done = narrows("pack", "run", "--out", "again.zip")
    assert (done.returncode, done.stdout) == (2, "")
    assert "whose name is not UTF-8: caf\\xe9" in done.stderr
    assert not (tmp_path / "again.zip").exists()


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the archives of a run, a comparison and a study that are repeated in a moment."""
    folder = tmp_path_factory.mktemp("archives")
    file = folder / "scenario.toml"
    file.write_text(
        SHORT.replace('"5s"', '"300ms"').replace('warmup = "1s"', 'warmup = "0s"').replace("..1s", "..0.1s")
    )
    study = folder / "study.toml"
    study.write_text('scenario = "scenario.toml"\nreplications = 1\n[factors]\n"path.queue.limit" = ["1bdp"]\n')
    for number, arguments in enumerate(
        [
            ["run", file],
            ["compare", "cubic", "reno", "--replications", "1", "--scenario", file],
            ["study", "run", study],
        ]
    ):
        assert run([*map(str, arguments), "--quiet", "--out", str(folder / str(number))]) == 0
        pack(folder / str(number), folder / f"{number}.zip")
    # A failing property prints its arguments, and contents are too long for that.
    return [folder / f"{number}.zip" for number in range(3)]


def outcome(file: Path) -> Verdict | None:
    """Return the verdict on an archive; None where it is refused. Any other error fails the test."""
    try:
        return verify(file)
    except InputError:
        return None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_archive_is_refused_or_found_out(archives: list[Path], tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from(archives)).read_bytes())
    how = data.draw(st.sampled_from(["cut", "flipped", "shortened", "replaced"]))
    start = data.draw(st.integers(0, len(content) - 1))
    if how == "cut":
        del content[start:]
    elif how == "flipped":
        content[start] ^= 1 << data.draw(st.integers(0, 7))
    elif how == "shortened":
        del content[start : start + data.draw(st.integers(1, 50))]
    else:
        content[start : start + 20] = data.draw(st.binary(min_size=1, max_size=20))
    file = tmp_path / "damaged.zip"
    file.write_bytes(content)
    outcome(file)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_member_of_an_archive_is_refused_or_found_out(
    archives: list[Path], tmp_path: Path, data: st.DataObject
) -> None:
    shutil.copy(data.draw(st.sampled_from(archives)), tmp_path / "sound.zip")
    with zipfile.ZipFile(tmp_path / "sound.zip") as archive:
        victim = data.draw(st.sampled_from(sorted(archive.namelist())))
        text = archive.read(victim)
    start = data.draw(st.integers(0, max(len(text) - 1, 0)))
    other = data.draw(
        st.sampled_from([b"", text[:start], text[:start] + b"\xff" + text[start + 1 :], b"[" * 100_000, b"\0" * 9])
        | st.binary(max_size=30).map(lambda each: text[:start] + each + text[start + len(each) :])
    )
    found = outcome(repacked(tmp_path / "sound.zip", lambda name, each: other if name == victim else each))
    # The report alone says nothing of the results, and is not listed.
    assert found is None or not found.same or other == text or victim.endswith("report.html") or "study" in found.kind


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
