# SPDX-License-Identifier: Apache-2.0
"""`narrows identify`: its rules, simulated flows that it names, the judgement by the kernel, and the command."""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import narrows as nw
from narrows._internal.cli import main
from narrows._internal.commands import identifying
from narrows._internal.trace import identify
from narrows._internal.trace.features import NAMES, features
from narrows._internal.trace.identify import ABSENT, MOST, Candidate, Model, decided, lacking, learned
from narrows._internal.trace.record import Flow, Lost, Place, Series, Trace
from narrows._internal.trace.seen import GRID, SeenPath, clusters, seen_path
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = SeenPath(rate_bps=8e6, rtt_s=0.03, least_s=0.0315, buffer_packets=30, overflows=True, loss=0.0)
DURATION_S = 20.0
KNOWN = ("cubic", "reno", "bbr1", "vegas")


@pytest.fixture(scope="module")
def validation() -> Any:
    """Load validation/identify.py, which is no package."""
    pytest.importorskip("scipy")
    spec = spec_from_file_location("validation_identify", HOUSE / "validation/identify.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["validation_identify"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def flows() -> Mapping[str, Flow]:
    """Simulate a flow of each of some algorithms, with a seed that no candidate has."""
    chosen = [next(each for each in identify.CANDIDATES if each.algorithm == name) for name in KNOWN]
    simulated = identifying.simulate(replace(PATH, buffer_packets=31), DURATION_S, 2, chosen)
    return {each.algorithm: found[0] for each, found in simulated.items()}


def sawtooth(low: float, high: float, period_s: float) -> Flow:
    """Return a flow over a path of 1000 packets/s and 100 ms whose window grows from `low` to `high` packets."""
    times = np.arange(0, 40, 0.01)
    window = low + (high - low) * (times % period_s) / period_s
    rtts = np.maximum(0.1, window / 1000)
    lost = np.arange(period_s, 40, period_s)
    delivered = np.cumsum(window / rtts * 0.01) * 1448
    none = np.full(len(lost), np.nan)
    return Flow(
        name="sawtooth", protocol="TCP", place=Place.SENDER, start_s=0.0, end_s=40.0, segment_bytes=1448,
        delivered=Series(times, delivered), rtt=Series(times, rtts), in_flight=Series(times, window * 1448),
        lost=Lost(lost, none, np.zeros(len(lost), dtype=np.bool_)),
    )  # fmt: skip


def test_the_path_of_a_sawtooth_is_seen() -> None:
    path = seen_path(sawtooth(100, 200, 4.0))
    assert path is not None
    assert path.rate_bps == pytest.approx(1000 * 1500 * 8, rel=GRID - 1)
    assert path.rtt_s == pytest.approx(0.099, rel=GRID - 1)
    assert path.buffer_packets == pytest.approx(100, rel=0.02)
    assert path.overflows
    assert path.loss == 0


def test_features_of_a_sawtooth_are_its_own() -> None:
    flow = sawtooth(100, 200, 4.0)
    path = seen_path(flow)
    assert path is not None
    values = features(flow, path)
    assert values is not None
    found = dict(zip(NAMES, values, strict=True))
    # 100 packets in 4 s at a mean round trip of 150 ms; the window halves, and 40 least round trips pass.
    assert np.expm1(found["growth 2"]) == pytest.approx(100 / 4 * 0.15, rel=0.1)
    assert found["decrease 0.5"] == pytest.approx(0.5, abs=0.05)
    assert np.exp(found["duration 0.5"]) == pytest.approx(38.5, rel=0.05)


def test_losses_without_a_gap_are_one_event() -> None:
    assert clusters(np.array([1.0, 1.1, 1.2, 5.0]), 0.5).tolist() == [[1.0, 1.2, 3.0], [5.0, 5.0, 1.0]]


def test_a_difference_is_the_distance_from_the_range_of_the_runs() -> None:
    nan = float("nan")
    own = np.array([1.0, 5.0, 0.0, nan, 2.0, nan])
    runs = [np.array([0.0, 1.0, 2.0, 1.0, nan, nan]), np.array([3.0, 2.0, 3.0, 1.0, nan, nan])]
    found = identify.differences(own, runs)
    np.testing.assert_array_equal(found, [0.0, 3.0, 2.0, nan, nan, 0.0])
    squashed = identify.squashed(found, np.ones(6))
    np.testing.assert_allclose(squashed, [0, np.log(4), np.log(3), ABSENT, ABSENT, 0])
    assert identify.squashed(np.array([1e9]), np.ones(1))[0] == MOST


def test_an_answer_names_all_that_fit_and_none_beyond_its_limit() -> None:
    one, other, third = (Candidate(name, name, "linux") for name in ("cubic", "bic", "vegas"))
    model = Model(np.ones(1), np.ones(1), {"cubic": 1.0, "bic": 2.0, "vegas": 2.0}, near=0.5)
    at = {name: np.array([np.expm1(far)]) for name, far in (("near", 0.3), ("also", 0.7), ("far", 2.5))}
    both = decided({one: at["near"], other: at["also"], third: at["far"]}, model)
    assert both.algorithms == ("cubic", "bic")
    assert both.next_best == "vegas"
    assert "does not distinguish" in both.sentence
    alone = decided({one: at["near"], third: at["far"]}, model)
    assert alone.algorithms == ("cubic",)
    assert alone.sentence.startswith("cubic is at a distance of 0.3")
    none = decided({one: at["far"], other: at["far"]}, model)
    assert none.algorithms == ()
    assert none.sentence.startswith("None of these: the nearest, ")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"in_flight": Series()}, "neither bytes in flight nor a window"),
        ({"rtt": Series()}, "no round-trip times"),
        ({"delivered": Series()}, "too little"),
        ({"application_limited": np.array([[0.0, 20.0]])}, "for 50% of its time its program had nothing to send"),
        ({"receiver_limited": np.array([[0.0, 20.0]])}, "its receive window held it back"),
        ({"end_s": 5.0}, "50 round trips, and 70 are needed"),
    ],
)
def test_a_flow_that_shows_too_little_is_not_named(changed: dict[str, Any], reason: str) -> None:
    flow = replace(sawtooth(100, 200, 4.0), **changed)
    assert reason in lacking(flow)[1]
    found = identifying.identified(flow)
    assert found.answer.algorithms == ()
    assert reason in found.answer.sentence


def test_a_constant_window_without_a_queue_is_not_named() -> None:
    flow = replace(sawtooth(60, 60, 4.0), lost=Lost())
    assert "something else limits it" in lacking(flow)[1]


def test_a_path_of_a_few_packets_is_not_judged() -> None:
    assert f"below {identify.LEAST_PACKETS} windows look alike" in lacking(_narrow())[1]


def test_the_first_part_of_a_long_flow_is_compared() -> None:
    part = identifying.beginning(sawtooth(100, 200, 4.0), 20.0)
    assert part.end_s == 20.0
    assert part.rtt.times_s[-1] < 20.0
    assert len(part.lost) == 4
    assert len(part.delivered) == len(part.in_flight) == 2000


def _narrow() -> Flow:
    flow = sawtooth(8, 16, 4.0)
    rtts = flow.in_flight.values / 1448 / 80
    return replace(
        flow,
        rtt=Series(flow.rtt.times_s, np.maximum(0.1, rtts)),
        delivered=Series(flow.rtt.times_s, flow.rtt.times_s * 80 * 1448),
    )


@pytest.mark.parametrize("name", KNOWN)
def test_a_simulated_flow_is_named(flows: Mapping[str, Flow], name: str) -> None:
    found = identifying.identified(flows[name], 2)
    assert name in found.answer.algorithms
    assert found.nearest is not None


def test_an_algorithm_without_candidates_is_nearest_to_none(flows: Mapping[str, Flow]) -> None:
    path = lacking(flows["bbr1"])[0]
    assert path is not None
    others = [each for each in identify.CANDIDATES if each.algorithm in {"reno", "cubic", "vegas"}]
    simulated = identifying.simulate(path, DURATION_S, 2, others)
    assert identify.identify(flows["bbr1"], path, simulated, learned()).algorithms == ()


def test_a_cell_of_what_was_learned_is_computed_again(validation: Any) -> None:
    kept = json.loads(validation.MODEL.read_text(encoding="utf-8"))["cell"]["distance"]
    assert validation.cell(learned()) == pytest.approx(kept, abs=1e-6)


def test_the_page_has_the_kept_results(validation: Any) -> None:
    page = validation.PAGE.read_text(encoding="utf-8")
    assert validation.with_tables(page) == page


def test_the_rates_of_the_page_are_those_of_the_kept_results(validation: Any) -> None:
    kept = json.loads(validation.KEPT.read_text(encoding="utf-8"))
    found = validation.rates([each for each in kept if each["flow"].startswith("linux:")])
    decided_ = found["flows"] - found["undecided"]
    said = f"{found['named']} of {decided_} ({found['named'] / decided_ * 100:.1f} %)"
    assert said in validation.PAGE.read_text(encoding="utf-8").replace("\n", " ")


@pytest.fixture
def read(flows: Mapping[str, Flow], monkeypatch: pytest.MonkeyPatch) -> None:
    """Read simulated flows in place of a file."""
    monkeypatch.setattr(identifying, "read", lambda file: Trace(file, "simulated", (flows["cubic"],)))


@pytest.mark.usefixtures("read")
def test_it_names_the_algorithm_and_draws_the_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "evidence.svg"
    assert main(["identify", "trace.pcap", "--svg", str(picture), "--jobs", "2"]) == 0
    assert "cubic is at a distance of" in " ".join(capsys.readouterr().out.split())
    drawn = ET.fromstring(picture.read_text(encoding="utf-8"))  # noqa: S314  # written above
    assert "simulated" in "".join(drawn.itertext())


@pytest.mark.usefixtures("read")
def test_json_has_the_distances(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "trace.pcap", "--json", "--jobs", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "cubic" in found["algorithms"]
    assert found["path"]["buffer_packets"] == pytest.approx(31, abs=1)
    assert list(found["distances"].values()) == sorted(found["distances"].values())


@pytest.mark.usefixtures("read")
def test_a_flow_that_the_trace_does_not_have_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "trace.pcap", "--flow", "1"]) == 2
    assert "flow 1: trace.pcap has flows from 0 to 0" in capsys.readouterr().err


def test_a_capture_of_two_seconds_is_undecided(tmp_path: Path) -> None:
    capture = tmp_path / "linux.pcap"
    capture.write_bytes(gzip.decompress((Path(__file__).parent / "captures" / "linux-sender.pcap.gz").read_bytes()))
    found = nw.identify(capture)
    assert found["algorithms"] == []
    assert "round trips" in found["lacks"]


def test_flows_of_quic_are_undecided() -> None:
    found = nw.identify(Path(__file__).parent / "data" / "client.qlog")
    assert "QUIC stacks" in found["lacks"]
