// SPDX-License-Identifier: Apache-2.0
//! The linked increases algorithm (RFC 6356), which couples the windows of the paths of a connection.
//!
//! The increase in congestion avoidance for each acknowledged byte on path i is (§3)
//! `min(alpha mss_i / cwnd_total, mss_i / cwnd_i)`, with
//! `alpha = cwnd_total max_i(cwnd_i / rtt_i²) / (Σ_i cwnd_i / rtt_i)²`. All else is the stack's `newreno`, as §3 leaves slow start and
//! losses to TCP: it is given the share `min(alpha cwnd_i / cwnd_total, 1)` of the acknowledged bytes, so with one path it is
//! `newreno`.

use super::proto;
use proto::RttEstimator;
use proto::congestion::{Controller, ControllerFactory, ControllerMetrics, NewRenoConfig};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Builds the controllers of the paths of one end of a connection.
#[derive(Debug)]
pub(super) struct Lia {
    inner: Arc<NewRenoConfig>,
    paths: Arc<Mutex<Vec<Weak<Mutex<Subflow>>>>>,
}

/// The state of a path that the controllers of the others read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Subflow {
    /// Window, bytes.
    window: u64,
    /// Smoothed round-trip time; `None` before the first sample.
    rtt: Option<Duration>,
}

/// The controller of a path.
#[derive(Debug)]
struct Coupled {
    inner: Box<dyn Controller>,
    own: Arc<Mutex<Subflow>>,
    paths: Arc<Mutex<Vec<Weak<Mutex<Subflow>>>>>,
    /// Fraction of a byte that is not passed on yet.
    rest: f64,
}

impl Lia {
    /// Creates the algorithm for a connection whose windows begin as `inner` says.
    pub(super) fn new(inner: NewRenoConfig) -> Self {
        Self { inner: Arc::new(inner), paths: Arc::default() }
    }
}

impl ControllerFactory for Lia {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::clone(&self.inner).build(now, current_mtu);
        let own = Arc::new(Mutex::new(Subflow { window: inner.window(), rtt: None }));
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths.retain(|path| path.strong_count() > 0);
        paths.push(Arc::downgrade(&own));
        drop(paths);
        Box::new(Coupled { inner, own, paths: Arc::clone(&self.paths), rest: 0.0 })
    }
}

/// The share of the acknowledged bytes of `own` that opens its window, 0 to 1: `min(alpha cwnd_i / cwnd_total, 1)`.
fn share(own: Subflow, all: &[Subflow]) -> f64 {
    // A path without a sample has sent nothing that was acknowledged.
    let known =
        || all.iter().filter_map(|path| Some((path.window as f64, path.rtt?.as_secs_f64().max(1e-9))));
    let greatest = known().map(|(window, rtt)| window / (rtt * rtt)).fold(0.0, f64::max);
    let sum: f64 = known().map(|(window, rtt)| window / rtt).sum();
    if sum > 0.0 { (own.window as f64 * greatest / (sum * sum)).min(1.0) } else { 1.0 }
}

impl Coupled {
    /// The other controllers see the window, and the round-trip time `rtt` if it is new.
    fn publish(&self, rtt: Option<Duration>) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.window = self.inner.window();
        own.rtt = rtt.or(own.rtt);
    }

    fn share(&self) -> f64 {
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let get = |path: &Arc<Mutex<Subflow>>| *path.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<Subflow> = paths.iter().filter_map(Weak::upgrade).map(|path| get(&path)).collect();
        share(get(&self.own), &all)
    }
}

impl Controller for Coupled {
    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.publish(Some(rtt.get()));
        let metrics = self.inner.metrics();
        let avoids = metrics.ssthresh.is_some_and(|ssthresh| metrics.congestion_window >= ssthresh);
        let bytes = if avoids {
            let given = self.rest + bytes as f64 * self.share();
            self.rest = given.fract();
            given as u64
        } else {
            bytes
        };
        self.inner.on_ack(now, sent, bytes, pn, app_limited, rtt);
        self.publish(None);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        self.inner.on_congestion_event(
            now,
            sent,
            is_persistent_congestion,
            is_ecn,
            lost_bytes,
            largest_lost_pn,
        );
        self.publish(None);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
        self.publish(None);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let (inner, own, paths) = (self.inner.clone_box(), Arc::clone(&self.own), Arc::clone(&self.paths));
        Box::new(Self { inner, own, paths, rest: self.rest })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    //! Truth: theory. RFC 6356 §3.

    use super::{Subflow, share};
    use std::time::Duration;

    fn path(packets: u64, ms: u64) -> Subflow {
        Subflow { window: packets * 1_200, rtt: Some(Duration::from_millis(ms)) }
    }

    /// The total increase for each acknowledged packet, in packets, of `paths`: on path i `share_i / cwnd_i`.
    fn increase(own: Subflow, all: &[Subflow]) -> f64 {
        share(own, all) / (own.window as f64 / 1_200.0)
    }

    fn close(given: f64, expected: f64) {
        assert!((given - expected).abs() < 1e-12, "{given} is not {expected}");
    }

    #[test]
    fn one_path_is_newreno() {
        close(share(path(40, 50), &[path(40, 50)]), 1.0);
        close(share(Subflow { window: 12_000, rtt: None }, &[]), 1.0);
    }

    #[test]
    fn equal_paths_increase_together_as_one_flow_does_in_the_window_of_one() {
        // alpha is 2 w (w / r²) / (2 w / r)² = 1/2, so each acknowledged packet adds (1/2) / (2 w).
        let paths = [path(20, 80), path(20, 80)];
        close(increase(paths[0], &paths), 0.25 / 20.0);
    }

    #[test]
    fn paths_of_unequal_round_trips_follow_the_equation() {
        let (w, r) = ([30.0, 90.0], [0.02, 0.2]);
        let paths = [path(30, 20), path(90, 200)];
        let total: f64 = 120.0;
        let sum: f64 = w[0] / r[0] + w[1] / r[1];
        let alpha = total * (w[0] / (r[0] * r[0])) / (sum * sum);
        for (number, window) in w.into_iter().enumerate() {
            close(increase(paths[number], &paths), (alpha / total).min(1.0 / window));
        }
    }

    #[test]
    fn no_path_increases_faster_than_one_flow() {
        let paths = [path(2, 10), path(400, 10)];
        assert!(paths.iter().all(|own| share(*own, &paths) <= 1.0));
    }
}
