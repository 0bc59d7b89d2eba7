// SPDX-License-Identifier: Apache-2.0
//! The sanity section: checks for signs that a run did not do what its author intended.

use crate::metrics::{access_queue_delay_s, access_utilization, utilization};
use crate::{ConnectionRecord, GroupDescription, GroupRecord, LinkRecord, Records};
use std::collections::BTreeSet;

/// A check of the sanity section.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The condition that should hold, in a few words.
    pub name: &'static str,
    /// Whether it holds; `None` if it does not apply, or if nothing was recorded to decide it.
    pub ok: Option<bool>,
    /// Severity of a failure in this scenario; `None` unless the check fails.
    pub level: Option<Level>,
    /// The figures behind the result.
    pub detail: String,
    /// Orders replications: the greater, the further the run is from what should hold. In a unit of the check.
    pub shortfall: f64,
}

/// The severity of the failure of a check, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The scenario explains it; it is only worth knowing.
    Note,
    /// The numbers are right, but perhaps not the wanted ones.
    Caution,
    /// The run does not match the scenario; its numbers must not be used.
    Broken,
}

impl Level {
    /// Returns the level as one word: `note`, `caution` or `broken`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Caution => "caution",
            Self::Broken => "broken",
        }
    }
}

impl Check {
    /// A check that holds, or fails with `level`.
    fn new(name: &'static str, ok: bool, level: Level, detail: String) -> Self {
        Self { name, ok: Some(ok), level: (!ok).then_some(level), detail, shortfall: 0.0 }
    }

    /// A check that does not apply, for the reason `detail`.
    fn absent(name: &'static str, detail: String) -> Self {
        Self { name, ok: None, level: None, detail, shortfall: 0.0 }
    }

    /// The check with its shortfall.
    fn short_by(self, shortfall: f64) -> Self {
        Self { shortfall, ..self }
    }
}

/// Returns all checks of a run, in the order in which they are shown.
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
    always
        .into_iter()
        .chain(packets_logged(records))
        .chain(events_logged(records))
        .chain(warmup_found(records))
        .chain(present_throughout(records))
        .chain(nothing_assumed(records))
        .chain(packets_on_time(records))
        .collect()
}

/// Whether packets of programs left the network at the times at which they were due, and no device dropped one.
fn packets_on_time(records: &Records) -> Option<Check> {
    let found = records.punctuality?;
    let name = "packets on time";
    if found.packets == 0 {
        return Some(Check::absent(name, "no packet of a program has left the network".to_owned()));
    }
    let us = |seconds: f64| seconds * 1e6;
    let lost = match found.dropped_by_devices {
        0 => String::new(),
        dropped => format!("; the hosts' devices dropped {dropped}, which the network did not"),
    };
    let detail = format!(
        "of {} packets half left at most {:.0} µs late, 99 % at most {:.0} µs, and the last {:.0} µs{lost}; the limit of the 99 % is {:.0} µs",
        found.packets,
        us(found.median_s),
        us(found.p99_s),
        us(found.worst_s),
        us(found.limit.as_secs_f64()),
    );
    let ok = found.p99_s <= found.limit.as_secs_f64() && found.dropped_by_devices == 0;
    Some(Check::new(name, ok, Level::Broken, detail).short_by(found.p99_s))
}

/// Of the bottlenecks that a greedy group has, the one used least; without such groups, of all bottlenecks.
fn saturated(records: &Records) -> Check {
    let name = "bottleneck saturated";
    let shared = bottlenecks(records);
    if shared.is_empty() {
        return Check::absent(name, NO_BOTTLENECK.to_owned());
    }
    let filled = |link: usize| {
        records.run.groups.iter().any(|group| group.bottleneck == Some(link) && group.is_greedy())
    };
    let any_filled = shared.iter().any(|link| filled(*link));
    let used = |link: usize| records.links.get(link).map_or(f64::NAN, |record| used(records, link, record));
    let known = shared.iter().filter(|link| !used(**link).is_nan() && filled(**link) == any_filled);
    let Some(least) = known.copied().min_by(|one, other| used(*one).total_cmp(&used(*other))) else {
        return Check::absent(name, "the capacity of no bottleneck is known".to_owned());
    };
    let share = used(least);
    let description = &records.run.links[least];
    let policed = policed_share(records, least, &records.links[least]).is_some();
    let capacity = if policed { "the rate of its policer" } else { "its capacity" };
    let ok = share >= SATURATED;
    let fullest = shared.iter().copied().filter(|link| !used(*link).is_nan() && filled(*link));
    let fullest = fullest.max_by(|one, other| used(*one).total_cmp(&used(*other)));
    let explained = if !any_filled {
        Some("; no group of flows always has data to send over it".to_owned())
    } else if ok {
        None
    } else if policed {
        // It drops without a queue: a flow that responds to losses cannot keep it full.
        Some(String::new())
    } else if responded(records, least) {
        Some("; its flows responded to packets that were lost or marked".to_owned())
    } else {
        fullest
            .filter(|link| used(*link) >= SATURATED)
            .map(|link| format!("; {} was used at {:.1} %", records.run.links[link].name, used(link) * 100.0))
    };
    let level = if explained.is_some() { Level::Note } else { Level::Caution };
    let detail = format!(
        "{} was used at {:.1} % of {capacity}{}",
        description.name,
        share * 100.0,
        explained.unwrap_or_default()
    );
    Check::new(name, ok, level, detail).short_by(-share)
}

/// Whether packets of the flows that always have data to send over `link` were lost or marked: then their congestion control
/// limited them, whether at this queue or by losses elsewhere on their way.
fn responded(records: &Records, link: usize) -> bool {
    let greedy = records.run.groups.iter().zip(&records.groups).filter(|(group, _)| group.is_greedy());
    greedy
        .filter(|(group, _)| group.bottleneck == Some(link))
        .any(|(_, record)| record.lost + record.marked > 0)
}

/// Bits sent over bits that the link could have sent, or that its policer would have passed if that is less.
fn used(records: &Records, link: usize, record: &LinkRecord) -> f64 {
    policed_share(records, link, record).unwrap_or_else(|| utilization(record))
}

/// Bits sent over bits that the policer of a link would have passed; `None` without one that is slower than the link.
fn policed_share(records: &Records, link: usize, record: &LinkRecord) -> Option<f64> {
    let passed = records.run.links[link].passed_bits(record.offered_bits, records.run.measured_s());
    (passed < record.offered_bits).then(|| record.sent_bits / passed)
}

/// Delay-based control keeps a buffer from filling, so a failure is a note; a queue discipline that drops or marks before it
/// is full is there to do so.
fn buffer_filled(records: &Records) -> Check {
    let name = "buffer ever full";
    let shared = bottlenecks(records);
    let limited = shared.iter().filter(|link| records.run.links[**link].limited);
    let found = limited.filter_map(|link| {
        let record = records.links.get(*link)?;
        Some((record.at_end.overflowed - record.at_warmup.overflowed, record.peak_packets, *link))
    });
    let Some((overflowed, peak, link)) = found.max() else {
        let reason = if shared.is_empty() { NO_BOTTLENECK } else { "no bottleneck has a limited buffer" };
        return Check::absent(name, reason.to_owned());
    };
    let queue = &records.run.links[link].name;
    let detail = format!("{overflowed} packets found the buffer of {queue} full; at most {peak} waited");
    let (from, to) = (&records.links[link].at_warmup, &records.links[link].at_end);
    let early = to.dropped_early + to.marked - from.dropped_early - from.marked;
    if overflowed == 0 && early > 0 {
        let kept = format!(
            "its queue discipline dropped or marked {early} packets before it was full; at most {peak} waited"
        );
        return Check::absent(name, kept);
    }
    Check::new(name, overflowed > 0, Level::Note, detail).short_by(-(overflowed as f64))
}

/// A queue that drops the packets of flows that use ECN and marks none perhaps is one that does not mark. A group of
/// which no connection got the ECN that it asked for does not match the scenario.
fn ecn_used(records: &Records) -> Check {
    let name = "ECN used";
    if !records.run.groups.iter().any(|group| group.ecn) {
        return Check::absent(name, "no flow uses ECN".to_owned());
    }
    let lacking: u64 = records.groups.iter().map(|group| group.at_end.lacking_ecn).sum();
    if lacking > 0 {
        let all = |group: &GroupRecord| group.at_end.lacking_ecn == group.at_end.established;
        let none_got_it = records.groups.iter().any(|group| group.at_end.lacking_ecn > 0 && all(group));
        let level = if none_got_it { Level::Broken } else { Level::Caution };
        let detail =
            format!("{lacking} connections asked for ECN and do without, as their first SYN was lost");
        return Check::new(name, false, level, detail).short_by(lacking as f64);
    }
    let of_ecn = || records.run.groups.iter().zip(&records.groups).filter(|(group, _)| group.ecn);
    let dropped = of_ecn().any(|(_, group)| group.lost > 0);
    let marked = of_ecn().any(|(_, group)| group.marked > 0);
    let (level, detail) = match (marked, dropped) {
        (true, _) => (Level::Note, "packets were marked"),
        (false, true) if bottlenecks(records).iter().any(|link| records.run.links[*link].queue == "red") => (
            Level::Caution,
            "packets of flows that use ECN were dropped, and none was marked: red drops above its max; the queue that marks from \
             one threshold on is step",
        ),
        (false, true) => (Level::Caution, "packets of flows that use ECN were dropped, and none was marked"),
        (false, false) => (Level::Note, "flows use ECN, and no packet was marked or dropped"),
    };
    Check::new(name, marked, level, detail.to_owned())
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
    if asking.is_empty() {
        return Check::absent(name, detail);
    }
    Check::new(name, alone.is_empty(), Level::Broken, detail).short_by(alone.len() as f64)
}

/// Groups that something else limits by design count only if no other group does.
fn control_was_the_limit(records: &Records) -> Check {
    let name = "senders limited by congestion control";
    let share = |wanted: &dyn Fn(&GroupDescription) -> bool| {
        let chosen = records.run.groups.iter().zip(&records.groups).filter(|(group, _)| wanted(group));
        let (otherwise, calls) = chosen.fold((0, 0), |(otherwise, calls), (_, group)| {
            let counts = group.measured();
            (otherwise + counts.otherwise_limited, calls + counts.calls)
        });
        (calls > 0).then(|| otherwise as f64 / calls as f64)
    };
    let Some(of_all) = share(&|_| true) else {
        return Check::absent(name, "no sender had data to send".to_owned());
    };
    let adaptive = share(&|group| !group.source_limited).filter(|share| *share >= OTHERWISE_LIMITED);
    let (level, shown, by) = match adaptive {
        Some(share) => (Level::Caution, share, "something else (receive window, application)"),
        None if of_all >= OTHERWISE_LIMITED => {
            (Level::Note, of_all, "the application, as the scenario says,")
        }
        None => (Level::Note, of_all, "something else (receive window, application)"),
    };
    let detail = format!(
        "{by} held a sender back at {:.1} % of the events after which it had data to send",
        shown * 100.0
    );
    if shown < OTHERWISE_LIMITED
        && let Some((group, used, wait_s)) = filled_access(records)
    {
        let (used_percent, wait_ms) = (used * 100.0, wait_s * 1e3);
        let detail = format!(
            "the flows of group {group} are limited by their own access links, unlimited FIFOs in which packets wait \
             {wait_ms:.1} ms on average: they sent {used_percent:.1} % of what these can carry"
        );
        return Check::new(name, false, Level::Caution, detail).short_by(used);
    }
    Check::new(name, shown < OTHERWISE_LIMITED, level, detail).short_by(shown)
}

/// The group whose flows fill their access links most, if they do, the share of their rates that they used, and the mean time
/// that a packet waited there, seconds.
fn filled_access(records: &Records) -> Option<(&str, f64, f64)> {
    let groups = records.run.groups.iter().zip(&records.groups).filter(|(group, _)| !group.source_limited);
    let used = groups.map(|(group, record)| {
        (group.name.as_str(), access_utilization(record), access_queue_delay_s(record))
    });
    used.filter(|(_, used, _)| *used >= SATURATED).max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Over the whole run: a connection that is not opened before the warm-up ends is missing afterwards.
fn connections_opened(records: &Records) -> Check {
    let name = "connections opened";
    let sum = |of: fn(&GroupRecord) -> u64| records.groups.iter().map(of).sum::<u64>();
    let opened = sum(|group| group.at_end.established);
    let started = sum(|group| group.at_end.started);
    let failed = sum(|group| group.at_end.failed);
    let (mut opening, mut missing, mut silent) = (0, 0, false);
    for (group, record) in records.groups.iter().enumerate() {
        let connecting = still_connecting(records, group);
        opening += connecting;
        missing += record.at_end.started.saturating_sub(record.at_end.established + connecting);
        silent |= record.at_end.started > 0 && record.at_end.established == 0;
    }
    let at_the_end = match opening {
        0 => String::new(),
        _ => format!("; {opening} were being opened when the run ended"),
    };
    let detail = format!("{opened} of {started} connections were opened; {failed} failed{at_the_end}");
    // Under overload some connections give up; a group of which none was opened is missing.
    let level = if silent { Level::Broken } else { Level::Caution };
    Check::new(name, missing == 0 && failed == 0, level, detail).short_by((missing + failed) as f64)
}

/// Connections of `group` that only the end of the run kept from being established. Where flows start during the run there nearly
/// always is one; where none was ever established the end of the run is not the reason.
fn still_connecting(records: &Records, group: usize) -> u64 {
    let record = &records.groups[group];
    let comes_and_goes =
        records.run.groups.get(group).is_some_and(|group| group.finite || group.flows.is_none());
    if !comes_and_goes || record.at_end.established == 0 {
        return 0;
    }
    record.series.last().map_or(0, |sample| sample.connecting)
}

/// A flow that is given no reason to cut its window has no cycles however long the run is.
fn long_enough(records: &Records) -> Check {
    let name = "long enough to measure";
    let source_limited = |flow: &ConnectionRecord| {
        records.run.groups.get(flow.group).is_some_and(|group| group.source_limited)
    };
    let cutting = records.connections.iter().filter(|flow| flow.size.is_none() && flow.cuts_window);
    let Some(fewest) = cutting.filter(|flow| !source_limited(flow)).min_by_key(|flow| flow.reductions) else {
        return Check::absent(name, "no endless flow cuts a window at losses".to_owned());
    };
    let cycles = fewest.reductions;
    let unprovoked = fewest.lost == 0 && fewest.marked == 0;
    let reason = if unprovoked { ", as none of its packets was lost or marked" } else { "" };
    let detail = format!("the flow with the fewest reductions after the warm-up had {cycles}{reason}");
    let level = if unprovoked { Level::Note } else { Level::Caution };
    Check::new(name, cycles >= ENOUGH_CYCLES, level, detail).short_by(-(cycles as f64))
}

/// A run in which packets are not conserved has no records, so this check always holds.
fn conserved(records: &Records) -> Check {
    let hops = records.performance.packet_hops;
    let detail = format!("{hops} packet-hops");
    if hops == 0 {
        return Check::absent("packets conserved", detail);
    }
    Check::new("packets conserved", true, Level::Broken, detail)
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
    Some(Check::new("packet log complete", full_at.is_none(), Level::Caution, detail))
}

/// Only if the log of events is not complete: events that are missing from it change no result.
fn events_logged(records: &Records) -> Option<Check> {
    let (limit, at) = (records.run.event_limit?, records.events.full_at?.as_secs_f64());
    let entries = records.events.rows.len();
    let detail =
        format!("record.event_limit = {limit} was reached: {entries} entries, the last before {at} s");
    Some(Check::new("event log complete", false, Level::Note, detail))
}

fn warmup_found(records: &Records) -> Option<Check> {
    let (found, end) = (records.run.warmup_found?, records.run.warmup);
    let detail = if found {
        format!("it was over after {end}")
    } else {
        format!("the run did not settle in its first half; measured from {end} on")
    };
    Some(Check::new("warm-up found", found, Level::Caution, detail))
}

/// Goodput and share of capacity are over all of the time after the warm-up, whenever a flow starts.
fn present_throughout(records: &Records) -> Option<Check> {
    let measured_s = records.run.measured_s();
    let warmup_s = records.run.warmup.as_secs_f64();
    let endless = records.connections.iter().filter(|flow| flow.size.is_none());
    let late = endless.filter_map(|flow| Some((flow.started?.as_secs_f64() - warmup_s, flow)));
    let (late_s, latest) = late.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let group = records.run.groups.get(latest.group)?;
    (late_s > LATE * measured_s && late_s < measured_s).then(|| {
        let detail = format!(
            "a flow of group {} started {late_s:.1} s after the warm-up: its goodput and share of capacity are means over all {measured_s:.1} s; \
             over the time since its start they are {:.2} times as much",
            group.name,
            measured_s / (measured_s - late_s),
        );
        Check::new("flows present throughout", false, Level::Note, detail).short_by(late_s)
    })
}

/// Only where something was: most scenarios name no file that could leave it open.
fn nothing_assumed(records: &Records) -> Option<Check> {
    let assumed = &records.run.assumed;
    let detail = assumed.iter().map(|sentence| shortened(sentence)).collect::<Vec<_>>().join("; ");
    (!assumed.is_empty()).then(|| Check::new("files say everything", false, Level::Caution, detail))
}

/// The start of a long sentence; the description of the scenario has the whole.
fn shortened(sentence: &str) -> String {
    match sentence.char_indices().nth(LONGEST_SENTENCE) {
        Some((end, _)) => format!("{} …", &sentence[..end]),
        None => sentence.to_owned(),
    }
}

/// The bottlenecks of all groups that have one, in the order of the links.
fn bottlenecks(records: &Records) -> BTreeSet<usize> {
    let known = |link: &usize| *link < records.run.links.len();
    records.run.groups.iter().filter_map(|group| group.bottleneck).filter(known).collect()
}

/// A flow that starts later than this part of the measured time is named.
const LATE: f64 = 0.1;

const NO_BOTTLENECK: &str = "no group's packets all share a link";
/// Below this a bottleneck is not one.
const SATURATED: f64 = 0.95;
/// From this share of events on, something else than congestion control is being measured.
const OTHERWISE_LIMITED: f64 = 0.05;
/// Characters of an assumption in a check.
const LONGEST_SENTENCE: usize = 200;
/// Fewer sawteeth than this say little about a mean.
const ENOUGH_CYCLES: u64 = 3;
