# SPDX-License-Identifier: Apache-2.0
"""The groups of a scenario whose algorithm a comparison replaces, and the others."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from narrows.comparison import Replaced

if TYPE_CHECKING:
    from narrows import core


def replaced_in(scenario: core.Scenario) -> Replaced | None:
    """Return the groups under test of a scenario and the algorithms of the others; None if there are no others."""
    flows = tomllib.loads(scenario.resolved)["flows"]
    own = {each["name"]: each["algorithm"]["name"] for each in flows}
    tested = [name for name, is_tested in scenario.groups if is_tested]
    kept = {name: own.get(name, "") for name, is_tested in scenario.groups if not is_tested}
    kept = {name: algorithm for name, algorithm in kept.items() if algorithm != CONSTANT}
    written = tomllib.loads(scenario.given["text"]).get("flows", [])
    # Groups are resolved in the order in which they are written.
    pairs = zip(written, flows, strict=False)
    bound = [flow["name"] for text, flow in pairs if text.get("algorithm") == SUBJECT]
    return Replaced(tested, kept, bound) if tested and kept else None


# The name of the algorithm under test in a scenario.
SUBJECT = "subject"
# The algorithm of a source that nothing holds back.
CONSTANT = "constant"
