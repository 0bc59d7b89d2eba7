// SPDX-License-Identifier: Apache-2.0
//! What an algorithm needs of its host: which sender, which reports, which details of acknowledgements.

use crate::SlowStartKind;
use core::fmt;

/// The requirements of an algorithm on its host.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a requirement of its own")]
#[non_exhaustive]
pub struct Needs {
    /// The kind of sender and receiver that host it.
    pub transport: Transport,
    /// Whether it needs the packets of each acknowledgement and loss, as [`SentPacket`](crate::SentPacket)s.
    pub packets: bool,
    /// Whether the receiver must acknowledge each packet at once, so that the arrival of each is known, whatever the flow's
    /// transport says of delayed acknowledgements.
    pub each_packet: bool,
    /// Whether it needs delivery-rate samples, which only reliable senders make.
    pub rate_samples: bool,
    /// Whether it is notified of acknowledgements of a part of a segment, with `newly_acked` 0.
    pub partial_acks: bool,
    /// The variant of slow start that belongs to it and that its flows have unless another is asked for; `None` if it has
    /// none of its own.
    pub slow_start: Option<SlowStartKind>,
    /// The factor by which a mark multiplies the window under ABE (RFC 8511 §3.1); `None` if the RFC has none for it.
    pub abe_factor: Option<f64>,
    /// The queue discipline whose routers answer its requests; `None` if it sends none.
    pub router: Option<&'static str>,
}

impl Needs {
    /// The needs of an algorithm on a reliable sender that uses neither packets nor rate samples.
    pub const RELIABLE: Self = Self {
        transport: Transport::Reliable,
        packets: false,
        each_packet: false,
        rate_samples: false,
        partial_acks: false,
        slow_start: None,
        abe_factor: None,
        router: None,
    };

    /// Returns the needs of an algorithm on a reliable sender whose requests a router with the queue discipline `queue` answers.
    pub const fn routers(queue: &'static str) -> Self {
        Self { router: Some(queue), ..Self::RELIABLE }
    }

    /// Whether it needs more of an acknowledgement than its numbers: packets or rate samples.
    #[inline]
    pub const fn is_detailed(&self) -> bool {
        // Without `..`: whoever adds a requirement decides here whether acknowledgements take the short path of the sender.
        let Self {
            packets,
            rate_samples,
            // The short path belongs to the reliable transport.
            transport: _,
            // They concern the receiver, other acknowledgements, the choice of options, or the algorithm alone.
            each_packet: _,
            partial_acks: _,
            slow_start: _,
            abe_factor: _,
            router: _,
        } = *self;
        packets || rate_samples
    }

    /// Returns the needs of an algorithm on a datagram sender whose receiver sends `reports`, without packets and rate
    /// samples.
    pub const fn datagrams(reports: Reports) -> Self {
        Self { transport: Transport::Datagram(reports), ..Self::RELIABLE }
    }
}

setters!(Needs {
    transport: Transport,
    packets: bool,
    each_packet: bool,
    rate_samples: bool,
    partial_acks: bool,
    slow_start: Option<SlowStartKind>,
    abe_factor: Option<f64>,
    router: Option<&'static str>,
});

/// The kind of sender and receiver that host an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transport {
    /// A reliable byte stream: lost segments are retransmitted.
    Reliable,
    /// Numbered datagrams, each sent once.
    Datagram(Reports),
}

/// `reliable` or `datagram`.
impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reliable => "reliable",
            Self::Datagram(_) => "datagram",
        })
    }
}

/// The feedback of a datagram receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reports {
    /// No feedback.
    Nothing,
    /// A report for each packet as it arrives; the sender detects losses.
    EachPacket,
    /// Loss event rate and receive rate, once per round trip and when a loss event starts (RFC 5348 §6); the receiver
    /// detects losses.
    LossEvents(LossHistory),
}

/// Parameters of the average loss interval at a receiver (RFC 5348 §5.4, §5.5).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LossHistory {
    /// Number of closed loss intervals in the average, at least 1.
    pub intervals: usize,
    /// Lower bound of the factor by which history discounting reduces the weight of closed intervals, 0 to 1; 1
    /// disables it.
    pub least_discount: f64,
}

impl LossHistory {
    /// Creates the parameters of an average over `intervals` closed intervals.
    pub const fn new(intervals: usize, least_discount: f64) -> Self {
        Self { intervals, least_discount }
    }
}
