// SPDX-License-Identifier: Apache-2.0
//! The parts that depend on the interface of `quinn-proto`.

use super::proto;
use super::side::Factory;
use crate::seed;
use crate::sent::Shared;
use bytes::{Bytes, BytesMut};
use narrows_adapter::{Plan, Reason};
use narrows_cc::{Cause, Failure};
use narrows_model::stack::{StackPath, StackSetup};
use proto::congestion::{
    BbrConfig, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};
use proto::{
    Connection, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, Event,
    RttEstimator, SendStream, ServerConfig, Transmit, TransportConfig,
};
use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the stack takes of a controller.
pub(super) use narrows_quinn::STACK;

/// The one path of a connection: the library has no more at a time.
#[derive(Debug)]
pub(super) struct Paths;

impl Paths {
    pub(super) fn new(_client: bool, _base: Instant, _all: &[StackPath]) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "a method of every stack")]
    pub(super) fn on_arrival(&mut self) {}

    #[expect(clippy::unused_self, reason = "a method of every stack")]
    pub(super) fn on_event(&mut self, _event: &Event, _connection: &mut Connection) {}

    #[expect(clippy::unused_self, reason = "a method of every stack")]
    pub(super) fn settle(&mut self, _connection: &mut Connection, _at: Instant) {}

    #[expect(clippy::unused_self, reason = "a method of every stack")]
    pub(super) fn due(&self) -> Option<Instant> {
        None
    }

    #[expect(clippy::unused_self, reason = "a method of every stack")]
    pub(super) fn observe(&self, _connection: &mut Connection, _record: &mut dyn FnMut(String, f64)) {}
}

pub(super) fn set_paths(_config: &mut TransportConfig, _count: u32) {}

/// The state of the path of a connection.
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
    Endpoint::new(config, server, true, None)
}

pub(super) fn set_cids(
    config: &mut EndpointConfig,
    factory: impl Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
) {
    config.cid_generator(factory);
}

pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    data: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, from, None, ecn, data, answer)
}

pub(super) fn transmit(connection: &mut Connection, now: Instant, bytes: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(now, 1, bytes)
}

/// Writes the part of `chunk` that the stream takes; returns its bytes. An error says that it takes no more
/// for now.
pub(super) fn write(stream: &mut SendStream<'_>, chunk: Bytes) -> u64 {
    stream.write_chunks(&mut [chunk]).map_or(0, |taken| taken.bytes as u64)
}

pub(super) fn path(connection: &mut Connection, _seen: &Shared) -> Path {
    let path = connection.stats().path;
    Path {
        rtt: path.rtt,
        min_rtt: connection.min_rtt(),
        window: path.cwnd,
        lost: path.lost_packets,
        mtu: path.current_mtu,
    }
}

/// Returns the limits besides the window. The pacer goes by the window alone; the rate of BBR is for logs.
pub(super) fn limits(connection: &mut Connection) -> Limits {
    let metrics = connection.congestion_state().metrics();
    Limits { window: metrics.congestion_window, ssthresh: metrics.ssthresh, rate: None, several: false }
}

/// Returns the initial window of the controller `name`, in packets of [`BASE`] bytes.
pub(super) fn initial_window(name: &str) -> u32 {
    if name == "bbr" { 200 } else { 10 }
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
        "bbr" => {
            let mut config = BbrConfig::default();
            window.map(|bytes| config.initial_window(bytes));
            Arc::new(config)
        }
        _ => {
            let mut config = CubicConfig::default();
            window.map(|bytes| config.initial_window(bytes));
            Arc::new(config)
        }
    };
    Arc::new(Observing { inner, seen, seed: Some(setup.seed), origin: None })
}

/// Returns what builds the controller of `plan`, whose times begin at `origin`.
pub(super) fn hosted(plan: Plan, origin: Instant, seen: Shared) -> Factory {
    let inner = Arc::new(narrows_quinn::Factory::of_checked(plan).since(origin));
    Arc::new(Observing { inner, seen, seed: None, origin: Some(origin) })
}

/// Builds controllers that are observed.
struct Observing {
    inner: Factory,
    seen: Shared,
    /// Seed of the random numbers of a thread; `None` for a controller that draws none from it.
    seed: Option<u64>,
    origin: Option<Instant>,
}

impl ControllerFactory for Observing {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let build = || Arc::clone(&self.inner).build(now, current_mtu);
        let inner = self.seed.map_or_else(build, |seed| seed::seeded(seed, build));
        Box::new(Observed { inner, seen: self.seen.clone(), origin: self.origin })
    }
}

/// A controller that is observed.
struct Observed {
    inner: Box<dyn Controller>,
    seen: Shared,
    /// The start of the run, for an algorithm of Narrows or from a file, whose rate the stack would ignore.
    origin: Option<Instant>,
}

impl Controller for Observed {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.seen.lock().in_flight += bytes;
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.seen.lock().acknowledged(now.saturating_duration_since(sent));
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.seen.lock().batch_ended(in_flight);
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
        if let Some(origin) = self.origin.filter(|_| self.inner.metrics().pacing_rate.is_some()) {
            let (at, reason) = (narrows_adapter::time(origin, now), Reason::Pacing.to_string());
            self.seen.lock().fail(Failure::new(at, reason));
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost_bytes: u64) {
        let before = self.inner.metrics().congestion_window;
        self.inner.on_congestion_event(now, sent, persistent, lost_bytes);
        let cause = match (persistent, lost_bytes) {
            (true, _) => Cause::Timeout,
            (false, 0) => Cause::Mark,
            (false, _) => Cause::Detected,
        };
        self.seen.lock().congestion(cause, lost_bytes, before, self.inner.metrics().congestion_window);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self { inner: self.inner.clone_box(), seen: self.seen.clone(), origin: self.origin })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
