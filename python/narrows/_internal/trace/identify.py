# SPDX-License-Identifier: Apache-2.0
"""Which congestion control algorithm governed a flow: a comparison with simulations of each over the path it shows.

The features of the flow (`features.py`) are compared with features of simulated flows. Weights and thresholds are of
`validation/identify.py`, which learns them from flows of the simulator alone, and are kept in `identify.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from importlib.resources import files

import numpy as np

from narrows._internal.frozen import frozen
from narrows._internal.trace.features import LEAST_ROUND_TRIPS, NAMES, START_ROUND_TRIPS, features, observed
from narrows._internal.trace.record import Floats, Flow
from narrows._internal.trace.seen import HEADER, SEGMENT, SeenPath, seen_path


@frozen
class Candidate:
    """An implementation of an algorithm in the simulator."""

    algorithm: str  # the algorithm that it stands for, which is the name of the answer
    name: str  # its name in the simulator
    preset: str  # preset of the endpoints
    counting: str = ""  # how the window counts acknowledgements, if not as the preset does


@frozen
class Model:
    """What was learned from the simulator.

    Attributes:
        scale: Difference of each feature between flows of one algorithm, of shape (n,).
        weight: Weight of each feature in the distance, of shape (n,).
        limits: Distance of each algorithm up to which it fits: 97 % of its own flows are within it.
        near: Distance behind the nearest algorithm up to which others fit, too: 97 % of flows have their own within it.
    """

    scale: Floats
    weight: Floats
    limits: Mapping[str, float] = field(default_factory=dict)
    near: float = 0.0


@frozen
class Answer:
    """Which algorithm governed a flow.

    Attributes:
        algorithms: The algorithms that fit, nearest first; one is an identification, several cannot be distinguished on
            this path, and none means that the flow is of none of those in `distances`.
        distances: Distance of each algorithm, nearest first; empty if the flow shows too little.
        nearest: The implementation that is nearest, for the picture; None without distances.
        next_best: The nearest algorithm that does not fit; None if all fit.
        path: The path over which they were simulated; None if the flow does not show one.
        lacks: Why the flow shows too little for an answer; empty if there is one.
        limits: Distance of each algorithm above which it does not fit.
    """

    algorithms: tuple[str, ...] = ()
    distances: Mapping[str, float] = field(default_factory=dict)
    nearest: Candidate | None = None
    next_best: str | None = None
    path: SeenPath | None = None
    lacks: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        if self.lacks:
            return f"Undecided: {self.lacks}."
        nearest = next(iter(self.distances))
        if not self.algorithms:
            return f"None of these: the nearest, {self._far(nearest)}."
        best = self.algorithms[0]
        after = f"; {self.next_best} is next with {self.distances[self.next_best]:.1f}" if self.next_best else ""
        same = f" {SAME}" if "reno" in self.algorithms else ""
        if len(self.algorithms) == 1:
            return f"{self._far(best)}{after}.{same}"
        named = " and ".join([", ".join(self.algorithms[:-1]), self.algorithms[-1]])
        return f"One of {named}, which this flow does not distinguish: {self._far(best)}{after}. {APART}{same}"

    def _far(self, name: str) -> str:
        return f"{name} is at a distance of {self.distances[name]:.1f}, and {self.limits[name]:.1f} is its limit"


def lacking(flow: Flow) -> tuple[SeenPath | None, str]:
    """Return the path that a flow shows, and the reason why the flow shows too little to be identified, or none."""
    if not len(observed(flow)):
        return None, "the trace has neither bytes in flight nor a window of this flow"
    if not len(flow.rtt):
        return None, "the trace has no round-trip times of this flow"
    path = seen_path(flow)
    if path is None:
        return None, "the flow delivers too little to show the rate of its path"
    return path, _limited(flow) or _short(flow, path)


def _limited(flow: Flow) -> str:
    for spans, what in (
        (flow.application_limited, "its program had nothing to send"),
        (flow.receiver_limited, "its receive window held it back"),
    ):
        if spans is not None and len(spans):
            share = float((spans[:, 1] - spans[:, 0]).sum()) / (flow.end_s - flow.start_s)
            if share > LIMITED:
                return f"for {share:.0%} of its time {what}, and not its congestion control"
    return ""


def _short(flow: Flow, path: SeenPath) -> str:
    count = LEAST_ROUND_TRIPS + START_ROUND_TRIPS
    lasted = (flow.end_s - flow.start_s) / path.least_s
    if lasted < count:
        return f"it lasts {lasted:.0f} round trips, and {count} are needed"
    held = path.rate_bps / 8 * path.least_s / (SEGMENT + HEADER) + path.buffer_packets
    if held < LEAST_PACKETS:
        return f"its path holds {held:.0f} packets with its buffer, and below {LEAST_PACKETS} windows look alike"
    values = observed(flow).values[len(observed(flow)) // 4 :]
    low, high = np.quantile(values, [0.1, 0.9])
    idle = float(np.quantile(flow.rtt.values, 0.95)) < (1 + IDLE) * path.least_s
    if not len(flow.lost) and idle and high - low < IDLE * high:
        return "it has neither a loss nor a queue, and its window does not change, so something else limits it"
    return ""


def identify(flow: Flow, path: SeenPath, simulated: Mapping[Candidate, Sequence[Flow]], model: Model) -> Answer:
    """Compare a flow with simulated ones over the path that it shows.

    Args:
        flow: The flow.
        path: Its path, from `lacking`.
        simulated: Simulated flows over that path, several of each candidate, which differ by chance alone.
        model: What was learned.
    """
    own = features(flow, path)
    runs = {each: [x for one in found if (x := features(one, path)) is not None] for each, found in simulated.items()}
    if own is None or not any(runs.values()):
        return Answer(path=path, lacks="it shows too few round trips after its start")
    return decided({each: differences(own, found) for each, found in runs.items() if found}, model, path)


def decided(differing: Mapping[Candidate, Floats], model: Model, path: SeenPath | None = None) -> Answer:
    """Return the answer that follows from the differences of a flow from each candidate."""
    by_candidate = {each: distance(found, model) for each, found in differing.items()}
    by_algorithm: dict[str, float] = {}
    for each, found in sorted(by_candidate.items(), key=lambda item: item[1]):
        by_algorithm.setdefault(each.algorithm, found)
    nearest = min(by_candidate, key=by_candidate.__getitem__)
    limit = by_candidate[nearest] + model.near
    fitting = tuple(name for name, found in by_algorithm.items() if found <= min(limit, model.limits[name]))
    others = (name for name in by_algorithm if name not in fitting)
    return Answer(fitting, by_algorithm, nearest, next(others, None), path, "", model.limits)


def differences(own: Floats, runs: Sequence[Floats]) -> Floats:
    """Return how far each feature lies outside the range of the runs, of shape (n,); NaN if only one side has it."""
    stacked = np.array(runs)
    known = np.isfinite(stacked)
    low = np.where(known, stacked, np.inf).min(axis=0)
    high = np.where(known, stacked, -np.inf).max(axis=0)
    found = np.maximum(0.0, np.maximum(low - own, own - high))
    missing = np.isnan(own).astype(int) + ~known.any(axis=0)
    return np.select([missing == 2, missing == 1], [0.0, np.nan], found)  # noqa: PLR2004  # both lack it


def squashed(differing: Floats, scale: Floats) -> Floats:
    """Return the logarithm of differences in units of the scale, up to a limit; `ABSENT` where one side has none."""
    return np.where(np.isnan(differing), ABSENT, np.minimum(np.log1p(differing / scale), MOST))


def distance(differing: Floats, model: Model) -> float:
    """Return the distance of a flow from a candidate."""
    return float(squashed(differing, model.scale) @ model.weight)


@cache
def learned() -> Model:
    """Return the model of the package."""
    kept = json.loads((files("narrows._internal.trace") / "identify.json").read_text(encoding="utf-8"))
    if tuple(kept["features"]) != NAMES:
        raise ValueError("identify.json has other features: run validation/identify.py learn")
    return Model(np.array(kept["scale"]), np.array(kept["weight"]), kept["limits"], kept["near"])


def _candidates() -> tuple[Candidate, ...]:
    named = {"highspeed": ("highspeed-linux", "hstcp"), "reno": ("reno-linux", "newreno")}
    both = {
        name: named.get(name, (f"{name}-linux", name))
        for name in ("reno", "cubic", "vegas", "westwood", "htcp", "bic", "highspeed", "scalable")
    }
    papers = ("bbr1", "bbr3", "yeah", "nv", "illinois", "veno", "hybla", "lp", "cdg")
    others = ("bbr3", "copa", "c4", "ledbat", "ledbat-pp", "ctcp", "fast", "vivace")
    linux, modern = "linux", "modern"
    return (
        *(Candidate(name, one, linux) for name, (one, _) in both.items()),
        *(Candidate(name, one, modern) for name, (_, one) in both.items()),
        *(Candidate(name, name, linux) for name in papers),
        # With the constants of Linux, as their cards and validation/linux/README.md have them.
        Candidate("illinois", "illinois(alpha_min=0.296875,window_min=15)", linux),
        Candidate("veno", "veno(rtt=latest,reset=false)", linux),
        Candidate("hybla", "hybla(step=0.125)", linux, "acks"),
        Candidate("cdg", "cdg(tolerance=false,beta=0.7071)", linux),
        *(Candidate(name, name, modern) for name in others),
    )  # fmt: skip


CANDIDATES = _candidates()
APART = "A path with a larger bandwidth-delay product, or a longer trace, separates them."
# validation/linux/README.md has the reason.
SAME = "LP of Linux does the same as Reno."
# Above this share of its time a flow is limited by something else than its congestion control.
LIMITED = 0.3
# The paths from which was learned hold this number of packets or more.
LEAST_PACKETS = 28
IDLE = 0.03
MOST, ABSENT = math.log1p(20), math.log1p(4)
