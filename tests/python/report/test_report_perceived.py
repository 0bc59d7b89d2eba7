# SPDX-License-Identifier: Apache-2.0
"""A page begins with what people perceive, by group, and says whose algorithm was replaced (product)."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal.analysis.table import Block
from narrows._internal.cli import main
from narrows._internal.cli.table import PERCEIVED_COLUMNS
from narrows._internal.comparison import Contrast
from narrows._internal.drawing.scale import PERCENT, SECONDS
from narrows._internal.metrics.perceived import APPLICATIONS, PERCEIVED, perceived, stated
from narrows._internal.page.estimates import changed_texts
from narrows._internal.page.metrics import meaning
from narrows._internal.report.study.combinations import heat_map
from narrows._internal.run.sentences import compared
from narrows._internal.run.wording import CLAUSES, FLOWS
from narrows.metrics import catalogue

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SHORT = ["--replications", "2", "--set", "duration=12s", "--quiet"]


def _compared(folder: Path, *more: str) -> str:
    assert main(["compare", "cubic", "bbr3", "--scenario", "call", *SHORT, *more, "--out", str(folder)]) == 0
    return (folder / "report.html").read_text(encoding="utf-8")


def _answer(page: str) -> list[str]:
    said = re.search(r'<ul class="answer">(.*?)</ul>', page, re.DOTALL)
    assert said is not None
    return [re.sub("<.*?>", "", each) for each in re.findall(r"<li>(.*?)</li>", said[1], re.DOTALL)]


def _notes(page: str, start: str) -> list[str]:
    notes = [re.sub("<.*?>", "", each) for each in re.findall(r'<p class="note">(.*?)</p>', page, re.DOTALL)]
    return [each for each in notes if each.startswith(start)]


def test_a_page_begins_with_frames_and_names_what_was_not_replaced(tmp_path: Path) -> None:
    page = _compared(tmp_path / "call")
    first, *_ = _answer(page)
    assert re.match(r"With bbr3 95 % of the frames of call arrive within [\d.]+\W", first), first
    (last,) = _notes(page, "The algorithm of")
    assert "The algorithm of call is under test; transfer (cubic) keeps its own." in last
    assert "--subject transfer" in last
    assert not any("Jain" in each for each in _answer(page))
    figures = re.findall(r'data-name="(\w+)"', page)
    assert figures[0] == "perceived"
    assert "clients" in figures
    measures = re.findall(r'data-measure="(\w+)"', page)
    assert measures[0] in APPLICATIONS


def test_a_sentence_on_a_change_gives_both_values_and_what_is_known_of_their_difference_with_the_same_decimals(
    tmp_path: Path,
) -> None:
    given = [
        "compare",
        "--scenario",
        "call",
        "--vary",
        "path.queue=droptail,fq-codel",
        "--replications",
        "3",
        "--quiet",
    ]
    assert main([*given, "--set", "duration=20s", "--out", str(tmp_path / "queue")]) == 0
    said = _answer((tmp_path / "queue" / "report.html").read_text(encoding="utf-8"))
    (frames,) = (each.replace("\u202f", " ") for each in said if "frames of call arrive" in each)
    assert re.fullmatch(
        r"With fq-codel 95 % of the frames of call arrive within [\d.]+ m?s(?: instead of|, with droptail) [\d.]+ m?s "
        r"\(3 runs, [^()]*[\d.]+ m?s[^()]*\): [a-z ]+\.",
        frames,
    ), frames
    # As one would say it: 0.8 s instead of 4.6 s, ±0.1 s.
    texts = changed_texts(4.63, 0.82, -3.81, (-3.91, -3.71), SECONDS)
    assert [each.replace("\u202f", " ") for each in texts] == ["4.63 s", "0.82 s", "±0.10 s"]
    assert changed_texts(0.98, 0.0, -0.98, (-1.0, -0.95), PERCENT)[2].startswith("a difference of \N{MINUS SIGN}98")
    assert changed_texts(1.0, 1.0, 0.0, (0.0, 0.0), SECONDS)[2] == ""


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text)).strip()


def test_what_flows_get_is_said_as_a_person_would_say_it_in_page_and_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["compare", "cubic", "bbr3", "--scenario", "two-flows", "--replications", "3", "--set", "duration=30s"]
    assert main([*given, "--quiet", "--out", str(tmp_path / "flows")]) == 0
    printed = _plain(capsys.readouterr().out)
    said = [_plain(each) for each in _answer((tmp_path / "flows" / "report.html").read_text(encoding="utf-8"))]
    (difference,) = json.loads((tmp_path / "flows/summary.json").read_text(encoding="utf-8"))["differences"]
    (found,) = difference["groups"].values()
    assert ["of their packets" in each for each in said] == [False, False, True, False], said
    # Of an interval that no written decimal shows, nothing is said.
    low, high = found["goodput_bps"]["ci95"]
    known = r", [^()]+ Mbps" if high - low >= 1e5 else ""
    assert all(each in printed for each in said), (said, printed)
    assert re.fullmatch(
        r"With bbr3 the flows get \d+\.\d Mbps(?: instead of|, with cubic) \d+\.\d Mbps "
        rf"\(3 runs{known}\): [a-z ]+\. A difference matters from \d+ kbps on\.",
        said[0],
    ), said[0]
    assert said[1].startswith("With bbr3 95 % of the packets arrive within ")


def _found(mean: float, verdict: str = "", ends: tuple[float, float] | None = None) -> dict[str, Any]:
    method = None if ends is None else "t"
    return {"mean": mean, "ci95": ends, "interval_method": method, "verdict": verdict, "margin": 2e5}


def test_of_many_algorithms_those_that_clearly_differ_are_spelled_out_and_the_others_listed() -> None:
    runs = {"cubic": 10e6, "reno": 9e6, "vegas": 10e6, "copa": 10.2e6, "bbr3": 10.1e6}
    verdicts = {"reno": "worse", "vegas": "same", "copa": "undecided", "bbr3": "undecided"}

    def less(name: str) -> dict[str, Any]:
        mean = runs[name] - runs["cubic"]
        return _found(mean, verdicts[name], (mean - 1e5, mean + 1e5))

    def summary(*names: str, groups: tuple[str, ...] = ("cubic",)) -> dict[str, Any]:
        return {
            "replications": 5,
            "algorithms": {name: {"groups": {of: {"goodput_bps": _found(runs[name])} for of in groups}, "links": {}}
                           for name in ("cubic", *names)},
            "differences": [
                {"of": name, "against": "cubic", "groups": {of: {"goodput_bps": less(name)} for of in groups}}
                for name in names
            ],
        }  # fmt: skip

    def said(found: dict[str, Any]) -> list[str]:
        return [_plain("".join(text for text, _ in each)) for each in compared(found)]

    matters = "A difference matters from 200 kbps on."
    reno = "With reno the flows get 9.0 Mbps instead of 10.0 Mbps (5 runs, ±0.1 Mbps): clearly worse"
    others = "no difference that matters with vegas; undecided with copa, bbr3"
    assert said(summary(*verdicts)) == [f"{reno}; {others}. {matters}"]
    assert said(summary("vegas")) == [
        f"With vegas the flows get 10.0 Mbps, as with cubic (5 runs, ±0.1 Mbps): no difference that matters. {matters}"
    ]
    # Parameters of an algorithm are written as they are given.
    assert Contrast("algorithm", {}, {}).spoken("aimd(a=1,b=0.8)") == "aimd(a=1,b=0.8)"
    # A group may have the name of an algorithm.
    of, other = said(summary("reno", groups=("cubic", "web")))
    assert "the flows of group cubic get 9.0 Mbps" in of
    assert "the flows of web get 9.0 Mbps" in other


def _judged(difference: float, verdict: str) -> dict[str, Any]:
    return _found(difference, verdict, (difference - 1e-3, difference + 1e-3))


def _crossed(
    metrics: dict[str, dict[tuple[str, str], float]], waits: dict[tuple[str, str], float] | None = None
) -> dict[str, Any]:
    """Return the summary of a comparison of algorithms at two queues, with values of metrics of a group `web`."""
    places = list(next(iter(metrics.values())))
    factors = {
        "algorithm": list(dict.fromkeys(a for a, _ in places)),
        "path.queue": list(dict.fromkeys(q for _, q in places)),
    }

    def name(place: tuple[str, str]) -> str:
        return f"{place[0]}, queue={place[1]}"

    def less(of: tuple[str, str], against: tuple[str, str]) -> dict[str, Any]:
        found = {}
        for metric, values in metrics.items():
            difference = values[of] - values[against]
            clear = abs(difference) > 0.1 * max(values[of], values[against])
            higher = meaning(metric).better > 0
            verdict = ("better" if (difference > 0) == higher else "worse") if clear else "undecided"
            found[metric] = _judged(difference, verdict)
        return {"of": name(of), "against": name(against), "groups": {"web": found}}

    pairs = [(of, against) for i, against in enumerate(places) for of in places[i + 1 :]]
    return {
        "replications": 5,
        "factors": factors,
        "levels": {
            name(place): {
                "at": dict(zip(factors, place, strict=True)),
                "groups": {"web": {metric: _found(values[place]) for metric, values in metrics.items()}},
                "links": {"up": {"queue_delay_mean_s": _found((waits or {}).get(place, 0.0))}},
            }
            for place in places
        },
        "differences": [less(*pair) for pair in pairs],
    }


PLACES = [(algorithm, queue) for algorithm in ("cubic", "bbr3") for queue in ("droptail", "fq-codel")]


def _sentences(summary: dict[str, Any]) -> list[str]:
    return [_plain("".join(text for text, _ in each)) for each in compared(summary)]


def test_where_two_factors_vary_each_has_a_sentence_the_one_with_the_largest_difference_first() -> None:
    pages = dict(zip(PLACES, (8.8, 3.9, 8.6, 3.8), strict=True))
    responsiveness = dict(zip(PLACES, (114.0, 1706.0, 120.0, 1690.0), strict=True))
    said = _sentences(_crossed({"page_load_time_p50_s": pages, "responsiveness_rpm": responsiveness}))
    assert len(said) == 3
    assert said[0].startswith(
        "Under cubic, with fq-codel web measures a responsiveness of 1 706 RPM instead of 114 RPM"
    )
    assert said[1].startswith("Under bbr3, with fq-codel half of the pages of web load within 3.80 s instead of 8.60 s")
    # What the algorithms change is undecided, and said of the metric that the queues change most.
    assert re.match("Behind .*, with bbr3 web measures .*: undecided", said[2]), said[2]


def test_queues_of_both_directions_that_do_more_together_are_said_together() -> None:
    ways = [(one, other) for one in ("droptail", "fq-codel") for other in ("droptail", "fq-codel")]
    found = _crossed({"responsiveness_rpm": dict(zip(ways, (114.0, 128.0, 126.0, 1706.0), strict=True))})
    keys = {"algorithm": "path.queue", "path.queue": "path.reverse.queue"}
    found["factors"] = {keys[key]: levels for key, levels in found["factors"].items()}
    for run in found["levels"].values():
        run["at"] = {keys[key]: level for key, level in run["at"].items()}
    first, *others = _sentences(found)
    assert first.startswith("With fq-codel both ways web measures a responsiveness of 1 706 RPM instead of 114 RPM")
    start = "Behind fq-codel on the forward path, with fq-codel on the reverse path web measures"
    assert any(each.startswith(start) for each in others), others


def test_the_size_of_a_buffer_is_said_with_the_use_of_its_own_link() -> None:
    places = [("cubic", limit) for limit in ("1ms", "100ms")]
    found = _crossed({"page_load_time_p50_s": dict.fromkeys(places, 2.0)})
    found["factors"]["path.queue.limit"] = found["factors"].pop("path.queue")
    for run, (used, wait) in zip(found["levels"].values(), ((0.9, 4e-4), (1.0, 0.05)), strict=True):
        run["at"]["path.queue.limit"] = run["at"].pop("path.queue")
        own = {"utilization": _found(used), "queue_delay_mean_s": _found(wait)}
        # A wait on the way back that differs by chance is another link's.
        run["links"] = {"up": own, "up reverse": {"utilization": _found(1.0), "queue_delay_mean_s": _found(8 * wait)}}
    assert _sentences(found)[-1] == (
        "With a queue of 1 ms link up is used to 90.0 %, and packets wait there for 400 µs; with 100 ms 100 %, 50.0 ms."
    )


def test_losses_that_clearly_differ_are_always_among_the_sentences() -> None:
    flows = {
        "goodput_bps": dict.fromkeys(PLACES, 9e6),
        "delay_p95_s": dict.fromkeys(PLACES, 0.06),
        "jain": dict.fromkeys(PLACES, 0.98),
    }
    lossy = dict(zip(PLACES, (3e-4, 3e-4, 0.153, 0.153), strict=True))
    for others in (flows, {"page_load_time_p50_s": dict.fromkeys(PLACES, 2.0)}):
        said = _sentences(_crossed({**others, "loss_rate": lossy}))
        loss, *_ = (each for each in said if "of their packets" in each)
        assert re.search("[Ww]ith bbr3 the flows lose 15.3.% of their packets instead of 0.0.%", loss), loss


def test_where_two_factors_vary_the_loss_of_one_group_says_enough_of_losses() -> None:
    pages = dict(zip(PLACES, (8.8, 3.9, 8.6, 3.8), strict=True))
    lossy = dict(zip(PLACES, (3e-4, 3e-4, 0.153, 0.153), strict=True))
    found = _crossed({"page_load_time_p50_s": pages, "loss_rate": lossy})
    for each in (*found["levels"].values(), *found["differences"]):
        each["groups"] |= dict.fromkeys(("download", "upload"), each["groups"]["web"])
    said = _sentences(found)
    assert sum("of their packets" in each for each in said) == 1, said
    assert sum("of the pages" in each for each in said) > 1, said


def test_a_wait_that_is_long_with_every_level_is_named() -> None:
    queues = [("cubic", queue) for queue in ("droptail", "fq-codel")]
    pages = {"page_load_time_p50_s": dict.fromkeys(queues, 6.6)}

    def upstream(*waits: float) -> list[str]:
        said = _sentences(_crossed(pages, dict(zip(queues, waits, strict=True))))
        return [each for each in said if "packets wait" in each]

    # Means without an interval do not show that no level changes the wait.
    assert upstream(0.435, 0.437) == ["In every run packets wait at link up for 435 ms to 437 ms on average."]
    assert upstream(0.435, 0.435) == ["In every run packets wait at link up for 435 ms on average."]
    assert upstream(0.8, 0.072) == upstream(0.002, 0.002) == []


def test_a_frame_that_is_late_or_skipped_is_not_shown_in_time_and_the_bit_rate_stands_beside_it() -> None:
    queues = [("cubic", queue) for queue in ("droptail", "dualpi2")]
    # All frames of one queue are useless, and 82 % of the frames of the other, which has more late ones.
    missed = dict(zip(queues, (1.0, 0.822), strict=True))
    rates = dict(zip(queues, (0.15e6, 2.25e6), strict=True))
    late = dict(zip(queues, (0.045, 0.342), strict=True))
    said = _sentences(_crossed({"missed_frame_share": missed, "late_frame_share": late, "frame_bitrate_bps": rates}))
    assert len(said) == 2
    assert re.match("With dualpi2 the frames of web that are not shown in time are 82.% instead of 100.%", said[0]), (
        said
    )
    assert said[0].endswith("clearly better.")
    assert "the frames of web are sent at 2.25 Mbps instead of 0.15 Mbps" in said[1]


def test_shares_that_are_the_same_in_every_run_are_bounded_by_what_is_counted_and_judged_by_their_interval() -> None:
    from narrows._internal.metrics.criteria import verdict
    from narrows._internal.statistics import SHARE, estimate, paired

    frames = SHARE._replace(trials=6750.0)
    found = estimate([0.0] * 5, frames)["ci95"]
    # The 6750th root of 0.025 is 1 less this.
    assert found is not None
    assert found[0] == 0.0
    assert abs(found[1] - 5.46e-4) < 1e-5
    for within, margin, word in ((SHARE, 0.01, "undecided"), (frames, 0.01, "same"), (frames, 1e-5, "undecided")):
        assert verdict(paired([0.0] * 5, [0.0] * 5, within), margin, "lower") == word
    assert verdict(paired([1.0] * 5, [0.0] * 5, frames), 0.01, "lower") == "worse"


def test_two_ends_that_are_written_alike_are_one_number() -> None:
    name = "group.download.goodput_bps"
    blocks = [
        Block(("cubic",), ({"rtt": "5ms"}, {"rtt": "9ms"}), np.array([[38.9e6], [38.9001e6 + d]])) for d in (0, 1e6)
    ]
    one, two = (_plain(heat_map(name, each).caption[1]) for each in blocks)
    assert one == "All are 38.9 Mbps."
    assert two == "Colour grows from 38.9 Mbps to 39.9 Mbps."


def test_the_mean_of_a_metric_is_named_as_one_says_it() -> None:
    assert meaning("rtt_mean_s").of("web").title == "Mean RTT of web"
    assert meaning("goodput_bps").of("web").title == "Goodput of web"
    assert not [each["name"] for each in catalogue() if meaning(each["name"]).of("web").label.endswith("of web, mean")]


def test_another_group_is_put_to_the_test_by_its_name(tmp_path: Path) -> None:
    page = _compared(tmp_path / "transfer", "--subject", "transfer")
    assert "The algorithm of transfer is under test; call (cubic) keeps its own." in _notes(page, "The algorithm of")[0]


def test_a_subject_that_is_no_group_is_refused_with_the_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", "cubic", "bbr3", "--scenario", "call", "--subject", "nothing", "--out", str(tmp_path / "no")]
    assert main(command) == 2
    assert re.search("call.*transfer", capsys.readouterr().err)
    assert not (tmp_path / "no").exists()


def test_terminal_and_page_lead_with_the_same_metrics_and_each_has_a_sentence() -> None:
    assert [column.metric for column in PERCEIVED_COLUMNS] == list(APPLICATIONS)
    assert set(PERCEIVED) <= {str(card["name"]) for card in catalogue()}
    for name in PERCEIVED:
        for moved in ([], [name]):
            assert set(stated([name], moved)) <= set(CLAUSES)
    assert set(CLAUSES) - {name for kind in FLOWS for name in kind} == {
        each for name in PERCEIVED for each in stated([name], [name])
    }
    assert perceived(["completion_time_s", "stall_share"]) == ["stall_share"]


def test_the_levels_in_the_head_of_a_column_are_apart(tmp_path: Path) -> None:
    given = ["compare", "newreno", "cubic", "--vary", "path.queue=droptail,codel", "--set", "duration=20s"]
    assert main([*given, "--set", "warmup=12s", "--replications", "1", "--quiet", "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert '<span class="level">cubic</span> <span class="level">queue=codel</span>' in page
