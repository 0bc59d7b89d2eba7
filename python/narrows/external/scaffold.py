"""Templates of new algorithms: the files that `narrows new algorithm` writes."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from narrows.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def check_name(name: str) -> None:
    """Check that `name` can name files, a class and a crate.

    Raises:
        InputError: The name is not allowed; the message gives the rule.
    """
    if NAME.fullmatch(name) is None or keyword.iskeyword(name):
        raise InputError(
            name, "cannot name an algorithm: lower-case letters, digits and _, a letter first, and no keyword of Python"
        )


def new_python(name: str, folder: Path) -> list[Path]:
    """Write a template of an algorithm in Python and its test.

    Args:
        name: Name of the file without suffix.
        folder: The folder for the files.

    Returns:
        The files written.

    Raises:
        InputError: The name is not allowed, or a file exists already.
    """
    check_name(name)
    words = {"name": name, "class": class_name(name)}
    return write_new({folder / f"{name}.py": PYTHON % words, folder / f"test_{name}.py": PYTHON_TEST % words})


def write_new(files: dict[Path, str]) -> list[Path]:
    """Write new files, none of which may exist.

    Args:
        files: Texts by path.

    Returns:
        The paths.

    Raises:
        InputError: A file exists already, or its folder cannot be written.
    """
    for file in files:
        if file.exists():
            raise InputError(str(file), "is there already, and nothing is overwritten")
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(error.filename), error.strerror or str(error)) from error
    return list(files)


def class_name(name: str) -> str:
    """Return the class name of an algorithm.

    Examples:
        >>> class_name("my_reno2")
        'MyReno2'
    """
    return "".join(part.capitalize() for part in name.split("_"))


NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")

PYTHON = '''\
"""Additive increase, multiplicative decrease."""


class %(class)s:
    """A window that grows by `a` packets a round trip and keeps the share `b` of itself at a loss.

    Source: where it is from.
    Equations: w += a * acked / w; at a loss w = b * w; after a timeout w = 1.
    Deviations: none.
    Validation: none yet.
    """

    def __init__(self, setup, a=1.0, b=0.5):
        self.a, self.b = a, b
        self.window, self.ssthresh = setup.initial_window, setup.initial_ssthresh

    def on_ack(self, ack):
        if ack.may_grow:
            slow_start = self.window < self.ssthresh
            self.window += ack.newly_acked if slow_start else self.a * ack.newly_acked / self.window

    def on_loss(self, loss):
        if loss.new_episode:
            self.ssthresh = self.window = max(self.b * self.window, 2.0)
        if loss.cause == "timeout":
            self.window = 1.0
'''

PYTHON_TEST = '''\
"""`python test_%(name)s.py`, or pytest."""

from pathlib import Path

import narrows as nw

from %(name)s import %(class)s


def test_the_window_grows_by_one_packet_a_round_trip():
    algorithm = %(class)s(nw.Setup(initial_window=10.0, initial_ssthresh=10.0))
    for _ in range(10):
        algorithm.on_ack(nw.Ack(newly_acked=1))
    assert 10.9 < algorithm.window < 11.0


def test_nothing_grows_while_the_window_is_not_the_limit():
    algorithm = %(class)s(nw.Setup(initial_window=10.0))
    algorithm.on_ack(nw.Ack(newly_acked=1, may_grow=False))
    assert algorithm.window == 10.0


def test_an_episode_halves_the_window_once_and_a_timeout_leaves_one_packet():
    algorithm = %(class)s(nw.Setup(initial_window=10.0))
    algorithm.on_loss(nw.Loss(new_episode=True))
    algorithm.on_loss(nw.Loss(new_episode=False))
    assert algorithm.window == 5.0
    algorithm.on_loss(nw.Loss(cause="timeout", new_episode=False))
    assert algorithm.window == 1.0


def test_it_fills_a_link():
    scenario = nw.Scenario({
        "duration": "10s",
        "warmup": "2s",
        "path": {"rate": "10Mbps", "rtt": "40ms"},
        "flows": [{"name": "mine", "algorithm": "./%(name)s.py:%(class)s"}],
    }, directory=Path(__file__).parent)
    assert scenario.run().summary["groups"]["mine"]["goodput_fraction"]["mean"] > 0.9


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print("passed:", name)
'''
