# SPDX-License-Identifier: Apache-2.0
"""`narrows linux build` and `narrows linux status`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.linux import cache, library
from narrows.linux.build import build as build_kernel

if TYPE_CHECKING:
    import argparse


def build(arguments: argparse.Namespace) -> int:
    """Build a kernel into the user's cache."""

    def say(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr, flush=True)

    kernel, new = build_kernel(arguments.source, arguments.name, arguments.hz, arguments.jobs, say)
    if arguments.json:
        print(json.dumps(_entry(kernel)))
        return DONE
    took = f"built in {kernel.built_s:.0f} s" if new else "there already"
    print(f"linux:{kernel.name} {kernel.version}, {took}: {kernel.program}")
    return DONE


def status(arguments: argparse.Namespace) -> int:
    """Print the kernels that are built."""
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


def _entry(kernel: cache.Kernel) -> dict[str, object]:
    return asdict(kernel) | {"program": str(kernel.program), "current": kernel.is_current}
