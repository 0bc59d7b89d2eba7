//! Algorithms that ask the routers: what leaves carries a request, and acknowledgements bring back what was allowed.
//!
//! Routers count bytes on the wire, headers included; windows count packets. An answer that is infinite says that no
//! router on the path knows the request.

pub mod quick_start;
pub mod rcp;
pub mod xcp;

use crate::Path;

/// The smoothed round-trip time in seconds as a request carries it; 0 while unknown.
fn seconds(path: &Path) -> f32 {
    path.rtt.map_or(0.0, |rtt| rtt.smoothed.as_secs_f64() as f32)
}

/// A window between one packet and [`CEILING`].
fn floored(window: f64) -> f64 {
    window.clamp(1.0, CEILING)
}

/// 2³⁰ packets: no path holds as many.
const CEILING: f64 = 1_073_741_824.0;
