# SPDX-License-Identifier: Apache-2.0
"""Small studies with claims for tests: one flow, and what is claimed of its goodput."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """\
title = "Random losses"
duration = "4s"
warmup = "1s"
[path]
rate = "2Mbps"
rtt = "20ms"
loss = { kind = "bernoulli", rate = 0.02 }
[[flows]]
name = "tested"
algorithm = "subject"
"""
# A suite of one row, whose cells are in `cells.toml`.
SUITE = """\
title = "Small"
source = "a rule"
references = ["newreno"]
[[rows]]
section = "1"
criterion = "It delivers"
cells = "cells"
measure = "group.tested.goodput_bps"
predicate = { kind = "liveness", at_least = 1000 }
whose = "ours"
"""
# Quantities of claims: the goodput of NewReno, and how much more that of a smaller decrease is, in bit/s.
GOODPUT = '{ measure = "goodput_bps", where = { algorithm = "newreno" } }'
ADVANTAGE = f"""{{ minus = [
  {{ measure = "goodput_bps", where = {{ algorithm = "aimd(a=1,b=0.6)" }} }},
  {GOODPUT},
] }}"""


def claims_file(number: int, *blocks: str, keys: str = "") -> str:
    """Return a file of claims about the experiment `one`.

    Args:
        number: Number of the study.
        blocks: Tables of the file, such as those of `claim`.
        keys: Further keys of the study.
    """
    head = f'title = "A small study"\nnumber = "{number}"\nsource = "Anon, 1900"\nquestion = "Does it run?"\n'
    return f'{head}{keys}[experiments]\none = "One flow alone."\n{"".join(blocks)}'


def claim(name: str, statement: str, direction: str) -> str:
    """Return a claim about the experiment `one`, whose test is the inline table `direction`."""
    return f"""\
[[claims]]
id = "{name}"
statement = "{statement}"
strength = "strong"
place = "figure 1"
supported = "yes"
experiment = "one"
direction = {direction}
"""


def write_study(folder: Path, study: str, claims: str, scenario: str = SCENARIO) -> Path:
    """Write a study with claims into a new folder, and return that."""
    folder.mkdir(parents=True)
    for name, text in (("base.toml", scenario), ("one.toml", study), ("claims.toml", claims)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder
