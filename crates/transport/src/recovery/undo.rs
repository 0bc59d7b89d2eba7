// SPDX-License-Identifier: Apache-2.0
//! Detection of spurious loss episodes, whose window reduction is then undone.
//!
//! There are two methods, enabled by [`UndoKind`]:
//! * *D-SACK* (RFC 2883, RFC 3708): the receiver reports a segment that arrives twice in the first SACK block. Once
//!   every retransmission of an episode has been reported, the episode was spurious.
//! * *Timestamps* (Eifel, RFC 3522 §3.2): the echo in the first acknowledgement that advances shows whether it
//!   acknowledges a segment sent before the episode. If so, the original was delayed, not lost, and the episode is
//!   spurious, and no D-SACK needs to be waited for.
//!
//! An episode that started with a timeout is undone at once, since the timer has no evidence against any particular
//! segment; other episodes only when every segment that was declared lost is acknowledged. A mark episode is never
//! spurious, and no episode is undone once the next one has started.
//!
//! F-RTO, which detects spurious timeouts without either, has a file of its own. After an undo the segments in flight stay in
//! flight, and the window is that before the reduction, as in Linux; by RFC 4015 §3.2 it would be reached by slow start after
//! a timeout.
//!
//! Deviations: the retransmission timeout does not adapt to the late acknowledgement (RFC 4015 §3.3).

use super::scoreboard::Delivery;
use crate::{Rule, UndoKind};
use std::collections::VecDeque;

/// The detection of spurious episodes at one sender.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    kind: UndoKind,
    /// The last episode, while it may be undone.
    episode: Option<Episode>,
    unreported: Unreported,
}

/// An episode that may be spurious.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// Whether the episode started with a retransmission timeout.
    timeout: bool,
    /// A segment was retransmitted.
    retransmitted: bool,
    /// An acknowledgement showed that a retransmission was necessary.
    genuine: bool,
}

/// Retransmissions that no D-SACK has reported. If they were necessary, all of an episode stay here.
#[derive(Clone, Debug, Default)]
struct Unreported {
    /// Segments in ascending order, and how many retransmissions of each are unreported. They are mostly sent in this order.
    segments: VecDeque<(u64, u32)>,
    /// Sum of these numbers.
    count: u64,
}

impl Unreported {
    fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Segment `number` is retransmitted.
    fn add(&mut self, number: u64) {
        self.count += 1;
        if self.segments.back().is_none_or(|(last, _)| *last < number) {
            return self.segments.push_back((number, 1));
        }
        match self.place(number) {
            Ok(place) => self.segments[place].1 += 1,
            Err(place) => self.segments.insert(place, (number, 1)),
        }
    }

    /// A retransmission of segment `number` is reported, if one is unreported.
    fn report(&mut self, number: u64) {
        if let Ok(place) = self.place(number)
            && self.segments[place].1 > 0
        {
            self.segments[place].1 -= 1;
            self.count -= 1;
            if self.is_empty() {
                self.segments.clear();
            }
        }
    }

    /// Forgets segments before `una`.
    fn drop_before(&mut self, una: u64) {
        while let Some((_, count)) = self.segments.front().filter(|(number, _)| *number < una) {
            self.count -= u64::from(*count);
            self.segments.pop_front();
        }
    }

    fn place(&self, number: u64) -> Result<usize, usize> {
        self.segments.binary_search_by_key(&number, |(number, _)| *number)
    }
}

impl Undo {
    pub(super) fn new(kind: UndoKind) -> Self {
        Self { kind, episode: None, unreported: Unreported::default() }
    }

    /// A loss episode starts, with a retransmission timeout if `timeout`; all segments below `una` are acknowledged.
    pub(super) fn on_episode(&mut self, timeout: bool, una: u64) {
        if self.kind == UndoKind::None {
            return;
        }
        self.unreported.drop_before(una);
        self.episode = Some(Episode { timeout, retransmitted: !self.unreported.is_empty(), genuine: false });
    }

    /// Whether an acknowledgement without a D-SACK has no effect: there is no episode, or it was shown to be genuine.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.episode.is_none_or(|episode| episode.genuine)
    }

    /// The window was reduced for a reason that is never spurious: the last episode cannot be undone any more.
    pub(super) fn clear(&mut self) {
        self.episode = None;
    }

    /// Segment `number`, declared lost, is retransmitted.
    pub(super) fn on_retransmitted(&mut self, number: u64) {
        if self.kind == UndoKind::None {
            return;
        }
        self.unreported.add(number);
        if let Some(episode) = &mut self.episode {
            episode.retransmitted = true;
        }
    }

    /// An acknowledgement arrived, after which `unrepaired` segments that were declared lost are not acknowledged.
    /// Returns, once, the rule by which the last episode was spurious; `None` if it was not.
    #[inline]
    pub(super) fn on_ack(&mut self, delivery: &Delivery, unrepaired: u64) -> Option<Rule> {
        if self.kind == UndoKind::None || (self.episode.is_none() && delivery.dsack.is_none()) {
            return None;
        }
        self.judge(delivery, unrepaired)
    }

    fn judge(&mut self, delivery: &Delivery, unrepaired: u64) -> Option<Rule> {
        if let Some(number) = delivery.dsack {
            self.unreported.report(number);
        }
        let episode = self.episode.as_mut()?;
        // A retransmission that is SACKed has no timestamp of its own in the echo: it may have been necessary.
        episode.genuine |= (delivery.advanced > 0 && !delivery.acks_original)
            || (delivery.newly_sacked > 0 && delivery.any_retransmitted);
        let by_timestamp = delivery.acks_original && !episode.genuine;
        let by_dsack = delivery.dsack.is_some() && episode.retransmitted && self.unreported.is_empty();
        let spurious = (by_timestamp || by_dsack) && (episode.timeout || unrepaired == 0);
        if !spurious {
            return None;
        }
        self.episode = None;
        Some(if by_timestamp { Rule::Timestamps } else { Rule::DuplicateSacks })
    }
}

#[cfg(test)]
mod tests {
    use super::Undo;
    use crate::recovery::scoreboard::Delivery;
    use crate::{Rule, UndoKind};

    fn dsack(number: u64) -> Delivery {
        Delivery { dsack: Some(number), ..Delivery::default() }
    }

    fn advance(acks_original: bool) -> Delivery {
        Delivery { advanced: 1, newly_acked: 1, acks_original, ..Delivery::default() }
    }

    #[test]
    fn an_episode_is_spurious_once_every_retransmission_was_reported_by_dsack() {
        let mut undo = Undo::new(UndoKind::Duplicates);
        undo.on_episode(false, 5);
        for number in [5, 7, 5] {
            undo.on_retransmitted(number);
        }
        assert_eq!(undo.on_ack(&dsack(7), 0), None);
        assert_eq!(undo.on_ack(&dsack(5), 0), None);
        assert_eq!(undo.on_ack(&dsack(9), 0), None);
        assert_eq!(undo.on_ack(&dsack(5), 0), Some(Rule::DuplicateSacks));
        assert_eq!(undo.on_ack(&dsack(5), 0), None);
    }

    #[test]
    fn a_loss_episode_is_not_undone_while_a_lost_segment_is_not_acknowledged() {
        let mut undo = Undo::new(UndoKind::DuplicatesAndTimestamps);
        undo.on_episode(false, 5);
        undo.on_retransmitted(5);
        assert_eq!(undo.on_ack(&advance(true), 1), None);
        assert_eq!(undo.on_ack(&advance(true), 0), Some(Rule::Timestamps));
    }

    #[test]
    fn an_acknowledgement_of_a_retransmission_shows_that_the_episode_is_genuine() {
        let mut undo = Undo::new(UndoKind::DuplicatesAndTimestamps);
        undo.on_episode(true, 5);
        undo.on_retransmitted(5);
        assert_eq!(undo.on_ack(&advance(false), 0), None);
        assert_eq!(undo.on_ack(&advance(true), 0), None);
    }

    #[test]
    fn retransmissions_of_the_previous_episode_must_be_reported_too() {
        let mut undo = Undo::new(UndoKind::Duplicates);
        undo.on_episode(false, 0);
        for number in [3, 8] {
            undo.on_retransmitted(number);
        }
        undo.on_episode(false, 5);
        undo.on_retransmitted(9);
        assert_eq!(undo.on_ack(&dsack(9), 0), None);
        assert_eq!(undo.on_ack(&dsack(8), 0), Some(Rule::DuplicateSacks));
    }

    #[test]
    fn without_the_option_no_episode_is_spurious() {
        let mut undo = Undo::new(UndoKind::None);
        undo.on_episode(true, 0);
        undo.on_retransmitted(0);
        assert_eq!(undo.on_ack(&dsack(0), 0), None);
        assert_eq!(undo.on_ack(&advance(true), 0), None);
    }
}
