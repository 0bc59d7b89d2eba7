# SPDX-License-Identifier: Apache-2.0
"""The lessons of the playground: scenarios of the library's family `lessons`, each explained in five sentences."""

from __future__ import annotations

import tomllib

from narrows._internal.frozen import frozen
from narrows._internal.library import scenario_files


@frozen
class Lesson:
    """One lesson."""

    name: str
    title: str
    sentences: str
    text: str
    beside: str  # the subject of the second run; empty for none


def lessons() -> list[Lesson]:
    """Return all lessons, in their order."""
    written = {file.stem: file.read_text("utf-8") for file in scenario_files() if file.parent.name == FAMILY}
    return [_lesson(name, written[name]) for name in ORDER]


def _lesson(name: str, text: str) -> Lesson:
    comment, _, scenario = text.partition("\n\n")
    lines = [line.removeprefix("#").strip() for line in comment.splitlines()]
    beside = next((line.removeprefix(BESIDE).strip() for line in lines if line.startswith(BESIDE)), "")
    sentences = " ".join(line for line in lines if not line.startswith(BESIDE))
    return Lesson(name, str(tomllib.loads(text)["title"]), sentences, scenario.lstrip(), beside)


FAMILY = "lessons"
BESIDE = "Beside:"
ORDER = (
    "sawtooth",
    "buffer-size",
    "bufferbloat",
    "short-queue",
    "long-fat-link",
    "unequal-round-trips",
    "fairness",
    "bbr-probes",
    "bbr-beside-cubic",
    "delay-starves",
    "lossy-link",
    "ecn-marks",
    "fair-queue",
    "xcp-starves",
)
