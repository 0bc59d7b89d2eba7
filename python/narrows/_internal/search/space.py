# SPDX-License-Identifier: Apache-2.0
"""Environments: the values that a search varies, on scales of round numbers, and the scenario of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.files.toml import inline
from narrows._internal.plural import counted

if TYPE_CHECKING:
    import random


class Environment(NamedTuple):
    """An environment, by the index of each value on its scale."""

    rate: int  # rate of the bottleneck, in `RATES`
    rtt: int  # round-trip time, in `RTTS`
    buffer: int  # buffer, in `BUFFERS`
    loss: int  # random loss rate, in `LOSSES`
    flows: int  # flows under test, in `FLOWS`
    rivals: int  # flows of the reference beside them, in `RIVALS`
    change: int  # factor of the rate in the second third of the time, in `CHANGES`

    @property
    def bdp_packets(self) -> float:
        """Bandwidth-delay product, packets."""
        return RATES[self.rate] * 1e6 * RTTS[self.rtt] * 1e-3 / PACKET_BITS

    @property
    def buffer_packets(self) -> int:
        """The buffer, packets; two at least."""
        return max(2, round(BUFFERS[self.buffer] * self.bdp_packets))

    @property
    def unusual(self) -> int:
        """Number of values that differ from the plain environment."""
        return sum(value != plain for value, plain in zip(self, PLAIN, strict=True))

    def words(self) -> str:
        """Return the environment in words."""
        parts = [
            f"{RATES[self.rate]:g} Mbps", f"{RTTS[self.rtt]:g} ms", f"{self.buffer_packets} packets of buffer",
            f"{FLOWS[self.flows]} flows under test" if FLOWS[self.flows] > 1 else "one flow under test",
        ]  # fmt: skip
        if LOSSES[self.loss]:
            parts.append(f"{LOSSES[self.loss]:g} % random loss")
        if RIVALS[self.rivals]:
            parts.append(counted(RIVALS[self.rivals], "flow of the reference", "flows of the reference"))
        if CHANGES[self.change] != 1:
            parts.append(f"rate times {CHANGES[self.change]:g} from {FIRST_S} s to {SECOND_S} s")
        return ", ".join(parts)

    def written(self) -> dict[str, Any]:
        """Return the values as plain data."""
        return {
            "rate_bps": RATES[self.rate] * 1e6,
            "rtt_s": RTTS[self.rtt] * 1e-3,
            "buffer_packets": self.buffer_packets,
            "loss": LOSSES[self.loss] / 100,
            "flows": FLOWS[self.flows],
            "rivals": RIVALS[self.rivals],
            "change": CHANGES[self.change],
        }

    def scenario(self, subject: str, reference: str) -> str:
        """Return the scenario file with these algorithms."""
        rate = f"{RATES[self.rate]:g}Mbps"
        factor = CHANGES[self.change]
        changed = {
            "kind": "steps",
            "rates": [rate, f"{RATES[self.rate] * factor:g}Mbps", rate],
            "times": ["0s", f"{FIRST_S}s", f"{SECOND_S}s"],
        }
        lines = [
            f"title    = {inline(self.words())}",
            f'duration = "{DURATION_S}s"',
            f'warmup   = "{WARMUP_S}s"',
            "",
            "[path]",
            f"rate  = {inline(rate if factor == 1 else changed)}",
            f'rtt   = "{RTTS[self.rtt]:g}ms"',
            f'queue = {{ kind = "droptail", limit = "{self.buffer_packets}pkt" }}',
        ]
        if LOSSES[self.loss]:
            lines.append(f'loss  = {{ kind = "bernoulli", rate = "{LOSSES[self.loss]:g}%" }}')
        if factor != 1:
            lines += ["", "[path.reverse]", f'rate = "{max(1.0, factor) * RATES[self.rate]:g}Mbps"']
        if RIVALS[self.rivals]:
            lines += _group(RIVAL, reference, RIVALS[self.rivals], tested=False)
        return "\n".join([*lines, *_group(TEST, subject, FLOWS[self.flows], tested=True)]) + "\n"


def _group(name: str, algorithm: str, count: int, *, tested: bool) -> list[str]:
    lines = ["", "[[flows]]", f'name      = "{name}"', f"algorithm = {inline(algorithm)}", f"count     = {count}"]
    return [*lines, *(["subject   = true"] if tested else []), 'start     = "0s..1s"']


def drawn(random: random.Random) -> Environment:
    """Draw an environment, each value uniformly on its scale."""
    return Environment(*(random.randrange(len(scale)) for scale in SCALES))


def changed(environment: Environment, random: random.Random) -> Environment:
    """Return an environment in which one or two values are a step away, or sometimes anywhere."""
    values = list(environment)
    for place in random.sample(range(len(values)), random.choice((1, 1, 2))):
        last = len(SCALES[place]) - 1
        if random.random() < ANYWHERE:
            values[place] = random.randrange(last + 1)
        else:
            values[place] = min(max(values[place] + random.choice((-1, 1)), 0), last)
    return Environment(*values)


def simpler(environment: Environment) -> Iterator[Environment]:
    """Iterate over the environments with one value closer to the plain environment."""
    for place, plain in enumerate(PLAIN):
        if environment[place] != plain:
            yield Environment(*(plain if index == place else value for index, value in enumerate(environment)))


def place_of(environment: Environment) -> tuple[int, int]:
    """Return the indices of the environment on the map: of its bandwidth-delay product, and of its buffer."""
    product = sum(environment.bdp_packets >= edge for edge in BDP_EDGES)
    share = environment.buffer_packets / environment.bdp_packets
    return product, sum(share >= edge for edge in BUFFER_EDGES)


# Mbps, ms, bandwidth-delay products, per cent.
RATES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
RTTS = (10.0, 20.0, 50.0, 100.0, 200.0, 300.0)
BUFFERS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
LOSSES = (0.0, 0.01, 0.1, 0.3, 1.0, 3.0)
FLOWS = (1, 2, 4, 8)
RIVALS = (0, 1, 2, 4)
CHANGES = (1.0, 0.25, 4.0)
SCALES = (RATES, RTTS, BUFFERS, LOSSES, FLOWS, RIVALS, CHANGES)
# 10 Mbps, 50 ms, one bandwidth-delay product, no loss, one flow, no rivals, no change.
PLAIN = Environment(3, 2, 3, 0, 0, 0, 0)
PACKET_BITS = 12000
DURATION_S, WARMUP_S, FIRST_S, SECOND_S = 30, 5, 12, 21
ANYWHERE = 0.2
TEST, RIVAL = "test", "rival"
# The map. Packets, and parts of the bandwidth-delay product.
BDP_EDGES = (8, 32, 128, 512)
BDP_NAMES = ("below 8 packets", "8 to 32", "32 to 128", "128 to 512", "from 512 packets")
BUFFER_EDGES = (0.2, 0.4, 0.75, 1.5, 3.0, 6.0)
BUFFER_NAMES = ("below 0.2 BDP", "0.2 to 0.4", "0.4 to 0.75", "0.75 to 1.5", "1.5 to 3", "3 to 6", "from 6 BDP")
