# SPDX-License-Identifier: Apache-2.0
"""The declaration of a command, from which all about it follows; all commands, and their exit statuses."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
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

# Every command in the order of the page of help, with its module.
COMMANDS = {
    "run": "narrows.cli.simulate",
    "compare": "narrows.cli.simulate",
    "check": "narrows.cli.check",
    "playground": "narrows.cli.handling",
    "matrix": "narrows.cli.views",
    "deploy": "narrows.cli.views",
    "suite": "narrows.cli.suite",
    "ab": "narrows.cli.ab",
    "worst": "narrows.cli.worst",
    "study": "narrows.cli.study",
    "reproduce": "narrows.cli.reproduce",
    "report": "narrows.cli.handling",
    "figure": "narrows.cli.handling",
    "why": "narrows.cli.handling",
    "export": "narrows.cli.handling",
    "import": "narrows.cli.handling",
    "pack": "narrows.cli.handling",
    "verify": "narrows.cli.handling",
    "list": "narrows.cli.catalogue",
    "show": "narrows.cli.catalogue",
    "schema": "narrows.cli.check",
    "man": "narrows.cli.shell",
    "new": "narrows.cli.new",
    "doctor": "narrows.cli.doctor",
    "linux": "narrows.cli.linux",
    "completion": "narrows.cli.shell",
}
