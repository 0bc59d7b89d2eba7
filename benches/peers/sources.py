# SPDX-License-Identifier: Apache-2.0
"""Builds simulators that no distribution has, or has only older, from sources that the reader has fetched.

Nothing is fetched here: a folder is given, and what it lacks is said with the repository, and with the commit that was
tried.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class SourceError(Exception):
    """The sources cannot be built; the text says what is missing, and where it comes from."""


class Source(NamedTuple):
    """Where the sources of a simulator are from.

    Attributes:
        option: The option that names the folder.
        repository: Its repository, as an address without its host.
        commit: The commit that was tried.
        file: A file by which its folder is known.
    """

    option: str
    repository: str
    commit: str
    file: str

    def check(self, folder: Path) -> None:
        """Check that a folder holds the sources.

        Raises:
            SourceError: It does not.
        """
        if not (folder / self.file).is_file():
            raise SourceError(
                f"{self.option} {folder}: has no {self.file}; allowed: a folder with the sources of {self.repository} "
                f"on GitHub, of which commit {self.commit} was tried (git clone, then git checkout {self.commit})"
            )


def htsim(sources: Path, driver: Path, program: Path) -> None:
    """Build csg-htsim in its folder, and a driver with it.

    Args:
        sources: Folder of the repository.
        driver: Source of the driver.
        program: The program that is written.

    Raises:
        SourceError: The folder holds other sources, or they do not compile.
    """
    HTSIM.check(sources)
    inside = sources.resolve() / "sim"
    # What it compiles with, without symbols for a debugger and without warnings.
    _make(["make", f"-j{_jobs()}", "-C", str(inside), "CFLAGS=-std=c++11 -O3 -w", "libhtsim.a"], HTSIM)
    flags = ["-std=c++11", "-O3", "-w", f"-I{inside}"]
    _make(["c++", *flags, "-o", str(program), str(driver), str(inside / "libhtsim.a")], HTSIM)


def ns3(sources: Path, driver: Path, program: Path) -> None:
    """Build the modules of ns-3 that a driver needs, in the folder `narrows-build` of the sources, and the driver.

    Args:
        sources: Folder of the repository.
        driver: Source of the driver.
        program: The program that is written.

    Raises:
        SourceError: The folder holds other sources, or they do not compile.
    """
    NS3.check(sources)
    source = sources.resolve()
    build = source / "narrows-build"
    chosen = ["CMAKE_BUILD_TYPE=release", "NS3_ENABLED_MODULES=applications;point-to-point", "NS3_TESTS=OFF"]
    chosen += ["NS3_EXAMPLES=OFF", "NS3_WARNINGS=OFF", "NS3_LOG=OFF", "NS3_ASSERT=OFF"]
    chosen += [f"NS3_OUTPUT_DIRECTORY={build / 'out'}"]
    _make(["cmake", "-S", str(source), "-B", str(build), *(f"-D{each}" for each in chosen)], NS3)
    _make(["cmake", "--build", str(build), "--parallel", str(_jobs())], NS3)
    libraries = sorted((build / "out/lib").glob("libns3*.so"))
    if not libraries:
        raise SourceError(f"{NS3.option} {sources}: the build left no library in {build / 'out/lib'}")
    place = [f"-I{build / 'out/include'}", f"-Wl,-rpath,{build / 'out/lib'}"]
    flags = ["-O3", "-std=c++23", "-w", *place]
    _make(["c++", *flags, "-o", str(program), str(driver), *map(str, libraries)], NS3)


def _make(command: list[str], source: Source) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise SourceError(f"{source.option}: {error.filename} is missing, which builds {source.repository}") from None
    if done.returncode:
        last = "\n".join(done.stderr.splitlines()[-LAST:] or done.stdout.splitlines()[-LAST:])
        raise SourceError(f"{source.option}: {' '.join(command[:3])} … ended with {done.returncode}:\n{last}")


def _jobs() -> int:
    return os.cpu_count() or 1


HTSIM = Source("--htsim", "Broadcom/csg-htsim", "841d9e7", "sim/tcp.cpp")
NS3 = Source("--ns3", "nsnam/ns-3-dev-git", "1406464", "src/point-to-point/CMakeLists.txt")
# Lines of a compiler that are shown.
LAST = 12
