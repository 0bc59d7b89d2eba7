// SPDX-License-Identifier: Apache-2.0
//! BBR, version 3, as specified by draft-ietf-ccwg-bbr-06 (Cardwell, Swett, Beshay, July 2026).
//!
//! * Model: `max_bw` = largest delivery rate of two probing cycles, `min_rtt` = smallest round-trip time of ten seconds,
//!   and the bounds of `bounds.rs`, which losses set.
//! * `pacing_rate = 0.99 · pacing_gain · bw`, `bw = min(max_bw, bw_shortterm)`; `cwnd = cwnd_gain · bw · min_rtt +
//!   extra_acked`, at least three send quanta and four packets, within the bounds.
//! * Startup until the rate has grown by less than a quarter in three rounds or losses are many; Drain until no more is
//!   in flight than `bw · min_rtt`; then the ProbeBW cycle (Down, Cruise, Refill, Up), interrupted by ProbeRTT.
//!
//! Variables and functions have the names that the draft gives them, in snake case. Volumes are packets, rates bits of
//! payload per second.

mod ack_aggregation;
mod bounds;
mod card;
mod congestion_signals;
mod cwnd;
mod delivery;
mod full_bw;
mod loss;
mod min_rtt;
mod pacing;
mod probe_bw;
mod state;
mod transitions;

use alloc::boxed::Box;
pub use card::BBR3;

use crate::model::probe_rtt::ProbeRtt;
use crate::model::real::{greater, lesser};
use crate::model::state_machine::StateMachine;
use crate::{Ack, Cause, CongestionControl, Limits, Loss, Path, SentPacket, Setup};
use ack_aggregation::AckAggregation;
use bounds::Bounds;
use congestion_signals::CongestionSignals;
use cwnd::{CongestionWindow, Recovery};
use delivery::{Delivery, Sample};
use full_bw::FullBw;
use loss::Undo;
use min_rtt::MinRtt;
use narrows_card::Values;
use narrows_units::{Bytes, Span};
use pacing::Pacing;
use probe_bw::ProbeBw;
use state::{PROBE_RTT_CWND_GAIN, STARTUP_PACING_GAIN, State};

/// The state of a BBR version 3 sender (draft-ietf-ccwg-bbr).
#[derive(Clone, Debug)]
pub struct Bbr3 {
    /// `LossThresh`.
    loss_thresh: f64,
    /// `Beta`.
    beta: f64,
    /// `Headroom`.
    headroom: f64,
    /// `C.SMSS`.
    mss: Bytes,
    /// Its bits.
    mss_bits: f64,
    /// `C.InitialCwnd`, packets.
    initial_cwnd: f64,
    state: StateMachine<State>,
    delivery: Delivery,
    signals: CongestionSignals,
    bounds: Bounds,
    full_bw: FullBw,
    drain_start_round: u64,
    probe_bw: ProbeBw,
    min_rtt: MinRtt,
    probe_rtt: ProbeRtt,
    ack_aggregation: AckAggregation,
    window: CongestionWindow,
    pacing: Pacing,
    /// `InitPacingRate` has seen a round-trip time.
    has_seen_rtt: bool,
    undo: Undo,
    idle_restart: bool,
}

impl CongestionControl for Bbr3 {
    fn limits(&self) -> Limits {
        Limits {
            // The number of packets in flight fits into 32 bits.
            window: Some(u64::from((self.window.cwnd() as u32).max(1))),
            pacing: Some(self.pacing.pacing_rate()),
            burst: self.pacing.send_quantum(),
        }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window.cwnd())
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.on_init(path);
        self.handle_restart_from_idle(packet, path);
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.on_init(path);
        let sample = self.delivery.generate_rate_sample(ack, path);
        self.update_model_and_state(&sample, path);
        self.set_pacing_rate();
        self.set_cwnd(&sample);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        match loss.cause {
            // The repair of a loss by a probe, before it was detected, starts an episode without lost packets.
            Cause::Mark => return self.handle_mark(path),
            Cause::Detected if loss.lost == 0 => return,
            Cause::Detected => {
                if !self.window.in_loss_recovery() {
                    self.save_state_upon_loss();
                    self.window.enter_recovery(Recovery::Fast);
                }
            }
            Cause::Timeout => {
                self.save_state_upon_loss();
                self.window.enter_recovery(Recovery::Rto);
            }
        }
        for packet in loss.packets {
            self.handle_lost_packet(packet, path.now);
        }
        if loss.cause == Cause::Timeout {
            self.window.cut_on_rto(path.in_flight);
        }
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.window.exit_recovery();
        self.bound_cwnd();
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        self.handle_spurious_loss_detection();
    }

    fn state(&self) -> &'static str {
        self.state.get().name()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        let state = self.state.get();
        record("state", state.number());
        record("bandwidth_bps", self.bw());
        record("max_bandwidth_bps", self.delivery.max_bw());
        if let Some(rtt) = self.min_rtt.min_rtt() {
            record("min_rtt_s", rtt.as_secs_f64());
        }
        record("pacing_gain", state.pacing_gain());
        record("cwnd_gain", state.cwnd_gain());
        record("extra_acked", self.ack_aggregation.extra_acked());
        for (name, bound) in [
            ("inflight_longterm", self.bounds.inflight_longterm()),
            ("inflight_shortterm", self.bounds.inflight_shortterm()),
        ] {
            if bound.is_finite() {
                record(name, bound);
            }
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Bbr3 {
    fn new(values: &Values, setup: &Setup) -> Self {
        let nominal_bandwidth = setup.initial_window * setup.mss.bits() as f64 / NOMINAL_RTT.as_secs_f64();
        Self {
            loss_thresh: values.number("loss_threshold"),
            beta: values.number("beta"),
            headroom: values.number("headroom"),
            mss: setup.mss,
            mss_bits: setup.mss.bits() as f64,
            initial_cwnd: setup.initial_window,
            state: StateMachine::new(State::Startup),
            delivery: Delivery::default(),
            signals: CongestionSignals::default(),
            bounds: Bounds::UNSET,
            full_bw: FullBw::default(),
            drain_start_round: 0,
            probe_bw: ProbeBw::new(setup.seed),
            min_rtt: MinRtt::new(),
            probe_rtt: ProbeRtt::default(),
            ack_aggregation: AckAggregation::default(),
            window: CongestionWindow::new(setup.initial_window),
            pacing: Pacing::new(STARTUP_PACING_GAIN * nominal_bandwidth, setup.mss),
            has_seen_rtt: false,
            undo: Undo::NONE,
            idle_restart: false,
        }
    }

    /// Takes the segment size from `path`, and what `OnInit` and `InitPacingRate` need when it is first known.
    fn on_init(&mut self, path: &Path) {
        if path.mss != self.mss {
            (self.mss, self.mss_bits) = (path.mss, path.mss.bits() as f64);
            self.pacing.set_mss(path.mss);
        }
        if !self.has_seen_rtt {
            self.init_pacing_rate(path);
        }
    }

    /// `OnInit` and `InitPacingRate`.
    #[cold]
    fn init_pacing_rate(&mut self, path: &Path) {
        self.min_rtt.init(path.rtt.map(|rtt| rtt.smoothed), path.now);
        if let Some(rtt) = path.rtt {
            self.has_seen_rtt = true;
            let nominal_bandwidth = self.initial_cwnd * self.mss_bits / rtt.smoothed.as_secs_f64();
            self.pacing = Pacing::new(STARTUP_PACING_GAIN * nominal_bandwidth, self.mss);
        }
    }

    /// `HandleRestartFromIdle`.
    fn handle_restart_from_idle(&mut self, packet: &SentPacket, path: &Path) {
        // The packet itself is in flight already.
        if packet.in_flight > 1 || !(packet.app_limited || self.delivery.is_marked_app_limited()) {
            return;
        }
        self.idle_restart = true;
        self.ack_aggregation.reset_interval(path.now);
        if self.state.get().is_in_a_probe_bw_state() {
            self.set_pacing_rate_with_gain(1.0);
        } else if self.state.is(State::ProbeRtt) {
            self.check_probe_rtt_done(path.now);
        }
    }

    /// `UpdateModelAndState`.
    fn update_model_and_state(&mut self, sample: &Sample, path: &Path) {
        self.signals.update_latest_delivery_signals(sample, self.delivery.delivered());
        self.update_congestion_signals(sample);
        self.ack_aggregation.update_ack_aggregation(
            sample.newly_acked,
            path.now,
            self.bw() / self.mss_bits,
            self.window.cwnd(),
            self.delivery.round_count(),
            self.full_bw.full_bw_reached(),
        );
        self.full_bw.check_full_bw_reached(self.delivery.round_start(), sample);
        self.check_startup_done(sample);
        self.check_drain_done(path);
        self.update_probe_bw_cycle_phase(sample, path);
        let probe_rtt_expired = self.min_rtt.update_min_rtt(sample.rtt, path.now);
        self.check_probe_rtt(probe_rtt_expired, sample, path);
        self.signals.advance_latest_delivery_signals(sample);
    }

    /// `UpdateCongestionSignals`.
    fn update_congestion_signals(&mut self, sample: &Sample) {
        self.delivery.update_round(sample);
        if self.delivery.round_start() {
            self.probe_bw.on_round_start();
        }
        self.delivery.update_max_bw(sample);
        if self.signals.loss_round_start() {
            self.adapt_lower_bounds_from_congestion();
            self.signals.clear_loss_in_round();
        }
    }

    /// `SetPacingRate`.
    fn set_pacing_rate(&mut self) {
        self.set_pacing_rate_with_gain(self.state.get().pacing_gain());
    }

    /// `SetPacingRateWithGain`.
    fn set_pacing_rate_with_gain(&mut self, pacing_gain: f64) {
        self.pacing.set(pacing_gain * self.bw() * PACING_MARGIN, self.full_bw.full_bw_reached());
    }

    /// `SetCwnd`.
    fn set_cwnd(&mut self, sample: &Sample) {
        let (max_inflight, full_bw_reached) = (self.max_inflight(), self.full_bw.full_bw_reached());
        let few_delivered = !full_bw_reached && (self.delivery.delivered() as f64) < self.initial_cwnd;
        self.window.set_cwnd(sample.newly_acked, max_inflight, full_bw_reached, few_delivered);
        self.bound_cwnd();
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel`.
    fn bound_cwnd(&mut self) {
        if self.state.is(State::ProbeRtt) {
            self.window.bound_cwnd(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model();
    }

    /// `BoundCwndForModel`.
    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state.get() {
            State::ProbeBwCruise | State::ProbeRtt => self.bounds.inflight_with_headroom(self.headroom),
            State::ProbeBwDown | State::ProbeBwRefill | State::ProbeBwUp => self.bounds.inflight_longterm(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        self.window.bound_cwnd(lesser(cap, self.bounds.inflight_shortterm()));
    }

    /// `BBR.bw` (`BoundBWForModel`), bits of payload per second.
    fn bw(&self) -> f64 {
        lesser(self.delivery.max_bw(), self.bounds.bw_shortterm())
    }

    /// `BDPMultiple` of gain 1 at `bw`: packets that fill the path, the initial window while no round-trip time is known.
    fn bdp(&self, bw: f64) -> f64 {
        self.min_rtt.min_rtt_s().map_or(self.initial_cwnd, |min_rtt| bw * min_rtt / self.mss_bits)
    }

    /// `Inflight` of gain 1 at `bw`, packets.
    fn inflight(&self, bw: f64) -> f64 {
        self.quantization_budget(self.bdp(bw))
    }

    /// `UpdateMaxInflight`, packets.
    fn max_inflight(&self) -> f64 {
        let inflight_cap = self.state.get().cwnd_gain() * self.bdp(self.bw());
        self.quantization_budget(inflight_cap + self.ack_aggregation.extra_acked())
    }

    /// `QuantizationBudget`, packets.
    fn quantization_budget(&self, inflight_cap: f64) -> f64 {
        let probe = if self.state.is(State::ProbeBwUp) { 2.0 } else { 0.0 };
        greater(greater(inflight_cap, self.pacing.offload_budget()), MIN_PIPE_CWND) + probe
    }

    /// `TargetInflight`, packets.
    fn target_inflight(&self) -> f64 {
        lesser(self.bdp(self.bw()), self.window.cwnd())
    }
}

/// `MinPipeCwnd`, packets.
const MIN_PIPE_CWND: f64 = 4.0;
/// (100 - `PacingMarginPercent`) / 100.
const PACING_MARGIN: f64 = 0.99;
/// Round-trip time before one is measured (`InitPacingRate`).
const NOMINAL_RTT: Span = Span::from_ms(1);
