// SPDX-License-Identifier: Apache-2.0
//! The options of a flow's endpoints, congestion control aside.

use narrows_cc::{
    AckCounting, FirstCut, QuickStartRequest, RestartWindow, SavedPath, Setup, SlowStartKind, UndoRestores,
};
use narrows_units::{Bytes, Rate, Span};
use std::sync::Arc;

/// The options of a flow's endpoints. Each corresponds to a key of `[transport]` in a scenario file.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own in the scenario file")]
pub struct TransportOptions {
    /// The loss recovery policy.
    pub recovery: RecoveryKind,
    /// Whether proportional rate reduction (RFC 9937) is used: the usable window falls over one round trip after a
    /// reduction, not at once. Only with selective acknowledgements.
    pub proportional_rate_reduction: bool,
    /// Whether a lost retransmission starts another loss episode (RFC 5681 §4.3) under RACK. Under the other policies the timeout
    /// starts it.
    pub lost_retransmission_reduces: bool,
    /// The quantity to which window algorithms apply their reductions.
    pub reduction_from: ReductionFrom,
    /// Whether limited transmit (RFC 3042) is used: a new segment is sent on each of the first two duplicate ACKs.
    pub limited_transmit: bool,
    /// Whether a window that does not limit the sender stays as it is (RFC 7661), instead of growing.
    pub window_validation: bool,
    /// Whether it grows up to the bound that the largest flight since its last decrease justifies
    /// (draft-ietf-ccwg-ratelimited-increase).
    pub rate_limited_increase: bool,
    /// The congestion window before the first acknowledgement, packets.
    pub initial_window: u64,
    /// The slow-start threshold before the first loss, packets; `None` for infinite.
    pub initial_ssthresh: Option<u64>,
    /// The variant of slow start.
    pub slow_start: SlowStartKind,
    /// Number of segments that an acknowledgement of several segments counts as when the window grows.
    pub ack_counting: AckCounting,
    /// The Quick-Start request (RFC 4782) of the first packet; `None` for no request.
    pub quick_start: Option<QuickStartRequest>,
    /// The window and round-trip time of an earlier connection over the same path, for Careful Resume (RFC 9959).
    pub saved_path: Option<SavedPath>,
    /// The size of the first reduction of the window.
    pub first_cut: FirstCut,
    /// Whether a mark reduces the window by less than a loss (ABE, RFC 8511).
    pub abe: bool,
    /// The receiver's window, packets; `None` for infinite.
    pub receive_window: Option<u64>,
    /// Whether the receiver's window begins small and grows with what it has received, as in Linux.
    pub receive_autotuning: bool,
    /// The rate at which the receiving application reads payload that has arrived in order; `None` if it reads all at once.
    pub read_rate: Option<Rate>,
    /// The times of the run from which to which the receiving application reads nothing; both zero if it does not pause.
    pub read_pause: (Span, Span),
    /// Detection of spurious loss episodes, which are undone.
    pub undo: UndoKind,
    /// The state of a window algorithm that an undo restores.
    pub undo_restores: UndoRestores,
    /// Detection of spurious retransmission timeouts without duplicates or timestamps (F-RTO), which are undone.
    pub frto: ForwardRtoKind,
    /// Whether the window restarts after the sender was idle for a retransmission timeout (RFC 5681 §4.1).
    pub idle_restart: bool,
    /// The window after such a time.
    pub restart_window: RestartWindow,
    /// Whether packets are paced over a round trip if the algorithm sets no pacing rate.
    pub pacing: bool,
    /// Whether a pause before a paced packet shortens the gap behind it, by up to half.
    pub pacing_credit: bool,
    /// The maximum pacing rate, of payload; packets are then always paced. `None` for no maximum.
    pub pacing_cap: Option<Rate>,
    /// Data packets at the start of a connection that are not paced.
    pub unpaced_packets: u32,
    /// Whether explicit congestion notification is used (RFC 3168).
    pub ecn: bool,
    /// The packets that are ECN-capable.
    pub ecn_packets: EcnPackets,
    /// Payload of a full segment.
    pub mss: Bytes,
    /// Headers of each data packet.
    pub header: Bytes,
    /// The size of an acknowledgement, a SYN and a SYN-ACK.
    pub ack: Bytes,
    /// Segments per acknowledgement, at least 1 (RFC 5681 §4.2).
    pub delayed_ack: u32,
    /// The longest delay of an acknowledgement.
    pub delayed_ack_timeout: Span,
    /// Whether young connections acknowledge every segment, as in Linux.
    pub quick_ack: bool,
    /// Whether a new segment that is not full waits until all before it is acknowledged (Nagle's algorithm, RFC 9293 §3.7.4).
    pub nagle: bool,
    /// Most segments that are sent at once by segmentation offload, at least 1: fewer new ones are sent only if no more
    /// are left or in flight.
    pub segmentation_offload: u32,
    /// Whether the number of segments that are sent at once follows the rate, and is waited for, as in Linux.
    pub tso_autosizing: bool,
    /// Most segments in order that receive offload passes on as one, at least 1.
    pub receive_offload: u32,
    /// The longest time for which receive offload holds a segment.
    pub receive_offload_timeout: Span,
    /// Acknowledgements that the receiver makes of one, at least 1 (ACK division).
    pub ack_division: u32,
    /// Segments beyond the highest received that the receiver acknowledges, losses concealed; 0 for an honest receiver.
    pub optimistic_ack: u32,
    /// Whether the receiver hides marks.
    pub hide_ce: bool,
    /// The resolution of the clock with which the sender measures round-trip times; zero for an exact clock.
    pub rtt_clock: Span,
    /// The formula of the retransmission timeout.
    pub rto: RtoRule,
    /// Events that restart the retransmission timer.
    pub rto_restart: RtoRestart,
    /// The retransmission timeout before the first round-trip sample.
    pub initial_rto: Span,
    /// The minimum retransmission timeout, applied as [`RtoRule`] says.
    pub min_rto: Span,
    /// The maximum retransmission timeout, back-off included.
    pub max_rto: Span,
    /// The tick of the clock of the sender's timers, as in Linux; zero for an exact clock.
    pub timer_tick: Span,
    /// Retransmissions of a SYN, or of a SYN-ACK, before the connection is aborted.
    pub syn_retries: u32,
    /// Consecutive retransmission timeouts before the connection is aborted.
    pub retries: u32,
}

/// The standards of 2012, the preset *sack-2012*: RFC 5681, RFC 6298, RFC 6675 and RFC 6928. As in every preset here, packets
/// have 1500 bytes.
impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            recovery: RecoveryKind::Sack,
            proportional_rate_reduction: false,
            lost_retransmission_reduces: true,
            reduction_from: ReductionFrom::Flight,
            limited_transmit: true,
            window_validation: true,
            rate_limited_increase: false,
            initial_window: 10,
            initial_ssthresh: None,
            slow_start: SlowStartKind::Standard,
            ack_counting: AckCounting::Mixed,
            quick_start: None,
            saved_path: None,
            first_cut: FirstCut::Rule,
            abe: false,
            receive_window: None,
            receive_autotuning: false,
            read_rate: None,
            read_pause: (Span::ZERO, Span::ZERO),
            undo: UndoKind::Duplicates,
            undo_restores: UndoRestores::State,
            frto: ForwardRtoKind::None,
            idle_restart: true,
            restart_window: RestartWindow::Initial,
            pacing: false,
            pacing_credit: false,
            pacing_cap: None,
            unpaced_packets: 0,
            ecn: false,
            ecn_packets: EcnPackets::NewData,
            mss: Bytes::new(1_460),
            header: Bytes::new(40),
            ack: Bytes::new(40),
            delayed_ack: 2,
            delayed_ack_timeout: Span::from_ms(40),
            quick_ack: false,
            nagle: false,
            segmentation_offload: 1,
            tso_autosizing: false,
            receive_offload: 1,
            receive_offload_timeout: Span::from_us(50),
            ack_division: 1,
            optimistic_ack: 0,
            hide_ce: false,
            rtt_clock: Span::ZERO,
            rto: RtoRule::Rfc6298,
            rto_restart: RtoRestart::Ack,
            initial_rto: Span::from_ms(1_000),
            min_rto: Span::from_ms(200),
            max_rto: Span::from_ms(60_000),
            timer_tick: Span::ZERO,
            syn_retries: 6,
            retries: 15,
        }
    }
}

impl TransportOptions {
    /// Returns the options of a flow whose receiver acknowledges each packet at once, if `each_packet`, or these.
    #[must_use]
    pub fn acknowledging(self: Arc<Self>, each_packet: bool) -> Arc<Self> {
        if each_packet { Arc::new(Self { delayed_ack: 1, ..(*self).clone() }) } else { self }
    }

    /// Returns the standards of today, the preset *modern*: RFC 8985, RFC 9937, RFC 9406 and RFC 5682 besides the
    /// standards of 2012.
    pub fn modern() -> Self {
        Self {
            recovery: RecoveryKind::Rack,
            proportional_rate_reduction: true,
            slow_start: SlowStartKind::HyStartPlusPlus,
            frto: ForwardRtoKind::Rfc5682,
            rto_restart: RtoRestart::Head,
            ..Self::default()
        }
    }

    /// Returns the one-way TCP agents of ns-2.35 as most studies used them, the preset *ns2*.
    pub fn ns2() -> Self {
        Self {
            initial_window: 2,
            reduction_from: ReductionFrom::Window,
            ack_counting: AckCounting::Acks,
            first_cut: FirstCut::Half,
            undo: UndoKind::None,
            mss: Bytes::new(1_500),
            header: Bytes::ZERO,
            delayed_ack: 1,
            delayed_ack_timeout: Span::from_ms(100),
            ..Self::default()
        }
    }

    /// Returns the TCP of Linux 6.18 and 6.12 as it is by default but for segmentation offload, the preset *linux*.
    pub fn linux() -> Self {
        Self {
            recovery: RecoveryKind::Rack,
            proportional_rate_reduction: true,
            lost_retransmission_reduces: false,
            reduction_from: ReductionFrom::Window,
            ack_counting: AckCounting::Segments,
            receive_autotuning: true,
            undo: UndoKind::DuplicatesAndTimestamps,
            undo_restores: UndoRestores::Window,
            frto: ForwardRtoKind::Linux,
            restart_window: RestartWindow::Halved,
            pacing_credit: true,
            unpaced_packets: 10,
            ecn_packets: EcnPackets::All,
            mss: Bytes::new(1_448),
            header: Bytes::new(52),
            ack: Bytes::new(52),
            quick_ack: true,
            rto: RtoRule::Linux,
            rto_restart: RtoRestart::Head,
            max_rto: Span::from_ms(120_000),
            timer_tick: Span::from_ms(4),
            ..Self::default()
        }
    }

    /// Whether packets are paced although the algorithm sets no rate.
    pub fn is_paced(&self) -> bool {
        self.pacing || self.pacing_cap.is_some()
    }

    /// Returns the buffer whose free part the receiver advertises as its window: `receive_window` segments; `None` if its
    /// application reads all data at once, so that the window does not change, or if the buffer is infinite.
    pub fn read_buffer(&self) -> Option<Bytes> {
        let reads_at_once = self.read_rate.is_none() && self.read_pause.0 == self.read_pause.1;
        self.receive_window.filter(|_| !reads_at_once).map(|segments| self.mss * segments)
    }

    /// Returns the setup of the flow's congestion control algorithm. `seed` is for algorithms that use random numbers.
    pub fn setup(&self, seed: u64) -> Setup {
        Setup::new(self.mss, seed)
            .packet(self.mss + self.header)
            .initial_window(self.initial_window as f64)
            .initial_ssthresh(self.initial_ssthresh.map_or(f64::INFINITY, |packets| packets as f64))
            .first_cut(self.first_cut)
            .abe(self.abe)
            .restart_window(self.restart_window)
            .undo_restores(self.undo_restores)
            .slow_start(self.slow_start)
            .ack_counting(self.ack_counting)
            .quick_start(self.quick_start)
            .saved_path(self.saved_path)
            .paced(self.is_paced())
    }
}

/// A loss recovery policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryKind {
    /// Duplicate ACKs; recovery ends with the first ACK that advances (RFC 5681 §3.2).
    Reno,
    /// Duplicate ACKs; recovery ends when all data outstanding at its start is acknowledged (RFC 6582).
    NewReno,
    /// Selective acknowledgements and `pipe` (RFC 6675).
    Sack,
    /// Selective acknowledgements and a `pipe` that counts acknowledgements (Fall and Floyd 1996; ns-2).
    Sack1996,
    /// Selective acknowledgements and time: RACK-TLP (RFC 8985).
    Rack,
}

impl RecoveryKind {
    /// Whether receivers report the segments beyond the cumulative acknowledgement (RFC 2018).
    pub fn is_selective(self) -> bool {
        matches!(self, Self::Sack | Self::Sack1996 | Self::Rack)
    }
}

/// The quantity to which window algorithms apply their reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionFrom {
    /// The congestion window (Linux, ns-2, RFC 9002).
    Window,
    /// The data in flight, or its maximum in the last window of data, unless the window was the limit then (RFC 5681 equation 4,
    /// RFC 7661 §4.4.1).
    Flight,
}

/// The packets that are ECN-capable on a flow that uses ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnPackets {
    /// Packets that carry data for the first time (RFC 3168 §6.1.4, §6.1.5).
    NewData,
    /// All packets, including acknowledgements, with an algorithm that counts marks, as in Linux (`tcp_ca_needs_ecn`); with other
    /// algorithms as [`NewData`](Self::NewData).
    All,
}

/// The detection of spurious loss episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoKind {
    /// Not at all: no reduction is undone.
    None,
    /// By D-SACKs (RFC 2883, RFC 3708), under the policies with selective acknowledgements.
    Duplicates,
    /// By D-SACKs, and under every policy by timestamps (RFC 3522).
    DuplicatesAndTimestamps,
}

/// The detection of spurious retransmission timeouts by the acknowledgements that follow the first retransmission
/// (F-RTO).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForwardRtoKind {
    /// Not at all.
    None,
    /// Two new segments are sent in place of retransmissions, and the next acknowledgement decides (RFC 5682).
    Rfc5682,
    /// As in Linux: every acknowledgement may decide, and as many new segments are sent as the window permits.
    Linux,
}

/// The formula of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoRule {
    /// `max(min_rto, SRTT + max(10 ms, 4 RTTVAR))` (RFC 6298 §2).
    Rfc6298,
    /// `SRTT + max(min_rto, 4 RTTVAR)`, as in Linux.
    Linux,
}

/// The events that restart the retransmission timer of a recovering sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoRestart {
    /// When the cumulative acknowledgement advances (RFC 6298 §5.3), and with the first fast retransmission.
    Ack,
    /// Then, whenever the first unacknowledged segment is sent again (RFC 6675 §6), and for a SACK of data that was sent before
    /// that, as in Linux.
    Head,
}

#[cfg(test)]
mod tests {
    use super::{RecoveryKind, RtoRule, TransportOptions};
    use narrows_units::{Bytes, Span};
    use std::sync::Arc;

    #[test]
    fn the_defaults_are_those_of_the_standards() {
        let options = TransportOptions::default();
        assert_eq!(options.recovery, RecoveryKind::Sack);
        // RFC 6928 §2, RFC 5681 §4.2.
        assert_eq!((options.initial_window, options.delayed_ack), (10, 2));
        assert_eq!(options.mss + options.header, Bytes::new(1_500));
        // RFC 6298 §2.1 and §2.5; the minimum follows common implementations, not the second of §2.4.
        assert_eq!(options.rto, RtoRule::Rfc6298);
        assert_eq!(
            (options.initial_rto, options.min_rto, options.max_rto),
            (Span::from_ms(1_000), Span::from_ms(200), Span::from_ms(60_000))
        );
    }

    #[test]
    fn a_flow_whose_algorithm_needs_the_arrival_of_each_packet_has_no_delayed_acknowledgements() {
        let options = Arc::new(TransportOptions { delayed_ack: 3, ..TransportOptions::default() });
        assert_eq!(Arc::clone(&options).acknowledging(false).delayed_ack, 3);
        let each = Arc::clone(&options).acknowledging(true);
        assert_eq!(*each, TransportOptions { delayed_ack: 1, ..(*options).clone() });
    }
}
