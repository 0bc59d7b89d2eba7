// SPDX-License-Identifier: Apache-2.0
//! The rules by which senders declare losses and reduce their windows, as records name them.

/// The rule by which a packet is declared lost, a window is reduced or an episode is found spurious.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Three duplicate ACKs (RFC 5681 §3.2).
    DuplicateAcks,
    /// A partial ACK in fast recovery (RFC 6582 §3.2).
    PartialAck,
    /// Three segments SACKed above the lost one (RFC 6675 §4).
    Sack,
    /// A segment that was sent later was delivered (RFC 8985 §6.2).
    Rack,
    /// A tail loss probe repaired the loss (RFC 8985 §7.4.2).
    Probe,
    /// The retransmission timer expired (RFC 6298 §5); of datagrams, the timeout of an echo.
    Timeout,
    /// The timer of the SYN expired (RFC 6298 §5.7).
    SynTimeout,
    /// Three later datagrams were echoed.
    LaterEchoes,
    /// The receiver reported a loss event (RFC 5348 §6).
    Report,
    /// A stack that is not of this crate detected it by a rule of its own.
    Stack,
    /// The receiver echoed a congestion mark (RFC 3168 §6.1.2).
    Mark,
    /// The receiver reported every retransmission as a duplicate (RFC 3708).
    DuplicateSacks,
    /// A timestamp showed that an original transmission was acknowledged (RFC 3522).
    Timestamps,
    /// An acknowledgement after a timeout covered a segment that was sent once (RFC 5682).
    ForwardRto,
}

impl Rule {
    /// Returns its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::DuplicateAcks => "duplicate-acks",
            Self::PartialAck => "partial-ack",
            Self::Sack => "sack",
            Self::Rack => "rack",
            Self::Probe => "probe",
            Self::Timeout => "timeout",
            Self::SynTimeout => "syn-timeout",
            Self::LaterEchoes => "later-echoes",
            Self::Report => "report",
            Self::Stack => "stack",
            Self::Mark => "mark",
            Self::DuplicateSacks => "duplicate-sacks",
            Self::Timestamps => "timestamps",
            Self::ForwardRto => "f-rto",
        }
    }
}
