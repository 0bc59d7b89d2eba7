//! `[transport]` and the same keys of a flow: presets, and what is explicit over them.
//!
//! A key is looked for in the flow, then in `[transport]`, then in the preset. The preset is the flow's own if it names
//! one. Sources of the presets: *modern* is RFC 5681, 6298, 6675 and 6928; *ns2* is ns-2.35 as the studies used it;
//! *linux* is Linux 6.18.

use super::super::diagnostic::Fault;
use super::super::keys::PRESETS;
use super::super::table::{Checked, Table};
use super::super::tree::Place;
use crate::algorithm::Control;
use narrows_cc::catalogue::{FirstCut, SlowStartKind};
use narrows_cc::explicit::quick_start::StartUp;
use narrows_transport::{RecoveryKind, RtoRule, TransportOptions, UndoKind};
use narrows_units::{Bytes, Quantity, Rate, Span};

/// How a flow's endpoints behave, and the preset it came from.
#[derive(Clone, Debug)]
pub(in super::super) struct Endpoint {
    pub preset: &'static str,
    pub options: TransportOptions,
    pub send_delay: Span,
}

/// What sizes in packets mean on this path.
#[derive(Clone, Copy)]
pub(super) struct Scale<'a> {
    pub packet: Bytes,
    pub packet_place: &'a Place,
    pub mean: Rate,
}

/// Resolves the keys found in `layers`, the most particular first; `None` if a fault stands in the way.
pub(super) fn resolve(
    layers: &[&Table],
    algorithm: Option<&Control>,
    scale: Scale<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Endpoint> {
    let layers = Layers(layers);
    let preset = preset(layers.0)?;
    let (ns2, linux) = (preset == "ns2", preset == "linux");
    let pick = |modern: u64, in_ns2: u64, in_linux: u64| match preset {
        "ns2" => in_ns2,
        "linux" => in_linux,
        _ => modern,
    };
    let header = layers.read("header", Bytes::new(pick(40, 0, 52)), Checked::bytes);
    let ack = layers.read("ack", Bytes::new(pick(40, 40, 52)), Checked::bytes);
    let mss = header.and_then(|header| payload(header, &layers, scale, faults));
    let ack = ack.filter(|ack| ack_fits(*ack, &layers, scale, faults));
    let initial_window =
        layers.read("initial_window", Some(Quantity::Packets(pick(10, 2, 10) as f64)), Checked::limit);
    let initial_ssthresh = layers.read("initial_ssthresh", None, Checked::limit);
    let receive_window = layers.read("receive_window", None, Checked::limit);
    let mut packets = |key: &str, quantity: Option<Option<Quantity>>| match quantity? {
        None => Some(None),
        Some(Quantity::Packets(number)) => Some(Some(number as u64)),
        Some(other) => {
            let Quantity::Size(bytes) = other else { unreachable!("{other} is no window") };
            let whole = bytes.count() / mss?.count();
            if whole == 0 {
                let fault = layers.fault(key, "less than the payload of one packet", scale.packet_place);
                faults.push(fault.given(bytes.to_string()).allowed(format!("at least {}", mss?)));
                return None;
            }
            Some(Some(whole))
        }
    };
    let initial_window = packets("initial_window", initial_window);
    let initial_ssthresh = packets("initial_ssthresh", initial_ssthresh);
    let receive_window = packets("receive_window", receive_window);

    let min_rto = layers.read("min_rto", Span::from_ms(200), Checked::span);
    let max_rto = layers.read("max_rto", Span::from_ms(60_000), Checked::span);
    let initial_rto = layers.read("initial_rto", Span::from_ms(1000), Checked::span);
    let timeouts = timeouts(min_rto, initial_rto, max_rto, &layers, scale, faults);
    let recovery = layers.read("recovery", if linux { "rack" } else { "sack" }, Checked::word);
    let usual_undo = match preset {
        "ns2" => "none",
        "linux" => "dsack+timestamps",
        _ => "dsack",
    };
    let undo = layers.read("undo", usual_undo, Checked::word);
    let rto = layers.read("rto", if linux { "linux" } else { "rfc6298" }, Checked::word);
    let hystart = linux && algorithm.is_some_and(|algorithm| algorithm.name() == "cubic-linux");
    let slow_start = layers.read("slow_start", if hystart { "hystart" } else { "standard" }, Checked::word);
    let asked = layers.read("quick_start", None, Checked::limit);
    let first_cut = layers.read("first_cut", if ns2 { "half" } else { "rule" }, Checked::word);
    let flag = |key, default| layers.read(key, default, Checked::flag);
    let count = |key, default| layers.read(key, default, |value| value.integer() as u32);
    let usual_delay = if ns2 || linux { Quantity::Time(Span::ZERO) } else { Quantity::Packets(1.0) };
    let send_delay = layers.read("send_delay", Some(usual_delay), Checked::limit)?;
    timeouts?;
    Some(Endpoint {
        preset,
        send_delay: match send_delay {
            Some(Quantity::Time(span)) => span,
            Some(Quantity::Packets(number)) => scale.mean.time_for(scale.packet).scaled(number),
            other => unreachable!("{other:?} is no delay"),
        },
        options: TransportOptions {
            recovery: recovery_named(recovery?),
            proportional_rate_reduction: flag("proportional_rate_reduction", linux)?,
            limited_transmit: flag("limited_transmit", true)?,
            initial_window: initial_window?.expect("the key has no word for no limit"),
            initial_ssthresh: initial_ssthresh?,
            slow_start: slow_start_named(slow_start?),
            quick_start: start_up(asked?, flag(ENDS_SLOW_START, false)?),
            first_cut: if first_cut? == "half" { FirstCut::Half } else { FirstCut::Rule },
            receive_window: receive_window?,
            undo: undo_named(undo?),
            idle_restart: flag("idle_restart", true)?,
            pacing: flag("pacing", false)?,
            ecn: flag("ecn", false)?,
            mss: mss?,
            header: header?,
            ack: ack?,
            delayed_ack: count("delayed_ack", if ns2 { 1 } else { 2 })?,
            delayed_ack_timeout: layers.read(
                "delayed_ack_timeout",
                Span::from_ms(pick(40, 100, 40)),
                Checked::span,
            )?,
            quick_ack: flag("quick_ack", linux)?,
            rto: if rto? == "linux" { RtoRule::Linux } else { RtoRule::Rfc6298 },
            initial_rto: initial_rto?,
            min_rto: min_rto?,
            max_rto: max_rto?,
            syn_retries: count("syn_retries", 6)?,
            retries: count("retries", 15)?,
        },
    })
}

fn ack_fits(ack: Bytes, layers: &Layers<'_>, scale: Scale<'_>, faults: &mut Vec<Fault>) -> bool {
    let fits = ack <= scale.packet;
    if !fits {
        let fault = layers.fault("ack", "an acknowledgement larger than a packet", scale.packet_place);
        faults.push(fault.given(ack.to_string()).allowed(format!("at most {}", scale.packet)));
    }
    fits
}

/// What Quick-Start asks for: `None` where the flow asks for no rate.
fn start_up(rate: Option<Quantity>, ends_slow_start: bool) -> Option<StartUp> {
    rate.map(|rate| match rate {
        Quantity::Rate(rate) => StartUp { rate, ends_slow_start },
        other => unreachable!("{other} is no rate"),
    })
}

/// Finds every `quick_start_ssthresh` that no approval can ever follow, for want of a `quick_start`.
pub(super) fn check_start_ups(flows: &[Table], transport: Option<&Table>, faults: &mut Vec<Fault>) {
    let asks = |flow: &Table| {
        let layers: Vec<&Table> = [Some(flow), transport].into_iter().flatten().collect();
        // What did not pass is known already.
        Layers(&layers).read("quick_start", None, Checked::limit).is_none_or(|rate| rate.is_some())
    };
    let mut check = |table: &Table, asked: bool| {
        if !asked && table.given(ENDS_SLOW_START, Checked::flag) == Some(true) {
            let message = "without quick_start nothing is asked for, and nothing can be approved";
            let fault = Fault::new(table.place_of(ENDS_SLOW_START), table.path_of(ENDS_SLOW_START), message);
            faults.push(fault.given("true").allowed("false, or a rate for quick_start"));
        }
    };
    for flow in flows {
        check(flow, asks(flow));
    }
    if let Some(transport) = transport {
        check(transport, flows.is_empty() || flows.iter().any(asks));
    }
}

fn slow_start_named(word: &str) -> SlowStartKind {
    match word {
        "limited" => SlowStartKind::Limited,
        "hystart" => SlowStartKind::HyStart,
        "hystart++" => SlowStartKind::HyStartPlusPlus,
        _ => SlowStartKind::Standard,
    }
}

/// The preset that holds for `layers`; `None` if the word that should name it did not pass.
pub(super) fn preset(layers: &[&Table]) -> Option<&'static str> {
    Layers(layers).read("preset", PRESETS[0], Checked::word)
}

/// Tables in which a key is looked for, one after the other.
struct Layers<'a>(&'a [&'a Table]);

impl Layers<'_> {
    fn read<T>(&self, key: &str, default: T, convert: impl FnOnce(&Checked) -> T) -> Option<T> {
        match self.0.iter().find(|table| table.has(key)) {
            Some(table) => table.given(key, convert),
            None => Some(default),
        }
    }

    /// A fault at `key` where it is written, else at `otherwise`.
    fn fault(&self, key: &str, message: &str, otherwise: &Place) -> Fault {
        match self.0.iter().find(|table| table.has(key)) {
            Some(table) => Fault::new(table.place_of(key), table.path_of(key), message),
            None => Fault::new(otherwise, format!("transport.{key}"), message),
        }
    }
}

fn payload(header: Bytes, layers: &Layers<'_>, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Option<Bytes> {
    let payload = scale.packet.saturating_sub(header);
    if payload > Bytes::ZERO {
        return Some(payload);
    }
    let message = format!("a header of {header} leaves no room in a packet of {}", scale.packet);
    let fault = layers.fault("header", &message, scale.packet_place);
    faults.push(fault.given(header.to_string()).allowed(format!("less than path.packet, {}", scale.packet)));
    None
}

fn timeouts(
    min: Option<Span>,
    initial: Option<Span>,
    max: Option<Span>,
    layers: &Layers<'_>,
    scale: Scale<'_>,
    faults: &mut Vec<Fault>,
) -> Option<()> {
    let (min, initial, max) = (min?, initial?, max?);
    for (key, value) in [("min_rto", min), ("initial_rto", initial)] {
        if value > max {
            // The key that was written is the one to mend.
            let written = if layers.0.iter().any(|table| table.has(key)) { key } else { "max_rto" };
            let fault = layers.fault(written, &format!("{key} is more than max_rto"), scale.packet_place);
            faults.push(fault.given(value.to_string()).allowed(format!("at most {max}")));
            return None;
        }
    }
    Some(())
}

fn undo_named(word: &str) -> UndoKind {
    match word {
        "dsack" => UndoKind::Duplicates,
        "dsack+timestamps" => UndoKind::DuplicatesAndTimestamps,
        _ => UndoKind::None,
    }
}

fn recovery_named(word: &str) -> RecoveryKind {
    match word {
        "reno" => RecoveryKind::Reno,
        "newreno" => RecoveryKind::NewReno,
        "sack" => RecoveryKind::Sack,
        "rack" => RecoveryKind::Rack,
        other => unreachable!("the keys know no recovery {other}"),
    }
}

/// The key that lets an approved rate end slow start.
const ENDS_SLOW_START: &str = "quick_start_ssthresh";
