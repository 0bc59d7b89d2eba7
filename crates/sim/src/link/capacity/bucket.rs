// SPDX-License-Identifier: Apache-2.0
//! A token bucket in front of a faster line, as `tc-tbf`(8) and the shapers of providers have it.
//!
//! Source: `tc-tbf`(8). A packet starts as soon as the bucket holds tokens for all of it, which it then takes, and is sent at
//! the peak rate. The account is exact: tokens are counted in bits times 10¹². The bucket is full at the start. If the rate
//! changes, its tokens stay, and a packet that waits for tokens gets them at
//! the new rate.
//!
//! Deviation: the packet that waits for tokens counts as in transmission, so that the queue behind it has its own discipline
//! and limit.

use narrows_link::Serializer;
use narrows_units::{Bytes, Rate, Span, Time};

/// A token bucket and the line behind it.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    /// Since when it is filled at this rate, and the tokens that it had been given by then.
    filled: (Time, u128),
    line: Serializer,
    depth: u128,
    /// Tokens at `since`, less the tokens of the packet that starts then.
    tokens: u128,
    /// Start of the last packet on the line, which may lie ahead.
    since: Time,
    /// The last packet, and when it leaves the line.
    last: (Bytes, Time),
    /// Bits of all packets, including the last.
    bits: u64,
}

impl Bucket {
    /// Creates a full bucket of `burst`, at least a packet, that is filled at `rate`, in front of a line of rate `peak`.
    pub fn new(rate: Rate, burst: Bytes, peak: Rate) -> Self {
        let depth = tokens_of(burst);
        let last = (Bytes::ZERO, Time::ZERO);
        Self {
            rate,
            filled: (Time::ZERO, 0),
            line: Serializer::new(peak),
            depth,
            tokens: depth,
            since: Time::ZERO,
            last,
            bits: 0,
        }
    }

    /// Returns the rate at which it is filled.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Fills it at `rate` from `now` on. Returns when the packet in transmission leaves the line; `None` without one.
    pub fn set_rate(&mut self, rate: Rate, now: Time) -> Option<Time> {
        let waits = now < self.since;
        self.filled = (now, self.given(now));
        (self.tokens, self.since) = (self.tokens_at(now), now);
        self.rate = rate;
        let (size, departure) = self.last;
        if waits {
            self.line.abort(now);
            self.bits -= size.bits();
            return Some(self.start(size, now));
        }
        (now < departure).then_some(departure)
    }

    /// Returns the bits sent until `now`.
    pub fn sent_bits(&self, now: Time) -> f64 {
        let (_, departure) = self.last;
        self.bits as f64 - if now < departure { self.bits_left(departure, now) } else { 0.0 }
    }

    /// Starts the transmission of a packet of `size` at `now` and returns when it leaves the line.
    pub fn start(&mut self, size: Bytes, now: Time) -> Time {
        let needed = tokens_of(size);
        let there = self.tokens_at(now);
        let wait = needed.saturating_sub(there).div_ceil(u128::from(self.rate.as_bps()));
        let start = now + Span::from_ps(u64::try_from(wait).unwrap_or(u64::MAX));
        self.tokens = self.tokens_at(start).saturating_sub(needed);
        self.since = start;
        self.last = (size, self.line.start(size, start));
        self.bits += size.bits();
        self.last.1
    }

    /// Aborts the transmission in progress at `now`.
    pub fn abort(&mut self, now: Time) {
        self.bits = self.sent_bits(now) as u64;
        (self.tokens, self.since) = (self.tokens_at(now), now);
        self.last = (Bytes::ZERO, now);
        self.line.abort(now);
    }

    /// Returns how many bits of the packet in transmission, which leaves at `departure`, are left at `now`.
    pub fn bits_left(&self, departure: Time, now: Time) -> f64 {
        self.line.bits_left(departure, now).min(self.last.0.bits() as f64)
    }

    /// Returns the bits that could have been sent until `now`: bits that were sent, and bits of tokens that found the
    /// bucket full. The content of the bucket can still be sent.
    pub fn offered_bits(&self, now: Time) -> f64 {
        let taken = (self.depth + self.given(now)).saturating_sub(self.tokens_at(now)) as f64 * 1e-12;
        let (_, departure) = self.last;
        let waits = now < self.since || now >= departure;
        if waits { taken } else { taken - self.bits_left(departure, now) }
    }

    /// The tokens that it has been given until `now`, if it was full or not.
    fn given(&self, now: Time) -> u128 {
        let (since, before) = self.filled;
        before + u128::from(self.rate.as_bps()) * u128::from(now.since(since).as_ps())
    }

    /// The tokens at `now`.
    fn tokens_at(&self, now: Time) -> u128 {
        let earned = |span: Span| u128::from(self.rate.as_bps()) * u128::from(span.as_ps());
        if now < self.since {
            // The packet that starts then takes all of them.
            let then = self.tokens + tokens_of(self.last.0);
            return then.saturating_sub(earned(self.since.since(now)));
        }
        self.depth.min(self.tokens + earned(now.since(self.since)))
    }
}

fn tokens_of(size: Bytes) -> u128 {
    u128::from(size.bits()) * 1_000_000_000_000
}
