// SPDX-License-Identifier: Apache-2.0
//! Comparisons of real numbers, neither of which is NaN: one instruction, while the functions of `f64`, which ignore
//! NaN, take six.

/// Returns the larger number.
pub(super) fn greater(left: f64, right: f64) -> f64 {
    if left > right { left } else { right }
}

/// Returns the smaller number.
pub(super) fn lesser(left: f64, right: f64) -> f64 {
    if left < right { left } else { right }
}
