// SPDX-License-Identifier: Apache-2.0
//! The card of an algorithm or a queue discipline.

use crate::fault::Fault;
use crate::parameter::Parameter;
use crate::value::Value;
use crate::values::Values;
use crate::variable::Variable;
use alloc::{string::String, vec::Vec};

/// The description of an algorithm or a queue discipline: name, source, equations, parameters, deviations.
///
/// The command line, the scenario file, its JSON Schema, the documentation and the tests read it.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The name in scenario files and on the command line.
    pub name: &'static str,
    /// Name of the family under which it is listed: `"standard"`, `"high-speed"`, `"active"`, …
    pub family: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// Paper or RFC, with section.
    pub source: &'static str,
    /// The formulas in plain text, one per line.
    pub equations: &'static [&'static str],
    /// Parameters in the order of the source.
    pub parameters: &'static [Parameter],
    /// Inner variables that records may hold, in the order in which they are observed.
    pub variables: &'static [Variable],
    /// Where the implementation departs from its source, and why.
    pub deviations: &'static [&'static str],
}

impl Card {
    /// Returns the values of all parameters at their defaults.
    pub fn defaults(&self) -> Values {
        Values::defaults(self.parameters)
    }

    /// Returns the values `given` by name, and the defaults of all other parameters.
    ///
    /// # Errors
    ///
    /// If a name is not the name of a parameter or is given twice, or a value is outside its domain.
    pub fn values(&self, given: Vec<(String, Value)>) -> Result<Values, Fault> {
        Values::new(self.parameters, given)
    }
}
