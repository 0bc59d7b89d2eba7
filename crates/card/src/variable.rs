// SPDX-License-Identifier: Apache-2.0
//! An inner variable of an algorithm or a queue discipline.

/// A variable that an algorithm or a queue discipline computes for itself, as records hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name in records, which ends with the unit if that is a time or a rate in bits.
    pub name: &'static str,
    /// Unit; `""` for a pure number.
    pub unit: &'static str,
    /// Meaning, in the words of the source.
    pub meaning: &'static str,
}
