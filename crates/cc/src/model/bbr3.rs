//! BBR, version 3, as specified by draft-ietf-ccwg-bbr-06 (Cardwell, Swett, Beshay, July 2026).
//!
//! * Model: `max_bw` = largest delivery rate of two probing cycles, `min_rtt` = smallest round-trip time of ten seconds,
//!   and the bounds of `bounds.rs`, which losses set.
//! * `pacing = 0.99 · gain · bw`, `bw = min(max_bw, bw_shortterm)`; `cwnd = gain · bw · min_rtt + extra_acked`, at least
//!   three bursts and four packets, within the bounds.
//! * Startup until the rate has grown by less than a quarter in three rounds or losses are many; Drain until no more is
//!   in flight than `bw · min_rtt`; then the cycle of `probe_bw.rs`, interrupted by pauses for `min_rtt`.
//!
//! Functions name the draft's in their documentation. Volumes are packets, rates bits of payload per second.

mod aggregation;
mod bounds;
mod card;
mod delivery;
mod full_pipe;
mod loss;
mod min_rtt;
mod probe_bw;
mod state;
mod window;

pub use card::BBR3;

use crate::catalogue::{Setup, Values};
use crate::{Ack, Cause, CongestionControl, Limits, Loss, Path, SentPacket};
use aggregation::Aggregation;
use bounds::Bounds;
use delivery::{Delivery, Sample};
use full_pipe::FullPipe;
use loss::Undo;
use min_rtt::MinRtt;
use narrows_units::{Bytes, Rate, Span, Time};
use probe_bw::Cycle;
use state::{PROBE_RTT_CWND_GAIN, STARTUP_PACING_GAIN, State};
use window::{CongestionWindow, Recovery};

/// BBR, version 3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    /// `LossThresh`.
    loss_threshold: f64,
    /// `Beta`.
    beta: f64,
    /// `Headroom`.
    headroom: f64,
    mss: Bytes,
    initial_window: f64,
    state: State,
    delivery: Delivery,
    bounds: Bounds,
    full_pipe: FullPipe,
    /// When Drain began, in rounds.
    drain_round: u64,
    cycle: Cycle,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    window: CongestionWindow,
    pacing_rate: Rate,
    /// The pacing rate follows from a measured round-trip time.
    measured: bool,
    undo: Undo,
    /// The application was silent, and nothing has been acknowledged since.
    restarted: bool,
}

impl CongestionControl for Bbr3 {
    fn limits(&self) -> Limits {
        Limits {
            window: Some((self.window.size as u64).max(1)),
            pacing: Some(self.pacing_rate),
            burst: Bytes::new(self.send_quantum() as u64),
        }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window.size)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.look_at(path);
        let silent_before = packet.in_flight <= 1;
        if silent_before && (packet.app_limited || self.delivery.is_quiet()) {
            self.restart(path);
        }
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.look_at(path);
        let sample = self.delivery.sample(ack, path);
        self.update_model(&sample, path);
        self.pace(self.state.pacing_gain());
        let young = (self.delivery.delivered as f64) < self.initial_window;
        self.window.on_ack(sample.newly_acked, self.max_inflight(), self.full_pipe.reached, young);
        self.bound_window();
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        match loss.cause {
            // A probe that repaired a loss before it was noticed begins an episode of no losses.
            Cause::Mark => return,
            Cause::Detected if loss.lost == 0 => return,
            Cause::Detected => {
                if self.window.recovery == Recovery::None {
                    self.save_state();
                    self.window.recovery = Recovery::Fast;
                }
            }
            Cause::Timeout => {
                self.save_state();
                self.window.recovery = Recovery::Timeout;
            }
        }
        for packet in loss.packets {
            self.on_lost_packet(packet, path.now);
        }
        if loss.cause == Cause::Timeout {
            self.window.size = path.in_flight as f64 + 1.0;
        }
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.window.recovery = Recovery::None;
        self.window.restore();
        self.bound_window();
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        self.take_losses_back();
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("state", self.state.number());
        tell("bandwidth_bps", self.bandwidth());
        tell("max_bandwidth_bps", self.delivery.max_bandwidth());
        if let Some(rtt) = self.min_rtt.get() {
            tell("min_rtt_s", rtt.as_secs_f64());
        }
        tell("pacing_gain", self.state.pacing_gain());
        tell("cwnd_gain", self.state.cwnd_gain());
        tell("extra_acked", self.aggregation.get());
        for (name, bound) in
            [("inflight_longterm", self.bounds.longterm), ("inflight_shortterm", self.bounds.shortterm)]
        {
            if bound.is_finite() {
                tell(name, bound);
            }
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Bbr3 {
    fn new(values: &Values, setup: &Setup) -> Self {
        let nominal = setup.initial_window * setup.mss.bits() as f64 / UNKNOWN_RTT.as_secs_f64();
        Self {
            loss_threshold: values.number("loss_threshold"),
            beta: values.number("beta"),
            headroom: values.number("headroom"),
            mss: setup.mss,
            initial_window: setup.initial_window,
            state: State::Startup,
            delivery: Delivery::default(),
            bounds: Bounds::NONE,
            full_pipe: FullPipe::default(),
            drain_round: 0,
            cycle: Cycle::new(setup.seed),
            min_rtt: MinRtt::new(),
            aggregation: Aggregation::default(),
            window: CongestionWindow::new(setup.initial_window),
            pacing_rate: Rate::from_bps_f64(STARTUP_PACING_GAIN * nominal),
            measured: false,
            undo: Undo::NOTHING,
            restarted: false,
        }
    }

    /// Learns what the transport knew before the first packet: the round-trip time of the handshake (`OnInit`,
    /// `InitPacingRate`).
    fn look_at(&mut self, path: &Path) {
        self.mss = path.mss;
        self.min_rtt.begin(path.rtt.map(|rtt| rtt.smoothed), path.now);
        if let Some(rtt) = path.rtt
            && !self.measured
        {
            self.measured = true;
            let nominal = self.initial_window * self.mss.bits() as f64 / rtt.smoothed.as_secs_f64();
            self.pacing_rate = Rate::from_bps_f64(STARTUP_PACING_GAIN * nominal);
        }
    }

    /// `HandleRestartFromIdle`.
    fn restart(&mut self, path: &Path) {
        self.restarted = true;
        self.aggregation.restart(path.now);
        if self.state.is_probe_bw() {
            self.pace(1.0);
        } else if self.state == State::ProbeRtt && self.min_rtt.is_long_enough(path.now) {
            self.end_pause(path.now);
        }
    }

    /// `UpdateModelAndState`.
    fn update_model(&mut self, sample: &Sample, path: &Path) {
        self.delivery.follow_loss_round(sample);
        self.delivery.follow_round(sample);
        if self.delivery.round_start {
            self.cycle.on_round();
        }
        self.delivery.take_rate(sample);
        self.follow_losses();
        self.aggregation.on_ack(
            sample.newly_acked,
            path.now,
            self.bandwidth() / self.mss.bits() as f64,
            self.window.size,
            self.delivery.rounds,
            self.full_pipe.reached,
        );
        if self.delivery.round_start {
            self.full_pipe.on_round(sample);
        }
        self.follow_startup(sample);
        self.follow_drain(path);
        self.follow_cycle(sample, path);
        self.follow_min_rtt(sample, path);
        self.delivery.advance_loss_round(sample);
    }

    /// `CheckStartupDone`.
    fn follow_startup(&mut self, sample: &Sample) {
        self.follow_startup_losses(sample);
        if self.state == State::Startup && self.full_pipe.reached {
            self.state = State::Drain;
            self.drain_round = self.delivery.rounds;
        }
    }

    /// `CheckDrainDone`.
    fn follow_drain(&mut self, path: &Path) {
        if self.state != State::Drain {
            return;
        }
        let drained = path.in_flight as f64 <= self.with_budget(self.delay_product(self.bandwidth()));
        if drained || self.delivery.rounds > self.drain_round + LONGEST_DRAIN {
            self.start_down(path.now);
        }
    }

    /// `UpdateMinRTT` and `CheckProbeRTT`.
    fn follow_min_rtt(&mut self, sample: &Sample, path: &Path) {
        let pause_due = self.min_rtt.on_ack(sample.rtt, path.now);
        if pause_due && !self.restarted && self.state != State::ProbeRtt {
            self.window.save(false);
            self.state = State::ProbeRtt;
            self.min_rtt.begin_pause();
            self.cycle.stop_feedback();
            self.delivery.begin_round();
        }
        if self.state == State::ProbeRtt {
            self.delivery.keep_quiet(path.in_flight);
            let few = path.in_flight as f64 <= self.pause_window();
            if self.min_rtt.follow_pause(few, self.delivery.round_start, path.now) {
                self.delivery.begin_round();
            } else if self.min_rtt.pause_is_over(path.now) {
                self.end_pause(path.now);
            }
        }
        if sample.delivered > 0 {
            self.restarted = false;
        }
    }

    /// `CheckProbeRTTDone` and `ExitProbeRTT`.
    fn end_pause(&mut self, now: Time) {
        self.min_rtt.end_pause(now);
        self.window.restore();
        self.bounds.forget_short_term();
        if self.full_pipe.reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// `SetPacingRateWithGain`.
    fn pace(&mut self, gain: f64) {
        let rate = Rate::from_bps_f64((gain * self.bandwidth() * PACING_MARGIN).max(1.0));
        if self.full_pipe.reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel`.
    fn bound_window(&mut self) {
        if self.state == State::ProbeRtt {
            self.window.bound(self.pause_window());
        }
        self.window.bound(self.volume_cap());
    }

    /// `BBR.bw`.
    fn bandwidth(&self) -> f64 {
        self.delivery.max_bandwidth().min(self.bounds.rate)
    }

    /// Packets that fill the path at `bandwidth`; the initial window while no round-trip time is known (`BDPMultiple`).
    fn delay_product(&self, bandwidth: f64) -> f64 {
        self.min_rtt.get().map_or(self.initial_window, |rtt| self.packets_in(bandwidth, rtt))
    }

    fn packets_in(&self, bandwidth: f64, span: Span) -> f64 {
        bandwidth * span.as_secs_f64() / self.mss.bits() as f64
    }

    /// `UpdateMaxInflight`.
    fn max_inflight(&self) -> f64 {
        let wanted = self.state.cwnd_gain() * self.delay_product(self.bandwidth());
        self.with_budget(wanted + self.aggregation.get())
    }

    /// At least three bursts, which wait in the hosts, and four packets; two more in a probe (`QuantizationBudget`).
    fn with_budget(&self, packets: f64) -> f64 {
        let budget = 3.0 * self.send_quantum() / self.mss.count() as f64;
        let probe = if self.state == State::Up { 2.0 } else { 0.0 };
        packets.max(budget).max(MIN_PIPE_CWND) + probe
    }

    /// `TargetInflight`.
    fn target_inflight(&self) -> f64 {
        self.delay_product(self.bandwidth()).min(self.window.size)
    }

    /// `ProbeRTTCwnd`.
    fn pause_window(&self) -> f64 {
        (PROBE_RTT_CWND_GAIN * self.delay_product(self.bandwidth())).max(MIN_PIPE_CWND)
    }

    /// What leaves together: a millisecond's worth, bytes (`SetSendQuantum`).
    fn send_quantum(&self) -> f64 {
        let passing = self.pacing_rate.as_bytes_per_sec() * QUANTUM.as_secs_f64();
        passing.min(LARGEST_QUANTUM).max(2.0 * self.mss.count() as f64)
    }
}

/// `MinPipeCwnd`, packets.
const MIN_PIPE_CWND: f64 = 4.0;
/// One less `PacingMarginPercent`.
const PACING_MARGIN: f64 = 0.99;
/// Rounds after which Drain is over whatever is in flight.
const LONGEST_DRAIN: u64 = 3;
const QUANTUM: Span = Span::from_ms(1);
/// 64 kB.
const LARGEST_QUANTUM: f64 = 65_536.0;
/// What a round trip is taken to last before one is measured.
const UNKNOWN_RTT: Span = Span::from_ms(1);
