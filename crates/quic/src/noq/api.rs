// SPDX-License-Identifier: Apache-2.0
//! The parts that depend on the interface of `noq-proto`.

use super::lia::Lia;
use super::side::Factory;
use super::{paths, proto};
use crate::seed;
use crate::sent::Shared;
use bytes::{Bytes, BytesMut};
use narrows_adapter::Plan;
use narrows_cc::Cause;
use narrows_model::stack::StackSetup;
use proto::congestion::{
    Bbr3Config, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};
use proto::{
    Connection, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple,
    PathId, RttEstimator, SendStream, ServerConfig, Transmit, TransportConfig,
};
use std::any::Any;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the stack takes of a controller.
pub(super) use narrows_noq::STACK;

pub(super) use paths::Paths;

/// The state of the path of a connection, or of all its paths.
pub(super) struct Path {
    /// Smoothed round-trip time.
    pub rtt: Duration,
    /// Smallest round-trip time.
    pub min_rtt: Duration,
    /// The window that the stack reads, bytes.
    pub window: u64,
    /// Packets declared lost.
    pub lost: u64,
    /// Largest payload of UDP.
    pub mtu: u16,
}

/// The state that the controller of a connection exposes.
pub(super) struct Limits {
    /// Congestion window, bytes.
    pub window: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: Option<u64>,
    /// The rate at which the stack paces, bits per second; `None` if it follows from the window.
    pub rate: Option<f64>,
    /// Whether they are the sums over several paths.
    pub several: bool,
}

pub(super) fn endpoint(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(config, server, true)
}

pub(super) fn set_cids(
    config: &mut EndpointConfig,
    factory: impl Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
) {
    config.cid_generator(Arc::new(factory));
}

pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    data: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::new(from, None), ecn, data, answer)
}

pub(super) fn transmit(connection: &mut Connection, now: Instant, bytes: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(now, NonZeroUsize::MIN, bytes)
}

/// Writes the part of `chunk` that the stream takes; returns its bytes. An error says that it takes no more for now.
pub(super) fn write(stream: &mut SendStream<'_>, chunk: Bytes) -> u64 {
    stream.write_chunks(&mut &mut [chunk][..]).map_or(0, |taken| taken as u64)
}

/// Lets a connection have `count` paths at a time.
pub(super) fn set_paths(config: &mut TransportConfig, count: u32) {
    config.max_concurrent_multipath_paths(count);
}

/// Returns windows and losses of all paths together, and all else of the first.
pub(super) fn path(connection: &mut Connection, seen: &Shared) -> Path {
    // A connection has no path before it is opened and after it is drained.
    let ids = connection.paths();
    let path = ids.first().and_then(|id| connection.path_stats(*id)).unwrap_or_default();
    let min_rtt = seen.lock().min_rtt.unwrap_or(path.rtt);
    let (mut window, mut lost) = (path.cwnd, path.lost_packets);
    for other in ids.iter().skip(1).filter_map(|id| connection.path_stats(*id)) {
        window += other.cwnd;
        lost += other.lost_packets;
    }
    Path { rtt: path.rtt, min_rtt, window, lost, mtu: path.current_mtu }
}

/// Returns the limits besides the window. A controller with a rate reports it in bytes per second, and the pacer goes by it.
pub(super) fn limits(connection: &mut Connection) -> Limits {
    let ids = connection.paths();
    if ids.len() < 2 {
        let id = ids.first().copied().unwrap_or(PathId::ZERO);
        let metrics = connection.congestion_state(id).map(Controller::metrics).unwrap_or_default();
        let rate = metrics.pacing_rate.map(|rate| rate as f64 * 8.0);
        return Limits {
            window: metrics.congestion_window,
            ssthresh: metrics.ssthresh,
            rate,
            several: false,
        };
    }
    // Paths have thresholds of their own, and none together.
    let (mut window, mut rate) = (0, 0.0);
    for id in ids {
        let rtt = connection.rtt(id).map_or(0.0, |rtt| rtt.as_secs_f64()).max(1e-9);
        let Some(metrics) = connection.congestion_state(id).map(Controller::metrics) else { continue };
        window += metrics.congestion_window;
        let usual = metrics.congestion_window as f64 * 1.25 / rtt;
        rate += metrics.pacing_rate.map_or(usual, |rate| rate as f64) * 8.0;
    }
    Limits { window, ssthresh: None, rate: Some(rate), several: true }
}

/// Returns the initial window of a controller, in packets of [`BASE`] bytes.
pub(super) fn initial_window(_name: &str) -> u32 {
    10
}

/// Payload of UDP in which the stack counts initial windows, bytes.
const BASE: u64 = 1_200;

/// Returns what builds the controller `name` of the stack.
pub(super) fn own(name: &str, setup: &StackSetup, seen: Shared) -> Factory {
    let window = setup.settings.initial_window.map(|packets| u64::from(packets) * BASE);
    let inner: Factory = match name {
        "newreno" => {
            let mut config = NewRenoConfig::default();
            window.map(|bytes| config.initial_window(bytes));
            Arc::new(config)
        }
        "lia" => {
            let mut config = NewRenoConfig::default();
            window.map(|bytes| config.initial_window(bytes));
            Arc::new(Lia::new(config))
        }
        "bbr3" => {
            let mut config = Bbr3Config::default();
            window.map(|bytes| config.initial_window(bytes));
            Arc::new(config)
        }
        _ => {
            let mut config = CubicConfig::default();
            window.map(|bytes| config.initial_window(bytes));
            Arc::new(config)
        }
    };
    Arc::new(Observing { inner, seen, seed: Some(setup.seed), built: AtomicU64::new(0) })
}

/// Returns what builds the controller of `plan`, whose times begin at `origin`.
pub(super) fn hosted(plan: Plan, origin: Instant, seen: Shared) -> Factory {
    let inner = Arc::new(narrows_noq::Factory::of_checked(plan).since(origin));
    Arc::new(Observing { inner, seen, seed: None, built: AtomicU64::new(0) })
}

/// Builds controllers that are observed.
struct Observing {
    inner: Factory,
    seen: Shared,
    /// Seed of the random numbers of a thread; `None` for a controller that draws none from it.
    seed: Option<u64>,
    /// Controllers built so far: one for each path.
    built: AtomicU64,
}

impl ControllerFactory for Observing {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let build = || Arc::clone(&self.inner).build(now, current_mtu);
        let number = self.built.fetch_add(1, Ordering::Relaxed);
        let inner = self.seed.map_or_else(build, |seed| seed::seeded(seed.wrapping_add(number), build));
        Box::new(Observed { inner, seen: self.seen.clone(), in_flight: 0 })
    }
}

/// A controller that is observed.
#[derive(Debug)]
struct Observed {
    inner: Box<dyn Controller>,
    seen: Shared,
    /// Bytes of its packets sent, neither acknowledged nor declared lost.
    in_flight: u64,
}

impl Controller for Observed {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        self.inner.on_sent(now, bytes, largest_pn);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.in_flight += u64::from(bytes);
        self.seen.lock().in_flight += u64::from(bytes);
        self.inner.on_packet_sent(now, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        self.inner.on_cwnd_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.seen.lock().acknowledged(now.saturating_duration_since(sent));
        self.inner.on_ack(now, sent, bytes, pn, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        let before = std::mem::replace(&mut self.in_flight, in_flight);
        let mut seen = self.seen.lock();
        // Of several paths each counts its own.
        let all = (seen.in_flight + in_flight).saturating_sub(before);
        seen.batch_ended(all);
        drop(seen);
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        let before = self.inner.metrics().congestion_window;
        self.inner.on_congestion_event(now, sent, persistent, is_ecn, lost_bytes, largest_lost_pn);
        let cause = match (persistent, is_ecn) {
            (true, _) => Cause::Timeout,
            (false, true) => Cause::Mark,
            (false, false) => Cause::Detected,
        };
        self.in_flight = self.in_flight.saturating_sub(lost_bytes);
        self.seen.lock().congestion(cause, lost_bytes, before, self.inner.metrics().congestion_window);
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, now: Instant) {
        self.inner.on_packet_lost(lost_bytes, pn, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.inner.on_spurious_congestion_event();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, requested_max_ack_delay: Duration) {
        self.inner.on_ack_frequency_update(threshold, requested_max_ack_delay);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self { inner: self.inner.clone_box(), seen: self.seen.clone(), in_flight: self.in_flight })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
