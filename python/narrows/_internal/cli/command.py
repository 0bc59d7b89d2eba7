# SPDX-License-Identifier: Apache-2.0
"""The declaration of a command, from which all about it follows; all commands, and their exit statuses."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple


class Command(NamedTuple):
    """A command."""

    name: str
    summary: str
    group: str = ""  # heading above it on the page of help; empty for an action
    options: Callable[[argparse.ArgumentParser], None] = lambda _: None
    examples: tuple[str, ...] = ()  # without the name of the program
    completes: Mapping[str, Callable[[], list[str]]] = {}  # lists the possible values of an argument
    # Imports what it needs itself: the page of help loads every module.
    job: Callable[[argparse.Namespace], int] | None = None
    actions: tuple[Command, ...] = ()  # the commands below it, in place of a job
    metavar: str = "ACTION"  # stands for one of these


def load(name: str) -> Command:
    """Import the module of a command, and return its declaration."""
    declared: tuple[Command, ...] = import_module(COMMANDS[name]).COMMANDS
    return next(each for each in declared if each.name == name)


DONE, EXPECTATION_FAILED, BAD_INPUT, INTERRUPTED, INTERNAL = range(5)
RUN = "Run scenarios"
ASK = "Ask a question of an algorithm or queue"
DESIGN = "Design experiments, and repeat published ones"
READ = "Read and hand on results"
LOOK_UP = "Look up"
ADD = "Add something of your own"
SET_UP = "Set up"


def parted(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments of a command line, and the words of the user's own command that stand behind `--`."""
    last = given.index("--") if given and given[0] in WITH_COMMAND and "--" in given else len(given)
    return list(given[:last]), list(given[last + 1 :])


# Commands after whose arguments a command of the user's own may stand.
WITH_COMMAND = ("emulate", "ab")

# Every command in the order of the page of help, with its module.
COMMANDS = {
    "run": "narrows._internal.cli.simulate",
    "compare": "narrows._internal.cli.simulate",
    "emulate": "narrows._internal.cli.emulate",
    "check": "narrows._internal.cli.check",
    "playground": "narrows._internal.cli.handling",
    "matrix": "narrows._internal.cli.views",
    "deploy": "narrows._internal.cli.views",
    "suite": "narrows._internal.cli.suite",
    "ab": "narrows._internal.cli.ab",
    "identify": "narrows._internal.cli.identify",
    "worst": "narrows._internal.cli.worst",
    "study": "narrows._internal.cli.study",
    "reproduce": "narrows._internal.cli.reproduce",
    "report": "narrows._internal.cli.handling",
    "figure": "narrows._internal.cli.handling",
    "why": "narrows._internal.cli.handling",
    "export": "narrows._internal.cli.handling",
    "import": "narrows._internal.cli.handling",
    "pack": "narrows._internal.cli.handling",
    "verify": "narrows._internal.cli.handling",
    "list": "narrows._internal.cli.catalogue",
    "show": "narrows._internal.cli.catalogue",
    "schema": "narrows._internal.cli.check",
    "man": "narrows._internal.cli.shell",
    "new": "narrows._internal.cli.new",
    "doctor": "narrows._internal.cli.doctor",
    "linux": "narrows._internal.cli.linux",
    "completion": "narrows._internal.cli.shell",
}
