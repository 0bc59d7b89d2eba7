# SPDX-License-Identifier: Apache-2.0
"""The options that several commands have, and the types of arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narrows._internal.run.options import Shard


def common(command: argparse.ArgumentParser, names: str, **meanings: str) -> None:
    """Add options of `COMMON`, whose names are separated by spaces; some may mean something else for this command."""
    for name in names.split():
        flag = COMMON[name]
        command.add_argument(f"--{name}", **{**flag, "help": meanings.get(name, flag["help"])})


def work(command: argparse.ArgumentParser) -> None:
    """Add the options of what runs a scenario."""
    metrics(command, "compute an additional metric, as in 'cov(bin=10s)' (repeatable)")
    common(command, f"{OF_SCENARIO} down up jobs out trust")


def emulation(command: argparse.ArgumentParser) -> None:
    """Add the options of programs that carry a flow in real time."""
    what = "command of the far host, as 'iperf3 -s'"
    command.add_argument("--far", metavar="COMMAND", default="", help=what)
    what = "flow group that the commands carry (default: the group under test, or the only one)"
    command.add_argument("--group", metavar="GROUP", help=what)
    what = "congestion control of both hosts, one of this machine's kernel (default: the kernel's own)"
    command.add_argument("--algorithm", metavar="ALG", help=what)
    what = "most of the data comes from the far host"
    command.add_argument("--download", action="store_true", help=what)
    what = "take the numbers that the clients print as metrics: iperf3 (with --json) or curl (with -w '%%{json}\\n')"
    command.add_argument("--read", metavar="PROGRAM", action="append", default=[], help=what)


def metrics(command: argparse.ArgumentParser, meaning: str) -> None:
    """Add --metric."""
    command.add_argument("--metric", dest="metrics", metavar="METRIC", action="append", default=[], help=meaning)
    # Its former name.
    command.add_argument("--measure", dest="metrics", action="append", help=argparse.SUPPRESS)


def backend(command: argparse.ArgumentParser, more: str = "") -> None:
    """Add --on."""
    meaning = f"backend: simulator, linux or linux:NAME{more} (default: %(default)s)"
    command.add_argument("--on", metavar="BACKEND", default="simulator", help=meaning)


def executor(command: argparse.ArgumentParser) -> None:
    """Add --executor and its address."""
    where = "where cells are run (default: %(default)s)"
    command.add_argument("--executor", choices=("threads", "dask"), default="threads", help=where)
    command.add_argument("--address", metavar="URL", help="address of the Dask scheduler, as in tcp://host:8786")


def sizes(command: argparse.ArgumentParser, **meanings: str) -> None:
    """Add an option for each size, of which one may be given."""
    group = command.add_mutually_exclusive_group()
    for name, meaning in meanings.items():
        group.add_argument(f"--{name}", dest="size", action="store_const", const=name, default="quick", help=meaning)


def replication(command: argparse.ArgumentParser, of: str = "") -> None:
    """Add --replication."""
    meaning = f"number of the replication{of}, from 0 (default: the first)"
    command.add_argument("--replication", metavar="N", type=whole(0, 10**6), help=meaning)


def listed(text: str) -> list[str]:
    """Return the elements of a list that is separated by commas; commas in parentheses do not separate."""
    from narrows._internal.run.levels import split

    return split(text)


def whole(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a function that reads a whole number from `minimum` to `maximum`."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum:
            raise argparse.ArgumentTypeError(f"expected a whole number from {minimum} to {maximum}, got {text!r}")
        return number

    return parse


def shard(text: str) -> Shard:
    """Return a shard, as in 3/7."""
    from narrows._internal.run.options import Shard

    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def time(text: str) -> float:
    """Return a time, as in 90s, 30min or 2h, in seconds."""
    for unit, factor in (("min", 60.0), ("h", 3600.0), ("ms", 0.001), ("us", 1e-6), ("s", 1.0)):
        if text.endswith(unit):
            with suppress(ValueError):
                value = float(text.removesuffix(unit))
                if 0 < value < float("inf"):
                    return value * factor
    raise argparse.ArgumentTypeError(f"expected a time, as in 90s, 30min or 2h, got {text!r}")


def millimetres(text: str) -> float:
    """Return a width, as in 84 or 84mm, in millimetres."""
    with suppress(ValueError):
        return float(text.removesuffix("mm"))
    raise argparse.ArgumentTypeError(f"expected a width in millimetres, as in 84 or 84mm, got {text!r}")


class Distinct(argparse.Action):
    """Stores a list of algorithms, and refuses one that is given twice."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        """Store the list."""
        del option_string
        names = [str(value) for value in values or []]
        from narrows._internal.run.scenario import given_twice

        twice = given_twice(names)
        if twice is not None:
            parser.error(f"{twice} is given twice: a comparison names each algorithm once")
        setattr(namespace, self.dest, names)


# Help of --out of most commands.
PLACE = "folder for the results"
# Help texts that several commands share.
ALGORITHM = "algorithm, as for `narrows compare`"
SCENARIO = "scenario file, or name of a scenario of the library"
CELLS = "number of cells in parallel (default: one per processor)"
RESUMED = f"{PLACE}; unfinished results in it are resumed"
ITS_OWN = {"seed": "seed instead of its own", "replications": "number of replications instead of its own"}
# The options of commands that run a scenario, and of commands that can be resumed.
OF_SCENARIO = "set seed replications json quiet"
OF_RESUMED = "seed replications jobs out trust json quiet"
COMMON: dict[str, dict[str, Any]] = {
    "set": {
        "metavar": "KEY.PATH=VALUE",
        "action": "append",
        "default": [],
        "help": "set a key of the scenario, or with + several keys to one value (repeatable)",
    },
    "down": {
        "metavar": "RATE",
        "dest": "set",
        "type": "path.rate={}".format,
        "action": "append",
        "help": "rate of the bottleneck, as `--set path.rate=RATE`; with --up a line of your own",
    },
    "up": {
        "metavar": "RATE",
        "dest": "set",
        "type": "path.reverse.rate={}".format,
        "action": "append",
        "help": "rate of the bottleneck in the other direction, as `--set path.reverse.rate=RATE`",
    },
    "subject": {
        "metavar": "GROUP",
        "action": "append",
        "default": [],
        "help": "flow group whose algorithm is replaced, in place of those that the scenario marks (repeatable)",
    },
    "seed": {"metavar": "N", "type": whole(0, 2**63 - 1), "help": "seed instead of the seed of the scenario"},
    "replications": {
        "metavar": "N",
        "type": whole(1, 10**6),
        "help": "number of replications instead of the number in the scenario",
    },
    "jobs": {
        "metavar": "N",
        "type": whole(1, 4096),
        "help": "number of runs in parallel (default: one per processor)",
    },
    "out": {"metavar": "DIR", "type": Path, "help": f"{PLACE} (default: runs/TITLE-HASH)"},
    "trust": {
        "action": "store_true",
        "help": "execute Python files outside the folder of the given file that are not named on the command line, and "
        "commands in files; for a folder of results, all Python files and commands in it",
    },
    "shard": {
        "metavar": "I/N",
        "type": shard,
        "help": "run the cells that fall to machine I of N, from 1; `narrows study merge` joins the folders",
    },
    "json": {"action": "store_true", "help": "print the result as JSON"},
    "quiet": {"action": "store_true", "help": "show no progress"},
}
