# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. Times of what had not happened by the end of a run are lower bounds, whatever is computed from them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from claim_files import claim, claims_file

from narrows._internal.core import ScenarioError
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.ledger import Found, digest_of_test, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

A, B, C = (f'{{ measure = "rtt_mean_s", where = {{ k = "{k}" }}, missing = 100, never = 100 }}' for k in "abc")


def rows(**values: Sequence[float | None]) -> list[dict[str, Any]]:
    """Return a cell per key and replication, each of another run; a key is the level of `k`."""
    return [
        {
            "k": key,
            "algorithm": "a",
            "replication": place,
            "rtt_mean_s": value,
            "digest": f"{key}{place}",
            "packet_hops": 1,
        }
        for key, each in values.items()
        for place, value in enumerate(each)
    ]


def judged(folder: Path, direction: str, **values: Sequence[float | None]) -> dict[str, Any]:
    """Judge a claim; the end of the run is at 100."""
    (read,) = claims(folder, direction)
    return evaluate(read, "quick", Found({"one": rows(**values)}, {}))


def claims(folder: Path, direction: str) -> Any:
    file = folder / "claims.toml"
    file.write_text(claims_file(1, claim("1-1", "It does", direction)), encoding="utf-8")
    return read_claims(file).claims


def test_two_that_never_happen_are_in_no_order(tmp_path: Path) -> None:
    order = f"{{ order = [{A}, {B}] }}"
    found = judged(tmp_path, order, a=[100.0] * 8, b=[None] * 8)
    assert (found["verdict"], found["effect"], found["seeds"]) == ("inconclusive", None, 0)
    assert found["cause"].startswith("neither had happened by the end in 8 replications; ")
    # Without the key, eight equal values are surely no order.
    assert judged(tmp_path, order.replace(", never = 100", ""), a=[100.0] * 8, b=[100.0] * 8)["verdict"] == "fails"


@pytest.mark.parametrize(
    ("a", "b", "verdict", "seeds"),
    [
        # The later one had not happened: it is the later one.
        ([10.0, 12.0, 11.0], [100.0, None, 100.0], "holds", 3),
        # The one that should be first had not.
        ([100.0, None, 100.0], [10.0, 12.0, 11.0], "fails", 3),
        # Both ways: nothing is known of the mean.
        ([100.0, 10.0, 12.0, 14.0, 11.0], [10.0, 100.0, 100.0, 100.0, 100.0], "inconclusive", 5),
        # Those of which neither had do not count.
        ([10.0, 12.0, 11.0, 100.0], [20.0, 23.0, 24.0, 100.0], "holds", 3),
        ([10.0, 12.0, 11.0, 13.0], [20.0, 23.0, 24.0, 24.0], "holds", 4),
    ],
)
def test_one_that_never_happens_is_the_later_one(
    tmp_path: Path, a: Sequence[float | None], b: Sequence[float | None], verdict: str, seeds: int
) -> None:
    found = judged(tmp_path, f"{{ order = [{A}, {B}] }}", a=a, b=b)
    assert (found["verdict"], found["seeds"]) == (verdict, seeds)


def test_a_mean_of_lower_bounds_is_one(tmp_path: Path) -> None:
    # Were 100 the time, the mean would surely lie below 103.
    test = f"{{ is = {A}, at_most = 103 }}"
    found = judged(tmp_path, test, a=[99.0, 98.0, 97.0, 100.0])
    assert (found["verdict"], found["seeds"]) == ("holds", 3)
    assert "it had not happened" not in (found["cause"] or "")
    # At least 50 it surely is, whatever the time; and surely not at most 50.
    assert judged(tmp_path, f"{{ is = {A}, at_least = 50 }}", a=[90.0, 95.0, 100.0])["verdict"] == "holds"
    assert judged(tmp_path, f"{{ is = {A}, at_most = 50 }}", a=[90.0, 95.0, 100.0])["verdict"] == "fails"
    # A mean of 5 with a lower bound in it, of which nothing says that it is at most 60.
    found = judged(tmp_path, f"{{ is = {A}, at_most = 60 }}", a=[5.0] * 30 + [6.0] * 30 + [100.0])
    assert found["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    ("quantity", "open_ones"),
    [
        # Nothing is late in replication 0, A in 1, B in 2, C in 0: where the true value may be higher, and lower.
        ("A", ({1}, set())),
        ("{ sum = [A, B] }", ({1, 2}, set())),
        ("{ mean = [A, B] }", ({1, 2}, set())),
        ("{ plus = [A, B] }", ({1, 2}, set())),
        ("{ times = [A, 2] }", ({1}, set())),
        ("{ max = [A, B] }", ({1, 2}, set())),
        ("{ min = [A, B] }", (set(), set())),
        ("{ minus = [A, B] }", ({1}, {2})),
        ("{ ratio = [A, B] }", ({1}, {2})),
        ("{ ratio = [1, A] }", (set(), {1})),
        ("{ max = [{ minus = [5, A] }, { minus = [5, B] }] }", (set(), set())),
        ("{ min = [{ minus = [5, A] }, { minus = [5, B] }] }", (set(), {1, 2})),
        ("{ times = [A, { minus = [0, 1] }] }", ({1}, {1})),
        ("{ correlation = [A, B], over = { x = [1] } }", (set(), set())),
        ("{ probability = A, at_most = 50 }", (set(), set())),
        ("{ probability = A, at_most = 150 }", ({1}, {1})),
        ("{ probability = A, at_least = 50 }", (set(), set())),
        ("{ constant = C }", ({0, 1, 2}, set())),
    ],
)
def test_what_is_computed_from_a_lower_bound_is_a_bound(
    tmp_path: Path, quantity: str, open_ones: tuple[set[int], set[int]]
) -> None:
    for name, text in (("A", A), ("B", B), ("C", C)):
        quantity = quantity.replace(f" {name} ", f" {text} ").replace(f" {name},", f" {text},")
        quantity = quantity.replace(f"[{name},", f"[{text},").replace(f" {name}]", f" {text}]")
        quantity = text if quantity == name else quantity
    (read,) = claims(tmp_path, f"{{ is = {quantity}, at_most = 1 }}")
    cells = {"one": rows(a=[5.0, None, 7.0], b=[9.0, 8.0, 100.0], c=[None])}
    assert read.direction.quantity.unsure(cells, {}) == open_ones


def test_bounds_enclose_what_a_longer_run_would_have_found(tmp_path: Path) -> None:
    # The same quantity with true times, and with these cut at 100.
    outer = ("sum", "max", "min", "minus", "plus", "ratio", "times")
    inner = ("sum", "mean", "max", "min", "minus", "ratio", "times")
    forms = [f"{{ {one} = [X, {{ {other} = [Y, Z] }}] }}" for one, other in itertools.product(outer, inner)]
    times = [(a, b, c) for a in (40.0, 130.0, 300.0) for b in (60.0, 120.0, 250.0) for c in (20.0, 170.0)]
    true = {"one": rows(a=[a for a, _, _ in times], b=[b for _, b, _ in times], c=[c for *_, c in times])}
    cut = {"one": [{**row, "rtt_mean_s": min(row["rtt_mean_s"], 100.0)} for row in true["one"]]}
    for form in forms:
        text = form.replace("X", A).replace("Y", B).replace("Z", C)
        (read,) = claims(tmp_path, f"{{ is = {text}, at_most = 1 }}")
        quantity = read.direction.quantity
        bounds, unsure, whole = quantity.values(cut, {}), quantity.unsure(cut, {}), quantity.values(true, {})
        for each, value in whole.items():
            if each not in bounds:
                # A quotient by zero has no value.
                continue
            assert value <= bounds[each] or each in unsure.higher, (form, times[each])
            assert value >= bounds[each] or each in unsure.lower, (form, times[each])


def test_a_probability_counts_what_is_known(tmp_path: Path) -> None:
    found = judged(
        tmp_path, f"{{ is = {{ probability = {A}, at_most = 150 }}, at_least = 0.1 }}", a=[5.0] * 4 + [100.0]
    )
    assert (found["effect"], found["seeds"]) == (1.0, 4)


def test_a_test_without_the_key_has_the_digest_that_it_had(tmp_path: Path) -> None:
    plain = f"{{ order = [{A.replace(', never = 100', '')}, {B.replace(', never = 100', '')}] }}"
    (without,), (with_it,) = claims(tmp_path, plain), claims(tmp_path, f"{{ order = [{A}, {B}] }}")
    assert digest_of_test(without) == "c2ce1ee2fdca88f0"
    assert digest_of_test(with_it) != digest_of_test(without)


@pytest.mark.parametrize("value", ['"late"', "true", "nan"])
def test_the_end_is_a_number(tmp_path: Path, value: str) -> None:
    with pytest.raises(ScenarioError, match=r"claims\.toml:\d+:\d+: .*never"):
        claims(tmp_path, f"{{ order = [{A.replace('never = 100', f'never = {value}')}, {B}] }}")
