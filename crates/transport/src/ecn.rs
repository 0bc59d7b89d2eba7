// SPDX-License-Identifier: Apache-2.0
//! Explicit congestion notification at the sender (RFC 3168 §6.1).
//!
//! New data is sent ECN-capable; retransmissions and pure ACKs are not (§6.1.5, §6.1.4), unless the algorithm counts marks and
//! the option selects all packets, as in Linux (`tcp_ecn_send`, `tcp_ecn_send_syn`). A congestion echo (ECE) starts a mark
//! episode, at most one per window of data, which ends when data sent after its start is acknowledged. During loss recovery it
//! starts none, since the window has been reduced already. The first new segment after any reduction carries CWR, and echoes are
//! ignored until that segment is acknowledged, since the receiver cannot have seen it before.
//!
//! An algorithm that counts marks (RFC 8257, RFC 9331) gets the receiver's count with each ACK and no episodes.

use crate::EcnPackets;
use narrows_cc::EcnUse;
use narrows_wire::Ecn;

/// The ECN state of a sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcnSender {
    /// Use of ECN by the algorithm; `None` if the flow does not use ECN.
    used: Option<EcnUse>,
    /// The codepoint of a segment that is sent for the first time.
    codepoint: Ecn,
    /// The codepoint of all other packets.
    others: Ecn,
    /// The mark episode in progress ends once this segment, the first that had not been sent at its start, is
    /// acknowledged.
    recovery_point: Option<u64>,
    /// The next new segment carries CWR.
    send_cwr: bool,
    /// Echoes are ignored until all segments below this one are acknowledged.
    ignore_echo_below: u64,
    /// The receiver's count of marked packets, as last read.
    counted: u16,
}

impl EcnSender {
    pub(crate) fn new(enabled: bool, wanted: EcnUse, packets: EcnPackets) -> Self {
        let codepoint = match wanted {
            _ if !enabled => Ecn::NotCapable,
            EcnUse::LowLatency => Ecn::Ect1,
            _ => Ecn::Ect0,
        };
        let others = match packets {
            EcnPackets::All if wanted != EcnUse::Classic => codepoint,
            EcnPackets::All | EcnPackets::NewData => Ecn::NotCapable,
        };
        Self {
            used: enabled.then_some(wanted),
            codepoint,
            others,
            recovery_point: None,
            send_cwr: false,
            ignore_echo_below: 0,
            counted: 0,
        }
    }

    /// Whether the flow uses ECN.
    pub(crate) fn is_used(&self) -> bool {
        self.used.is_some()
    }

    /// Whether an acknowledgement with this congestion echo and count of marked packets has no effect, and the next packet
    /// carries no CWR.
    #[inline]
    pub(crate) fn is_quiet(&self, echo: bool, count: u16) -> bool {
        // Without an echo, the segment below which echoes are ignored has no effect.
        let Self { used, counted, recovery_point, send_cwr, codepoint: _, others: _, ignore_echo_below: _ } =
            *self;
        used.is_none() || (!echo && count == counted && recovery_point.is_none() && !send_cwr)
    }

    /// Returns the ECN codepoint of a data packet.
    pub(crate) fn codepoint(&self, retransmission: bool) -> Ecn {
        if retransmission { self.others } else { self.codepoint }
    }

    /// Returns the ECN codepoint of a packet without data.
    pub(crate) fn codepoint_of_control(&self) -> Ecn {
        self.others
    }

    /// New segment `number` is sent. Returns whether it carries CWR.
    pub(crate) fn take_cwr(&mut self, number: u64) -> bool {
        if self.send_cwr {
            self.ignore_echo_below = number + 1;
        }
        std::mem::take(&mut self.send_cwr)
    }

    /// Returns the number of packets marked since the last call, from the receiver's `count`, which wraps.
    pub(crate) fn newly_marked(&mut self, count: u16) -> u64 {
        let marked = count.wrapping_sub(self.counted);
        // More than half the range ahead: an old count in a reordered acknowledgement.
        if self.used.is_none() || marked > u16::MAX / 2 {
            return 0;
        }
        self.counted = count;
        u64::from(marked)
    }

    /// Whether an acknowledgement up to `una`, with a congestion echo if `echo`, must start a mark episode.
    pub(crate) fn must_respond(&self, echo: bool, una: u64, recovering: bool) -> bool {
        let responsive = self.recovery_point.is_none() && !self.send_cwr && una >= self.ignore_echo_below;
        echo && responsive && !recovering && self.used == Some(EcnUse::Classic)
    }

    /// A mark episode starts; `next` is the first segment that has not been sent.
    pub(crate) fn start_episode(&mut self, next: u64) {
        self.recovery_point = Some(next);
    }

    /// The window was reduced, for any reason.
    pub(crate) fn on_reduction(&mut self) {
        self.send_cwr = self.used.is_some();
    }

    /// Whether a mark episode is in progress.
    pub(crate) fn in_episode(&self) -> bool {
        self.recovery_point.is_some()
    }

    /// A loss episode starts and supersedes the mark episode.
    pub(crate) fn on_loss_episode(&mut self) {
        self.recovery_point = None;
    }

    /// All segments below `una` are acknowledged. Returns true if that ends the mark episode.
    pub(crate) fn on_cumulative_ack(&mut self, una: u64) -> bool {
        let over = self.recovery_point.is_some_and(|recovery_point| una > recovery_point);
        if over {
            self.recovery_point = None;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::EcnSender;
    use crate::EcnPackets;
    use narrows_cc::EcnUse;
    use narrows_wire::Ecn;

    #[test]
    fn retransmissions_and_flows_without_ecn_are_not_capable() {
        let on = EcnSender::new(true, EcnUse::Classic, EcnPackets::NewData);
        assert_eq!((on.codepoint(false), on.codepoint(true)), (Ecn::Ect0, Ecn::NotCapable));
        assert_eq!(EcnSender::new(true, EcnUse::LowLatency, EcnPackets::NewData).codepoint(false), Ecn::Ect1);
        assert_eq!(
            EcnSender::new(false, EcnUse::Classic, EcnPackets::NewData).codepoint(false),
            Ecn::NotCapable
        );
    }

    #[test]
    fn one_response_per_window_of_data() {
        let mut ecn = EcnSender::new(true, EcnUse::Classic, EcnPackets::NewData);
        assert!(ecn.must_respond(true, 0, false));
        ecn.start_episode(10);
        assert!(!ecn.must_respond(true, 5, false));
        assert!(!ecn.on_cumulative_ack(10));
        assert!(ecn.on_cumulative_ack(11));
        assert!(ecn.must_respond(true, 11, false));
    }

    #[test]
    fn echoes_are_ignored_until_cwr_is_acknowledged() {
        let mut ecn = EcnSender::new(true, EcnUse::Classic, EcnPackets::NewData);
        ecn.on_reduction();
        assert!(!ecn.must_respond(true, 20, false));
        assert!(ecn.take_cwr(20) && !ecn.take_cwr(21));
        assert!(!ecn.must_respond(true, 20, false));
        assert!(ecn.must_respond(true, 21, false));
    }

    #[test]
    fn an_algorithm_that_counts_marks_gets_every_mark_and_no_episode() {
        let mut ecn = EcnSender::new(true, EcnUse::Counted, EcnPackets::NewData);
        assert!(!ecn.must_respond(true, 0, false));
        assert_eq!(ecn.newly_marked(3), 3);
        assert_eq!(ecn.newly_marked(2), 0);
        assert_eq!(ecn.newly_marked(4), 1);
        ecn.counted = u16::MAX;
        assert_eq!(ecn.newly_marked(1), 2);
    }

    #[test]
    fn all_packets_are_capable_where_the_algorithm_counts_marks_and_all_are_to_be() {
        for (used, packets, others) in [
            (EcnUse::Counted, EcnPackets::All, Ecn::Ect0),
            (EcnUse::LowLatency, EcnPackets::All, Ecn::Ect1),
            (EcnUse::Classic, EcnPackets::All, Ecn::NotCapable),
            (EcnUse::Counted, EcnPackets::NewData, Ecn::NotCapable),
        ] {
            let sender = EcnSender::new(true, used, packets);
            assert_eq!((sender.codepoint(true), sender.codepoint_of_control()), (others, others), "{used:?}");
            assert!(sender.codepoint(false).is_capable());
        }
        let without = EcnSender::new(false, EcnUse::Counted, EcnPackets::All);
        assert_eq!(without.codepoint_of_control(), Ecn::NotCapable);
    }
}
