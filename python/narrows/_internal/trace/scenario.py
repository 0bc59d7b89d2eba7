# SPDX-License-Identifier: Apache-2.0
"""The scenario of a path that a trace shows: its best values, or a draw from its intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from narrows._internal.files.toml import inline
from narrows._internal.trace.account import said
from narrows._internal.trace.estimate import Estimate, Unknown
from narrows._internal.trace.losses import Discipline
from narrows._internal.trace.path import Path
from narrows._internal.trace.record import Flow


@dataclass(frozen=True, slots=True)
class Draw:
    """Where in their intervals the quantities of a path lie.

    Attributes:
        places: A number from 0 (the lower bound) to 1 (the upper) for each quantity by name; a quantity that is not
            named has its best value.
    """

    places: dict[str, float]

    def of(self, name: str, found: Estimate, most: float = math.inf) -> float:
        """Return the value of a quantity, which is at most `most` if its interval has no upper bound."""
        place = self.places.get(name)
        if place is None:
            return found.value
        high = found.high if found.bounded else max(found.value, most)
        return found.low + place * (high - found.low)


BEST = Draw({})
QUANTITIES = ("base", "rate", "buffer", "loss", "policer", "burst", "others")


def latin(count: int, seed: int) -> list[Draw]:
    """Return draws that cover each interval evenly (a Latin hypercube; McKay et al., Technometrics 1979)."""
    random = np.random.default_rng(seed)
    columns = {name: (random.permutation(count) + random.random(count)) / count for name in QUANTITIES}
    return [Draw({name: float(places[each]) for name, places in columns.items()}) for each in range(count)]


def scenario(path: Path, flow: Flow, title: str, draw: Draw = BEST, algorithm: str = "cubic") -> str:
    """Return the scenario file of a path, each value with its interval and its basis."""
    length = max(LEAST_LENGTH_S, flow.end_s - flow.start_s)
    lines = [f"title = {inline(title)}", f'duration = "{length:.6g}s"', 'warmup = "0s"', ""]
    lines += _path(path, draw)
    header = min(max(path.size.full - path.size.segment, LEAST_HEADER), MOST_HEADER)
    lines += ["", "[transport]", f'header = "{header:.0f}B"', *_receive_window(path, flow)]
    lines += ["", "[[flows]]", 'name = "traced"', "subject = true"]
    stated = f"the trace states {flow.controller}" if flow.controller else "of the trace unknown"
    lines += [f"algorithm = {inline(algorithm)}  # {stated}", *_source(path)]
    lines += _others(path, draw)
    return "\n".join(lines) + "\n"


def _path(path: Path, draw: Draw) -> list[str]:
    rate = _rate_bps(path, draw)
    base = max(draw.of("base", path.base_s), LEAST_BASE_S) if isinstance(path.base_s, Estimate) else DEFAULT_BASE_S
    lines = ["[path]", f"# base delay: {said(path.base_s, 's')}", f'rtt = "{base * 1e3:.6g}ms"']
    lines.append(f"# rate of the bottleneck: {said(path.rate.rate_bps, 'bps')}")
    if len(path.rate.rates):
        times, rates = _thinned(path)
        factor = rate / float(np.mean(rates))
        table = {
            "kind": "steps",
            "rates": [_rate(each * factor) for each in rates],
            "times": [f"{each:.6f}s" for each in times],
        }
        lines.append(f"rate = {inline(table)}")
    else:
        lines.append(f'rate = "{_rate(rate)}"')
    lines.append(f'packet = "{_packet_bytes(path):.0f}B"')
    lines += _queue(path, draw, rate, base)
    if isinstance(path.losses.random_loss, Estimate) and path.losses.random_loss.low > 0:
        chance = draw.of("loss", path.losses.random_loss)
        lines.append(f"# losses whatever the queue: {said(path.losses.random_loss, 'share')}")
        lines.append(f'loss = {{ kind = "bernoulli", rate = {chance:.4g} }}')
    impairments = _impairments(path, draw)
    if impairments:
        lines.append(f"impairments = {inline(impairments)}")
    return lines


def _rate_bps(path: Path, draw: Draw) -> float:
    if isinstance(path.rate.rate_bps, Unknown):
        return DEFAULT_BPS
    if path.losses.discipline is Discipline.POLICED and isinstance(path.losses.policed_bps, Estimate):
        return max(path.rate.rate_bps.value, FASTER * path.losses.policed_bps.value)
    return max(LEAST_BPS, draw.of("rate", path.rate.rate_bps, path.rate.rate_bps.value * UNBOUNDED))


def _thinned(path: Path) -> tuple[list[float], list[float]]:
    """Return at most `MOST_STEPS` times and rates, the first at zero."""
    each = max(1, math.ceil(len(path.rate.rates) / MOST_STEPS))
    times = path.rate.rates.times_s[::each].tolist()
    starts = range(0, len(path.rate.rates), each)
    return [0.0, *times[1:]], [float(np.mean(path.rate.rates.values[start : start + each])) for start in starts]


def _queue(path: Path, draw: Draw, rate: float, base: float) -> list[str]:
    found = path.losses.buffer_bytes
    comment = f"# buffer: {said(found, 'bytes')}"
    if path.losses.discipline is Discipline.MANAGED:
        return [
            comment,
            "# The trace does not show which queue management drops so; CoDel is one.",
            'queue = { kind = "codel" }',
        ]
    if isinstance(found, Estimate):
        product = rate * base / 8
        value = draw.of("buffer", found, max(found.value * UNBOUNDED, product))
        if not found.bounded and not draw.places:
            value = max(found.value * UNBOUNDED, product)
        limit = _size(value, path)
    else:
        limit = _size(max(rate * base / 8, FEWEST * path.size.full), path)
    return [comment, f'queue = {{ kind = "droptail", limit = "{limit}" }}']


def _impairments(path: Path, draw: Draw) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    if isinstance(path.losses.policed_bps, Estimate) and isinstance(path.losses.burst_bytes, Estimate):
        rate, burst = draw.of("policer", path.losses.policed_bps), draw.of("burst", path.losses.burst_bytes)
        found.append({"kind": "policer", "rate": _rate(rate), "burst": _size(burst, path)})
    if path.steps:
        total = np.cumsum([0.0, *(step.by_s for step in path.steps)])
        added = total - total.min()
        found.append(
            {
                "kind": "delay-steps",
                "delays": [f"{each * 1e3:.3f}ms" for each in added],
                "times": ["0s", *(f"{step.time_s:.6f}s" for step in path.steps)],
            }
        )
    return found


def _receive_window(path: Path, flow: Flow) -> list[str]:
    limited = path.receiver_limited
    if not isinstance(limited, Estimate) or limited.value < SOME or not len(flow.receive_window):
        return []
    window = float(np.median(flow.receive_window.values))
    what = f"# The receive window was full for {limited.value:.0%} of the time."
    return [what, f'receive_window = "{_size(window, path)}"']


def _source(path: Path) -> list[str]:
    """Return the program of the traced flow: one that always has data, unless it had none for a part of the time."""
    if isinstance(path.goodput_bps, Unknown):
        return []
    limited, lost = path.application_limited, path.losses.random_loss
    if isinstance(limited, Estimate) and limited.value >= SOME:
        why = f"The program had nothing to send for {limited.value:.0%} of the time"
    elif not path.rate.is_seen and isinstance(lost, Estimate) and lost.value == 0:
        why = "The flow never filled the path, and lost nothing: its program or its window limited it"
    else:
        return []
    return [
        f"# {why}; here it writes at its mean rate.",
        f'source = {{ kind = "cbr", rate = "{_rate(path.goodput_bps.value)}" }}',
    ]


def _others(path: Path, draw: Draw) -> list[str]:
    found = path.rate.others_bps
    if not isinstance(found, Estimate) or found.low <= 0:
        return []
    value = draw.of("others", found)
    lines = ["", f"# other load: {said(found, 'bps')}", "[[flows]]", 'name = "others"', "subject = false"]
    if path.rate.responsive and isinstance(path.rate.rate_bps, Estimate):
        own = max(path.rate.rate_bps.value - found.value, LEAST_BPS)
        count = max(1, round(value / own))
        return [
            *lines,
            "# It responds to the flow; the trace does not show of how many flows it is, and of which kind.",
            'algorithm = "cubic"',
            f"count = {count}",
        ]
    return [*lines, f'source = {{ kind = "cbr", rate = "{_rate(value)}" }}']


def _rate(bps: float) -> str:
    """Return a rate that a scenario can have."""
    bps = min(max(bps, LEAST_BPS), MOST_BPS)
    return f"{bps / 1e6:.6g}Mbps" if bps >= MEGA else f"{bps:.0f}bps"


def _size(size: float, path: Path) -> str:
    """Return a size of at least two packets."""
    return f"{min(max(size, 2 * _packet_bytes(path)), MOST_BYTES):.0f}B"


def _packet_bytes(path: Path) -> float:
    """Return the size of a packet of the scenario; offload shows larger ones than a path carries."""
    return min(max(path.size.full, LEAST_PACKET), MOST_PACKET)


LEAST_LENGTH_S = 1.0
LEAST_BASE_S, DEFAULT_BASE_S = 1e-4, 0.04
LEAST_BPS, DEFAULT_BPS, MOST_BPS, MEGA = 1e4, 1e7, 1e12, 1e6
LEAST_PACKET, MOST_PACKET, MOST_BYTES, LEAST_HEADER, MOST_HEADER = 200, 65_000, 1e12, 20, 120
FASTER = 10
UNBOUNDED = 2
"""The factor by which a quantity may exceed its lower bound if the trace gives no upper one."""
MOST_STEPS = 400
SOME = 0.05
FEWEST = 20
