//! `[transport]` and the same keys of a flow: how endpoints behave.
//!
//! A key is looked for in the flow, then in `[transport]`, then in the preset, which is the flow's own if it names one.

use super::preset::{self, OfPreset, Preset, PresetCard, PresetValue, Unlike, preset_keys};
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable};
use crate::field::{Field, Reported};
use crate::kind::{Absent, Key, Parts};
use crate::location::Location;
use crate::section::{self, Fields, Section};
use crate::value::{
    Count, KeyType, LONGEST, Or, Packets, PacketsOrSize, Positive, SpanOrPackets, Word, Words, words,
};
use narrows_cc::{AckCounting, FirstCut, QuickStartRequest, RestartWindow, SlowStartKind};
use narrows_model::algorithm::Control;
use narrows_transport::{ForwardRtoKind, RecoveryKind, RtoRestart, RtoRule, TransportOptions, UndoKind};
use narrows_units::{Bytes, Rate, Span};

preset_keys! {
    /// The keys of `[transport]`, with defaults in the presets modern, sack-2012, ns2 and linux.
    pub struct TransportKeys, Endpoint for TransportOptions {
        /// A named set of defaults for the keys below.
        key preset: Preset = [Preset::Modern, Preset::Sack2012, Preset::Ns2, Preset::Linux] => "modern",

        /// How losses are detected, and which segment is retransmitted next. sack-1996: with the sender's first estimate of what
        /// is in flight (Fall and Floyd 1996; ns-2), in which lost segments remain until they are acknowledged. Preset ns2 has sack:
        /// transfers of a few dozen packets that lose several near their end complete up to a sixth earlier than in ns-2.
        option recovery: RecoveryKind {
            RecoveryKind::Reno => "Reno recovery",
            RecoveryKind::NewReno => "NewReno recovery",
            RecoveryKind::Sack => "SACK recovery",
            RecoveryKind::Sack1996 => "SACK recovery of 1996",
            RecoveryKind::Rack => "RACK recovery",
        },

        /// After a reduction the usable window decreases over a round trip (RFC 9937).
        option proportional_rate_reduction: bool {
            true => "proportional rate reduction",
        },

        /// New segments are sent on the first two duplicate ACKs (RFC 3042).
        option limited_transmit: bool { false => "no limited transmit" },

        /// A congestion window that does not limit the sender stays as it is (RFC 7661). false: it grows with every
        /// acknowledgement, also where the application, the receiver or the sender's own interface is the limit.
        option window_validation: bool { false => "windows grow unfilled" },

        /// Window before the first acknowledgement.
        option initial_window: Packets { packets => format!("initial window {packets} packets") },

        /// Slow-start threshold before the first loss.
        key initial_ssthresh: Or<PacketsOrSize, Infinite> = [None, None, None, None],

        /// How a flow of a window algorithm starts.
        option slow_start: SlowStartKind => "hystart++; in the other presets: standard; cubic-linux: hystart" {
            SlowStartKind::Limited => "limited slow start",
            SlowStartKind::HyStart => "HyStart",
            SlowStartKind::HyStartPlusPlus => "HyStart++",
        },

        /// What an acknowledgement of several segments counts for when the window of a window algorithm grows. segments: for
        /// as many (RFC 3465, without its limits; Linux). mixed: so, but for one from a timeout until its losses are repaired,
        /// since much of what it covers may have arrived before (RFC 3465 §2.3). acks: for one (RFC 5681 §3.1; ns-2), so that
        /// delayed acknowledgements halve the growth.
        option ack_counting: AckCounting,

        /// Rate on the wire that the first data requests from the routers (RFC 4782); queues of kind quick-start grant it.
        key quick_start: Or<Positive<Rate>, Nothing> = [None, None, None, None],

        /// An approved rate ends slow start: ssthresh becomes its window. Only with quick_start.
        key quick_start_ssthresh: bool = [false, false, false, false],

        /// Size of the first reduction of the window.
        option first_cut: FirstCut {
            FirstCut::Half => "first reduction to half",
        },

        /// The receiver's window.
        key receive_window: Or<PacketsOrSize, Infinite> = [None, None, None, None] {
            Some(PacketsOrSize::Packets(packets)) => format!("receive window {packets} packets"),
        },

        /// The receiver's window begins at 44 segments, about 64 kB, and grows by two segments for each that has arrived in order, up to
        /// receive_window, as in Linux (tcp_grow_window): it limits a sender whose window more than triples in a round trip.
        option receive_autotuning: bool { true => "receive window autotuned" },

        /// How spurious loss episodes are detected, so that the reduction is undone. dsack: receivers with selective
        /// acknowledgements report duplicates (RFC 2883), and every retransmission was reported (RFC 3708); the reordering
        /// window of rack grows with them, too (RFC 8985 §6.2). timestamps: the original was acknowledged, not its
        /// retransmission (RFC 3522).
        option undo: UndoKind {
            UndoKind::None => "no undo of spurious reductions",
            UndoKind::DuplicatesAndTimestamps => "timestamps",
        },

        /// How spurious timeouts are detected by the acknowledgements that follow them, so that nothing more is retransmitted and
        /// the reduction is undone (F-RTO). rfc5682: two new segments are sent in place of retransmissions, and the next
        /// acknowledgement decides. linux: every acknowledgement of a segment that was sent once decides, and as many new segments
        /// are sent as the window permits.
        option frto: ForwardRtoKind {
            ForwardRtoKind::None => "no F-RTO",
            ForwardRtoKind::Rfc5682 => "F-RTO",
            ForwardRtoKind::Linux => "F-RTO as in Linux",
        },

        /// After an idle period of a retransmission timeout the window restarts (RFC 5681 §4.1).
        option idle_restart: bool { false => "no restart after idle periods" },

        /// The window after such a period. initial: at most the initial window (RFC 5681 §4.1). halved: half for each retransmission
        /// timeout that it lasted, but not below the initial window, with ssthresh at three quarters of the window before, or more
        /// (RFC 2861 §3; Linux).
        option restart_window: RestartWindow,

        /// Packets are paced evenly over a round trip.
        option pacing: bool { true => "paced" },

        /// A pause before a paced packet, as at the end of what the window or the application had permitted, shortens the gap behind
        /// the packet by as much, but by half of it at most, as in Linux.
        option pacing_credit: bool { true => "pauses shorten the gap that follows" },

        /// Explicit congestion notification (RFC 3168). With a window of one or two packets a mark has no effect: one packet for
        /// each retransmission timeout, as in RFC 3168 §6.1.2, is not modelled.
        option ecn: bool { true => "ECN" },

        /// Header bytes of each data packet; they do not count as goodput.
        option header: Bytes {
            header => format!("headers of {header}"),
        },

        /// Size of an acknowledgement, a SYN and a SYN-ACK.
        option ack: Positive<Bytes> {
            ack => format!("ACKs of {ack}"),
        },

        /// Segments per acknowledgement.
        option delayed_ack: Count<1, 1000> {
            1 => "every segment acknowledged",
            segments => format!("an ACK per {segments} segments"),
        },

        /// Longest delay of an acknowledgement.
        option delayed_ack_timeout: Positive<Span>,

        /// At the start of a connection every segment is acknowledged, as in Linux.
        option quick_ack: bool { true => "quick ACKs at the start" },

        /// Most segments that the sender passes on at once, one packet after the other (segmentation offload): new ones wait until
        /// so many may be sent, or a third of the window; a pacer sends so many at a time.
        option segmentation_offload: Count<1, 64> {
            segments if segments > 1 => format!("segmentation offload of {segments} segments"),
        },

        /// Segmentation offload as in Linux, in place of a fixed number of segments: those of a millisecond at 1.2 windows per
        /// round trip, or at the algorithm's rate. New ones wait until so many may be sent, or a third of the window, but for a
        /// millisecond at most, and not during recovery.
        option tso_autosizing: bool { true => "TSO autosizing" },

        /// Most segments in order that the receiver passes on as one (receive offload), so that one ACK covers them.
        option receive_offload: Count<1, 64> {
            segments if segments > 1 => format!("receive offload of {segments} segments"),
        },

        /// Longest time that receive offload holds a segment.
        option receive_offload_timeout: Positive<Span>,

        /// Acknowledgements that a misbehaving receiver makes of one (ACK division; Savage et al. 1999). Parts of a segment count
        /// where ack_counting is acks; algorithms in Python are notified of them.
        option ack_division: Count<1, 100> {
            parts if parts > 1 => format!("every ACK divided into {parts}"),
        },

        /// Segments beyond the highest received that a misbehaving receiver acknowledges, losses concealed (optimistic
        /// acknowledgement; Savage et al. 1999); 0 for an honest one. What is lost stays lost, and goodput counts what arrives.
        option optimistic_ack: Count<0, 1_000_000> {
            segments if segments > 0 => format!("{segments} segments acknowledged before they arrive"),
        },

        /// A misbehaving receiver hides marks (RFC 3168 §7.1).
        option hide_ce: bool { true => "marks hidden" },

        /// Resolution of the clock with which the sender measures round-trip times: a measured time is the number of its
        /// ticks between sending and acknowledgement, at least one. The default is an exact clock; Linux had ticks of 10ms,
        /// a jiffy, before its version 2.6.
        option rtt_clock: Span {
            tick if tick > Span::ZERO => format!("round trips in ticks of {tick}"),
        },

        /// rfc6298: max(min_rto, srtt + 4 rttvar); linux: srtt + max(min_rto, 4 rttvar), the first four timeouts of a SYN are not
        /// backed off and come in addition to syn_retries, and only the second makes the first window one segment.
        option rto: RtoRule,

        /// When a running retransmission timer is restarted. ack: when new data is acknowledged (RFC 6298 §5.3), and with
        /// the first fast retransmission. head: also whenever the first unacknowledged segment is sent again (permitted by
        /// RFC 6675 §6), and with each SACK of a segment that was sent before that, as in Linux.
        option rto_restart: RtoRestart,

        /// Retransmission timeout before the first sample.
        option initial_rto: Positive<Span>,

        /// Shortest retransmission timeout.
        option min_rto: Positive<Span>,

        /// Longest retransmission timeout.
        option max_rto: Positive<Span>,

        /// Tick of the clock of timers: of retransmission, of the SYN-ACK too, tail loss probe and reordering. A timer expires with the
        /// tick behind the one at which it is due, and one of 63 ticks or more only with each 8th tick, of 504 or more with
        /// each 64th and so on, as in Linux. 4ms is 250 Hz. The default is an exact clock.
        option timer_tick: Span {
            tick if tick > Span::ZERO => format!("timers in ticks of {tick}"),
        },

        /// Retransmissions of the SYN before a flow gives up.
        option syn_retries: Count<0, 1000>,

        /// Consecutive timeouts before a flow gives up.
        option retries: Count<1, 1000>,

        /// Each packet is sent after a random delay, uniform from zero to this, in order; 1pkt is the transmission time of
        /// a packet at the bottleneck's mean rate. It prevents phase effects between equal flows (Floyd and Jacobson
        /// 1992). Over buffers of less than ten packets results depend on it: ns-2's `overhead_` delays a packet once for
        /// each opening of the window, this one every packet.
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

/// The preset of the first of `layers` that names one; *modern* if none does.
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
        Ok(Self { options: options?, send_delay: send_delay?, endpoint })
    }

    /// The same options without the default send delay; one that was written stays.
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
        let mut options = TransportOptions { mss: mss?, ..TransportOptions::default() };
        self.set(&mut options)?;
        options.initial_ssthresh = initial_ssthresh?;
        options.receive_window = receive_window?;
        options.quick_start = quick_start?;
        ack?;
        timeouts?;
        initial_window?;
        Ok(options)
    }

    /// What a packet carries besides its header.
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

    /// What the first data asks routers for.
    fn resolve_quick_start(&mut self) -> Result<Option<QuickStartRequest>, Reported> {
        let ends_slow_start = self.quick_start_ssthresh.copied()?;
        let asked = self.quick_start.copied()?.map(|rate| QuickStartRequest { rate, ends_slow_start });
        self.quick_start_ssthresh.fill(asked.is_some_and(|asked| asked.ends_slow_start));
        Ok(asked)
    }

    /// The keys that do not say what `options` do, each with the value that does.
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
        found
    }

    /// Description of the preset and of the keys that differ from it.
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

/// Adds an error to `faults` for each `quick_start_ssthresh` without a `quick_start`.
pub fn check_start_ups(flows: &[&TransportKeys], transport: Option<&TransportKeys>, faults: &mut Vec<Fault>) {
    let asks = |flow: &TransportKeys| {
        let written = [Some(flow), transport].into_iter().flatten().find(|each| each.quick_start.written);
        // What did not pass is known already.
        written.is_some_and(|each| each.quick_start.copied() != Ok(Some(None)))
    };
    let mut check = |table: &TransportKeys, asked: bool| {
        if !asked && table.quick_start_ssthresh.copied() == Ok(Some(true)) {
            let message = "without quick_start nothing is asked for, and nothing can be approved";
            let fault = table.quick_start_ssthresh.fault(message).given("true");
            faults.push(fault.allowed("false, or a rate for quick_start"));
        }
    };
    for flow in flows {
        check(flow, asks(flow));
    }
    if let Some(transport) = transport {
        check(transport, flows.is_empty() || flows.iter().any(|flow| asks(flow)));
    }
}

/// Packets.
const GREATEST_INITIAL_WINDOW: u64 = 1_000_000;

const PACKET_TIME: SpanOrPackets = SpanOrPackets::Packets(1.0);

const NO_DELAY: SpanOrPackets = SpanOrPackets::Span(Span::ZERO);

/// All presets with their values.
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
