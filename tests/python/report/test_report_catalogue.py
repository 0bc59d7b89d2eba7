"""Contract between the report and the engine's catalogue of measures."""

from __future__ import annotations

from narrows.core import metrics
from narrows.report.measures import meaning
from narrows.report.scale import PERCENT

BETTER = {"higher": 1, "lower": -1, "": 0}


def test_every_measure_of_the_catalogue_is_shown_in_its_unit_and_direction() -> None:
    for metric in metrics():
        told = meaning(metric["name"])
        assert told.better == BETTER[metric["better"]], metric["name"]
        assert told.unit.name == metric["unit"] or (told.unit is PERCENT and metric["unit"] == ""), metric["name"]
