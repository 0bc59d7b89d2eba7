//! The sanity section: checks for signs that a run did not do what its author intended.

use crate::metrics::utilization;
use crate::{GroupRecord, LinkDescription, LinkRecord, Records};

/// A check of the sanity section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The condition that should hold, in a few words.
    pub name: &'static str,
    /// Whether it holds; `None` if it does not apply, or if nothing was recorded to decide it.
    pub ok: Option<bool>,
    /// The figures behind the result.
    pub detail: String,
}

/// All checks of a run, in the order in which they are shown.
pub fn checks(records: &Records) -> Vec<Check> {
    let always = [
        saturated(records),
        buffer_filled(records),
        ecn_used(records),
        requests_answered(records),
        control_was_the_limit(records),
        connections_opened(records),
        long_enough(records),
        conserved(records),
    ];
    always.into_iter().chain(packets_logged(records)).chain(warmup_found(records)).collect()
}

fn saturated(records: &Records) -> Check {
    let name = "bottleneck saturated";
    let (description, link) = match bottleneck(records) {
        Ok(found) => found,
        Err(reason) => return Check { name, ok: None, detail: reason },
    };
    let used = utilization(link);
    if used.is_nan() {
        return Check {
            name,
            ok: None,
            detail: format!("the capacity of {} is not known", description.name),
        };
    }
    let detail = format!("{} was used at {:.1} % of its capacity", description.name, used * 100.0);
    Check { name, ok: Some(used >= SATURATED), detail }
}

fn buffer_filled(records: &Records) -> Check {
    let name = "buffer ever full";
    let (description, link) = match bottleneck(records) {
        Ok(found) => found,
        Err(reason) => return Check { name, ok: None, detail: reason },
    };
    let dropped = link.at_end.overflowed - link.at_warmup.overflowed;
    let detail = format!("{dropped} packets found it full; at most {} waited", link.peak_packets);
    Check { name, ok: description.limited.then_some(dropped > 0), detail }
}

fn ecn_used(records: &Records) -> Check {
    let name = "ECN used";
    let on = records.run.groups.iter().any(|group| group.ecn);
    let marked = records.groups.iter().any(|group| group.marked > 0);
    let detail = match (on, marked) {
        (false, _) => "no flow uses ECN",
        (true, true) => "packets were marked",
        (true, false) => "flows use ECN but no packet was marked",
    };
    Check { name, ok: on.then_some(marked), detail: detail.to_owned() }
}

/// A host that sends requests to routers keeps its initial window on a path on which none answers.
fn requests_answered(records: &Records) -> Check {
    let name = "routers answer requests";
    let run = &records.run;
    let queue =
        |group: Option<usize>| group.and_then(|link| run.links.get(link)).map_or("", |link| &link.queue);
    let asking: Vec<(&str, bool)> = run
        .groups
        .iter()
        .filter_map(|group| Some((group.name.as_str(), queue(group.bottleneck) == group.asks?)))
        .collect();
    let alone: Vec<&str> = asking.iter().filter(|(_, answered)| !answered).map(|(name, _)| *name).collect();
    let detail = match (asking.len(), alone.len()) {
        (0, _) => "no flow asks routers for anything".to_owned(),
        (_, 0) => "the bottleneck's queue answers every flow that asks".to_owned(),
        _ => format!("flows of {} ask for what the bottleneck's queue does not answer", alone.join(", ")),
    };
    Check { name, ok: (!asking.is_empty()).then_some(alone.is_empty()), detail }
}

fn control_was_the_limit(records: &Records) -> Check {
    let name = "senders limited by congestion control";
    let sum = |of: fn(&GroupRecord) -> u64| records.groups.iter().map(of).sum::<u64>();
    let calls = sum(|group| group.measured().calls);
    let otherwise = sum(|group| group.measured().otherwise_limited);
    let share = otherwise as f64 / calls.max(1) as f64;
    let detail = format!(
        "something else (receive window, application) held a sender back at {:.1} % of the events after which it had \
         data to send",
        share * 100.0
    );
    Check { name, ok: (calls > 0).then_some(share < OTHERWISE_LIMITED), detail }
}

/// Over the whole run: a connection that is not opened before the warm-up ends is missing afterwards.
fn connections_opened(records: &Records) -> Check {
    let name = "connections opened";
    let sum = |of: fn(&GroupRecord) -> u64| records.groups.iter().map(of).sum::<u64>();
    let opened = sum(|group| group.at_end.established);
    let started = sum(|group| group.at_end.started);
    let gave_up = sum(|group| group.at_end.failed);
    let (mut opening, mut missing) = (0, 0);
    for (group, record) in records.groups.iter().enumerate() {
        let connecting = still_connecting(records, group);
        opening += connecting;
        missing += record.at_end.started.saturating_sub(record.at_end.established + connecting);
    }
    let at_the_end = match opening {
        0 => String::new(),
        _ => format!("; {opening} were being opened when the run ended"),
    };
    let detail = format!("{opened} of {started} connections were opened; {gave_up} gave up{at_the_end}");
    Check { name, ok: Some(missing == 0 && gave_up == 0), detail }
}

/// Connections of `group` that only the end of the run kept from being established. Where flows start during the run there nearly
/// always is one; where none was ever established the end of the run is not the reason.
fn still_connecting(records: &Records, group: usize) -> u64 {
    let record = &records.groups[group];
    let comes_and_goes = records.run.groups.get(group).is_some_and(|group| group.finite);
    if !comes_and_goes || record.at_end.established == 0 {
        return 0;
    }
    record.series.last().map_or(0, |sample| sample.connecting)
}

fn long_enough(records: &Records) -> Check {
    let name = "long enough to measure";
    let cutting = records.connections.iter().filter(|flow| flow.size.is_none() && flow.cuts_window);
    let cycles = cutting.map(|flow| flow.reductions).min();
    let detail = match cycles {
        None => "no endless flow cuts a window at losses".to_owned(),
        Some(cycles) => format!("the flow with the fewest reductions after the warm-up had {cycles}"),
    };
    Check { name, ok: cycles.map(|cycles| cycles >= ENOUGH_CYCLES), detail }
}

/// A run in which packets are not conserved has no records, so this check always holds.
fn conserved(records: &Records) -> Check {
    let hops = records.performance.packet_hops;
    let detail = format!("{hops} packet-hops");
    Check { name: "packets conserved", ok: (hops > 0).then_some(true), detail }
}

fn packets_logged(records: &Records) -> Option<Check> {
    let limit = records.run.packet_limit?;
    let entries = records.packets.rows.len();
    let full_at = records.packets.full_at;
    let detail = match full_at {
        None => format!("{entries} entries"),
        Some(at) => {
            let at = at.as_secs_f64();
            format!("record.packet_limit = {limit} was reached: {entries} entries, the last before {at} s")
        }
    };
    Some(Check { name: "packet log complete", ok: Some(full_at.is_none()), detail })
}

fn warmup_found(records: &Records) -> Option<Check> {
    let (found, end) = (records.run.warmup_found?, records.run.warmup);
    let detail = if found {
        format!("it was over after {end}")
    } else {
        format!("the run did not settle in its first half; measured from {end} on")
    };
    Some(Check { name: "warm-up found", ok: Some(found), detail })
}

/// The bottleneck of the first group whose packets share a link, or the reason why there is none.
fn bottleneck(records: &Records) -> Result<(&LinkDescription, &LinkRecord), String> {
    let run = &records.run;
    let link = run.groups.iter().find_map(|group| group.bottleneck);
    let link = link.ok_or("no group's packets all share a link")?;
    run.links
        .get(link)
        .zip(records.links.get(link))
        .ok_or_else(|| "the bottleneck was not recorded".to_owned())
}

/// Below this a bottleneck is not one.
const SATURATED: f64 = 0.95;
/// From this share of events on, something else than congestion control is being measured.
const OTHERWISE_LIMITED: f64 = 0.05;
/// Fewer sawteeth than this say little about a mean.
const ENOUGH_CYCLES: u64 = 3;
