//! Statistics that the simulator and Python share.

use narrows_lab::metrics::jain_of;
use narrows_lab::records::warmup;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Jain's index of shares in any unit; not a number where there is nothing to share.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's array is borrowed for the call")]
pub fn jain(shares: PyReadonlyArray1<'_, f64>) -> f64 {
    jain_of(&shares.as_array().to_vec())
}

/// After how many values a series is stationary by the MSER-5 rule; `None` if it is too short to tell.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's array is borrowed for the call")]
pub fn stationary_after(series: PyReadonlyArray1<'_, f64>) -> Option<usize> {
    warmup::stationary_after(&series.as_array().to_vec())
}
