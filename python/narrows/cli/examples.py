# SPDX-License-Identifier: Apache-2.0
"""What the pages of `--help` have beside the arguments: the groups of the commands, and examples of each."""

from __future__ import annotations

import argparse
import shutil
from functools import cache

GROUPS = {
    "Run scenarios": ("run", "compare", "check", "playground"),
    "Ask a question of an algorithm or queue": ("matrix", "deploy", "suite", "ab", "worst"),
    "Design experiments, and repeat published ones": ("study", "reproduce"),
    "Read and hand on results": ("report", "figure", "why", "export", "import", "pack", "verify"),
    "Look up": ("list", "show", "schema", "man"),
    "Add something of your own": ("new",),
    "Set up": ("doctor", "linux", "completion"),
}
EXAMPLES = {
    "": ("run two-flows", "compare cubic bbr3 --scenario call", "run --help"),
    "run": (
        "run two-flows --replications 5",
        "run wi-fi --set path.rate=20Mbps --set 'path.queue=fq-codel' --out wifi",
    ),
    "compare": (
        "compare cubic bbr3 --scenario two-flows --replications 5",
        "compare cubic --vary path.queue=droptail,fq-codel --scenario home",
        "compare cubic ./mine.py:Mine './mine.py:Mine(a=2)'",
    ),
    "check": ("check two-flows --set path.rtt=80ms",),
    "playground": ("playground two-flows --out page.html",),
    "matrix": ("matrix cubic bbr3 newreno --rates 10Mbps --buffers 1bdp,4bdp",),
    "deploy": ("deploy bbr3 --against cubic --fractions 5,50,95",),
    "suite": ("suite rfc9743 ./mine.py:Mine --rows 5.1 --out annex", "suite aqm 'codel(target=10ms)'"),
    "ab": ("ab cubic 'cubic(beta=0.72)'", "ab cubic ./mine.py:Mine --suite rfc9743 --margin 2%"),
    "worst": ("worst ./mine.py:Mine --budget 2min", "worst bbr3 --against cubic --budget 200"),
    "study": ("study run study.toml --out results", "study query results 'select avg(goodput_bps) from cells'"),
    "study run": (
        "study run study.toml --out results",
        "study run study.toml --size full --jobs 2",
        "study run study.toml --shard 3/7 --out shards/3",
    ),
    "study resume": ("study resume results", "study resume results --retry"),
    "study merge": ("study merge shards/* --out results",),
    "study status": ("study status results --json",),
    "study query": ("study query results 'select algorithm, avg(goodput_bps) from cells group by all'",),
    "study replay": ("study replay results 73c16e32",),
    "study check": ("study check study.toml",),
    "reproduce": ("reproduce --list", "reproduce bansal-2001 --quick", "reproduce ./mine --out results"),
    "report": ("report runs/mine", "report runs"),
    "why": ("why runs/mine --flow 'cubic[0]'", "why runs/mine --flow 'cubic[0]' --at 12.3s"),
    "export": ("export pcapng runs/mine --at sender --at receiver",),
    "export pcapng": ("export pcapng runs/mine --at sender --at receiver",),
    "export csv": ("export csv runs/mine --out tables",),
    "export qlog": ("export qlog runs/mine",),
    "figure": ("figure runs/mine", "figure runs/mine cwnd --out cwnd.pdf"),
    "import": ("import capture.pcapng --from 10.0.0.1 --out rates.csv", "import iperf3.json --out rates.csv"),
    "pack": ("pack runs/mine --out mine.zip",),
    "verify": ("verify mine.zip",),
    "list": ("list algorithms", "list scenarios --json"),
    "show": ("show cubic", "show call > mine.toml"),
    "schema": ("schema > scenario.schema.json",),
    "man": ("man | man -l -",),
    "new": (
        "new algorithm mine",
        "new algorithm mine --rust",
        "new algorithm mine --c",
        "new algorithm mine --wasm",
        "new claims mine",
    ),
    "doctor": ("doctor",),
    "linux": ("linux build", "linux status"),
    "linux build": ("linux build --source linux-6.12.tar.xz --name mine",),
    "linux status": ("linux status",),
    "completion": ("completion bash > narrows.bash",),
}


class Help(argparse.HelpFormatter):
    """Pages of help whose epilog keeps its lines."""

    def __init__(self, prog: str) -> None:
        """Take the width of the terminal, which argparse asks for anew at every argument."""
        super().__init__(prog, width=_width())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


@cache
def _width() -> int:
    return shutil.get_terminal_size().columns - 2


def examples(path: str) -> str:
    """Return the part with the examples of a command, empty for one without.

    Args:
        path: The words that call it; empty for the first page.
    """
    lines = [f"  narrows {each}" for each in EXAMPLES.get(path, ())]
    return "\n".join(["examples:", *lines] if lines else [])
