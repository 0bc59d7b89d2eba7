# SPDX-License-Identifier: Apache-2.0
"""Frozen data classes with shared methods: `dataclass` compiles six methods per class, most of the import time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(made: type[Made]) -> type[Made]:
    """Make a class a data class as `dataclass(frozen=True)` does; `replace`, `fields` and `asdict` accept it."""
    if not made.__doc__:
        # Or `dataclass` would put the signature there, which takes long to find out.
        made.__doc__ = made.__name__
    dataclass(init=False, repr=False, eq=False)(made)
    known = {each.name: each for each in fields(made)}  # type: ignore[arg-type]
    for name, method in METHODS.items():
        if name not in made.__dict__:
            setattr(made, name, method)
    made.__shown__ = tuple(name for name, each in known.items() if each.repr)  # type: ignore[attr-defined]
    made.__compared__ = tuple(name for name, each in known.items() if each.compare)  # type: ignore[attr-defined]
    made.__init__ = _constructor(known, complete=hasattr(made, "__post_init__"))  # type: ignore[method-assign]
    return made


def _constructor(known: Mapping[str, Field[Any]], *, complete: bool) -> Any:
    """Return the `__init__` of a class with these fields; `complete` has it call `__post_init__`."""
    names: dict[str, Any] = {"put": object.__setattr__, "MISSING": MISSING}
    parameters, lines = [], []
    for name, each in known.items():
        value = name
        if each.default_factory is not MISSING:
            names[f"make_{name}"] = each.default_factory
            parameters.append(f"{name}=MISSING")
            value = f"make_{name}() if {name} is MISSING else {name}"
        elif each.default is not MISSING:
            names[f"default_{name}"] = each.default
            parameters.append(f"{name}=default_{name}")
        else:
            parameters.append(name)
        lines.append(f" put(self, {name!r}, {value})")
    if complete:
        lines.append(" self.__post_init__()")
    exec(f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines), names)  # noqa: S102  # of this package's classes
    made = names["__init__"]
    made.__annotations__ = {**{name: each.type for name, each in known.items()}, "return": None}
    return made


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__shown__)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _values(of: Any) -> tuple[Any, ...]:
    return tuple([getattr(of, name) for name in of.__compared__])


def _setattr(self: Any, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r} of {type(self).__name__}")


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r} of {type(self).__name__}")


METHODS = {"__repr__": _repr, "__eq__": _eq, "__hash__": _hash, "__setattr__": _setattr, "__delattr__": _delattr}
