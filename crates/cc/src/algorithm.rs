// SPDX-License-Identifier: Apache-2.0
//! An algorithm with its parameters: parsed, checked against its card, and built.
//!
//! The written form is `name` or `name(parameter=value, …)`. An [`Algorithm`] holds a value inside its domain for every
//! parameter of the card, so building cannot fail.

use crate::explicit::quick_start::QuickStart;
use crate::slow_start::CarefulResume;
use crate::{CongestionControl, Entry, Needs, Setup, catalogue};
use alloc::{borrow::ToOwned, boxed::Box, string::String, vec::Vec};
use core::fmt;
use narrows_card::{Fault, Value, Values, assignments, nearest};

/// An algorithm with its parameters, from which any number of instances can be built.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Catalogue entry of the algorithm: card, needs and constructor.
    pub entry: &'static Entry,
    /// Values of its parameters.
    pub values: Values,
}

impl Algorithm {
    /// Parses `name` or `name(parameter=value, …)`, for an algorithm of the [`catalogue`].
    ///
    /// # Errors
    ///
    /// If the text has another form, or as [`new`](Self::new).
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let form = || Fault::Form { given: text.to_owned() };
        let text = text.trim();
        let (name, rest) = text.split_at(text.find('(').unwrap_or(text.len()));
        let given = assignments(rest).filter(|_| !text.is_empty()).ok_or_else(form)?;
        Self::new(name.trim(), given)
    }

    /// Creates the algorithm `name` of the [`catalogue`] with the parameters `given`; all others have their defaults.
    ///
    /// # Errors
    ///
    /// If there is no such algorithm, if it has no such parameter, or if a value is outside its domain.
    pub fn new(name: &str, given: Vec<(String, Value)>) -> Result<Self, Fault> {
        Self::among(catalogue::entries(), name, given)
    }

    /// Does the same as [`new`](Self::new), with the entries `known` as the catalogue.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn among(
        known: impl IntoIterator<Item = &'static Entry>,
        name: &str,
        given: Vec<(String, Value)>,
    ) -> Result<Self, Fault> {
        let known: Vec<_> = known.into_iter().collect();
        let found = known.iter().copied().find(|entry| entry.card.name == name);
        let entry = found.ok_or_else(|| Fault::UnknownName {
            given: name.to_owned(),
            nearest: nearest(name, known.iter().map(|entry| entry.card.name)),
        })?;
        Ok(Self { entry, values: entry.card.values(given)? })
    }

    /// Returns the requirements on the host of the algorithm with these parameters.
    pub fn needs(&self) -> Needs {
        (self.entry.needs)(&self.values)
    }

    /// Returns a new instance for one flow.
    pub fn build(&self, setup: &Setup) -> Box<dyn CongestionControl> {
        CarefulResume::around(QuickStart::around((self.entry.build)(&self.values, setup), setup), setup)
    }
}

/// The canonical form: the bare name where all values are the defaults, else the name with every parameter.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.card.name)?;
        if self.values == self.entry.card.defaults() {
            return Ok(());
        }
        for (index, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { '(' } else { ',' })?;
        }
        f.write_str(")")
    }
}
