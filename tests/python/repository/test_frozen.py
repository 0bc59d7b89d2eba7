# SPDX-License-Identifier: Apache-2.0
"""`frozen` makes what `dataclass(frozen=True)` makes: the same constructor, text, equality and hash, and no changes."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import pytest

from narrows._internal.frozen import frozen


class Link:
    """What both decorators are given."""

    kind: ClassVar = "link"
    name: str
    rate: float = 1.0
    queues: list[str] = field(default_factory=list)
    seen: int = field(default=0, compare=False, repr=False)


class Longer:
    """What inherits from it."""

    hops: int = 2

    def __post_init__(self) -> None:
        if self.hops < 1:
            raise ValueError(self.hops)

    @cached_property
    def twice(self) -> int:
        """A value that is computed once."""
        return 2 * self.hops


def made(decorator: Any) -> tuple[Any, Any]:
    """Return both classes as a decorator makes them."""
    link, longer = (
        {name: each for name, each in vars(of).items() if name not in {"__dict__", "__weakref__"}}
        for of in (Link, Longer)
    )
    base = decorator(type("Link", (), link))
    return base, decorator(type("Longer", (base,), longer))


OURS = made(frozen)
THEIRS = made(dataclass(frozen=True))
CALLS: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = [
    (0, ("a",), {}),
    (0, ("a", 2.0, ["x"]), {"seen": 3}),
    (1, ("b",), {"hops": 4}),
]


@pytest.mark.parametrize(("which", "given", "named"), CALLS)
def test_an_instance_is_as_that_of_a_frozen_data_class(which: int, given: tuple[Any], named: dict[str, Any]) -> None:
    ours, theirs = OURS[which](*given, **named), THEIRS[which](*given, **named)
    assert repr(ours) == repr(theirs)
    assert asdict(ours) == asdict(theirs)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert asdict(replace(ours, rate=9.0)) == asdict(replace(theirs, rate=9.0))
    assert (copy.copy(ours), ours.kind) == (ours, "link")


def test_the_signature_of_the_constructor_names_every_field() -> None:
    for ours, theirs in zip(OURS, THEIRS, strict=True):
        names = list(inspect.signature(theirs).parameters)
        assert list(inspect.signature(ours).parameters) == names


def test_equality_and_hash_are_of_the_compared_fields_and_of_one_class() -> None:
    link, longer = OURS
    assert link("a", seen=1) == link("a", seen=2)
    assert link("a") != link("b")
    assert link("a") != longer("a")
    assert hash(link("a", queues=())) == hash(link("a", queues=(), seen=4))
    assert hash(link("a", queues=())) == hash(THEIRS[0]("a", queues=()))


def test_no_field_can_be_set_or_deleted_and_a_value_may_be_kept() -> None:
    found = OURS[1]("a", hops=3)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'hops'"):
        found.hops = 4
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'hops'"):
        del found.hops
    assert (found.twice, found.__dict__["twice"]) == (6, 6)


def test_each_instance_has_a_default_of_its_own_and_is_checked() -> None:
    link, longer = OURS
    assert link("a").queues is not link("b").queues
    with pytest.raises(ValueError, match="0"):
        longer("a", hops=0)
    with pytest.raises(TypeError, match="name"):
        link()
    with pytest.raises(TypeError, match="speed"):
        link("a", speed=1)


@frozen
class Kept:
    """A class that a pickle can name."""

    number: int


def test_an_instance_survives_a_pickle() -> None:
    assert pickle.loads(pickle.dumps(Kept(3))) == Kept(3)  # noqa: S301
