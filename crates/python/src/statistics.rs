// SPDX-License-Identifier: Apache-2.0
//! Statistics that the simulator and Python share.

use narrows_lab::metrics::jain_of;
use narrows_lab::records::warmup;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Returns Jain's fairness index of an array of shares in any unit, (Σx)² / (n Σx²); NaN if they are all zero or if
/// there are none.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's array is borrowed for the call")]
pub fn jain(shares: PyReadonlyArray1<'_, f64>) -> f64 {
    jain_of(&shares.as_array().to_vec())
}

/// Returns the number of values after which the array `series` is stationary by the MSER-5 rule; `None` if it is too
/// short.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's array is borrowed for the call")]
pub fn stationary_after(series: PyReadonlyArray1<'_, f64>) -> Option<usize> {
    warmup::stationary_after(&series.as_array().to_vec())
}
