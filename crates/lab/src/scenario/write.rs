//! The resolved scenario as a file: valid input again, with every default written out.

pub(super) mod distribution;
mod network;
pub(super) mod queue;
pub(super) mod transfers;

use super::resolve::{Endpoint, Ground, Resolved, Unit};
use crate::algorithm::Control;
use crate::model::{Demand, LossModel, RateModel, SourceModel, Start, Step, Trace};
use crate::network::dumbbell::Direction;
use crate::network::{Course, Group};
use crate::traffic::Spans;
use narrows_cc::catalogue::{FirstCut, SlowStartKind, Value};
use narrows_qdisc::{Discipline, Limit};
use narrows_transport::{RecoveryKind, RtoRule, UndoKind};
use narrows_units::{Rate, Span};
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

/// How a file is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// By its path, so that it can be read again.
    Path,
    /// By the digest of its content, so that the text does not depend on where it lies.
    Digest,
}

/// The whole file.
pub(super) fn resolved(scenario: &Resolved, naming: Naming) -> String {
    let mut file = File(String::new());
    file.set("title", text(&scenario.title));
    file.set("duration", text(scenario.duration));
    file.set("warmup", scenario.warmup.map_or(text("auto"), text));
    file.set("seed", scenario.seed);
    file.set("replications", scenario.replications);

    match &scenario.ground {
        Ground::Path { settings, dumbbell } => {
            file.heading("[path]");
            file.direction(&dumbbell.forward, settings.forward_trace.as_ref(), naming, scenario);
            file.set("rtt", text(settings.rtt));
            file.set("packet", text(settings.packet));
            file.set("access_rate", text(dumbbell.access_rate));
            file.set("delay", text(dumbbell.delay));
            file.heading("[path.reverse]");
            file.direction(&dumbbell.reverse, settings.reverse_trace.as_ref(), naming, scenario);
        }
        Ground::Network(network) => file.network(network, naming, scenario),
    }

    file.heading("[transport]");
    let shared = endpoint(&scenario.transport);
    for (key, value) in &shared {
        file.set(key, value);
    }
    for (group, preset) in scenario.groups.iter().zip(&scenario.presets) {
        file.heading("[[flows]]");
        file.group(group, &scenario.ground, naming);
        let own = Endpoint { preset, options: group.transport.clone(), send_delay: group.send_delay };
        // What differs from [transport]: the rest is said there.
        for ((key, value), _) in endpoint(&own).iter().zip(&shared).filter(|(own, shared)| own != shared) {
            file.set(key, value);
        }
    }

    file.heading("[record]");
    file.set("interval", text(scenario.recording.model.interval));
    file.set("flows", text(if scenario.recording.model.flows { "all" } else { "none" }));
    let transfers = match scenario.recording.model.transfers {
        0 => "none",
        u64::MAX => "all",
        _ => "auto",
    };
    file.set("transfers", text(transfers));
    file.set("packets", scenario.recording.model.packets.is_some());
    if let Some(limit) = scenario.recording.model.packets {
        file.set("packet_limit", limit);
    }
    for expectation in &scenario.expectations {
        file.heading("[[expect]]");
        file.set("measure", text(&expectation.measure));
        let names = [("group", &expectation.group), ("link", &expectation.link)];
        for (key, name) in names {
            if let Some(name) = name {
                file.set(key, text(name));
            }
        }
        for (key, bound) in [("at_least", expectation.at_least), ("at_most", expectation.at_most)] {
            if let Some(bound) = bound {
                file.set(key, number(bound));
            }
        }
    }
    file.0
}

/// What waits at most, in all four units: packets, bytes, time and bandwidth-delay products.
pub(super) fn limit_in_words(limit: Limit, scenario: &Resolved, rate: &RateModel) -> String {
    let packet = scenario.ground.packet().count() as f64;
    let bytes = match limit {
        Limit::Unlimited => return "unlimited".into(),
        Limit::Packets(packets) => packets as f64 * packet,
        Limit::Bytes(bytes) => bytes as f64,
    };
    let bytes_per_second = rate.mean_bps(scenario.duration) / 8.0;
    let seconds = bytes / bytes_per_second;
    let bdp = bytes / (bytes_per_second * scenario.ground.rtt().as_secs_f64());
    format!(
        "{:.6}pkt = {bytes}B = {:.6}ms = {:.6}bdp",
        Short(bytes / packet),
        Short(seconds * 1e3),
        Short(bdp)
    )
}

/// A number to so many decimals as the precision says, without trailing zeros.
pub(super) struct Short(pub f64);

impl Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let decimals = f.precision().unwrap_or(3);
        let digits = format!("{:.decimals$}", self.0);
        let short =
            if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
        f.write_str(short)
    }
}

struct File(String);

impl File {
    fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.0, "\n{heading}");
    }

    fn set(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn direction(
        &mut self,
        direction: &Direction,
        trace: Option<&PathBuf>,
        naming: Naming,
        scenario: &Resolved,
    ) {
        self.set("rate", rate(&direction.rate, trace.map(PathBuf::as_path), naming));
        let words = limit_in_words(limit(&direction.queue), scenario, &direction.rate);
        self.set("queue", format!("{}  # limit: {words}", queue::table(&direction.queue, &scenario.groups)));
        if let Some(loss) = &direction.loss {
            self.set("loss", loss_table(loss));
        }
    }

    fn group(&mut self, group: &Group, ground: &Ground, naming: Naming) {
        self.set("name", text(&group.name));
        self.set("algorithm", algorithm(&group.algorithm, naming));
        self.set("subject", group.subject);
        if group.transfers.as_ref().is_none_or(|it| matches!(it.demand, Demand::Users { .. })) {
            self.set("count", group.count);
        }
        self.set(
            "start",
            match group.start {
                Start::At(at) => text(at),
                Start::Between(first, last) => text(format!("{first}..{last}")),
            },
        );
        let size = group.size.as_ref();
        self.set("size", size.map_or(text("unlimited"), |size| distribution::table(&size.0, Unit::Bytes)));
        if group.course != Course::Edges {
            self.set("rtt", distribution::table(&group.rtt.0, Unit::Seconds));
        }
        match (&group.course, ground) {
            (Course::Routers(trip), Ground::Network(network)) => self.trip(trip, network),
            (Course::Edges, _) => self.set("between", text("edges")),
            (course, _) => {
                self.set("direction", text(if *course == Course::Reverse { "reverse" } else { "forward" }));
            }
        }
        let transfers = group.transfers.as_ref();
        self.set(
            "source",
            transfers.map_or_else(|| source(&group.source), |it| transfers::table(it, naming)),
        );
    }
}

/// What waits at most, whatever the discipline.
pub(super) fn limit(queue: &Discipline) -> Limit {
    queue.limit()
}

/// A TOML string.
fn text(value: impl Display) -> String {
    let mut quoted = String::from("\"");
    for c in value.to_string().chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A TOML float with all its digits.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn rate(rate: &RateModel, file: Option<&Path>, naming: Naming) -> String {
    match rate {
        RateModel::Constant(rate) => text(rate),
        RateModel::Steps(steps) => {
            let rates: Vec<String> = steps.iter().map(|(_, rate)| text(rate)).collect();
            let times: Vec<String> = steps.iter().map(|(at, _)| text(at)).collect();
            format!("{{ kind = \"steps\", rates = [{}], times = [{}] }}", rates.join(", "), times.join(", "))
        }
        RateModel::Square { high, low, period, duty } => format!(
            "{{ kind = \"square\", high = {}, low = {}, period = {}, duty = {} }}",
            text(high),
            text(low),
            text(period),
            number(*duty)
        ),
        RateModel::Walk { start, step, minimum, maximum, interval } => {
            let (kind, step) = match step {
                Step::Fixed(step) => ("walk", format!("step = {}", text(step))),
                Step::Mirrored(step) => ("walk", format!("step = {}, steps = \"uniform\"", text(step))),
                Step::Clipped(step) => {
                    ("walk", format!("step = {}, steps = \"uniform\", bounds = \"clip\"", text(step)))
                }
                Step::Additive(step) => ("additive-walk", format!("step = {}", text(step))),
                Step::Multiplicative(factor) => {
                    ("multiplicative-walk", format!("factor = {}", number(*factor)))
                }
            };
            let bounds = bounds(*minimum, *maximum, *interval);
            format!("{{ kind = \"{kind}\", start = {}, {step}, {bounds} }}", text(start))
        }
        RateModel::Uniform { minimum, maximum, interval } => {
            format!("{{ kind = \"uniform\", {} }}", bounds(*minimum, *maximum, *interval))
        }
        RateModel::Trace(trace) => {
            format!("{{ kind = \"trace\", trace = {} }}", text(name(trace, file, naming)))
        }
    }
}

fn source(source: &SourceModel) -> String {
    let spans = |spans: &Spans| distribution::table(&spans.0, Unit::Seconds);
    match source {
        SourceModel::Bulk => "{ kind = \"bulk\" }".into(),
        SourceModel::Rate(model) => {
            format!("{{ kind = \"cbr\", rate = {} }}", rate(model, None, Naming::Path))
        }
        SourceModel::Leaving { left, .. } => {
            format!("{{ kind = \"cbr\", leaves = {} }}", rate(left, None, Naming::Path))
        }
        SourceModel::Sharing { left, others, .. } => {
            let left = rate(left, None, Naming::Path);
            format!("{{ kind = \"cbr\", leaves = {left}, sharing = {others} }}")
        }
        SourceModel::OnOff { rate, on, off } => {
            format!("{{ kind = \"onoff\", rate = {}, on = {}, off = {} }}", text(rate), spans(on), spans(off))
        }
        SourceModel::Writes { interval, size } => format!(
            "{{ kind = \"writes\", interval = {}, size = {} }}",
            spans(interval),
            distribution::table(&size.0, Unit::Bytes)
        ),
    }
}

fn bounds(minimum: Rate, maximum: Rate, interval: Span) -> String {
    format!("minimum = {}, maximum = {}, interval = {}", text(minimum), text(maximum), text(interval))
}

fn name(trace: &Trace, file: Option<&Path>, naming: Naming) -> String {
    match file {
        Some(file) if naming == Naming::Path => file.to_string_lossy().into_owned(),
        _ => format!("sha256:{}", trace.digest),
    }
}

fn loss_table(loss: &LossModel) -> String {
    match loss {
        LossModel::Bernoulli { rate } => format!("{{ kind = \"bernoulli\", rate = {} }}", number(*rate)),
        LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => format!(
            "{{ kind = \"gilbert-elliott\", good_to_bad = {}, bad_to_good = {}, loss_good = {}, loss_bad = {} }}",
            number(*good_to_bad),
            number(*bad_to_good),
            number(*loss_good),
            number(*loss_bad)
        ),
    }
}

fn algorithm(control: &Control, naming: Naming) -> String {
    let (name, values): (String, Vec<(&str, &Value)>) = match control {
        Control::Listed(algorithm) => (algorithm.entry.name.to_owned(), algorithm.values.iter().collect()),
        Control::Guest(guest) => {
            let file = match naming {
                Naming::Path => guest.file.to_string_lossy().into_owned(),
                Naming::Digest => format!("sha256:{}", guest.guest.digest()),
            };
            let parameters = guest.parameters.iter().map(|(name, value)| (name.as_str(), value));
            (format!("{file}:{}", guest.name), parameters.collect())
        }
    };
    let mut table = format!("{{ name = {}", text(name));
    for (name, value) in values {
        let value = match value {
            Value::Number(value) if value.is_finite() => number(*value),
            // TOML's own spelling.
            Value::Number(value) => format!("{value}").to_lowercase(),
            Value::Flag(flag) => flag.to_string(),
            Value::Word(word) => text(word),
        };
        let _ = write!(table, ", {name} = {value}");
    }
    table + " }"
}

/// Every key of `[transport]` with its value.
fn endpoint(endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    let options = &endpoint.options;
    let packets =
        |window: Option<u64>| window.map_or(text("infinite"), |packets| text(format!("{packets}pkt")));
    let recovery = match options.recovery {
        RecoveryKind::Reno => "reno",
        RecoveryKind::NewReno => "newreno",
        RecoveryKind::Sack => "sack",
        RecoveryKind::Rack => "rack",
    };
    let slow_start = match options.slow_start {
        SlowStartKind::Standard => "standard",
        SlowStartKind::HyStart => "hystart",
        SlowStartKind::Limited => "limited",
        SlowStartKind::HyStartPlusPlus => "hystart++",
    };
    let first_cut = match options.first_cut {
        FirstCut::Rule => "rule",
        FirstCut::Half => "half",
    };
    let undo = match options.undo {
        UndoKind::None => "none",
        UndoKind::Duplicates => "dsack",
        UndoKind::DuplicatesAndTimestamps => "dsack+timestamps",
    };
    let rto = match options.rto {
        RtoRule::Rfc6298 => "rfc6298",
        RtoRule::Linux => "linux",
    };
    vec![
        ("preset", text(endpoint.preset)),
        ("recovery", text(recovery)),
        ("proportional_rate_reduction", options.proportional_rate_reduction.to_string()),
        ("limited_transmit", options.limited_transmit.to_string()),
        ("initial_window", packets(Some(options.initial_window))),
        ("initial_ssthresh", packets(options.initial_ssthresh)),
        ("slow_start", text(slow_start)),
        ("quick_start", options.quick_start.map_or(text("none"), |ask| text(ask.rate))),
        ("quick_start_ssthresh", options.quick_start.is_some_and(|ask| ask.ends_slow_start).to_string()),
        ("first_cut", text(first_cut)),
        ("receive_window", packets(options.receive_window)),
        ("undo", text(undo)),
        ("idle_restart", options.idle_restart.to_string()),
        ("pacing", options.pacing.to_string()),
        ("ecn", options.ecn.to_string()),
        ("header", text(options.header)),
        ("ack", text(options.ack)),
        ("delayed_ack", options.delayed_ack.to_string()),
        ("delayed_ack_timeout", text(options.delayed_ack_timeout)),
        ("quick_ack", options.quick_ack.to_string()),
        ("rto", text(rto)),
        ("initial_rto", text(options.initial_rto)),
        ("min_rto", text(options.min_rto)),
        ("max_rto", text(options.max_rto)),
        ("syn_retries", options.syn_retries.to_string()),
        ("retries", options.retries.to_string()),
        ("send_delay", text(endpoint.send_delay)),
    ]
}
