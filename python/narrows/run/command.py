# SPDX-License-Identifier: Apache-2.0
"""The command line as results record it: with its arguments, but without folders and the name of the machine."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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


CLUSTER = "--address"
# The folders of an absolute path, at the start of an argument or of a value in it.
FOLDERS = re.compile(r"""(^|[=,"'\[(\s])/(?:[^\s"',()=]*/)?(?=[^/])""")
