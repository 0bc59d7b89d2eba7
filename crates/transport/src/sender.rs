// SPDX-License-Identifier: Apache-2.0
//! The reliable sender: hosts a congestion control algorithm for a transfer that is counted in segments.
//!
//! The sender owns the connection, the timers and the pacer; [`LossRecovery`] decides which segments are lost and which
//! is sent next; the algorithm owns the congestion window, ssthresh and the pacing rate. Its work is divided into
//! files: opening the connection, acknowledgements, transmission, timers.
//!
//! On one acknowledgement the algorithm is informed of losses and the end of an episode first, then of deliveries, as
//! in Linux. Then packets are sent.

mod acknowledge;
mod advance;
mod core;
mod counters;
mod handshake;
mod offload;
mod peer_window;
mod status;
mod timers;
mod transmit;

pub(crate) use self::core::SenderCore;
#[cfg(debug_assertions)]
pub use advance::without_comparison;
pub use counters::SenderCounters;
pub use status::SenderSnapshot;
pub(crate) use status::Status;

use crate::pacer::{Pacer, default_rate};
use crate::rate_sample::DeliveryRate;
use crate::recovery::{Context, LossRecovery};
use crate::transfer::Transfer;
use crate::usage::WindowUsage;
use crate::{Host, ReductionFrom, Rule, TransportEvent, TransportOptions};
use acknowledge::AckFields;
use handshake::Handshake;
use narrows_cc::{Cause, CongestionControl, Limits, Loss, Needs, Path};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Body, FlowId, Packet};
use peer_window::PeerWindow;
use std::sync::Arc;

/// A reliable sender.
#[derive(Clone, Debug)]
pub struct Sender {
    core: SenderCore,
    recovery: LossRecovery,
    usage: WindowUsage,
    /// Acknowledgements that only advance may take the short path.
    short: bool,
    /// The window was the limit when an acknowledgement was last reported.
    window_limited: bool,
    /// Time at which data was last sent; `Time::NEVER` before the first.
    last_sent_at: Time,
    /// Since when nothing has been in flight because the application had nothing to send; `Time::NEVER` if that is not so.
    waiting_since: Time,
    pacer: Pacer,
    /// New segments that may be sent before segmentation offload is asked again.
    aggregate: u64,
    handshake: Handshake,
    delivery_rate: DeliveryRate,
    /// The receiver's window, if its application does not read all data at once.
    peer_window: Option<Box<PeerWindow>>,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// The connection has not been opened.
    Closed,
    /// The SYN has been sent.
    Connecting,
    /// Data may be sent.
    Established,
    /// All data of a finite transfer is acknowledged; of datagrams, all have been sent.
    Completed,
    /// The connection was aborted: its SYN, or a segment, stayed unanswered after the last retry.
    GaveUp,
}

/// The limit that stopped the last attempt to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The congestion window, or the part of it that loss recovery permits.
    Window,
    /// The receiver's window.
    ReceiveWindow,
    /// The application: there was nothing to send.
    Application,
    /// The pacer.
    Pacing,
}

impl Sender {
    /// Creates a sender of `size` bytes of payload, endless if `None`.
    pub(crate) fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        let core = SenderCore::new(flow, options, size, algorithm, needs);
        Self {
            recovery: LossRecovery::new(&core.options, core.data.transfer().clone(), needs),
            peer_window: PeerWindow::new(&core.options),
            usage: WindowUsage::new(core.options.initial_window),
            short: advance::is_short(&core.options, needs, core.needs_sent_events),
            core,
            window_limited: false,
            last_sent_at: Time::NEVER,
            waiting_since: Time::NEVER,
            pacer: Pacer::default(),
            aggregate: 0,
            handshake: Handshake::default(),
            delivery_rate: DeliveryRate::default(),
        }
    }

    /// A packet from the receiver arrived.
    pub(crate) fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        // The echo of a timestamp distinguishes transmissions of one segment.
        if let Body::Ack { blocks, ce_packets, timestamp_echo: _ } = &packet.body
            && blocks.is_empty()
            && self.advance(packet, *ce_packets, now, host)
        {
            return;
        }
        self.on_any_packet(packet, now, host);
    }

    /// Does the same, by the long path.
    #[inline(never)]
    fn on_any_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match packet.body {
            Body::Ack { blocks, ce_packets, timestamp_echo } => {
                let dsack = blocks.duplicate(packet.number);
                let fields = AckFields::new(packet, ce_packets, timestamp_echo, dsack, None);
                self.on_ack(&fields, blocks.iter(packet.number), now, host);
            }
            Body::AckWithFeedback { blocks, feedback, ce_packets, timestamp_echo } => {
                let dsack = blocks.duplicate(packet.number);
                let fields = AckFields::new(packet, ce_packets, timestamp_echo, dsack, Some(feedback));
                self.on_ack(&fields, blocks.iter(packet.number), now, host);
            }
            Body::AckWithWindow { blocks, window, ce_packets, timestamp_echo } => {
                let dsack = blocks.duplicate(packet.number);
                let fields = AckFields::new(packet, ce_packets, timestamp_echo, dsack, None);
                self.on_ack_with_window(fields, window, blocks.iter(packet.number), now, host);
            }
            Body::AckWithFeedbackAndWindow { blocks, feedback, window, ce_packets, timestamp_echo } => {
                let dsack = blocks.duplicate(packet.number);
                let fields = AckFields::new(packet, ce_packets, timestamp_echo, dsack, Some(feedback));
                self.on_ack_with_window(fields, window, blocks.iter(packet.number), now, host);
            }
            Body::PartialAck => self.on_partial_ack(packet.number, now, host),
            Body::SynAck { feedback } => self.on_syn_ack(packet.number, feedback, now, host),
            Body::Syn { .. }
            | Body::HandshakeAck
            | Body::Data { .. }
            | Body::WindowProbe
            | Body::Datagram { .. }
            | Body::Echo { .. }
            | Body::Report(_) => {}
        }
    }

    /// The application will write the transfer in parts of the given `sizes`, each above zero; segments do not span
    /// parts. Nothing is written yet. Only for a flow that has not started.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        let transfer = Transfer::of_writes(sizes, self.core.options.mss);
        self.recovery.board_mut().set_transfer(transfer.clone());
        self.core.data.set_transfer(transfer);
    }

    /// The application will [write](Self::write) the transfer in parts of sizes that are not known yet. Only for a flow that has not
    /// started.
    pub fn expect_more_writes(&mut self) {
        let transfer = Transfer::open(self.core.options.mss);
        self.recovery.board_mut().set_transfer(transfer.clone());
        self.core.data.set_transfer(transfer);
    }

    /// The application writes a part of `size`, above zero. Only after [`expect_more_writes`](Self::expect_more_writes).
    pub fn write<H: Host>(&mut self, size: Bytes, now: Time, host: &mut H) {
        self.core.data.write(size);
        self.recovery.board_mut().add_write(size);
        self.transmit(now, host);
    }

    /// The application writes `size` to a stream, of which segments are cut when they are sent. Only after
    /// [`expect_more_writes`](Self::expect_more_writes).
    pub fn append<H: Host>(&mut self, size: Bytes, now: Time, host: &mut H) {
        self.core.data.append(size);
        self.transmit(now, host);
    }

    /// The application writes no more, and takes back what it has supplied without end and is not sent: the flow completes
    /// when all other data is acknowledged.
    pub fn close<H: Host>(&mut self, host: &mut H) {
        while let Some(size) = self.core.data.cut(false) {
            self.recovery.board_mut().add_write(size);
        }
        self.core.data.close(self.recovery.board().next());
        let established = self.core.status.state == ConnectionState::Established;
        if established && self.recovery.board().una() == self.core.data.transfer().segments() {
            self.finish(ConnectionState::Completed, TransportEvent::Completed, host);
        }
    }

    /// Reports each segment that is declared lost from now on as [`TransportEvent::DeclaredLost`].
    pub fn report_losses(&mut self) {
        self.recovery.board_mut().collect_declared();
    }

    /// The application offers `segments` more segments.
    pub(crate) fn offer<H: Host>(&mut self, segments: u64, now: Time, host: &mut H) {
        self.core.data.offer(segments);
        self.transmit(now, host);
    }

    /// Returns what this sender has in common with other kinds.
    #[inline]
    pub(crate) fn core(&self) -> &SenderCore {
        &self.core
    }

    /// Returns what this sender has in common with other kinds.
    #[inline]
    pub(crate) fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    /// Returns the congestion window, packets; `None` for an algorithm without one.
    #[inline]
    pub(crate) fn window(&self) -> Option<f64> {
        self.core.algorithm.window()
    }

    /// Returns the packets that may be in flight now, by the congestion window and loss recovery.
    pub(crate) fn usable_window(&self) -> Option<u64> {
        self.core.algorithm.limits().window.map(|window| self.usable(window))
    }

    /// Returns the packets in flight: sent, not acknowledged and not declared lost.
    pub(crate) fn in_flight(&self) -> u64 {
        self.recovery.board().in_flight()
    }

    /// Returns the payload of all segments up to the next one that has not been sent, and of that one.
    pub fn end_of_next(&self) -> Bytes {
        self.core.data.transfer().payload_before(self.recovery.board().next() + 1)
    }

    /// Returns the payload of all segments that have been sent, from the first one of the transfer.
    pub fn sent(&self) -> Bytes {
        self.core.data.transfer().payload_before(self.recovery.board().next())
    }

    pub(crate) fn mss(&self) -> Bytes {
        self.core.options.mss
    }

    /// Returns the pacing rate, of payload; `None` if packets are not paced.
    pub(crate) fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate_within(&self.core.algorithm.limits())
    }

    /// The state of the path.
    #[inline]
    fn path(&self, now: Time) -> Path {
        self.core.path(self.recovery.board().in_flight(), self.window_limited, self.pacer.due(), now)
    }

    /// The input of loss recovery.
    #[inline]
    fn context(core: &SenderCore, now: Time) -> Context<'_> {
        Context { now, rtt: core.timer.rtt() }
    }

    /// Packets that may be in flight when the algorithm permits `window`.
    #[inline]
    fn usable(&self, window: u64) -> u64 {
        self.recovery.usable_window(window).min(self.handshake.window_cap())
    }

    /// The pacing rate when the algorithm permits `limits`.
    fn pacing_rate_within(&self, limits: &Limits) -> Option<Rate> {
        let cap = self.core.options.pacing_cap;
        if limits.pacing.is_none() && !self.core.options.is_paced() {
            return None;
        }
        let own = limits.pacing.or_else(|| self.default_pacing_rate());
        cap.map_or(own, |cap| Some(own.map_or(cap, |own| own.min(cap))))
    }

    /// The rate at which a window is paced.
    fn default_pacing_rate(&self) -> Option<Rate> {
        let (window, rtt) = (self.core.algorithm.window()?, self.core.timer.rtt()?);
        Some(default_rate(window, self.core.algorithm.ssthresh(), self.core.options.mss, rtt.smoothed))
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
        for &number in self.recovery.board().declared() {
            host.notify(TransportEvent::DeclaredLost { number, rule });
        }
        self.recovery.board_mut().clear_declared();
        let path = self.path(now);
        let before = (self.core.algorithm.window(), self.core.algorithm.ssthresh());
        let flight = match self.core.options.reduction_from {
            ReductionFrom::Flight => self.usage.in_use(self.recovery.board().outstanding()),
            ReductionFrom::Window => None,
        };
        let packets = self.recovery.board_mut().lost_packets();
        self.core
            .algorithm
            .on_loss(&Loss::new(cause, lost).new_episode(new_episode).flight(flight).packets(packets), &path);
        self.recovery.board_mut().clear_lost_packets();
        self.core.status.count_losses(lost, self.core.smoothed_rtt(), now);
        if !new_episode {
            return;
        }
        // A probe that repaired a loss is an episode without lost packets (RFC 8985 §7.4.2): it was necessary.
        if cause == Cause::Mark || lost == 0 {
            self.recovery.on_genuine_episode();
        } else {
            self.recovery.on_loss_episode(cause == Cause::Timeout);
        }
        self.core.ecn.on_reduction();
        self.handshake.lift_cap();
        let window_after = self.core.algorithm.window();
        self.core.status.report_reduction((cause, rule), before, window_after, host);
    }

    /// Reports the end of the episode in progress to the algorithm.
    fn report_recovered<H: Host>(&mut self, now: Time, host: &mut H) {
        self.recovery.end_episode();
        let path = self.path(now);
        self.core.algorithm.on_recovered(&path);
        host.notify(TransportEvent::RecoveryEnded);
    }

    /// Undoes the last episode, which `rule` found spurious.
    fn undo_episode<H: Host>(&mut self, rule: Rule, now: Time, host: &mut H) {
        let recovering = self.recovery.undo();
        self.core.status.counters.undone += 1;
        let path = self.path(now);
        self.core.algorithm.on_spurious_loss(&path);
        host.notify(TransportEvent::Undone(rule));
        if recovering {
            self.report_recovered(now, host);
        }
    }

    /// An episode starts with `flight` packets in flight before its first loss: reduces the usable window gradually to
    /// the congestion window, if the flow uses proportional rate reduction.
    fn start_rate_reduction(&mut self, flight: u64) {
        let used = self.core.options.proportional_rate_reduction
            && self.recovery.is_selective()
            && !self.core.algorithm.reduces_gradually();
        // An algorithm without ssthresh does not reduce its window by a factor.
        match self.core.algorithm.limits().window {
            Some(target) if used && self.core.algorithm.ssthresh().is_some() => {
                self.recovery.start_reduction(flight, target);
            }
            _ => self.recovery.stop_reduction(),
        }
    }

    /// Ends the connection and stops its timers.
    fn finish<H: Host>(&mut self, state: ConnectionState, event: TransportEvent, host: &mut H) {
        self.core.status.state = state;
        self.core.timer.stop();
        self.pacer.delay_until(Time::NEVER);
        host.notify(event);
    }
}
