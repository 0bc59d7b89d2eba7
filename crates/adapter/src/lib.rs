// SPDX-License-Identifier: Apache-2.0
//! The part of `narrows-quinn` and `narrows-noq` that does not depend on the stack: the reports of a QUIC stack to a
//! controller, as the events of [`CongestionControl`](narrows_cc::CongestionControl).
//!
//! * A [`Plan`] is an algorithm with the setup of its connections. A stack [refuses](Refusal) what cannot work on it.
//! * A [`Flow`] is the algorithm of one path. The interface of a stack calls its methods in bytes and times since the start of the path
//!   ([`time`]), and reads the window, in bytes, and the pacing rate.
//!
//! ```
//! use narrows_adapter::cc::units::{Span, Time};
//! use narrows_adapter::{Flow, Plan};
//!
//! let plan: Plan = "cubic".parse()?;
//! let mut flow = Flow::new(&plan, 1, 1200);
//! let before = flow.window();
//! flow.on_sent(Time::ZERO, 1200, None);
//! flow.on_ack(Time::ZERO, 1200, None);
//! flow.on_end_acks(Time::ZERO + Span::from_ms(40), 0, false);
//! assert_eq!(flow.window(), before + 1200); // slow start
//! # Ok::<(), narrows_adapter::Refusal>(())
//! ```
//!
//! The interfaces of the stacks give less than an algorithm may need, and a flow computes the rest:
//!
//! | an algorithm needs | the stacks give | computed here |
//! |---|---|---|
//! | packets acknowledged | bytes of each packet | whole packets of the present datagram size; the rest of the bytes counts with the next ones |
//! | round-trip times | smoothed and least time *before* the acknowledgement | as in RFC 9002 §5 from the times at which packets were sent, without the delay at the receiver, which is not passed on |
//! | round trips | nothing | a round ends when a packet is acknowledged that was sent after the end of the one before |
//! | rate samples | nothing | draft-ietf-ccwg-bbr §4.1, in bytes |
//! | packets sent, acknowledged, lost | time and bytes; noq also numbers | a record of outstanding packets. Of a loss the newest packet is known, and everything older is lost with it (RFC 9002 §6.1) |
//! | loss episodes | each batch of losses and marks | an episode begins with the loss or mark of a packet that was sent after the start of the one before, and ends when such a packet is acknowledged (RFC 9002 §7.3.2) |
//! | timeouts | persistent congestion | [`Cause::Timeout`](narrows_cc::Cause::Timeout) |
//! | timers | nothing | a timer that is due runs at the next event |
//!
//! Acknowledgements are reported before the losses that they reveal, in the order of the stacks. An idle sender keeps its window,
//! since the stacks pace (RFC 9002 §7.7). The window is at least two packets (RFC 9002 §7.2).

mod flow;
mod ledger;
mod plan;
mod refusal;
mod rtt;

pub use flow::Flow;
pub use plan::Plan;
pub use refusal::{Reason, Refusal, Stack};

use narrows_units::Time;
use std::time::Instant;

/// Returns the time at `now` on a path that started at `start`; the start itself if `now` is earlier.
pub fn time(start: Instant, now: Instant) -> Time {
    let nanoseconds = now.saturating_duration_since(start).as_nanos();
    Time::from_ps(u64::try_from(nanoseconds * 1000).unwrap_or(u64::MAX))
}

/// Algorithms and their catalogue, re-exported so that a user of a stack's crate depends on that crate alone.
pub use narrows_cc as cc;
