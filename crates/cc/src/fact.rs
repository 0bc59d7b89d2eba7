//! What an algorithm is told. Facts are data: a recorded run can be replayed, fuzzed and compared.

use crate::CongestionControl;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Feedback;

/// Where the flow stands when a fact is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Now.
    pub now: Time,
    /// Bytes of payload in a full segment.
    pub mss: Bytes,
    /// Packets sent, not acknowledged and not declared lost, after this fact.
    pub in_flight: u64,
    /// Round-trip times; `None` before the first sample.
    pub rtt: Option<RttView>,
    /// Round trips completed: grows by one when a packet sent after the last increment is acknowledged.
    pub round: u64,
    /// The window, and nothing else, kept the sender from sending more. Windows grow only where this holds.
    pub window_limited: bool,
}

/// Round-trip times as the transport knows them (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttView {
    /// The newest sample.
    pub latest: Span,
    /// The smallest of the connection.
    pub min: Span,
    /// `SRTT`.
    pub smoothed: Span,
    /// `RTTVAR`.
    pub variation: Span,
}

/// An acknowledgement that delivered something new.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack<'a> {
    /// Packets acknowledged for the first time, cumulatively or selectively.
    pub newly_acked: u64,
    /// The cumulative acknowledgement moved. Windows grow only then (RFC 5681 §3.1, §3.2): a duplicate ACK may be the
    /// first sign of a loss.
    pub advanced: bool,
    /// Of the data packets acknowledged, how many the receiver says arrived with a congestion mark.
    pub ce_packets: u64,
    /// The round-trip time of the newest packet acknowledged, unless it was retransmitted (Karn's rule).
    pub rtt: Option<Span>,
    /// The delivery rate over the last round trip, made once for all algorithms by the transport.
    pub rate: Option<RateSample>,
    /// What the routers on the path answered to a request.
    pub feedback: Option<Feedback>,
    /// Each packet acknowledged, oldest first; empty unless the algorithm's catalogue entry asks for it.
    pub packets: &'a [SentPacket],
}

/// A report of a datagram receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Loss events per packet; 0 before the first.
    pub loss_event_rate: f64,
    /// Payload received over the last round trip.
    pub receive_rate: Rate,
    /// Packets found lost since the last report.
    pub lost: u64,
    /// The round-trip time of the newest packet reported, without the receiver's delay.
    pub rtt: Span,
}

/// Packets were declared lost, or congestion was signalled without a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss<'a> {
    /// Why it was declared.
    pub cause: Cause,
    /// The recovery policy begins a new episode: the one moment at which a window is cut.
    pub new_episode: bool,
    /// Packets declared lost by this fact; 0 for a mark.
    pub lost: u64,
    /// Each packet declared lost, oldest first; empty unless the algorithm's catalogue entry asks for it.
    pub packets: &'a [SentPacket],
}

/// Why an episode was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Later packets were acknowledged and these were not: duplicate ACKs, SACK or RACK.
    Detected,
    /// The retransmission timer ran out (RFC 6298).
    Timeout,
    /// A router marked a packet (RFC 3168).
    Mark,
}

/// One packet as it was when it left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentPacket {
    /// Segment number.
    pub number: u64,
    /// Bytes of payload.
    pub size: Bytes,
    /// When it left.
    pub sent_at: Time,
    /// Packets in flight when it left, itself included.
    pub in_flight: u64,
    /// Packets declared lost on this connection before it left.
    pub lost_before: u64,
    /// The sender had nothing more to send then.
    pub app_limited: bool,
}

/// A sample of the delivery rate (draft-ietf-ccwg-bbr §4.1; Linux `tcp_rate.c`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Packets delivered over `interval`.
    pub delivered: u64,
    /// Over how long: the longer of the sending and the acknowledging side.
    pub interval: Span,
    /// The rate that follows, payload bits per second.
    pub rate: Rate,
    /// Packets delivered on the connection when the sampled packet left.
    pub prior_delivered: u64,
    /// Packets in flight just before this acknowledgement.
    pub prior_in_flight: u64,
    /// The sampled packet left while the application, not the network, was the limit.
    pub app_limited: bool,
}

/// A fact that owns its data, for recording, replaying and fuzzing.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// [`CongestionControl::on_sent`].
    Sent(SentPacket, Path),
    /// [`CongestionControl::on_ack`] with the per-packet slice.
    Acked {
        /// The acknowledgement; its `packets` are the next field.
        ack: Ack<'static>,
        /// What `ack.packets` is when replayed.
        packets: Vec<SentPacket>,
        /// Where the flow stood.
        path: Path,
    },
    /// [`CongestionControl::on_loss`] with the per-packet slice.
    Lost {
        /// The loss; its `packets` are the next field.
        loss: Loss<'static>,
        /// What `loss.packets` is when replayed.
        packets: Vec<SentPacket>,
        /// Where the flow stood.
        path: Path,
    },
    /// [`CongestionControl::on_report`].
    Reported(Report, Path),
    /// [`CongestionControl::on_answer`].
    Answered(Feedback, Path),
    /// [`CongestionControl::on_recovered`].
    Recovered(Path),
    /// [`CongestionControl::on_spurious_loss`].
    SpuriousLoss(Path),
    /// [`CongestionControl::on_idle_restart`].
    IdleRestart(Path),
    /// [`CongestionControl::on_timer`].
    Timer(Path),
}

impl Fact {
    /// Tells this fact to `algorithm`.
    pub fn tell(&self, algorithm: &mut dyn CongestionControl) {
        match self {
            Self::Sent(packet, path) => algorithm.on_sent(packet, path),
            Self::Acked { ack, packets, path } => algorithm.on_ack(&Ack { packets, ..*ack }, path),
            Self::Lost { loss, packets, path } => algorithm.on_loss(&Loss { packets, ..*loss }, path),
            Self::Reported(report, path) => algorithm.on_report(report, path),
            Self::Answered(feedback, path) => algorithm.on_answer(*feedback, path),
            Self::Recovered(path) => algorithm.on_recovered(path),
            Self::SpuriousLoss(path) => algorithm.on_spurious_loss(path),
            Self::IdleRestart(path) => algorithm.on_idle_restart(path),
            Self::Timer(path) => algorithm.on_timer(path),
        }
    }
}

/// Tells all `facts` to `algorithm` in their order.
pub fn replay(algorithm: &mut dyn CongestionControl, facts: &[Fact]) {
    for fact in facts {
        fact.tell(algorithm);
    }
}
