# SPDX-License-Identifier: Apache-2.0
"""Write the links that scenarios can name: synthetic rates with the statistics of published recordings.

Usage: python crates/scenario/links/make.py [FOLDER]

The recordings themselves are not here: their licences (GPL-3, or none) do not fit the licence of Narrows. Of each only
the statistics below are used: quantiles of the rate in windows of one step, and time constants of its autocorrelation.
A Gaussian process with these time constants is drawn with a fixed seed, and its values are replaced, by rank, by the
quantiles (a Gaussian copula; Cario and Nelson, "Autoregressive to anything", Operations Research Letters 19, 1996).
"""

from __future__ import annotations

import math
import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

# Probabilities of the quantiles below.
PROBABILITIES = (0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)


class Link(NamedTuple):
    """The statistics of a recording."""

    title: str
    source: str
    step_ms: int
    length_s: int
    quantiles_mbps: tuple[float, ...]
    # Parts of the variance of the Gaussian process, and the time constant of each part, s.
    parts: tuple[tuple[float, float], ...]
    # Part of the variance that changes only with the assignment of satellites, and the correlation of two assignments.
    assigned: tuple[float, float] = (0, 0)


MAHIMAHI = "recording {} in ravinet/mahimahi (Netravali et al., USENIX ATC 2015), in windows of 100 ms"
LINKS = {
    "evdo-driving": Link(
        "a 3G (EV-DO) downlink in a car",
        MAHIMAHI.format("Verizon-EVDO-driving.down"),
        100,
        240,
        (0, 0, 0, 0.12, 0.36, 0.72, 1.32, 1.8, 2.64, 7.2),
        ((0.3, 0.05), (0.25, 3), (0.45, 12)),
    ),
    "lte": Link(
        "an LTE downlink",
        MAHIMAHI.format("Verizon-LTE-short.down"),
        100,
        120,
        (0, 0.72, 1.08, 2.4, 4.32, 6.84, 10.32, 12.24, 15.84, 20.64),
        ((0.1, 0.05), (0.9, 3.5)),
    ),
    "lte-driving": Link(
        "an LTE downlink in a car",
        MAHIMAHI.format("ATT-LTE-driving-2016.down"),
        100,
        120,
        (0, 0, 0.24, 1.68, 3.48, 5.64, 9.6, 12.84, 24, 51.12),
        ((0.3, 0.15), (0.7, 2.2)),
    ),
    "5g-driving": Link(
        "a 5G downlink in a car",
        "downloads in a moving car in 5G, dataset uccmisl/5Gdataset (Raca et al., MMSys 2020), a value a second",
        1000,
        600,
        (0, 0, 0.46, 7.23, 17.03, 50.22, 162.21, 222.38, 322.76, 532.9),
        ((0.5, 3), (0.5, 40)),
    ),
    "leo-driving": Link(
        "a downlink over satellites in low orbit, of a terminal on a car",
        "downloads over UDP through Starlink Mobility, dataset Starlink-Project/Satellite-vs-Cellular (Hu et al., "
        "CoNEXT Companion 2023), a value a second; another assignment of satellites at 12, 27, 42 and 57 s of each "
        "minute",
        1000,
        600,
        (0, 0, 0, 51.4, 134, 197, 243, 265, 339, 484),
        ((0.2, 1.5),),
        (0.8, 0.75),
    ),
}
# Seconds of a minute at which satellites are assigned anew are 12 and every 15 s from there on.
FIRST_S, EVERY_S = 12, 15


def process(link: Link, draws: random.Random) -> list[float]:
    """Draw the Gaussian process of a link, a value for each step."""
    steps = link.length_s * 1000 // link.step_ms
    total = [0.0] * steps
    for variance, constant_s in link.parts:
        rho = math.exp(-link.step_ms / 1000 / constant_s)
        value = draws.gauss(0, 1)
        for index in range(steps):
            total[index] += math.sqrt(variance) * value
            value = rho * value + math.sqrt(1 - rho * rho) * draws.gauss(0, 1)
    variance, rho = link.assigned
    value, before = draws.gauss(0, 1), 0
    for index in range(steps):
        assignment = (index * link.step_ms // 1000 - FIRST_S) // EVERY_S
        if assignment != before:
            value, before = rho * value + math.sqrt(1 - rho * rho) * draws.gauss(0, 1), assignment
        total[index] += math.sqrt(variance) * value
    return total


def quantile(link: Link, probability: float) -> float:
    """Return a quantile of the rate, Mbps, linear between the quantiles of the recording."""
    known = zip(PROBABILITIES, link.quantiles_mbps, strict=True)
    for (left, low), (right, high) in pairwise(known):
        if probability <= right:
            return low + (high - low) * (probability - left) / (right - left)
    raise AssertionError(probability)


def text(name: str, link: Link) -> str:
    """Return the file of a link."""
    values = process(link, random.Random(name))  # noqa: S311  # a seed that is fixed, and no secret
    order = sorted(range(len(values)), key=values.__getitem__)
    rates = [0] * len(values)
    for rank, index in enumerate(order):
        rates[index] = round(1000 * quantile(link, (rank + 0.5) / len(order)))
    head = f"# Title: {link.title}\n# Synthetic: drawn by make.py with a fixed seed; no part of a recording.\n"
    rows = "".join(f"{index * link.step_ms},{rate}\n" for index, rate in enumerate(rates))
    return f"{head}# Statistics: {link.source}\ntime_ms,rate_kbps\n{rows}"


def main(folder: Path) -> None:
    """Write all links to a folder."""
    for name, link in LINKS.items():
        (folder / f"{name}.csv").write_text(text(name, link), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent)
