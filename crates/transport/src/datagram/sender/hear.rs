//! What a datagram sender learns: echoes, reports, losses and marks.

use super::{DatagramSender, Totals};
use crate::datagram::flight::Flight;
use crate::{Host, News};
use narrows_cc::{Ack, Cause, Loss, Report, SentPacket};
use narrows_units::{Rate, Span, Time};
use narrows_wire as wire;

impl DatagramSender {
    pub(super) fn on_echo<H: Host>(
        &mut self,
        number: u64,
        before: u32,
        ce_packets: u16,
        now: Time,
        host: &mut H,
    ) {
        self.counters.acks_received += 1;
        let marked = self.note_marks(ce_packets);
        let earlier = (0..u64::from(u32::BITS)).rev().filter(|back| before >> back & 1 == 1);
        let mut newly_acked = 0;
        for number in earlier.filter_map(|back| number.checked_sub(back + 1)) {
            newly_acked += u64::from(self.arrived(number).is_some());
        }
        let newest = self.arrived(number);
        newly_acked += u64::from(newest.is_some());
        let rtt = newest.map(|packet| {
            self.round.on_delivered(packet.sent_at, now);
            self.take_rtt_sample(now - packet.sent_at, now, host)
        });
        let acked = std::mem::take(&mut self.packets);
        self.find_losses(Cause::Detected, now, host, Flight::next_lost);
        if number >= self.episode_below && self.in_episode {
            self.in_episode = false;
            let path = self.path(now);
            self.algorithm.on_recovered(&path);
        }
        if marked > 0 && number >= self.episode_below {
            self.tell_loss(Cause::Mark, true, 0, now, host);
        }
        if newly_acked > 0 {
            let path = self.path(now);
            let ack = Ack {
                newly_acked,
                advanced: true,
                ce_packets: marked,
                rtt,
                rate: None,
                feedback: None,
                packets: &acked,
            };
            self.algorithm.on_ack(&ack, &path);
        }
        self.packets = acked;
        self.packets.clear();
    }

    /// Number `number` has arrived; the packet, if that is news.
    fn arrived(&mut self, number: u64) -> Option<SentPacket> {
        let packet = self.flight.arrive(number)?;
        self.counters.segments_acked += 1;
        self.counters.bytes_acked += packet.size.count();
        if self.needs.packets {
            self.packets.push(packet);
        }
        Some(packet)
    }

    pub(super) fn on_report<H: Host>(&mut self, number: u64, report: &wire::Report, now: Time, host: &mut H) {
        self.counters.acks_received += 1;
        self.note_marks(report.ce_packets);
        let Some(newest) = self.flight.settle(number) else { return };
        self.round.on_delivered(newest.sent_at, now);
        let hold = Span::from_secs_f64(f64::from(report.hold));
        let rtt = self.take_rtt_sample((now - newest.sent_at).saturating_sub(hold), now, host);
        let received = u64::from(report.received.wrapping_sub(self.reported.received));
        let lost = u64::from(report.lost.wrapping_sub(self.reported.lost));
        let new_events = report.loss_events.wrapping_sub(self.reported.loss_events);
        self.reported =
            Totals { received: report.received, lost: report.lost, loss_events: report.loss_events };
        self.counters.segments_acked += received;
        self.counters.bytes_acked += received * self.options.mss.count();
        self.counters.packets_lost += lost;
        let path = self.path(now);
        let window_before = self.window();
        let told = Report {
            loss_event_rate: f64::from(report.loss_event_rate),
            receive_rate: Rate::from_bps_f64(f64::from(report.receive_rate)),
            lost,
            rtt,
        };
        self.algorithm.on_report(&told, &path);
        self.counters.loss_events += u64::from(new_events);
        if new_events > 0 {
            self.note_reduction(Cause::Detected, window_before, host);
        }
    }

    /// Packets that the receiver reports marked beyond what it has reported before.
    fn note_marks(&mut self, ce_packets: u16) -> u64 {
        let marked = self.ecn.newly_marked(ce_packets);
        self.counters.marks_seen += marked;
        marked
    }

    fn take_rtt_sample<H: Host>(&mut self, rtt: Span, now: Time, host: &mut H) -> Span {
        self.rtt.sample(rtt, now);
        host.tell(News::RttSample(rtt));
        rtt
    }

    /// Takes for lost what `next` names and tells the algorithm, in one fact.
    pub(super) fn find_losses<H: Host>(
        &mut self,
        cause: Cause,
        now: Time,
        host: &mut H,
        mut next: impl FnMut(&mut Flight) -> Option<SentPacket>,
    ) {
        let (mut lost, mut new_episode) = (0, false);
        while let Some(packet) = next(&mut self.flight) {
            lost += 1;
            new_episode |= packet.number >= self.episode_below;
            if self.needs.packets {
                self.packets.push(packet);
            }
        }
        if lost > 0 {
            self.tell_loss(cause, new_episode, lost, now, host);
        }
    }

    fn tell_loss<H: Host>(&mut self, cause: Cause, new_episode: bool, lost: u64, now: Time, host: &mut H) {
        if new_episode {
            self.episode_below = self.next;
            self.in_episode = true;
        }
        let path = self.path(now);
        let window_before = self.window();
        self.algorithm.on_loss(&Loss { cause, new_episode, lost, packets: &self.packets }, &path);
        self.packets.clear();
        self.counters.packets_lost += lost;
        if lost > 0 && self.loss_events.begins(now, self.smoothed_rtt()) {
            self.counters.loss_events += 1;
        }
        if new_episode {
            self.note_reduction(cause, window_before, host);
        }
    }

    fn note_reduction<H: Host>(&mut self, cause: Cause, window_before: Option<f64>, host: &mut H) {
        self.counters.reductions += 1;
        if let (Some(window_before), Some(window_after)) = (window_before, self.window()) {
            host.tell(News::Reduction { cause, window_before, window_after });
        }
    }
}
