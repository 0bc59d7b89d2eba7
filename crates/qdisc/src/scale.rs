// SPDX-License-Identifier: Apache-2.0
//! The units of the lengths of a queue.

use crate::{Limit, Threshold, Unit};
use narrows_units::{Bytes, Quantity, Rate, Span};

/// The quantities by which queue lengths are converted: rate and round-trip time of a link, and size of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scale {
    /// Mean rate of the link.
    pub rate: Rate,
    /// Round-trip propagation delay, the time in a bandwidth-delay product.
    pub rtt: Span,
    /// Size of a full packet on the wire, headers included.
    pub packet: Bytes,
}

impl Scale {
    /// Creates the scale of a link with this mean rate and round-trip time, and packets of at most `packet`.
    pub const fn new(rate: Rate, rtt: Span, packet: Bytes) -> Self {
        Self { rate, rtt, packet }
    }

    /// A length in bytes, rounded down. Packets have no size of their own here.
    fn bytes(self, length: Quantity) -> u64 {
        match length {
            Quantity::Size(bytes) => bytes.count(),
            Quantity::Time(span) => self.bytes_in(span),
            // A factor such as 0.1 is no exact float: its last digit must not cost a byte.
            Quantity::Bdp(factor) => (self.bytes_in(self.rtt) as f64 * factor + 1e-6) as u64,
            other => unreachable!("{other} is no length in bytes"),
        }
    }

    fn bytes_in(self, span: Span) -> u64 {
        let bits = u128::from(self.rate.as_bps()) * u128::from(span.as_ps());
        u64::try_from(bits / 8_000_000_000_000).unwrap_or(u64::MAX)
    }

    /// Returns `length` as a limit: packets stay packets, every other length is converted to bytes, rounded down.
    pub fn limit(self, length: Quantity) -> Limit {
        match length {
            Quantity::Packets(number) => Limit::Packets(number as u64),
            other => Limit::Bytes(self.bytes(other)),
        }
    }

    /// Returns a limit of one bandwidth-delay product in bytes, at least one full packet.
    pub fn bdp(self) -> Limit {
        self.with_room(Limit::Bytes(self.bytes(Quantity::Bdp(1.0))))
    }

    /// Returns `limit`, and room for a packet at least.
    pub(crate) fn with_room(self, limit: Limit) -> Limit {
        match limit {
            Limit::Bytes(bytes) => Limit::Bytes(bytes.max(self.packet.count())),
            other => other,
        }
    }

    /// Returns `length` as a threshold for a step: whole packets, or bytes rounded down and at least one.
    pub fn step(self, length: Quantity) -> Limit {
        match self.limit(length) {
            Limit::Bytes(bytes) => Limit::Bytes(bytes.max(1)),
            other => other,
        }
    }

    /// Returns `length` as a threshold for an average: packets stay packets, every other length is converted to bytes,
    /// rounded down.
    pub fn threshold(self, length: Quantity) -> Threshold {
        match length {
            Quantity::Packets(value) => Threshold { unit: Unit::Packets, value },
            other => Threshold { unit: Unit::Bytes, value: self.bytes(other) as f64 },
        }
    }

    /// Returns `size` in bytes; a number of packets counts full packets.
    pub fn size(self, size: Quantity) -> Bytes {
        match size {
            Quantity::Packets(number) => self.packet * number as u64,
            other => Bytes::new(self.bytes(other)),
        }
    }
}
