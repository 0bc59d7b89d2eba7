// SPDX-License-Identifier: Apache-2.0
//! C4, Christian's congestion control code (draft-huitema-ccwg-c4-spec, the text after version 04, and draft-huitema-ccwg-c4-design;
//! Huitema, Nandakumar and Jennings): the model of a path is a rate and the largest round-trip time that it has without a queue, so
//! that jitter is no sign of congestion.
//!
//! * Nominal rate `R`: rises to each delivery rate measured, except in a recovery with congestion, and is lowered by congestion alone.
//! * Nominal max RTT `M`: once in an era, a round trip, the largest round-trip time of packets sent at the nominal rate or below; it
//!   rises to that at once, to 250 ms above the running min RTT `m` at most, and falls towards it by an eighth.
//! * Paced at `α R`, with a window of `α R (M + min(M / 4, 15 ms))`. A cycle: Recovery (`α = 15/16`) for an era, Cruising (1) for two,
//!   Probing (17/16, 33/32 where routers mark) for one. If the rate has grown after it, Pushing (5/4) for as long as it grows by 3/16
//!   in an era, and after three of them Initial again. The average of `α` in a cycle without a push is 1, and the queue that the probe
//!   of one flow leaves is a sixteenth of the path, for one era.
//! * Initial (2): slow start, slower by eight with each era without growth, over after three of them.
//! * Congestion: a round-trip time beyond `M` by a threshold, a smoothed share of losses, or of marks, beyond another. In Cruising it
//!   lowers `R` by up to a quarter; everywhere Recovery follows. Two recoveries with congestion in succession lower `R` to the largest
//!   rate measured between. Thresholds fall as `R` grows, so that of two flows the faster gives way.

mod card;
mod delays;
mod signals;
mod state;

use alloc::boxed::Box;
pub use card::C4;

use crate::model::state_machine::StateMachine;
use crate::{Ack, Cause, CongestionControl, EcnUse, Limits, Loss, Path, RateSample, Setup};
use delays::Delays;
use narrows_card::Values;
use narrows_units::{Bytes, Rate};
use signals::{Shares, Signal};
use state::State;

/// The state of a C4 sender (draft-huitema-ccwg-c4-spec).
#[derive(Clone, Debug)]
pub struct Sender {
    /// Largest `beta`.
    beta: f64,
    /// Delays of packets that were sent at the nominal rate or below are signs of congestion, too.
    all_delays: bool,
    mss: Bytes,
    state: StateMachine<State>,
    /// `nominal_rate`, bytes of payload per second; 0 before the first sample.
    rate: f64,
    delays: Delays,
    shares: Shares,
    /// `alpha_current`, and `alpha_previous`: of the era before, whose packets are acknowledged now.
    alpha: f64,
    alpha_previous: f64,
    delivered: u64,
    era: Era,
    cycle: Cycle,
    /// `initial_cwnd`, packets.
    initial_cwnd: f64,
    /// Eras of the Initial state without growth.
    eras_no_increase: u32,
    /// High jitter has led to the Initial state once.
    restarted: bool,
}

/// The present era.
#[derive(Clone, Copy, Debug, Default)]
struct Era {
    /// Packets delivered before it: it is over when a packet is acknowledged that left with as many delivered.
    start: u64,
    /// How many there were in the present state.
    number: u32,
    /// Nominal rate with which growth is compared: that at its start, in Recovery that before the probe.
    rate: f64,
    /// A packet left while the application did not limit the sender.
    unlimited: bool,
    /// It is the second era of a recovery that was repeated to drain a queue.
    extended: bool,
}

/// What happened since the end of the last recovery.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    /// Nominal rate at its start.
    rate: f64,
    /// The largest rate measured.
    recent_max: f64,
    congested: bool,
    /// Recoveries with congestion in succession, before it.
    congestions: u32,
    /// A probe preceded the present recovery.
    probed: bool,
    /// A packet left since the probe while the application limited the sender.
    app_limited: bool,
}

impl Sender {
    fn new(values: &Values, setup: &Setup) -> Self {
        Self {
            beta: values.number("beta"),
            all_delays: values.flag("all_delays"),
            mss: setup.mss,
            state: StateMachine::new(State::Initial),
            rate: 0.0,
            delays: Delays::new(values.number("max_jitter")),
            shares: Shares::default(),
            alpha: ALPHA_INITIAL,
            alpha_previous: ALPHA_INITIAL,
            delivered: 0,
            era: Era::default(),
            cycle: Cycle::default(),
            initial_cwnd: setup.initial_window.clamp(1.0, WINDOW_MAX),
            eras_no_increase: 0,
            restarted: false,
        }
    }

    /// Rate and nominal max RTT, bytes per second and seconds; `None` before both are known.
    fn model(&self) -> Option<(f64, f64)> {
        Some((self.rate, self.delays.nominal_max()?)).filter(|(rate, _)| *rate > 0.0)
    }

    /// `alpha * nominal_rate`, bytes per second.
    fn pacing(&self) -> f64 {
        let rate = self.alpha * self.rate;
        if self.state.is(State::Initial) { rate.max(INITIAL_PACING) } else { rate }
    }

    /// The congestion window, packets.
    fn cwnd(&self) -> f64 {
        let Some((rate, nominal_max)) = self.model() else { return self.initial_cwnd };
        let initial = self.state.is(State::Initial);
        let margin = if initial { 0.0 } else { (nominal_max / 4.0).min(MARGIN_MAX) };
        let window = self.alpha * rate * (nominal_max + margin) / self.mss.count() as f64;
        let least = if initial { self.initial_cwnd } else { WINDOW_MIN };
        window.max(least).min(WINDOW_MAX)
    }

    /// How sensitive the flow is, 0 to 1.
    fn sensitivity(&self) -> f64 {
        signals::sensitivity(self.rate)
    }

    /// A delivery rate was measured.
    fn measure(&mut self, sample: &RateSample) {
        let seconds = sample.interval.as_secs_f64();
        if seconds <= 0.0 || sample.delivered == 0 {
            return;
        }
        let measured = (sample.delivered as f64 * self.mss.count() as f64 / seconds).min(RATE_MAX);
        self.cycle.recent_max = self.cycle.recent_max.max(measured);
        if measured > self.rate && !(self.state.is(State::Recovery) && self.cycle.congested) {
            self.rate = measured;
        }
        self.era.unlimited |= !sample.app_limited;
        self.cycle.app_limited |= sample.app_limited;
    }

    /// The congestion that the newest acknowledgement shows, if any.
    fn signal(&self, ack: &Ack<'_>) -> Option<Signal> {
        let sensitivity = self.sensitivity();
        if ack.ce_packets > 0 {
            let threshold = signals::mark_threshold(sensitivity);
            let marked = self.shares.marked();
            if marked > threshold {
                return Some(Signal::Mark { excess: (marked - threshold) / threshold });
            }
        }
        let nominal_max = self.delays.nominal_max()?;
        if !self.all_delays && self.alpha_previous <= ALPHA_CRUISING {
            return None;
        }
        let threshold = signals::delay_threshold(sensitivity, nominal_max);
        let over = ack.rtt?.as_secs_f64() - (nominal_max + threshold);
        (over > 0.0).then_some(Signal::Delay { excess: over / threshold })
    }

    fn on_congestion(&mut self, signal: Signal, path: &Path) {
        match self.state.get() {
            State::Initial => {
                let ends = match signal {
                    Signal::Loss => self.delivered > LOSS_PACKETS,
                    Signal::Delay { .. } | Signal::Mark { .. } => self.eras_no_increase >= QUIET_ERAS,
                };
                if ends {
                    self.exit_initial(path);
                }
                return;
            }
            State::Cruising => {
                let beta = match signal {
                    Signal::Loss => self.beta,
                    Signal::Delay { excess } | Signal::Mark { excess } => excess.min(self.beta),
                };
                self.rate *= 1.0 - beta;
                if let (Signal::Loss, Some(nominal_max)) = (signal, self.delays.nominal_max()) {
                    self.delays.set_nominal_max(nominal_max * (1.0 - beta));
                }
            }
            // A queue builds up that one era would not drain (`c4_notify_congestion` of picoquic, which takes a delay for a
            // signal only of packets that were sent above the rate).
            State::Recovery
                if !self.era.extended
                    && (self.alpha_previous > ALPHA_CRUISING || !matches!(signal, Signal::Delay { .. })) =>
            {
                self.era.extended = true;
                self.alpha = ALPHA_DRAINING;
                self.era.start = self.delivered;
            }
            State::Recovery | State::Probing | State::Pushing => {}
        }
        self.cycle.congested = true;
        if !self.state.is(State::Recovery) {
            self.enter_recovery(path);
        }
    }

    fn begin_era(&mut self, alpha: f64) {
        self.era.start = self.delivered;
        self.delays.begin_era();
        self.shares.begin_era();
        (self.alpha_previous, self.alpha) = (self.alpha, alpha);
        self.era.rate = self.rate;
        self.era.unlimited = false;
        self.era.number += 1;
    }

    fn enter(&mut self, state: State, alpha: f64) {
        self.state.transition_to(state);
        (self.era.number, self.era.extended) = (0, false);
        self.begin_era(alpha);
    }

    fn enter_initial(&mut self) {
        if let Some((rate, nominal_max)) = self.model() {
            self.initial_cwnd = (rate * nominal_max / self.mss.count() as f64).clamp(WINDOW_MIN, WINDOW_MAX);
        }
        self.eras_no_increase = 0;
        self.enter(State::Initial, ALPHA_INITIAL);
    }

    fn exit_initial(&mut self, path: &Path) {
        if self.rate > 0.0 {
            self.delays.set_nominal_max(self.cwnd() / 2.0 * self.mss.count() as f64 / self.rate);
            self.enter_recovery(path);
        }
    }

    fn enter_recovery(&mut self, path: &Path) {
        let in_flight = path.in_flight as f64 * self.mss.count() as f64;
        let queued = self.delays.running_min().is_some_and(|least| in_flight > QUEUED * self.rate * least);
        self.cycle.probed = self.state.is(State::Probing);
        // The rate with which the probe is compared, or the push.
        let before = self.era.rate;
        self.enter(State::Recovery, if queued { ALPHA_DRAINING } else { ALPHA_RECOVERY });
        self.era.rate = before;
    }

    fn exit_recovery(&mut self) {
        let grew = self.cycle.probed && !self.cycle.congested && self.rate > self.era.rate;
        self.cycle.congestions = if self.cycle.congested { self.cycle.congestions + 1 } else { 0 };
        if self.cycle.congestions > 1 && self.cycle.recent_max > 0.0 {
            self.rate = self.rate.min(self.cycle.recent_max);
        }
        let flat = self.rate <= self.cycle.rate
            && self.cycle.probed
            && !self.cycle.congested
            && !self.cycle.app_limited;
        if flat && self.cycle.recent_max > 0.0 {
            self.rate = f64::midpoint(self.rate, self.cycle.recent_max);
        }
        self.cycle = Cycle { rate: self.rate, congestions: self.cycle.congestions, ..Cycle::default() };
        self.shares.reset();
        if grew {
            self.enter(State::Pushing, ALPHA_PUSHING);
        } else {
            self.enter(State::Cruising, ALPHA_CRUISING);
        }
    }

    /// A packet sent in this era was acknowledged; `app_limited`: the application limited the sender when it left.
    fn on_era(&mut self, app_limited: bool, path: &Path) {
        if !self.state.is(State::Initial) && self.alpha_previous <= ALPHA_CRUISING {
            self.delays.take_in();
            if !self.restarted && self.rate < RESTART_RATE && self.delays.jitter_is_high() {
                self.restarted = true;
                return self.enter_initial();
            }
        }
        match self.state.get() {
            State::Initial => {
                if self.rate >= self.era.rate * INITIAL_GROWTH {
                    self.eras_no_increase = 0;
                } else if self.era.unlimited {
                    self.eras_no_increase += 1;
                }
                if self.eras_no_increase >= FLAT_ERAS {
                    self.exit_initial(path);
                } else {
                    self.begin_era(ALPHA_INITIAL);
                }
            }
            State::Recovery => self.exit_recovery(),
            State::Cruising if self.era.number >= CRUISING_ERAS && !app_limited => {
                self.cycle.app_limited = false;
                let marks = self.shares.path_marks();
                self.enter(State::Probing, if marks { ALPHA_PROBING_MARKED } else { ALPHA_PROBING });
            }
            State::Cruising => self.begin_era(ALPHA_CRUISING),
            State::Probing => self.enter_recovery(path),
            // Packets acknowledged in the first era were sent in the recovery.
            State::Pushing if self.era.number > 1 && self.rate < self.era.rate * PUSH_GROWTH => {
                self.enter_recovery(path);
            }
            State::Pushing if self.era.number > PUSHING_ERAS => self.enter_initial(),
            State::Pushing => self.begin_era(ALPHA_PUSHING),
        }
    }
}

impl CongestionControl for Sender {
    fn limits(&self) -> Limits {
        let pacing = self.model().map(|_| self.pacing());
        let bytes = pacing.map_or(0.0, |rate| (rate * QUANTUM).min(QUANTUM_MAX));
        Limits {
            window: Some(self.cwnd() as u64),
            pacing: pacing.map(|rate| Rate::from_bps_f64((rate * 8.0).max(1.0))),
            burst: Bytes::new(bytes as u64).max(self.mss * 2),
        }
    }

    fn window(&self) -> Option<f64> {
        Some(self.cwnd())
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.mss = path.mss;
        self.delivered += ack.newly_acked;
        self.shares.on_delivered(ack.newly_acked, ack.ce_packets, !self.state.is(State::Recovery));
        if let Some(sample) = &ack.rate {
            self.measure(sample);
        }
        if self.state.is(State::Initial) && ack.rate.is_none_or(|sample| !sample.app_limited) {
            let grown = ack.newly_acked as f64 / f64::from(1 << (3 * self.eras_no_increase));
            self.initial_cwnd = (self.initial_cwnd + grown).min(WINDOW_MAX);
        }
        let signal = self.signal(ack);
        if let Some(rtt) = ack.rtt {
            self.delays.add(rtt);
        }
        if let Some(signal) = signal {
            self.on_congestion(signal, path);
        }
        if let Some(sample) = ack.rate.filter(|sample| sample.prior_delivered >= self.era.start) {
            self.on_era(sample.app_limited, path);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.cause != Cause::Detected || self.state.is(State::Recovery) {
            return;
        }
        self.shares.on_lost(loss.lost);
        if self.shares.lost() > signals::loss_threshold(self.sensitivity()) {
            self.on_congestion(Signal::Loss, path);
        }
    }

    fn needs_sent_events(&self) -> bool {
        false
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::LowLatency
    }

    fn state(&self) -> &'static str {
        self.state.get().name()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("nominal_rate_bps", self.rate * 8.0);
        if let Some(nominal_max) = self.delays.nominal_max() {
            record("nominal_max_rtt_s", nominal_max);
        }
        if let Some(running_min) = self.delays.running_min() {
            record("running_min_rtt_s", running_min);
        }
        record("alpha", self.alpha);
        record("loss_share", self.shares.lost());
        record("ecn_alpha", self.shares.marked());
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// `alpha` of the states.
const ALPHA_INITIAL: f64 = 2.0;
const ALPHA_RECOVERY: f64 = 15.0 / 16.0;
/// `alpha` of a recovery that drains a queue.
const ALPHA_DRAINING: f64 = 7.0 / 8.0;
const ALPHA_CRUISING: f64 = 1.0;
const ALPHA_PROBING: f64 = 17.0 / 16.0;
/// `alpha` of a probe if routers mark.
const ALPHA_PROBING_MARKED: f64 = 33.0 / 32.0;
const ALPHA_PUSHING: f64 = 5.0 / 4.0;
/// Data in flight over rate and running min RTT above which Recovery drains: twice the data that a probe adds.
const QUEUED: f64 = 9.0 / 8.0;
/// Rate above which high jitter does not lead to the Initial state, bytes per second.
const RESTART_RATE: f64 = 1e6;
/// Growth of the rate in an era of Pushing with which it continues.
const PUSH_GROWTH: f64 = 19.0 / 16.0;
/// Growth of the rate in an era of Initial that counts as one.
const INITIAL_GROWTH: f64 = 1.25;
/// Eras of Initial without growth after which it is over.
const FLAT_ERAS: u32 = 3;
/// Eras of Initial without growth after which delays and marks end it.
const QUIET_ERAS: u32 = 2;
/// Packets delivered after which losses end Initial.
const LOSS_PACKETS: u64 = 20;
/// Eras of Cruising.
const CRUISING_ERAS: u32 = 2;
/// Eras of Pushing after which Initial follows.
const PUSHING_ERAS: u32 = 3;
/// Least pacing rate of Initial, bytes per second.
const INITIAL_PACING: f64 = 1_048_576.0 / 8.0;
/// Most that is added to the nominal max RTT for the window, seconds.
const MARGIN_MAX: f64 = 0.015;
/// Time that a burst lasts at the pacing rate, seconds, and its largest size, bytes.
const QUANTUM: f64 = 0.004;
const QUANTUM_MAX: f64 = 65_536.0;
/// Least window outside Initial, packets.
const WINDOW_MIN: f64 = 2.0;
/// Largest window, packets: more than any path holds.
const WINDOW_MAX: f64 = 1_073_741_824.0;
/// Largest rate, bytes per second: more than any path carries.
const RATE_MAX: f64 = 1e15;
