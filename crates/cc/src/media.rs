// SPDX-License-Identifier: Apache-2.0
//! Controllers of live media, whose target is the bit rate of an encoder ([`CongestionControl::target`](crate::CongestionControl)).

pub mod gcc;
pub mod nada;
mod queue_delay;
mod received;
pub mod scream;

use crate::Needs;
use narrows_units::{Span, Time};

/// Returns a window of `bytes` in packets of `mss` bytes of payload, between one packet and more than any path holds.
fn packets(bytes: f64, mss: f64) -> f64 {
    (bytes / mss).clamp(1.0, WINDOW_MAX)
}

/// Returns the window of a controller that has a rate alone, in packets: twice what `rate`, in bit/s, fills `srtt` seconds with, at least
/// `least` packets. Without acknowledgements the sender stops.
fn window_of_rate(rate: f64, srtt: f64, least: f64, mss: f64) -> f64 {
    packets((WINDOW_GAIN * rate / 8.0 * srtt).max(least * mss), mss)
}

/// Whether `span` has passed since `since`; true if there was nothing before.
fn is_past(since: Option<Time>, span: Span, now: Time) -> bool {
    since.is_none_or(|since| now.since(since) >= span)
}

/// The inputs of a media controller: the bytes of packets, and when each arrives.
const NEEDS: Needs = Needs { packets: true, each_packet: true, ..Needs::RELIABLE };

/// Largest window, packets.
const WINDOW_MAX: f64 = 1_073_741_824.0;
/// Window over rate and round-trip time.
const WINDOW_GAIN: f64 = 2.0;
