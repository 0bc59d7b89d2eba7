//! What stands at a key of a scenario: its value, with the place that messages name.

use super::diagnostic::Fault;
use super::location::Location;

/// A fault was reported: what depends on the value can be given up without another word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported(());

impl Reported {
    /// A fault that was reported before, by other means.
    pub fn before() -> Self {
        Self(())
    }
}

impl Fault {
    /// Adds the fault to `faults`.
    pub fn report(self, faults: &mut Vec<Self>) -> Reported {
        faults.push(self);
        Reported(())
    }
}

/// The path of a key or table and where it was written.
#[derive(Clone, Debug)]
pub struct At {
    /// As `path.queue.limit`; empty for the whole file.
    pub path: String,
    /// Of the value; of the table around it where the key is absent.
    pub location: Location,
}

impl At {
    /// A fault here.
    pub fn fault(&self, message: impl Into<Box<str>>) -> Fault {
        Fault::new(&self.location, self.path.as_str(), message)
    }

    /// The path of a key of the table that is here.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// The value at a key: what was written or holds by default, until the scenario is resolved, and what holds afterwards.
#[derive(Clone, Debug)]
pub struct Field<V> {
    pub at: At,
    /// The key is in the file, or on the command line.
    pub written: bool,
    /// Explains the value in the resolved file.
    pub comment: Option<String>,
    /// The resolved file leaves the key out.
    pub omitted: bool,
    value: Result<V, Reported>,
}

impl<V> Field<V> {
    pub fn new(at: At, written: bool, value: Result<V, Reported>) -> Self {
        Self { at, written, comment: None, omitted: false, value }
    }

    /// A value that was not written.
    pub fn of(at: &At, value: V) -> Self {
        Self::new(at.clone(), false, Ok(value))
    }

    /// The value, unless it was faulty.
    pub fn get(&self) -> Result<&V, Reported> {
        self.value.as_ref().map_err(|reported| *reported)
    }

    pub fn get_mut(&mut self) -> Result<&mut V, Reported> {
        self.value.as_mut().map_err(|reported| *reported)
    }

    /// Puts `value` in the place of what was written.
    pub fn fill(&mut self, value: V) {
        self.value = Ok(value);
    }

    /// A fault at the key.
    pub fn fault(&self, message: impl Into<Box<str>>) -> Fault {
        self.at.fault(message)
    }
}

impl<V> Field<V> {
    /// The same as the value of a key that may be absent.
    pub fn optional(self) -> Field<Option<V>> {
        Field::new(self.at, self.written, self.value.map(Some))
    }
}

impl<V: Copy> Field<V> {
    /// The value, unless it was faulty.
    pub fn copied(&self) -> Result<V, Reported> {
        self.value
    }
}

impl<V: Clone> Field<Option<V>> {
    /// What was written here, else what holds at `other`.
    pub fn or(&self, other: &Field<V>) -> Field<V> {
        if !self.written {
            return other.clone();
        }
        let value = self.value.clone().and_then(|value| value.map_or_else(|| other.value.clone(), Ok));
        Field::new(self.at.clone(), true, value)
    }

    /// What was written here, else what holds at `other`.
    pub fn or_optional(&self, other: &Self) -> Self {
        if self.written { self.clone() } else { other.clone() }
    }
}
