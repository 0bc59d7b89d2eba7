// SPDX-License-Identifier: Apache-2.0
//! BBR, version 1 (Cardwell, Cheng, Gunn, Yeganeh, Jacobson, "BBR: Congestion-based congestion control", ACM Queue 14(5),
//! 2016), as Linux 6 computes it (`net/ipv4/tcp_bbr.c`).
//!
//! * Model: `bw` = largest delivery rate of ten rounds, `min_rtt` = smallest round-trip time of ten seconds.
//! * `pacing_rate = 0.99 · pacing_gain · bw`; `cwnd = ⌈cwnd_gain · bw · min_rtt⌉ + extra_acked + 3 tso_segs_goal`, even,
//!   at least 4.
//! * Startup (gain 2.89) until `bw` has grown by less than a quarter in each of three rounds; Drain (pacing gain 0.34)
//!   until no more is in flight than `bw · min_rtt`; then the gain cycle of ProbeBW, interrupted by ProbeRTT. Losses
//!   reduce the window for a round (`cwnd.rs`), and the rate only if a policer is found (`lt_bw.rs`).
//!
//! Variables and functions have the names that Linux gives them, without the prefix `bbr_`. Quantities are whole numbers
//! in Linux's units.

mod ack_aggregation;
mod bandwidth;
mod card;
mod cwnd;
mod delivery;
mod full_bw;
mod gain_cycle;
mod lt_bw;
mod min_rtt;
mod mode;
mod pacing;
mod transitions;

use alloc::boxed::Box;
pub use card::BBR1;

use crate::model::memo::Memo;
use crate::model::probe_rtt::ProbeRtt;
use crate::model::state_machine::StateMachine;
use crate::{Ack, Cause, CongestionControl, Limits, Loss, Path, RateSample, SentPacket, Setup};
use ack_aggregation::{AckAggregation, EXTRA_ACKED_MAX};
use bandwidth::{Bandwidth, Gain};
use core::cmp::Ordering;
use cwnd::{Acked, CongestionWindow};
use delivery::Delivery;
use full_bw::FullBw;
use gain_cycle::GainCycle;
use lt_bw::{LtBw, LtBwChange};
use min_rtt::MinRtt;
use mode::Mode;
use narrows_card::Values;
use narrows_units::{Bytes, Rate, Span, Time};
use pacing::Pacing;

/// The state of a BBR version 1 sender (Cardwell et al. 2016).
#[derive(Clone, Debug)]
pub struct Bbr1 {
    /// `bbr_high_gain`: both gains of Startup.
    high_gain: Gain,
    /// `bbr_cwnd_gain`: the window's gain in ProbeBW.
    probe_bw_cwnd_gain: Gain,
    /// Long-term bandwidth sampling is on.
    looks_for_policer: bool,
    mss: Bytes,
    mode: StateMachine<Mode>,
    pacing_gain: Gain,
    cwnd_gain: Gain,
    delivery: Delivery,
    lt_bw: LtBw,
    full_bw: FullBw,
    gain_cycle: GainCycle,
    min_rtt: MinRtt,
    probe_rtt: ProbeRtt,
    ack_aggregation: AckAggregation,
    pacing: Pacing,
    window: CongestionWindow,
    targets: Memo<Model, Targets>,
    idle_restart: bool,
    /// Packets declared lost since the last acknowledgement.
    losses: u64,
}

impl CongestionControl for Bbr1 {
    fn limits(&self) -> Limits {
        Limits { window: Some(self.window.cwnd()), pacing: self.pacing.limit(), burst: self.pacing.burst() }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window.cwnd() as f64)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.init(path);
        self.restart_from_idle(packet, path);
        self.pacing.on_sent();
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.init(path);
        let losses = core::mem::take(&mut self.losses);
        self.update_model(ack, losses, path);
        let targets = self.targets.get(self.model(), Model::targets);
        self.pacing.set_pacing_rate(targets.pacing_rate, self.full_bw.full_bw_reached());
        self.set_cwnd(ack.newly_acked, losses, &targets, path);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        let in_probe_rtt = self.mode.is(Mode::ProbeRtt);
        match loss.cause {
            // The repair of a loss by a probe, before it was detected, starts an episode without lost packets.
            Cause::Detected if loss.lost > 0 => {
                self.delivery.on_lost(loss.lost);
                self.losses += loss.lost;
                self.window.on_loss(in_probe_rtt);
            }
            Cause::Detected | Cause::Mark => {}
            // `bbr_set_state`.
            Cause::Timeout => {
                self.delivery.on_lost(loss.lost);
                self.delivery.on_timeout();
                self.window.on_timeout(loss.new_episode, path.in_flight, in_probe_rtt);
                self.full_bw.on_timeout();
                self.losses = 0;
                self.lt_bw_sampling(true, path.mss);
            }
        }
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.window.on_recovered();
    }

    /// `bbr_undo_cwnd`.
    fn on_spurious_loss(&mut self, _path: &Path) {
        self.full_bw.on_spurious_loss();
        self.lt_bw.reset_lt_bw_sampling(&self.delivery);
        self.window.on_recovered();
    }

    fn state(&self) -> &'static str {
        self.mode.get().name()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("bandwidth_bps", self.bw().rate(self.mss));
        if let Some(rtt) = self.min_rtt.min_rtt() {
            record("min_rtt_s", rtt.as_secs_f64());
        }
        record("pacing_gain", self.pacing_gain.as_f64());
        record("cwnd_gain", self.cwnd_gain.as_f64());
        let targets = self.model().targets();
        record("extra_acked", self.ack_aggregation.ack_aggregation_cwnd(targets.extra_acked_max) as f64);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Bbr1 {
    fn new(values: &Values, setup: &Setup) -> Self {
        let high_gain = Gain::nearest(values.number("high_gain"));
        let window = CongestionWindow::new(setup.initial_window as u64);
        Self {
            high_gain,
            probe_bw_cwnd_gain: Gain::nearest(values.number("cwnd_gain")),
            looks_for_policer: values.flag("policer"),
            mss: setup.mss,
            mode: StateMachine::new(Mode::Startup),
            pacing_gain: high_gain,
            cwnd_gain: high_gain,
            delivery: Delivery::default(),
            lt_bw: LtBw::default(),
            full_bw: FullBw::default(),
            gain_cycle: GainCycle::new(Gain::nearest(values.number("probe_gain")), setup.seed),
            min_rtt: MinRtt::new(Span::from_secs_f64(values.number("min_rtt_window"))),
            probe_rtt: ProbeRtt::default(),
            ack_aggregation: AckAggregation::default(),
            pacing: Pacing::new(window.cwnd(), high_gain, setup.mss),
            window,
            targets: Memo::EMPTY,
            idle_restart: false,
            losses: 0,
        }
    }

    /// Takes the segment size from `path`, and what `bbr_init` needs when it is first known.
    fn init(&mut self, path: &Path) {
        if path.mss != self.mss {
            self.mss = path.mss;
            self.pacing.set_mss(path.mss);
        }
        if !self.pacing.has_seen_rtt() {
            self.bbr_init(path);
        }
    }

    /// `bbr_init`.
    #[cold]
    fn bbr_init(&mut self, path: &Path) {
        self.min_rtt.init(path.rtt.map(|rtt| rtt.min), path.now);
        if let Some(rtt) = path.rtt {
            let cwnd = self.window.cwnd();
            self.pacing.init_pacing_rate_from_rtt(rtt.smoothed, cwnd, self.high_gain);
        }
    }

    /// `bbr_cwnd_event` with `CA_EVENT_TX_START`.
    fn restart_from_idle(&mut self, packet: &SentPacket, path: &Path) {
        // The packet itself is in flight already.
        if packet.in_flight > 1 || !(packet.app_limited || self.delivery.is_marked_app_limited()) {
            return;
        }
        self.idle_restart = true;
        self.ack_aggregation.reset_epoch(path.now);
        match self.mode.get() {
            Mode::ProbeBw => {
                let rate = self.bw().pacing_rate(Gain::UNIT, self.mss);
                self.pacing.set_pacing_rate(rate, self.full_bw.full_bw_reached());
            }
            Mode::ProbeRtt => self.check_probe_rtt_done(path.now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    /// `bbr_update_model`.
    fn update_model(&mut self, ack: &Ack<'_>, losses: u64, path: &Path) {
        self.delivery.on_delivered(ack.newly_acked, path.now);
        if let Some(sample) = &ack.rate {
            self.update_bw(sample, losses, path.mss);
            self.update_ack_aggregation(ack.newly_acked, path.now);
        }
        let prior_in_flight =
            ack.rate.map_or(path.in_flight + ack.newly_acked + losses, |sample| sample.prior_in_flight);
        self.update_cycle_phase(losses, prior_in_flight, path);
        if self.delivery.round_start() && !self.delivery.is_app_limited() {
            self.full_bw.check_full_bw_reached(self.delivery.max_bw());
        }
        self.check_drain(path);
        self.update_min_rtt(ack.rtt, path);
        self.update_gains();
    }

    /// `bbr_update_bw`.
    fn update_bw(&mut self, sample: &RateSample, losses: u64, mss: Bytes) {
        if self.delivery.update_round(sample) {
            self.window.on_round_start();
        }
        self.lt_bw_sampling(losses > 0, mss);
        self.delivery.update_max_bw(sample);
    }

    /// `bbr_lt_bw_sampling`.
    fn lt_bw_sampling(&mut self, losses: bool, mss: Bytes) {
        if !self.looks_for_policer || !losses && self.lt_bw.awaits_loss() {
            return;
        }
        let in_probe_bw = self.mode.is(Mode::ProbeBw);
        match self.lt_bw.lt_bw_sampling(&self.delivery, losses, in_probe_bw, mss) {
            LtBwChange::None => {}
            LtBwChange::Found => self.pacing_gain = Gain::UNIT,
            LtBwChange::Expired => self.reset_probe_bw_mode(),
        }
    }

    /// `bbr_update_ack_aggregation`.
    fn update_ack_aggregation(&mut self, acked: u64, now: Time) {
        let (bw, cwnd, round_start) = (self.bw(), self.window.cwnd(), self.delivery.round_start());
        self.ack_aggregation.update_ack_aggregation(acked, now, bw, cwnd, round_start);
    }

    /// `bbr_update_cycle_phase`.
    fn update_cycle_phase(&mut self, losses: u64, prior_in_flight: u64, path: &Path) {
        let (Mode::ProbeBw, Some(min_rtt)) = (self.mode.get(), self.min_rtt.min_rtt()) else { return };
        let is_full_length = self.gain_cycle.is_full_length(min_rtt, path.now);
        // `bbr_is_next_cycle_phase`.
        let is_next_cycle_phase = match self.pacing_gain.cmp(&Gain::UNIT) {
            Ordering::Equal => is_full_length,
            Ordering::Greater => {
                is_full_length
                    && (losses > 0
                        || self.packets_in_net_at_edt(prior_in_flight, path)
                            >= self.inflight(self.delivery.max_bw(), self.pacing_gain))
            }
            Ordering::Less => {
                is_full_length
                    || self.packets_in_net_at_edt(prior_in_flight, path)
                        <= self.inflight(self.delivery.max_bw(), Gain::UNIT)
            }
        };
        if is_next_cycle_phase {
            self.gain_cycle.advance_cycle_phase(path.now);
        }
    }

    /// `bbr_update_gains`.
    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode.get() {
            Mode::Startup => (self.high_gain, self.high_gain),
            Mode::Drain => (self.high_gain.inverse(), self.high_gain),
            Mode::ProbeBw if self.lt_bw.lt_use_bw() => (Gain::UNIT, self.probe_bw_cwnd_gain),
            Mode::ProbeBw => (self.gain_cycle.pacing_gain(), self.probe_bw_cwnd_gain),
            Mode::ProbeRtt => (Gain::UNIT, Gain::UNIT),
        };
    }

    /// `bbr_set_cwnd`.
    fn set_cwnd(&mut self, acked: u64, losses: u64, targets: &Targets, path: &Path) {
        let full_bw_reached = self.full_bw.full_bw_reached();
        let mut target_cwnd = targets.bdp;
        if full_bw_reached {
            target_cwnd += self.ack_aggregation.ack_aggregation_cwnd(targets.extra_acked_max);
        }
        let recovery_starts = self.window.set_cwnd(Acked {
            packets: acked,
            losses,
            in_flight: path.in_flight,
            target_cwnd: self.quantization_budget(target_cwnd),
            full_bw_reached,
            few_delivered: self.delivery.delivered() < INIT_CWND,
        });
        if recovery_starts {
            self.delivery.start_round();
        }
        if self.mode.is(Mode::ProbeRtt) {
            self.window.bound_for_probe_rtt();
        }
    }

    /// `bbr_bw`: the bandwidth to send by.
    fn bw(&self) -> Bandwidth {
        self.lt_bw.bw(self.delivery.max_bw())
    }

    /// What [`Targets`] are computed from.
    fn model(&self) -> Model {
        Model {
            bw: self.bw(),
            min_rtt: self.min_rtt.min_rtt(),
            pacing_gain: self.pacing_gain,
            cwnd_gain: self.cwnd_gain,
            mss: self.mss,
        }
    }

    /// `bbr_inflight`: packets in flight that fill the path `gain` times.
    fn inflight(&self, bw: Bandwidth, gain: Gain) -> u64 {
        self.quantization_budget(bdp(bw, self.min_rtt.min_rtt(), gain))
    }

    /// `bbr_quantization_budget`, packets.
    fn quantization_budget(&self, cwnd: u64) -> u64 {
        let even = (cwnd + 3 * self.pacing.tso_segs_goal()).next_multiple_of(2);
        let probing_up = self.mode.is(Mode::ProbeBw) && self.gain_cycle.is_probing_up();
        even + if probing_up { 2 } else { 0 }
    }

    /// `bbr_packets_in_net_at_edt`: packets on the path when the next one leaves, of `in_flight` that are now. `next_departure` is
    /// `tcp_wstamp_ns`, with the credit for pauses.
    fn packets_in_net_at_edt(&self, in_flight: u64, path: &Path) -> u64 {
        let departing = if self.pacing_gain > Gain::UNIT { self.pacing.tso_segs_goal() } else { 0 };
        let delivered = self.bw().packets_in(path.next_departure.since(path.now));
        (in_flight + departing).saturating_sub(delivered)
    }
}

/// The model of the path with the gains; most acknowledgements leave it as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Model {
    bw: Bandwidth,
    min_rtt: Option<Span>,
    pacing_gain: Gain,
    cwnd_gain: Gain,
    mss: Bytes,
}

/// What follows from a [`Model`].
#[derive(Clone, Copy, Debug)]
struct Targets {
    pacing_rate: Rate,
    /// `bbr_bdp` with the gain of the window, packets.
    bdp: u64,
    /// Bound of `bbr_ack_aggregation_cwnd`, packets.
    extra_acked_max: u64,
}

impl Model {
    fn targets(self) -> Targets {
        Targets {
            pacing_rate: self.bw.pacing_rate(self.pacing_gain, self.mss),
            bdp: bdp(self.bw, self.min_rtt, self.cwnd_gain),
            extra_acked_max: self.bw.packets_in(EXTRA_ACKED_MAX),
        }
    }
}

/// `bbr_bdp`, packets; the initial window while no round-trip time is known.
fn bdp(bw: Bandwidth, min_rtt: Option<Span>, gain: Gain) -> u64 {
    min_rtt.map_or(INIT_CWND, |min_rtt| bw.bdp(min_rtt, gain))
}

/// `TCP_INIT_CWND`, packets.
const INIT_CWND: u64 = 10;
