# SPDX-License-Identifier: Apache-2.0
"""The behaviour of a flow in numbers that its path scales: windows in bandwidth-delay products, times in round trips.

The numbers describe the distribution of window and queue, each reduction with the growth between two of them, periods,
dips, and the start. Two flows over one path that are governed by one algorithm have nearly the same numbers.
"""

from __future__ import annotations

import math

import numpy as np

from narrows._internal.trace.record import Floats, Flow, Series
from narrows._internal.trace.seen import HEADER, SEGMENT, SeenPath, clusters, greatest_in, mean_in

# Fewer round trips than this after the start show too little.
LEAST_ROUND_TRIPS = 50
START_ROUND_TRIPS = 20
QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
STEPS = (0.005, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 0.995)
BETAS = (0.1, 0.25, 0.5, 0.75, 0.9)
DURATIONS = (0.1, 0.5, 0.9)
LAGS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
STARTS = (6, 8, 12, 16, 24, 32, 48, 64, 96)
CURVE = 10
# Between these points of the curve the growth is a mean.
THIRDS = ((0, 1), (1, 3), (3, 6), (6, 8), (8, 9))

NAMES: tuple[str, ...] = (
    *(f"window {each:g}" for each in QUANTILES),
    *(f"queue {each:g}" for each in QUANTILES),
    "reductions",
    "losses at once",
    *(f"decrease {each:g}" for each in BETAS),
    "spread of decreases",
    *(f"duration {each:g}" for each in DURATIONS),
    *(f"curve {each}" for each in range(CURVE - 1)),
    "spread of curves",
    *(f"growth {each}" for each in range(len(THIRDS))),
    "variation",
    *(f"autocorrelation {each}" for each in LAGS),
    *(f"step {each:g}" for each in STEPS),
    "falls",
    "dips",
    "time in dips",
    "time between dips",
    "trend",
    "window and queue",
    "utilization",
    *(f"start {each}" for each in STARTS),
    "peak of the start",
    "time of the peak",
    "losses of the start",
)


def observed(flow: Flow) -> Series:
    """Return the bytes in flight of a flow, or its window if these are not known."""
    return flow.in_flight if len(flow.in_flight) else flow.window


def features(flow: Flow, path: SeenPath) -> Floats | None:
    """Return the numbers of `NAMES`, of shape (n,); NaN where a flow has none of that kind.

    Args:
        flow: A flow with bytes in flight or a window.
        path: The path that scales it.

    Returns:
        None if the flow has fewer than `LEAST_ROUND_TRIPS` round trips after its start, or no window.
    """
    series = observed(flow)
    segment = flow.segment_bytes or SEGMENT
    step = max(path.least_s, 1e-3)
    duration = flow.end_s - flow.start_s
    if len(series) < LEAST_ROUND_TRIPS or not len(flow.rtt) or duration < LEAST_ROUND_TRIPS * step:
        return None
    window = Series(series.times_s, series.values / segment)
    whole = _Course(flow, path, window, np.arange(flow.start_s, flow.end_s + step, step), segment)
    return None if whole.count < LEAST_ROUND_TRIPS else np.array([*whole.steady(), *whole.start()])


class _Course:
    """The window and the queue of a flow, a value each round trip."""

    def __init__(self, flow: Flow, path: SeenPath, window: Series, edges: Floats, segment: int) -> None:
        self.flow, self.path, self.window, self.segment = flow, path, window, segment
        self.step = float(edges[1] - edges[0])
        self.pipe = path.rate_bps / 8 * path.least_s / (segment + HEADER)
        self.windows, self.times = greatest_in(window, edges), edges[:-1] + self.step / 2
        self.rtt = float(np.median(flow.rtt.values))
        found = clusters(flow.lost.times_s, 2 * self.rtt)
        quarter = flow.start_s + 0.25 * (flow.end_s - flow.start_s)
        began = flow.start_s + START_ROUND_TRIPS * path.least_s
        if len(found) and found[0, 0] < quarter:
            began = max(began, float(found[0, 1]) + 10 * self.rtt)
        self.began = min(began, quarter)
        after = self.times > self.began
        self.after = self.windows[after]
        self.queue = (mean_in(flow.rtt, edges) - path.least_s)[after]
        self.count = len(self.after)
        self.epochs = found[found[:, 0] > self.began]

    def steady(self) -> list[float]:
        after, pipe = self.after, self.pipe
        low = after < 0.5 * np.median(after)
        into = low[1:] & ~low[:-1]
        gaps = np.diff(np.flatnonzero(into))
        falls = (after[8:] < 0.8 * after[:-8]) & (after[7:-1] >= 0.8 * after[:-8])
        deviation = after - after.mean()
        variance = float((deviation**2).mean())
        steps = np.quantile(np.diff(after) / pipe, STEPS)
        together = float(np.corrcoef(after, self.queue)[0, 1]) if variance > 0 and self.queue.std() > 0 else 0.0
        carried = self.flow.delivered
        lasted = self.flow.end_s - self.began
        got = max(float(np.diff(np.interp([self.began, self.flow.end_s], carried.times_s, carried.values))[0]), 1.0)
        possible = lasted * self.path.rate_bps / 8 * self.segment / (self.segment + HEADER)
        return [
            *np.log(np.maximum(np.quantile(after, QUANTILES), 0.5) / pipe),
            *np.log(0.03 + np.maximum(np.quantile(self.queue, QUANTILES), 0) / self.path.least_s),
            math.log((len(self.epochs) + 0.5) / lasted * self.path.least_s * 100),
            float(np.log(self.epochs[:, 2]).mean()) if len(self.epochs) else math.nan,
            *self._decreases(),
            *self._growth(),
            math.log(1e-3 + math.sqrt(variance) / pipe),
            *(self._alike(deviation, variance, lag) for lag in LAGS),
            *(np.sign(steps) * np.log1p(100 * np.abs(steps))),
            math.log(falls.sum() * 100 / self.count + 0.1),
            math.log(0.1 + 100 * into.sum() / self.count),
            float(low.mean()),
            math.log(float(np.median(gaps)) * self.step) if len(gaps) > 1 else math.nan,
            float(np.polyfit(np.linspace(-1, 1, self.count), after / pipe, 1)[0]),
            together,
            math.log(got / possible),
        ]

    def _alike(self, deviation: Floats, variance: float, lag: int) -> float:
        if self.count <= 2 * lag:
            return math.nan
        return float((deviation[:-lag] * deviation[lag:]).mean() / (variance + 1e-4 * self.pipe**2))

    def _decreases(self) -> list[float]:
        found = []
        times, window = self.window.times_s, self.window.values
        rtts = np.interp(self.epochs[:, 0], self.flow.rtt.times_s, self.flow.rtt.values)
        for (first, last, _), rtt in zip(self.epochs, rtts, strict=True):
            a, b, c, d = np.searchsorted(times, [first - 2 * rtt, first, last + rtt, last + 2 * rtt])
            if b > a and d > c:
                found.append(float(np.median(window[c:d]) / max(window[a:b].max(), 1.0)))
        spread = float(np.std(found)) if len(found) > 2 else math.nan  # noqa: PLR2004  # two show no spread
        return [*(np.quantile(found, BETAS) if found else [math.nan] * len(BETAS)), spread]

    def _growth(self) -> list[float]:
        """Return duration and shape of the growth between two reductions, and its rate in packets per round trip."""
        spans = [
            (float(first) + self.rtt, float(last))
            for first, last in zip(self.epochs[:-1, 1], self.epochs[1:, 0], strict=True)
            if last - first - self.rtt > 4 * self.path.least_s
        ]
        if not spans:
            return [math.nan] * (len(DURATIONS) + CURVE + len(THIRDS))
        curves, rates = [], []
        for first, last in spans:
            at = np.linspace(first, last, CURVE)
            curve = np.interp(at, self.times, self.windows)
            rtts = np.interp(at, self.flow.rtt.times_s, self.flow.rtt.values)
            slope = np.diff(curve) * (rtts[1:] + rtts[:-1]) / 2 / ((last - first) / (CURVE - 1))
            curves.append(curve / max(curve[-1], 1.0))
            rates.append([slope[a:b].mean() for a, b in THIRDS])
        rate = np.median(rates, axis=0)
        lasting = [math.log((last - first) / self.path.least_s) for first, last in spans]
        spread = float(np.std(curves, axis=0).mean()) if len(curves) > 2 else math.nan  # noqa: PLR2004  # as above
        return [
            *np.quantile(lasting, DURATIONS),
            *np.median(curves, axis=0)[:-1],
            spread,
            *(np.sign(rate) * np.log1p(np.abs(rate))),
        ]

    def start(self) -> list[float]:
        first = self.windows[:100]
        at = np.array(STARTS) * self.path.least_s + self.flow.start_s
        lost = int((self.flow.lost.times_s <= self.began).sum())
        return [
            *np.log(np.maximum(np.interp(at, self.times, self.windows), 0.5) / self.pipe),
            math.log(max(float(first.max()), 0.5) / self.pipe),
            math.log(1 + int(first.argmax())),
            math.log1p(lost / self.pipe),
        ]
