//! CUBIC as Linux 6.18 computes it (`net/ipv4/tcp_cubic.c`): whole packets, jiffies, and its own HyStart.
//!
//! * The curve: `target = origin ∓ ⌊410 |t − K|³ / 2⁴⁰⌋` with `t` and `K` in units of 1/1024 s. Rounding the *distance*
//!   down makes the plateau reach `W_max` early: at 134 packets after 3.3 s instead of `K` = 4.7 s.
//! * `t` counts jiffies of 4 ms and looks ahead by the smallest round-trip time, rounded up to a jiffy.
//! * One packet is added for each `cnt` acknowledged: `cnt = w / (target − w)`, `100 w` on the plateau; at most 20 before
//!   the first loss; lower where a Reno flow, one packet in each `⌊15 w / 8⌋` acknowledged, would be ahead; never below 2.
//! * `cnt` is renewed when the window has changed, else after more than 7 jiffies, and the curve once in a jiffy.
//! * Loss: `ssthresh = max(2, ⌊717 w / 1024⌋)`; fast convergence keeps `⌊1741 w / 2048⌋` as `W_max`.
//!
//! Deviations: `K` is the exact integer cube root, where Linux is within about 0.2 % of it. The clock of jiffies starts
//! with the run. After silence Linux moves the epoch by the time since it last sent; here it moves by the time
//! between the acknowledgements around the silence.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, SlowStartKind, Values};
use crate::{Ack, Cause, CongestionControl, Path};
use narrows_units::{Span, Time};

/// Linux's rule. Times are in jiffies unless said otherwise.
#[derive(Clone, Debug)]
pub struct CubicLinux {
    fast_convergence: bool,
    friendliness: bool,
    /// What a timeout forgets.
    state: State,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// Acknowledged packets for each packet of growth.
    cnt: u64,
    /// Packets acknowledged and not yet turned into growth.
    credit: u64,
    /// `W_max`, packets; 0 where nothing is known.
    last_max: u64,
    /// Where the cubic is flat, packets.
    origin: u64,
    /// `K` in 1/1024 s.
    k: u64,
    /// When the epoch began; `None` until the first acknowledgement after a cut.
    epoch_start: Option<u64>,
    /// Smallest round-trip time, without the first second of each epoch.
    delay_min: Span,
    /// The window for which `cnt` was last computed, and when.
    last: (u64, u64),
    /// Packets acknowledged and not yet turned into growth of the Reno flow.
    reno_acked: u64,
    /// The window of a Reno flow in our place, packets.
    reno: u64,
    /// Since when nothing has been in flight.
    silent_since: Option<u64>,
}

impl CubicLinux {
    /// Renews `cnt` where it is due.
    fn update(&mut self, cwnd: u64, acked: u64, now: u64) {
        let state = &mut self.state;
        state.reno_acked = state.reno_acked.saturating_add(acked);
        let (last_cwnd, last_time) = state.last;
        if last_cwnd == cwnd && now - last_time <= HZ / 32 {
            return;
        }
        if state.epoch_start.is_none() || now != last_time {
            state.last = (cwnd, now);
            let start = *state.epoch_start.get_or_insert_with(|| {
                state.reno_acked = acked;
                state.reno = cwnd;
                state.origin = state.last_max.max(cwnd);
                state.k = cube_root(CUBE_FACTOR * (state.origin - cwnd));
                now
            });
            state.cnt = state.curve(cwnd, now - start);
        }
        if self.friendliness {
            let state = &mut self.state;
            let delta = (cwnd * RENO_SCALE) >> 3;
            if state.reno_acked > delta {
                // The last packet acknowledged stays, as in a loop that subtracts while more than `delta` is left.
                let steps = (state.reno_acked - 1) / delta;
                state.reno_acked -= steps * delta;
                state.reno += steps;
            }
            if state.reno > cwnd {
                state.cnt = state.cnt.min(cwnd / (state.reno - cwnd));
            }
        }
        self.state.cnt = self.state.cnt.max(2);
    }
}

impl State {
    /// `cnt` by the cubic, `elapsed` jiffies into the epoch.
    fn curve(&self, cwnd: u64, elapsed: u64) -> u64 {
        let ahead = self.delay_min.as_ps().div_ceil(JIFFY.as_ps());
        let t = ((elapsed + ahead) << 10) / HZ;
        let offset = u128::from(t.abs_diff(self.k));
        let delta = (u128::from(CUBE_SCALE) * offset * offset * offset) >> 40;
        let delta = u64::try_from(delta).unwrap_or(u64::MAX);
        let target =
            if t < self.k { self.origin.saturating_sub(delta) } else { self.origin.saturating_add(delta) };
        let cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if self.last_max == 0 { cnt.min(20) } else { cnt }
    }
}

impl WindowRule for CubicLinux {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        let now = jiffies(path.now);
        let acked = acked as u64;
        if let (Some(since), Some(start)) = (self.state.silent_since.take(), &mut self.state.epoch_start) {
            *start = (*start + (now - since)).min(now);
        }
        self.update(window.size as u64, acked, now);
        let state = &mut self.state;
        let mut added = 0;
        if state.credit >= state.cnt {
            state.credit = 0;
            added = 1;
        }
        state.credit += acked;
        added += state.credit / state.cnt;
        state.credit %= state.cnt;
        added as f64
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let cwnd = window.size as u64;
        if cause == Cause::Timeout {
            self.state = State::default();
        } else {
            let state = &mut self.state;
            let gives_way = self.fast_convergence && cwnd < state.last_max;
            state.last_max = if gives_way { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
            state.epoch_start = None;
            state.credit = 0;
        }
        ((cwnd * BETA / SCALE) as f64).max(2.0)
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        let Some(rtt) = ack.rtt else { return };
        let state = &mut self.state;
        // Samples just after a recovery hold the recovery's own delays.
        if state.epoch_start.is_some_and(|start| jiffies(path.now) < start + HZ) {
            return;
        }
        if state.delay_min == Span::ZERO || rtt < state.delay_min {
            state.delay_min = rtt;
        }
    }

    fn on_unlimited(&mut self, path: &Path) {
        if path.in_flight == 0 {
            self.state.silent_since.get_or_insert(jiffies(path.now));
        }
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("w_max", self.state.last_max as f64);
        tell("k", self.state.k as f64 / 1024.0);
        tell("cnt", self.state.cnt as f64);
        tell("w_tcp", self.state.reno as f64);
    }
}

fn jiffies(time: Time) -> u64 {
    time.as_ps() / JIFFY.as_ps()
}

/// The largest whole number whose cube is at most `x`.
fn cube_root(x: u64) -> u64 {
    let cube = |root: u64| u128::from(root) * u128::from(root) * u128::from(root);
    let mut root = libm::cbrt(x as f64) as u64;
    while cube(root) > u128::from(x) {
        root -= 1;
    }
    while cube(root + 1) <= u128::from(x) {
        root += 1;
    }
    root
}

/// The card of `cubic-linux`.
pub(crate) const CUBIC_LINUX: Entry = Entry {
    name: "cubic-linux",
    family: "high-speed",
    summary: "CUBIC as Linux 6.18 computes it: whole packets, jiffies, HyStart built in",
    source: "Linux 6.18 net/ipv4/tcp_cubic.c; HyStart: Ha and Rhee, Computer Networks 55, 2011",
    equations: &[
        "target = W_max -+ floor(410 |t - K|^3 / 2^40), K = floor(cbrt(2^40 / 410 (W_max - w))), t and K in 1/1024 s",
        "w += 1 for each cnt acknowledged: cnt = w / (target - w), 100 w where target <= w, at most 20 before a loss, at least 2",
        "cnt <= w / (W_tcp - w) where W_tcp > w; W_tcp += 1 for each floor(15 w / 8) acknowledged",
        "loss: W_max = floor(1741 w / 2048) if w < W_max else w; ssthresh = w = max(2, floor(717 w / 1024))",
    ],
    parameters: &[
        Parameter {
            name: "hystart",
            meaning: "leave slow start by HyStart whatever the flow's slow start is",
            unit: "",
            source: "Linux module parameter hystart",
            domain: Domain::Flag { default: true },
        },
        Parameter {
            name: "fast_convergence",
            meaning: "give way when a loss comes below the window of the loss before",
            unit: "",
            source: "Linux module parameter fast_convergence",
            domain: Domain::Flag { default: true },
        },
        Parameter {
            name: "tcp_friendliness",
            meaning: "never slower than a Reno flow with the same decrease",
            unit: "",
            source: "Linux module parameter tcp_friendliness",
            domain: Domain::Flag { default: true },
        },
    ],
    deviations: &[
        "jiffies of 4 ms (CONFIG_HZ=250), counted from the start of the run",
        "K is the exact integer cube root; Linux is within about 0.2 % of it",
        "after silence the epoch moves by the time between the acknowledgements around it, not by the time since the last packet was sent",
        "the window falls to ssthresh at once; to let it fall over a round trip is the recovery's part",
    ],
    validation: Some(
        "Linux 6.18 at 20 Mbps, 40 ms: leaves slow start at 75 packets (recorded 76); cut from 134 to 93 (134 to 93) every 3.47 s (3.45) at one BDP, every 10.5 s and 4.3 s in turn (10.6, 4.4) at four",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = CubicLinux {
        fast_convergence: values.flag("fast_convergence"),
        friendliness: values.flag("tcp_friendliness"),
        state: State::default(),
    };
    let slow_start = if values.flag("hystart") { SlowStartKind::HyStart } else { SlowStartKind::Standard };
    Box::new(Windowed::new(rule, &Setup { slow_start, ..*setup }))
}

/// Jiffies in a second, and how long one is.
const HZ: u64 = 250;
const JIFFY: Span = Span::from_ms(4);
/// `BICTCP_BETA_SCALE` and `beta`.
const SCALE: u64 = 1024;
const BETA: u64 = 717;
/// `C` = 41/1024 for each 100 ms of round-trip time, times 2¹⁰.
const CUBE_SCALE: u64 = 410;
/// `1 / C` in cubed units of 1/1024 s.
const CUBE_FACTOR: u64 = (1 << 40) / CUBE_SCALE;
/// Eight times `(1 + β) / (3 (1 − β))`: packets acknowledged for each step of a Reno flow, in windows.
const RENO_SCALE: u64 = 8 * (SCALE + BETA) / 3 / (SCALE - BETA);
