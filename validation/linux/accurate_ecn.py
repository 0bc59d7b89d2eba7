# SPDX-License-Identifier: Apache-2.0
"""Hold the counts of Accurate ECN in the kernel (`TCP_INFO`) against the marks of our queue, packet by packet.

Linux has it since 6.18, so the kernel is one that is named.

Examples:
    narrows linux build --source linux-source-7.3_*.deb --name 7.3
    .venv/bin/python validation/linux/accurate_ecn.py --kernel 7.3          # half a minute of processor time
    .venv/bin/python validation/linux/accurate_ecn.py --kernel 7.3 --write  # also write the table of accurate-ecn.md
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq

from narrows._internal.cli import program
from narrows._internal.linux import cache

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
PAGE = HERE / "accurate-ecn.md"
MARK = "<!-- table -->\n"
LOSS = 'path.loss={ kind = "bernoulli", rate = "0.2%" }'
LOST_ACKS = 'path.reverse.loss={ kind = "bernoulli", rate = "10%" }'
HEADS = (
    "flow",
    "marked by our queue",
    "arrived marked",
    "kernel's receiver",
    "kernel's sender",
    "bytes: arrived",
    "receiver",
    "sender",
    "agree",
)
# What is changed of the scenario, by its name in the table.
ROWS: dict[str, tuple[str, ...]] = {
    "cubic": (),
    "reno": ("flows.flow.algorithm=reno",),
    "dctcp": ("flows.flow.algorithm=dctcp",),
    "bbr1": ("flows.flow.algorithm=bbr1",),
    "dctcp, codel": ("flows.flow.algorithm=dctcp", 'path.queue={ kind = "codel", ecn = true }'),
    "dctcp, 0.2 % of packets lost": ("flows.flow.algorithm=dctcp", LOSS),
    "dctcp, 10 % of acknowledgements lost": ("flows.flow.algorithm=dctcp", LOST_ACKS),
}
# Those that cannot agree: what is counted is ambiguous, as the page explains.
CONTRASTS: dict[str, tuple[str, ...]] = {
    "dctcp, both, without the option": (
        "flows.flow.algorithm=dctcp",
        LOSS,
        LOST_ACKS,
        'linux.sysctl=["net.ipv4.tcp_ecn=3", "net.ipv4.tcp_ecn_option=0"]',
    ),
    "reno, ECN of RFC 3168": ("flows.flow.algorithm=reno", 'linux.sysctl=["net.ipv4.tcp_ecn=1"]'),
}


class Counts(NamedTuple):
    """Marks of a run, in packets, and in bytes where the kernel counts them.

    Attributes:
        queue: Packets that our queue has marked.
        arrived: Packets of data that arrived with a mark.
        arrived_bytes: Their payload.
        receiver: Packets with a mark that the kernel's receiver has counted.
        receiver_bytes: Their payload.
        sender: Packets delivered with a mark that the kernel's sender has counted.
        sender_bytes: Their payload, from the option.
    """

    queue: int
    arrived: int
    arrived_bytes: int
    receiver: int
    receiver_bytes: int
    sender: int
    sender_bytes: int

    @property
    def agree(self) -> bool:
        """Whether all count the packets that arrived with a mark."""
        return self.arrived == self.receiver == self.sender


def main() -> int:
    """Run every row, and print or write the table; return 0 if the counts of `ROWS` agree, else 1."""
    parser = argparse.ArgumentParser(description="hold the counts of Accurate ECN against the marks of our queue")
    parser.add_argument("--kernel", metavar="NAME", default="7.3", help="a kernel that has it (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the table into accurate-ecn.md, beside this file")
    options = parser.parse_args()
    kernel = cache.find(options.kernel)
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: counted(cache.option(kernel.name), sets, Path(folder) / str(number))
            for number, (name, sets) in enumerate({**ROWS, **CONTRASTS}.items())
        }
    lines = [f"| {' | '.join(HEADS)} |", f"|---|{'--:|' * (len(HEADS) - 2)}---|"]
    for name, each in found.items():
        packets = (each.queue, each.arrived, each.receiver, each.sender)
        payload = (each.arrived_bytes, each.receiver_bytes, each.sender_bytes)
        cells = " | ".join(map(str, (*packets, *payload)))
        lines.append(f"| {name} | {cells} | {'yes' if each.agree else '**no**'} |")
    text = "\n".join(lines)
    sys.stdout.write(text + "\n")
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
        stated = f"Kernel {kernel.version}, timer {kernel.timer_hz} Hz.\n\n{text}\n"
        PAGE.write_text(before + MARK + stated + MARK + rest.partition(MARK)[2], encoding="utf-8")
    return int(not all(found[name].agree for name in ROWS))


def counted(on: str, sets: Sequence[str], folder: Path) -> Counts:
    """Run the scenario with changes on a kernel, into a folder, and return the counts."""
    command = ["run", str(HERE / "accurate-ecn-scenario.toml"), "--on", on, "--replications", "1", "--trust", "--quiet"]
    with contextlib.redirect_stdout(sys.stderr):
        status = program.run([*command, "--out", str(folder), *(f"--set={each}" for each in sets)])
    if status:
        sys.exit(status)
    log = pq.read_table(folder / "packets.parquet")
    of = {name: log[name].cast("string") for name in ("place", "event", "kind", "ecn")}
    marked = pc.and_(pc.equal(of["event"], "marked"), pc.equal(of["place"], "bottleneck"))
    came = pc.and_(pc.equal(of["place"], "receiver"), pc.equal(of["event"], "received"))
    came = pc.and_(came, pc.equal(of["ecn"], "ce"))
    printed = (folder / "programs" / f"replication-0-flow-0-{role}.txt" for role in ("server", "client"))
    (received, received_bytes), (delivered, delivered_bytes) = (map(int, each.read_text().split()) for each in printed)
    return Counts(
        queue=pc.sum(marked).as_py(),
        arrived=pc.sum(came).as_py(),
        arrived_bytes=pc.sum(log.filter(came)["payload_bytes"]).as_py() or 0,
        receiver=received,
        receiver_bytes=received_bytes,
        sender=delivered,
        sender_bytes=delivered_bytes,
    )


if __name__ == "__main__":
    sys.exit(main())
