// SPDX-License-Identifier: Apache-2.0
//! The receiver's feedback: echoes and reports, and the losses and marks that they reveal.

use super::{DatagramSender, Totals};
use crate::datagram::flight::Flight;
use crate::{Host, Rule, TransportEvent};
use narrows_cc::{Ack, Cause, Loss, Report, SentPacket};
use narrows_units::{Rate, Span, Time};
use narrows_wire as wire;

impl DatagramSender {
    /// The echo of packet `number` arrived, which the receiver sent at `sent_at`. Bit i of `before` is set if packet `number − 1 − i` had arrived before it.
    pub(super) fn on_echo<H: Host>(
        &mut self,
        number: u64,
        before: u32,
        (ce_packets, sent_at): (u16, Time),
        now: Time,
        host: &mut H,
    ) {
        let marked = self.core.count_marks(ce_packets);
        let earlier = (0..u64::from(u32::BITS)).rev().filter(|back| before >> back & 1 == 1);
        let mut newly_acked = 0;
        for number in earlier.filter_map(|back| number.checked_sub(back + 1)) {
            newly_acked += u64::from(self.acknowledge(number).is_some());
        }
        let newest = self.acknowledge(number);
        newly_acked += u64::from(newest.is_some());
        let rtt = newest.map(|packet| {
            self.core.round.on_delivered(packet.sent_at, now);
            self.core.take_rtt_sample(now - packet.sent_at, now, host)
        });
        let acked = std::mem::take(&mut self.packets);
        self.detect_losses((Cause::Detected, Rule::LaterEchoes), now, host, Flight::next_lost);
        if number >= self.recovery_point && self.in_episode {
            self.in_episode = false;
            let path = self.path(now);
            self.core.algorithm.on_recovered(&path);
            host.notify(TransportEvent::RecoveryEnded);
        }
        if marked > 0 && number >= self.recovery_point {
            self.report_loss((Cause::Mark, Rule::Mark), true, 0, now, host);
        }
        if newly_acked > 0 {
            let path = self.path(now);
            let ack = Ack::new(newly_acked)
                .ce_packets(marked)
                .rtt(rtt)
                .one_way(newest.map(|packet| sent_at.since(packet.sent_at)))
                .packets(&acked);
            self.core.algorithm.on_ack(&ack, &path);
        }
        self.packets = acked;
        self.packets.clear();
    }

    /// Packet `number` has arrived. Returns it if it was in flight.
    fn acknowledge(&mut self, number: u64) -> Option<SentPacket> {
        let packet = self.flight.on_arrival(number)?;
        self.core.status.counters.segments_acked += 1;
        self.core.status.counters.bytes_acked += packet.size.count();
        if self.core.needs.packets {
            self.packets.push(packet);
        }
        Some(packet)
    }

    /// The receiver reported on the packets up to `number`.
    pub(super) fn on_report<H: Host>(&mut self, number: u64, report: &wire::Report, now: Time, host: &mut H) {
        self.core.count_marks(report.ce_packets);
        let Some(newest) = self.flight.remove_up_to(number) else { return };
        self.core.round.on_delivered(newest.sent_at, now);
        let hold = Span::from_secs_f64(f64::from(report.hold));
        let rtt = self.core.take_rtt_sample((now - newest.sent_at).saturating_sub(hold), now, host);
        let received = u64::from(report.received.wrapping_sub(self.reported.received));
        let lost = u64::from(report.lost.wrapping_sub(self.reported.lost));
        let new_events = report.loss_events.wrapping_sub(self.reported.loss_events);
        self.reported =
            Totals { received: report.received, lost: report.lost, loss_events: report.loss_events };
        let counters = &mut self.core.status.counters;
        counters.segments_acked += received;
        counters.bytes_acked += received * self.core.options.mss.count();
        counters.packets_lost += lost;
        counters.loss_events += u64::from(new_events);
        let path = self.path(now);
        let window_before = self.window();
        let feedback = Report::new(
            f64::from(report.loss_event_rate),
            Rate::from_bps_f64(f64::from(report.receive_rate)),
            rtt,
        )
        .lost(lost);
        self.core.algorithm.on_report(&feedback, &path);
        if new_events > 0 {
            let window_after = self.window();
            let signal = (Cause::Detected, Rule::Report);
            self.core.status.report_reduction(signal, (window_before, None), window_after, host);
        }
    }

    /// Declares lost the packets that `next` returns, and reports them to the algorithm at once.
    pub(super) fn detect_losses<H: Host>(
        &mut self,
        signal: (Cause, Rule),
        now: Time,
        host: &mut H,
        mut next: impl FnMut(&mut Flight) -> Option<SentPacket>,
    ) {
        let (mut lost, mut new_episode) = (0, false);
        while let Some(packet) = next(&mut self.flight) {
            lost += 1;
            host.notify(TransportEvent::DeclaredLost { number: packet.number, rule: signal.1 });
            new_episode |= packet.number >= self.recovery_point;
            if self.core.needs.packets {
                self.packets.push(packet);
            }
        }
        if lost > 0 {
            self.report_loss(signal, new_episode, lost, now, host);
        }
    }

    /// Reports `lost` lost packets, or a mark, to the algorithm, and a reduction to the host.
    fn report_loss<H: Host>(
        &mut self,
        (cause, rule): (Cause, Rule),
        new_episode: bool,
        lost: u64,
        now: Time,
        host: &mut H,
    ) {
        if new_episode {
            host.notify(TransportEvent::RecoveryStarted(rule));
            self.recovery_point = self.next;
            self.in_episode = true;
        }
        let path = self.path(now);
        let window_before = self.window();
        self.core
            .algorithm
            .on_loss(&Loss::new(cause, lost).new_episode(new_episode).packets(&self.packets), &path);
        self.packets.clear();
        self.core.status.count_losses(lost, self.core.smoothed_rtt(), now);
        if new_episode {
            let window_after = self.window();
            self.core.status.report_reduction((cause, rule), (window_before, None), window_after, host);
        }
    }
}
