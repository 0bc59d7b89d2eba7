// SPDX-License-Identifier: Apache-2.0
//! Places of events.

/// Place of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// At the queue or the serialiser of a link: an index into the model's links.
    Link(u32),
    /// At the sender of that connection slot.
    Sender(u32),
    /// At the receiver of that connection slot.
    Receiver(u32),
}
