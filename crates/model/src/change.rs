// SPDX-License-Identifier: Apache-2.0
//! Scheduled changes of the network.

use narrows_units::Span;

/// Changes of links at one time, and the routes that follow from them.
#[derive(Clone, Debug)]
pub struct ChangeModel {
    /// Time of the change, from the start of the run.
    pub at: Span,
    /// Indices of the changing links and their changes, in order.
    pub links: Vec<(u32, LinkChange)>,
    /// Indices of the model's routes that change, and their links from now on; the routers at their ends stay the same.
    /// A packet in flight keeps the route on which it was sent.
    pub routes: Vec<(u32, Vec<u32>)>,
}

/// A change of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChange {
    /// The link fails: it drops waiting packets, the packet in transmission and all arrivals until it is restored.
    Fail,
    /// The link works again after a failure.
    Restore,
    /// The propagation delay becomes this. Packets are never reordered.
    Delay(Span),
}
