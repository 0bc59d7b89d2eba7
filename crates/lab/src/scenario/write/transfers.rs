//! Sources whose transfers come and go, as a table and in words.

use super::super::resolve::Unit;
use super::{Naming, distribution, number, text};
use crate::model::{Demand, Surge};
use crate::network::{Group, Transfers};
use crate::traffic::Arrivals;
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
            let file = transfers.file.as_ref().expect("recorded arrivals come from a file");
            let name = match naming {
                Naming::Path => file.0.to_string_lossy().into_owned(),
                Naming::Digest => format!("sha256:{}", file.1),
            };
            format!("{{ kind = \"arrivals\", arrivals = {}, concurrent = {} }}", text(name), transfers.seats)
        }
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
