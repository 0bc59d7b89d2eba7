//! The reliable sender: hosts an algorithm over a transfer counted in segments.
//!
//! It owns the connection, the scoreboard, the timers and the pacer; a recovery policy says what is lost and which
//! segment goes next; the algorithm owns the congestion window, ssthresh and the pacing rate. Each part of its work has
//! a file: opening the connection, acknowledgements, sending, timers.
//!
//! The order in which an algorithm is told of one acknowledgement: losses and the end of an episode first, then what
//! was delivered, as in Linux; then packets leave.

mod acknowledge;
mod counters;
mod handshake;
mod timers;
mod transmit;

pub use counters::SenderCounters;

use crate::TransportOptions;
use crate::ecn::EcnSender;
use crate::loss_events::LossEvents;
use crate::pacer::{Pacer, default_rate};
use crate::rate_reduction::RateReduction;
use crate::rate_sample::DeliveryRate;
use crate::recovery::{Phase, Recovery};
use crate::round::RoundCounter;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;
use crate::silent::SilentDeliveries;
use crate::transfer::Transfer;
use crate::undo::Undo;
use crate::usage::WindowUsage;
use crate::{Host, News};
use handshake::Handshake;
use narrows_cc::catalogue::Needs;
use narrows_cc::{Cause, CongestionControl, Limits, Loss, Path};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, FlowId, Packet};
use std::sync::Arc;

/// A sender. Stands in memory as written here: first what every
/// acknowledgement touches.
#[derive(Debug)]
#[repr(C)]
pub struct Sender {
    flow: FlowId,
    timeouts_in_a_row: u32,
    needs: Needs,
    /// The algorithm wants to hear of departures, and be asked for requests.
    minds_departures: bool,
    state: ConnectionState,
    limited_by: Limit,
    /// The next lost segment goes whatever the window says.
    forced: bool,
    /// The window was the limit, when an acknowledgement was last told.
    window_limited: bool,
    options: Arc<TransportOptions>,
    algorithm: Box<dyn CongestionControl>,
    /// The retransmission timer.
    rto_deadline: Time,
    /// When the pacer lets the next packet go; `NEVER` unless it holds one back.
    pacing_deadline: Time,
    /// When data last left; `NEVER` before the first.
    last_departure: Time,
    /// Segments that the application has written; `u64::MAX` where it has written everything.
    offered: u64,
    transfer: Transfer,
    round: RoundCounter,
    board: Scoreboard,
    usage: WindowUsage,
    rtt: RttEstimator,
    ecn: EcnSender,
    counters: SenderCounters,
    handshake: Handshake,
    reduction: Option<RateReduction>,
    recovery: Recovery,
    undo: Undo,
    silent: SilentDeliveries,
    loss_events: LossEvents,
    delivery_rate: DeliveryRate,
    pacer: Pacer,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Not opened.
    Closed,
    /// A SYN is out.
    Connecting,
    /// Data flows.
    Established,
    /// Every byte of a finite transfer is acknowledged.
    Completed,
    /// It could not be opened, or too many timeouts came in a row.
    GaveUp,
}

/// What stopped the last attempt to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The congestion window, or what recovery lets use of it.
    Window,
    /// The receiver's window.
    ReceiveWindow,
    /// There is nothing to send.
    Application,
    /// The pacer.
    Pacing,
}

impl Sender {
    /// A sender of `size` bytes of payload, endless where `None`. `needs` are those of the algorithm's catalogue entry.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        let transfer = Transfer::new(size, options.mss);
        Self {
            flow,
            transfer: transfer.clone(),
            offered: u64::MAX,
            needs,
            minds_departures: algorithm.minds_departures(),
            state: ConnectionState::Closed,
            handshake: Handshake::default(),
            board: Scoreboard::new(transfer, needs.packets || needs.rate_samples, needs.packets),
            recovery: Recovery::new(&options),
            reduction: None,
            undo: Undo::new(options.undo),
            silent: SilentDeliveries::default(),
            rtt: RttEstimator::new(options.rto, options.initial_rto, options.min_rto, options.max_rto),
            ecn: EcnSender::new(options.ecn, algorithm.ecn()),
            pacer: Pacer::default(),
            delivery_rate: DeliveryRate::default(),
            round: RoundCounter::default(),
            usage: WindowUsage::default(),
            limited_by: Limit::Application,
            forced: false,
            rto_deadline: Time::NEVER,
            pacing_deadline: Time::NEVER,
            timeouts_in_a_row: 0,
            last_departure: Time::NEVER,
            window_limited: false,
            loss_events: LossEvents::default(),
            counters: SenderCounters::default(),
            options,
            algorithm,
        }
    }

    /// Takes in a packet from the receiver.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match packet.body {
            Body::Ack { blocks, ce_packets, timestamp_echo } => {
                let duplicated = blocks.duplicate(packet.number);
                let report = acknowledge::Report::new(packet, ce_packets, timestamp_echo, duplicated, None);
                self.on_ack(&report, blocks.iter(packet.number), now, host);
            }
            Body::Answer { blocks, feedback, ce_packets, timestamp_echo } => {
                let duplicated = blocks.duplicate(packet.number);
                let report =
                    acknowledge::Report::new(packet, ce_packets, timestamp_echo, duplicated, Some(feedback));
                self.on_ack(&report, blocks.iter(packet.number), now, host);
            }
            Body::SynAck { feedback } => self.on_syn_ack(feedback, now, host),
            Body::Syn { .. }
            | Body::Established
            | Body::Data { .. }
            | Body::Datagram { .. }
            | Body::Echo { .. }
            | Body::Report(_) => {}
        }
    }

    /// Nothing is written yet: what may be sent is what [`offer`](Self::offer) says.
    pub fn wait_for_offers(&mut self) {
        self.offered = 0;
    }

    /// Nothing is written yet, and the transfer will be written in parts of the given `sizes`, each above zero, that share
    /// no segment. For a flow that has not begun.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        self.transfer = Transfer::of_writes(sizes, self.options.mss);
        self.board.set_transfer(self.transfer.clone());
        self.wait_for_offers();
    }

    /// The application has written that many segments more.
    pub fn offer<H: Host>(&mut self, segments: u64, now: Time, host: &mut H) {
        self.offered = self.offered.saturating_add(segments);
        self.transmit(now, host);
    }

    /// Counts so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// The algorithm's congestion window, packets.
    pub fn window(&self) -> Option<f64> {
        self.algorithm.window()
    }

    /// Packets that may be in flight now, after what recovery adds to the window or takes from it.
    pub fn usable_window(&self) -> Option<u64> {
        self.algorithm.limits().window.map(|window| self.usable(window))
    }

    /// The algorithm's slow-start threshold, packets; infinite while unset.
    pub fn ssthresh(&self) -> Option<f64> {
        self.algorithm.ssthresh()
    }

    /// Packets sent, not acknowledged and not declared lost.
    pub fn in_flight(&self) -> u64 {
        self.board.in_flight()
    }

    /// The rate at which packets leave, payload bits per second; `None` if they are not paced.
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.paced_by(&self.algorithm.limits())
    }

    /// The shortest round trip so far; `None` before the first sample.
    pub fn minimum_rtt(&self) -> Option<Span> {
        self.rtt.view().map(|view| view.min)
    }

    /// `SRTT`; `None` before the first sample.
    pub fn smoothed_rtt(&self) -> Option<Span> {
        self.rtt.view().map(|view| view.smoothed)
    }

    /// How far the connection has come.
    pub fn state(&self) -> ConnectionState {
        self.state
    }

    /// What stopped the last attempt to send.
    pub fn limited_by(&self) -> Limit {
        self.limited_by
    }

    /// The hosted algorithm, for records.
    pub fn algorithm(&self) -> &dyn CongestionControl {
        self.algorithm.as_ref()
    }

    /// Where the flow stands.
    #[inline]
    fn path(&self, now: Time) -> Path {
        Path {
            now,
            mss: self.options.mss,
            in_flight: self.board.in_flight(),
            rtt: self.rtt.view().copied(),
            round: self.round.count(),
            window_limited: self.window_limited,
        }
    }

    /// Packets that may be in flight when the algorithm allows `window`.
    #[inline]
    fn usable(&self, window: u64) -> u64 {
        let usable = match &self.reduction {
            Some(reduction) => reduction.window(),
            None => self.recovery.usable_window(window, &self.board),
        };
        usable.min(self.handshake.cap())
    }

    /// The rate at which packets leave when the algorithm allows `limits`.
    fn paced_by(&self, limits: &Limits) -> Option<Rate> {
        if limits.pacing.is_some() || !self.options.pacing {
            return limits.pacing;
        }
        let (window, rtt) = (self.algorithm.window()?, self.rtt.view()?);
        Some(default_rate(window, self.algorithm.ssthresh(), self.options.mss, rtt.smoothed))
    }

    /// Tells the algorithm of losses or a mark, and the host of a reduction.
    fn tell_loss<H: Host>(&mut self, cause: Cause, new_episode: bool, lost: u64, now: Time, host: &mut H) {
        let path = self.path(now);
        let window_before = self.algorithm.window();
        let packets = self.board.lost_packets();
        self.algorithm.on_loss(&Loss { cause, new_episode, lost, packets }, &path);
        self.board.clear_lost_packets();
        self.counters.packets_lost += lost;
        if lost > 0 && self.loss_events.begins(now, self.smoothed_rtt()) {
            self.counters.loss_events += 1;
        }
        if new_episode {
            self.counters.reductions += 1;
            // A probe that repaired a loss is told as an episode of none (RFC 8985 §7.4.2): it was needed.
            if cause == Cause::Mark || lost == 0 {
                self.undo.forget();
            } else {
                self.undo.begin(cause == Cause::Timeout, self.board.una());
            }
            self.ecn.on_reduction();
            self.handshake.lift_cap();
            if let (Some(window_before), Some(window_after)) = (window_before, self.algorithm.window()) {
                host.tell(News::Reduction { cause, window_before, window_after });
            }
        }
    }

    /// Tells the algorithm that the running episode is over.
    fn tell_recovered(&mut self, now: Time) {
        self.reduction = None;
        self.forced = false;
        let path = self.path(now);
        self.algorithm.on_recovered(&path);
    }

    /// The last episode proved false: nothing had been lost.
    fn take_back(&mut self, now: Time) {
        let running = self.recovery.phase() != Phase::Open;
        self.board.take_back_losses();
        self.recovery.abandon(&self.board);
        self.counters.undone += 1;
        let path = self.path(now);
        self.algorithm.on_spurious_loss(&path);
        if running {
            self.tell_recovered(now);
        }
    }

    /// An episode begins: from now on the usable window falls towards the algorithm's, if the flow is so configured.
    /// `flight` packets were in flight before its first loss.
    fn begin_reduction(&mut self, flight: u64) {
        let wanted = self.options.proportional_rate_reduction && self.recovery.is_selective();
        // An algorithm without ssthresh does not cut its window by a factor, so there is nothing to be proportional to.
        self.reduction = match self.algorithm.limits().window {
            Some(target) if wanted && self.algorithm.ssthresh().is_some() => {
                Some(RateReduction::new(flight, target, self.board.in_flight()))
            }
            _ => None,
        };
    }

    /// The connection ends: no timer runs any more.
    fn finish<H: Host>(&mut self, state: ConnectionState, news: News, host: &mut H) {
        self.state = state;
        self.rto_deadline = Time::NEVER;
        self.pacing_deadline = Time::NEVER;
        host.tell(news);
    }
}
