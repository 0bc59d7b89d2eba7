// SPDX-License-Identifier: Apache-2.0
//! Inner variables of algorithms and queues at the ends of the intervals. The table `internals`.

/// The inner variables of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Internals {
    /// Names of the variables.
    pub variables: Vec<String>,
    /// Values by interval, then flows before links, then in the order in which they are observed.
    pub rows: Vec<InternalRow>,
}

/// The value of one variable at the end of one interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InternalRow {
    /// Index of the interval.
    pub interval: u32,
    /// Owner of the variable.
    pub owner: InternalOwner,
    /// Index into [`Internals::variables`].
    pub variable: u32,
    /// Value, in the unit that the card declares.
    pub value: f64,
}

/// The owner of an internal variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum InternalOwner {
    /// The algorithm of a flow: an index into the connections.
    Flow(u32),
    /// The queue of a link: an index into the links.
    Link(u32),
}
