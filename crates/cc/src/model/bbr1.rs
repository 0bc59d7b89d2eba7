//! BBR, version 1 (Cardwell, Cheng, Gunn, Yeganeh, Jacobson, "BBR: Congestion-based congestion control", ACM Queue 14(5),
//! 2016), as Linux 6 computes it (`net/ipv4/tcp_bbr.c`).
//!
//! * Model: `bw` = largest delivery rate of ten rounds, `min_rtt` = smallest round-trip time of ten seconds.
//! * `pacing = 0.99 · gain · bw`; `cwnd = ⌈gain · bw · min_rtt⌉ + extra_acked + 3 bursts`, even, at least 4.
//! * Startup (gain 2.89) until `bw` has grown by less than a quarter in each of three rounds; Drain (pacing gain 0.34)
//!   until no more is in flight than `bw · min_rtt`; then the gain cycle of `probe_bw.rs`, interrupted by the pauses of
//!   `probe_rtt.rs`. Losses change the window for a round (`window.rs`), and the rate only where a policer is found.
//!
//! All quantities are whole, in Linux's units. Deviations: times are exact where Linux counts jiffies; a runt's delayed
//! acknowledgement is not told apart from others when `min_rtt` expires; the first ten packets leave unpaced here, which
//! in Linux is the transport's doing; bursts do not grow on paths shorter than 16 ms. An acknowledgement that delivers
//! nothing new changes nothing.

mod aggregation;
mod bandwidth;
mod card;
mod delivery;
mod pacing;
mod policer;
mod probe_bw;
mod probe_rtt;
mod startup;
mod window;

pub use card::BBR1;

use crate::catalogue::{Setup, Values};
use crate::{Ack, Cause, CongestionControl, Limits, Loss, Path, RateSample, SentPacket};
use aggregation::Aggregation;
use bandwidth::{Bandwidth, Gain};
use delivery::Delivery;
use narrows_units::{Bytes, Span};
use pacing::Pacing;
use policer::{News, Policer};
use probe_bw::Cycle;
use probe_rtt::MinRtt;
use startup::FullPipe;
use window::{Acked, CongestionWindow, SMALLEST};

/// BBR, version 1.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    /// Both gains of Startup.
    high_gain: Gain,
    /// The window's gain while probing for bandwidth.
    steady_gain: Gain,
    /// Policers are looked for.
    looks_for_policer: bool,
    mss: Bytes,
    mode: Mode,
    pacing_gain: Gain,
    cwnd_gain: Gain,
    delivery: Delivery,
    policer: Policer,
    full_pipe: FullPipe,
    cycle: Cycle,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    pacing: Pacing,
    window: CongestionWindow,
    /// The application was silent, and nothing has been acknowledged since.
    restarted: bool,
    /// Packets declared lost since the last acknowledgement.
    losses: u64,
}

/// What the flow is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Looking for the bandwidth, twice as much every round.
    Startup,
    /// Taking away the queue that this made.
    Drain,
    /// Sending at the bandwidth, and now and then above it.
    ProbeBandwidth,
    /// Pausing to see the round-trip time without a queue.
    ProbeRtt,
}

impl CongestionControl for Bbr1 {
    fn limits(&self) -> Limits {
        Limits {
            window: Some(self.window.size()),
            pacing: self.pacing.limit(),
            burst: self.mss * self.pacing.burst(self.mss),
        }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window.size() as f64)
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
        self.pacing.on_sent(packet.size, path.now);
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.look_at(path);
        let losses = std::mem::take(&mut self.losses);
        self.delivery.on_delivered(ack.newly_acked, path.now);
        if let Some(sample) = &ack.rate {
            self.take_sample(sample, ack.newly_acked, losses, path);
        }
        let prior_in_flight =
            ack.rate.map_or(path.in_flight + ack.newly_acked + losses, |sample| sample.prior_in_flight);
        self.follow_cycle(losses, prior_in_flight, path);
        if self.delivery.round_started && !self.delivery.app_limited {
            self.full_pipe.on_round(self.delivery.bandwidth());
        }
        self.follow_startup(path);
        self.follow_min_rtt(ack.rtt, path);
        self.set_gains();

        let rate = self.bandwidth().pacing_rate(self.pacing_gain, self.mss);
        self.pacing.set(rate, self.full_pipe.reached);
        self.set_window(ack.newly_acked, losses, path);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        let pausing = self.mode == Mode::ProbeRtt;
        match loss.cause {
            // A probe that repaired a loss before it was noticed begins an episode of no losses.
            Cause::Detected if loss.lost > 0 => {
                self.delivery.lost += loss.lost;
                self.losses += loss.lost;
                self.window.on_loss(pausing);
            }
            Cause::Detected | Cause::Mark => {}
            Cause::Timeout => {
                self.delivery.on_timeout(loss.lost);
                self.window.on_timeout(loss.new_episode, path.in_flight, pausing);
                self.full_pipe.on_timeout();
                self.losses = 0;
                self.look_for_policer(true, path);
            }
        }
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.window.on_recovered();
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        self.full_pipe.on_spurious_loss();
        self.policer.forget(&self.delivery);
        self.window.on_recovered();
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("bandwidth_bps", self.bandwidth().rate(self.mss));
        if let Some(rtt) = self.min_rtt.get() {
            tell("min_rtt_s", rtt.as_secs_f64());
        }
        tell("pacing_gain", self.pacing_gain.as_f64());
        tell("cwnd_gain", self.cwnd_gain.as_f64());
        tell("extra_acked", self.aggregation.allowance(self.bandwidth()) as f64);
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
            steady_gain: Gain::nearest(values.number("cwnd_gain")),
            looks_for_policer: values.flag("policer"),
            mss: setup.mss,
            mode: Mode::Startup,
            pacing_gain: high_gain,
            cwnd_gain: high_gain,
            delivery: Delivery::default(),
            policer: Policer::default(),
            full_pipe: FullPipe::default(),
            cycle: Cycle::new(setup.seed),
            min_rtt: MinRtt::new(Span::from_secs_f64(values.number("min_rtt_window"))),
            aggregation: Aggregation::default(),
            pacing: Pacing::new(window.size(), high_gain, setup.mss),
            window,
            restarted: false,
            losses: 0,
        }
    }

    /// The bandwidth to send by.
    fn bandwidth(&self) -> Bandwidth {
        self.policer.rate().unwrap_or_else(|| self.delivery.bandwidth())
    }

    /// Learns what the transport knew before the first packet: the round-trip time of the handshake.
    fn look_at(&mut self, path: &Path) {
        self.mss = path.mss;
        self.min_rtt.begin(path.rtt.map(|rtt| rtt.min), path.now);
        if let Some(rtt) = path.rtt {
            self.pacing.on_rtt(rtt.smoothed, self.window.size(), self.high_gain, self.mss);
        }
    }

    /// The first packet after the application's silence leaves.
    fn restart(&mut self, path: &Path) {
        self.restarted = true;
        self.aggregation.restart(path.now);
        match self.mode {
            // There is nothing to probe for until the flow has shown that it needs more.
            Mode::ProbeBandwidth => {
                let rate = self.bandwidth().pacing_rate(Gain::UNIT, self.mss);
                self.pacing.set(rate, self.full_pipe.reached);
            }
            Mode::ProbeRtt if self.min_rtt.is_long_enough(path.now) => self.end_pause(path),
            _ => {}
        }
    }

    fn take_sample(&mut self, sample: &RateSample, acked: u64, losses: u64, path: &Path) {
        if self.delivery.follow_rounds(sample) {
            self.window.on_round();
        }
        self.look_for_policer(losses > 0, path);
        self.delivery.take(sample);
        let (bandwidth, round_started) = (self.bandwidth(), self.delivery.round_started);
        self.aggregation.on_ack(acked, path.now, bandwidth, self.window.size(), round_started);
    }

    fn look_for_policer(&mut self, losses: bool, path: &Path) {
        if !self.looks_for_policer {
            return;
        }
        let probing = self.mode == Mode::ProbeBandwidth;
        match self.policer.on_sample(&self.delivery, losses, probing, path.mss) {
            News::None => {}
            News::Found => self.pacing_gain = Gain::UNIT,
            News::Forgotten => self.probe_bandwidth(),
        }
    }

    fn probe_bandwidth(&mut self) {
        self.mode = Mode::ProbeBandwidth;
        self.cycle.restart(self.delivery.delivered_at);
    }

    fn follow_cycle(&mut self, losses: u64, prior_in_flight: u64, path: &Path) {
        let (Mode::ProbeBandwidth, Some(min_rtt)) = (self.mode, self.min_rtt.get()) else { return };
        let in_network = self.in_network(prior_in_flight, path);
        let target = self.path_holds(self.delivery.bandwidth(), self.pacing_gain.max(Gain::UNIT));
        self.cycle.follow(self.pacing_gain, path.now, min_rtt, losses > 0, in_network, target);
    }

    fn follow_startup(&mut self, path: &Path) {
        if self.mode == Mode::Startup && self.full_pipe.reached {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain
            && self.in_network(path.in_flight, path) <= self.path_holds(self.delivery.bandwidth(), Gain::UNIT)
        {
            self.probe_bandwidth();
        }
    }

    fn follow_min_rtt(&mut self, sample: Option<Span>, path: &Path) {
        let too_old = self.min_rtt.on_ack(sample, path.now);
        if too_old && !self.restarted && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.window.begin_pause();
            self.min_rtt.begin_pause();
        }
        if self.mode == Mode::ProbeRtt {
            self.delivery.keep_quiet(path.in_flight);
            let few = path.in_flight <= SMALLEST;
            if self.min_rtt.follow_pause(few, self.delivery.round_started, path.now) {
                self.delivery.begin_round();
            } else if self.min_rtt.pause_is_over(path.now) {
                self.end_pause(path);
            }
        }
        self.restarted = false;
    }

    fn end_pause(&mut self, path: &Path) {
        self.min_rtt.renew(path.now);
        self.window.end_pause();
        if self.full_pipe.reached {
            self.probe_bandwidth();
        } else {
            self.mode = Mode::Startup;
        }
    }

    fn set_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (self.high_gain, self.high_gain),
            Mode::Drain => (Gain(Gain::UNIT.0 * Gain::UNIT.0 / self.high_gain.0), self.high_gain),
            Mode::ProbeBandwidth if self.policer.rate().is_some() => (Gain::UNIT, self.steady_gain),
            Mode::ProbeBandwidth => (self.cycle.gain(), self.steady_gain),
            Mode::ProbeRtt => (Gain::UNIT, Gain::UNIT),
        };
    }

    fn set_window(&mut self, packets: u64, losses: u64, path: &Path) {
        let bandwidth = self.bandwidth();
        let mut target = self.delay_product(bandwidth, self.cwnd_gain);
        if self.full_pipe.reached {
            target += self.aggregation.allowance(bandwidth);
        }
        let recovery_begins = self.window.on_ack(Acked {
            packets,
            losses,
            in_flight: path.in_flight,
            target: self.with_budget(target),
            full_pipe: self.full_pipe.reached,
            young: self.delivery.delivered < INITIAL_WINDOW,
        });
        if recovery_begins {
            self.delivery.begin_round();
        }
        if self.mode == Mode::ProbeRtt {
            self.window.pause();
        }
    }

    /// `gain · bandwidth · min_rtt`, packets; ten while no round-trip time is known.
    fn delay_product(&self, bandwidth: Bandwidth, gain: Gain) -> u64 {
        self.min_rtt.get().map_or(INITIAL_WINDOW, |rtt| bandwidth.delay_product(rtt, gain))
    }

    /// Packets in flight at which the path is as full as `gain` says.
    fn path_holds(&self, bandwidth: Bandwidth, gain: Gain) -> u64 {
        self.with_budget(self.delay_product(bandwidth, gain))
    }

    /// Adds to `packets` the three bursts that wait in the hosts, makes it even, since every other packet is
    /// acknowledged, and lets a probe add two even where the path holds few.
    fn with_budget(&self, packets: u64) -> u64 {
        let even = (packets + 3 * self.pacing.burst(self.mss)).next_multiple_of(2);
        let probing_up = self.mode == Mode::ProbeBandwidth && self.cycle.is_probing_up();
        even + if probing_up { 2 } else { 0 }
    }

    /// Packets on the path when the next one leaves, of `in_flight` that are now.
    fn in_network(&self, in_flight: u64, path: &Path) -> u64 {
        let joining = if self.pacing_gain > Gain::UNIT { self.pacing.burst(self.mss) } else { 0 };
        (in_flight + joining).saturating_sub(self.bandwidth().packets_in(self.pacing.wait(path.now)))
    }
}

/// `TCP_INIT_CWND`, packets.
const INITIAL_WINDOW: u64 = 10;
