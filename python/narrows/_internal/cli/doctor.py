# SPDX-License-Identifier: Apache-2.0
"""`narrows doctor`: installed and missing dependencies."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from narrows._internal import core
from narrows._internal.cli.colour import paint
from narrows._internal.cli.command import DONE, SET_UP, Command
from narrows._internal.cli.options import common


class Finding(NamedTuple):
    """One thing that Narrows uses."""

    name: str
    found: str | None
    use: str
    remedy: str = ""


def doctor(arguments: argparse.Namespace) -> int:
    """Print installed and missing dependencies. A missing one is no error: each serves one purpose."""
    from narrows._internal.files.json_objects import to_json

    found = list(findings())
    if arguments.json:
        print(to_json([each._asdict() for each in found]))
        return DONE
    wide = max(len(each.name) for each in found)
    for each in found:
        state = paint("there  ", "good") if each.found else paint("missing", "caution")
        print(f"{state}  {each.name:{wide}}  {each.found or f'for {each.use}: {each.remedy}'}")
    return DONE


def findings() -> Iterator[Finding]:
    """Look for everything that a command or a test of Narrows can use."""
    import platform
    from importlib.metadata import version

    yield Finding("narrows", f"{version('narrows')}, engine {core.fingerprint()[:12]}", "everything")
    yield Finding("python", platform.python_version(), "everything")
    yield _wasm()
    yield _program("browser", BROWSERS, "opening reports and pages", "install Chromium or another browser")
    yield _kernel()
    yield _program("tshark", ("tshark",), "looking into `export pcapng`", "install Wireshark's tshark")
    yield _program("compiler", ("cc", "gcc", "clang"), "`linux build` and a build from source", "install gcc")
    yield _program("cargo", ("cargo",), "algorithms in Rust and a build from source", "install Rust (rustup)")
    yield _program("valgrind", ("valgrind",), "counts of instructions in `make test`", "install valgrind")
    for name, use in PACKAGES.items():
        yield _package(name, use)


def _wasm() -> Finding:
    from importlib.resources import files

    from narrows._internal.browser.page import MODULE, REMEDY, fault

    file = Path(str(files("narrows._internal.browser"))) / MODULE
    problem = fault(file)
    target = "the target is `rustup target add wasm32-unknown-unknown`"
    return Finding("wasm", None if problem else str(file), PLAYGROUND, problem and f"it {problem}; {REMEDY} ({target})")


def _kernel() -> Finding:
    from narrows._internal.linux import cache, library

    kernels = ", ".join(f"linux:{each.name} {each.version}" for each in cache.kernels())
    if kernels and not library.path().is_file():
        return Finding("kernel", None, "`--on linux`", f"{kernels} lacks its network; `narrows linux build` builds it")
    return Finding("kernel", kernels or None, "`--on linux`", "" if kernels else "`narrows linux build`")


def _program(name: str, commands: tuple[str, ...], use: str, remedy: str) -> Finding:
    import shutil

    path = next(filter(None, map(shutil.which, commands)), None)
    return Finding(name, path and f"{path} ({_version(path)})", use, "" if path else remedy)


def _version(path: str) -> str:
    """Return the first line that a program prints about its version."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603  # a program of the user's own path
            [path, "--version"], capture_output=True, text=True, timeout=PATIENT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "it does not start"
    return next(iter((done.stdout or done.stderr).strip().splitlines()), "unknown version")


def _package(name: str, use: str) -> Finding:
    from importlib.metadata import PackageNotFoundError, version

    from narrows._internal.extras import EXTRA_OF, command_for

    try:
        return Finding(name, version(name), use)
    except PackageNotFoundError:
        remedy = command_for(name) if name in EXTRA_OF else f"`pip install {name}`"
        return Finding(name, None, use, remedy)


STUDIES = "`narrows study` and `narrows reproduce`"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")
PACKAGES = {
    "scipy": STUDIES,
    "pydoe": "designs of studies with two levels",
    "duckdb": "`narrows study query`",
    "polars": "`.frame()` in Python",
    "pandas": '`.frame("pandas")` in Python',
    "matplotlib": "`narrows figure`, and `.plot` in Python",
    "distributed": "`--executor dask`",
    "playwright": "the tests of reports in a browser",
}
PATIENT_S = 5
PLAYGROUND = "`narrows playground`"


def _doctor(command: argparse.ArgumentParser) -> None:
    common(command, "json")


COMMANDS = (Command("doctor", "check which optional tools are installed", SET_UP, _doctor, ("doctor",), job=doctor),)
