# SPDX-License-Identifier: Apache-2.0
"""The present simulation speed of this machine, with its other load."""

from __future__ import annotations

import math
import time

from narrows._internal.run.execution import execute
from narrows._internal.run.scenario import load


def hops_per_s(jobs: int) -> float:
    """Return the packet-hops per second of real time of a short scenario that runs `jobs` times at once."""
    # The first run loads what all others need.
    execute([(load(SCENARIO, ["duration=20s"]).resolve(), 0)], 1, None)
    scenario = load(SCENARIO, ["duration=200s"]).resolve()
    began = time.perf_counter()
    records = execute([(scenario, number) for number in range(jobs)], jobs, None)
    took = time.perf_counter() - began
    return math.fsum(each.performance["packet_hops"] for each in records if each is not None) / took


SCENARIO = "two-flows"
