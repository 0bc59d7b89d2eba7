// SPDX-License-Identifier: Apache-2.0
//! The congestion control of Narrows as controllers of `quinn-proto`, and so of `quinn`.
//!
//! A [`Factory`] is a [`ControllerFactory`]: it makes the controller of each connection from a [`Plan`].
//!
//! ```
//! use std::sync::Arc;
//!
//! let cubic = narrows_quinn::Factory::new("cubic(beta=0.8)".parse()?)?;
//! let mut transport = quinn_proto::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(cubic));
//! # Ok::<(), narrows_quinn::Refusal>(())
//! ```
//!
//! Values that the interface does not provide are computed ([`narrows_adapter`] has the list), and what cannot work is
//! refused by name:
//!
//! ```
//! let refused = narrows_quinn::Factory::new("dctcp".parse()?).expect_err("counts marks");
//! assert_eq!(
//!     refused.to_string(),
//!     "\"dctcp\" cannot work on quinn-proto 0.11: it needs the number of marked packets, and only that there were marks is known"
//! );
//! # Ok::<(), narrows_quinn::Refusal>(())
//! ```
//!
//! * `quinn-proto` 0.11 paces at 1.25 windows per round trip, whatever the rate of a controller. Algorithms that set a rate, such
//!   as BBR, are refused, unless [`Plan::window_alone`] runs them by their windows.
//! * It sends a packet only if the window has room for one byte more. The window that it reads is therefore one byte larger than
//!   the algorithm's, so that all of its packets may be in flight. Of an algorithm that ceases to set a window it reads the initial one.

use narrows_adapter::{Flow, time};
pub use narrows_adapter::{Plan, Reason, Refusal, Stack, cc};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What `quinn-proto` takes of a controller.
pub const STACK: Stack = Stack::new("quinn-proto 0.11", false);

/// Makes the controllers of connections.
#[derive(Debug)]
pub struct Factory {
    plan: Plan,
    origin: Option<Instant>,
    made: AtomicU64,
}

impl Factory {
    /// Creates the factory of the controllers of `plan`.
    ///
    /// # Errors
    ///
    /// If the algorithm cannot work on [`STACK`].
    pub fn new(plan: Plan) -> Result<Self, Refusal> {
        plan.check(STACK)?;
        Ok(Self::of_checked(plan))
    }

    /// Creates the factory of the controllers of a plan that was [checked](Plan::check) against [`STACK`] before, or a plan like it: a
    /// check runs the algorithm for some round trips.
    pub fn of_checked(plan: Plan) -> Self {
        Self { plan, origin: None, made: AtomicU64::new(0) }
    }

    /// Counts the times that algorithms see, and the times of failures, from `origin` instead of the start of each
    /// path.
    #[must_use]
    pub fn since(self, origin: Instant) -> Self {
        Self { origin: Some(origin), ..self }
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let made = self.made.fetch_add(1, Ordering::Relaxed);
        let flow = Flow::new(&self.plan, self.plan.setup.seed.wrapping_add(made), current_mtu);
        Box::new(Hosted { flow, start: self.origin.unwrap_or(now) })
    }
}

/// The controller of one path.
#[derive(Clone, Debug)]
pub struct Hosted {
    flow: Flow,
    /// The origin of the algorithm's times.
    start: Instant,
}

impl Hosted {
    /// Returns the algorithm, with the values computed for it.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Returns the window in bytes. Without one nothing would limit the connection, since the stack ignores a rate.
    fn bytes(&self) -> u64 {
        if self.flow.limits().window.is_some() { self.flow.window() } else { self.flow.initial_window() }
    }
}

impl Controller for Hosted {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        self.flow.on_sent(time(self.start, now), bytes, None);
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.flow.on_ack(time(self.start, sent), bytes, None);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        self.flow.on_end_acks(time(self.start, now), in_flight, app_limited);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let (now, sent) = (time(self.start, now), time(self.start, sent));
        if lost_bytes == 0 {
            self.flow.on_mark(now, sent);
        } else {
            self.flow.on_lost(now, sent, lost_bytes, None, is_persistent_congestion);
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.flow.on_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.bytes() + 1
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.bytes();
        metrics.ssthresh = self.flow.ssthresh();
        metrics.pacing_rate = self.flow.pacing().map(cc::units::Rate::as_bps);
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.flow.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
