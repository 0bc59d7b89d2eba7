# SPDX-License-Identifier: Apache-2.0
"""The types of arguments of commands: numbers, times, lists, and options that print something."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from narrows.run.shard import Shard


def listed(text: str) -> list[str]:
    """Return the elements of a list that is separated by commas; commas in parentheses do not separate."""
    from narrows.run.list_arguments import split

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
    """Return a shard, as in 3/7.

    Raises:
        argparse.ArgumentTypeError: The text is none.
    """
    from narrows.run.shard import Shard

    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def time(text: str) -> float:
    """Return a time, as in 90s, 30min or 2h, in seconds.

    Raises:
        argparse.ArgumentTypeError: The text is not a positive time.
    """
    for unit, factor in (("min", 60.0), ("h", 3600.0), ("ms", 0.001), ("s", 1.0)):
        if text.endswith(unit):
            with suppress(ValueError):
                value = float(text.removesuffix(unit))
                if 0 < value < float("inf"):
                    return value * factor
    raise argparse.ArgumentTypeError(f"expected a time, as in 90s, 30min or 2h, got {text!r}")


def millimetres(text: str) -> float:
    """Return a width, as in 84 or 84mm, in millimetres.

    Raises:
        argparse.ArgumentTypeError: The text is not a number.
    """
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
        from narrows.run.scenario import given_twice

        twice = given_twice(names)
        if twice is not None:
            parser.error(f"{twice} is given twice: a comparison names each algorithm once")
        setattr(namespace, self.dest, names)


class Version(argparse.Action):
    """Prints the version of the package, with the numbers of what it reads and writes, and ends the process."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        """Print the version, and what is equal where results, digests, controllers or files fit together."""
        del namespace, values, option_string
        from narrows import core
        from narrows.files.format import FORMATS
        from narrows.versions import version

        numbers = [
            f"{name} {each.number}" + (f" (reads {each.oldest})" if each.oldest < each.number else "")
            for name, each in FORMATS.items()
        ]
        (header,) = re.findall(r"^#define NARROWS_VERSION (\d+)$", core.c_header(), re.MULTILINE)
        print(f"narrows {version('narrows')}")
        print(f"engine  {core.fingerprint()[:12]}")
        print(f"digest  {core.digest_schema()}")
        print(f"header  {header}")
        print(f"formats {', '.join(numbers)}")
        parser.exit()
