// SPDX-License-Identifier: Apache-2.0
//! The properties of a future connection.

use narrows_units::{Bytes, Rate, Span};
use narrows_wire::FlowId;

/// A connection about to start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The connection's slot and generation.
    pub flow: FlowId,
    /// Index into the model's workloads.
    pub workload: u32,
    /// Payload; `None` for an endless flow.
    pub size: Option<Bytes>,
    /// Number of earlier connections of the slot's user, or of the workload's arrivals.
    pub order: u64,
    /// Class of files from which the size was drawn, within the workload.
    pub file: u32,
    /// Index into the workload's paths.
    pub path: u32,
    /// Access links of the sending host: to its router and from it.
    pub near: [AccessLink; 2],
    /// Access links of the receiving host: to its router and from it.
    pub far: [AccessLink; 2],
    /// Two-way propagation delay.
    pub rtt: Span,
    /// Seed for an algorithm that draws random numbers.
    pub seed: u64,
}

/// One direction of an access link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessLink {
    /// Transmission rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
}
