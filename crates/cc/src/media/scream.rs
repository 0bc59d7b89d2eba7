// SPDX-License-Identifier: Apache-2.0
//! SCReAM v2, self-clocked rate adaptation for multimedia (draft-johansson-ccwg-rfc8298bis-screamv2, as in its repository at commit
//! 00d8f516).
//!
//! * The reference window `W` limits the bytes in flight to `o W`, and the encoder to `T = W / srtt`, less what overhead and queues at
//!   the sender need.
//! * Congestion, at most once in `min(25 ms, srtt)`: a loss `W · 0.7`, a mark `W · 0.8` (L4S: `W (1 − α/2)`, α the mean share of marks),
//!   a mean queueing delay `q` above half of its target `W (1 − αᵥ/2)`, `αᵥ = 2 q / target − 1`. The last two act as often as
//!   `srtt / 25 ms` in a round trip and are divided by that.
//! * Increase by one segment and 0.02 `W` in a round trip, less near the window `Wᵢ` of the last congestion, after congestion, and
//!   while the delay varies.

use super::queue_delay::QueueDelay;
use super::{NEEDS, packets};
use crate::{Ack, Cause, CongestionControl, Dash, EcnUse, Entry, Hue, Limits, Loss, Path, Setup, Style};
use alloc::boxed::Box;
use base_delay::BaseDelay;
use competing::Competing;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::{Bytes, Rate, Span, Time};

mod base_delay;
mod competing;

/// The parameters and the state of SCReAM v2. Sizes are in bytes of payload, times in seconds, rates in bit/s.
#[derive(Clone, Debug)]
pub struct Scream {
    /// Marks follow L4S.
    l4s: bool,
    minimum: f64,
    maximum: f64,
    mss: f64,
    burst: Bytes,
    /// `ref_wnd`.
    window: f64,
    /// `ref_wnd_i`: the window at the last congestion.
    inflection: f64,
    target: f64,
    delay: QueueDelay,
    base: BaseDelay,
    /// `qdelay` and `qdelay_avg`.
    queue: f64,
    queue_mean: f64,
    queue_updated: Option<Time>,
    /// `qdelay_dev_norm`: the deviation of the queueing delay.
    deviation: f64,
    competing: Competing,
    marks: Marks,
    /// Largest flights of this round trip and the one before.
    flight: f64,
    flight_before: f64,
    round_started: Option<Time>,
    /// What happened since the last response.
    lost: bool,
    marked: bool,
    detected_at: Option<Time>,
    responded_at: Option<Time>,
    inflection_at: Option<Time>,
}

/// The mean share of packets that are marked (`l4s_alpha`).
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    alpha: f64,
    delivered: u64,
    marked: u64,
    updated: Option<Time>,
}

impl Marks {
    fn add(&mut self, ack: &Ack<'_>, srtt: f64, now: Time) {
        self.delivered += ack.newly_acked;
        self.marked += ack.ce_packets;
        if self.delivered > 0 && is_past(self.updated, srtt.min(ALPHA_INTERVAL), now) {
            let share = (self.marked as f64 / self.delivered as f64).min(1.0);
            self.alpha = if share >= self.alpha {
                ALPHA_GAIN_UP * share + (1.0 - ALPHA_GAIN_UP) * self.alpha
            } else {
                (1.0 - ALPHA_GAIN_DOWN) * self.alpha
            };
            (self.delivered, self.marked, self.updated) = (0, 0, Some(now));
        }
    }
}

/// Whether `seconds` have passed since `since`; true if there was nothing before.
fn is_past(since: Option<Time>, seconds: f64, now: Time) -> bool {
    super::is_past(since, Span::from_secs_f64(seconds), now)
}

impl Scream {
    /// `ref_wnd_ratio`.
    fn ratio(&self) -> f64 {
        (self.mss / self.window).min(1.0)
    }

    /// How far the deviation of the delay is below its threshold, 1 for none and 0 for at or above it.
    fn steadiness(&self) -> f64 {
        let threshold = self.deviation_threshold();
        ((threshold - self.deviation) / threshold).max(0.0)
    }

    /// `qdelay_dev_norm_th`.
    fn deviation_threshold(&self) -> f64 {
        (0.1 * (1.0 - self.ratio() / 0.1)).max(0.05)
    }

    /// `scl_t`: distance of the window from the window at the last congestion, 0.1 to 1.
    fn distance(&self) -> f64 {
        let scaled = DISTANCE_GAIN * (self.window - self.inflection) / self.inflection;
        (scaled * scaled).clamp(0.1, 1.0)
    }

    fn update_delay(&mut self, srtt: f64, now: Time) {
        if !is_past(self.queue_updated, srtt.min(VIRTUAL_RTT), now) {
            return;
        }
        self.queue_updated = Some(now);
        self.queue_mean = if self.queue < self.queue_mean {
            self.queue
        } else {
            QUEUE_GAIN * self.queue + (1.0 - QUEUE_GAIN) * self.queue_mean
        };
        let most = 1.5 * self.deviation_threshold();
        let sample = ((self.queue - DEVIATION_NORM / 4.0) / DEVIATION_NORM).clamp(0.0, most);
        self.deviation += DEVIATION_GAIN * (sample - self.deviation);
    }

    /// Lowers the window if there is congestion and the last response is long enough ago.
    fn respond(&mut self, srtt: f64, now: Time) {
        if self.lost || self.marked {
            self.detected_at = Some(now);
        }
        let target = self.competing.target();
        let virtual_share = (2.0 * self.queue_mean / target - 1.0).clamp(0.0, 1.0);
        let congested = self.lost || self.marked || virtual_share > 0.0;
        if !congested || !is_past(self.responded_at, srtt.min(VIRTUAL_RTT), now) {
            return;
        }
        let distance = self.distance();
        if is_past(self.inflection_at, INFLECTION_ROUNDS * srtt, now) {
            (self.inflection, self.inflection_at) = (self.window, Some(now));
        }
        let responses_in_round = (srtt / VIRTUAL_RTT).max(1.0);
        if self.lost {
            self.window *= BETA_LOSS;
        } else if self.marked && self.l4s {
            let mut share = self.marks.alpha / 2.0 / responses_in_round;
            if self.queue < target / 4.0 {
                share *= distance.max(0.25) * self.steadiness().max(STEADINESS_MIN);
            }
            if is_past(self.responded_at, LONG_ROUNDS * srtt.max(VIRTUAL_RTT), now)
                && self.flight_before > 0.0
            {
                self.window = self.window.min(self.flight_before);
            }
            self.window *= 1.0 - share;
        } else if self.marked {
            self.window *= BETA_ECN;
        } else {
            self.window *= 1.0 - virtual_share / 2.0 / responses_in_round;
        }
        self.window = self.window.max(WINDOW_MIN);
        (self.lost, self.marked, self.responded_at) = (false, false, Some(now));
    }

    fn increase(&mut self, acked: f64, srtt: f64, now: Time) {
        let distance = self.distance();
        let calm = LONG_ROUNDS * srtt.max(VIRTUAL_RTT);
        let since = self.detected_at.map_or(1.0, |at| (now.since(at).as_secs_f64() / calm).min(1.0));
        let multiplicative = 1.0 + INCREASE * self.window / self.mss * since * distance;
        let increment = acked
            * self.ratio()
            * (srtt / VIRTUAL_RTT).min(1.0)
            * distance.max(0.25)
            * self.steadiness().max(STEADINESS_MIN)
            * multiplicative;
        let most = self.mss + FLIGHT_HEADROOM * self.flight.max(self.flight_before);
        if self.window + increment <= most && self.target < self.maximum {
            self.window += increment;
        }
    }

    fn set_target(&mut self, srtt: f64) {
        let small = 1.0 - (self.ratio() - 0.1).clamp(0.0, 0.2);
        let overhead = self.mss / (self.mss + PACKET_OVERHEAD);
        let share = if self.base.halves() { 0.5 } else { 1.0 };
        let rate = share * small * overhead / TARGET_MARGIN * 8.0 * self.window / srtt.max(SRTT_MIN);
        self.target = rate.min(self.maximum).max(self.minimum);
    }

    /// `ref_wnd_overhead`.
    fn flight_over_window(&self) -> f64 {
        OVERHEAD_MIN + (OVERHEAD_MAX - OVERHEAD_MIN) * self.steadiness()
    }
}

impl CongestionControl for Scream {
    fn limits(&self) -> Limits {
        let near_maximum = (self.target / self.maximum - RELAXED_FROM) / (1.0 - RELAXED_FROM);
        let relaxed = (1.0 - near_maximum).clamp(1.0 / RELAXED_MOST, 1.0);
        let pacing = PACING_HEADROOM * self.target.max(PACING_MIN) / relaxed;
        let window = self.window().map(|window| window as u64);
        Limits { window, pacing: Some(Rate::from_bps_f64(pacing)), burst: self.burst }
    }

    fn window(&self) -> Option<f64> {
        Some(packets(self.flight_over_window() * self.window, self.mss))
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn target(&self) -> Option<Rate> {
        Some(Rate::from_bps_f64(self.target))
    }

    fn needs_sent_events(&self) -> bool {
        false
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let Some(srtt) = path.rtt.map(|rtt| rtt.smoothed.as_secs_f64()) else { return };
        let acked = ack.newly_acked as f64 * self.mss;
        self.flight = self.flight.max(path.in_flight as f64 * self.mss + acked);
        if let Some(queue) = self.delay.sample(ack, path.now) {
            self.queue = queue;
            self.update_delay(srtt, path.now);
            self.competing.update(queue, path.now);
            if self.base.update(queue, self.competing.target(), srtt, path.now) {
                self.delay.restart();
            }
        }
        if self.l4s {
            self.marks.add(ack, srtt, path.now);
            self.marked |= ack.ce_packets > 0;
        }
        self.respond(srtt, path.now);
        let marked = if self.l4s { ack.ce_packets as f64 * self.mss } else { 0.0 };
        self.increase((acked - marked).max(0.0), srtt, path.now);
        self.set_target(srtt);
        if is_past(self.round_started, srtt, path.now) {
            self.competing.on_round();
            (self.flight_before, self.flight) = (self.flight, 0.0);
            self.round_started = Some(path.now);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.cause == Cause::Mark {
            self.marked = true;
        } else {
            self.lost = true;
            self.competing.on_loss();
        }
        let srtt = path.rtt.map_or(VIRTUAL_RTT, |rtt| rtt.smoothed.as_secs_f64());
        self.respond(srtt, path.now);
        self.set_target(srtt);
    }

    fn ecn(&self) -> EcnUse {
        if self.l4s { EcnUse::LowLatency } else { EcnUse::Classic }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("target_bps", self.target);
        record("ref_wnd", self.window / self.mss);
        record("qdelay_avg_s", self.queue_mean);
        record("qdelay_target_s", self.competing.target());
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// `MIN_REF_WND`, bytes.
const WINDOW_MIN: f64 = 3000.0;
/// `VIRTUAL_RTT`, seconds.
const VIRTUAL_RTT: f64 = 0.025;
const BETA_LOSS: f64 = 0.7;
const BETA_ECN: f64 = 0.8;
/// `MUL_INCREASE_FACTOR`: share of the window that is added in a round trip.
const INCREASE: f64 = 0.02;
/// `BYTES_IN_FLIGHT_HEAD_ROOM`.
const FLIGHT_HEADROOM: f64 = 1.5;
/// Factor of the relative distance to the last congestion before it is squared.
const DISTANCE_GAIN: f64 = 8.0;
/// Round trips between two updates of the inflection point.
const INFLECTION_ROUNDS: f64 = 10.0;
/// `POST_CONGESTION_DELAY_RTT`: round trips of cautious growth after congestion; also those without congestion after which a mark sets
/// the window to the last flight.
const LONG_ROUNDS: f64 = 100.0;
/// `QDELAY_AVG_G`.
const QUEUE_GAIN: f64 = 0.25;
/// `QDELAY_DEV_AVG_G`, `QDELAY_DEV_NORM` (seconds) and `MIN_QUEUE_DELAY_DEV_SCALE`.
const DEVIATION_GAIN: f64 = 1.0 / 64.0;
const DEVIATION_NORM: f64 = 0.025;
const STEADINESS_MIN: f64 = 0.1;
/// `L4S_AVG_G_UP`, `L4S_AVG_G_DOWN`, and the longest time between two updates, seconds.
const ALPHA_GAIN_UP: f64 = 1.0 / 8.0;
const ALPHA_GAIN_DOWN: f64 = 1.0 / 128.0;
const ALPHA_INTERVAL: f64 = 0.01;
/// `REF_WND_OVERHEAD_MIN`, `REF_WND_OVERHEAD_MAX`.
const OVERHEAD_MIN: f64 = 1.5;
const OVERHEAD_MAX: f64 = 3.0;
/// `RATE_PACE_MIN`, bit/s, and `PACKET_PACING_HEADROOM`.
const PACING_MIN: f64 = 50_000.0;
const PACING_HEADROOM: f64 = 1.5;
/// `RELAXED_PACING_LIMIT_LOW`, `MAX_RELAXED_PACING_FACTOR`.
const RELAXED_FROM: f64 = 0.8;
const RELAXED_MOST: f64 = 4.0;
/// `PACKET_OVERHEAD`, bytes.
const PACKET_OVERHEAD: f64 = 20.0;
/// Margin of the target below the window over the round-trip time, so that nothing waits at the sender.
const TARGET_MARGIN: f64 = 1.2;
/// Shortest round-trip time of which a rate is computed, seconds.
const SRTT_MIN: f64 = 0.001;

/// The card of `scream`.
pub(crate) const SCREAM: Entry = Entry {
    card: Card {
        name: "scream",
        family: "media",
        summary: "SCReAM v2: a window that keeps the queueing delay near 30 ms, and the bit rate of an encoder that it carries",
        source: "draft-johansson-ccwg-rfc8298bis-screamv2, text of its repository at commit 00d8f516",
        equations: &[
            "encoder: target = 8 W / srtt MSS / (MSS + 20) / 1.2, less by MSS / W - 0.1 (up to 0.2) of it where W is small",
            "in flight at most o W, o = 1.5 to 3 while the delay varies or does not; pacing 1.5 target, up to 6 near its maximum",
            "once in min(25 ms, srtt): loss W = 0.7 W; mark W = 0.8 W; L4S mark W = (1 - a / 2 / r) W, a the mean share of marks",
            "or, with q above T / 2: W = (1 - v / 2 / r) W, v = 2 q / T - 1; r = max(1, srtt / 25 ms), q the mean queueing delay",
            "acked bytes b without a mark: W = W + b MSS / W max(0.25, s) d (1 + 0.02 W / MSS s t) while in flight is near W",
            "s = (8 (W - Wi) / Wi)^2, 0.1 to 1, Wi the window at the last congestion; d = 0.1 to 1 by the deviation of the delay",
            "least q of each 50 ms on the mean above T / 8: target halved for 5 round trips, at most once a minute, then the base delay is reset",
            "t = round trips since the last loss or mark / 100, at most 1; T = 60 ms, up to 400 ms beside flows that fill the queue",
        ],
        parameters: &[
            Parameter {
                name: "l4s",
                meaning: "whether ECN is that of L4S: ECT(1), and a response to the share of marks",
                unit: "",
                source: "IS_L4S of the draft",
                domain: Domain::Flag { default: false },
            },
            Parameter {
                name: "competing",
                meaning: "whether the target of the delay rises beside flows that fill the queue",
                unit: "",
                source: "section on competing flows compensation of the draft, which permits to leave it out",
                domain: Domain::Flag { default: true },
            },
            Parameter {
                name: "minimum",
                meaning: "least bit rate of the encoder",
                unit: "",
                source: "none: the draft leaves TARGET_BITRATE_MIN open",
                domain: Domain::Rate { default: "100kbps" },
            },
            Parameter {
                name: "maximum",
                meaning: "greatest bit rate of the encoder; at least the minimum",
                unit: "",
                source: "none: the draft leaves TARGET_BITRATE_MAX open",
                domain: Domain::Rate { default: "100Mbps" },
            },
        ],
        variables: &[
            Variable { name: "target_bps", unit: "bit/s", meaning: "bit rate of the encoder" },
            Variable { name: "ref_wnd", unit: "packets", meaning: "reference window" },
            Variable { name: "qdelay_avg_s", unit: "s", meaning: "mean queueing delay" },
            Variable { name: "qdelay_target_s", unit: "s", meaning: "target of the queueing delay" },
        ],
        deviations: &[
            "over a reliable transport, which sends lost packets again; an acknowledgement of each packet at once in place of RTCP feedback",
            "bytes in flight are packets not acknowledged and not declared lost, in full segments",
            "one stream, no rate_adjust_factor and frame_size_dev: the encoder of a call lowers its rate by what waits at the sender (RFC 8698 §5.2.2)",
            "no compensation of clock drift: both clocks are one; the queueing delay is compared with the least of ten minutes, and the base is reset as in the authors' code (ScreamV2Tx), which the draft does not specify: after the path becomes longer a call has its minimum rate until the reset, up to a minute",
            "the limit of the window after a long time at the maximum, which the draft leaves to its code, is left out",
            "samples for the flows that compete are 50 ms apart, and loss_event_rate is averaged over 50 round trips, as in the authors' code",
        ],
    },
    style: Some(Style(Hue::Cyan, Dash::Sparse)),
    needs: |_| NEEDS,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let bps = |name| values.rate(name).as_bps() as f64;
    let minimum = bps("minimum");
    Box::new(Scream {
        l4s: values.flag("l4s"),
        minimum,
        maximum: bps("maximum").max(minimum),
        mss: setup.mss.count() as f64,
        burst: setup.mss,
        window: WINDOW_MIN,
        inflection: 1.0,
        target: minimum,
        delay: QueueDelay::default(),
        base: BaseDelay::new(),
        queue: 0.0,
        queue_mean: 0.0,
        queue_updated: None,
        deviation: 0.0,
        competing: Competing::new(values.flag("competing")),
        marks: Marks::default(),
        flight: 0.0,
        flight_before: 0.0,
        round_started: None,
        lost: false,
        marked: false,
        detected_at: None,
        responded_at: None,
        inflection_at: None,
    })
}
