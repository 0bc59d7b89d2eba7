//! Explicit congestion notification at the sender (RFC 3168 §6.1).
//!
//! New data is sent ECN-capable; retransmissions and pure ACKs are not (§6.1.5, §6.1.4). An echo of congestion begins
//! an episode, at most one per window of data, that ends when data sent after it is acknowledged; during loss recovery
//! it begins none, since the window has been cut. The first new segment after any cut carries CWR, and echoes count again
//! once that segment is acknowledged: before, the receiver could not know.
//!
//! An algorithm that counts marks (RFC 8257, RFC 9331) is told the receiver's count with each ACK and no episode.

use narrows_cc::EcnUse;
use narrows_wire::Ecn;

/// ECN's state at a sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcnSender {
    /// What the algorithm wants; `None` where the flow does not use ECN.
    used: Option<EcnUse>,
    /// A mark episode runs until all below is acknowledged.
    until: Option<u64>,
    /// The next new segment carries CWR.
    owes_cwr: bool,
    /// Echoes count once all below is acknowledged.
    deaf_until: u64,
    /// The receiver's count of marked packets as last read.
    counted: u16,
}

impl EcnSender {
    pub(crate) fn new(enabled: bool, wanted: EcnUse) -> Self {
        Self { used: enabled.then_some(wanted), until: None, owes_cwr: false, deaf_until: 0, counted: 0 }
    }

    /// The flow uses ECN.
    pub(crate) fn is_used(&self) -> bool {
        self.used.is_some()
    }

    /// The ECN field of a data packet.
    pub(crate) fn codepoint(&self, retransmission: bool) -> Ecn {
        match self.used {
            Some(EcnUse::LowLatency) if !retransmission => Ecn::Ect1,
            Some(_) if !retransmission => Ecn::Ect0,
            _ => Ecn::NotCapable,
        }
    }

    /// New segment `number` leaves: whether it carries CWR.
    pub(crate) fn take_cwr(&mut self, number: u64) -> bool {
        if self.owes_cwr {
            self.deaf_until = number + 1;
        }
        std::mem::take(&mut self.owes_cwr)
    }

    /// Marked packets since the last call, given the receiver's count.
    pub(crate) fn newly_marked(&mut self, count: u16) -> u64 {
        let marked = count.wrapping_sub(self.counted);
        // More than half the range ahead is an old count, overtaken on its way.
        if self.used.is_none() || marked > u16::MAX / 2 {
            return 0;
        }
        self.counted = count;
        u64::from(marked)
    }

    /// A congestion echo, with all below `una` acknowledged, asks for an episode.
    pub(crate) fn must_respond(&self, echo: bool, una: u64, repairing: bool) -> bool {
        let listening = self.until.is_none() && !self.owes_cwr && una >= self.deaf_until;
        echo && listening && !repairing && self.used == Some(EcnUse::Classic)
    }

    /// The episode begins with segments below `next` outstanding.
    pub(crate) fn begin(&mut self, next: u64) {
        self.until = Some(next);
    }

    /// The window was cut for whatever reason.
    pub(crate) fn on_reduction(&mut self) {
        self.owes_cwr = self.used.is_some();
    }

    /// A mark episode runs.
    pub(crate) fn in_episode(&self) -> bool {
        self.until.is_some()
    }

    /// A loss takes the mark episode over: it ends with the loss episode.
    pub(crate) fn yield_to_loss(&mut self) {
        self.until = None;
    }

    /// All below `una` is acknowledged: true if that ends the mark episode.
    pub(crate) fn is_over(&mut self, una: u64) -> bool {
        let over = self.until.is_some_and(|until| una > until);
        if over {
            self.until = None;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::EcnSender;
    use narrows_cc::EcnUse;
    use narrows_wire::Ecn;

    #[test]
    fn retransmissions_and_flows_without_ecn_are_not_capable() {
        let on = EcnSender::new(true, EcnUse::Classic);
        assert_eq!((on.codepoint(false), on.codepoint(true)), (Ecn::Ect0, Ecn::NotCapable));
        assert_eq!(EcnSender::new(true, EcnUse::LowLatency).codepoint(false), Ecn::Ect1);
        assert_eq!(EcnSender::new(false, EcnUse::Classic).codepoint(false), Ecn::NotCapable);
    }

    #[test]
    fn one_response_per_window_of_data() {
        let mut ecn = EcnSender::new(true, EcnUse::Classic);
        assert!(ecn.must_respond(true, 0, false));
        ecn.begin(10);
        assert!(!ecn.must_respond(true, 5, false));
        assert!(!ecn.is_over(10));
        assert!(ecn.is_over(11));
        assert!(ecn.must_respond(true, 11, false));
    }

    #[test]
    fn echoes_count_again_once_the_answer_has_arrived() {
        let mut ecn = EcnSender::new(true, EcnUse::Classic);
        ecn.on_reduction();
        assert!(!ecn.must_respond(true, 20, false));
        assert!(ecn.take_cwr(20) && !ecn.take_cwr(21));
        assert!(!ecn.must_respond(true, 20, false));
        assert!(ecn.must_respond(true, 21, false));
    }

    #[test]
    fn an_algorithm_that_counts_marks_gets_no_episode_but_every_mark() {
        let mut ecn = EcnSender::new(true, EcnUse::Counted);
        assert!(!ecn.must_respond(true, 0, false));
        assert_eq!(ecn.newly_marked(3), 3);
        assert_eq!(ecn.newly_marked(2), 0);
        assert_eq!(ecn.newly_marked(4), 1);
        ecn.counted = u16::MAX;
        assert_eq!(ecn.newly_marked(1), 2);
    }
}
