// SPDX-License-Identifier: Apache-2.0
//! The congestion control of Narrows as controllers of `noq-proto`, and so of `noq`.
//!
//! A [`Factory`] is a [`ControllerFactory`]: it makes the controller of each path from a [`Plan`].
//!
//! ```
//! use std::sync::Arc;
//!
//! let bbr3 = narrows_noq::Factory::new("bbr3".parse()?)?;
//! let mut transport = noq_proto::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(bbr3));
//! # Ok::<(), narrows_noq::Refusal>(())
//! ```
//!
//! Values that the interface does not provide are computed ([`narrows_adapter`] has the list), and what cannot work is
//! refused by name:
//!
//! ```
//! let refused = narrows_noq::Factory::new("xcp".parse()?).expect_err("needs its routers");
//! assert_eq!(
//!     refused.to_string(),
//!     "\"xcp\" cannot work on noq-proto 1.4: routers with the queue xcp would have to answer its requests"
//! );
//! # Ok::<(), narrows_noq::Refusal>(())
//! ```
//!
//! `noq-proto` paces at the rate of a controller, and limits bursts to its quantum; without a rate it paces at 1.25 windows per
//! round trip.

use narrows_adapter::{Flow, time};
pub use narrows_adapter::{Plan, Reason, Refusal, Stack, cc};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What `noq-proto` takes of a controller.
pub const STACK: Stack = Stack::new("noq-proto 1.4", true);

/// Makes the controllers of paths.
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
}

impl Controller for Hosted {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.flow.on_sent(time(self.start, now), u64::from(bytes), Some(pn));
    }

    fn on_ack(
        &mut self,
        _now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        _app_limited: bool,
        _rtt: &RttEstimator,
    ) {
        self.flow.on_ack(time(self.start, sent), bytes, Some(pn));
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
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        let (now, sent) = (time(self.start, now), time(self.start, sent));
        if is_ecn {
            self.flow.on_mark(now, sent);
        } else {
            self.flow.on_lost(now, sent, lost_bytes, Some(largest_lost_pn), is_persistent_congestion);
        }
    }

    fn on_spurious_congestion_event(&mut self) {
        self.flow.on_spurious();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.flow.on_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.flow.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let pacing = self.flow.pacing();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.flow.window();
        metrics.ssthresh = self.flow.ssthresh();
        metrics.pacing_rate = pacing.map(|rate| (rate.as_bps() / 8).max(1));
        metrics.send_quantum = pacing.map(|_| self.flow.limits().burst.count());
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
