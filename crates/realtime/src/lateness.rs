// SPDX-License-Identifier: Apache-2.0
//! The lateness of packets.

use narrows_records::{Histogram, Punctuality};
use narrows_units::{Span, Time};

/// The lateness of all packets so far.
#[derive(Debug)]
pub(crate) struct Lateness {
    histogram: Histogram,
    worst: Span,
}

impl Lateness {
    pub fn new() -> Self {
        Self { histogram: Histogram::new(), worst: Span::ZERO }
    }

    /// A packet that was due at `due` has left at `now`.
    pub fn add(&mut self, due: Time, now: Time) {
        let late = now.since(due);
        self.histogram.add(late);
        self.worst = self.worst.max(late);
    }

    /// Returns the record; devices have dropped `dropped_by_devices` packets.
    pub fn record(&self, limit: Span, dropped_by_devices: u64) -> Punctuality {
        let quantile = |q| if self.histogram.total() == 0 { 0.0 } else { self.histogram.quantile_s(q) };
        Punctuality {
            packets: self.histogram.total(),
            median_s: quantile(0.5),
            p99_s: quantile(0.99),
            worst_s: self.worst.as_secs_f64(),
            limit,
            dropped_by_devices,
        }
    }
}
