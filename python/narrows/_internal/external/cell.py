# SPDX-License-Identifier: Apache-2.0
"""Classes from a cell of a notebook, or from a prompt that keeps its input, as files that a run can read."""

from __future__ import annotations

import ast
import atexit
import builtins
import hashlib
import linecache
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from narrows._internal.errors import InputError


def written(algorithm: type) -> Path:
    """Write a class to a file that is named by its content, for as long as this process lives."""
    content = source(algorithm)
    folder = _folder() / hashlib.sha256(content.encode()).hexdigest()[:16]
    file = folder / f"{algorithm.__name__}.py"
    if not file.is_file():
        folder.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return file


def source(algorithm: type) -> str:
    """Return the text of a file with a class and everything of its notebook that it uses; errors as `written`."""
    name = algorithm.__name__
    return "\n\n".join(_parts(name, algorithm, _names_known_to(algorithm), set(), name)) + "\n"


def _parts(name: str, found: object, known: Mapping[str, object], done: set[str], asked: str) -> Iterator[str]:
    """Yield the source that gives `name` its value, preceded by the sources that it uses."""
    done.add(name)
    match found:
        case ModuleType():
            yield f"import {found.__name__} as {name}"
        case type() | FunctionType() if found.__module__ not in _NOT_IMPORTED:
            yield f"from {found.__module__} import {found.__qualname__} as {name}"
        case type() | FunctionType():
            node, text = _definition(found)
            for used in _used(node, known, done):
                # Names that an earlier one has defined meanwhile are there.
                if used not in done:
                    yield from _parts(used, known[used], known, done, asked)
            yield text
        case _ if _is_constant(found):
            yield f"{name} = {found!r}"
        case _ if hasattr(found, "__module__") and hasattr(found, "__qualname__"):
            yield f"from {found.__module__} import {found.__qualname__} as {name}"
        case _:
            problem = f"uses `{name}`, a {type(found).__name__}, which a run cannot have; allowed: modules, functions, "
            raise InputError(asked, f"{problem}classes, and constants of numbers and texts; or make it in __init__")


def _definition(found: type | FunctionType) -> tuple[ast.stmt, str]:
    """Return the definition of a class or function at the top level of a cell: its node and its text."""
    for code in _codes(found):
        text = "".join(linecache.getlines(code.co_filename))
        try:
            body = ast.parse(text).body
        except SyntaxError:
            # A cell with a magic command; IPython keeps it as it was typed, or as Python.
            body = ast.parse("".join(_without_magic(line) for line in text.splitlines(keepends=True))).body
        for node in body:
            if (
                isinstance(node, ast.ClassDef | ast.FunctionDef)
                and node.name == found.__name__
                and node.lineno <= code.co_firstlineno <= (node.end_lineno or 0) + 1
            ):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                return node, "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    problem = "its source is not to be had: define it in a cell of a notebook, or save it and name it as"
    raise InputError(found.__qualname__, f'{problem} a file and a class in it, as in "./mine.py:Mine"')


def _codes(found: type | FunctionType) -> Iterator[CodeType]:
    functions = vars(found).values() if isinstance(found, type) else [found]
    for each in functions:
        plain = getattr(each, "__wrapped__", None) or getattr(each, "__func__", None) or each
        if isinstance(plain, FunctionType):
            yield plain.__code__


def _names_known_to(algorithm: type) -> Mapping[str, object]:
    functions = (each for each in vars(algorithm).values() if isinstance(each, FunctionType))
    return next((each.__globals__ for each in functions if each.__module__ in _NOT_IMPORTED), {})


def _used(node: ast.stmt, known: Mapping[str, object], done: set[str]) -> Iterator[str]:
    """Yield the names that a definition uses and the notebook defines, in their order."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            name = each.id
            if name in known and name not in done and not hasattr(builtins, name):
                yield name


def _is_constant(found: object) -> bool:
    if isinstance(found, tuple | list | set | frozenset):
        return all(_is_constant(each) for each in found)
    if isinstance(found, dict):
        return all(_is_constant(key) and _is_constant(value) for key, value in found.items())
    return found is None or isinstance(found, bool | int | float | str | bytes)


def _without_magic(line: str) -> str:
    return "\n" if line.lstrip().startswith(("%", "!")) else line


@cache
def _folder() -> Path:
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="narrows-cells-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# The module with the names of a notebook or prompt; no other process can import them.
_NOT_IMPORTED = {"__main__", "builtins"}
