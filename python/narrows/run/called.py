# SPDX-License-Identifier: Apache-2.0
"""The command line of a request, typed or from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.linux.backend import SIMULATOR
from narrows.run.command import recorded

if TYPE_CHECKING:
    from narrows.run.options import Options


def called(options: Options, *words: str, **flags: object) -> str:
    """Return the command line as results record it: as typed, or as it would do what Python asked for."""
    if options.given is not None:
        return recorded(options.given)
    common = {
        "set": options.overrides,
        "metric": options.metrics,
        "seed": options.seed,
        "replications": options.replications,
        "on": "" if options.on == SIMULATOR else options.on,
        "trust": options.trust,
    }
    given = [*words]
    for name, value in {**common, **flags}.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is True:
                given.append(f"--{name}")
            elif each not in {None, "", False}:
                given += [f"--{name}", str(each)]
    return recorded(given)
