//! What an algorithm needs of its host: which sender, which reports, which details of acknowledgements.

use std::fmt;

/// What the host must provide for an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// The sender and receiver that host it.
    pub transport: Transport,
    /// Each packet of an acknowledgement or a loss, as [`SentPacket`](crate::SentPacket)s.
    pub packets: bool,
    /// Delivery-rate samples. Datagram senders make none.
    pub rate_samples: bool,
}

impl Needs {
    /// A reliable sender, and no details of acknowledgements or losses.
    pub const RELIABLE: Self = Self { transport: Transport::Reliable, packets: false, rate_samples: false };

    /// A datagram sender whose receiver sends `reports`, and no details of acknowledgements or losses.
    pub const fn datagrams(reports: Reports) -> Self {
        Self { transport: Transport::Datagram(reports), ..Self::RELIABLE }
    }
}

/// Which sender and receiver host an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transport {
    /// A byte stream; lost segments are retransmitted.
    Reliable,
    /// Numbered packets that are sent once.
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

/// What a datagram receiver sends back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reports {
    /// Nothing at all.
    Nothing,
    /// A report of each packet as it arrives; the sender detects losses.
    EachPacket,
    /// Loss events and the receive rate, once a round trip and at once when a loss event starts (RFC 5348 §6); the
    /// receiver detects losses.
    LossEvents(LossHistory),
}

/// How a receiver averages loss intervals (RFC 5348 §5.4, §5.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossHistory {
    /// Closed loss intervals in the average, at least 1.
    pub intervals: usize,
    /// Smallest weight, 0 to 1, that history discounting leaves to a closed interval; 1 switches it off.
    pub least_discount: f64,
}
