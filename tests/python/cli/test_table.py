# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal: figures with as many digits as their half-width allows, in 80 columns."""

from __future__ import annotations

from typing import Any

import pytest

from narrows._internal.cli.table import (
    GROUP_COLUMNS,
    LINK_COLUMNS,
    LOSSY_LINK_COLUMNS,
    TRANSFER_COLUMNS,
    Column,
    comparison_tables,
    connections_table,
    metric_table,
    printable,
    run_tables,
    shorten,
    wanted_table,
)
from narrows._internal.cli.work import duration
from narrows._internal.page.metrics import meaning
from narrows._internal.rounding import plus_minus
from narrows.metrics import resolve


@pytest.mark.parametrize(
    ("mean", "ci95", "scale", "text"),
    [
        (61.24e6, [60.0e6, 62.48e6], 1e6, "61.2 ± 1.2"),
        (0.0123, [0.0121, 0.0125], 0.01, "1.230 ± 0.020"),
        (5.0, [5.0, 5.0], 1.0, "5"),
        (0.985, [0.91234, 0.99876], 1.0, "0.985 [0.912, 0.999]"),
        (0.3, [0.0, 1.2], 1.0, "0.30 [0.00, 1.20]"),
        (48.123e-3, None, 1e-3, "48.12"),
        (None, None, 1.0, "-"),
    ],
)
def test_an_estimate_is_written_with_two_digits_of_its_half_width(
    mean: float | None, ci95: list[float] | None, scale: float, text: str
) -> None:
    assert plus_minus({"mean": mean, "ci95": ci95}, scale) == text


def test_the_widest_table_fits_80_columns() -> None:
    wide: dict[str, Any] = {
        column.metric: {"mean": 8888.8 * column.scale, "ci95": [8877.7 * column.scale, 8899.9 * column.scale]}
        for column in GROUP_COLUMNS
    }
    lines = metric_table("group", [("a name that is much too long for it", wide)], GROUP_COLUMNS).splitlines()
    assert max(map(len, lines)) <= 80


def test_a_name_is_shortened_by_its_middle() -> None:
    assert shorten("queue=droptail: download", 18) == "queue=dro…download"
    assert shorten("queue=droptail: download", 24) == "queue=droptail: download"


@pytest.mark.parametrize("around", ["", 40 * "x"])
def test_names_have_the_room_that_there_is_and_remain_distinct(around: str) -> None:
    names = [f"{around}queue=codel(target={target}ms): download{around}" for target in (1, 5)]
    lines = metric_table("group", [(name, {}) for name in names], GROUP_COLUMNS).splitlines()[2:]
    assert [line.split("  ")[0] for line in lines] == names


@pytest.mark.parametrize("column", [*GROUP_COLUMNS, *TRANSFER_COLUMNS, *LINK_COLUMNS], ids=lambda column: column.metric)
def test_a_column_is_in_a_unit_of_its_metric(column: Column) -> None:
    units = {
        "bps": {("Mbps", 1e6)},
        "s": {("s", 1.0), ("ms", 1e-3)},
        "share": {("%", 0.01)},
        "count": {("", 1.0)},
        "": {("", 1.0)},
    }
    assert (column.unit, column.scale) in units[resolve(column.metric).unit]


def test_of_many_links_the_busiest_are_shown_in_their_order() -> None:
    def estimate(mean: float) -> dict[str, Any]:
        return {"mean": mean, "ci95": None}

    links = {f"L{number}": {"utilization": estimate(number / 20)} for number in range(20)}
    text = run_tables({"groups": {"cubic": {}}, "links": links})
    assert [line.split()[0] for line in text.splitlines() if line.startswith("L")] == [f"L{n}" for n in range(8, 20)]
    assert "the 12 busiest of 20 links" in text


def estimated(**means: float) -> dict[str, Any]:
    return {name: {"mean": mean, "ci95": None} for name, mean in means.items()}


def test_a_comparison_shows_every_bottleneck_and_every_link_with_a_queue() -> None:
    links = {
        "down": estimated(utilization=0.9),
        "up": estimated(utilization=0.99, queue_delay_p95_s=0.05),
        "middle": estimated(utilization=0.5, loss_rate=0.001),
        "idle": estimated(utilization=0.6, queue_delay_p95_s=0.0),
    }
    run = {"groups": {"cubic": {"bottleneck": "down", **estimated(goodput_bps=1e6)}}, "links": links}
    text = comparison_tables({"algorithms": {"cubic": run, "reno": run}, "differences": []})
    shown = [line.split()[0] for line in text.splitlines() if "utilization" in line]
    assert shown == ["down", "up", "middle"]


def test_loss_behind_the_queue_has_a_column_where_there_is_any() -> None:
    def table(rate: float) -> str:
        links = {"radio": estimated(utilization=0.9, loss_rate=0.01, random_loss_rate=rate)}
        return run_tables({"groups": {"cubic": {}}, "links": links})

    assert "lost behind" not in table(0.0)
    # A policer loses packets there, too, and not at random.
    shown = [column.title for column in LOSSY_LINK_COLUMNS]
    assert not any("random" in each for each in [*shown, meaning("random_loss_rate", "link").label])
    assert LOSSY_LINK_COLUMNS[2].metric == "random_loss_rate"
    assert table(0.02).splitlines()[-1].split() == ["radio", "90", "1", "2", "-", "-"]


def test_a_requested_metric_is_in_the_unit_of_the_other_tables() -> None:
    run = {"groups": {"web": estimated(delay_p99_s=0.16, completion_time_s=2.5, goodput_bps=3e6)}, "links": {}}
    wanted = [resolve(name) for name in ("delay_p99_s", "completion_time_s", "goodput_bps")]
    rows = [line.split() for line in wanted_table({"": run}, wanted).splitlines()[1:]]
    assert rows == [
        ["delay_p99_s", "web", "160", "ms"],
        ["completion_time_s", "web", "2.5", "s"],
        ["goodput_bps", "web", "3", "Mbps"],
    ]


def test_differences_carry_the_signs_of_their_verdicts() -> None:
    row = {"goodput_bps": {"mean": 2e6, "ci95": [1e6, 3e6], "verdict": "better"}}
    table = metric_table("minus cubic", [("reno", row)], GROUP_COLUMNS[:1], judged=True)
    assert table.splitlines()[-1] == "reno         2.0 ± 1.0 ▲"


def test_transfers_that_come_and_go_have_a_table_of_their_own() -> None:
    groups = {"web": {"started_flows": {"mean": 9.0, "ci95": None}, "completed_flows": {"mean": 7.0, "ci95": None}}}
    text = run_tables({"groups": groups, "links": {}})
    assert "completed" in text
    assert "transfers" not in run_tables({"groups": {"cubic": {}}, "links": {}})


def test_a_comparison_shows_completion_times_and_their_differences() -> None:
    run = {"groups": {"web": {"bottleneck": None, **estimated(completed_flows=7.0, completion_time_p95_s=2.5)}}}
    both = {"algorithms": {name: {**run, "links": {}} for name in ("cubic", "reno")}}
    less = {"mean": -0.5, "ci95": [-0.6, -0.4], "verdict": "better"}
    minus = {
        "of": "reno",
        "against": "cubic",
        "groups": {"web": {**estimated(completed_flows=0.0), "completion_time_p95_s": less}},
    }
    tables = comparison_tables({**both, "differences": [minus]}).split("\n\n")
    assert [table.split()[0] for table in tables if "completed" in table] == ["transfers", "minus"]
    assert "-0.50 ± 0.10 ▲" in tables[-1]


@pytest.mark.parametrize(("seconds", "text"), [(4.6, "5 s"), (125, "2 min 05 s"), (3725, "1 h 02 min")])
def test_a_length_of_time_is_written_as_people_read_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_spaces_of_all_widths_are_spaces_and_control_characters_are_escaped() -> None:
    assert printable("146\N{NARROW NO-BREAK SPACE}ms → 1\N{THIN SPACE}000\N{NO-BREAK SPACE}ms") == "146 ms → 1 000 ms"
    assert printable("a\x1b[31mb\n") == "a\\x1b[31mb\\n"


def test_what_users_perceive_is_one_table_of_all_queues_and_controllers() -> None:
    def run(queue: str, algorithm: str, page_s: float) -> dict[str, Any]:
        groups = {
            "web": {"page_load_time_p50_s": {"mean": page_s, "ci95": None}, "bottleneck": "bottleneck"},
            "bulk": {"goodput_bps": {"mean": 1e6, "ci95": None}, "bottleneck": "bottleneck"},
        }
        at = {"algorithm": algorithm, "path.queue": queue, "path.reverse.queue": queue}
        return {"at": at, "groups": groups, "links": {"bottleneck": {}}}

    queues, algorithms = ["droptail", "fq-codel"], ["cubic", "bbr3"]
    runs = {
        f"{algorithm}, queue={queue}, reverse.queue={queue}": run(queue, algorithm, 1.0 + place)
        for place, queue in enumerate(queues)
        for algorithm in algorithms
    }
    factors = {"algorithm": algorithms, "path.queue": queues, "path.reverse.queue": queues}
    text = comparison_tables({"levels": runs, "factors": factors, "differences": []})
    first, *others = text.split("\n\n")
    assert [line.split("  ")[0] for line in first.splitlines()[2:]] == list(runs)
    assert max(map(len, first.splitlines())) <= 80
    assert first.splitlines()[2].endswith("1")
    assert first.splitlines()[-1].endswith("2")
    assert not any(part.startswith("users") for part in others)


def test_a_connection_is_named_by_both_ends() -> None:
    counts = {"sent_packets": 1234, "sent_bytes": 1_850_000, "dropped_packets": 12, "marked_packets": 0}
    ends = {"protocol": "tcp", "source": "10.0.0.1:40000", "destination": "[fd00::2]:80"}
    others = {"protocol": None, "source": None, "destination": None}
    delays = {"delay_mean_s": 0.0345, "delay_p95_s": None}
    text = connections_table([{**ends, **counts, **delays}, {**others, **counts, **delays}])
    rows = [line.split() for line in text.splitlines()]
    assert rows[2] == ["tcp", "10.0.0.1:40000", "to", "[fd00::2]:80", "1234", "1850", "12", "0", "34.5", "-"]
    assert rows[3][:2] == ["all", "others"]
