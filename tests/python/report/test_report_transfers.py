# SPDX-License-Identifier: Apache-2.0
"""Truth: product. Transfers that come and go are in every figure of a run, with the values of the tables."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import narrows as nw
from narrows._internal.drawing.scale import BITS_PER_SECOND, quantity
from narrows._internal.report.run.answer import sentences
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures import figures, frame, rates
from narrows._internal.report.run.reading import read

if TYPE_CHECKING:
    from pathlib import Path

BOTH_DIRECTIONS = """
duration = "20s"
warmup = "4s"
replications = 2
[path]
rate = "10Mbps"
rtt = "40ms"
reverse = { rate = "1Mbps", queue = { kind = "droptail", limit = "40pkt" } }
[[flows]]
name = "bulk"
algorithm = "cubic"
[[flows]]
name = "web"
algorithm = "newreno"
count = 30
size = { kind = "exponential", mean = "30000B" }
source = { kind = "users", think = { kind = "exponential", mean = "1s" } }
[[flows]]
name = "upload"
algorithm = "cubic"
direction = "reverse"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("transfers") / "run"
    nw.Scenario(BOTH_DIRECTIONS).run().save(out)
    return out


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    found = read(folder)
    assert isinstance(found, Run)
    return found


def test_the_stacked_rates_add_up_to_what_each_link_sent(run: Run) -> None:
    views = frame.views([run])
    assert [view.link for view in views] == ["bottleneck", "bottleneck reverse"]
    for view in views:
        stack = rates.stack_over(view, 8)
        assert stack is not None
        assert not stack.missing
        trace = run.link_trace(0, view.link or "")
        assert trace is not None
        measured = stack.edges[:-1] >= run.warmup_s
        of_groups = float(stack.total[measured].mean())
        sent = float(trace.columns["rate_bps"][trace.time > run.warmup_s].mean())
        dropped = float(trace.columns["dropped_packets"][trace.time > run.warmup_s].sum()) * 12_000 / 16
        if stack.other is None:
            assert of_groups == pytest.approx(sent + dropped, rel=0.01)
        else:
            # The reverse link sends acknowledgements besides the upload; the line of all traffic contains them.
            assert of_groups < sent
            assert float(stack.other[measured].mean()) == pytest.approx(sent, rel=0.01)
        assert (stack.other is not None) == (view.link == "bottleneck reverse")


def test_a_link_over_which_no_flow_was_recorded_has_a_panel_of_all_that_it_sent_and_the_caption_says_who_is_missing(
    run: Run,
) -> None:
    of_links = run.series_rows["kind"] == "link"
    series = {name: column[of_links] for name, column in run.series_rows.items()}
    unseen = dataclasses.replace(run, census_rows={}, series_rows=series)
    for view in frame.views([unseen]):
        stack = rates.stack_over(view, 8)
        assert stack is not None
        assert stack.layers == []
        assert stack.other is not None
        assert stack.missing == unseen.sharing(view.link)
    assert "missing: bulk, web, upload." in " ".join(rates.figure([unseen]).caption)


def test_the_busiest_link_has_a_panel_though_it_is_the_bottleneck_of_no_group(run: Run) -> None:
    used = {link: measures["utilization"].mean or 0.0 for link, measures in run.links.items()}
    idler, busiest = sorted(used, key=lambda link: used[link])
    others = dataclasses.replace(run, bottlenecks=dict.fromkeys(run.bottlenecks, idler))
    views = frame.views([others], rates._links)  # noqa: SLF001  # which links have a panel
    assert [view.link for view in views] == [idler, busiest]
    stacks = [rates.stack_over(view, 8) for view in views]
    assert all(stack is not None and stack.capacity is not None for stack in stacks)


def test_every_group_is_in_the_stack_of_its_bottleneck(run: Run) -> None:
    layers = {}
    for view in frame.views([run]):
        stack = rates.stack_over(view, 8)
        assert stack is not None
        layers[view.link] = [layer.trace.name for layer in stack.layers]
    assert layers == {"bottleneck": ["bulk[0]", "web (transfers)"], "bottleneck reverse": ["upload[0]"]}


def test_throughput_against_delay_has_the_values_of_the_tables(folder: Path, run: Run) -> None:
    text = (folder / "report.html").read_text("utf-8")
    figure = text[text.index('id="tradeoff"') : text.index('id="checks"')]
    for group, measures in run.groups.items():
        expected = quantity(measures["goodput_bps"].mean, BITS_PER_SECOND)
        means = re.findall(rf'data-point="{group}: ([^",]*), [^"]*\(mean\)"', figure)
        assert set(means) == {expected}


def test_a_run_with_transfers_shows_their_times_and_their_number(run: Run) -> None:
    drawn = {figure.name: figure for figure in figures([run])}
    assert {"completion", "completion-by-size", "census"} <= set(drawn)
    completed = sum(run.values("web", "completed_flows").values())
    assert len(run.transfers("web")["end_s"]) == completed > 200
    assert f"{completed:.0f} transfers that completed after the warm-up." in drawn["completion"].caption
    times = run.transfers("web")["end_s"] - run.transfers("web")["start_s"]
    of_metric = run.values("web", "completion_time_s").values()
    assert min(of_metric) < float(np.mean(times)) < max(of_metric)
    assert [key.label for key in drawn["census"].keys] == ["web", "warm-up"]


def test_a_page_speaks_of_the_busiest_link(run: Run) -> None:
    used = {link: measures["utilization"].mean or 0.0 for link, measures in run.links.items()}
    idler, busiest = sorted(used, key=lambda link: used[link])
    others = dataclasses.replace(run, bottlenecks=dict.fromkeys(run.bottlenecks, idler))
    assert others.busiest_link == busiest
    assert any(f"Link {busiest}" in str(each) for each in sentences(others))
