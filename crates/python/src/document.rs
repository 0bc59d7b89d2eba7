// SPDX-License-Identifier: Apache-2.0
//! TOML documents other than scenarios as Python sees them: values with their places, and complaints about them.

use crate::scenario::error;
use narrows_lab::scenario::{Complaint, Located, Written, complain, read_document};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Start and end, bytes of the document.
type Span = (usize, usize);
/// Where, key path, message, the given value, the allowed values, hint.
type Fault = (Span, String, String, Option<String>, String, Option<String>);

/// Parses the TOML document `text`, which error messages call `file`.
///
/// A value is returned as `(value, (start, end))` with its byte range in the document; the value of a table is a dict
/// of `key: ((start, end), value)` in the order of the document.
///
/// # Errors
///
/// `ScenarioError` with all errors of syntax.
#[pyfunction]
pub fn read_toml<'py>(py: Python<'py>, text: &str, file: &str) -> PyResult<Bound<'py, PyAny>> {
    match read_document(text, file) {
        Ok(document) => node(py, document),
        Err(diagnostics) => Err(error(py, &diagnostics)?),
    }
}

/// Returns a `ScenarioError` with errors found in the document `text`, which messages call `file`.
///
/// Each fault is `((start, end), key path, message, given, allowed, hint)`; the first is a byte range.
#[pyfunction]
pub fn complaint<'py>(
    py: Python<'py>,
    text: &str,
    file: &str,
    faults: Vec<Fault>,
) -> PyResult<Bound<'py, PyAny>> {
    let complaints = faults.into_iter().map(|((start, end), path, message, given, allowed, hint)| {
        Complaint { span: start..end, path, message, given, allowed, hint }
    });
    Ok(error(py, &complain(complaints.collect(), text, file))?.into_value(py).into_bound(py).into_any())
}

fn node(py: Python<'_>, located: Located) -> PyResult<Bound<'_, PyAny>> {
    let value = match located.value {
        Written::Text(text) => text.into_bound_py_any(py),
        Written::Integer(number) => number.into_bound_py_any(py),
        Written::Number(number) => number.into_bound_py_any(py),
        Written::Flag(flag) => flag.into_bound_py_any(py),
        Written::List(items) => {
            let items = items.into_iter().map(|item| node(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items).map(Bound::into_any)
        }
        Written::Table(entries) => {
            let table = PyDict::new(py);
            for (key, span, value) in entries {
                table.set_item(key, ((span.start, span.end), node(py, value)?))?;
            }
            Ok(table.into_any())
        }
    }?;
    (value, (located.span.start, located.span.end)).into_bound_py_any(py)
}
