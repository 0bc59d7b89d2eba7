// SPDX-License-Identifier: Apache-2.0
//! What stands at a key of a scenario: its value, with the place that messages name.

use super::diagnostic::Fault;
use super::location::Location;

/// The token of an error that has been reported, so that work on values that depend on it can stop silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported(());

impl Reported {
    /// Returns the token of an error that was reported by other means.
    pub fn before() -> Self {
        Self(())
    }
}

impl Fault {
    /// Adds the error to `faults`.
    pub fn report(self, faults: &mut Vec<Self>) -> Reported {
        faults.push(self);
        Reported(())
    }
}

/// A key or table of the scenario: its path and its place.
#[derive(Clone, Debug)]
pub struct At {
    /// Key path, as in `path.queue.limit`; empty for the whole file.
    pub path: String,
    /// Place of the value; of the table around it if the key is absent.
    pub location: Location,
}

impl At {
    /// Returns an error at this place.
    pub fn fault(&self, message: impl Into<Box<str>>) -> Fault {
        Fault::new(&self.location, self.path.as_str(), message)
    }

    /// Returns the key path of `key` in the table at this place.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// A key with its value: first as written or by default; after the scenario is resolved, with the value that holds.
#[derive(Clone, Debug)]
pub struct Field<V> {
    /// Path and place of the key.
    pub at: At,
    /// Whether the key was written, in the file or on the command line.
    pub written: bool,
    /// Comment on the value in the resolved file; `None` without one.
    pub comment: Option<String>,
    /// Whether the resolved file omits the key.
    pub omitted: bool,
    value: Result<V, Reported>,
}

impl<V> Field<V> {
    /// Creates a key at `at`; `written` says whether it was written.
    pub fn new(at: At, written: bool, value: Result<V, Reported>) -> Self {
        Self { at, written, comment: None, omitted: false, value }
    }

    /// Returns a key that was not written, with the default `value`.
    pub fn of(at: &At, value: V) -> Self {
        Self::new(at.clone(), false, Ok(value))
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// If the value has an error that was reported.
    pub fn get(&self) -> Result<&V, Reported> {
        self.value.as_ref().map_err(|reported| *reported)
    }

    /// Returns the value, to be changed.
    ///
    /// # Errors
    ///
    /// If the value has an error that was reported.
    pub fn get_mut(&mut self) -> Result<&mut V, Reported> {
        self.value.as_mut().map_err(|reported| *reported)
    }

    /// Sets the value.
    pub fn fill(&mut self, value: V) {
        self.value = Ok(value);
    }

    /// Returns an error at the key.
    pub fn fault(&self, message: impl Into<Box<str>>) -> Fault {
        self.at.fault(message)
    }
}

impl<V> Field<V> {
    /// Returns the same key as one that may be absent.
    pub fn optional(self) -> Field<Option<V>> {
        Field::new(self.at, self.written, self.value.map(Some))
    }
}

impl<V: Copy> Field<V> {
    /// Returns a copy of the value.
    ///
    /// # Errors
    ///
    /// If the value has an error that was reported.
    pub fn copied(&self) -> Result<V, Reported> {
        self.value
    }
}

impl<V: Clone> Field<Option<V>> {
    /// Returns this key if it was written, otherwise `other`.
    pub fn or(&self, other: &Field<V>) -> Field<V> {
        if !self.written {
            return other.clone();
        }
        let value = self.value.clone().and_then(|value| value.map_or_else(|| other.value.clone(), Ok));
        Field::new(self.at.clone(), true, value)
    }

    /// Returns this key if it was written, otherwise `other`.
    pub fn or_optional(&self, other: &Self) -> Self {
        if self.written { self.clone() } else { other.clone() }
    }
}
