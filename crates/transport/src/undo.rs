//! Was the last episode false? Then what it did to the window is taken back.
//!
//! Two signs, as the option [`UndoKind`] allows:
//! * *Duplicates* (RFC 2883, RFC 3708): receivers report a segment that arrives again in the first selective block. Once
//!   every retransmission of the episode has been reported, nothing had been lost.
//! * *Time stamps* (Eifel, RFC 3522 §3.2): the first acknowledgement that advances says whether a segment from before the
//!   episode let it advance. If so the original had been late, not lost; no retransmission needs to be waited for.
//!
//! After a timeout the first sign is enough, since the timer had no evidence against any segment; other episodes are
//! taken back only when all that had been declared lost is acknowledged. A mark is never false. Once the next episode has
//! begun nothing takes the last one back.
//!
//! The time stamp is a logical clock that ticks with each episode, since nothing but "before" and "after" is asked of it.
//! What was in flight stays in flight, and the window is the one before the cut, as in Linux; RFC 4015 §3.2 would let it
//! be reached by slow start after a timeout.
//!
//! Deviations: F-RTO (RFC 5682) is left out, so that without time stamps a needless timeout is known only when all that
//! it sent again has been reported; the timeout does not learn from the late answer (RFC 4015 §3.3).

use crate::UndoKind;
use crate::scoreboard::Delivery;
use std::collections::VecDeque;

/// The watch over one sender's episodes.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    kind: UndoKind,
    /// What packets carry as their time stamp.
    clock: u8,
    /// The last episode, while it may be taken back.
    episode: Option<Episode>,
    /// Retransmissions that have not been reported as duplicates, in the order in which they left.
    unreported: VecDeque<u64>,
}

/// An episode that may be false.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// The retransmission timer began it.
    timeout: bool,
    /// Something was sent again.
    resent: bool,
    /// An acknowledgement proved that a retransmission was needed.
    proved: bool,
}

impl Undo {
    pub(crate) fn new(kind: UndoKind) -> Self {
        Self { kind, clock: 0, episode: None, unreported: VecDeque::new() }
    }

    /// The time stamp of packets that leave now (RFC 7323's TSval).
    pub(crate) fn clock(&self) -> u8 {
        self.clock
    }

    /// An episode of losses begins, by the retransmission timer if `timeout`; all below `una` is acknowledged.
    pub(crate) fn begin(&mut self, timeout: bool, una: u64) {
        if self.kind == UndoKind::None {
            return;
        }
        self.clock = self.clock.wrapping_add(1);
        self.unreported.retain(|&number| number >= una);
        self.episode = Some(Episode { timeout, resent: !self.unreported.is_empty(), proved: false });
    }

    /// The window was cut for a reason that is never taken back.
    pub(crate) fn forget(&mut self) {
        self.episode = None;
    }

    /// Lost segment `number` leaves again.
    pub(crate) fn on_resent(&mut self, number: u64) {
        if self.kind == UndoKind::None {
            return;
        }
        self.unreported.push_back(number);
        if let Some(episode) = &mut self.episode {
            episode.resent = true;
        }
    }

    /// Whether an acknowledgement that advances with the time stamp `echo` does so by a segment from before the last
    /// episode; never without time stamps.
    pub(crate) fn is_original(&self, echo: u8) -> bool {
        self.kind == UndoKind::DuplicatesAndTimestamps && echo.wrapping_sub(self.clock).cast_signed() < 0
    }

    /// An acknowledgement came; of what was declared lost `unrepaired` segments are not
    /// acknowledged. True if the episode was false; it is forgotten then.
    pub(crate) fn on_ack(&mut self, delivery: &Delivery, unrepaired: u64) -> bool {
        if self.kind == UndoKind::None {
            return false;
        }
        if let Some(number) = delivery.duplicated
            && let Some(place) = self.unreported.iter().position(|&resent| resent == number)
        {
            self.unreported.remove(place);
        }
        let Some(episode) = &mut self.episode else { return false };
        // A retransmission reported out of order carries no time stamp of its own: it may have been needed.
        episode.proved |= (delivery.advanced > 0 && !delivery.original)
            || (delivery.newly_sacked > 0 && delivery.any_resent);
        let late = delivery.original && !episode.proved;
        let needless = delivery.duplicated.is_some() && episode.resent && self.unreported.is_empty();
        let is_false = (late || needless) && (episode.timeout || unrepaired == 0);
        if is_false {
            self.episode = None;
        }
        is_false
    }
}

#[cfg(test)]
mod tests {
    use super::Undo;
    use crate::UndoKind;
    use crate::scoreboard::Delivery;

    fn duplicate(number: u64) -> Delivery {
        Delivery { duplicated: Some(number), ..Delivery::default() }
    }

    fn advance(original: bool) -> Delivery {
        Delivery { advanced: 1, newly_acked: 1, original, ..Delivery::default() }
    }

    #[test]
    fn an_episode_is_false_once_every_retransmission_was_reported_as_a_duplicate() {
        let mut undo = Undo::new(UndoKind::Duplicates);
        undo.begin(false, 5);
        for number in [5, 7, 5] {
            undo.on_resent(number);
        }
        assert!(!undo.on_ack(&duplicate(7), 0));
        assert!(!undo.on_ack(&duplicate(5), 0));
        assert!(!undo.on_ack(&duplicate(9), 0));
        assert!(undo.on_ack(&duplicate(5), 0));
        assert!(!undo.on_ack(&duplicate(5), 0));
    }

    #[test]
    fn an_episode_of_losses_stands_while_one_of_them_is_not_acknowledged() {
        let mut undo = Undo::new(UndoKind::DuplicatesAndTimestamps);
        undo.begin(false, 5);
        undo.on_resent(5);
        assert!(!undo.on_ack(&advance(true), 1));
        assert!(undo.on_ack(&advance(true), 0));
    }

    #[test]
    fn an_answer_to_a_retransmission_proves_the_episode() {
        let mut undo = Undo::new(UndoKind::DuplicatesAndTimestamps);
        undo.begin(true, 5);
        undo.on_resent(5);
        assert!(!undo.on_ack(&advance(false), 0));
        assert!(!undo.on_ack(&advance(true), 0));
    }

    #[test]
    fn the_clock_may_wrap() {
        let mut undo = Undo::new(UndoKind::DuplicatesAndTimestamps);
        for _ in 0..256 {
            undo.begin(true, 0);
        }
        assert_eq!(undo.clock(), 0);
        assert!(undo.is_original(255) && !undo.is_original(0) && !undo.is_original(1));
    }

    #[test]
    fn what_the_last_episode_sent_again_must_be_reported_too() {
        let mut undo = Undo::new(UndoKind::Duplicates);
        undo.begin(false, 0);
        for number in [3, 8] {
            undo.on_resent(number);
        }
        undo.begin(false, 5);
        undo.on_resent(9);
        assert!(!undo.on_ack(&duplicate(9), 0));
        assert!(undo.on_ack(&duplicate(8), 0));
    }

    #[test]
    fn without_the_option_nothing_is_remembered() {
        let mut undo = Undo::new(UndoKind::None);
        undo.begin(true, 0);
        undo.on_resent(0);
        assert!(!undo.on_ack(&duplicate(0), 0) && !undo.on_ack(&advance(true), 0));
        assert!(!undo.is_original(255));
    }
}
