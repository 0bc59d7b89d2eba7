//! The probing cycle (draft-ietf-ccwg-bbr-06 §5.3.3): Down, Cruise, Refill, Up.
//!
//! A probe comes two to three seconds after the last, or after as many rounds as a Reno flow with this window needs to
//! fill it again, if that is sooner. Up ends when the rate grows no more, when more than two in a hundred packets are
//! lost, or, after a probe with such losses, as soon as the volume that was too much is in flight again.

use super::delivery::Sample;
use super::state::State;
use super::{Bbr3, MIN_PIPE_CWND};
use crate::Path;
use crate::model::random::Random;
use narrows_units::{Span, Time};

/// Where in the cycle the flow is.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    /// What acknowledgements tell of the probe.
    feedback: Feedback,
    /// Losses are of packets that probed.
    pub(super) sampling: bool,
    /// The last probe lost too much.
    too_high: bool,
    /// The last probe ended as soon as it came near what had been too much.
    precautionary: bool,
    /// Rounds since the last probe.
    rounds: u64,
    wait: Span,
    since: Time,
    growth: Growth,
    random: Random,
}

/// `ack_phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feedback {
    None,
    Refilling,
    Starting,
    Arriving,
    Stopping,
}

/// The long-term bound grows by 1, 2, 4 … packets a round while it is the limit.
#[derive(Clone, Copy, Debug)]
struct Growth {
    rounds: u32,
    acked: f64,
    /// Packets that must be acknowledged for one more; infinite where it does not grow.
    acked_per_packet: f64,
}

impl Cycle {
    /// A cycle whose waits are drawn from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            feedback: Feedback::None,
            sampling: false,
            too_high: false,
            precautionary: false,
            rounds: 0,
            wait: Span::ZERO,
            since: Time::ZERO,
            growth: Growth { rounds: 0, acked: 0.0, acked_per_packet: f64::INFINITY },
            random: Random::new(seed),
        }
    }

    /// A round is over.
    pub(super) fn on_round(&mut self) {
        self.rounds += 1;
    }

    /// Acknowledgements are of packets that probe no longer.
    pub(super) fn stop_feedback(&mut self) {
        self.feedback = Feedback::Stopping;
    }

    /// `PickProbeWait`.
    fn pick_wait(&mut self) {
        self.rounds = self.random.below(2) as u64;
        self.wait = SHORTEST_WAIT + Span::from_secs_f64(self.random.unit());
    }
}

impl Bbr3 {
    /// `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Time) {
        self.delivery.forget_congestion();
        self.cycle.growth.acked_per_packet = f64::INFINITY;
        self.cycle.pick_wait();
        self.cycle.since = now;
        self.cycle.stop_feedback();
        self.delivery.begin_round();
        self.state = State::Down;
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self) {
        self.bounds.forget_short_term();
        self.cycle.growth.rounds = 0;
        self.cycle.growth.acked = 0.0;
        self.cycle.precautionary = false;
        self.cycle.feedback = Feedback::Refilling;
        self.delivery.begin_round();
        self.state = State::Refill;
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, sample: &Sample) {
        self.cycle.sampling = true;
        self.cycle.feedback = Feedback::Starting;
        self.delivery.begin_round();
        self.full_pipe.ask(sample.rate);
        self.state = State::Up;
        self.raise_slope();
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn follow_cycle(&mut self, sample: &Sample, path: &Path) {
        if !self.full_pipe.reached || self.adapt_longterm(sample, path) {
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(path) => self.start_refill(),
            State::Down if self.is_time_to_cruise(path) => self.state = State::Cruise,
            // A round of Refill has filled the pipe.
            State::Refill if self.delivery.round_start => self.start_up(sample),
            State::Up => self.follow_probe(sample, path),
            _ => {}
        }
    }

    /// Losses said that too much is in flight, of which `sample` is (`HandleInflightTooHigh`).
    pub(super) fn on_inflight_too_high(&mut self, sample: &Sample, tx_in_flight: f64, now: Time) {
        self.cycle.too_high = true;
        self.cycle.sampling = false;
        if !sample.app_limited {
            self.bounds.longterm = tx_in_flight.max(self.target_inflight() * self.beta);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down(now);
        }
    }

    /// `IsTimeToProbeBW`.
    fn is_time_to_probe(&self, path: &Path) -> bool {
        let reno_rounds = self.target_inflight().min(MOST_ROUNDS);
        path.now > self.cycle.since + self.cycle.wait || self.cycle.rounds as f64 >= reno_rounds
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, path: &Path) -> bool {
        let in_flight = path.in_flight as f64;
        in_flight <= self.bounds.with_headroom(self.headroom)
            && in_flight <= self.with_budget(self.delay_product(self.delivery.max_bandwidth()))
    }

    /// Ends a probe that has shown enough (`IsTimeToGoDown`).
    fn follow_probe(&mut self, sample: &Sample, path: &Path) {
        let risky = self.cycle.too_high && path.in_flight as f64 >= self.bounds.longterm;
        if risky {
            self.cycle.precautionary = true;
        } else if self.is_bound_longterm(path) {
            self.full_pipe.ask(sample.rate);
        }
        if risky || self.full_pipe.now {
            self.cycle.too_high = false;
            self.start_down(path.now);
        }
    }

    /// `AdaptLongTermModel`; true if it changed the state.
    fn adapt_longterm(&mut self, sample: &Sample, path: &Path) -> bool {
        if self.delivery.round_start && self.cycle.feedback == Feedback::Starting {
            self.cycle.feedback = Feedback::Arriving;
        }
        if self.delivery.round_start && self.cycle.feedback == Feedback::Stopping {
            self.cycle.sampling = false;
            self.cycle.feedback = Feedback::None;
            if self.state.is_probe_bw() && !sample.app_limited {
                self.delivery.advance_cycle();
            }
            if self.state.is_probe_bw() && self.cycle.precautionary && !self.cycle.too_high {
                self.start_refill();
                return true;
            }
        }
        if !self.is_inflight_too_high(sample) && self.bounds.longterm.is_finite() {
            self.bounds.longterm = self.bounds.longterm.max(sample.tx_in_flight as f64);
            if self.state == State::Up {
                self.grow_longterm(sample, path);
            }
        }
        false
    }

    /// `ProbeInflightLongtermUpward`.
    fn grow_longterm(&mut self, sample: &Sample, path: &Path) {
        if !self.is_bound_longterm(path) {
            return;
        }
        let growth = &mut self.cycle.growth;
        growth.acked += sample.newly_acked as f64;
        let packets = (growth.acked / growth.acked_per_packet).floor();
        if packets >= 1.0 {
            growth.acked -= packets * growth.acked_per_packet;
            self.bounds.longterm += packets;
        }
        if self.delivery.round_start {
            self.raise_slope();
        }
    }

    /// `RaiseInflightLongtermSlope`.
    fn raise_slope(&mut self) {
        let growth = &mut self.cycle.growth;
        let packets = f64::from(1u32 << growth.rounds);
        growth.rounds = (growth.rounds + 1).min(MOST_DOUBLINGS);
        growth.acked_per_packet = (self.window.size / packets).max(1.0);
    }

    /// The long-term bound is what keeps the flow from sending more.
    fn is_bound_longterm(&self, path: &Path) -> bool {
        path.window_limited && self.window.size >= self.bounds.longterm
    }

    /// `BoundCwndForModel`: what the bounds leave of the window.
    pub(super) fn volume_cap(&self) -> f64 {
        let longterm = match self.state {
            State::Cruise | State::ProbeRtt => self.bounds.with_headroom(self.headroom),
            State::Down | State::Refill | State::Up => self.bounds.longterm,
            State::Startup | State::Drain => f64::INFINITY,
        };
        longterm.min(self.bounds.shortterm).max(MIN_PIPE_CWND)
    }
}

/// Of `bw_probe_wait`, to which up to a second is added.
const SHORTEST_WAIT: Span = Span::from_ms(2_000);
/// Rounds after which a probe comes at the latest.
const MOST_ROUNDS: f64 = 63.0;
const MOST_DOUBLINGS: u32 = 30;
