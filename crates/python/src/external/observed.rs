// SPDX-License-Identifier: Apache-2.0
//! The inner variables of an algorithm in Python: what its method `observe` returns, read and checked.

use super::answers::Misread;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Calls `record` with name and value of each entry of `returned`, a dict of numbers by name; not with `None`.
pub fn read(returned: &Bound<'_, PyAny>, record: &mut dyn FnMut(&str, f64)) -> Result<(), Misread> {
    let Ok(variables) = returned.cast::<PyDict>() else {
        return Err(wrong(&format!("observe returned {}", shown(returned))));
    };
    for (name, value) in variables {
        let Ok(name) = name.cast::<PyString>() else {
            return Err(wrong(&format!("observe returned a name that is {}", shown(&name))));
        };
        if value.is_none() {
            continue;
        }
        let name = name.to_str().map_err(Misread::Error)?;
        match value.extract() {
            Ok(value) => record(name, value),
            Err(_) => return Err(wrong(&format!("observe returned {} as {name}", shown(&value)))),
        }
    }
    Ok(())
}

fn wrong(what: &str) -> Misread {
    Misread::Value(format!("{what}: it must return a dict of names and numbers"))
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "what cannot be shown".into(), |shown| shown.to_string())
}
