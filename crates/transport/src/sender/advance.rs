// SPDX-License-Identifier: Apache-2.0
//! The short path of an acknowledgement that only advances: it acknowledges segments that were sent once, while no
//! segment is lost, SACKed or being repaired. Most acknowledgements are of this kind.
//!
//! The short path is exact: the steps that it omits have no effect then. The options, needs of the algorithm, states of the
//! sender and fields of the acknowledgement that may have an effect are listed here one by one, so that a new one does not
//! compile until it is listed, too. `tests/short_path.rs` compares flows that take either path, and a debug build
//! [compares](comparison) both at some acknowledgements of every flow.

#[cfg(debug_assertions)]
mod comparison;

#[cfg(debug_assertions)]
pub use comparison::without_comparison;

use super::{Sender, SenderCore};
use crate::{ConnectionState, Host, TransportEvent, TransportOptions};
use narrows_cc::{Ack, Needs};
use narrows_units::Time;
use narrows_wire::Packet;

/// Whether a flow may take the short path: packets are neither paced nor sent in aggregates, the receiver sets no limit,
/// and the algorithm asks for no account of single packets.
pub(super) fn is_short(options: &TransportOptions, needs: Needs, needs_sent_events: bool) -> bool {
    let TransportOptions {
        // They limit new segments before the window does.
        receive_window,
        receive_autotuning,
        read_rate: _, // Without a receive window it has no effect.
        read_pause: _,
        nagle,
        pacing,
        pacing_cap,
        segmentation_offload,
        tso_autosizing,
        // They respond to losses, marks, duplicates, SACKs, timeouts or idle times, none of which is here.
        recovery: _,
        proportional_rate_reduction: _,
        lost_retransmission_reduces: _,
        reduction_from: _,
        limited_transmit: _,
        undo: _,
        undo_restores: _,
        frto: _,
        first_cut: _,
        abe: _,
        idle_restart: _,
        rto_restart: _,
        retries: _,
        syn_retries: _,
        initial_rto: _,
        // Both paths call their readers: the algorithm, the check whether the window is the limit, the timer, the size of a
        // segment.
        window_validation: _,
        rate_limited_increase: _,
        initial_window: _,
        initial_ssthresh: _,
        slow_start: _,
        ack_counting: _,
        saved_path: _,
        restart_window: _,
        rtt_clock: _,
        rto: _,
        min_rto: _,
        max_rto: _,
        timer_tick: _,
        mss: _,
        header: _,
        delayed_ack: _,
        ecn: _,
        // The short path sends only new data, which is ECN-capable under either value.
        ecn_packets: _,
        // The algorithm that sends the request is notified of each packet.
        quick_start: _,
        // Only the pacer reads them.
        pacing_credit: _,
        unpaced_packets: _,
        // They belong to the receiver: the sender receives the resulting acknowledgements.
        ack: _,
        delayed_ack_timeout: _,
        quick_ack: _,
        receive_offload: _,
        receive_offload_timeout: _,
        ack_division: _,
        optimistic_ack: _,
        hide_ce: _,
    } = options;
    let of_receiver =
        receive_window.is_some() || *receive_autotuning || options.read_buffer().is_some() || *nagle;
    let of_pacing = *pacing || pacing_cap.is_some() || *segmentation_offload > 1 || *tso_autosizing;
    let of_algorithm = needs.is_detailed() || needs_sent_events;
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
        #[cfg(debug_assertions)]
        if self.short && comparison::is_due(self.recovery.board().una(), packet.number) {
            return self.advance_both_ways(packet, ce_packets, now, host);
        }
        self.advance_shortly(packet, ce_packets, now, host)
    }

    /// Whether neither the sender nor the acknowledgement requires more than the short path, apart from the segments that it
    /// acknowledges.
    #[inline]
    fn is_quiet(&self, packet: &Packet, ce_packets: u16) -> bool {
        let Self {
            core,
            recovery,
            short,
            handshake,
            // Both paths keep them up to date.
            usage: _,
            window_limited: _,
            last_sent_at: _,
            waiting_since: _,
            // A flow that may take the short path does not use them: `is_short`.
            pacer: _,
            aggregate: _,
            delivery_rate: _,
            peer_window: _,
        } = self;
        let SenderCore {
            status,
            ecn,
            // Both paths keep them up to date.
            algorithm: _,
            data: _,
            timer: _,
            round: _,
            // Constant: `is_short`.
            flow: _,
            needs: _,
            needs_sent_events: _,
            options: _,
        } = core;
        let Packet {
            ecn_echo,
            // Read by both paths.
            number: _,
            sent_at: _,
            // Read when the packet is passed on and dispatched.
            arrival: _,
            flow: _,
            next: _,
            size: _,
            ecn: _,
            body: _,
        } = packet;
        let open = status.state == ConnectionState::Established && handshake.window_cap() == u64::MAX;
        *short && open && ecn.is_quiet(*ecn_echo, ce_packets) && recovery.is_quiet()
    }

    /// Carries out [`advance`](Self::advance).
    #[inline]
    fn advance_shortly<H: Host>(
        &mut self,
        packet: &Packet,
        ce_packets: u16,
        now: Time,
        host: &mut H,
    ) -> bool {
        if !self.is_quiet(packet, ce_packets) {
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
        let ack = Ack::new(acked).rtt(Some(rtt)).one_way(at_once.then(|| packet.sent_at.since(sent_at)));
        let path = self.path(now);
        self.core.algorithm.on_ack(&ack, &path);

        self.core.timer.on_cumulative_ack(self.recovery.board().outstanding(), false, now);
        if next == self.core.data.transfer().segments() {
            self.finish(ConnectionState::Completed, TransportEvent::Completed, host);
        } else {
            self.transmit_as::<true, H>(now, host);
        }
        true
    }
}
