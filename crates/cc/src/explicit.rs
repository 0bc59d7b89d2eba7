// SPDX-License-Identifier: Apache-2.0
//! Algorithms with explicit feedback: packets carry a request to the routers of the path, acknowledgements their answer.
//!
//! Routers count bytes on the wire, headers included; windows are in packets. An infinite answer means that no router of
//! the path supports the request.

pub mod bmcc;
pub mod decbit;
mod load;
pub mod maxnet;
pub mod quick_start;
pub mod rcp;
pub mod source_quench;
pub mod vcp;
pub mod xcp;

use crate::Path;

/// The smoothed round-trip time of a request, seconds; 0 before the first sample.
fn rtt_seconds(path: &Path) -> f32 {
    path.rtt.map_or(0.0, |rtt| rtt.smoothed.as_secs_f64() as f32)
}

/// `window` between one packet and [`WINDOW_MAX`].
fn bounded(window: f64) -> f64 {
    window.clamp(1.0, WINDOW_MAX)
}

/// Upper bound of the window, 2³⁰ packets: more than any path holds.
const WINDOW_MAX: f64 = 1_073_741_824.0;
