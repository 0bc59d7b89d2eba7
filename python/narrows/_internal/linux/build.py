# SPDX-License-Identifier: Apache-2.0
"""The build of a kernel."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.files.system import lock, move_file
from narrows._internal.linux import additions, cache, library, source, tree

# The program, and the package of Debian that has it.
TOOLS = {"make": "make", "gcc": "gcc", "flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils"}


def build(
    given: str | None, name: str, timer_hz: int, jobs: int, say: Callable[[str], None]
) -> tuple[cache.Kernel, bool]:
    """Build a kernel into the cache, unless it is there, and the network that it loads."""
    cache.check(name)
    _check()
    library.check()
    kept = {kernel.name: kernel for kernel in cache.kernels()}.get(name)
    if given is None and kept is not None and kept.is_current and kept.timer_hz == timer_hz and not source.packaged():
        # The kernel is kept, whatever its source; only the network is of another version.
        library.build(say)
        return kept, False
    found = source.find(given)
    say(f"source: {found}")
    text = f"{source.digest(found)} {additions.digest()} {timer_hz}"
    key = hashlib.sha256(text.encode()).hexdigest()
    with _alone(cache.folder() / name, say):
        known = {kernel.name: kernel for kernel in cache.kernels()}
        fresh = name in known and known[name].key == key
        kernel = known[name] if fresh else _compile(found, name, key, timer_hz, jobs, say)
        library.build(say)
    return kernel, not fresh


def _check() -> None:
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    if missing:
        raise InputError("linux", f"the build needs what is missing here; Debian's packages: {' '.join(missing)}")


@contextmanager
def _alone(place: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Let one process at a time build in `place`, and remove the remains of a killed one."""
    with _locked(place, say):
        for left in place.glob(f"{PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        try:
            yield
        except BaseException as error:
            log = place / LOG
            is_named = isinstance(error, InputError) and log.exists() and log.stat().st_size > 0
            if not (place / "linux").exists() and not (place / tree.NAME).exists() and not is_named:
                shutil.rmtree(place, ignore_errors=True)
            raise


@contextmanager
def _locked(place: Path, say: Callable[[str], None]) -> Iterator[None]:
    while True:
        place.mkdir(parents=True, exist_ok=True)
        try:
            file = (place / "lock").open("w")
        except FileNotFoundError:
            # The process that had it has just removed the folder.
            continue
        with file:
            try:
                lock(file, wait=False)
            except BlockingIOError:
                say("another process builds this kernel; waiting for it")
                lock(file)
            if (place / "lock").exists() and (place / "lock").stat().st_ino == os.fstat(file.fileno()).st_ino:
                yield
                return


def _compile(  # noqa: PLR0913, PLR0917  # the inputs of the kernel, and a receiver of messages
    found: Path, name: str, key: str, timer_hz: int, jobs: int, say: Callable[[str], None]
) -> cache.Kernel:
    began = time.monotonic()
    place = cache.folder() / name
    is_new = not (place / tree.NAME).is_dir()
    say("source: unpack, 1.7 GB of disk" if is_new else f"source: the tree of an earlier build, {place / tree.NAME}")
    root = tree.prepare(found, place, key, timer_hz)
    (root / "narrows.config").write_text(additions.configuration(root))
    log = place / LOG
    log.write_text("")
    say("configure")
    _make(root, log, "KCONFIG_ALLCONFIG=narrows.config", "allnoconfig")
    say(f"compile: about 6 minutes of processor time for a whole kernel, {jobs} compilers at a time; log in {log}")
    _make(root, log, f"-j{jobs}", "linux", say=say)
    version = subprocess.run(
        ["make", "-s", "ARCH=um", "kernelversion"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.strip()
    built = (root / ".config").read_text()
    algorithms = {"reno"} | {
        algorithm for option, algorithm in additions.algorithms(root).items() if f"{option}=y" in built
    }
    offered = additions.queues(root).items()
    queues = set(FIFOS).union(*(names for option, names in offered if f"{option}=y" in built))
    shutil.copy(root / "linux", place / "linux.partial")
    move_file(place / "linux.partial", place / "linux")
    if found.is_dir():
        say(f"the objects are kept for the next build of this kernel; to free their 1.7 GB, remove {root}")
    else:
        say("remove what is no longer needed")
        tree.remove(place)
    elapsed_s = round(time.monotonic() - began, 1)
    named = tuple(sorted(algorithms)), tuple(sorted(queues))
    kernel = cache.Kernel(name, version, key, additions.digest(), timer_hz, *named, elapsed_s)
    kernel.save()
    return kernel


def _make(root: Path, log: Path, *arguments: str, say: Callable[[str], None] | None = None) -> None:
    # A fixed user, host and time, so that equal sources give equal kernels.
    environment = os.environ | {
        "KBUILD_BUILD_USER": "narrows",
        "KBUILD_BUILD_HOST": "narrows",
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
    }
    began = time.monotonic()
    with log.open("a") as file:
        process = subprocess.Popen(["make", "ARCH=um", *arguments], cwd=root, stdout=file, stderr=file, env=environment)
        try:
            while (status := _wait(process)) is None:
                if say is not None:
                    compiled = log.read_text(errors="replace").count("\n  CC ")
                    after_s = time.monotonic() - began
                    say(f"  {compiled} files, of about {FILES} of a whole kernel, after {after_s:.0f} s")
        finally:
            # An interrupted build leaves no compiler.
            process.terminate()
            process.wait()
    if status:
        last = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise InputError("linux", f"the kernel cannot be built; the log, {log}, ends with:\n{last}")


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(REPORT_S)
    except subprocess.TimeoutExpired:
        return None


PREFIX = "build-"
LOG = "build.log"
# How many files a kernel with our configuration has; it is for the progress alone.
FILES = 760
REPORT_S = 20.0
# Queue disciplines that every kernel has.
FIFOS = ("bfifo", "pfifo")
