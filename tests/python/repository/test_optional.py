# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Every optional part has one probe, and a test that is skipped states how to install it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import optional
from repository import HOUSE

TESTS = HOUSE / "tests/python"
# A compiler that has these crates for any target.
COMPILER = """\
#!/bin/sh
case "$*" in
*target-libdir*) echo "{folder}" ;;
*) exit 1 ;;
esac
"""


def test_no_test_looks_for_a_program_to_skip_without_it() -> None:
    # Of the system's own tools there is no table, and the last has a stand-in.
    allowed = {"test_bare_root.py", "test_opened.py", "test_source_distribution.py"}
    allowed |= {"test_optional.py", "test_cluster_recipes.py"}
    files = [file for file in TESTS.rglob("*.py") if file.name not in {"optional.py", *allowed}]
    # A test that does less without a part counts as run, and is left out where the part is there.
    own = r"shutil\.which|library\.path\(\)\.is_file|from optional import .*\bfound\b|optional\.found\("
    looking = [file.name for file in files if re.search(own, file.read_text("utf-8"))]
    assert len(files) > 100
    assert looking == []


@pytest.mark.parametrize("name", optional.PARTS)
def test_a_test_that_is_skipped_says_how_its_part_is_installed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional, "found", lambda _name: None)
    part = optional.PARTS[name]
    assert part.install
    assert part.install in optional.needs(name).kwargs["reason"]
    with pytest.raises(pytest.skip.Exception, match=re.escape(f"{name} is missing: {part.install}")):
        optional.require(name)


@pytest.mark.parametrize("option", [None, "--missing", "--debian"])
def test_the_table_needs_nothing_but_python(option: str | None, tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", optional.__file__, *([option] if option else [])]
    place = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=place)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    if option == "--debian":
        assert {"chromium", "tshark", "valgrind"} <= set(lines) <= {part.debian for part in optional.PARTS.values()}
    else:
        assert all(f"for {part.use}: {part.install}" in done.stdout for part in optional.PARTS.values() if part.debian)


@pytest.mark.skipif(Path("/usr/bin/rustc").exists(), reason="Debian's compiler is found, whatever the path is")
@pytest.mark.parametrize("has", [True, False])
def test_the_target_for_webassembly_is_asked_of_the_compiler(
    *, has: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rustc", "cargo"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(COMPILER.format(folder=tmp_path / "library"), encoding="utf-8")
        program.chmod(0o755)
    (tmp_path / "library").mkdir()
    if has:
        (tmp_path / "library/libstd-0.rlib").touch()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert optional.compiler(optional.WASM, "std") == (str(tmp_path / "bin/rustc") if has else None)
    build = subprocess.run([HOUSE / "crates/playground/build.sh", "--missing"], capture_output=True, check=False)
    assert build.returncode == (0 if has else 1)
    if not has:
        assert f"rustup target add {optional.WASM}" in build.stderr.decode()
        assert f"rustup target add {optional.WASM}" in optional.PARTS["wasm"].install
