# SPDX-License-Identifier: Apache-2.0
"""Reliability: mutants of foreign files end in seconds, in bounded memory, with results or an error with the file."""

from __future__ import annotations

import json
import multiprocessing
import random
import re
import signal
import struct
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import narrows as nw
from narrows._internal import core
from narrows._internal.files.parquet import read_parquet, write_parquet
from narrows._internal.formats import blocks, headers
from narrows._internal.share.pack import unpack

if TYPE_CHECKING:
    from collections.abc import Callable

SCENARIO = """
duration = "9s"
path = { rate = "10Mbps", rtt = "40ms" }
[[flows]]
algorithm = "cubic"
"""
GRAPH = """
duration = "9s"
network = { rtt = "40ms", graph = { file = "FILE", delay = "5ms" } }
flows = [{ algorithm = "cubic", from = "a", to = "b" }]
"""
MUTANTS, LONGEST_S, LARGEST_MB = 150, 20, 400


def ip() -> bytes:
    return headers.ipv4((0x0A000001, 0x0A000002), headers.UDP, 500, ecn=0, number=0) + bytes(40)


def pcap() -> bytes:
    frames = [bytes(12) + b"\x81\x00\x00\x07\x08\x00" + ip()] * 9 + [
        bytes(12) + b"\x88\x64\x11\x00\x00\x01\x02\x0a\x00\x21" + ip()
    ]
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 16, 1)
    return content + b"".join(
        struct.pack("<IIII", 1000 + at // 4, at % 4 * 250_000, len(frame), 514 + len(frame) - 60) + frame
        for at, frame in enumerate(frames * 3)
    )


def pcapng() -> bytes:
    packets = (blocks.packet(blocks.Seen(0, at * 10**8, ip(), 520, None)) for at in range(30))
    return blocks.section("test") + blocks.interface("eth0", "all") + b"".join(packets)


def iperf3() -> bytes:
    sums = [
        {"sum": {"start": at, "end": at + 1, "seconds": 1.0, "bits_per_second": 1e6, "omitted": False}}
        for at in range(5)
    ]
    start = {"connected": [{"local_host": "10.0.0.1", "remote_host": "10.0.0.2"}], "test_start": {"reverse": 0}}
    return json.dumps({"start": start, "intervals": sums, "end": {}}).encode()


def imported(file: Path) -> object:
    table = file.with_name("rates.csv")
    table.unlink(missing_ok=True)
    return nw.import_rates(file, table)


def table(folder: Path) -> bytes:
    write_parquet(pa.table({"a": [1, 2, 3] * 50, "b": ["x", "y", "z"] * 50}), folder / "sound.parquet")
    return (folder / "sound.parquet").read_bytes()


def archive(folder: Path) -> bytes:
    (folder / "scenario.toml").write_text(SCENARIO)
    nw.load(folder / "scenario.toml").run().save(folder / "run")
    nw.pack(folder / "run", folder / "sound.zip")
    return (folder / "sound.zip").read_bytes()


def opened(file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        unpack(file, Path(folder))


def named(change: str) -> Callable[[Path], object]:
    """Return a reader of a scenario that names the file."""

    def read(file: Path) -> object:
        text = GRAPH.replace("FILE", str(file)) if change == "graph" else SCENARIO
        overrides = [] if change == "graph" else [change.replace("FILE", str(file))]
        return nw.Scenario(text, "scenario.toml", file.parent, overrides).resolve()

    return read


PATTERN = (
    b'{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":"12Mbps","duration":"1s"}},{"TraceBwConfig":'
    b'{"pattern":[["1ms",["2Mbps"]],[{"secs":0,"nanos":5},[{"gbps":0,"bps":7}]]]}}],"count":2}}'
)
VECTORS = b"SEQ 0 1 ID ID\nw 9000 9000\nr 30000\nl 0.0 0.1\nm 1460 1460\n> 500\nt 10\n< 9000\n"
EDGE = '<edge source="a" target="b" label="2xSTM-16"/><edge source="b" target="a"><data key="k">10 Mbps</data></edge>'
KEY = '<key id="k" for="edge" attr.name="rate" attr.type="string"/>'
NODES = '<graph edgedefault="directed"><node id="a"/><node id="b"/>'
READERS: dict[str, tuple[bytes | Callable[[Path], bytes], Callable[[Path], object]]] = {
    "pcap": (pcap(), imported),
    "pcapng": (pcapng(), imported),
    "iperf3": (iperf3(), imported),
    "rates": (
        b"time,Mbps,end\n2026-03-02T10:00:00Z,1.5,2026-03-02T10:00:01Z\n2026-03-02T10:00:01Z,2,2026-03-02T10:00:02Z\n",
        named('path.rate={ kind = "file", file = "FILE" }'),
    ),
    "pattern": (
        PATTERN,
        named('path.rate={ kind = "file", file = "FILE" }'),
    ),
    "trace": (b"1\n2\n5\n9\n", named('path.rate={ kind = "trace", trace = "FILE" }')),
    "delays": (
        b"time_s,delay_ms\n0,25\n1,30\n2,20\n",
        named('path.impairments=[{ kind = "delay-trace", file = "FILE" }]'),
    ),
    "arrivals": (b"0.5 1000\n2.5 2000 # large\n", named('flows.0.source={ kind = "arrivals", arrivals = "FILE" }')),
    "distribution": (b"1000 0.5\n2000 1\n", named('flows.0.size={ kind = "empirical", file = "FILE" }')),
    "vectors": (VECTORS, named('flows.0.source={ kind = "vectors", vectors = "FILE" }')),
    "records": (
        b"start,bytes\n0.5,1000\n2.5,2000\n4,9\n",
        named('flows.0.source={ kind = "flow-records", records = "FILE" }'),
    ),
    "graph": (f"<graphml>{KEY}{NODES}{EDGE}</graph></graphml>".encode(), named("graph")),
    "parquet": (table, read_parquet),
    "archive": (archive, opened),
}
ODD = (
    b"0",
    b"-1",
    b"NaN",
    b"1e999",
    b"1" * 400,
    b"99999999999999999999",
    b"\x00",
    b"\xff\xff\xff\xff",
    b'"',
    b",",
    b"[" * 2000,
)


def mutant(sound: bytes, draw: random.Random) -> bytes:
    """Return a file with one to three changes."""
    content = bytearray(sound)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(content) + 1)
        match draw.randrange(6):
            case 0:
                content[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                content[at : at + draw.randint(1, 8)] = bytes(draw.choice((0, 0x7F, 0xFF)) for _ in range(4))
            case 2:
                del content[at:]
            case 3:
                content[at:at] = draw.choice(ODD)
            case 4:
                end = at + draw.randint(1, 200)
                content[at:at] = content[at:end] * draw.randint(1, 3)
            case _:
                numbers = list(re.finditer(rb"\d+(\.\d+)?", bytes(content)))
                if numbers:
                    chosen = draw.choice(numbers)
                    content[chosen.start() : chosen.end()] = draw.choice(ODD)
    return bytes(content)


def most_mb() -> float:
    """Return the peak memory of this process; on Linux, `ru_maxrss` includes the process that started it."""
    import resource

    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text(encoding="utf-8").partition("VmHWM:")[2].split()[0]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def alone(function: Callable[..., Any], *arguments: object) -> tuple[Any, float]:
    """Return the result of a function in a process of its own, and by how much it raised the peak of its memory."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned) as process:
        # A process has the modules when it has the function.
        before = process.submit(most_mb).result()
        found = process.submit(function, *arguments).result()
        return found, process.submit(most_mb).result() - before


@pytest.mark.skipif(sys.platform == "win32", reason="it has neither these signals nor the memory of a process")
@pytest.mark.parametrize("reader", READERS)
def test_mutants_are_read_or_refused_by_name(reader: str, tmp_path: Path) -> None:
    wrong, grown_mb = alone(faults, reader, tmp_path)
    assert wrong == []
    assert grown_mb < LARGEST_MB


@pytest.mark.skipif(sys.platform == "win32", reason="it has not the memory of a process")
def test_memory_that_is_taken_is_seen_whatever_was_taken_before() -> None:
    assert taken(300_000_000) == 300_000_000
    assert alone(taken, 100_000_000)[1] > 80


def taken(size: int) -> int:
    return len(b"x" * size)


def faults(reader: str, folder: Path) -> list[tuple[int, str]]:
    """Return what is wrong with the end of the reading of each mutant, by its number."""
    sound, read = READERS[reader]
    content = sound if isinstance(sound, bytes) else sound(folder)
    file = folder / f"given.{reader}"
    file.write_bytes(content)
    read(file)

    def late(*_: object) -> None:
        raise TimeoutError(f"not read within {LONGEST_S} s")

    draw, wrong = random.Random(reader), []  # noqa: S311  # mutants are no secret
    known = signal.signal(signal.SIGALRM, late)
    try:
        for number in range(MUTANTS):
            file.write_bytes(mutant(content, draw))
            signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
            found = fault(read, file)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if found is not None:
                wrong.append((number, found))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, known)
    return wrong


def fault(read: Callable[[Path], Any], file: Path) -> str | None:
    """Return the fault in the outcome of a reader; None if it returned, or refused the file by its name."""
    try:
        read(file)
    except (nw.InputError, core.ScenarioError) as error:
        # The ends of a flow may be missing in a graph that differs from the original.
        return (
            None if re.search(rf"{file.name}|flows\.0\.(from|to)\b", str(error)) else f"the file is not named: {error}"
        )
    except (pa.ArrowException, OSError) as error:
        # The caller of `read_parquet` names the table.
        return None if read is read_parquet else repr(error)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is a fault
        return repr(error)
    return None
