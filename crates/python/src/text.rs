// SPDX-License-Identifier: Apache-2.0
//! What people write, read as the scenario file reads it: names that are nearly right, numbers with a unit.

use narrows_lab::units::{Dimension, Quantity};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The name in `known` that `given` was probably meant to be; `None` if none is near.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's list is converted, so there is nothing to borrow"
)]
pub fn nearest(given: &str, known: Vec<String>) -> Option<String> {
    narrows_lab::card::nearest(given, known.iter().map(String::as_str)).map(str::to_owned)
}

/// Returns the value of a number with a unit: for `dimension` `"time"` in seconds, `"rate"` in bits per second,
/// `"size"` in bytes, `"fraction"` from 0 to 1.
///
/// # Errors
///
/// `ValueError` if the text is not a quantity of this dimension, or if there is no such dimension.
#[pyfunction]
pub fn quantity(text: &str, dimension: &str) -> PyResult<f64> {
    let dimension = match dimension {
        "time" => Dimension::Time,
        "rate" => Dimension::Rate,
        "size" => Dimension::Size,
        "fraction" => Dimension::Fraction,
        _ => return Err(PyValueError::new_err(format!("no dimension is called {dimension}"))),
    };
    let found =
        Quantity::parse(text, &[dimension]).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(match found {
        Quantity::Time(span) => span.as_secs_f64(),
        Quantity::Rate(rate) => rate.as_bps() as f64,
        Quantity::Size(bytes) => bytes.count() as f64,
        Quantity::Fraction(number) | Quantity::Packets(number) | Quantity::Bdp(number) => number,
    })
}
