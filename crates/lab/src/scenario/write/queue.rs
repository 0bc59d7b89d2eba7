//! A queue as an inline table.

use super::{number, text};
use narrows_qdisc::quick_start::Encoding;
use narrows_qdisc::{Discipline, Limit, codel, drr, quick_start, rcp, red, xcp};
use narrows_units::Bytes;

/// The table with every key written out.
pub(super) fn table(queue: &Discipline) -> String {
    let mut keys = vec![("kind", text(queue.name()))];
    match queue {
        Discipline::Xcp(xcp::Config { discipline, .. })
        | Discipline::Rcp(rcp::Config { discipline, .. })
        | Discipline::QuickStart(quick_start::Config { discipline, .. }) => {
            keys.push(("discipline", table(discipline)));
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
        other => unreachable!("the keys know no queue of kind {}", other.name()),
    }
    let keys: Vec<String> = keys.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
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
