# SPDX-License-Identifier: Apache-2.0
"""The page of a search for the worst environment (product)."""

from __future__ import annotations

from typing import Any

from narrows._internal.report.search.page import atlas_page
from narrows._internal.search.space import BDP_NAMES, BUFFER_NAMES


def atlas() -> dict[str, Any]:
    """Return an atlas with a score in every class of buffer."""
    cells = [{"kind": "loss", "bdp": BDP_NAMES[1], "buffer": name, "score": 0.5} for name in BUFFER_NAMES]
    return {
        "title": "Where bbr1 does worst against cubic",
        "algorithm": "bbr1",
        "against": "cubic",
        "seed": 1,
        "evaluations": 7,
        "on": "simulator",
        "kernel": None,
        "command": "narrows worst bbr1",
        "kinds": {"loss": "packets lost"},
        "axes": {"bdp": list(BDP_NAMES), "buffer": list(BUFFER_NAMES)},
        "cells": cells,
        "found": [],
        "unconfirmed": [],
    }


def test_a_narrow_map_names_every_class_by_its_lower_end() -> None:
    wide, _, narrow = str(atlas_page(atlas(), [])).partition('class="paper narrow"')
    assert ">Buffer (BDP)<" in wide
    assert ">Buffer from (BDP)<" in narrow
    assert all(f">{edge}</text>" in narrow for edge in ("0", "0.2", "0.4", "0.75", "1.5", "3", "6"))
