# SPDX-License-Identifier: Apache-2.0
"""`narrows linux build`, `narrows linux pack`, `narrows linux get` and `narrows linux status`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.cli.command import DONE, SET_UP, Command
from narrows._internal.cli.options import common, whole

if TYPE_CHECKING:
    from narrows._internal.linux import cache


def build(arguments: argparse.Namespace) -> int:
    """Build a kernel into the user's cache."""
    from narrows._internal.linux.build import build as build_kernel

    said = _say(arguments)
    kernel, new = build_kernel(arguments.source, arguments.name, arguments.hz, arguments.jobs, said)
    if arguments.json:
        print(json.dumps(_entry(kernel)))
        return DONE
    took = f"built in {kernel.built_s:.0f} s" if new else "there already"
    print(f"linux:{kernel.name} {kernel.version}, {took}: {kernel.program}")
    return DONE


def pack(arguments: argparse.Namespace) -> int:
    """Write a kernel into a file, and print its digest as `sha256sum` does."""
    from narrows._internal.linux import archive

    print(f"{archive.pack(arguments.name, arguments.out)}  {arguments.out}")
    return DONE


def get(arguments: argparse.Namespace) -> int:
    """Take a kernel from a file or an address."""
    from narrows._internal.linux import archive

    kernel = archive.take(arguments.file, arguments.sha256, arguments.name, _say(arguments))
    print(f"linux:{kernel.name} {kernel.version}: {kernel.program}")
    return DONE


def status(arguments: argparse.Namespace) -> int:
    """Print the kernels that are built."""
    from narrows._internal.linux import cache, library

    kernels = cache.kernels()
    network = library.path().is_file()
    if arguments.json:
        ready = network and any(each.name == cache.DEFAULT and each.is_current for each in kernels)
        print(json.dumps({"ready": ready, "kernels": [_entry(each) for each in kernels], "network": network}))
        return DONE
    if not kernels:
        print("no kernel is built; `narrows linux build` builds one")
    for each in kernels:
        old = "" if each.is_current else "; of another version of Narrows, build it again"
        print(f"linux:{each.name}  {each.version}, {each.timer_hz} Hz  {', '.join(each.algorithms)}{old}")
    if kernels and not network:
        print("the network is not built for this version of Narrows; `narrows linux build` builds it")
    return DONE


def _say(arguments: argparse.Namespace) -> Callable[[str], None]:
    def say(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr, flush=True)

    return say


def _entry(kernel: cache.Kernel) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(kernel) | {"program": str(kernel.program), "current": kernel.is_current}


def _build(command: argparse.ArgumentParser) -> None:
    what = "kernel source: an archive, Debian package or folder (default: the newest in /usr/src)"
    command.add_argument("--source", metavar="FILE", help=what)
    _name(command, "name of the kernel, for --on linux:NAME")
    what = "timer frequency in Hz (default: %(default)s)"
    command.add_argument("--hz", metavar="N", type=whole(100, 1000), default=250, help=what)
    common(command, "jobs quiet json", jobs="number of parallel compiler processes (default: 2)")
    command.set_defaults(jobs=2)


def _pack(command: argparse.ArgumentParser) -> None:
    _name(command, "name of the kernel")
    command.add_argument("--out", metavar="FILE", type=Path, required=True, help="file to be written")


def _get(command: argparse.ArgumentParser) -> None:
    what = "file that `linux pack` has written, or its address, which begins with https://"
    command.add_argument("file", metavar="FILE", help=what)
    what = "SHA-256 of the file; another file is refused before anything of it is read"
    command.add_argument("--sha256", metavar="DIGEST", required=True, help=what)
    _name(command, "name of the kernel, for --on linux:NAME")
    common(command, "quiet")


def _name(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--name", metavar="NAME", default="default", help=f"{what} (default: %(default)s)")


def _status(command: argparse.ArgumentParser) -> None:
    common(command, "json")


COMMANDS = (
    Command(
        "linux",
        "build, take and list Linux kernels whose TCP runs scenarios in simulated time",
        SET_UP,
        examples=("linux build", "linux status"),
        actions=(
            Command(
                "build",
                "build a kernel, and the network library that it loads, in the user's cache",
                options=_build,
                examples=("linux build --source linux-6.12.tar.xz --name mine",),
                job=build,
            ),
            Command(
                "pack",
                "write a built kernel, and the network library that it loads, into one file",
                options=_pack,
                examples=("linux pack --out kernel.zip",),
                job=pack,
            ),
            Command(
                "get",
                "take a built kernel from a file or an address, by its digest",
                options=_get,
                examples=(f"linux get kernel.zip --sha256 {'0123456789abcdef' * 4}",),
                job=get,
            ),
            Command(
                "status", "list the kernels that are built", options=_status, examples=("linux status",), job=status
            ),
        ),
    ),
)
