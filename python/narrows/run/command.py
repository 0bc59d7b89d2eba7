# SPDX-License-Identifier: Apache-2.0
"""The command line as results record it: with its arguments, but without folders and the name of the machine."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from narrows.linux.backend import SIMULATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.run.options import Options


def recorded(given: Sequence[str]) -> str:
    """Return the command line of arguments, without the folders of absolute paths and without the cluster.

    Examples:
        >>> recorded(["run", "/work-of/ann/dsl.toml", "--set", "path.rate.trace=/data/lte.up", "--address", "tcp://n1:8786"])
        'narrows run dsl.toml --set path.rate.trace=lte.up'
    """
    kept: list[str] = []
    skipped = False
    for argument in given:
        if not skipped and not argument.startswith(CLUSTER):
            kept.append(FOLDERS.sub(r"\1", argument))
        skipped = argument == CLUSTER
    return shlex.join(["narrows", *kept])


def called(options: Options, *words: str, **flags: object) -> str:
    """Return the command line as results record it: the one that was typed, or the one that does what Python asked for.

    Args:
        options: How it is run.
        words: The command and its arguments from Python.
        flags: Values of its options by name; None, empty and False are left out, True is an option without a value, and
            an option with several values is repeated.
    """
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


CLUSTER = "--address"
# The folders of an absolute path, at the start of an argument or of a value in it.
FOLDERS = re.compile(r"""(^|[=,"'\[(\s])/(?:[^\s"',()=]*/)?(?=[^/])""")
