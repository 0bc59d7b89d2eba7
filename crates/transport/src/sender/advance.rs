// SPDX-License-Identifier: Apache-2.0
//! The short path of an acknowledgement that only advances: it acknowledges segments that were sent once, in a flow
//! where nothing is lost, SACKed or being repaired. Most acknowledgements are of this kind.
//!
//! It is exact: what it leaves out has no effect then. `tests/short_path.rs` holds this by flows that take either path.

use super::Sender;
use crate::{ConnectionState, Host, Limit, TransportEvent, TransportOptions};
use narrows_cc::{Ack, Needs};
use narrows_units::Time;
use narrows_wire::{Body, Packet};

/// Whether a flow may take the short path: packets are neither paced nor sent in aggregates, the receiver sets no limit,
/// and the algorithm asks for no account of single packets.
pub(super) fn is_short(options: &TransportOptions, needs: Needs, needs_sent_events: bool) -> bool {
    let of_receiver = options.receive_window.is_some()
        || options.receive_autotuning
        || options.read_buffer().is_some()
        || options.nagle;
    let of_pacing = options.pacing || options.segmentation_offload > 1 || options.tso_autosizing;
    let of_algorithm = needs.packets || needs.rate_samples || needs_sent_events;
    !(of_receiver || of_pacing || of_algorithm)
}

impl Sender {
    /// Processes `packet`, an acknowledgement without SACK blocks, feedback and window, if it takes the short path.
    /// Otherwise returns false, and nothing has changed.
    #[inline]
    pub(super) fn advance<H: Host>(
        &mut self,
        packet: &Packet,
        ce_packets: u16,
        now: Time,
        host: &mut H,
    ) -> bool {
        let open =
            self.core.status.state == ConnectionState::Established && self.handshake.window_cap() == u64::MAX;
        let unmarked = self.core.ecn.is_quiet(packet.ecn_echo, ce_packets);
        if !(self.short && open && unmarked && self.recovery.is_quiet()) {
            return false;
        }
        let next = packet.number;
        let Some((acked, sent_at)) = self.recovery.board_mut().advance(next) else { return false };
        let counters = &mut self.core.status.counters;
        counters.segments_acked += acked;
        counters.bytes_acked = self.core.data.transfer().payload_before(next).count();
        self.core.round.on_delivered(sent_at, now);
        let rtt = self.core.take_rtt_sample(now - sent_at, now, host);

        self.recovery.on_quiet_ack(acked, sent_at, Self::context(&self.core, now));

        self.window_limited = self.is_window_limited();
        let at_once = acked >= u64::from(self.core.options.delayed_ack);
        let ack = Ack {
            newly_acked: acked,
            advanced: true,
            ce_packets: 0,
            rtt: Some(rtt),
            one_way: at_once.then(|| packet.sent_at.since(sent_at)),
            rate: None,
            feedback: None,
            packets: &[],
        };
        let path = self.path(now);
        self.core.algorithm.on_ack(&ack, &path);

        self.core.timer.on_cumulative_ack(self.recovery.board().outstanding(), false, now);
        if next == self.core.data.transfer().segments() {
            self.finish(ConnectionState::Completed, TransportEvent::Completed, host);
        } else {
            self.send_new(now, host);
        }
        true
    }

    /// Does what [`transmit`](Self::transmit) does, where only the window may stop new segments.
    #[inline]
    fn send_new<H: Host>(&mut self, now: Time, host: &mut H) {
        let limits = self.core.algorithm.limits();
        let (Some(window), None) = (limits.window, limits.pacing) else { return self.transmit(now, host) };
        self.pacer.delay_until(Time::NEVER);
        self.aggregate = 0;
        debug_assert_eq!(window, self.usable(window), "nothing is being repaired");
        while self.in_flight() < window {
            let board = self.recovery.board();
            if board.outstanding() == 0 || board.next() >= self.core.data.available() {
                return self.transmit(now, host);
            }
            self.send_next(now, host);
        }
        self.core.status.limited_by = Limit::Window;
        self.waiting_since = Time::NEVER;
        let board = self.recovery.board();
        self.usage.on_attempt(board.una(), board.next(), true);
    }

    /// Sends the next new segment.
    #[inline]
    fn send_next<H: Host>(&mut self, now: Time, host: &mut H) {
        let number = self.recovery.on_new_sent(Self::context(&self.core, now));
        let payload = self.core.data.transfer().payload(number);
        let size = payload + self.core.options.header;
        let body = Body::Data {
            request: None,
            payload: payload.count() as u16,
            retransmission: false,
            timestamp: self.recovery.timestamp(),
        };
        let ecn = self.core.ecn.codepoint(false);
        host.send(Packet { ecn, ..Packet::new(self.core.flow, number, size, body, now) });
        let counters = &mut self.core.status.counters;
        counters.packets_sent += 1;
        counters.bytes_sent += size.count();
        self.last_sent_at = now;
        self.core.timer.on_sent(now);
    }
}
