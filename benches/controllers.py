# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of runs of one rule inside, in a native library, and in WebAssembly.

Valgrind counts whole runs of one flow of NewReno, which is acknowledged for each packet. The compiled rules are those
of `crates/abi/tests`, which send the same packets.

Examples:
    python3 benches/controllers.py    # exit status 1 if native takes over 1.2, or wasm over 3 times the rule inside
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from instructions import build, count

TESTS = Path(__file__).resolve().parents[1] / "crates/abi/tests"
INCLUDE = TESTS.parent / "include"
WASM = ["--target", "wasm32-unknown-unknown", "-C", "link-arg=--export-table"]
MOST = {"native": 1.2, "wasm": 3.0}
SCENARIO = """\
title = "One flow"
duration = "20s"

[path]
rate = "100Mbps"
rtt = "50ms"
queue = { kind = "droptail", limit = "1bdp" }

[transport]
preset = "ns2"  # SACK, an acknowledgement for each packet

[[flows]]
algorithm = "%s"
"""


def main() -> int:
    """Count and compare.

    Returns:
        0; 1 if a ratio is above what is allowed.
    """
    program = build()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        native, module = folder / "libnewreno.so", folder / "newreno.wasm"
        flags = ["-shared", "-fPIC", "-O2", "-ffp-contract=off", f"-I{INCLUDE}"]
        subprocess.run(["cc", *flags, "-o", native, TESTS / "newreno.c", "-lm"], check=True)  # noqa: S603, S607
        rust: list[str | Path] = ["rustc", "--edition", "2024", "-O", "--crate-type", "cdylib", *WASM]
        subprocess.run([*rust, "-o", module, TESTS / "newreno.rs"], check=True)  # noqa: S603
        counts = {}
        for kind, algorithm in {"inside": "newreno", "native": native, "wasm": module}.items():
            scenario = folder / f"{kind}.toml"
            written = algorithm if kind == "inside" else f"{algorithm}:newreno"
            scenario.write_text(SCENARIO % written, encoding="utf-8")
            counts[kind] = count(program, scenario)
    worse = False
    for kind, each in counts.items():
        ratio = each.instructions / counts["inside"].instructions
        worse |= ratio > MOST.get(kind, ratio)
        per = each.instructions / each.packet_hops
        sys.stdout.write(f"{kind}: {per:.0f} instructions per packet-hop, {ratio:.2f} times the rule inside\n")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
