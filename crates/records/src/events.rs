// SPDX-License-Identifier: Apache-2.0
//! The log of events of flows: losses, marks, timeouts, reductions of the window, changes of state. The table `events`.

use crate::{PacketKind, PacketPlace};
use narrows_units::Time;
use std::borrow::Cow;

/// The log of events of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct EventLog {
    /// Entries in order of time, then place.
    pub rows: Vec<EventRow>,
    /// Time at which the log was full, if it ever was; the log has all entries before it.
    pub full_at: Option<Time>,
}

/// An entry of the log of events.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EventRow {
    /// Time of the event.
    pub at: Time,
    /// Place of the event: the sender or a link.
    pub place: PacketPlace,
    /// Kind of the event.
    pub event: FlowEvent,
    /// The rule that caused it; `""` if the event implies it.
    pub rule: Cow<'static, str>,
    /// Index of the flow's group.
    pub group: u32,
    /// Number of the flow within its group.
    pub flow: u32,
    /// Number of earlier connections in the flow's slot.
    pub generation: u32,
    /// Kind and number of the packet; `None` if the event is not of one packet.
    pub packet: Option<(PacketKind, u64)>,
    /// Congestion window and slow-start threshold before and after the event; `None` at a link.
    pub windows: Option<[Windows; 2]>,
    /// Name of the algorithm's state before and after the event; `""` if the algorithm has none.
    pub states: [Cow<'static, str>; 2],
}

/// The windows of a sender, packets.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Windows {
    /// Congestion window; not a number for an algorithm without one.
    pub congestion: f64,
    /// Slow-start threshold; not a number for an algorithm without one, infinite while unset.
    pub ssthresh: f64,
}

/// Kind of an event of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum FlowEvent {
    /// A queue dropped a packet.
    Dropped,
    /// A packet was lost on a link behind the queue.
    Lost,
    /// A queue marked a packet.
    Marked,
    /// The sender declared a packet lost.
    DeclaredLost,
    /// The sender sent a tail loss probe.
    Probe,
    /// The retransmission timer of the sender expired.
    Timeout,
    /// The sender reduced its congestion window: because of a loss, a mark, a timeout or a delay.
    Reduction,
    /// The sender lowered its congestion window because it had sent nothing for long.
    IdleRestart,
    /// Recovery started.
    RecoveryStart,
    /// Recovery ended.
    RecoveryEnd,
    /// The last episode was spurious, and was undone.
    Undo,
    /// The algorithm changed its state.
    State,
    /// The receiver had no room for the next segment, and nothing was outstanding.
    WindowClosed,
    /// The sender probed the closed window.
    WindowProbe,
    /// The receiver had room again.
    WindowOpened,
}
