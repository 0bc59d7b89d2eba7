# SPDX-License-Identifier: Apache-2.0
"""Contract: every key of groups of flows, sources, distributions of sizes and records has an effect.

A key without one would mislead. The keys are those of the schema, so a new key needs a trial here. The keys of
`[transport]`, of algorithms and of queues are tried in `crates/lab/tests/effects.rs`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal import core

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATH = """
duration = "5s"
warmup = "1s"
path = { rate = "10Mbps", rtt = "40ms", delay = "5ms" }
[[flows]]
name = "a"
algorithm = "cubic"
[[flows]]
name = "b"
algorithm = "newreno"
start = "1s"
"""
NETWORK = """
duration = "3s"
[network]
rtt = "60ms"
[[network.links]]
from = "A"
to = "B"
rate = "8Mbps"
delay = "3ms"
[[network.links]]
from = "B"
to = "C"
rate = "9Mbps"
delay = "4ms"
[[network.links]]
from = "A"
to = "C"
rate = "10Mbps"
delay = "5ms"
[[flows]]
name = "a"
algorithm = "newreno"
from = "A"
to = "C"
"""


def group(key: str, one: str, other: str) -> tuple[str, tuple[str, ...], str, str]:
    """A key of the first group of the path, with two values."""
    return PATH, (), f"flows.0.{key}={one}", f"flows.0.{key}={other}"


def source(one: str, other: str, *needs: str) -> tuple[str, tuple[str, ...], str, str]:
    """Two sources of the first group, whose transfers have a size."""
    return PATH, ("flows.0.size=30kB", *needs), f"flows.0.source={{{one}}}", f"flows.0.source={{{other}}}"


def application(one: str, other: str) -> tuple[str, tuple[str, ...], str, str]:
    """Two sources of the first group that write without end."""
    return PATH, (), f"flows.0.source={{{one}}}", f"flows.0.source={{{other}}}"


def objects(one: str, other: str) -> tuple[str, tuple[str, ...], str, str]:
    """Two sources of groups of frames that a stack carries."""
    first, second = (f'flows.0.source={{kind="objects",{keys}}}'.replace(",}", "}") for keys in (one, other))
    return PATH, ("flows.0.algorithm=noq:newreno",), first, second


def sizes(one: str, other: str) -> tuple[str, tuple[str, ...], str, str]:
    """Two distributions of the sizes of transfers."""
    return PATH, (ARRIVALS,), f"flows.0.size={{{one}}}", f"flows.0.size={{{other}}}"


def record(key: str, one: str, other: str, *needs: str) -> tuple[str, tuple[str, ...], str, str]:
    """Two values of a key of what is recorded."""
    return PATH, needs, f"record.{key}={one}", f"record.{key}={other}"


def stack(key: str, one: str, other: str, *needs: str) -> tuple[str, tuple[str, ...], str, str]:
    """Two values of a setting of the stack that carries the first group."""
    return PATH, ("flows.0.algorithm=noq:newreno", *needs), f"flows.0.{key}={one}", f"flows.0.{key}={other}"


ARRIVALS = 'flows.0.source={kind="poisson",interval="100ms"}'
USERS = 'kind="users",think="200ms"'
RECORDS = 'kind="flow-records",records="FOLDER/one.records"'
WEB_USERS = 'kind="web",think="200ms",levels=[{size="30kB"},{count=6,size="20kB"}]'
STEPS = 'kind="poisson-steps",intervals=["100ms","30ms"]'
WEB = 'kind="web",median="10kB",sigma=1,tail="10%",minimum="30kB",shape=1.5'
REORDERED = 'path.impairments=[{kind="jitter",delay={kind="uniform",minimum="0ms",maximum="5ms"},reorder=true}]'
LOSSY = 'path.loss={kind="bernoulli",rate="2%"}'
# Each key with a scenario, what else is set, and two values.
TRIALS = {
    "name": group("name", "a", "c"),
    "algorithm": group("algorithm", "cubic", "newreno"),
    "count": group("count", "1", "3"),
    "packet": group("packet", "1500B", "576B"),
    "start": group("start", "0s", "500ms"),
    "stagger": (PATH, ("flows.0.count=3",), "flows.0.stagger=500ms", "flows.0.stagger=1s"),
    "stop": group("stop", "2s", "4s"),
    "lasts": group("lasts", "2s", "4s"),
    "size": group("size", "100kB", "200kB"),
    "rtt": group("rtt", "40ms", "80ms"),
    "direction": group("direction", "forward", "reverse"),
    "from": (NETWORK, (), "flows.0.from=A", "flows.0.from=B"),
    "to": (NETWORK, (), "flows.0.to=C", "flows.0.to=B"),
    "paths": (
        NETWORK,
        ("flows.0.algorithm=noq:newreno",),
        'flows.0.paths=[{via=["B"]},{}]',
        'flows.0.paths=[{via=["B"]},{status="backup"}]',
    ),
    "via": (NETWORK, (), "flows.0.to=C", 'flows.0.via=["B"]'),
    "source": group("source", '{kind="bulk"}', '{kind="onoff",on="1s",off="1s",rate="5Mbps"}'),
    "source[cbr].rate": application('kind="cbr",rate="1Mbps"', 'kind="cbr",rate="2Mbps"'),
    "source[cbr].leaves": application('kind="cbr",leaves="8Mbps"', 'kind="cbr",leaves="7Mbps"'),
    "source[cbr].sharing": (
        PATH,
        ('path.queue={kind="drr"}',),
        'flows.0.source={kind="cbr",leaves="4Mbps",sharing=1}',
        'flows.0.source={kind="cbr",leaves="4Mbps",sharing=3}',
    ),
    "source[onoff].rate": application(
        'kind="onoff",on="1s",off="1s",rate="1Mbps"', 'kind="onoff",on="1s",off="1s",rate="2Mbps"'
    ),
    "source[onoff].on": application(
        'kind="onoff",on="1s",off="1s",rate="1Mbps"', 'kind="onoff",on="2s",off="1s",rate="1Mbps"'
    ),
    "source[onoff].off": application(
        'kind="onoff",on="1s",off="1s",rate="1Mbps"', 'kind="onoff",on="1s",off="2s",rate="1Mbps"'
    ),
    "source[writes].interval": application(
        'kind="writes",interval="200ms",size="20kB"', 'kind="writes",interval="300ms",size="20kB"'
    ),
    "source[writes].whole_packets": application(
        'kind="writes",interval="200ms",size="20kB"', 'kind="writes",interval="200ms",size="20kB",whole_packets=false'
    ),
    "source[writes].size": application(
        'kind="writes",interval="200ms",size="20kB"', 'kind="writes",interval="200ms",size="30kB"'
    ),
    "source[poisson].interval": source('kind="poisson",interval="100ms"', 'kind="poisson",interval="200ms"'),
    "source[poisson].until": source('kind="poisson",interval="100ms"', 'kind="poisson",interval="100ms",until="2s"'),
    "source[poisson].concurrent": source(
        'kind="poisson",interval="10ms"', 'kind="poisson",interval="10ms",concurrent=1'
    ),
    "source[poisson-steps].intervals": source(
        f'{STEPS},times=["0s","2s"]', 'kind="poisson-steps",intervals=["100ms","50ms"],times=["0s","2s"]'
    ),
    "source[poisson-steps].times": source(f'{STEPS},times=["0s","2s"]', f'{STEPS},times=["0s","3s"]'),
    "source[poisson-steps].period": source(f'{STEPS},times=["0s","1s"]', f'{STEPS},times=["0s","1s"],period="2s"'),
    "source[poisson-steps].until": source(f'{STEPS},times=["0s","1s"]', f'{STEPS},times=["0s","1s"],until="3s"'),
    "source[poisson-steps].concurrent": source(f'{STEPS},times=["0s","1s"]', f'{STEPS},times=["0s","1s"],concurrent=1'),
    "source[arrivals].arrivals": application(
        'kind="arrivals",arrivals="FOLDER/one.csv"', 'kind="arrivals",arrivals="FOLDER/other.csv"'
    ),
    "source[arrivals].concurrent": application(
        'kind="arrivals",arrivals="FOLDER/one.csv"', 'kind="arrivals",arrivals="FOLDER/one.csv",concurrent=1'
    ),
    "source[flow-records].records": application(RECORDS, RECORDS.replace("one", "other")),
    "source[flow-records].time": application(RECORDS, f'{RECORDS},time="later"'),
    "source[flow-records].time_unit": application(RECORDS, f'{RECORDS},time_unit="ms"'),
    "source[flow-records].bytes": application(RECORDS, f'{RECORDS},bytes="packets"'),
    "source[flow-records].until": application(RECORDS, f'{RECORDS},until="2s"'),
    "source[flow-records].concurrent": application(RECORDS, f"{RECORDS},concurrent=1"),
    "source[vectors].vectors": application(
        'kind="vectors",vectors="FOLDER/one.cvec"', 'kind="vectors",vectors="FOLDER/other.cvec"'
    ),
    "source[vectors].rtt": application(
        'kind="vectors",vectors="FOLDER/one.cvec"', 'kind="vectors",vectors="FOLDER/one.cvec",rtt="group"'
    ),
    "source[vectors].window": application(
        'kind="vectors",vectors="FOLDER/one.cvec"', 'kind="vectors",vectors="FOLDER/one.cvec",window="group"'
    ),
    "source[vectors].share": application(
        'kind="vectors",vectors="FOLDER/one.cvec"', 'kind="vectors",vectors="FOLDER/one.cvec",share=0.2'
    ),
    "source[users].think": source(USERS, 'kind="users",think="400ms"'),
    "source[users].patience": source(USERS, f'{USERS},patience="50ms"'),
    "source[users].barrier": source(USERS, f"{USERS},barrier=true", "flows.0.count=3"),
    "source[users].until": source(USERS, f'{USERS},until="2s"'),
    "source[users].surges": source(USERS, f'{USERS},surges=[{{from="2s",until="3s",factor=10}}]'),
    "source[video].ladder": application('kind="video"', 'kind="video",ladder=["500kbps","2Mbps"]'),
    "source[video].segment": application('kind="video"', 'kind="video",segment="1s"'),
    "source[video].buffer": application('kind="video",segment="1s"', 'kind="video",segment="1s",buffer="2s"'),
    "source[video].startup": application('kind="video",segment="1s"', 'kind="video",segment="1s",startup="4s"'),
    "source[video].adaptation": application(
        'kind="video",segment="1s",adaptation={kind="throughput"}', 'kind="video",segment="1s",adaptation={kind="bola"}'
    ),
    "source[web].levels": application(WEB_USERS, f"{WEB_USERS.replace('30kB', '60kB')}"),
    "source[web].connections": application(WEB_USERS, f"{WEB_USERS},connections=6"),
    "source[web].streams": application(WEB_USERS, f"{WEB_USERS},streams=1"),
    "source[web].handshakes": application(WEB_USERS, f"{WEB_USERS},handshakes=0"),
    "source[web].think": application(WEB_USERS, WEB_USERS.replace("200ms", "300ms")),
    "source[web].until": application(WEB_USERS, f'{WEB_USERS},until="2s"'),
    "source[responsiveness].connections": application('kind="responsiveness"', 'kind="responsiveness",connections=2'),
    "source[responsiveness].interval": application('kind="responsiveness"', 'kind="responsiveness",interval="200ms"'),
    "source[responsiveness].tls": application('kind="responsiveness"', 'kind="responsiveness",tls=false'),
    "source[call].fps": application('kind="call"', 'kind="call",fps=25'),
    "source[call].minimum": application('kind="call"', 'kind="call",minimum="1Mbps"'),
    "source[call].maximum": application('kind="call"', 'kind="call",maximum="1Mbps"'),
    "source[call].deadline": application('kind="call"', 'kind="call",deadline="10ms"'),
    "source[call].skip": application(
        'kind="call",minimum="100Mbps",maximum="100Mbps"', 'kind="call",minimum="100Mbps",maximum="100Mbps",skip="20ms"'
    ),
    "source[game].fps": application('kind="game"', 'kind="game",fps=50'),
    "source[game].minimum": application('kind="game"', 'kind="game",minimum="10Mbps"'),
    "source[game].maximum": application('kind="game"', 'kind="game",maximum="3Mbps"'),
    "source[game].deadline": application('kind="game"', 'kind="game",deadline="10ms"'),
    "source[game].skip": application(
        'kind="game",minimum="100Mbps",maximum="100Mbps"', 'kind="game",minimum="100Mbps",maximum="100Mbps",skip="20ms"'
    ),
    "source[objects].fps": objects("", "fps=25"),
    "source[objects].bitrate": objects("", 'bitrate="1Mbps"'),
    "source[objects].group": objects("", "group=10"),
    "source[objects].key_frame": objects("", "key_frame=2"),
    "source[objects].deadline": objects('bitrate="20Mbps"', 'bitrate="20Mbps",deadline="100ms"'),
    "source[objects].delivery": objects("", 'delivery="datagrams"'),
    "size[constant].value": sizes('kind="constant",value="10kB"', 'kind="constant",value="20kB"'),
    "size[uniform].minimum": sizes(
        'kind="uniform",minimum="1kB",maximum="20kB"', 'kind="uniform",minimum="9kB",maximum="20kB"'
    ),
    "size[uniform].maximum": sizes(
        'kind="uniform",minimum="1kB",maximum="20kB"', 'kind="uniform",minimum="1kB",maximum="30kB"'
    ),
    "size[exponential].mean": sizes('kind="exponential",mean="10kB"', 'kind="exponential",mean="20kB"'),
    "size[pareto].mean": sizes('kind="pareto",shape=1.5,mean="10kB"', 'kind="pareto",shape=1.5,mean="20kB"'),
    "size[pareto].minimum": sizes('kind="pareto",shape=1.5,minimum="5kB"', 'kind="pareto",shape=1.5,minimum="9kB"'),
    "size[pareto].shape": sizes('kind="pareto",shape=1.5,mean="10kB"', 'kind="pareto",shape=2.5,mean="10kB"'),
    "size[pareto].maximum": sizes(
        'kind="pareto",shape=1.5,minimum="5kB"', 'kind="pareto",shape=1.5,minimum="5kB",maximum="8kB"'
    ),
    "size[normal].mean": sizes(
        'kind="normal",deviation="5kB",mean="10kB"', 'kind="normal",deviation="5kB",mean="20kB"'
    ),
    "size[normal].deviation": sizes(
        'kind="normal",deviation="5kB",mean="20kB"', 'kind="normal",deviation="9kB",mean="20kB"'
    ),
    "size[lognormal].mean": sizes('kind="lognormal",sigma=1,mean="10kB"', 'kind="lognormal",sigma=1,mean="20kB"'),
    "size[lognormal].median": sizes('kind="lognormal",sigma=1,median="10kB"', 'kind="lognormal",sigma=1,median="20kB"'),
    "size[lognormal].sigma": sizes('kind="lognormal",sigma=1,mean="10kB"', 'kind="lognormal",sigma=2,mean="10kB"'),
    "size[web].median": sizes(WEB, WEB.replace('median="10kB"', 'median="5kB"')),
    "size[web].sigma": sizes(WEB, WEB.replace("sigma=1", "sigma=2")),
    "size[web].tail": sizes(WEB, WEB.replace("10%", "50%")),
    "size[web].minimum": sizes(WEB.replace("10%", "50%"), WEB.replace("10%", "50%").replace("30kB", "60kB")),
    "size[web].shape": sizes(WEB.replace("10%", "50%"), WEB.replace("10%", "50%").replace("shape=1.5", "shape=2.5")),
    "size[web].maximum": sizes(WEB.replace("10%", "50%"), WEB.replace("10%", "50%") + ',maximum="40kB"'),
    "size[empirical].values": sizes(
        'kind="empirical",values=["9kB","30kB"],shares=[0.5,1]', 'kind="empirical",values=["9kB","40kB"],shares=[0.5,1]'
    ),
    "size[empirical].shares": sizes(
        'kind="empirical",values=["9kB","30kB"],shares=[0.5,1]',
        'kind="empirical",values=["9kB","30kB"],shares=[0.1,1]',
    ),
    "size[empirical].file": sizes('kind="empirical",file="FOLDER/one.txt"', 'kind="empirical",file="FOLDER/other.txt"'),
    "size[mixture].parts": sizes(
        'kind="mixture",parts=[{share=0.5,of="9kB"},{share=0.5,of="30kB"}]',
        'kind="mixture",parts=[{share=0.1,of="9kB"},{share=0.9,of="30kB"}]',
    ),
    "packet_threshold": stack("packet_threshold", "3", "100", REORDERED),
    "time_threshold": stack("time_threshold", "1.125", "4", LOSSY),
    "initial_rtt": stack("initial_rtt", "20ms", "333ms", "flows.0.rtt=1s"),
    "ack_frequency": stack("ack_frequency", "{threshold=1}", "{threshold=9}"),
    "persistent_congestion_threshold": stack(
        "persistent_congestion_threshold", "1", "3", 'path.loss={kind="bernoulli",rate="40%"}'
    ),
    "stream_receive_window": stack("stream_receive_window", "20kB", "1MB"),
    "connection_receive_window": stack("connection_receive_window", "20kB", "1MB"),
    "send_window": stack("send_window", "5kB", "1MB"),
    "record.interval": record("interval", "100ms", "200ms"),
    "record.flows": record("flows", "all", "none"),
    "record.transfers": record("transfers", "all", "none", "flows.0.size=30kB", ARRIVALS),
    "record.packets": record("packets", "true", "false"),
    "record.packet_limit": record("packet_limit", "100", "200", "record.packets=true"),
    "record.clients": record("clients", "1", "0", f"flows.0.source={{{WEB_USERS}}}"),
    "record.events": record("events", "true", "false"),
    "record.event_limit": record("event_limit", "1", "3"),
    "record.internals": record("internals", "true", "false"),
}
# `compare` alone reads `subject`; `between` has one value, and without it others are needed.
ELSEWHERE = {"subject", "between", "program", "stack"}


def forms(label: str, key: dict[str, Any]) -> Iterator[str]:
    """Yield the keys of each form that a key may have."""
    for form in key["anyOf"]:
        kind = form.get("properties", {}).get("kind", {}).get("const")
        for name in form.get("properties", {}):
            if name != "kind":
                yield f"{label}[{kind}].{name}"


def test_every_key_has_a_trial() -> None:
    schema = json.loads(core.schema())["properties"]
    keys = schema["flows"]["items"]["properties"]
    own = set(keys) - set(schema["transport"]["properties"])
    declared = own | {*forms("source", keys["source"]), *forms("size", keys["size"])}
    declared |= {f"record.{name}" for name in schema["record"]["properties"]}
    assert declared - ELSEWHERE == set(TRIALS)


@pytest.mark.parametrize("key", TRIALS)
def test_a_key_changes_what_is_recorded(tmp_path: Path, key: str) -> None:
    text, needs, one, other = TRIALS[key]
    assert recorded(tmp_path, text, *needs, one) != recorded(tmp_path, text, *needs, other)


def recorded(folder: Path, text: str, *sets: str) -> dict[str, str]:
    """Return the tables of one replication as text, by name."""
    (folder / "one.csv").write_text("".join(f"{0.1 * n:.1f} 20000\n" for n in range(20)), encoding="utf-8")
    (folder / "other.csv").write_text("".join(f"{0.1 * n:.1f} 30000\n" for n in range(20)), encoding="utf-8")
    for name, size in (("one", 9_000), ("other", 30_000)):
        rows = "".join(f"{0.01 * n * n:.2f},{0.05 * n:.2f},{size + n * 100},{n + 1}\n" for n in range(20))
        (folder / f"{name}.records").write_text(f"start,later,bytes,packets\n{rows}", encoding="utf-8")
    (folder / "one.txt").write_text("9000 0.5\n30000 1\n", encoding="utf-8")
    (folder / "other.txt").write_text("9000 0.5\n40000 1\n", encoding="utf-8")
    for name, size in (("one", 30_000), ("other", 60_000)):
        (folder / f"{name}.cvec").write_text(
            "".join(VECTOR.format(start=100_000 * n, size=size) for n in range(10)), encoding="utf-8"
        )
    run = nw.Scenario(text, directory=folder, overrides=[each.replace("FOLDER", str(folder)) for each in sets]).run(
        replications=1, jobs=1
    )
    return {name: str(run.table(name).to_pydict()) for name in dir(run) if name in TABLES}


TABLES = {table["name"] for table in core.tables()}
VECTOR = """\
SEQ {start} 1 9000 800
w 4380 8760
r 90000
l 0.0 0.0
> 400
< {size}
"""
