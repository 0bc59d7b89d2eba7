// SPDX-License-Identifier: Apache-2.0
//! The gradient of the one-way delay: groups of packets, a Kalman filter of the variation of their delay, and the detector of over-use
//! (draft-ietf-rmcat-gcc-02 §5.1 to §5.4). Times are in milliseconds.

#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::Time;

/// The detector's state of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// The delay grows.
    OverUse,
    /// The delay falls.
    UnderUse,
    /// Neither.
    Normal,
}

/// The constants of the detector of over-use that differ between draft and WebRTC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detector {
    /// Most groups by whose number the estimate is multiplied.
    deltas: f64,
    /// `K_u` and `K_d`: by how much the threshold follows the estimate up and down, for each millisecond.
    up: f64,
    down: f64,
}

/// As in the draft.
pub(super) const DRAFT: Detector = Detector { deltas: 1.0, up: 0.01, down: 0.00018 };
/// As in WebRTC (`OveruseDetector`).
pub(super) const WEBRTC: Detector = Detector { deltas: 60.0, up: 0.0087, down: 0.039 };

/// Packets that were sent within a short time.
#[derive(Clone, Copy, Debug)]
struct Group {
    first_departure: Time,
    departure: Time,
    arrival: Time,
}

#[derive(Clone, Debug)]
pub(super) struct Gradient {
    detector: Detector,
    /// The last complete group.
    before: Option<Group>,
    /// The group to which packets are added.
    current: Option<Group>,
    /// Times between the departures of the last groups, a ring.
    gaps: [f64; GAPS],
    groups: u64,
    /// `m`, `e` and `var_v` of the filter.
    mean: f64,
    covariance: f64,
    noise: f64,
    threshold: f64,
    /// Time for which the estimate has been above the threshold.
    over: f64,
    /// The estimate has just fallen.
    is_falling: bool,
    signal: Signal,
}

impl Gradient {
    pub(super) fn new(detector: Detector) -> Self {
        Self {
            detector,
            before: None,
            current: None,
            gaps: [f64::INFINITY; GAPS],
            groups: 0,
            mean: 0.0,
            covariance: COVARIANCE,
            noise: NOISE,
            threshold: THRESHOLD,
            over: 0.0,
            is_falling: false,
            signal: Signal::Normal,
        }
    }

    pub(super) fn signal(&self) -> Signal {
        self.signal
    }

    pub(super) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Returns the estimate that is compared with the threshold.
    pub(super) fn estimate(&self) -> f64 {
        self.detector.deltas.min(self.groups as f64) * self.mean
    }

    /// A packet that was sent at `departure` arrived at `arrival`.
    pub(super) fn add(&mut self, departure: Time, arrival: Time) {
        let new = Group { first_departure: departure, departure, arrival };
        let Some(current) = self.current.as_mut() else {
            self.current = Some(new);
            return;
        };
        if departure < current.departure || arrival < current.arrival {
            return;
        }
        let gap = milliseconds(current.departure, departure);
        let arrives = milliseconds(current.arrival, arrival);
        let sent_together = milliseconds(current.first_departure, departure) < BURST_TIME;
        if sent_together || (arrives < BURST_TIME && arrives < gap) {
            (current.departure, current.arrival) = (departure, arrival);
            return;
        }
        let complete = *current;
        self.current = Some(new);
        if let Some(before) = self.before.replace(complete) {
            let gap = milliseconds(before.departure, complete.departure);
            let arrives = milliseconds(before.arrival, complete.arrival);
            self.filter(arrives - gap, gap);
            self.detect(gap, arrives);
        }
    }

    /// A group was delayed by `variation` more than the one before it, and sent `gap` later.
    fn filter(&mut self, variation: f64, gap: f64) {
        self.gaps[(self.groups % GAPS as u64) as usize] = gap;
        self.groups += 1;
        let least_gap = self.gaps.iter().copied().fold(f64::INFINITY, f64::min);
        let innovation = variation - self.mean;
        let memory = libm::pow(1.0 - CHI, 30.0 * least_gap / 1000.0);
        let bounded = innovation.min(3.0 * self.noise.sqrt());
        self.noise = (memory * self.noise + (1.0 - memory) * bounded * bounded).max(1.0);
        let predicted = self.covariance + STATE_NOISE;
        let gain = predicted / (self.noise + predicted);
        self.mean += gain * innovation;
        self.covariance = (1.0 - gain) * predicted;
        self.is_falling = gain * innovation < 0.0;
    }

    fn detect(&mut self, gap: f64, arrives: f64) {
        let estimate = self.estimate();
        if estimate > self.threshold {
            self.over += gap;
            let is_over = self.over >= OVERUSE_TIME && !self.is_falling;
            self.signal = if is_over { Signal::OverUse } else { Signal::Normal };
        } else {
            self.over = 0.0;
            self.signal = if estimate < -self.threshold { Signal::UnderUse } else { Signal::Normal };
        }
        let excess = estimate.abs() - self.threshold;
        if excess <= LARGEST_STEP {
            let gain = if excess < 0.0 { self.detector.down } else { self.detector.up };
            let step = (arrives.min(ADAPTATION_TIME_MAX) * gain).min(1.0) * excess;
            self.threshold = (self.threshold + step).clamp(THRESHOLD_MIN, THRESHOLD_MAX);
        }
    }
}

fn milliseconds(from: Time, to: Time) -> f64 {
    1000.0 * to.since(from).as_secs_f64()
}

/// `burst_time`.
const BURST_TIME: f64 = 5.0;
/// `K`: groups whose departures count for the noise.
const GAPS: usize = 5;
/// `q`, `e(0)` and `chi`; the first variance of the noise is WebRTC's.
const STATE_NOISE: f64 = 1e-3;
const COVARIANCE: f64 = 0.1;
const CHI: f64 = 0.01;
const NOISE: f64 = 50.0;
/// `del_var_th(0)`, its bounds, and the excess above which it stays.
const THRESHOLD: f64 = 12.5;
const THRESHOLD_MIN: f64 = 6.0;
const THRESHOLD_MAX: f64 = 600.0;
const LARGEST_STEP: f64 = 15.0;
/// Longest time for which the threshold is adapted at once (WebRTC).
const ADAPTATION_TIME_MAX: f64 = 100.0;
/// `overuse_time_th`.
const OVERUSE_TIME: f64 = 10.0;
