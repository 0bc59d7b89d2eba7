//! What is counted at the two ends of a flow.

use super::Histogram;
use narrows_transport::{News, ReceiverCounters, SenderCounters};
use narrows_units::{Span, Time};

/// The recorder at a sender. Stands in memory as written here: first what every
/// acknowledgement touches.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct SenderRecorder {
    /// Round-trip samples since the start: sum in picoseconds and number.
    pub rtt: Sum,
    last_ack: Option<Time>,
    /// After the warm-up, times between an acknowledgement and the one before it.
    pub ack_gaps: u64,
    /// Of these, too short ones.
    pub close_acks: u64,
    ack_spacing: Span,
    window: f64,
    since: Time,
    /// Congestion window times seconds, after the warm-up.
    pub window_seconds: f64,
    /// Seconds over which that was summed.
    pub seconds: f64,
    /// After the warm-up, calls that ended with the sender kept from sending by something else than congestion control.
    pub otherwise_limited: u64,
    /// After the warm-up, all calls.
    pub calls: u64,
    /// When the connection was open.
    pub established: Option<Time>,
    measuring: bool,
    /// The flow gave up.
    pub gave_up: bool,
    /// When the flow started; `None` if it never did.
    pub started: Option<Time>,
    /// When the last byte of a finite transfer was acknowledged.
    pub completed: Option<Time>,
    /// Counters when the warm-up ended.
    pub at_measure: SenderCounters,
    /// Round-trip samples when the warm-up ended.
    pub rtt_at_measure: Sum,
    /// Windows just before a reduction after the warm-up.
    pub peaks: f64,
    /// Reductions after the warm-up.
    pub reductions: u64,
    /// The first and the last of them.
    pub first_reduction: Time,
    /// See `first_reduction`.
    pub last_reduction: Time,
}

/// A sum and how many were summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Picoseconds.
    pub ps: u128,
    /// How many.
    pub count: u64,
}

/// The recorder at a receiver.
#[derive(Clone, Debug, Default)]
pub struct ReceiverRecorder {
    /// Counters when the warm-up ended.
    pub at_measure: ReceiverCounters,
}

impl Sum {
    /// The mean in seconds of what was added since `earlier`; not a number if nothing was.
    pub fn mean_s_since(&self, earlier: &Self) -> f64 {
        (self.ps - earlier.ps) as f64 * 1e-12 / (self.count - earlier.count) as f64
    }
}

impl SenderRecorder {
    /// A recorder that has seen nothing. Acknowledgements that come closer than `ack_spacing` are compressed;
    /// where it is zero that is not known of any.
    pub fn new(ack_spacing: Span) -> Self {
        Self { ack_spacing, ..Self::default() }
    }

    /// The warm-up is over.
    pub fn measure(&mut self, now: Time, counters: &SenderCounters) {
        self.at_measure = *counters;
        self.rtt_at_measure = self.rtt;
        self.measuring = true;
        self.since = now;
    }

    /// The congestion window is `window` packets from now on.
    pub fn window(&mut self, now: Time, window: f64) {
        if self.measuring && self.established.is_some() {
            let seconds = now.since(self.since).as_secs_f64();
            self.window_seconds += self.window * seconds;
            self.seconds += seconds;
        }
        self.window = window;
        self.since = now;
    }

    /// An acknowledgement comes.
    pub fn acknowledged(&mut self, now: Time) {
        if let Some(before) = self.last_ack.replace(now)
            && self.measuring
            && self.ack_spacing > Span::ZERO
        {
            self.ack_gaps += 1;
            self.close_acks += u64::from(now.since(before) < self.ack_spacing);
        }
    }

    /// After a call the sender was kept from sending by its window or pacing rate, or by something else.
    pub fn observe_limit(&mut self, by_control: bool) {
        if self.measuring {
            self.calls += 1;
            self.otherwise_limited += u64::from(!by_control);
        }
    }

    /// Something happened inside the sender. Round-trip samples after the warm-up also go to `rtts`.
    #[inline]
    pub fn hear(&mut self, news: News, now: Time, rtts: &mut Histogram) {
        if let News::RttSample(span) = news {
            self.rtt.ps += u128::from(span.as_ps());
            self.rtt.count += 1;
            if self.measuring {
                rtts.add(span);
            }
        } else {
            self.hear_turn(news, now);
        }
    }

    /// As [`hear`](Self::hear), what is rare.
    #[cold]
    fn hear_turn(&mut self, news: News, now: Time) {
        match news {
            News::Established => {
                self.established = Some(now);
                self.since = now;
            }
            News::RttSample(_) => {}
            News::Reduction { window_before, .. } => {
                if self.measuring {
                    self.peaks += window_before;
                    if self.reductions == 0 {
                        self.first_reduction = now;
                    }
                    self.last_reduction = now;
                    self.reductions += 1;
                }
            }
            News::Completed => self.completed = Some(now),
            News::GaveUp => self.gave_up = true,
        }
    }

    /// Mean time between reductions after the warm-up.
    pub fn reduction_interval(&self) -> Option<Span> {
        (self.reductions > 1).then(|| (self.last_reduction - self.first_reduction) / (self.reductions - 1))
    }
}
