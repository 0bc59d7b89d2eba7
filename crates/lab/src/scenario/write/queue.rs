//! A queue as an inline table.

use super::{number, text};
use crate::network::{self, Group};
use narrows_qdisc::quick_start::Encoding;
use narrows_qdisc::{Classes, Discipline, Limit, codel, drr, priority, quick_start, rcp, red, rio, xcp};
use narrows_units::Bytes;
use narrows_wire::FlowId;

/// The table with every key written out; `groups` are all groups of flows.
pub(super) fn table(queue: &Discipline, groups: &[Group]) -> String {
    let mut keys = vec![("kind", text(queue.name()))];
    match queue {
        Discipline::Xcp(xcp::Config { discipline, .. })
        | Discipline::Rcp(rcp::Config { discipline, .. })
        | Discipline::QuickStart(quick_start::Config { discipline, .. }) => {
            keys.push(("discipline", table(discipline, groups)));
        }
        _ => keys.push(("limit", limit(queue.limit()))),
    }
    match queue {
        Discipline::DropTail(_) => {}
        Discipline::Red(config) => {
            keys.extend([
                ("min", length(config.unit, config.min)),
                ("max", length(config.unit, config.max)),
                ("max_p", number(config.max_p)),
                ("weight", number(config.weight)),
                ("gentle", config.gentle.to_string()),
                ("wait", config.wait.to_string()),
                ("ecn", config.ecn.to_string()),
                ("adaptive", config.adaptive.to_string()),
            ]);
        }
        Discipline::Drr(config) => {
            let drop = match config.drop {
                drr::End::Head => "head",
                drr::End::Tail => "tail",
            };
            keys.extend([("quantum", text(config.quantum)), ("drop", text(drop))]);
        }
        Discipline::Step(config) => keys.push(("threshold", limit(config.threshold))),
        Discipline::Codel(config) => {
            keys.extend(control(&config.control));
            keys.push(("ecn", config.ecn.to_string()));
        }
        Discipline::FqCodel(config) => {
            keys.extend(control(&config.control));
            keys.extend([
                ("quantum", text(config.quantum)),
                ("flows", config.queues.to_string()),
                ("ecn", config.ecn.to_string()),
            ]);
        }
        Discipline::Pie(config) => keys.extend([
            ("target", text(config.target)),
            ("update", text(config.update)),
            ("alpha", number(config.alpha)),
            ("beta", number(config.beta)),
            ("burst", text(config.burst)),
            ("ecn", config.ecn.to_string()),
        ]),
        Discipline::DualPi2(config) => keys.extend([
            ("target", text(config.target)),
            ("update", text(config.update)),
            ("alpha", number(config.alpha)),
            ("beta", number(config.beta)),
            ("coupling", number(config.coupling)),
            ("step", text(config.step)),
            ("classic_share", number(config.classic_share)),
        ]),
        Discipline::Xcp(config) => keys.extend([
            ("alpha", number(config.alpha)),
            ("beta", number(config.beta)),
            ("gamma", number(config.gamma)),
            ("min_interval", text(config.min_interval)),
            ("max_interval", text(config.max_interval)),
            ("initial_interval", text(config.initial_interval)),
        ]),
        Discipline::Rcp(config) => keys.extend([
            ("alpha", number(config.alpha)),
            ("beta", number(config.beta)),
            ("gain", number(config.gain)),
            ("interval", text(config.interval)),
            ("initial", number(config.initial)),
        ]),
        Discipline::QuickStart(config) => {
            let encoding = match config.encoding {
                Encoding::Rfc4782 => "rfc4782",
                Encoding::Linear => "linear",
                Encoding::Exact => "exact",
            };
            keys.extend([
                ("threshold", number(config.threshold)),
                ("share", number(config.share)),
                ("interval", text(config.interval)),
                ("encoding", text(encoding)),
            ]);
        }
        Discipline::Priority(config) => keys.extend(classes(config, groups)),
        Discipline::Rio(config) => keys.extend(precedences(config, groups)),
    }
    let keys: Vec<String> = keys.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
}

fn classes(config: &priority::Config, groups: &[Group]) -> [(&'static str, String); 2] {
    let classes: Vec<String> =
        of_groups(&config.classes, groups).map(|(name, class)| format!("{} = {class}", text(name))).collect();
    let limits: Vec<String> = config.limits.iter().map(|each| limit(*each)).collect();
    [("classes", format!("{{ {} }}", classes.join(", "))), ("limits", format!("[{}]", limits.join(", ")))]
}

fn precedences(config: &rio::Config, groups: &[Group]) -> [(&'static str, String); 11] {
    let inside = of_groups(&config.classes, groups).filter(|(_, class)| *class == 0);
    let inside: Vec<String> = inside.map(|(name, _)| text(name)).collect();
    [
        ("in", format!("[{}]", inside.join(", "))),
        ("in_min", length(config.unit, config.inside.min)),
        ("in_max", length(config.unit, config.inside.max)),
        ("in_max_p", number(config.inside.max_p)),
        ("out_min", length(config.unit, config.outside.min)),
        ("out_max", length(config.unit, config.outside.max)),
        ("out_max_p", number(config.outside.max_p)),
        ("weight", number(config.weight)),
        ("gentle", config.gentle.to_string()),
        ("wait", config.wait.to_string()),
        ("ecn", config.ecn.to_string()),
    ]
}

/// Every group with the class of its flows.
pub(in super::super) fn of_groups<'a>(
    classes: &'a Classes,
    groups: &'a [Group],
) -> impl Iterator<Item = (&'a str, u8)> {
    let seats = network::seats(&groups.iter().map(Group::seats).collect::<Vec<_>>());
    groups
        .iter()
        .zip(seats)
        .map(|(group, seats)| (group.name.as_str(), classes.of(FlowId::new(seats.start as u32, 0))))
}

fn control(control: &codel::Control) -> [(&'static str, String); 2] {
    [("target", text(control.target)), ("interval", text(control.interval))]
}

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Unlimited => text("infinite"),
        Limit::Packets(packets) => text(format!("{packets}pkt")),
        Limit::Bytes(bytes) => text(Bytes::new(bytes)),
    }
}

fn length(unit: red::Unit, length: f64) -> String {
    match unit {
        red::Unit::Packets => text(format!("{length}pkt")),
        red::Unit::Bytes => text(format!("{length}B")),
    }
}
