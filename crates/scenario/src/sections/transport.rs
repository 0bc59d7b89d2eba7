// SPDX-License-Identifier: Apache-2.0
//! `[transport]` and the same keys of a flow: the options of endpoints.
//!
//! A key is looked up in the flow, then in `[transport]`, then in the preset, which is that of the flow if it names
//! one.

pub mod reader;
pub mod start_up;

use super::preset::{self, OfPreset, Preset, PresetCard, PresetValue, Unlike, preset_keys};
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable};
use crate::field::{Field, Reported};
use crate::kind::{Absent, Key, Parts};
use crate::location::Location;
use crate::section::{self, Fields, Section};
use crate::value::{
    Count, KeyType, LONGEST, Or, Packets, PacketsOrSize, Positive, SpanOrPackets, SpanRange, Word, Words,
    words,
};
use narrows_cc::{
    AckCounting, FirstCut, QuickStartRequest, RestartWindow, SavedPath, SlowStartKind, catalogue,
};
use narrows_model::algorithm::Control;
use narrows_transport::{ForwardRtoKind, RecoveryKind, RtoRestart, RtoRule, TransportOptions, UndoKind};
use narrows_units::{Bytes, Rate, Span};

preset_keys! {
    /// The keys of `[transport]`, with defaults in the presets modern, sack-2012, ns2 and linux.
    pub struct TransportKeys, Endpoint for TransportOptions {
        /// Named set of defaults for the keys below.
        key preset: Preset = [Preset::Modern, Preset::Sack2012, Preset::Ns2, Preset::Linux] => "modern",

        /// Loss detection and recovery. sack-1996: with the sender's first estimate of the data in flight (Fall and
        /// Floyd 1996; ns-2), in which lost segments remain until they are acknowledged. Preset ns2 has sack: transfers
        /// of a few dozen packets that lose several near their end complete up to a sixth earlier than in ns-2.
        option recovery: RecoveryKind {
            RecoveryKind::Reno => "Reno recovery",
            RecoveryKind::NewReno => "NewReno recovery",
            RecoveryKind::Sack => "SACK recovery",
            RecoveryKind::Sack1996 => "SACK recovery of 1996",
            RecoveryKind::Rack => "RACK recovery",
        },

        /// Proportional rate reduction: after a reduction, the number of packets in flight decreases gradually over a
        /// round trip (RFC 9937).
        option proportional_rate_reduction: bool {
            true => "proportional rate reduction",
        },

        /// Limited transmit: new segments are sent on the first two duplicate ACKs (RFC 3042).
        option limited_transmit: bool { false => "no limited transmit" },

        /// Congestion window validation: the window does not grow while it does not limit the sender (RFC 7661). false:
        /// it grows with every acknowledgement, also while the application, the receive window or the sender's own
        /// interface is the limit.
        option window_validation: bool { false => "windows grow unfilled" },

        /// Rate-Limited Increase: a window that does not limit the sender grows up to twice the largest amount in flight since
        /// its last decrease in slow start, and to a packet more than that otherwise (draft-ietf-ccwg-ratelimited-increase);
        /// an acknowledgement of several packets may exceed this by them. false: it stays, except in slow start while more than half
        /// of it is in flight.
        option rate_limited_increase: bool { true => "rate-limited increase" },

        /// Initial window.
        option initial_window: Packets { packets => format!("initial window {packets} packets") },

        /// Initial slow-start threshold.
        key initial_ssthresh: Or<PacketsOrSize, Infinite> = [None, None, None, None],

        /// Slow-start algorithm of window algorithms.
        option slow_start: SlowStartKind => "hystart++; in the other presets: standard; cubic-linux: hystart" {
            SlowStartKind::Limited => "limited slow start",
            SlowStartKind::HyStart => "HyStart",
            SlowStartKind::HyStartPlusPlus => "HyStart++",
            SlowStartKind::Search => "SEARCH",
        },

        /// Number of segments that an acknowledgement counts as when the window of a window algorithm grows. segments:
        /// all that it acknowledges (RFC 3465, without its limits; Linux). mixed: all, except from a timeout to the end
        /// of loss recovery, where an acknowledgement counts as one segment, since much of what it covers may have
        /// arrived earlier (RFC 3465 §2.3). acks: one (RFC 5681 §3.1; ns-2), so that delayed acknowledgements halve the
        /// growth.
        option ack_counting: AckCounting,

        /// Quick-Start: rate on the wire that the first data requests from the routers (RFC 4782); queues of kind
        /// quick-start approve it.
        key quick_start: Or<Positive<Rate>, Nothing> = [None, None, None, None],

        /// Whether an approved Quick-Start rate ends slow start: ssthresh is set to the window of that rate. Only with
        /// quick_start.
        key quick_start_ssthresh: bool = [false, false, false, false],

        /// Careful Resume: window of an earlier connection over the same path, saved_cwnd. The window of a window algorithm jumps to half of
        /// it, paced over a round trip, when the initial window is acknowledged, and retreats if packets are lost then (RFC 9959).
        key saved_window: Or<PacketsOrSize, Nothing> = [None, None, None, None],

        /// Round-trip time of that connection, saved_rtt: Careful Resume is given up where it is twice the present one or more, or less
        /// than a tenth of it; none: not compared. Only with saved_window.
        key saved_rtt: Or<Positive<Span>, Nothing> = [None, None, None, None],

        /// Size of the first window reduction. rule: that of the algorithm. half: to half of the window.
        option first_cut: FirstCut {
            FirstCut::Half => "first reduction to half",
        },

        /// Receive window.
        key receive_window: Or<PacketsOrSize, Infinite> = [None, None, None, None] {
            Some(PacketsOrSize::Packets(packets)) => format!("receive window {packets} packets"),
        },

        /// Receive window autotuning, as in Linux (tcp_grow_window): the window begins at 44 segments, about 64 kB, and
        /// grows by two segments for each that arrives in order, up to receive_window. It limits a sender whose window
        /// more than triples in a round trip.
        option receive_autotuning: bool { true => "receive window autotuned" },

        /// Slow reader: rate at which the application at the receiver reads the payload that has arrived in order. What it
        /// has not read occupies a buffer of receive_window; the rest of the buffer is the window that is advertised, down
        /// to zero, when the sender probes it (RFC 9293 §3.8.6). Needs a receive_window of at least 2pkt.
        option read_rate: Or<Positive<Rate>, Infinite> {
            Some(rate) => format!("read at {rate}"),
        },

        /// Times of the run from which to which that application reads nothing, as in 5s..8s; 0s is no pause. Needs a
        /// receive_window of at least 2pkt.
        option read_pause: SpanRange {
            (from, to) if from < to => format!("not read from {from} to {to}"),
        },

        /// Detection of spurious loss episodes, after which the window reduction is undone. dsack: the receiver has
        /// reported every retransmission as a duplicate (RFC 2883, RFC 3708); the reordering window of rack grows with
        /// the reports, too (RFC 8985 §6.2). timestamps: the original was acknowledged, not its retransmission (RFC
        /// 3522).
        option undo: UndoKind {
            UndoKind::None => "no undo of spurious reductions",
            UndoKind::DuplicatesAndTimestamps => "timestamps",
        },

        /// Forward RTO-recovery: detection of spurious timeouts by the acknowledgements that follow, after which
        /// retransmission stops and the window reduction is undone (F-RTO). rfc5682: two new segments are sent instead
        /// of retransmissions, and the next acknowledgement decides. linux: any acknowledgement of a segment that was
        /// sent once decides, and the window limits the number of new segments.
        option frto: ForwardRtoKind {
            ForwardRtoKind::None => "no F-RTO",
            ForwardRtoKind::Rfc5682 => "F-RTO",
            ForwardRtoKind::Linux => "F-RTO as in Linux",
        },

        /// Slow-start restart: the window is reset after an idle period of a retransmission timeout (RFC 5681 §4.1).
        option idle_restart: bool { false => "no restart after idle periods" },

        /// Restart window. initial: at most the initial window (RFC 5681 §4.1). halved: the window is halved for each
        /// retransmission timeout in the idle period, but not below the initial window, and ssthresh is set to at least
        /// three quarters of the previous window (RFC 2861 §3; Linux).
        option restart_window: RestartWindow,

        /// Pacing: packets are spread evenly over a round trip.
        option pacing: bool { true => "paced" },

        /// Pacing credit, as in Linux: a pause before a paced packet, for example because the window or the application
        /// had no more data, shortens the gap after the packet by as much, but at most by half of the gap.
        option pacing_credit: bool { true => "pauses shorten the gap that follows" },

        /// Explicit congestion notification (RFC 3168). A mark has no effect on a window of one or two packets; the
        /// rate of one packet per retransmission timeout of RFC 3168 §6.1.2 is not modelled.
        option ecn: bool { true => "ECN" },

        /// Alternative backoff with ECN (ABE): a mark multiplies the window by 0.8 (Reno) or 0.85 (CUBIC) where a loss
        /// multiplies it by less (RFC 8511 §3.1). Only with ecn, and for reno, newreno, cubic-2005, cubic-2008 and cubic.
        option abe: bool { true => "alternative backoff with ECN" },

        /// Header bytes of each data packet, which do not count as goodput.
        option header: Bytes {
            header => format!("headers of {header}"),
        },

        /// Size of pure acknowledgements, SYN and SYN-ACK packets.
        option ack: Positive<Bytes> {
            ack => format!("ACKs of {ack}"),
        },

        /// Delayed acknowledgements: number of segments per acknowledgement.
        option delayed_ack: Count<1, 1000> {
            1 => "every segment acknowledged",
            segments => format!("an ACK per {segments} segments"),
        },

        /// Delayed-acknowledgement timeout.
        option delayed_ack_timeout: Positive<Span>,

        /// Quick acknowledgements, as in Linux: at the start of a connection every segment is acknowledged.
        option quick_ack: bool { true => "quick ACKs at the start" },

        /// Nagle's algorithm (RFC 896; RFC 9293 §3.7.4): a segment that is not full is sent only when all data before it is
        /// acknowledged. An exchange whose request ends with such a segment then takes a round trip longer, and also the
        /// delayed-acknowledgement timeout if the receiver delays the acknowledgement of the one before.
        option nagle: bool { true => "Nagle's algorithm" },

        /// Segmentation offload: maximum number of segments that the sender passes on at once, as a burst of packets.
        /// New segments wait until this number may be sent, or a third of the window; a pacer sends this number at a
        /// time.
        option segmentation_offload: Count<1, 64> {
            segments if segments > 1 => format!("segmentation offload of {segments} segments"),
        },

        /// TSO autosizing, as in Linux, instead of a fixed number of segments: a burst has the segments of one
        /// millisecond at 1.2 windows per round trip, or at the algorithm's rate. New segments wait until this number
        /// may be sent, or a third of the window, but at most for a millisecond, and not in recovery.
        option tso_autosizing: bool { true => "TSO autosizing" },

        /// Receive offload: maximum number of in-order segments that the receiver passes on as one, so that one ACK
        /// covers them.
        option receive_offload: Count<1, 64> {
            segments if segments > 1 => format!("receive offload of {segments} segments"),
        },

        /// Maximum time that receive offload holds a segment.
        option receive_offload_timeout: Positive<Span>,

        /// ACK division by a misbehaving receiver (Savage et al. 1999): number of acknowledgements into which each is
        /// divided. Parts of a segment have an effect where ack_counting is acks; algorithms in Python are notified of
        /// them.
        option ack_division: Count<1, 100> {
            parts if parts > 1 => format!("every ACK divided into {parts}"),
        },

        /// Optimistic acknowledgement by a misbehaving receiver, which conceals losses (Savage et al. 1999): number of
        /// segments beyond the highest received that are acknowledged; 0 for a conforming receiver. Lost data stays
        /// lost, and goodput counts the data that arrives.
        option optimistic_ack: Count<0, 1_000_000> {
            segments if segments > 0 => format!("{segments} segments acknowledged before they arrive"),
        },

        /// Concealment of ECN marks by a misbehaving receiver (RFC 3168 §7.1).
        option hide_ce: bool { true => "marks hidden" },

        /// Clock granularity of round-trip time measurements: a measurement is the number of ticks between transmission
        /// and acknowledgement, at least one. 0s is an exact clock; Linux before version 2.6 had ticks of 10ms (a
        /// jiffy).
        option rtt_clock: Span {
            tick if tick > Span::ZERO => format!("round trips in ticks of {tick}"),
        },

        /// Computation of the retransmission timeout. rfc6298: max(min_rto, srtt + 4 rttvar). linux: srtt +
        /// max(min_rto, 4 rttvar); the first four timeouts of a SYN are not backed off and come in addition to
        /// syn_retries, and only the second reduces the first window to one segment.
        option rto: RtoRule,

        /// When a running retransmission timer is restarted. ack: when new data is acknowledged (RFC 6298 §5.3), and
        /// with the first fast retransmission. head: also with each retransmission of the first unacknowledged segment
        /// (permitted by RFC 6675 §6), and with each SACK of a segment that was sent before that, as in Linux.
        option rto_restart: RtoRestart,

        /// Initial retransmission timeout, before the first round-trip time sample.
        option initial_rto: Positive<Span>,

        /// Minimum retransmission timeout.
        option min_rto: Positive<Span>,

        /// Maximum retransmission timeout.
        option max_rto: Positive<Span>,

        /// Granularity of the retransmission (also of a SYN-ACK), tail loss probe and reordering timers. A timer
        /// expires at the tick after the one at which it is due; one of at least 63 ticks only at each 8th tick, of at
        /// least 504 at each 64th and so on, as in Linux. 4ms is 250 Hz; 0s is an exact clock.
        option timer_tick: Span {
            tick if tick > Span::ZERO => format!("timers in ticks of {tick}"),
        },

        /// Maximum number of retransmissions of a SYN, after which a flow is aborted.
        option syn_retries: Count<0, 1000>,

        /// Maximum number of consecutive timeouts, after which a flow is aborted.
        option retries: Count<1, 1000>,

        /// Random delay before each packet is sent, uniform from zero to this value, without reordering; 1pkt is the
        /// transmission time of a packet at the mean rate of the bottleneck. It prevents phase effects between similar
        /// flows (Floyd and Jacobson 1992). Over buffers of less than ten packets results depend on it: `overhead_` of
        /// ns-2 delays one packet per opening of the window, this key every packet.
        key send_delay: SpanOrPackets = [PACKET_TIME, PACKET_TIME, NO_DELAY, NO_DELAY] {
            SpanOrPackets::Span(delay) if delay > Span::ZERO => {
                format!("each packet delayed at random by up to {delay}")
            },
        },
    }
}

words!(RecoveryKind {
    Reno = "reno",
    NewReno = "newreno",
    Sack = "sack",
    Sack1996 = "sack-1996",
    Rack = "rack",
});
words!(SlowStartKind {
    Standard = "standard",
    Limited = "limited",
    HyStart = "hystart",
    HyStartPlusPlus = "hystart++",
    Search = "search",
});
words!(AckCounting { Segments = "segments", Mixed = "mixed", Acks = "acks" });
words!(FirstCut { Rule = "rule", Half = "half" });
words!(RestartWindow { Initial = "initial", Halved = "halved" });
words!(UndoKind { None = "none", Duplicates = "dsack", DuplicatesAndTimestamps = "dsack+timestamps" });
words!(ForwardRtoKind { None = "none", Rfc5682 = "rfc5682", Linux = "linux" });
words!(RtoRestart { Ack = "ack", Head = "head" });
words!(RtoRule { Rfc6298 = "rfc6298", Linux = "linux" });

/// The word for no limit.
#[derive(Clone, Debug)]
pub struct Infinite;

impl Word for Infinite {
    const WORD: &'static str = "infinite";
}

/// The word for no requested rate.
#[derive(Clone, Debug)]
pub struct Nothing;

impl Word for Nothing {
    const WORD: &'static str = "none";
}

/// The quantities by which sizes of flows in packets are converted.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    /// Size of a full data packet on the wire.
    pub packet: Bytes,
    /// Place at which that size was written.
    pub packet_location: &'a Location,
    /// Mean rate of the bottleneck.
    pub mean: Rate,
}

/// Returns the preset of the first of `layers` that names one; *modern* if none does.
///
/// # Errors
///
/// If that key has an error that was reported.
pub fn preset_of(layers: &[&TransportKeys]) -> Result<Preset, Reported> {
    let written = layers.iter().find(|layer| layer.preset.written);
    written.map_or(Ok(Preset::Modern), |layer| Ok(layer.preset.copied()?.unwrap_or(Preset::Modern)))
}

/// The resolved transport options of flows.
#[derive(Clone, Debug)]
pub struct ResolvedTransport {
    /// All keys with their values.
    pub endpoint: Endpoint,
    /// Options of the transport endpoints.
    pub options: TransportOptions,
    /// Upper bound of the random send delay of each packet.
    pub send_delay: Span,
}

impl ResolvedTransport {
    /// Resolves the keys in `layers`, the most specific first, for flows with `algorithm`.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn new(
        layers: &[&TransportKeys],
        algorithm: Option<&Control>,
        scale: Scale<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let preset = preset_of(layers)?;
        let mut endpoint = Endpoint::new(layers, preset, scale.packet_location);
        let own = algorithm.and_then(|algorithm| algorithm.needs().slow_start);
        if let Some(own) = own.filter(|_| !endpoint.slow_start.written) {
            endpoint.slow_start.fill(own);
        }
        let options = endpoint.resolve(scale, faults);
        let send_delay = endpoint.resolve_send_delay(scale, faults);
        if let Some(algorithm) = algorithm {
            endpoint.check_abe(algorithm, faults)?;
        }
        Ok(Self { options: options?, send_delay: send_delay?, endpoint })
    }

    /// Returns the same options without the default send delay; a delay that was written remains.
    pub fn without_usual_delay(mut self) -> Self {
        if !self.endpoint.send_delay.written {
            self.endpoint.send_delay.fill(NO_DELAY);
            self.send_delay = Span::ZERO;
        }
        self
    }
}

impl Endpoint {
    fn resolve(&mut self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<TransportOptions, Reported> {
        let mss = self.payload(scale, faults);
        let ack = self.check_ack(scale, faults);
        let initial_ssthresh = packets(&mut self.initial_ssthresh, mss, faults);
        let receive_window = packets(&mut self.receive_window, mss, faults);
        let timeouts = self.check_timeouts(faults);
        let initial_window = self.check_initial_window(faults);
        let quick_start = self.resolve_quick_start();
        let saved_path = self.resolve_saved_path(mss, faults);
        let mut options = TransportOptions { mss: mss?, ..TransportOptions::default() };
        self.set(&mut options)?;
        options.initial_ssthresh = initial_ssthresh?;
        options.receive_window = receive_window?;
        options.quick_start = quick_start?;
        options.saved_path = saved_path?;
        reader::check(self, &options, faults)?;
        ack?;
        timeouts?;
        initial_window?;
        Ok(options)
    }

    /// Payload of a packet: its size without the header.
    fn payload(&self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<Bytes, Reported> {
        let header = self.header.copied()?;
        let payload = scale.packet.saturating_sub(header);
        if payload > Bytes::ZERO {
            return Ok(payload);
        }
        let message = format!("a header of {header} leaves no room in a packet of {}", scale.packet);
        let fault = self.header.fault(message).given(header.to_string());
        Err(fault.allowed(format!("less than the packet, {}", scale.packet)).report(faults))
    }

    fn check_ack(&self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let ack = self.ack.copied()?;
        if ack <= scale.packet {
            return Ok(());
        }
        let fault = self.ack.fault("an acknowledgement larger than a packet").given(ack.to_string());
        Err(fault.allowed(format!("at most {}", scale.packet)).report(faults))
    }

    /// All of it leaves at once, and each packet is remembered.
    fn check_initial_window(&self, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let window = self.initial_window.copied()?;
        if window <= GREATEST_INITIAL_WINDOW {
            return Ok(());
        }
        let fault = self.initial_window.fault("too large").given(format!("{window}pkt"));
        Err(fault.allowed(format!("at most {GREATEST_INITIAL_WINDOW}pkt")).report(faults))
    }

    fn check_timeouts(&self, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let max = self.max_rto.copied()?;
        for (key, field) in [("min_rto", &self.min_rto), ("initial_rto", &self.initial_rto)] {
            let value = field.copied()?;
            if value > max {
                // The key that was written is the one to mend.
                let field = if field.written { field } else { &self.max_rto };
                let fault = field.fault(format!("{key} is more than max_rto")).given(value.to_string());
                return Err(fault.allowed(format!("at most {max}")).report(faults));
            }
        }
        Ok(())
    }

    /// A mark must be possible, and RFC 8511 must say what it does to the window of `algorithm`.
    fn check_abe(&self, algorithm: &Control, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        if !self.abe.copied()? {
            return Ok(());
        }
        let (message, allowed) = if algorithm.needs().abe_factor.is_none() {
            let known = catalogue::entries().iter();
            let known = known.filter(|entry| (entry.needs)(&entry.card.defaults()).abe_factor.is_some());
            let known: Vec<_> = known.map(|entry| entry.card.name).collect();
            let message = format!("RFC 8511 has no factor for `{algorithm}`");
            (message, format!("false, or true for an algorithm that has one: {}", known.join(", ")))
        } else if !self.ecn.copied()? {
            ("without ecn there are no marks".to_owned(), "false, or true with ecn = true".to_owned())
        } else {
            return Ok(());
        };
        Err(self.abe.fault(message).given("true").allowed(allowed).report(faults))
    }

    /// The delay before each packet as a time.
    fn resolve_send_delay(&mut self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<Span, Reported> {
        let delay = match self.send_delay.copied()? {
            SpanOrPackets::Span(delay) => delay,
            SpanOrPackets::Packets(number) => scale.mean.time_for(scale.packet).scaled(number),
        };
        if delay > LONGEST {
            let fault = self.send_delay.fault(format!("longer than {LONGEST}")).given(delay.to_string());
            return Err(fault.allowed("a shorter time, or fewer packets").report(faults));
        }
        self.send_delay.fill(SpanOrPackets::Span(delay));
        Ok(delay)
    }

    /// Resolves the rate that the first data requests from routers.
    fn resolve_quick_start(&mut self) -> Result<Option<QuickStartRequest>, Reported> {
        let ends_slow_start = self.quick_start_ssthresh.copied()?;
        let asked = self.quick_start.copied()?.map(|rate| QuickStartRequest { rate, ends_slow_start });
        self.quick_start_ssthresh.fill(asked.is_some_and(|asked| asked.ends_slow_start));
        Ok(asked)
    }

    /// Resolves what an earlier connection has left.
    fn resolve_saved_path(
        &mut self,
        mss: Result<Bytes, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<SavedPath>, Reported> {
        let Some(window) = packets(&mut self.saved_window, mss, faults)? else {
            self.saved_rtt.fill(None);
            return Ok(None);
        };
        if let Some(rate) = self.quick_start.copied()? {
            let message =
                "the first window is either saved or asked of the routers, and quick_start asks them";
            let fault = self.saved_window.fault(message).given(format!("quick_start = {rate}"));
            return Err(fault.allowed("one of saved_window and quick_start").report(faults));
        }
        Ok(Some(SavedPath { window: window as f64, rtt: self.saved_rtt.copied()? }))
    }

    /// Returns the keys that set an option to another value than `options` has, each with the value there.
    pub fn differing(&self, options: &TransportOptions) -> Vec<Unlike> {
        let window = |packets: Option<u64>| packets.map(PacketsOrSize::Packets);
        let rate = options.quick_start.map(|request| request.rate);
        let ssthresh = &window(options.initial_ssthresh);
        let mut found = self.unlike(options);
        found.extend(Unlike::of::<Or<PacketsOrSize, Infinite>>(
            "initial_ssthresh",
            &self.initial_ssthresh,
            ssthresh,
        ));
        let receive_window = &window(options.receive_window);
        found.extend(Unlike::of::<Or<PacketsOrSize, Infinite>>(
            "receive_window",
            &self.receive_window,
            receive_window,
        ));
        found.extend(Unlike::of::<Or<Positive<Rate>, Nothing>>("quick_start", &self.quick_start, &rate));
        let saved = window(options.saved_path.map(|saved| saved.window as u64));
        found.extend(Unlike::of::<Or<PacketsOrSize, Nothing>>("saved_window", &self.saved_window, &saved));
        let rtt = options.saved_path.and_then(|saved| saved.rtt);
        found.extend(Unlike::of::<Or<Positive<Span>, Nothing>>("saved_rtt", &self.saved_rtt, &rtt));
        found
    }

    /// Describes the preset and of the keys that differ from it.
    pub fn describe(&self) -> String {
        let preset = self.preset.copied().unwrap_or(Preset::Modern);
        format!("preset {}: {}", preset.word(), self.phrases(preset).join(", "))
    }
}

/// A window in packets; one in bytes holds so many payloads.
fn packets(
    window: &mut Field<Option<PacketsOrSize>>,
    mss: Result<Bytes, Reported>,
    faults: &mut Vec<Fault>,
) -> Result<Option<u64>, Reported> {
    let packets = match window.copied()? {
        None => return Ok(None),
        Some(PacketsOrSize::Packets(packets)) => packets,
        Some(PacketsOrSize::Size(bytes)) => {
            let mss = mss?;
            let packets = bytes.count() / mss.count();
            if packets == 0 {
                let fault = window.fault("less than the payload of one packet").given(bytes.to_string());
                return Err(fault.allowed(format!("at least {mss}")).report(faults));
            }
            packets
        }
    };
    window.fill(Some(PacketsOrSize::Packets(packets)));
    Ok(Some(packets))
}

/// Packets.
const GREATEST_INITIAL_WINDOW: u64 = 1_000_000;

const PACKET_TIME: SpanOrPackets = SpanOrPackets::Packets(1.0);

const NO_DELAY: SpanOrPackets = SpanOrPackets::Span(Span::ZERO);

/// Returns all presets with their values.
pub fn presets() -> Vec<PresetCard> {
    let keys = || TransportKeys::PARTS.iter().copied().flatten();
    let card = |(name, preset): (&&'static str, &Preset)| {
        let (summary, source) = preset.about();
        let values = keys().zip(Endpoint::defaults(*preset)).filter(|(key, _)| key.name != "preset");
        let values = values.map(|(key, value)| PresetValue {
            key: key.name,
            meaning: key.meaning(),
            allowed: key.kind.allowed(),
            value,
        });
        PresetCard { name, summary, source, values: values.collect() }
    };
    Preset::WORDS.iter().zip(Preset::VALUES).map(card).collect()
}
