# SPDX-License-Identifier: Apache-2.0
"""Statistics: links by name are what their generator writes, and have the statistics of their sources."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from narrows._internal import cards
from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = HOUSE / "crates/scenario/links"
# Of the recordings, in the windows that make.py names: mean, Mbps; coefficient of variation; autocorrelation after 1 s.
MEASURED = {
    "evdo-driving": (0.52, 1.17, 0.47),
    "lte": (5.03, 0.71, 0.68),
    "lte-driving": (4.56, 1.04, 0.41),
    "5g-driving": (49.2, 1.52, 0.85),
    "leo-driving": (127.8, 0.71, 0.88),
}


def make() -> Any:
    """Load the generator."""
    found = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_generator_writes_the_files(tmp_path: Path) -> None:
    make().main(tmp_path)
    written = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert written == {file.name: file.read_bytes() for file in FOLDER.glob("*.csv")}
    assert {card["name"] for card in cards.links()} == {name.removesuffix(".csv") for name in written}
    for content in written.values():
        assert b"# Synthetic: drawn by make.py with a fixed seed; no part of a recording." in content


@pytest.mark.parametrize("link", cards.links(), ids=lambda link: link["name"])
def test_a_link_has_the_statistics_of_its_source(link: dict[str, Any]) -> None:
    times, rates = np.array(link["steps"]).T
    second = round(1 / (times[1] - times[0]))
    mean, variation, correlation = MEASURED[link["name"]]
    assert link["mean_bps"] / 1e6 == pytest.approx(mean, rel=0.12)
    assert rates.std() / rates.mean() == pytest.approx(variation, abs=0.12)
    centred = rates - rates.mean()
    assert np.mean(centred[:-second] * centred[second:]) / rates.var() == pytest.approx(correlation, abs=0.12)


def test_a_satellite_is_assigned_anew_every_15_s() -> None:
    (steps,) = (link["steps"] for link in cards.links() if link["name"] == "leo-driving")
    rates = [bps for _, bps in steps]
    steps_at = np.zeros(15)
    for second, (before, after) in enumerate(pairwise(rates), start=1):
        steps_at[(second - 12) % 15] += abs(after - before)
    assert steps_at.argmax() == 0
