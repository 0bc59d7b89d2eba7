"""The files of a new study with claims of one's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from narrows.errors import InputError, OutputError
from narrows.files.folder import appearing
from narrows.reproduction.registry import CLAIMS

if TYPE_CHECKING:
    from pathlib import Path


def new_claims(name: str, folder: Path) -> list[Path]:
    """Write a study of one experiment with two claims, which can be reproduced as it is.

    Args:
        name: Name of the study: letters, digits, `-` and `_`.
        folder: Where the folder of the study is made.

    Returns:
        The files.

    Raises:
        InputError: The name has other characters.
        OutputError: There is such a folder.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise InputError(name, "is no name of a study: it has a letter, then letters, digits, - and _")
    place = folder / name
    if place.exists():
        raise OutputError(f"{place} is there: choose another name")
    texts = {"scenario.toml": SCENARIO, "delay.toml": STUDY, CLAIMS: TEXT.replace("NAME", name)}
    with appearing(place) as partial:
        for file, text in texts.items():
            (partial / file).write_text(text, encoding="utf-8")
    return [place / file for file in texts]


SCENARIO = """\
title    = "Two flows share a link"
duration = "20s"
warmup   = "5s"

[path]
rate  = "10Mbps"
rtt   = "40ms"
queue = { kind = "droptail", limit = "4bdp" }

[[flows]]
name      = "tested"
algorithm = "subject"
subject   = true
count     = 2
start     = "0s..1s"
"""

STUDY = """\
title        = "Delay and rate of two flows"
scenario     = "scenario.toml"
replications = 5
algorithms   = ["vegas", "cubic"]
measures     = ["delay_mean_s", "goodput_bps"]

# Each size replaces some of the keys above; see the documentation of studies.
[sizes.quick]

[sizes.full]
replications = 30
set.duration = "120s"
"""

TEXT = """\
# A study with claims: `narrows reproduce ./NAME` runs its experiments and judges them.

title    = "Delay over a deep buffer"
number   = "1"
source   = "the article, its section or figure"
question = "Does an algorithm that reacts to delay keep the queue short, and at what cost?"

[experiments]
delay = "Two flows of one algorithm over a buffer of four bandwidth-delay products."

[[claims]]
id         = "1-1"
statement  = "Vegas has at most half of CUBIC's delay"
strength   = "strong"
place      = "figure 1"
supported  = "yes"
experiment = "delay"
direction  = { order = [
  { measure = "delay_mean_s", where = { algorithm = "vegas" } },
  { measure = "delay_mean_s", where = { algorithm = "cubic" } },
] }
# Without its magnitude a claim holds in direction only.
magnitude  = { is = { ratio = [
  { measure = "delay_mean_s", where = { algorithm = "vegas" } },
  { measure = "delay_mean_s", where = { algorithm = "cubic" } },
] }, at_most = 0.5 }
whose      = "study"

[[claims]]
id         = "1-2"
statement  = "Vegas uses the link as well as CUBIC"
strength   = "medium"
place      = "section 2"
supported  = "text only"
experiment = "delay"
direction  = { is = { ratio = [
  { measure = "goodput_bps", where = { algorithm = "vegas" } },
  { measure = "goodput_bps", where = { algorithm = "cubic" } },
] }, at_least = 0.95 }
note       = "as well is within 5 %: ours"
cause      = "what is known of why a claim does not hold; only used where it does not"
"""
