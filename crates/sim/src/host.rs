// SPDX-License-Identifier: Apache-2.0
//! End hosts: the two ends of a connection, each with its access links, its timer and its recorder.

mod access;
mod application;
mod clock;
mod datagrams;
mod receiving;
mod send_delay;
mod sending;
mod timer;

pub(crate) use access::AccessLinks;
pub(crate) use application::Application;
pub(crate) use datagrams::Datagrams;
pub(crate) use receiving::ReceivingHost;
pub(crate) use send_delay::SendDelay;
pub(crate) use sending::{Ending, SendingHost};
pub(crate) use timer::Timer;

use crate::net::Net;
use narrows_engine::Slot;
use narrows_records::Histogram;
use narrows_units::Span;

/// The parts of a partition that a host uses.
pub(crate) struct Context<'a> {
    /// The network of the host's partition.
    pub net: &'a mut Net,
    /// The host's event, which orders its packets among simultaneous ones.
    pub slot: Slot,
    /// Histogram of the group: round-trip samples at a sender, one-way delays at a receiver.
    pub spans: &'a mut Histogram,
}

/// Time that a receiving host exists after the end of its connection, in addition to the delay of the path. A duplicate may
/// still be in flight for an unknown time; if it arrives later, there is no connection, as at a real host after TIME-WAIT.
pub(crate) const LINGER: Span = Span::from_ms(1000);
