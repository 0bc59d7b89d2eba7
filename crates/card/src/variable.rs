//! An inner variable of an algorithm or a queue discipline.

/// A variable that an algorithm or a queue discipline computes for itself, as records hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in records; with the unit at its end where that is a time or a rate in bits.
    pub name: &'static str,
    /// Its unit; `""` for a pure number.
    pub unit: &'static str,
    /// What it is, in the words of the source.
    pub meaning: &'static str,
}
