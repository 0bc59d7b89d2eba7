# SPDX-License-Identifier: Apache-2.0
"""Theory: the quantiles that need no library are SciPy's."""

from __future__ import annotations

import pytest
from scipy.special import gammainccinv, gammaincinv, stdtrit

from narrows._internal.quantiles import MANY, gamma_quantile, t_quantile


def test_the_quantile_of_student_s_t_is_scipy_s_for_every_number_of_degrees() -> None:
    for degrees in [*range(1, MANY + 50), 5000, 10**5, 10**7]:
        assert t_quantile(degrees) == pytest.approx(float(stdtrit(degrees, 0.975)), rel=1e-14), degrees


@pytest.mark.parametrize("tail", [0.025, 0.3])
def test_the_quantiles_of_the_gamma_distribution_are_scipy_s(tail: float) -> None:
    for shape in [1e-3, 0.01, 0.1, 0.5, 0.9, 1.0, 1.5, 2.0, *range(3, 200, 7), 99.5, 101.0, 999.0, 12345.5, 1e6, 1e8]:
        assert gamma_quantile(shape, tail) == pytest.approx(float(gammaincinv(shape, tail)), rel=1e-13), shape
        above = float(gammainccinv(shape, tail))
        assert gamma_quantile(shape, tail, upper=True) == pytest.approx(above, rel=1e-13), shape


def test_a_quantile_below_the_least_number_is_zero() -> None:
    assert gamma_quantile(1e-9, 0.025) == 0.0
