// SPDX-License-Identifier: Apache-2.0
//! The observations of an endpoint: its keys see the packets that it sends, its controller their fates.

use crate::frames::{StreamFrame, stream_frames};
use narrows_cc::{Cause, Failure};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The observations of one endpoint, which its keys and its controllers share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Arc<Mutex<Sent>>);

/// What was observed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    /// Number of the last packet.
    pub number: u64,
    /// Stream data of the packets since it was taken last.
    pub frames: Vec<StreamFrame>,
    /// Bytes of packets sent, neither acknowledged nor declared lost.
    pub in_flight: u64,
    /// Packets acknowledged.
    pub acked: u32,
    /// Time from the sending of the last packet that was acknowledged to its acknowledgement.
    pub latest_rtt: Option<Duration>,
    /// The smallest such time.
    pub min_rtt: Option<Duration>,
    /// Reductions of the window at a congestion event.
    pub reductions: u32,
    /// The window before the last one, bytes.
    pub before_reduction: u64,
    /// The window after it, bytes.
    pub after_reduction: u64,
    /// Its cause, until it is taken.
    pub cause: Option<Cause>,
    /// Reductions by persistent congestion (RFC 9002 §7.6), QUIC's counterpart to a retransmission timeout.
    pub persistent: u64,
    /// Inner variables of an algorithm of Narrows or from a file after its last event, each with its name.
    pub observed: Vec<(String, f64)>,
    /// The failure of an algorithm of Narrows or from a file, until it is taken.
    failure: Option<Failure>,
    /// Whether it has failed.
    failed: bool,
    /// The shortest such time among the packets of the present batch of acknowledgements.
    batch: Option<Duration>,
}

impl Shared {
    /// Returns the observations.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Sent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sent {
    /// The packet `number` with these `frames` is sealed.
    pub(crate) fn sealed(&mut self, number: u64, frames: &[u8]) {
        self.number = number;
        stream_frames(frames, &mut self.frames);
    }

    /// A packet that was sent `rtt` ago is acknowledged.
    pub(crate) fn acknowledged(&mut self, rtt: Duration) {
        self.acked = self.acked.wrapping_add(1);
        self.batch = Some(self.batch.map_or(rtt, |least| least.min(rtt)));
    }

    /// A batch of acknowledgements is over, and leaves `in_flight` bytes.
    pub(crate) fn batch_ended(&mut self, in_flight: u64) {
        self.in_flight = in_flight;
        self.latest_rtt = self.batch.take().or(self.latest_rtt);
        self.min_rtt = self.latest_rtt.map(|latest| self.min_rtt.map_or(latest, |least| least.min(latest)));
    }

    /// The algorithm has failed; only the first time counts.
    pub(crate) fn fail(&mut self, failure: Failure) {
        if !std::mem::replace(&mut self.failed, true) {
            self.failure = Some(failure);
        }
    }

    /// Returns the failure of the algorithm, once.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// A congestion event lowered the window from `before` to `after`, bytes, if it did.
    pub(crate) fn congestion(&mut self, cause: Cause, lost: u64, before: u64, after: u64) {
        self.in_flight = self.in_flight.saturating_sub(lost);
        if after < before {
            self.reductions += 1;
            (self.before_reduction, self.after_reduction) = (before, after);
            self.cause = Some(cause);
            self.persistent += u64::from(cause == Cause::Timeout);
        }
    }
}
