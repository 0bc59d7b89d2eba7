# SPDX-License-Identifier: Apache-2.0
"""Our scenarios in ns-2: the options of `dumbbell.tcl`, and what it measured.

The scenario says everything but which of ns-2's agents stands for a group of flows; `reference.toml` says that.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ns2Error(Exception):
    """ns-2 is absent, failed, or cannot run a scenario."""


def arguments(scenario: Mapping[str, Any], agents: Mapping[str, str]) -> dict[str, str]:
    """Return the options of `dumbbell.tcl`, apart from the seed.

    Args:
        scenario: Ours with one bottleneck, as resolved.
        agents: For each group of flows the agent that runs its algorithm, as `dumbbell.tcl` names it.

    Raises:
        Ns2Error: The scenario has what `dumbbell.tcl` does not know.
    """
    path, transport = scenario["path"], scenario["transport"]
    for flow in scenario["flows"]:
        if transport["preset"] != "ns2" or flow["size"] != "unlimited" or flow["source"] != {"kind": "bulk"}:
            raise Ns2Error(f"dumbbell.tcl knows only endless flows with the preset ns2, which {flow['name']} is not")
        if transport["quick_start_ssthresh"] or flow.get("quick_start_ssthresh"):
            raise Ns2Error("ns-2 knows no approval that ends slow start")
    flows = [flow for flow in scenario["flows"] for _ in range(flow["count"])]
    starts = [[_amount(bound) for bound in flow["start"].split("..")] for flow in flows]
    ssthresh = transport["initial_ssthresh"]
    return {
        "agents": " ".join(agents[flow["name"]] for flow in flows),
        "rate": f"{_amount(path['rate']):.0f}",
        "access_rate": f"{_amount(path['access_rate']):.0f}",
        "rtts": " ".join(f"{_amount(flow['rtt']):.6g}" for flow in flows),
        "packet": f"{_amount(path['packet']):.0f}",
        **_queue(path["queue"]),
        "ecn": str(int(transport["ecn"])),
        "delayed_ack": str(transport["delayed_ack"]),
        "loss": str(path.get("loss", {}).get("rate", 0)),
        "ssthresh": "0" if ssthresh == "infinite" else f"{_amount(ssthresh):.0f}",
        "requests": " ".join(_request(flow.get("quick_start", transport["quick_start"])) for flow in flows),
        "starts": " ".join(f"{start[0]:.6g}" for start in starts),
        "spreads": " ".join(f"{start[-1] - start[0]:.6g}" for start in starts),
        "warmup": f"{_amount(scenario['warmup']):.6g}",
        "end": f"{_amount(scenario['duration']):.6g}",
    }


def simulate(scenario: Mapping[str, Any], agents: Mapping[str, str], seed: int) -> dict[tuple[str, str], float]:
    """Run a scenario once in ns-2.

    Returns:
        Of each group or link and measure the value, in our units: the bottleneck's rates and queue, each group's
        goodput, and Jain's index over all flows.

    Raises:
        Ns2Error: ns-2 is absent or failed, or the scenario has what `dumbbell.tcl` does not know.
    """
    options = {**arguments(scenario, agents), "seed": str(seed)}
    command = [_binary(), str(HERE / "dumbbell.tcl"), *(word for option in options.items() for word in option)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ns-2 and our own words
    # TCP/Linux reports an unknown module only in words, and goes on as Reno.
    if done.returncode or "goodput_bps" not in done.stdout or "rror" in done.stderr + done.stdout:
        raise Ns2Error(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    measured: dict[str, list[float]] = defaultdict(list)
    for line in done.stdout.splitlines():
        if line.startswith("= "):
            _, name, value = line.split()
            measured[name].append(float(value))
    goodputs = measured.pop("goodput_bps")
    groups = [flow["name"] for flow in scenario["flows"] for _ in range(flow["count"])]
    values = {("bottleneck", name): each[0] for name, each in measured.items()}
    for group in agents:
        own = [goodput for goodput, owner in zip(goodputs, groups, strict=True) if owner == group]
        values[group, "goodput_bps"] = sum(own)
    squares = len(goodputs) * sum(goodput**2 for goodput in goodputs)
    values["all", "jain"] = sum(goodputs) ** 2 / squares if squares else math.nan
    return values


def version() -> str:
    """Return the version of ns-2 that is installed."""
    done = subprocess.run(  # noqa: S603  # ns-2 and our own words
        [_binary(), "-"], input="puts [ns-version]", capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _request(rate: str) -> str:
    return "0" if rate == "none" else f"{_amount(rate):.0f}"


def _queue(queue: Mapping[str, Any]) -> dict[str, str]:
    limit = _amount(queue.get("discipline", queue)["limit"])
    if queue["kind"] in {"droptail", "xcp"}:
        # ns-2's DropTail holds one packet less than its limit, and XCP's queue is made of it.
        return {"queue": "DropTail" if queue["kind"] == "droptail" else "XCP", "limit": f"{limit + 1:.0f}"}
    if queue["kind"] == "quick-start" and queue["encoding"] == "rfc4782" and queue["discipline"]["kind"] == "droptail":
        return {
            "queue": "QuickStart",
            "limit": f"{limit + 1:.0f}",
            "threshold": str(queue["threshold"]),
            "share": str(queue["share"]),
            "interval": f"{_amount(queue['interval']):.6g}",
        }
    if queue["kind"] == "drr":
        return {"queue": "DRR", "limit": f"{limit:.0f}"}
    if queue["kind"] == "red" and not queue["adaptive"]:
        return {
            "queue": "RED",
            "limit": f"{limit:.0f}",
            "min": f"{_amount(queue['min'])}",
            "max": f"{_amount(queue['max'])}",
            "max_p": str(queue["max_p"]),
            "weight": str(queue["weight"]),
            "gentle": str(int(queue["gentle"])),
            "wait": str(int(queue["wait"])),
        }
    raise Ns2Error(f"dumbbell.tcl knows no queue {queue}")


def _amount(text: str) -> float:
    """Return a quantity in bps, seconds, bytes or packets."""
    parts = re.fullmatch(r"([\d.]+)([A-Za-z]+)", text)
    if parts is None or parts[2] not in UNITS:
        raise Ns2Error(f"dumbbell.tcl has no unit for {text}")
    return float(parts[1]) * UNITS[parts[2]]


def _binary() -> str:
    found = shutil.which("ns")
    if found is None:
        raise Ns2Error("ns-2 is not installed. On Debian and Ubuntu: apt-get install ns2")
    return found


HERE = Path(__file__).parent

UNITS = {
    "bps": 1.0,
    "kbps": 1e3,
    "Mbps": 1e6,
    "Gbps": 1e9,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "B": 1.0,
    "pkt": 1.0,
}
