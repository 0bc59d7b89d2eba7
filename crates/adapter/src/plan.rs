// SPDX-License-Identifier: Apache-2.0
//! An algorithm with the setup of its connections.

use narrows_cc::{Algorithm, CongestionControl, Failure, Needs, Setup};
use narrows_units::Bytes;
use std::fmt;
use std::sync::Arc;

/// An algorithm with the setup of its connections.
///
/// It is parsed from `name` or `name(parameter=value, …)`, for an algorithm of the
/// [catalogue](narrows_cc::catalogue), or made of any other by [`new`](Self::new).
#[derive(Clone)]
pub struct Plan {
    name: String,
    needs: Needs,
    build: Arc<Build>,
    /// The setup of each connection. Its `mss` and `packet` are replaced by the connection's values, and its seed is
    /// increased by one for each connection.
    pub setup: Setup,
    /// Whether an algorithm that sets a pacing rate may run if the stack ignores the rate.
    pub(crate) window_alone: bool,
    report: Option<Arc<Report>>,
    observe: Option<Arc<Observe>>,
}

/// Sees an algorithm after an event.
type Observe = dyn Fn(&dyn CongestionControl) + Send + Sync;

/// Takes the failure of an algorithm.
type Report = dyn Fn(&Failure) + Send + Sync;

/// Builds an instance for one connection.
type Build = dyn Fn(&Setup) -> Box<dyn CongestionControl> + Send + Sync;

impl Plan {
    /// Creates a plan of the algorithm that `build` builds and that needs `needs` of its host, such as one behind the C header. `name`
    /// stands in messages.
    pub fn new(
        name: impl Into<String>,
        needs: Needs,
        build: impl Fn(&Setup) -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> Self {
        let setup = Setup::new(Bytes::new(LEAST_DATAGRAM), 0)
            .packet(Bytes::new(LEAST_DATAGRAM + HEADERS))
            .initial_window(INITIAL_WINDOW)
            .slow_start(needs.slow_start.unwrap_or_default())
            .paced(true);
        Self {
            name: name.into(),
            needs,
            build: Arc::new(build),
            setup,
            window_alone: false,
            report: None,
            observe: None,
        }
    }

    /// Permits an algorithm that sets a pacing rate on a stack that ignores it: its window alone limits it. What it does then is
    /// not what its source describes.
    #[must_use]
    pub fn window_alone(self) -> Self {
        Self { window_alone: true, ..self }
    }

    /// Has `report` called once for each path whose algorithm fails, since a controller is out of reach inside its stack. Only
    /// external algorithms can fail.
    #[must_use]
    pub fn reporting(self, report: impl Fn(&Failure) + Send + Sync + 'static) -> Self {
        Self { report: Some(Arc::new(report)), ..self }
    }

    /// Has `observe` called with the algorithm of each path at its start and after every event, which can read its
    /// [inner variables](CongestionControl::observe): a controller is out of reach inside its stack.
    #[must_use]
    pub fn observing(self, observe: impl Fn(&dyn CongestionControl) + Send + Sync + 'static) -> Self {
        Self { observe: Some(Arc::new(observe)), ..self }
    }

    /// Shows an instance.
    pub(crate) fn observed(&self, algorithm: &dyn CongestionControl) {
        if let Some(observe) = &self.observe {
            observe(algorithm);
        }
    }

    /// Passes on the failure of an instance.
    pub(crate) fn failed(&self, failure: &Failure) {
        if let Some(report) = &self.report {
            report(failure);
        }
    }

    /// Returns the algorithm as written.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the algorithm's requirements on its host.
    pub(crate) fn needs(&self) -> Needs {
        self.needs
    }

    /// Returns a new instance for one connection.
    pub(crate) fn build(&self, setup: &Setup) -> Box<dyn CongestionControl> {
        (self.build)(setup)
    }
}

impl From<Algorithm> for Plan {
    fn from(algorithm: Algorithm) -> Self {
        Self::new(algorithm.to_string(), algorithm.needs(), move |setup| algorithm.build(setup))
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("name", &self.name).field("setup", &self.setup).finish_non_exhaustive()
    }
}

/// Least size of a datagram of QUIC, bytes (RFC 9000 §14).
pub(crate) const LEAST_DATAGRAM: u64 = 1200;
/// Headers of UDP and IPv4, bytes.
pub(crate) const HEADERS: u64 = 28;
/// Initial window, packets (RFC 9002 §7.2).
const INITIAL_WINDOW: f64 = 10.0;
