# SPDX-License-Identifier: Apache-2.0
"""Contract: a package that is needed and cannot be loaded is an error of a sentence that names what to install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from narrows._internal.cli.command import BAD_INPUT, INTERNAL
from narrows._internal.cli.failure import status_of

if TYPE_CHECKING:
    from pathlib import Path

# As NumPy does: the reason of the dynamic linker is the cause of a page of advice.
FAKE = """\
try:
    raise ImportError({reason!r}, name="_multiarray_umath", path="/site/numpy/_core/_multiarray_umath.so")
except ImportError as found:
    raise ImportError("\\n\\nIMPORTANT: PLEASE READ THIS!\\n" + "advice\\n" * 20) from found
"""
GLIBC = "libstdc++.so.6: cannot open shared object file: No such file or directory"
MUSL = (
    "Error loading shared library libgcc_s.so.1: No such file or directory (needed by /site/numpy.libs/libgfortran.so)"
)
UNKNOWN = "libother.so.3: cannot open shared object file: No such file or directory"
OLD = "/lib/libc.so.6: version `GLIBC_2.28' not found (required by /site/numpy/_core/_multiarray_umath.so)"
LACKS = "numpy: cannot be loaded, since this system lacks"
REASONS = {
    GLIBC: f"{LACKS} libstdc++.so.6, which is in the package libstdc++6 of Debian, libstdc++ of Fedora and Alpine",
    MUSL: f"{LACKS} libgcc_s.so.1, which is in the package libgcc-s1 of Debian, libgcc of Fedora and Alpine",
    UNKNOWN: f"{LACKS} libother.so.3",
    OLD: f"numpy: cannot be loaded: {OLD}; install it again by `pip install --force-reinstall numpy`",
}


def run_with(folder: Path, source: str, *options: str) -> tuple[int, str, str]:
    """Run a command with another NumPy than the one that is installed; return its exit status and what it prints."""
    (folder / "fake").mkdir()
    (folder / "fake/numpy.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "narrows", "run", "two-flows", "--set", "duration=16s", "--out", "out", *options]
    environment = {**os.environ, "PYTHONPATH": str(folder / "fake")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not (folder / "out").exists()
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("reason", "said"), REASONS.items())
def test_a_library_that_the_system_lacks_is_named_with_its_packages(tmp_path: Path, reason: str, said: str) -> None:
    status, out, error = run_with(tmp_path, FAKE.format(reason=reason))
    assert (status, out) == (BAD_INPUT, "")
    assert error == f"{said}\n"


def test_the_error_is_json_where_that_is_wanted(tmp_path: Path) -> None:
    _, out, _ = run_with(tmp_path, FAKE.format(reason=GLIBC), "--json")
    assert "libstdc++6 of Debian" in json.loads(out)["error"]["message"]


def test_a_needed_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    source = "raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')"
    status, _, error = run_with(tmp_path, source)
    assert status == BAD_INPUT
    assert error == "numpy: is needed and not installed; install it by `pip install numpy`\n"


def test_a_missing_module_of_narrows_remains_an_internal_error() -> None:
    status, message = status_of(ModuleNotFoundError("No module named 'narrows.gone'", name="narrows.gone"), ["run"])
    assert status == INTERNAL
    assert "narrows.gone" in message
