# SPDX-License-Identifier: Apache-2.0
"""External algorithms in Python files: executing, checking and error messages."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.external.cell import written
from narrows._internal.external.source import FORM, AlgorithmError, executing, read
from narrows._internal.typed import Typed


def find(file: Path, name: str, trusted: Sequence[str]) -> tuple[type, str, str, str, str]:
    """Execute a file and return a class in it that is an algorithm."""
    content, digest = read(file, trusted)
    found = _attribute(_execute(str(file), content, digest), name)
    if not isinstance(found, type):
        raise AlgorithmError(f"{name} is a {type(found).__name__}, not a class", FORM)
    _check_hooks(found)
    for attribute in ANSWERS:
        if not hasattr(found, attribute):
            # So that reading unused attributes costs no exception.
            setattr(found, attribute, None)
    ecn, slow_start, undo = (declared(name, word, getattr(found, word, None)) for word in DECLARED)
    return found, ecn, slow_start, undo, digest


def declared(name: str, attribute: str, value: object) -> str:
    """Return the word that a class attribute in `DECLARED` stands for; the first of its words if it is None."""
    words = DECLARED[attribute]
    # A method or a property of such a name is the class's own.
    if value is None or callable(value) or isinstance(value, property):
        return words[0]
    if value not in words:
        raise AlgorithmError(f"{name}.{attribute} is {value!r}", ", ".join(f'"{word}"' for word in words))
    return str(value)


def named(algorithm: str | type) -> str:
    """Return the name of an algorithm in a scenario: for a class its file and its name, as in `mine.py:Mine`."""
    if isinstance(algorithm, str):
        return algorithm
    if not isinstance(algorithm, type):
        raise TypeError(f"{algorithm!r} is neither the name of an algorithm nor a class")
    try:
        file = inspect.getsourcefile(algorithm)
    except (TypeError, OSError):
        file = None
    if "." not in algorithm.__qualname__ and (file is None or not Path(file).is_file()):
        return Typed(f"{written(algorithm)}:{algorithm.__name__}")
    if file is None or "." in algorithm.__qualname__:
        problem = "a class must be at the top of a file, for every run reads it anew; save it and name it as"
        raise InputError(algorithm.__qualname__, f"{problem} {FORM}")
    path = Path(file)
    here = Path.cwd()
    return Typed(f"{path.relative_to(here) if path.is_relative_to(here) else path}:{algorithm.__name__}")


def explain(error: BaseException) -> str:
    """Return the traceback of an error as text, without the frames of this package and without absolute paths."""
    trace = error.__traceback__
    while trace is not None and Path(trace.tb_frame.f_code.co_filename).parent == HERE:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace)).rstrip("\n")
    if isinstance(error, AttributeError) and error.name and error.obj is not None and "Did you mean" not in text:
        # As Python does from 3.12 on; most such names mean an attribute with its unit.
        near = core.nearest(error.name, [each for each in dir(error.obj) if not each.startswith("_")])
        text += f". Did you mean: '{near}'?" if near else ""
    # It is kept in the folder of a study, which does not record its origin.
    return re.sub(r'File "([^"]+)"', lambda found: f'File "{_shown(found[1])}"', text)


def _shown(file: str) -> str:
    """Return a file as a traceback shows it: below the working folder or a package, else by its name alone."""
    path = Path(file)
    if not path.is_absolute():
        return file
    if PACKAGES in path.parts:
        return "/".join(path.parts[path.parts.index(PACKAGES) + 1 :])
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else path.name


def _execute(file: str, content: bytes, digest: str) -> ModuleType:
    # A fresh module each time: state that one run leaves in it must not reach another. Dataclasses look it up by its
    # name.
    module = ModuleType(f"narrows_algorithm_{digest[:16]}")
    module.__file__ = file
    sys.modules[module.__name__] = module
    try:
        with executing(content):
            exec(compile(content, file, "exec"), module.__dict__)  # noqa: S102  # that it is executed is what it is for
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # even `sys.exit()` in the file is only an error in the file
        raise AlgorithmError(f"the file fails:\n{explain(error)}") from error
    return module


def _attribute(module: ModuleType, name: str) -> Any:
    found: Any = getattr(module, name, None)
    if found is not None:
        return found
    classes = [
        name for name, each in vars(module).items() if isinstance(each, type) and each.__module__ == module.__name__
    ]
    allowed = ", ".join(classes) or "the file holds no class"
    raise AlgorithmError(f"unknown class {name} of the file", allowed, near=core.nearest(name, classes))


def _check_hooks(found: type) -> None:
    for name in (each for each in dir(found) if each.startswith("on_") and each not in HOOKS):
        message = f"{found.__name__} has a method `{name}`, which is never called"
        raise AlgorithmError(message, ", ".join(HOOKS), near=core.nearest(name, HOOKS))
    for name in REQUIRED:
        if not hasattr(found, name):
            raise AlgorithmError(f"{found.__name__} has no method `{name}`", f"a class with {' and '.join(REQUIRED)}")
    called: dict[str, tuple[tuple[None, ...], str]] = dict.fromkeys(HOOKS, ((None,), "one fact"))
    called[OBSERVE] = ((), "no argument")
    for name, (given, words) in called.items():
        if not hasattr(found, name):
            continue
        method = inspect.getattr_static(found, name)
        if not callable(getattr(found, name)):
            raise AlgorithmError(f"{found.__name__}.{name} is a {type(method).__name__}, not a method")
        try:
            inspect.signature(getattr(found, name)).bind(found, *given)
        except TypeError as error:
            raise AlgorithmError(f"{found.__name__}.{name} cannot be called with {words}: {error}") from error


REQUIRED = ("on_ack", "on_loss")
HOOKS = (*REQUIRED, "on_recovered", "on_sent", "on_spurious_loss", "on_idle_restart", "on_timer")
OBSERVE = "observe"
ANSWERS = ("window", "pacing_rate", "ssthresh", "timer_s")
# Attributes of a class that say something of it, with their words; the first is the default.
DECLARED = {
    "ecn": ("classic", "counted", "low-latency"),
    "slow_start": ("own", "host"),
    "undo": ("own", "host"),
}
HERE = Path(__file__).parent
PACKAGES = "site-packages"
