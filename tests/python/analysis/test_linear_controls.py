"""Truth: theory. Which linear controls make windows equal that grow and shrink in step (CMU-CS-02-139, section 5.1)."""

from __future__ import annotations

import pytest

from narrows.analysis.linear import Linear

AIMD, AIAD = Linear(1, 1, 0, 0.8), Linear(1, 1, -3, 1)
MIMD, MIAD = Linear(0, 1.125, 0, 0.8), Linear(0, 1.125, -3, 1)
AIMAD, MAIMD = Linear(1, 1, -1, 0.9), Linear(1, 1.1, 0, 0.8)
CAPACITY, ROUNDS = 200.0, 5000


@pytest.mark.parametrize("rule", [AIMD, AIMAD, MAIMD])
def test_rules_that_both_add_and_multiply_make_windows_equal(rule: Linear) -> None:
    one, other = rule.in_step([150.0, 10.0], CAPACITY, ROUNDS)
    assert one == pytest.approx(other, rel=1e-6)


def test_addition_alone_keeps_the_difference() -> None:
    one, other = AIAD.in_step([150.0, 10.0], CAPACITY, ROUNDS)
    assert one - other == pytest.approx(140.0)


def test_multiplication_alone_keeps_the_ratio() -> None:
    one, other = MIMD.in_step([150.0, 10.0], CAPACITY, ROUNDS)
    assert one / other == pytest.approx(15.0)


def test_multiplicative_increase_with_additive_decrease_parts_windows() -> None:
    # The difference grows by the factor of each increase and by nothing else, so that no cycle returns.
    before = MIAD.in_step([101.0, 99.0], CAPACITY, 100)
    behind = MIAD.in_step(before, CAPACITY, 100)
    assert abs(behind[0] - behind[1]) > abs(before[0] - before[1]) > 2.0


def test_a_cycle_gives_back_its_steady_window_and_no_other() -> None:
    for rule in (AIMD, AIMAD, MAIMD):
        steady = rule.steady_window(3, 1)
        assert steady is not None
        alpha, beta = rule.cycle(3, 1)
        assert alpha + beta * steady == pytest.approx(steady)
        assert alpha + beta * (steady + 1) != pytest.approx(steady + 1)


def test_pure_rules_have_no_steady_window_of_their_own() -> None:
    # Three increases by 1 and one decrease by 3 give back any window; so does growth that the decrease undoes.
    assert AIAD.cycle(3, 1) == (0.0, 1.0)
    assert AIAD.steady_window(3, 1) is None
    assert Linear(0, 1.25, 0, 0.8).steady_window(1, 1) is None
    alpha, beta = MIMD.cycle(2, 1)
    assert (alpha, beta != 1) == (0.0, True)


def test_an_additive_part_of_the_decrease_is_no_obstacle() -> None:
    # Footnote 8: Chiu and Jain's condition a_D = 0 is sufficient, not necessary.
    assert AIMAD.steady_window(20, 1) == pytest.approx((0.9 * 20 - 1) / (1 - 0.9))
