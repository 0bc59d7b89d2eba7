# SPDX-License-Identifier: Apache-2.0
"""Contract between the report and the catalogue of metrics: nothing about a metric is known twice."""

from __future__ import annotations

from narrows._internal.cli import table
from narrows._internal.page.metrics import BETTER, UNITS, meaning
from narrows._internal.report.run.tables import LEADING
from narrows.metrics import catalogue, counted_names


def test_every_metric_of_the_catalogue_is_shown_as_its_card_says() -> None:
    for card in catalogue():
        shown = meaning(card["name"], "link" if card["family"] == "link" else "group")
        assert shown.label == card["label"], card["name"]
        assert shown.unit is UNITS[card["unit"]], card["name"]
        assert shown.better == BETTER[card["better"]], card["name"]


def test_a_metric_of_two_owners_has_one_unit_and_direction() -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    for card in catalogue():
        found.setdefault(card["name"], set()).add((card["unit"], card["better"]))
    assert all(len(each) == 1 for each in found.values())


def test_choices_stand_behind_the_label() -> None:
    assert meaning("cov(bin=10s)").label == "coefficient of variation of goodput (bin=10s)"
    assert meaning("cov(bin=10s)", "link").label == "coefficient of variation of the rate (bin=10s)"


def test_what_tables_show_first_is_in_the_catalogue() -> None:
    known = {*counted_names("group"), *counted_names("link")}
    shown = {column.metric for column in (*table.GROUP_COLUMNS, *table.TRANSFER_COLUMNS, *table.LINK_COLUMNS)}
    assert known >= LEADING | shown
