//! Sources whose transfers come and go, as a table and in words.

use super::super::resolve::Unit;
use super::{Naming, distribution, number, text};
use crate::model::{Demand, Surge};
use crate::network::{Group, Transfers};
use crate::traffic::{Arrivals, Connection};
use narrows_units::{Span, Time};

/// The table behind `source`.
pub(super) fn table(transfers: &Transfers, naming: Naming) -> String {
    match &transfers.demand {
        Demand::Users { think, until, patience, .. } => {
            let patience = patience.as_ref();
            format!(
                "{{ kind = \"users\", think = {}, patience = {}, until = {}{} }}",
                distribution::table(think, Unit::Seconds),
                patience.map_or(text("infinite"), |it| distribution::table(it, Unit::Seconds)),
                text(until),
                surges(&transfers.surges)
            )
        }
        Demand::Open(Arrivals::Poisson(steps)) => {
            let (start, until) = (steps[0].0, steps[steps.len() - 1].0);
            let steps = &steps[..steps.len() - 1];
            let times: Vec<String> = steps.iter().map(|(at, _)| text(at.since(start))).collect();
            let intervals: Vec<String> = steps.iter().map(|(_, rate)| interval(*rate)).collect();
            format!(
                "{{ kind = \"poisson-steps\", intervals = [{}], times = [{}], until = {}, concurrent = {} }}",
                intervals.join(", "),
                times.join(", "),
                text(until.since(Time::ZERO)),
                transfers.seats
            )
        }
        Demand::Open(Arrivals::Trace(_) | Arrivals::Periodic { .. }) => {
            let name = file(transfers, naming);
            format!("{{ kind = \"arrivals\", arrivals = {name}, concurrent = {} }}", transfers.seats)
        }
        Demand::Exchanges { connections, .. } => {
            let choice = |recorded: bool| text(if recorded { "recorded" } else { "group" });
            let has_window = |each: &Connection| each.sides.iter().any(|side| side.window.is_some());
            format!(
                "{{ kind = \"vectors\", vectors = {}, rtt = {}, window = {}, share = {} }}",
                file(transfers, naming),
                choice(transfers.has_recorded_round_trips()),
                choice(connections.iter().any(has_window)),
                number(transfers.share)
            )
        }
    }
}

fn file(transfers: &Transfers, naming: Naming) -> String {
    let file = transfers.file.as_ref().expect("what is recorded comes from a file");
    match naming {
        Naming::Path => text(file.0.to_string_lossy()),
        Naming::Digest => text(format!("sha256:{}", file.1)),
    }
}

/// For a reader.
pub(in super::super) fn words(group: &Group, transfers: &Transfers) -> String {
    match &transfers.demand {
        Demand::Users { think, patience, .. } => {
            let patience = patience.as_ref().map_or(String::new(), |it| {
                format!(", patient for {}", distribution::words(it, Unit::Seconds))
            });
            let think = distribution::words(think, Unit::Seconds);
            format!("{} users who think for {think}{patience}", transfers.seats.max(group.count as u32))
        }
        Demand::Open(Arrivals::Poisson(steps)) if steps.len() == 2 => {
            let (every, until) = (Span::from_secs_f64(1.0 / steps[0].1), steps[1].0.since(Time::ZERO));
            format!("Poisson arrivals, one every {every} in the mean, until {until}")
        }
        Demand::Open(Arrivals::Poisson(steps)) => {
            format!("Poisson arrivals at a rate that changes {} times", steps.len() - 1)
        }
        Demand::Open(Arrivals::Trace(records)) => format!("{} recorded arrivals", records.len()),
        Demand::Exchanges { connections, .. } => {
            let bytes =
                |side: usize| connections.iter().map(|each| each.sides[side].size().count()).sum::<u64>();
            let (there, back) = (bytes(0), bytes(1));
            format!(
                "{} recorded connections, {there}B of their initiators and {back}B back",
                connections.len()
            )
        }
        Demand::Open(Arrivals::Periodic { interval, .. }) => format!("an arrival every {interval}"),
    }
}

fn surges(all: &[(Surge, Vec<String>)]) -> String {
    let one = |(surge, at): &(Surge, Vec<String>)| {
        let at: Vec<String> = at.iter().map(text).collect();
        format!(
            "{{ from = {}, until = {}, share = {}, factor = {}, at = [{}] }}",
            text(surge.from),
            text(surge.until),
            number(surge.share),
            number(surge.factor),
            at.join(", ")
        )
    };
    if all.is_empty() {
        return String::new();
    }
    format!(", surges = [{}]", all.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// The mean time between arrivals, from which the rate comes back.
fn interval(rate: f64) -> String {
    if rate > 0.0 { text(Span::from_secs_f64(1.0 / rate)) } else { text("none") }
}
