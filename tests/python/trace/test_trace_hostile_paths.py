# SPDX-License-Identifier: Apache-2.0
"""Contract: whatever a flow contains, its path is a set of quantities or of reasons, and its scenario is one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some

import narrows as nw
from narrows._internal.trace.estimate import Estimate
from narrows._internal.trace.path import infer
from narrows._internal.trace.record import Data, Flow, Lost, Place, Series, Trace
from narrows._internal.trace.scenario import BEST, latin
from narrows._internal.trace.shown import Shown

TIMES = some.lists(some.floats(0, 100), max_size=120).map(sorted)
AMOUNTS = some.one_of(some.just(0.0), some.floats(0, 1e4), some.floats(0, 1e12))


@some.composite
def series(draw: some.DrawFn, values: some.SearchStrategy[float], *, ascending: bool = False) -> Series:
    times = draw(some.one_of(TIMES, some.integers(0, 300).map(lambda count: [each / 50 for each in range(count)])))
    found = draw(some.lists(values, min_size=len(times), max_size=len(times)))
    return Series(np.array(times), np.array(sorted(found) if ascending else found, dtype=float))


@some.composite
def flows(draw: some.DrawFn) -> Flow:
    data = draw(series(some.floats(1, 1e5)))
    count = len(data)
    lost = draw(series(some.one_of(some.just(math.nan), some.floats(0, 100))))
    limited = draw(some.none() | some.just(np.array([[0.0, 1.0], [2.0, 50.0]])) | some.just(np.empty((0, 2))))
    return Flow(
        name="hostile",
        protocol=draw(some.sampled_from(["TCP", "QUIC", "UDP"])),
        place=draw(some.sampled_from(list(Place))),
        start_s=0.0,
        end_s=draw(some.sampled_from([0.0, 1e-9, 1.0, 100.0])),
        segment_bytes=draw(some.sampled_from([0, 1, 1448, 10**6])),
        header_bytes=draw(some.sampled_from([math.nan, 0.0, 40.0])),
        data=Data(data.times_s, data.values, np.cumsum(data.values), np.zeros(count, dtype=np.bool_)),
        delivered=draw(series(AMOUNTS, ascending=True)),
        rtt=draw(series(some.one_of(some.floats(0, 1), some.floats(0, 1e3), some.just(0.0)))),
        smoothed=draw(some.booleans()),
        least_rtt_s=draw(some.sampled_from([math.nan, 0.0, 0.01])),
        in_flight=draw(series(AMOUNTS)),
        receive_window=draw(series(AMOUNTS)),
        lost=Lost(lost.times_s, lost.values, np.array([draw(some.booleans())] * len(lost), dtype=np.bool_)),
        application_limited=limited,
        receiver_limited=limited,
        handshake_rtt_s=draw(some.sampled_from([math.nan, 0.0, 0.05])),
    )


@settings(max_examples=400, deadline=None)
@given(flows())
def test_every_flow_has_a_path_or_reasons(flow: Flow) -> None:
    path = infer(flow)
    shown = Shown(Trace(Path("hostile"), "test", (flow,)), flow, path)
    for each in (path.base_s, path.rate.rate_bps, path.losses.buffer_bytes, path.losses.random_loss, path.queue_s):
        if isinstance(each, Estimate):
            assert 0 <= each.low <= each.value <= each.high, each
            assert math.isfinite(each.value)
    assert shown.rows
    assert shown.as_json()
    for draw in (BEST, *latin(2, seed=1)):
        nw.Scenario(shown.drawn(draw)).check()
