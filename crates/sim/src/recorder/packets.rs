//! The packet log during a run, if the scenario enables it.

use narrows_records::PacketEvent;
use narrows_units::Time;
use narrows_wire::Packet;

/// Place of an event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// At the queue or the serialiser of a link: an index into the model's links.
    Link(u32),
    /// At the sender of that connection slot.
    Sender(u32),
    /// At the receiver of that connection slot.
    Receiver(u32),
}

/// An entry of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEntry {
    /// Time of the event.
    pub at: Time,
    /// Host or link of the event.
    pub place: Place,
    /// Kind of the event.
    pub event: PacketEvent,
    /// The packet at the time of the event.
    pub packet: Packet,
}

/// The log of one partition: the first entries up to a limit, and one more if the limit is exceeded.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketTrace {
    rows: Vec<LogEntry>,
    room: usize,
}

impl PacketTrace {
    /// A log with at most `limit` entries; `None` logs nothing.
    pub fn new(limit: Option<u64>) -> Self {
        let room = limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1));
        Self { rows: Vec::new(), room }
    }

    /// Logs `event` of `packet` at time `at` and place `place`.
    pub fn add(&mut self, at: Time, place: Place, event: PacketEvent, packet: &Packet) {
        if self.rows.len() < self.room {
            self.rows.push(LogEntry { at, place, event, packet: *packet });
        }
    }

    /// Merges the logs of all partitions in order of time and place. Also returns the time at which the log was full,
    /// if it was; the result has no entries from that instant on. The result does not depend on the partitions: each
    /// log has its own first `limit + 1` entries, so together they contain the first `limit + 1` entries of all.
    pub fn merge<'l>(logs: impl Iterator<Item = &'l Self>, limit: u64) -> (Vec<LogEntry>, Option<Time>) {
        let mut rows: Vec<LogEntry> = logs.flat_map(|log| &log.rows).copied().collect();
        // A stable sort: simultaneous events at one place keep their order.
        rows.sort_by_key(|row| (row.at, row.place));
        let full = usize::try_from(limit).ok().and_then(|limit| rows.get(limit)).map(|row| row.at);
        if let Some(full) = full {
            rows.truncate(rows.partition_point(|row| row.at < full));
        }
        (rows, full)
    }
}

#[cfg(test)]
mod tests {
    use super::{PacketEvent, PacketTrace, Place};
    use narrows_units::Time;
    use narrows_wire::{Body, Ecn, FlowId, Packet};

    fn log(limit: u64, entries: &[(u64, Place)]) -> PacketTrace {
        let mut log = PacketTrace::new(Some(limit));
        for (number, (at, place)) in entries.iter().enumerate() {
            let packet = Packet {
                arrival: Time::ZERO,
                sent_at: Time::ZERO,
                number: number as u64,
                flow: FlowId::new(0, 0),
                next: 0,
                size: 40,
                ecn: Ecn::NotCapable,
                ecn_echo: false,
                body: Body::Syn { request: None },
            };
            log.add(Time::from_ps(*at), *place, PacketEvent::Sent, &packet);
        }
        log
    }

    #[test]
    fn a_full_log_holds_whole_moments_however_it_is_cut() {
        let (near, far) = (Place::Sender(0), Place::Receiver(0));
        let whole = log(3, &[(1, near), (2, far), (3, near), (3, far), (4, near)]);
        let (left, right) = (log(3, &[(1, near), (3, near), (4, near)]), log(3, &[(2, far), (3, far)]));
        let times = |logs: &[PacketTrace]| {
            let (rows, full) = PacketTrace::merge(logs.iter(), 3);
            (rows.iter().map(|row| (row.at.as_ps(), row.place)).collect::<Vec<_>>(), full)
        };
        assert_eq!(times(&[whole]), (vec![(1, near), (2, far)], Some(Time::from_ps(3))));
        assert_eq!(times(&[left, right]), (vec![(1, near), (2, far)], Some(Time::from_ps(3))));
    }

    #[test]
    fn a_log_that_is_not_asked_for_stays_empty() {
        let mut log = log(1, &[(1, Place::Link(0))]);
        assert_eq!(PacketTrace::merge([&log].into_iter(), 1).1, None);
        log.room = 0;
        assert_eq!(PacketTrace::new(None).room, 0);
    }
}
