//! What is counted of transfers that come and go: in whole numbers, so that a sum is the same in whatever order its parts
//! are added.

use super::{Histogram, SenderRecorder};
use narrows_transport::SenderCounters;
use narrows_units::{Span, Time};
use std::ops::{AddAssign, Sub};

macro_rules! tally {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// Counts of a population since the start of the run; none ever falls.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Tally { $($(#[$doc])* pub $field: u64,)* }

        impl AddAssign for Tally {
            fn add_assign(&mut self, other: Self) { $(self.$field += other.$field;)* }
        }

        impl Sub for Tally {
            type Output = Self;
            fn sub(self, earlier: Self) -> Self { Self { $($field: self.$field - earlier.$field,)* } }
        }
    };
}

tally! {
    /// Transfers begun.
    started,
    /// Transfers that found every seat taken, and never began.
    turned_away,
    /// Connections opened.
    established,
    /// Transfers of which every byte was acknowledged.
    completed,
    /// Connections that could not be opened, or broke.
    failed,
    /// Transfers that took longer than their user would wait.
    abandoned,
    /// Data packets sent.
    packets_sent,
    /// Of these, sent before.
    retransmissions,
    /// Bytes of data packets on the wire.
    bytes_sent,
    /// Payload delivered in order.
    bytes_delivered,
    /// Retransmission timeouts.
    timeouts,
    /// Loss events.
    loss_events,
    /// Times between acknowledgements.
    ack_gaps,
    /// Of these, those that are too short.
    close_acks,
    /// Window reductions.
    reductions,
    /// Round-trip samples, their sum in nanoseconds.
    rtt_ns,
    /// How many.
    rtt_samples,
    /// Congestion windows over time, millionths of packet seconds.
    window_us,
    /// The time over which that was summed, microseconds.
    window_time_us,
}

impl Tally {
    /// What one sender has counted so far.
    pub fn of_sender(recorder: &SenderRecorder, counters: &SenderCounters) -> Self {
        Self {
            established: u64::from(recorder.established.is_some()),
            packets_sent: counters.packets_sent,
            retransmissions: counters.retransmissions,
            bytes_sent: counters.bytes_sent,
            timeouts: counters.timeouts,
            loss_events: counters.loss_events,
            ack_gaps: recorder.ack_gaps,
            close_acks: recorder.close_acks,
            reductions: counters.reductions,
            rtt_ns: (recorder.rtt.ps / 1000) as u64,
            rtt_samples: recorder.rtt.count,
            window_us: (recorder.window_seconds * 1e6) as u64,
            window_time_us: (recorder.seconds * 1e6) as u64,
            ..Self::default()
        }
    }
}

/// How many transfers of a population are where at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// A connection is being opened.
    pub connecting: u64,
    /// Data flows.
    pub active: u64,
}

/// A population over one interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct PopulationSample {
    /// Counts since the start of the run.
    pub tally: Tally,
    /// At its end.
    pub census: Census,
}

/// Transfers of one class of files and ways that ended after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct ClassTally {
    /// Of which every byte was acknowledged.
    pub completed: u64,
    /// That failed or were abandoned.
    pub failed: u64,
    /// Payload of the completed.
    pub bytes: u64,
    /// Sum of their rates, payload over the time from begin to completion, bits per second.
    pub goodput_bps: u128,
    /// Times from begin to completion.
    pub times: Histogram,
}

/// A transfer that ended.
#[derive(Clone, Copy, Debug)]
pub struct TransferRow {
    /// Index into the model's populations.
    pub population: u32,
    /// Its seat.
    pub seat: u32,
    /// Class of its file.
    pub file: u32,
    /// Index into the population's ways.
    pub way: u32,
    /// Payload, bytes.
    pub size: u64,
    /// When it began.
    pub started: Time,
    /// When data could flow.
    pub established: Option<Time>,
    /// When it ended.
    pub ended: Time,
    /// Every byte was acknowledged.
    pub completed: bool,
    /// Data packets sent.
    pub packets_sent: u64,
    /// Of these, sent before.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

impl ClassTally {
    /// A transfer of `size` bytes of payload ended after `time`.
    pub fn add(&mut self, size: u64, time: Span, completed: bool) {
        if completed {
            self.completed += 1;
            self.bytes += size;
            self.goodput_bps +=
                (u128::from(size) * 8_000_000_000_000).checked_div(u128::from(time.as_ps())).unwrap_or(0);
            self.times.add(time);
        } else {
            self.failed += 1;
        }
    }

    /// Counts all of `other` too.
    pub fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.bytes += other.bytes;
        self.goodput_bps += other.goodput_bps;
        self.times.merge(&other.times);
    }
}
