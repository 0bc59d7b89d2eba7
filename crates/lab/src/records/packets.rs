//! The packet log: what happened to every packet, where and when, if a scenario asks for it.

use narrows_units::Time;
use narrows_wire::Packet;

/// Where something happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// At the queue or the serialiser of a link: its number in the model.
    Link(u32),
    /// At the sender in that seat.
    Sender(u32),
    /// At the receiver of that seat.
    Receiver(u32),
}

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It left its endpoint.
    Sent,
    /// It reached its endpoint.
    Received,
    /// It reached the queue of a link, perhaps to be dropped at once.
    Enqueued,
    /// The queue dropped it.
    Dropped,
    /// The queue marked it.
    Marked,
    /// Its last bit left the link's near end.
    Departed,
    /// It was lost at random behind the queue.
    Lost,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub struct PacketRow {
    /// When.
    pub at: Time,
    /// Where.
    pub place: Place,
    /// What.
    pub what: Happening,
    /// The packet as it was then.
    pub packet: Packet,
}

/// The log of one partition: the first entries up to a limit, and one more that tells that there would be more.
#[derive(Clone, Debug, Default)]
pub struct PacketLog {
    rows: Vec<PacketRow>,
    room: usize,
}

impl PacketLog {
    /// A log of `limit` entries; of none where packets are not logged.
    pub fn new(limit: Option<u64>) -> Self {
        let room = limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1));
        Self { rows: Vec::new(), room }
    }

    /// Something happened to `packet`.
    pub fn add(&mut self, at: Time, place: Place, what: Happening, packet: &Packet) {
        if self.rows.len() < self.room {
            self.rows.push(PacketRow { at, place, what, packet: *packet });
        }
    }

    /// The logs of all partitions as one, in the order of time and place, and when it was full if it ever was: it holds
    /// whole moments, those before. The result does not depend on how the network was cut, since each log holds its own
    /// first `limit + 1` entries and so, together, they hold the first `limit + 1` of all.
    pub fn merge<'l>(logs: impl Iterator<Item = &'l Self>, limit: u64) -> (Vec<PacketRow>, Option<Time>) {
        let mut rows: Vec<PacketRow> = logs.flat_map(|log| &log.rows).copied().collect();
        // What happens at one place at one time stays in the order in which it happened.
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
    use super::{Happening, PacketLog, Place};
    use narrows_units::Time;
    use narrows_wire::{Body, Ecn, FlowId, Packet};

    fn log(limit: u64, entries: &[(u64, Place)]) -> PacketLog {
        let mut log = PacketLog::new(Some(limit));
        for (number, (at, place)) in entries.iter().enumerate() {
            let packet = Packet {
                stamp: Time::ZERO,
                sent_at: Time::ZERO,
                number: number as u64,
                flow: FlowId::new(0, 0),
                next: 0,
                size: 40,
                ecn: Ecn::NotCapable,
                ecn_echo: false,
                body: Body::Syn { request: None },
            };
            log.add(Time::from_ps(*at), *place, Happening::Sent, &packet);
        }
        log
    }

    #[test]
    fn a_full_log_holds_whole_moments_however_it_is_cut() {
        let (near, far) = (Place::Sender(0), Place::Receiver(0));
        let whole = log(3, &[(1, near), (2, far), (3, near), (3, far), (4, near)]);
        let (left, right) = (log(3, &[(1, near), (3, near), (4, near)]), log(3, &[(2, far), (3, far)]));
        let times = |logs: &[PacketLog]| {
            let (rows, full) = PacketLog::merge(logs.iter(), 3);
            (rows.iter().map(|row| (row.at.as_ps(), row.place)).collect::<Vec<_>>(), full)
        };
        assert_eq!(times(&[whole]), (vec![(1, near), (2, far)], Some(Time::from_ps(3))));
        assert_eq!(times(&[left, right]), (vec![(1, near), (2, far)], Some(Time::from_ps(3))));
    }

    #[test]
    fn a_log_that_nobody_asked_for_stays_empty() {
        let mut log = log(1, &[(1, Place::Link(0))]);
        assert_eq!(PacketLog::merge([&log].into_iter(), 1).1, None);
        log.room = 0;
        assert_eq!(PacketLog::new(None).room, 0);
    }
}
