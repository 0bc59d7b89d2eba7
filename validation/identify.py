# SPDX-License-Identifier: Apache-2.0
"""Learns how `narrows identify` compares flows, and judges it with flows of the Linux kernel.

    .venv/bin/python validation/identify.py learn     # from the simulator: python/narrows/_internal/trace/identify.json
    .venv/bin/python validation/identify.py judge     # on the kernel, on noq: validation/identify.json
    .venv/bin/python validation/identify.py table     # of both, into docs/identify.md

Learning: over each of some drawn paths every implementation of every algorithm sends a flow; the path that one of these
flows shows is simulated with all candidates, and each flow has its differences from each candidate. Two flows of one
algorithm are alike although their implementations differ, so each flow of an algorithm with two implementations is
compared once with all candidates and once without its own. Weights, none of them negative, are those that make the
right algorithm nearest (logistic regression over the candidates) and near (over pairs). Limits are quantiles of the
distances of flows on paths that were not learned from, in four parts.

Nothing of the kernel is used in learning. The paths of the judgement are drawn from the same distribution with
other numbers.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from narrows._internal.commands.identifying import recorded, scenario, simulate
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.run.execution import execute
from narrows._internal.run.scenario import Scenario
from narrows._internal.trace.features import NAMES, features
from narrows._internal.trace.identify import (
    CANDIDATES,
    Answer,
    Candidate,
    Model,
    decided,
    differences,
    distance,
    identify,
    lacking,
    learned,
    squashed,
)
from narrows._internal.trace.seen import SeenPath, seen_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows._internal.trace.record import Floats, Flow

    Cache = dict[tuple[SeenPath, float], dict[Candidate, list[Flow]]]

# The paths of learning, and the paths of the judgement.
LEARNED, JUDGED = range(44), range(1000, 1020)
PARTS = 4
SHARE = 0.97
CELL = 6
# Differences below this are of no account, whatever the feature.
FLOOR = 0.04
RIDGE = 3e-3
# Algorithms of two implementations that have one rule: one of them is to be known by the other.
TWO = {"reno", "cubic", "vegas", "westwood", "htcp", "bic", "highspeed", "scalable", "bbr3"}
# Algorithms of one implementation, which is to be known with other endpoints, too.
ONE = {"bbr1", "yeah", "nv"}


class Compared(NamedTuple):
    """A flow of a path, with its differences from each candidate."""

    number: int
    algorithm: str
    differing: Mapping[Candidate, Floats]

    def without(self, candidates: set[Candidate]) -> Compared:
        """Return the same flow without some candidates."""
        return self._replace(differing={each: one for each, one in self.differing.items() if each not in candidates})


def drawn(number: int) -> tuple[SeenPath, float]:
    """Return the path of a number and the duration of its flows, s."""
    random = np.random.default_rng(number)
    rtt = float(np.exp(random.uniform(np.log(0.01), np.log(0.2))))
    rate = float(np.exp(random.uniform(np.log(4e6), np.log(25e6))))
    while rate * rtt / 12000 < 15:  # noqa: PLR2004  # packets, below which a window shows little
        rate *= 1.5
    buffer = max(8, round(float(np.exp(random.uniform(np.log(0.4), np.log(4)))) * rate * rtt / 12000))
    loss = float(10 ** random.uniform(-4.5, -3)) if random.uniform() < 0.15 else 0.0  # noqa: PLR2004  # of the paths
    duration = 60.0 if random.uniform() < 0.6 else 30.0  # noqa: PLR2004  # of the paths
    return SeenPath(rate, rtt, rtt, buffer, overflows=True, loss=loss), duration


def implementations() -> tuple[Candidate, ...]:
    """Return all candidates, and the candidates of `ONE` with other endpoints, too."""
    return (*CANDIDATES, *(Candidate(name, name, "modern") for name in sorted(ONE)))


def flows(number: int) -> dict[Candidate, Flow]:
    """Return a flow of each implementation over the path of a number."""
    path, duration = drawn(number)
    made = implementations()
    scenarios = [Scenario(scenario(each, path, duration, seed=100 + number)).resolve(None, 1) for each in made]
    records = execute([(each, 0) for each in scenarios], None, None)
    return {each: recorded(one) for each, one in zip(made, records, strict=True) if one is not None}


def compared(number: int, observed: Mapping[Candidate, Flow]) -> list[Compared]:
    """Return the flows of a path, compared with the candidates over the path that one of them shows."""
    random = np.random.default_rng(number + 10**6)
    keys = list(observed)
    losing = [each for each in keys if len(observed[each].lost)]
    source = losing if losing and random.uniform() < 0.7 else keys  # noqa: PLR2004  # mostly one that shows the buffer
    path = seen_path(observed[source[random.integers(len(source))]])
    if path is None:
        raise ValueError(f"path {number} is not seen")
    _, duration = drawn(number)
    return against(number, observed, path, simulate(path, duration))


def against(
    number: int, observed: Mapping[Candidate, Flow], path: SeenPath, simulated: Mapping[Candidate, Sequence[Flow]]
) -> list[Compared]:
    """Return flows with their differences from simulated ones, with their own implementation and without it.

    Flows that show another path are left out, as `narrows identify` would simulate that one.
    """
    runs = {
        each: [x for one in several if (x := features(one, path)) is not None] for each, several in simulated.items()
    }
    found = []
    for of, flow in observed.items():
        own, seen = features(flow, path), seen_path(flow)
        if own is None or seen is None or not near(seen, path):
            continue
        whole = Compared(number, of.algorithm, {each: differences(own, x) for each, x in runs.items() if x})
        found.append(whole)
        if of.algorithm in TWO:
            found.append(whole.without({of}))
    return found


def near(seen: SeenPath, path: SeenPath) -> bool:
    """Return whether a path is the simulated one: rates within 1.5 %, buffers within 5 %."""
    rate, buffer = seen.rate_bps / path.rate_bps, seen.buffer_packets / path.buffer_packets
    full = not seen.overflows or abs(np.log(buffer)) < 0.05  # noqa: PLR2004  # as above
    alike = seen.overflows == path.overflows and (seen.loss > 0) == (path.loss > 0)
    return bool(abs(np.log(rate)) < 0.015 and full and alike)  # noqa: PLR2004  # as above


def learn(rows: Sequence[Compared], algorithms: Sequence[str]) -> Model:
    """Return scale and weights that fit flows, without thresholds."""
    place = {name: index for index, name in enumerate(algorithms)}
    rows = [each for each in rows if each.algorithm in place]
    by = [[[d for c, d in each.differing.items() if c.algorithm == name] for name in algorithms] for each in rows]
    right = np.array([place[each.algorithm] for each in rows])
    own = [
        min(each[at], key=lambda d: np.minimum(np.nan_to_num(d, nan=1.0), 5).sum())
        for each, at in zip(by, right, strict=True)
    ]
    scale = np.maximum(np.nanquantile(np.array(own), 0.6, axis=0), FLOOR)
    spread = [[[squashed(d, scale) for d in several] for several in each] for each in by]
    weight, offset = np.full(len(NAMES), 3 / len(NAMES)), 1.0
    for _ in range(3):
        nearest = np.array([[min(several, key=lambda x: x @ weight) for several in each] for each in spread])
        found = minimize(
            _loss, np.r_[weight, offset], (nearest, right), jac=True, method="L-BFGS-B",
            bounds=[(0, None)] * len(NAMES) + [(None, None)], options={"maxiter": 150},
        )  # fmt: skip
        weight, offset = found.x[:-1], found.x[-1]
    return Model(scale, weight)


def _loss(values: Floats, nearest: Floats, right: Floats) -> tuple[float, Floats]:
    """Return the negative log-likelihood of the right algorithm, and of each pair, with the gradient."""
    weight, offset = values[:-1], values[-1]
    count, kinds, _ = nearest.shape
    same = np.zeros((count, kinds), dtype=bool)
    same[np.arange(count), right] = True
    away = nearest @ weight
    odds = np.exp(away.min(axis=1, keepdims=True) - away)
    odds /= odds.sum(axis=1, keepdims=True)
    alike = 1 / (1 + np.exp(away - offset))
    share = np.where(same, 0.5 / count, 0.5 / (count * (kinds - 1)))
    loss = -np.log(odds[same] + 1e-12).mean()
    loss -= (share * np.log(np.where(same, alike, 1 - alike) + 1e-12)).sum()
    slope = (odds - same) / count + share * (alike - same)
    gradient = 2 * RIDGE * weight - np.tensordot(slope, nearest, ((0, 1), (0, 1)))
    return float(loss + RIDGE * weight @ weight), np.r_[gradient, (share * (alike - same)).sum()]


def limited(rows: Sequence[Compared], algorithms: Sequence[str]) -> tuple[dict[str, float], float]:
    """Return `limits` and `near` of a model, from paths that it did not learn from."""
    own: dict[str, list[float]] = {name: [] for name in algorithms}
    behind = []
    for part in range(PARTS):
        model = learn([each for each in rows if each.number % PARTS != part], algorithms)
        for each in rows:
            if each.number % PARTS == part and each.algorithm in own:
                far = far_of(each, model)
                own[each.algorithm].append(far[each.algorithm])
                if len([x for x in each.differing if x.algorithm == each.algorithm]) == COUNT[each.algorithm]:
                    behind.append(far[each.algorithm] - min(far.values()))
    return {name: float(np.quantile(found, SHARE)) for name, found in own.items()}, float(np.quantile(behind, SHARE))


def far_of(row: Compared, model: Model) -> dict[str, float]:
    """Return the distance of a flow from each algorithm."""
    found: dict[str, float] = {}
    for each, one in row.differing.items():
        found[each.algorithm] = min(distance(one, model), found.get(each.algorithm, np.inf))
    return found


def whole(rows: Sequence[Compared], algorithms: Sequence[str]) -> Model:
    """Return what is learned from flows, with limits."""
    limits, behind = limited(rows, algorithms)
    return replace(learn(rows, algorithms), limits=limits, near=behind)


def left_out(rows: Sequence[Compared], model: Model) -> dict[str, float]:
    """Return the share of flows of each algorithm that are of none if it is no candidate, on paths not learned from."""
    none: dict[str, list[bool]] = {name: [] for name in ALGORITHMS}
    for part in range(PARTS):
        learnt = learn([each for each in rows if each.number % PARTS != part], ALGORITHMS)
        own = replace(learnt, limits=model.limits, near=model.near)
        for each in rows:
            if each.number % PARTS == part:
                gone = {one for one in CANDIDATES if one.algorithm == each.algorithm}
                none[each.algorithm].append(not decided(each.without(gone).differing, own).algorithms)
    return {name: round(float(np.mean(found)), 3) for name, found in none.items()}


def judge(number: int, observed: Mapping[str, Flow], model: Model, cache: Cache) -> list[dict[str, Any]]:
    """Return the answers about flows over the path of a number, by the names of the flows."""
    found = []
    for name, flow in observed.items():
        path, lacks = lacking(flow)
        answer = Answer(path=path, lacks=lacks)
        if path is not None and not lacks:
            key = (path, flow.end_s)
            if key not in cache:
                cache[key] = simulate(path, flow.end_s - flow.start_s)
            answer = identify(flow, path, cache[key], model)
        near_ = {each: round(far, 2) for each, far in list(answer.distances.items())[:3]}
        found.append(
            {"path": number, "flow": name, "answer": [*answer.algorithms], "nearest": near_, "lacks": answer.lacks}
        )
    return found


def judged_flows(number: int) -> Iterator[tuple[str, Flow]]:
    """Yield the flows that are judged over the path of a number: of the kernel, and of noq."""
    path, duration = drawn(number)
    for name, on in (*((each, LINUX) for each in KERNEL), *((each, SIMULATOR) for each in STACKS)):
        given = scenario(Candidate(name, name, ""), path, duration, seed=number)
        run = Scenario(given, on=on).resolve(None, 1)
        record = execute([(run, 0)], None, None)[0]
        if record is not None:
            yield (f"linux:{name}" if on == LINUX else name), recorded(record)


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, or judge."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("step", choices=("learn", "judge", "table"))
    step = parser.parse_args(arguments).step
    began = time.process_time()
    if step == "learn":
        rows = [each for number in LEARNED for each in compared(number, flows(number))]
        write_model(whole(rows, ALGORITHMS))
        KEPT_LEFT_OUT.write_text(json.dumps(left_out(rows, learned()), indent=1) + "\n", encoding="utf-8")
    elif step == "judge":
        kept = []
        for number in JUDGED:
            kept += judge(number, dict(judged_flows(number)), learned(), {})
        write_judged(kept)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_tables(page), encoding="utf-8")
    sys.stderr.write(f"{time.process_time() - began:.0f} s of processor time\n")
    return 0


def cell(model: Model) -> float:
    """Return the distance of CUBIC on path `CELL` from CUBIC over the path that it shows, which checks a model."""
    path, duration = drawn(CELL)
    one = next(each for each in CANDIDATES if each.algorithm == "cubic")
    flow = simulate(path, duration, candidates=(one,))[one][0]
    seen = seen_path(flow)
    if seen is None:
        raise ValueError(f"path {CELL} is not seen")
    row = against(CELL, {one: flow}, seen, simulate(seen, duration, candidates=(one,)))[0]
    return distance(row.differing[one], model)


def write_model(model: Model) -> None:
    """Write a model into the package."""
    kept = {
        "features": NAMES,
        "scale": [float(f"{each:.4g}") for each in model.scale],
        "weight": [float(f"{each:.4g}") for each in model.weight],
        "limits": {name: round(far, 3) for name, far in model.limits.items()},
        "near": round(model.near, 3),
    }
    kept["cell"] = {
        "number": CELL,
        "distance": cell(replace(model, scale=np.array(kept["scale"]), weight=np.array(kept["weight"]))),
    }
    MODEL.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    learned.cache_clear()


def write_judged(kept: Sequence[Mapping[str, Any]]) -> None:
    """Write the answers, a line each."""
    lines = ",\n".join(json.dumps(each) for each in kept)
    KEPT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def with_tables(page: str) -> str:
    """Return the page with the tables of the kept results between its marks."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    gone = json.loads(KEPT_LEFT_OUT.read_text(encoding="utf-8"))
    for mark, lines in (("judged", _judged(kept)), ("left out", _gone(gone))):
        before, _, rest = page.partition(f"<!-- {mark} -->\n")
        _, _, after = rest.partition(f"<!-- {mark} -->\n")
        page = f"{before}<!-- {mark} -->\n" + "\n".join(lines) + f"\n<!-- {mark} -->\n{after}"
    return page


def rates(kept: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many answers are of each kind."""
    found = Counter({"flows": len(kept)})
    for each in kept:
        own, answer = EXPECTED.get(each["flow"], each["flow"].partition(":")[2]), each["answer"]
        kind = "undecided" if each["lacks"] else "none" if not answer else "others" if own not in answer else "named"
        found[kind] += 1
        found["alone"] += answer == [own]
        found["nearest"] += next(iter(each["nearest"]), "") == own
    return dict(found)


def _judged(kept: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        "| sender | flows | named | alone | nearest | none | others | undecided | most often beside it or instead |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    linux = [each for each in kept if each["flow"].startswith("linux:")]
    names = list(dict.fromkeys(each["flow"] for each in kept))
    groups = [(f"`{name}`", [each for each in kept if each["flow"] == name]) for name in names]
    for name, rows in [*groups, ("all of the kernel", linux)]:
        found = rates(rows)
        own = EXPECTED.get(rows[0]["flow"], rows[0]["flow"].partition(":")[2])
        beside = Counter(other for each in rows for other in each["answer"] if other != own)
        said = "" if rows is linux else ", ".join(f"{other} {count}" for other, count in beside.most_common(3))
        cells = [found.get(kind, 0) for kind in ("flows", "named", "alone", "nearest", "none", "others", "undecided")]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} | {said} |")
    return lines


def _gone(gone: Mapping[str, float]) -> list[str]:
    mean = sum(gone.values()) / len(gone)
    rows = [f"| {name} | {share * 100:.0f} |" for name, share in {**gone, "mean": mean}.items()]
    return ["| left out | none of these, % |", "|---|--:|", *rows]


HERE = Path(__file__).parent
MODEL = HERE.parent / "python/narrows/_internal/trace/identify.json"
KEPT, KEPT_LEFT_OUT = HERE / "identify.json", HERE / "identify-left-out.json"
COUNT = Counter(each.algorithm for each in CANDIDATES)
ALGORITHMS = tuple(dict.fromkeys(each.algorithm for each in CANDIDATES))
KERNEL = (
    "reno", "cubic", "bbr1", "vegas", "westwood", "htcp", "bic", "hstcp",
    "scalable", "illinois", "veno", "yeah", "hybla", "lp", "nv", "cdg",
)  # fmt: skip
STACKS = ("noq:bbr3",)
# The kernel's name, and LP of Linux, which never gives way: validation/linux/README.md.
EXPECTED = {"linux:hstcp": "highspeed", "linux:lp": "reno"}
PAGE = HERE.parent / "docs/identify.md"
if __name__ == "__main__":
    sys.exit(main())
