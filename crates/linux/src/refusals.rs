//! What a Linux kernel cannot do.

use crate::{Linux, programs};
use narrows_cc::{AckCounting, FirstCut, Needs, RestartWindow, SlowStartKind, Transport};
use narrows_model::algorithm::{Control, KERNEL};
use narrows_model::{DefaultValue, Model, Refusal};
use narrows_transport::{ForwardRtoKind, RecoveryKind, RtoRestart, RtoRule, TransportOptions, UndoKind};
use narrows_units::{Bytes, Span};
use std::fmt;

/// Names of algorithms in the catalogue and in the kernel.
pub const KERNEL_NAMES: &[(&str, &str)] = &[
    ("newreno", "reno"),
    ("reno", "reno"),
    ("reno-linux", "reno"),
    ("cubic", "cubic"),
    ("cubic-linux", "cubic"),
    ("bic", "bic"),
    ("bic-linux", "bic"),
    ("hstcp", "highspeed"),
    ("highspeed-linux", "highspeed"),
    ("htcp", "htcp"),
    ("htcp-linux", "htcp"),
    ("scalable", "scalable"),
    ("scalable-linux", "scalable"),
    ("westwood", "westwood"),
    ("westwood-linux", "westwood"),
    ("vegas", "vegas"),
    ("vegas-linux", "vegas"),
    ("dctcp", "dctcp"),
    ("bbr1", "bbr"),
    ("hybla", "hybla"),
    ("illinois", "illinois"),
    ("cdg", "cdg"),
    ("lp", "lp"),
    ("nv", "nv"),
    ("veno", "veno"),
    ("yeah", "yeah"),
];

/// The kernel's name for `algorithm`; `None` if no kernel has it.
pub fn kernel_name(algorithm: &Control) -> Option<&str> {
    match algorithm {
        Control::Listed(listed) => named(listed.entry.card.name),
        Control::Kernel { name, .. } => Some(name),
        Control::External(_) => None,
    }
}

fn named(name: &str) -> Option<&'static str> {
    KERNEL_NAMES.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| *theirs)
}

/// The parts of `model` that `linux` cannot run.
pub fn refusals(linux: &Linux, model: &Model) -> Vec<Refusal> {
    let algorithms = model.groups.iter().enumerate().filter_map(|(number, group)| {
        let ecn =
            model.workloads.iter().find(|each| each.group == number).is_some_and(|each| each.transport.ecn);
        let reason =
            reason(&group.algorithm, &linux.algorithms).or_else(|| lacks_ecn(&group.algorithm, ecn))?;
        let here = |name: &str| linux.algorithms.iter().any(|own| own == name);
        let ours = KERNEL_NAMES.iter().filter(|(_, theirs)| here(theirs)).map(|(ours, _)| (*ours).to_owned());
        let theirs = linux.algorithms.iter().map(|name| format!("{KERNEL}{name}"));
        let known: Vec<String> = ours.chain(theirs).collect();
        let key = format!("flows[{number}].algorithm");
        Some(Refusal { key, reason, allowed: known.join(", "), default: DefaultValue::Refused })
    });
    let two_sided = model.workloads.iter().filter(|each| each.partner.is_some());
    let exchanges = two_sided.map(|workload| Refusal {
        key: format!("flows[{}].source", workload.group),
        reason: "both sides of a connection write".to_owned(),
        allowed: "a source that writes at the sender alone".to_owned(),
        default: DefaultValue::Refused,
    });
    let transport = model.workloads.iter().flat_map(|workload| {
        let start = slow_start(&model.groups[workload.group].algorithm);
        differences(&workload.transport, start, header(model), model.linux.gso).into_iter().flat_map(
            |(key, value)| {
                ["transport".to_owned(), format!("flows[{}]", workload.group)].map(|table| Refusal {
                    key: format!("{table}.{key}"),
                    reason: "the kernel's TCP decides this".to_owned(),
                    allowed: value.to_string(),
                    // Each algorithm of the kernel has its own slow start.
                    default: DefaultValue::Replaced(value.toml().filter(|_| key != "slow_start")),
                })
            },
        )
    });
    // A virtual machine has other files, and programs that it cannot run were refused before it started.
    let starts = !linux.kernel.as_os_str().is_empty();
    let missing_programs = starts.then(|| programs::refusals(model, &linux.commands)).into_iter().flatten();
    let mut found: Vec<Refusal> = Vec::new();
    for refusal in algorithms
        .chain(exchanges)
        .chain(too_many_programs(model))
        .chain(too_many_connections(model))
        .chain(missing_programs)
        .chain(transport)
        .chain(queues(linux, model))
    {
        if found.iter().all(|earlier| earlier.key != refusal.key) {
            found.push(refusal);
        }
    }
    found
}

/// More programs than a virtual machine has memory for.
fn too_many_programs(model: &Model) -> Option<Refusal> {
    let carried = |group: usize| model.groups[group].program.is_some();
    let flows = model.workloads.iter().filter(|each| carried(each.group)).map(|each| each.slots).sum::<u32>();
    let last = model.groups.iter().rposition(|group| group.program.is_some())?;
    (flows > MOST_PROGRAMS).then(|| Refusal {
        key: format!("flows[{last}].count"),
        reason: format!("{flows} flows are carried by programs"),
        allowed: format!("at most {MOST_PROGRAMS}"),
        default: DefaultValue::Refused,
    })
}

/// Flows that programs may carry, two programs each.
const MOST_PROGRAMS: u32 = 32;

/// More connections at a time than the sending host has ports.
fn too_many_connections(model: &Model) -> Option<Refusal> {
    let mut slots = 0;
    let too_many = model.workloads.iter().find(|workload| {
        slots += u64::from(workload.slots);
        slots > MOST_CONNECTIONS
    })?;
    let key = if too_many.demand.may_refuse() { "source.concurrent" } else { "count" };
    Some(Refusal {
        key: format!("flows[{}].{key}", too_many.group),
        reason: format!(
            "with this group {slots} connections may be open at once, each of which needs a port"
        ),
        allowed: format!("at most {MOST_CONNECTIONS} in all"),
        default: DefaultValue::Refused,
    })
}

/// Ports from `FIRST` of the driver on.
const MOST_CONNECTIONS: u64 = 65_536 - 1024;

/// The queues of `model` that the kernel cannot have in place of ours.
fn queues(linux: &Linux, model: &Model) -> Vec<Refusal> {
    let mut found = Vec::new();
    for (number, link) in model.links.iter().enumerate() {
        let Err((parameter, reason)) = linux.queue(model, number) else { continue };
        let table = if link.name.starts_with("bottleneck") { "path" } else { "network" };
        let parameter = if parameter.is_empty() { String::new() } else { format!(".{parameter}") };
        found.push(Refusal {
            key: format!("{table}.queue{parameter}"),
            reason: format!("{reason} (--queue {})", linux.queues.text()),
            allowed: "droptail, codel, fq-codel, pie, fq-pie, cake, red".to_owned(),
            default: if parameter.is_empty() { DefaultValue::Refused } else { DefaultValue::Replaced(None) },
        });
    }
    found
}

/// Why a kernel with `algorithms` does not have `algorithm` with its parameters; `None` if it does.
fn reason(algorithm: &Control, algorithms: &[String]) -> Option<String> {
    if matches!(algorithm, Control::External(_)) {
        return Some("the kernel cannot load it".to_owned());
    }
    let Needs { transport, .. } = algorithm.needs();
    if matches!(transport, Transport::Datagram(_)) {
        return Some("the kernel's TCP sends no datagrams".to_owned());
    }
    let Some(name) = kernel_name(algorithm).filter(|name| algorithms.iter().any(|own| own == name)) else {
        return Some(format!("the kernel has no {}", algorithm.name()));
    };
    // The kernel's parameters belong to its module and to all flows.
    let changed =
        matches!(algorithm, Control::Listed(listed) if listed.values != listed.entry.card.defaults());
    changed.then(|| format!("the kernel's {name} has its own parameters, not those of {algorithm}"))
}

/// Why the kernel does not run `algorithm` as the scenario says, with `ecn` or without; `None` if it does.
fn lacks_ecn(algorithm: &Control, ecn: bool) -> Option<String> {
    let name = kernel_name(algorithm).filter(|name| !ecn && NEEDING_ECN.contains(name))?;
    Some(format!("the kernel's {name} asks for ECN itself, and without it is reno: it needs ecn = true"))
}

/// Algorithms of the kernel with `TCP_CONG_NEEDS_ECN`.
const NEEDING_ECN: &[&str] = &["dctcp"];

/// How a flow of `algorithm` starts in the kernel.
fn slow_start(algorithm: &Control) -> SlowStartKind {
    if kernel_name(algorithm) == Some("cubic") { SlowStartKind::HyStart } else { SlowStartKind::Standard }
}

/// The value that `model` gives the setting `name` of its hosts; `None` if it leaves it.
pub fn setting<'m>(model: &'m Model, name: &str) -> Option<&'m str> {
    let of_name = |(own, _): &&(String, String)| own.replace('/', ".") == name;
    model.linux.sysctls.iter().rev().find(of_name).map(|(_, value)| value.as_str())
}

/// Bytes of the headers of IP and TCP, with timestamps unless a setting of `model` removes them.
fn header(model: &Model) -> Bytes {
    Bytes::new(if setting(model, "net.ipv4.tcp_timestamps") == Some("0") { 40 } else { 52 })
}

/// What a kernel has where a key of `[transport]` has another value.
enum KernelValue {
    /// What the key without a value stands for, such as `infinite`.
    Absent(&'static str),
    /// The value of this number or flag.
    Plain(&'static str),
    /// The value of this text.
    Text(String),
    /// The value of this number, unless this key of the scenario file says otherwise.
    Unless(&'static str, &'static str),
}

impl KernelValue {
    /// The value of TOML; `None` where the absence of the key is meant.
    fn toml(&self) -> Option<String> {
        match self {
            Self::Absent(_) => None,
            Self::Plain(value) | Self::Unless(value, _) => Some((*value).to_owned()),
            Self::Text(value) => Some(format!("{value:?}")),
        }
    }
}

impl fmt::Display for KernelValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(value) | Self::Plain(value) => out.write_str(value),
            Self::Text(value) => out.write_str(value),
            Self::Unless(value, key) => write!(out, "{value}, and {key}"),
        }
    }
}

/// Keys of `[transport]` whose values are not those of a kernel with this slow start, these headers and `gso`, each with what
/// the kernel has.
fn differences(
    options: &TransportOptions,
    slow_start: SlowStartKind,
    header: Bytes,
    gso: bool,
) -> Vec<(&'static str, KernelValue)> {
    let text = |value: &str| KernelValue::Text(value.to_owned());
    let start = if slow_start == SlowStartKind::HyStart { "hystart" } else { "standard" };
    let flag = |value: bool| KernelValue::Plain(if value { "true" } else { "false" });
    [
        (options.recovery != RecoveryKind::Rack, "recovery", text("rack")),
        (!options.proportional_rate_reduction, "proportional_rate_reduction", flag(true)),
        (!options.limited_transmit, "limited_transmit", flag(true)),
        (!options.window_validation, "window_validation", flag(true)),
        (options.initial_window != 10, "initial_window", text("10pkt")),
        (options.initial_ssthresh.is_some(), "initial_ssthresh", KernelValue::Absent("infinite")),
        (options.slow_start != slow_start, "slow_start", text(start)),
        (options.ack_counting != AckCounting::Segments, "ack_counting", text("segments")),
        (options.quick_start.is_some(), "quick_start", KernelValue::Absent("none")),
        (options.first_cut != FirstCut::Rule, "first_cut", text("rule")),
        (options.receive_window.is_some(), "receive_window", KernelValue::Absent("infinite")),
        (!options.receive_autotuning, "receive_autotuning", flag(true)),
        (options.undo != UndoKind::DuplicatesAndTimestamps, "undo", text("dsack+timestamps")),
        (options.frto != ForwardRtoKind::Linux, "frto", text("linux")),
        (!options.idle_restart, "idle_restart", flag(true)),
        (options.restart_window != RestartWindow::Halved, "restart_window", text("halved")),
        (options.pacing, "pacing", flag(false)),
        (!options.pacing_credit, "pacing_credit", flag(true)),
        (options.header != header, "header", KernelValue::Text(header.to_string())),
        (options.ack != header, "ack", KernelValue::Text(header.to_string())),
        (options.delayed_ack != 2, "delayed_ack", KernelValue::Plain("2")),
        (options.delayed_ack_timeout != Span::from_ms(40), "delayed_ack_timeout", text("40ms")),
        (!options.quick_ack, "quick_ack", flag(true)),
        (options.segmentation_offload != 1, "segmentation_offload", KernelValue::Unless("1", "linux.gso")),
        (options.tso_autosizing != gso, "tso_autosizing", flag(gso)),
        (options.receive_offload != 1, "receive_offload", KernelValue::Plain("1")),
        (options.ack_division != 1, "ack_division", KernelValue::Plain("1")),
        (options.optimistic_ack != 0, "optimistic_ack", KernelValue::Plain("0")),
        (options.hide_ce, "hide_ce", flag(false)),
        (options.rtt_clock != Span::ZERO, "rtt_clock", text("0s")),
        (options.timer_tick != Span::from_ms(4), "timer_tick", text("4ms")),
        (options.rto != RtoRule::Linux, "rto", text("linux")),
        (options.rto_restart != RtoRestart::Head, "rto_restart", text("head")),
        (options.initial_rto != Span::from_ms(1_000), "initial_rto", text("1s")),
        (options.min_rto != Span::from_ms(200), "min_rto", text("200ms")),
        (options.max_rto != Span::from_ms(120_000), "max_rto", text("120s")),
        (
            options.syn_retries != 6,
            "syn_retries",
            KernelValue::Unless("6", "net.ipv4.tcp_syn_retries in linux.sysctl"),
        ),
        (
            options.retries != 15,
            "retries",
            KernelValue::Unless("15", "net.ipv4.tcp_retries2 in linux.sysctl"),
        ),
    ]
    .into_iter()
    .filter(|(differs, ..)| *differs)
    .map(|(_, key, value)| (key, value))
    .collect()
}
