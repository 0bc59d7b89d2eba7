# SPDX-License-Identifier: Apache-2.0
"""Truth: rule and contract. Predicates over tables of cells that are written by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from claims_figures import margin, margins, strip

from narrows._internal.core import ScenarioError
from narrows._internal.errors import InputError
from narrows._internal.report.reproduction.claims import claims as claims_of_report
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.computed import spearman
from narrows._internal.reproduction.ledger import Found, evaluate, ledger, upgraded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEAD = """\
title = "T"
number = "1"
source = "S"
question = "Q"
[experiments]
e = "E"
[[claims]]
id = "1-1"
statement = "A claim"
strength = "strong"
place = "figure 1"
supported = "yes"
experiment = "e"
cause = "because"
"""
A, B = '{ measure = "m", where = { k = "a" } }', '{ measure = "m", where = { k = "b" } }'


def rows(**values: Sequence[float | None]) -> list[dict[str, Any]]:
    """Return a cell per key and replication, each of another run; a key is the level of `k`.

    Two values stand for eight, in turns: so many equal ones the sign test needs.
    """
    return [
        {"k": key, "algorithm": "a", "replication": place, "m": value, "digest": f"{key}{place}", "packet_hops": place}
        for key, each in values.items()
        for place, value in enumerate(list(each) * 4 if len(each) == 2 else each)
    ]


def verdict(tmp_path: Path, text: str, cells: list[dict[str, Any]], **varied: list[dict[str, Any]]) -> dict[str, Any]:
    """Judge the only claim of a file."""
    file = tmp_path / "claims.toml"
    file.write_text(HEAD + text, encoding="utf-8")
    (claim,) = read_claims(file).claims
    return evaluate(claim, "quick", Found({"e": cells}, {name: {"e": each} for name, each in varied.items()}))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1.0, 2.0, 3.0], [2.0, 3.1, 4.0], "holds"),
        ([2.0, 3.1, 4.0], [1.0, 2.0, 3.0], "fails"),
        ([1.0, 1.0], [1.0, 1.0], "fails"),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], "inconclusive"),
        ([1.0, 2.0, 3.0], [0.0, 3.0, 3.1], "inconclusive"),
        ([1.0], [2.0], "inconclusive"),
        ([1.0, 2.0], [None, None], "inconclusive"),
    ],
)
def test_an_order_is_judged_by_paired_intervals(
    tmp_path: Path, a: list[float | None], b: list[float | None], expected: str
) -> None:
    found = verdict(tmp_path, f"direction = {{ order = [{A}, {B}] }}\n", rows(a=a, b=b))
    assert found["verdict"] == expected
    assert (found["cause"] is None) == (expected == "holds")


def test_an_inconclusive_claim_states_how_many_seeds_would_decide(tmp_path: Path) -> None:
    # 1, 2, 3 and 4: mean 2.5, deviation 1.291. Of 9 the half interval is 2.306 * 1.291 / 3 = 0.992, of 8 it is 1.079.
    text = f"direction = {{ is = {A}, at_least = BOUND }}\n"
    # With another 1.282 standard errors, 3.48 * 1.291 / sqrt(20) = 1.02 is still too wide (t of 19 degrees: 2.093), and
    # 21 are enough: 3.368 * 1.291 / sqrt(21) = 0.949.
    for bound, expected in (
        ("1.5", "about 9 (with a chance of one half; 20 with one of nine in ten) would decide if"),
        ("2.5", "; because"),
    ):
        found = verdict(tmp_path, text.replace("BOUND", bound), rows(a=[1.0, 2.0, 3.0, 4.0]))
        assert found["verdict"] == "inconclusive"
        assert expected in found["cause"]


def test_pairs_are_of_one_replication(tmp_path: Path) -> None:
    found = verdict(tmp_path, f"direction = {{ order = [{A}, {B}] }}\n", rows(a=[1.0, 50.0], b=[2.0, 51.0]))
    assert (found["verdict"], found["effect"], found["ci95"], found["seeds"]) == ("holds", 1.0, [1.0, 1.0], 8)


@pytest.mark.parametrize(
    ("values", "expected"), [([1.0, 1.1], "holds"), ([9.0, 9.1], "fails"), ([1.0, 3.0], "inconclusive")]
)
def test_a_bound_is_judged_by_the_interval(tmp_path: Path, values: list[float | None], expected: str) -> None:
    assert verdict(tmp_path, f"direction = {{ is = {A}, at_most = 2.5 }}\n", rows(a=values))["verdict"] == expected


def test_every_condition_must_hold_unless_fewer_are_asked_for(tmp_path: Path) -> None:
    cells = rows(a=[1.0, 1.0], b=[3.0, 3.0])
    test = 'each = { x = ["a", "b"] }, test = { is = { measure = "m", where = { k = "{x}" } }, at_most = 2 }'
    found = verdict(tmp_path, f"direction = {{ {test} }}\n", cells)
    assert (found["verdict"], found["parts"], found["effect"]) == ("fails", "1 of 2", 3.0)
    assert verdict(tmp_path, f"direction = {{ {test}, least = 1 }}\n", cells)["verdict"] == "holds"


def test_some_of_several_different_tests_must_hold(tmp_path: Path) -> None:
    cells = rows(a=[1.0, 1.0], b=[3.0, 3.0])
    tests = f"[{{ is = {A}, at_most = 2 }}, {{ is = {B}, at_most = 2 }}, {{ is = {B}, at_least = 3 }}]"
    assert verdict(tmp_path, f"direction = {{ any = {tests}, least = 2 }}\n", cells)["verdict"] == "holds"
    assert verdict(tmp_path, f"direction = {{ any = {tests}, least = 3 }}\n", cells)["verdict"] == "fails"


def test_the_spread_of_several_cells_of_a_replication(tmp_path: Path) -> None:
    cells = rows(a=[2.0, 1.0], b=[4.0, 1.0])
    found = verdict(tmp_path, 'direction = { is = { measure = "m", over = "spread" }, at_most = 1 }\n', cells)
    # Of 2 and 4: the root of 2 over 3. Of 1 and 1: none.
    assert found["effect"] == pytest.approx(2**0.5 / 3 / 2)


def test_a_measure_may_hold_what_a_condition_binds(tmp_path: Path) -> None:
    test = 'each = { x = ["m"] }, test = { is = { measure = "{x}", where = { k = "a" } }, at_most = 2 }'
    found = verdict(tmp_path, f"direction = {{ {test} }}\n", rows(a=[1.0, 1.0]))
    assert (found["verdict"], found["effect_of"]) == ("holds", "m of k = a (e)")


def test_quantities_add_up(tmp_path: Path) -> None:
    text = f"direction = {{ is = {{ plus = [{A}, {B}] }}, at_least = 3 }}\n"
    found = verdict(tmp_path, text, rows(a=[1.0, 2.0], b=[3.0, 4.0]))
    assert found["effect"] == 5.0
    found = verdict(tmp_path, text.replace("plus", "times"), rows(a=[1.0, 2.0], b=[3.0, 4.0]))
    assert found["effect"] == 5.5


def test_a_trend_is_every_step(tmp_path: Path) -> None:
    text = 'direction = { falling = { measure = "m", where = { k = "{x}" } }, over = { x = ["a", "b", "c"] } }\n'
    assert verdict(tmp_path, text, rows(a=[3.0, 3.1], b=[2.0, 2.1], c=[1.0, 1.1]))["verdict"] == "holds"
    assert verdict(tmp_path, text, rows(a=[3.0, 3.1], b=[1.0, 1.1], c=[2.0, 2.1]))["verdict"] == "fails"


def test_a_claim_without_its_magnitude_holds_in_direction_only(tmp_path: Path) -> None:
    text = f"direction = {{ order = [{A}, {B}] }}\nmagnitude = {{ is = {{ ratio = [{B}, {A}] }}, at_least = 9 }}\n"
    found = verdict(tmp_path, text + 'whose = "ours"\n', rows(a=[1.0, 1.0], b=[2.0, 2.0]))
    assert (found["verdict"], found["magnitude"]["met"], found["magnitude"]["effect"]) == (
        "holds in direction only",
        False,
        2.0,
    )


def test_a_magnitude_that_is_surely_missed_fails_without_a_direction(tmp_path: Path) -> None:
    text = f"direction = {{ order = [{A}, {B}] }}\nmagnitude = {{ is = {{ ratio = [{B}, {A}] }}, at_least = 9 }}\n"
    found = verdict(tmp_path, text + 'whose = "ours"\n', rows(a=[1.0, 2.0, 1.5], b=[2.0, 1.0, 1.5]))
    # What decides is the magnitude, on a bound of our own.
    assert (found["verdict"], found["bounds"], found["bound"]) == ("fails", [9.0, None], "ours")
    unsure = verdict(tmp_path, text.replace("9", "1.2") + 'whose = "ours"\n', rows(a=[1.0, 2.0], b=[2.0, 1.0]))
    assert (unsure["verdict"], unsure["bounds"]) == ("inconclusive", [0.0, None])


def test_a_variant_that_changes_the_verdict_is_named(tmp_path: Path) -> None:
    text = f"direction = {{ order = [{A}, {B}] }}\n"
    found = verdict(tmp_path, text, rows(a=[1.0, 1.0], b=[2.0, 2.0]), other=rows(a=[3.0, 3.0], b=[2.0, 2.0]))
    assert found["variant"] == "other"
    same = verdict(tmp_path, text, rows(a=[1.0, 1.0], b=[2.0, 2.0]), other=rows(a=[1.0, 1.0], b=[3.0, 3.0]))
    assert same["variant"] is None


def test_a_variant_stands_for_its_own_levels_alone() -> None:
    cells, other = rows(a=[1.0, 1.0], b=[2.0, 2.0]), rows(a=[3.0])
    found = Found({"e": cells, "f": cells}, {"other": {"e": other}}, {"e": ["k"]})
    assert found.under("other") == {"e": [*rows(b=[2.0, 2.0]), *other], "f": cells}


def test_a_variant_may_give_another_level_to_a_factor_that_has_one() -> None:
    cells = [{**row, "rate": "20Mbps"} for row in rows(a=[1.0], b=[2.0])]
    other = [{**row, "rate": "2Mbps"} for row in rows(a=[3.0])]
    found = Found({"e": cells}, {"other": {"e": other}}, {"e": ["rate", "k"]})
    assert found.under("other") == {"e": [cells[1], *other]}


def test_a_variant_is_tried_on_the_claims_that_it_names(tmp_path: Path) -> None:
    claim = HEAD.partition("[[claims]]")[2] + f"direction = {{ order = [{A}, {B}] }}\n"
    text = HEAD.partition("[[claims]]")[0] + "[[claims]]" + claim + "[[claims]]" + claim.replace("1-1", "1-2")
    text += '[[variants]]\nname = "other"\nabout = "o"\nvariant = "o"\nclaims = ["1-2"]\n'
    file = tmp_path / "claims.toml"
    file.write_text(text, encoding="utf-8")
    found = Found({"e": rows(a=[1.0, 1.0], b=[2.0, 2.0])}, {"other": {"e": rows(a=[3.0, 3.0], b=[2.0, 2.0])}})
    assert [each["variant"] for each in ledger("s", read_claims(file), "quick", 1, found)["claims"]] == [None, "other"]
    file.write_text(text.replace('"1-2"]', '"1-3"]'), encoding="utf-8")
    with pytest.raises(ScenarioError, match="unknown name '1-3'"):
        read_claims(file)


def test_what_was_not_run_is_not_testable(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(HEAD + f"direction = {{ is = {A}, at_most = 2 }}\n", encoding="utf-8")
    (claim,) = read_claims(file).claims
    found = evaluate(claim, "quick", Found({}, {}))
    assert (found["verdict"], found["cause"]) == ("not testable", "the quick size has no results of the experiment e")
    assert found["lacks"] == ["e"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "either `direction` or `not_testable` is needed"),
        (f"directon = {{ is = {A}, at_most = 2 }}\n", "did you mean `direction`?"),
        (f"direction = {{ is = {A} }}\n", "`at_least` or `at_most` is needed"),
        (f"direction = {{ order = [{A}] }}\n", "at least two quantities"),
        ('direction = { is = { measure = "m", over = "median" }, at_most = 2 }\n', "unknown value"),
    ],
)
def test_a_faulty_claim_is_named_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ScenarioError, match=r"claims\.toml:\d+:\d+: claims\.0") as raised:
        verdict(tmp_path, text, rows(a=[1.0]))
    assert expected in str(raised.value)


def test_quantities_are_folded_over_conditions(tmp_path: Path) -> None:
    cells = rows(a=[1.0, 2.0], b=[4.0, 7.0], c=[2.0, 3.0])
    each = 'over = { x = ["a", "b", "c"] }'
    m = '{ measure = "m", where = { k = "{x}" } }'
    for how, effect in [("sum", 9.5), ("mean", 9.5 / 3), ("max", 5.5), ("min", 1.5)]:
        found = verdict(tmp_path, f"direction = {{ is = {{ {how} = {m}, {each} }}, at_most = 20 }}\n", cells)
        assert found["effect"] == pytest.approx(effect)
    both = f"{{ sum = [{A}, {B}] }}"
    found = verdict(tmp_path, f"direction = {{ is = {{ minus = [{both}, 2] }}, at_least = 0 }}\n", cells)
    assert found["effect"] == pytest.approx((3.0 + 7.0) / 2)


def test_what_a_name_is_asked_with_holds_in_what_it_names(tmp_path: Path) -> None:
    named = """
[quantities.value]
mean = [{ measure = "m", where = { k = "{who}" } }]
[quantities.behind]
minus = [{ max = { named = "value", where = { who = "{other}" } }, over = { other = ["a", "b"] } }, { named = "value" }]
"""
    test = 'direction = { is = { named = "behind", where = { who = "a" } }, at_most = 9 }\n'
    found = verdict(tmp_path, test + named, rows(a=[1.0, 9.0], b=[3.0, 7.0]))
    assert (found["effect"], found["effect_of"]) == (1.0, "behind of a")


def test_a_list_is_written_once(tmp_path: Path) -> None:
    lists = 'lists = { keys = ["a", "b"] }\n[experiments]'
    test = 'each = { x = "keys" }, test = { is = { measure = "m", where = { k = "{x}" } }, at_most = 2 }'
    file = tmp_path / "claims.toml"
    for name, expected in (("keys", "1 of 2"), ("kys", None)):
        text = HEAD.replace("[experiments]", lists) + f"direction = {{ {test.replace('keys', name)} }}\n"
        file.write_text(text, encoding="utf-8")
        if expected is None:
            with pytest.raises(ScenarioError, match="unknown name 'kys'"):
                read_claims(file)
        else:
            (claim,) = read_claims(file).claims
            cells = {"e": rows(a=[1.0, 1.0], b=[3.0, 3.0])}
            assert evaluate(claim, "quick", Found(cells, {}))["parts"] == expected


def test_a_condition_may_bind_which_quantity_is_named(tmp_path: Path) -> None:
    named = "".join(f'[quantities.{key}]\nsum = [{{ measure = "m", where = {{ k = "{key}" }} }}]\n' for key in "ab")
    test = 'direction = { each = { q = ["a", "b"] }, test = { is = { named = "{q}" }, at_most = 2 } }\n'
    found = verdict(tmp_path, test + named, rows(a=[1.0, 1.0], b=[3.0, 3.0]))
    assert (found["verdict"], found["parts"], found["effect_of"]) == ("fails", "1 of 2", "b")


def test_what_is_folded_may_be_named_by_the_condition(tmp_path: Path) -> None:
    named = "".join(
        f'[quantities."share of {key}"]\ntimes = [{{ measure = "m", where = {{ k = "{key}" }} }}, {factor}]\n'
        for key, factor in (("a", 1), ("b", 10), ("c", 100))
    )
    cells = rows(a=[1.0, 2.0], b=[3.0, 5.0], c=[7.0, 7.0])
    share = '{ named = "share of {x}" }'
    asked = f'{{ sum = {share}, over = {{ x = ["a", "b"] }} }}'
    found = verdict(tmp_path, f"direction = {{ is = {asked}, at_most = 99 }}\n{named}", cells)
    assert (found["effect"], found["cells"]["count"]) == (1.5 + 40.0, 16)
    # As in each replication, so in the resamples of ranks.
    asked = f'{{ rank = {share}, at = {{ x = "c" }}, among = {{ x = ["a", "b", "c"] }}, best = "highest" }}'
    found = verdict(tmp_path, f"direction = {{ is = {asked}, at_most = 1 }}\n{named}", cells)
    assert (found["verdict"], found["effect"]) == ("holds", 1.0)
    asked = f'{{ sum = {share}, over = {{ x = ["a", "d"] }} }}'
    with pytest.raises(InputError, match="no quantity is named share of d; there are share of a, share of b"):
        verdict(tmp_path, f"direction = {{ is = {asked}, at_most = 99 }}\n{named}", cells)


def test_a_quantity_that_is_computed_from_itself_is_an_error(tmp_path: Path) -> None:
    named = '[quantities.one]\nsum = [{ named = "two" }]\n[quantities.two]\nsum = [{ named = "one" }]\n'
    with pytest.raises(ScenarioError, match=r"quantities\.two.*one is computed from itself"):
        verdict(tmp_path, 'direction = { is = { named = "one" }, at_most = 2 }\n' + named, rows(a=[1.0]))


def test_a_named_quantity_is_written_once(tmp_path: Path) -> None:
    # How far a stays behind the best of two, as the distance of study 001.
    named = """
[quantities.best]
max = { measure = "m", where = { k = "{other}" } }
over = { other = ["a", "b"] }
[quantities.distance]
minus = [{ named = "best" }, { measure = "m", where = { k = "{who}" } }]
"""
    test = 'direction = { is = { named = "distance", where = { who = "a" } }, at_most = 9 }\n'
    found = verdict(tmp_path, test + named, rows(a=[1.0, 9.0], b=[3.0, 7.0]))
    assert (found["effect"], found["effect_of"]) == (1.0, "distance of a")
    with pytest.raises(ScenarioError, match="unknown name"):
        verdict(tmp_path, test.replace("distance", "way") + named, rows(a=[1.0]))


@pytest.mark.parametrize("quantity", ['{ measure = "n" }', '{ measure = "m" }'])
def test_a_claim_on_what_no_experiment_has_is_an_error(tmp_path: Path, quantity: str) -> None:
    with pytest.raises(InputError, match="claim 1-1"):
        verdict(tmp_path, f"direction = {{ is = {quantity}, at_most = 2 }}\n", rows(a=[1.0], b=[2.0]))


def test_a_claim_on_cells_that_have_not_run_has_no_verdict(tmp_path: Path) -> None:
    test = 'direction = { is = { measure = "m", where = { k = "z" } }, at_most = 2 }\n'
    found = verdict(tmp_path, test, rows(a=[1.0], b=[2.0]))
    assert (found["verdict"], found["lacks"], found["effect"]) == ("not testable", ["e"], None)
    assert "no cell with k = z" in found["cause"]


def test_rank_correlation() -> None:
    assert spearman([1, 2, 3, 4], [10, 20, 25, 90]) == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1.0)
    # Conover, Practical Nonparametric Statistics: ties share their mean rank.
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9487, abs=1e-4)


def test_a_rank_is_among_conditions_and_ties_share_theirs(tmp_path: Path) -> None:
    asked = '{ measure = "m", where = { k = "{k}" } }, among = { k = ["a", "b", "c"] }'

    def quantity(at: str, best: str) -> str:
        return f'{{ rank = {asked}, at = {{ k = "{at}" }}, best = "{best}" }}'

    cells = rows(a=[3.0, 30.0], b=[1.0, 10.0], c=[1.0, 10.0])
    for at, best, rank in (("a", "highest", 1.0), ("a", "lowest", 3.0), ("b", "lowest", 1.5), ("c", "highest", 2.5)):
        test = f"direction = {{ is = {quantity(at, best)}, at_most = {rank} }}\n"
        found = verdict(tmp_path, test, cells)
        assert (found["verdict"], found["effect"]) == ("holds", rank)
    with pytest.raises(InputError, match="k = d is not among the values to rank"):
        verdict(tmp_path, f"direction = {{ is = {quantity('d', 'lowest')}, at_most = 1 }}\n", cells)


def test_a_constant_stands_beside_more_seeds_than_it_has(tmp_path: Path) -> None:
    of = '{ measure = "m", where = { k = "a" } }'
    test = (
        'direction = { is = { minus = [{ measure = "m", where = { k = "b" } }, { constant = '
        f"{of} }}] }}, at_least = 1 }}\n"
    )
    found = verdict(tmp_path, test, rows(a=[1.0, 1.0], b=[3.0, 3.1, 2.9, 3.0]))
    assert (found["verdict"], found["seeds"], found["effect"]) == ("holds", 4, pytest.approx(2.0))
    with pytest.raises(InputError, match="not the same in every replication"):
        verdict(tmp_path, test, rows(a=[1.0, 1.5], b=[3.0, 3.1]))


def test_a_measure_is_bound_as_levels_are(tmp_path: Path) -> None:
    test = (
        'direction = { each = { x = ["m"] }, test = { is = { measure = "{x}", where = { k = "a" } }, at_least = 1 } }\n'
    )
    assert verdict(tmp_path, test, rows(a=[1.0, 1.0]))["verdict"] == "holds"


def test_words_differ_by_size(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    words = '[words.quick]\nlevel = "a"\n[words.full]\nlevel = "b"\n'
    claim = 'direction = { is = { measure = "m", where = { k = "{level}" } }, at_least = 1 }\n'
    text = HEAD.replace("[experiments]", f"{words}[experiments]") + claim
    file.write_text(text, encoding="utf-8")
    found = Found({"e": rows(a=[1.0, 1.0], b=[0.0, 0.0])}, {})
    verdicts = [evaluate(read_claims(file, size).claims[0], size, found)["verdict"] for size in ("quick", "full")]
    assert verdicts == ["holds", "fails"]
    file.write_text(text.replace('level = "b"\n', ""), encoding="utf-8")
    with pytest.raises(ScenarioError, match="level is missing"):
        read_claims(file)


@pytest.mark.parametrize(
    ("test", "unit", "bounds"),
    [
        ('{ is = { measure = "goodput_bps", where = { k = "a" } }, at_most = 9 }', "bps", [None, 9]),
        ("{ order = [{ measure = 'rtt_mean_s', where = { k = 'a' } }, 9] }", "s", [0.0, None]),
        ("{ is = { ratio = [{ measure = 'rtt_mean_s', where = { k = 'a' } }, 9] }, at_least = 0 }", None, [0, None]),
        (
            "{ is = { minus = [{ measure = 'rtt_mean_s' }, { measure = 'goodput_bps' }] }, at_least = 0, at_most = 1 }",
            None,
            [0, 1],
        ),
    ],
)
def test_the_ledger_states_the_unit_and_the_bounds(
    tmp_path: Path, test: str, unit: str | None, bounds: list[float | None]
) -> None:
    cells = [{**row, "goodput_bps": 1.0, "rtt_mean_s": 2.0} for row in rows(a=[1.0, 1.0])]
    found = verdict(tmp_path, f"direction = {test}\n", cells)
    assert (found["unit"], found["bounds"]) == (unit, bounds)


@pytest.mark.parametrize(
    ("test", "strict", "said"),
    [
        (f"{{ order = [{A}, {B}] }}", True, "holds if positive"),
        (f"{{ order = [{A}, {B}], or_equal = true }}", False, "holds if not negative"),
        (f"{{ is = {A}, at_least = 0 }}", False, "holds if not negative"),
        (f"{{ is = {A}, at_least = 3 }}", False, "holds if at least 3"),
        (f"{{ is = {A}, at_most = 3 }}", False, "holds if at most 3"),
        (f"{{ is = {A}, at_least = 1, at_most = 3 }}", False, "holds if 1 to 3"),
    ],
)
def test_the_ledger_and_the_report_state_whether_a_bound_itself_is_claimed(
    tmp_path: Path,
    test: str,
    strict: bool,  # noqa: FBT001  # a case of the table
    said: str,
) -> None:
    found = verdict(tmp_path, f"direction = {test}\n", rows(a=[1.0, 1.0], b=[1.0, 1.0]))
    assert found["strict"] == strict
    assert said in str(claims_of_report([found]))


def test_an_effect_that_equals_a_strict_bound_is_drawn_on_the_failing_side(tmp_path: Path) -> None:
    for test, side in ((f"{{ order = [{A}, {B}] }}", -1), (f"{{ order = [{A}, {B}], or_equal = true }}", 1)):
        for b in ([1.0, 1.0], [0.9, 1.1, 1.0]):
            a = [1.0] * len(b)
            found = verdict(tmp_path, f"direction = {test}\n", rows(a=a, b=b))
            assert found["effect"] == pytest.approx(0.0, abs=1e-12)
            assert margin({**found, "effect": 0.0}) * side > 0
            drawn = margins({"claims": [found], "study": "s", "size": "quick"})
            # A circle on the bound beside the dot.
            assert drawn.count("<circle") == (2 if side < 0 else 1)
            assert ("┆" in strip({**found, "effect": 5.0, "ci95": [4.0, 6.0]})) == (side < 0)


def test_the_figure_of_the_margins_names_claims_by_their_statements(tmp_path: Path) -> None:
    found = verdict(tmp_path, f"direction = {{ is = {A}, at_least = 0 }}\n", rows(a=[1.0, 1.1], b=[1.0, 1.0]))
    long = {**found, "id": "1-2", "statement": "It is so & " + "so " * 40}
    drawn = margins({"claims": [found, long], "study": "s", "size": "quick"})
    assert [f">{each['id']}<" in drawn for each in (found, long)] == [True, True]
    assert f">{found['statement']}</text>" in drawn
    assert re.search(r">It is so &amp; (so )+…</text>", drawn)


def test_a_ledger_of_the_format_before_is_read() -> None:
    old = {"format": 3, "claims": [{"id": "1-1", "bounds": [0.0, None]}]}
    (claim,) = upgraded(old)["claims"]
    assert (claim["id"], claim["strict"], claim["late"]) == ("1-1", False, 0)
