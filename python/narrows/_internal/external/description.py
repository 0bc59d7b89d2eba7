# SPDX-License-Identifier: Apache-2.0
"""The description of an external algorithm by its source alone, without execution; undecided properties are omitted."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from narrows._internal import core
from narrows._internal.external.algorithm import DECLARED, HOOKS, REQUIRED, declared, explain
from narrows._internal.external.source import FORM, AlgorithmError, read

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
# The value of a name; None if the source does not decide.
Bindings: TypeAlias = "dict[str, ast.ClassDef | Function | ast.expr | None]"


class Description(NamedTuple):
    """A class in a file."""

    digest: str
    docstring: str
    parameters: dict[str, str | None]  # of the constructor, after the setup, each with its default as written
    complete: bool = False  # no base class is in another file
    members: frozenset[str] = frozenset()
    declared: Mapping[str, str] = {}  # never changed
    reads: frozenset[str] = frozenset()  # names of attributes that the file reads


def describe(file: Path, name: str, given: Mapping[str, object] | None, trusted: Sequence[str]) -> Description:
    """Describe an algorithm without executing its file."""
    content, digest = read(file, trusted)
    try:
        module = ast.parse(content, str(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise AlgorithmError(f"the file fails:\n{explain(error)}") from error
    names, open_ended = _bindings(module.body)
    if name not in names:
        if open_ended:
            return Description(digest, "", {})
        classes = [each for each, node in names.items() if isinstance(node, ast.ClassDef)]
        allowed = ", ".join(classes) or "the file holds no class"
        raise AlgorithmError(f"unknown class {name} of the file", allowed, near=core.nearest(name, classes))
    found = names[name]
    if isinstance(found, Functions) and not found.decorator_list:
        raise AlgorithmError(f"{name} is a function, not a class", FORM)
    if not isinstance(found, ast.ClassDef):
        return Description(digest, "", {})
    members, complete = _members(found, names, open_ended=open_ended)
    _check_hooks(name, members, complete=complete)
    said = {attribute: _said(name, attribute, members.get(attribute)) for attribute in DECLARED}
    constructor = members.get("__init__")
    plain = constructor if isinstance(constructor, Functions) and not constructor.decorator_list else None
    if plain is not None and given is not None and "__new__" not in members and not found.decorator_list:
        _check_parameters(name, plain.args, given)
    docstring = inspect.cleandoc(ast.get_docstring(found, clean=False) or "")
    parameters = _parameters(plain.args) if plain is not None else {}
    reads = frozenset(each.attr for each in ast.walk(module) if isinstance(each, ast.Attribute))
    return Description(digest, docstring, parameters, complete, frozenset(members), said, reads)


def _said(name: str, attribute: str, node: ast.AST | None) -> str:
    """Return the word of a class attribute; the default if the source does not decide."""
    return declared(name, attribute, node.value if isinstance(node, ast.Constant) else None)


def _bindings(body: Iterable[ast.stmt]) -> tuple[Bindings, bool]:
    """Return the names that statements bind, and whether they may bind others."""
    names: Bindings = {}
    open_ended = False
    for each in _statements(body):
        match each:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names[name] = each
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                open_ended |= any(alias.name == "*" for alias in imported)
                names |= {(alias.asname or alias.name).partition(".")[0]: None for alias in imported}
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = value
            case _:
                names |= {node.id: None for node in ast.walk(each) if isinstance(node, ast.Name)}
    return names, open_ended


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and those within conditions, loops and the like, but not within functions and classes."""
    for each in body:
        yield each
        if not isinstance(each, (*Functions, ast.ClassDef)):
            for part in ast.iter_child_nodes(each):
                if isinstance(part, ast.stmt):
                    yield from _statements([part])
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    yield from _statements(part.body)


def _members(
    found: ast.ClassDef, names: Bindings, *, open_ended: bool, within: tuple[str, ...] = ()
) -> tuple[Bindings, bool]:
    """Return the members of a class with those that it inherits, and whether these are all."""
    members: Bindings = {}
    complete = not (found.keywords or found.decorator_list or open_ended)
    for base in reversed(found.bases):
        node = names.get(base.id) if isinstance(base, ast.Name) else None
        if isinstance(node, ast.ClassDef) and node.name not in within:
            inherited, whole = _members(node, names, open_ended=open_ended, within=(*within, found.name))
            members |= inherited
            complete &= whole
        else:
            complete &= isinstance(base, ast.Name) and base.id == "object"
    own, _ = _bindings(found.body)
    return members | own, complete


def _check_hooks(name: str, members: Bindings, *, complete: bool) -> None:
    for each in (each for each in members if each.startswith("on_") and each not in HOOKS):
        message = f"{name} has a method `{each}`, which is never called"
        raise AlgorithmError(message, ", ".join(HOOKS), near=core.nearest(each, HOOKS))
    for each in (each for each in REQUIRED if complete and each not in members):
        raise AlgorithmError(f"{name} has no method `{each}`", f"a class with {' and '.join(REQUIRED)}")
    for each in HOOKS:
        method = members.get(each)
        if isinstance(method, Functions) and not method.decorator_list and not _takes_one(method.args):
            given = ast.unparse(method.args)
            raise AlgorithmError(f"{name}.{each} cannot be called with one fact: it is defined as {each}({given})")


def _takes_one(arguments: ast.arguments) -> bool:
    """Return whether a method can be called with one argument besides the object."""
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required = positional - len(arguments.defaults)
    return (
        required <= len(("self", "fact"))
        and (positional >= len(("self", "fact")) or arguments.vararg is not None)
        and all(default is not None for default in arguments.kw_defaults)
    )


def _check_parameters(name: str, arguments: ast.arguments, given: Mapping[str, object]) -> None:
    known = _parameters(arguments)
    for each in given:
        if each not in known and arguments.kwarg is None:
            message = f"{name} has no parameter `{each}`"
            raise AlgorithmError(
                message, ", ".join(known) or "no parameter at all", near=core.nearest(each, list(known))
            )
    for each, default in known.items():
        if default is None and each not in given:
            raise AlgorithmError(f"{name} needs a value for its parameter `{each}`", f"as in {name}({each}=1)")
    for each in (each for each in given if each in known):
        wanted, found = _kind(_literal(known[each])), _kind(given[each])
        if wanted is not None and found != wanted:
            message = f"{name}'s parameter `{each}` is {wanted}, {known[each]} by default; given is {given[each]!r}"
            raise AlgorithmError(message, wanted)


def _literal(default: str | None) -> object:
    """Return the value of a default that is written out; None if it is not, or if there is none."""
    try:
        return ast.literal_eval(default or "None")
    except ValueError:
        return None


def _kind(value: object) -> str | None:
    """Return the kind of parameter that a default value implies; None if it implies none."""
    return next((words for kinds, words in KINDS if isinstance(value, kinds)), None)


def _parameters(arguments: ast.arguments) -> dict[str, str | None]:
    """Return the parameters of a constructor after the object and the setup."""
    both = [*arguments.posonlyargs, *arguments.args]
    defaults = [*([None] * (len(both) - len(arguments.defaults))), *arguments.defaults]
    pairs = [*zip(both, defaults, strict=True)][len(("self", "setup")) :]
    pairs = [pair for pair in pairs if pair[0] not in arguments.posonlyargs]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {each.arg: None if default is None else ast.unparse(default) for each, default in pairs}


# A flag is a number, too, so it stands first.
KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "a text"),
)
Functions = (ast.FunctionDef, ast.AsyncFunctionDef)
