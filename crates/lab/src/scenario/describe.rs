//! What a scenario runs, in words, for the head of a report.

mod network;

use super::resolve::{Endpoint, Ground, PathSettings, Resolved, Unit};
use super::write::queue::of_groups;
use super::write::{Short, limit, limit_in_words};
use super::write::{distribution, transfers};
use crate::model::{LossModel, RateModel, SourceModel, Start, Step};
use crate::network::dumbbell::{Direction, Dumbbell};
use crate::network::{Course, Group};
use crate::traffic::Spans;
use narrows_cc::catalogue::{FirstCut, SlowStartKind};
use narrows_qdisc::{Discipline, red, rio};
use narrows_transport::{RecoveryKind, TransportOptions, UndoKind};

/// Title and text of each paragraph.
pub(super) fn describe(scenario: &Resolved) -> Vec<(String, String)> {
    let mut words = vec![("Run".to_owned(), run(scenario))];
    match &scenario.ground {
        Ground::Path { settings, dumbbell } => {
            words.push(("Bottleneck".to_owned(), bottleneck(settings, dumbbell, scenario)));
            words.push(("Reverse direction".to_owned(), direction(&dumbbell.reverse, scenario)));
        }
        Ground::Network(network) => words.extend(network::paragraphs(network, scenario)),
    }
    for (group, preset) in scenario.groups.iter().zip(&scenario.presets) {
        words.push((format!("Group {}", group.name), flows(group, preset, &scenario.ground)));
    }
    words.push(("Records".to_owned(), records(scenario)));
    for expectation in &scenario.expectations {
        let of = expectation.link.as_deref().or(expectation.group.as_deref()).unwrap_or("every group");
        let least = expectation.at_least.map(|bound| format!("at least {bound}"));
        let most = expectation.at_most.map(|bound| format!("at most {bound}"));
        let bounds = [least, most].into_iter().flatten().collect::<Vec<_>>().join(" and ");
        words.push(("Expected".to_owned(), format!("{} of {of} {bounds}", expectation.measure)));
    }
    words
}

fn run(scenario: &Resolved) -> String {
    let measured = match scenario.warmup {
        Some(warmup) => format!("from {warmup} on"),
        None => "from where it has settled (MSER-5)".into(),
    };
    let times =
        if scenario.replications == 1 { "once".into() } else { format!("{} times", scenario.replications) };
    format!("{} simulated {times}, measured {measured}, seed {}", scenario.duration, scenario.seed)
}

fn bottleneck(path: &PathSettings, dumbbell: &Dumbbell, scenario: &Resolved) -> String {
    format!(
        "{}; {} one way; packets of {}; access links of {}; the bandwidth-delay product counts a round trip of {}",
        direction(&dumbbell.forward, scenario),
        dumbbell.delay,
        path.packet,
        dumbbell.access_rate,
        path.rtt
    )
}

fn direction(direction: &Direction, scenario: &Resolved) -> String {
    let queue = queue(&direction.queue, &scenario.groups);
    let limit = limit_in_words(limit(&direction.queue), scenario, &direction.rate);
    let loss = direction.loss.as_ref().map_or(String::new(), |each| format!("; {}", loss(each)));
    format!("{}; {queue}, limit {limit}{loss}", rate(&direction.rate))
}

fn rate(rate: &RateModel) -> String {
    match rate {
        RateModel::Constant(rate) => rate.to_string(),
        RateModel::Steps(steps) => {
            let steps: Vec<String> = steps.iter().map(|(at, rate)| format!("{rate} from {at}")).collect();
            steps.join(", ")
        }
        RateModel::Square { high, low, period, duty } => {
            format!(
                "a square wave of {high} for {:.4} % of every {period} and {low} for the rest",
                Short(duty * 100.0)
            )
        }
        RateModel::Walk { start, step, minimum, maximum, interval } => {
            let step = match step {
                Step::Fixed(step) => format!("in steps of {step}"),
                Step::Mirrored(step) => format!("in uniform steps of up to {step}, mirrored"),
                Step::Clipped(step) => format!("in uniform steps of up to {step}, clipped"),
                Step::Additive(step) => format!("to a rate uniform from 0 to {step} more"),
                Step::Multiplicative(factor) => format!("to a rate uniform from 0 to {factor} times as much"),
            };
            format!("a random walk from {start} {step} every {interval}, between {minimum} and {maximum}")
        }
        RateModel::Uniform { minimum, maximum, interval } => {
            format!("a new rate every {interval}, uniform between {minimum} and {maximum}")
        }
        RateModel::Trace(trace) => format!(
            "the recorded link {}, {:.3} Mbps on average, repeated every {} (SHA-256 {})",
            trace.name,
            Short(trace.mean_bps() / 1e6),
            trace.period,
            trace.digest
        ),
    }
}

fn queue(queue: &Discipline, groups: &[Group]) -> String {
    match queue {
        Discipline::DropTail(_) => "DropTail".into(),
        Discipline::Red(config) => early(config),
        Discipline::Priority(config) => {
            let classes: Vec<String> = of_groups(&config.classes, groups)
                .map(|(name, class)| format!("{name} in {class}"))
                .collect();
            format!("strict priority with the classes {}", classes.join(", "))
        }
        Discipline::Rio(config) => {
            let inside = of_groups(&config.classes, groups).filter(|(_, class)| *class == 0);
            let inside: Vec<&str> = inside.map(|(name, _)| name).collect();
            let unit = unit(config.unit);
            let signal = if config.ecn { "marking" } else { "dropping" };
            let ramp = |ramp: &rio::Ramp| {
                format!("between {} and {} {unit} with probability up to {}", ramp.min, ramp.max, ramp.max_p)
            };
            format!(
                "RIO {signal} In ({}) {} and all others {}, weight {}",
                if inside.is_empty() { "nobody".into() } else { inside.join(", ") },
                ramp(&config.inside),
                ramp(&config.outside),
                config.weight
            )
        }
        other => other.name().to_owned(),
    }
}

fn unit(unit: red::Unit) -> &'static str {
    match unit {
        red::Unit::Packets => "packets",
        red::Unit::Bytes => "bytes",
    }
}

fn early(config: &red::Config) -> String {
    let unit = unit(config.unit);
    let signal = if config.ecn { "marking" } else { "dropping" };
    let gentle = if config.gentle { ", gentle" } else { "" };
    format!(
        "RED {signal} between {} and {} {unit} with probability up to {}, weight {}{gentle}",
        config.min, config.max, config.max_p, config.weight
    )
}

fn loss(loss: &LossModel) -> String {
    let percent = |fraction: f64| format!("{:.6} %", Short(fraction * 100.0));
    match *loss {
        LossModel::Bernoulli { rate } => format!("{} of packets lost at random", percent(rate)),
        LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => format!(
            "packets lost in two states: {} in the good, left with {}, and {} in the bad, left with {}",
            percent(loss_good),
            percent(good_to_bad),
            percent(loss_bad),
            percent(bad_to_good)
        ),
    }
}

fn flows(group: &Group, preset: &str, ground: &Ground) -> String {
    let count = match &group.transfers {
        Some(source) => transfers::words(group, source),
        None if group.count == 1 => "1 flow".into(),
        None => format!("{} flows", group.count),
    };
    let subject = if group.subject { " (put to the test)" } else { "" };
    let start = match group.start {
        Start::At(at) => format!("from {at}"),
        Start::Between(first, last) => format!("from a random time between {first} and {last}"),
    };
    let recorded = group.transfers.as_ref().is_some_and(|transfers| transfers.file.is_some());
    let size = match &group.size {
        Some(size) => format!("{} each", distribution::words(&size.0, Unit::Bytes)),
        None if recorded => "sizes as recorded".into(),
        None => "endless".into(),
    };
    let rtt = match &group.transfers {
        Some(transfers) if transfers.has_recorded_round_trips() => "as recorded".into(),
        _ => distribution::words(&group.rtt.0, Unit::Seconds),
    };
    let direction = match (&group.course, ground) {
        (Course::Routers(trip), Ground::Network(network)) => network::trip(trip, network),
        (Course::Edges, _) => ", from each edge to every other".into(),
        (Course::Reverse, _) => ", in the reverse direction".into(),
        _ => String::new(),
    };
    let own = Endpoint { preset: "", options: group.transport.clone(), send_delay: group.send_delay };
    format!(
        "{count} of {}{subject}, {size}{}, {start}, round trip {rtt}{direction}; preset {preset}: {}",
        group.algorithm,
        source(&group.source),
        endpoint(&own)
    )
}

fn source(source: &SourceModel) -> String {
    let spans = |spans: &Spans| distribution::words(&spans.0, Unit::Seconds);
    match source {
        SourceModel::Bulk => String::new(),
        SourceModel::Rate(model) => format!(", sending at {}", rate(model)),
        SourceModel::Leaving { whole, left } => {
            format!(", sending at what is left of {whole} by {}", rate(left))
        }
        SourceModel::Sharing { whole, left, others, .. } => {
            let left = rate(left);
            format!(
                ", as many sending as leave {others} others of equal shares what is left of {whole}: {left}"
            )
        }
        SourceModel::OnOff { rate, on, off } => {
            format!(", sending at {rate}, on for {} and off for {}", spans(on), spans(off))
        }
        SourceModel::Writes { interval, size } => {
            let size = distribution::words(&size.0, Unit::Bytes);
            format!(", written {size} at a time, every {}", spans(interval))
        }
    }
}

fn endpoint(endpoint: &Endpoint) -> String {
    let TransportOptions { recovery, delayed_ack, header, ack, initial_window, mss, .. } = &endpoint.options;
    let recovery = match recovery {
        RecoveryKind::Reno => "Reno recovery",
        RecoveryKind::NewReno => "NewReno recovery",
        RecoveryKind::Sack => "SACK recovery",
        RecoveryKind::Rack => "RACK recovery",
    };
    let acks = if *delayed_ack == 1 {
        "every segment acknowledged".into()
    } else {
        format!("an ACK per {delayed_ack} segments")
    };
    let mut words = vec![
        recovery.to_owned(),
        acks,
        format!("initial window {initial_window} packets"),
        format!("{mss} payload and {header} header a packet, ACKs of {ack}"),
    ];
    let options = &endpoint.options;
    let also = [
        (options.slow_start == SlowStartKind::Limited, "limited slow start"),
        (options.slow_start == SlowStartKind::HyStart, "HyStart"),
        (options.slow_start == SlowStartKind::HyStartPlusPlus, "HyStart++"),
        (options.first_cut == FirstCut::Half, "the first cut to half"),
        (options.proportional_rate_reduction, "proportional rate reduction"),
        (options.quick_ack, "quick ACKs at the start"),
        (!options.limited_transmit, "no limited transmit"),
        (options.undo == UndoKind::None, "no undo of false cuts"),
        (options.undo == UndoKind::DuplicatesAndTimestamps, "time stamps"),
        (!options.idle_restart, "no restart after silence"),
        (options.ecn, "ECN"),
        (options.pacing, "paced"),
    ];
    words.extend(also.into_iter().filter(|(on, _)| *on).map(|(_, word)| word.to_owned()));
    if let Some(window) = options.receive_window {
        words.push(format!("receive window {window} packets"));
    }
    if endpoint.send_delay.as_ps() > 0 {
        words.push(format!("each packet delayed at random by up to {}", endpoint.send_delay));
    }
    words.join(", ")
}

fn records(scenario: &Resolved) -> String {
    let recording = &scenario.recording;
    let of = if recording.model.flows { "every flow and link" } else { "links" };
    let widened = recording.widened_from.map_or(String::new(), |written| {
        format!(" (widened from {written}: the series would pass a million rows)")
    });
    let packets = recording.model.packets.map_or(String::new(), |limit| {
        format!("; a log of packets at endpoints and links of up to {limit} entries")
    });
    format!("series of {of} every {}{widened}{packets}", recording.model.interval)
}
