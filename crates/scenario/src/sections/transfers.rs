//! Sources that start transfers.

use super::distribution::{self, Drawn, DrawnOr};
use super::transport::{Infinite, Nothing};
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::{At, Field, Reported};
use crate::file;
use crate::forms::Choice;
use crate::input::InputFile;
use crate::section::{Tables, keys};
use crate::value::{Count, Element, File, FileReference, List, Or, Positive, PositiveFraction, words};
use crate::vectors;
use narrows_model::traffic::{self, Connection, Distribution};
use narrows_model::{Demand, Start, Surge, UserModel};
use narrows_units::{Bytes, Span, Time};

keys! {
    /// Transfers of `size` arrive as a Poisson process from `start` on, independently of earlier ones.
    pub struct Poisson = "poisson" {
        /// Mean time between arrivals.
        interval: Positive<Span>,
        /// Nothing starts at or after this.
        until: Positive<Span> => "the end of the run",
        /// Most transfers in progress at once; one more is rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

keys! {
    /// As poisson, at a rate that is constant between given times.
    pub struct PoissonSteps = "poisson-steps" {
        /// Mean time between arrivals from each time on; "none" for no arrivals.
        intervals: List<Or<Positive<Span>, Nothing>>,
        /// Times from `start`, ascending, the first 0s.
        times: List<Span>,
        /// Period after which the steps repeat.
        period: Positive<Span> => "none",
        /// Nothing starts at or after this.
        until: Positive<Span> => "the end of the run",
        /// Most transfers in progress at once; one more is rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

keys! {
    /// Recorded transfers: the start and the size of each.
    pub struct Arrivals = "arrivals" {
        /// A file with a time in seconds, counted from `start`, and a payload in bytes on each line, times ascending.
        arrivals: File,
        /// Most transfers in progress at once; one more is rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

keys! {
    /// Recorded connections over which both sides write. Times count from `start`; the initiators are at the source of
    /// the group's data. The data of each side is one transfer, with congestion control of its own; the side that
    /// writes first opens the connection, and the other side accepts it. For a concurrent connection each side opens
    /// one at the same time. Recorded loss rates and segment sizes are not used.
    pub struct Vectors = "vectors" {
        /// A file of Tmix connection vectors, in the original format or the alternate one of ns-2.
        vectors: File,
        /// The round trip of a connection: its recorded shortest one, never less than that of its route, or the group's
        /// `rtt`.
        rtt: Origin = Origin::Recorded,
        /// Receive window of a host: the recorded one, at most the group's `receive_window`, or the latter alone.
        window: Origin = Origin::Recorded,
        /// Share of the recorded connections that are used, evenly over the file.
        share: PositiveFraction = 1.0,
    }
}

keys! {
    /// `count` users, each with alternating think times and transfers of `size`.
    pub struct Users = "users" {
        /// Think time: from the end of a transfer, or from `start`, to the start of the next.
        think: Drawn<Span>,
        /// A transfer that takes longer is abandoned.
        patience: DrawnOr<Span, Infinite> = Choice::Plain(None),
        /// All users start their transfers together, a think time after the last of the transfers before has ended: the
        /// responses to a query that is spread over many servers (incast).
        barrier: bool = false,
        /// Nothing starts at or after this.
        until: Positive<Span> => "the end of the run",
        /// Periods in which some transfers are larger.
        surges: Tables<SurgeKeys> => "none",
    }
}

keys! {
    /// An interval in which transfers are larger.
    pub struct SurgeKeys {
        /// Its start.
        from: Span,
        /// Its end.
        until: Positive<Span>,
        /// The share of transfers that start meanwhile and are larger.
        share: PositiveFraction = 1.0,
        /// Factor by which they are larger.
        factor: f64,
        /// Classes of edges at whose sources they occur.
        at: List<String> => "all",
    }
}

/// The origin of a property of a recorded connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The recording.
    Recorded,
    /// The keys of the group.
    Group,
}

words!(Origin { Recorded = "recorded", Group = "group" });

/// A source that starts connections during a run.
pub trait Process {
    /// What the source allows of the other keys of its group.
    fn rules(&self) -> Rules;

    /// The file of recorded transfers.
    fn recording(&self) -> Option<&InputFile> {
        None
    }

    /// What the source starts; keys that follow from others are filled in.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported>;
}

/// What a process of transfers allows of the other keys of its group.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Why `size` is not allowed; `None` if it is needed.
    pub no_size: Option<&'static str>,
    /// What is allowed in place of `count`; `None` if that is the number of users or clients.
    pub no_count: Option<&'static str>,
    /// Whether `start` may be a range, from which each client draws its own.
    pub starts_apart: bool,
    /// Whether the transfers may go between edges.
    pub spreads: bool,
}

/// The values on which a process of transfers depends.
#[derive(Clone, Copy)]
pub struct ProcessContext<'a> {
    /// Number of users or clients.
    pub count: u64,
    /// When clients start.
    pub start: Start,
    /// When transfers may start.
    pub window: Window,
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
}

/// A resolved process of transfers.
#[derive(Clone, Debug)]
pub struct Transfers {
    /// The process that starts transfers.
    pub demand: Demand,
    /// Maximum number of open connections; of connections over which both sides write, the number of all.
    pub slots: u32,
    /// Intervals with larger transfers, each with the classes of edges whose sources send them; all classes if none is
    /// named.
    pub surges: Vec<(Surge, Vec<String>)>,
    /// What starts them, in words.
    pub words: String,
    /// The sizes of transfers whose group has no `size`, in words.
    pub sizes: &'static str,
    /// The same process in the form in which it is written in a resolved file; `None` if that is its own.
    pub written: Option<PoissonSteps>,
}

impl Transfers {
    /// Transfers that `demand` starts in `slots`, which are in `words`.
    pub fn new(demand: Demand, slots: u32, words: String) -> Self {
        Self { demand, slots, surges: Vec::new(), words, sizes: "sizes as recorded", written: None }
    }
}

/// The interval in which transfers may start.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Start of the interval.
    pub from: Span,
    /// End of the interval, exclusive.
    pub until: Span,
    /// Duration of the run.
    pub duration: Span,
}

impl Window {
    /// Until then, or the end of the run; that is filled in.
    ///
    /// # Errors
    ///
    /// If that is not after the start, which is added to `faults`.
    pub fn until(
        mut self,
        until: &mut Field<Option<Span>>,
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let end = until.copied()?.unwrap_or(self.duration);
        if end <= self.from {
            let fault = until.fault("nothing ever starts").given(end.to_string());
            return Err(fault.allowed(format!("after start, {}", self.from)).report(faults));
        }
        until.fill(Some(end));
        self.until = end;
        Ok(self)
    }
}

impl Process for Poisson {
    fn rules(&self) -> Rules {
        RANDOM
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let window = context.window.until(&mut self.until, faults)?;
        let interval = self.interval.copied()?;
        let pattern = [(Span::ZERO, rate(Some(interval)))];
        check_arrivals(&pattern, window, &self.interval, faults)?;
        let slots = self.concurrent.copied()?;
        Ok(steps(&pattern, None, window, slots, &self.table))
    }
}

impl Process for PoissonSteps {
    fn rules(&self) -> Rules {
        RANDOM
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let window = context.window.until(&mut self.until, faults)?;
        let (times, intervals) = (self.times.get()?, self.intervals.get()?);
        let ascending = times.first().is_some_and(|first| first.value == Span::ZERO)
            && times.windows(2).all(|pair| pair[0].value < pair[1].value);
        if times.len() != intervals.len() || !ascending {
            let fault = self.times.fault("times are not one for each interval, ascending from 0s");
            let fault = fault.given(format!("{} times, {} intervals", times.len(), intervals.len()));
            return Err(fault.allowed("0s, then later times, one for each interval").report(faults));
        }
        let pattern: Vec<_> =
            times.iter().zip(intervals).map(|(at, interval)| (at.value, rate(interval.value))).collect();
        let period = self.period.copied()?;
        if let Some(period) = period.filter(|period| *period <= pattern[pattern.len() - 1].0) {
            let fault = self.period.fault("shorter than its steps").given(period.to_string());
            return Err(fault.allowed("longer than the last of times").report(faults));
        }
        let count = period.map_or(1, |period| (window.until - window.from).as_ps().div_ceil(period.as_ps()));
        if count.saturating_mul(pattern.len() as u64) > MOST_STEPS {
            let fault = self.period.fault(format!("more than {MOST_STEPS} steps in a run of this duration"));
            return Err(fault.allowed("a longer period, or fewer steps").report(faults));
        }
        let slots = self.concurrent.copied()?;
        let transfers = steps(&pattern, period, window, slots, &self.table);
        if let Demand::Open(traffic::Arrivals::Poisson(steps)) = &transfers.demand {
            let steps: Vec<_> = steps.iter().map(|(at, rate)| (at.since(Time::ZERO), *rate)).collect();
            check_arrivals(&steps, Window { from: Span::ZERO, ..window }, &self.intervals, faults)?;
        }
        Ok(transfers)
    }
}

/// Refuses more arrivals, at the rates of `steps` from the start of `window` on, than a run can end with.
fn check_arrivals<V>(
    steps: &[(Span, f64)],
    window: Window,
    intervals: &Field<V>,
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    let length = window.until - window.from;
    let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([length]);
    let arrivals = steps
        .iter()
        .zip(ends)
        .map(|((at, rate), end)| rate * end.min(length).saturating_sub(*at).as_secs_f64());
    if arrivals.sum::<f64>() <= MOST_ARRIVALS {
        return Ok(());
    }
    let fault = intervals.fault(format!("more than {MOST_ARRIVALS:e} arrivals in a run of this duration"));
    Err(fault.allowed("longer times between arrivals").report(faults))
}

/// Arrivals a second.
fn rate(interval: Option<Span>) -> f64 {
    interval.map_or(0.0, |interval| 1.0 / interval.as_secs_f64())
}

/// Arrivals at the rates of `pattern`, again after each period, all of which are written out.
fn steps(pattern: &[(Span, f64)], period: Option<Span>, window: Window, slots: u32, at: &At) -> Transfers {
    let mut steps = Vec::new();
    let mut origin = window.from;
    while origin < window.until {
        let here = pattern.iter().map(|(at, rate)| (origin + *at, *rate));
        steps.extend(here.filter(|(at, _)| *at < window.until));
        let Some(period) = period else { break };
        origin += period;
    }
    let element = |value| Element { at: at.clone(), value };
    let time = |(time, _): &(Span, f64)| Element { at: at.clone(), value: time.saturating_sub(window.from) };
    // The mean time between arrivals, which gives the rate.
    let interval = |rate: f64| (rate > 0.0).then(|| Span::from_secs_f64(1.0 / rate));
    let keys = PoissonSteps {
        table: at.clone(),
        intervals: Field::of(at, steps.iter().map(|(_, rate)| element(interval(*rate))).collect()),
        times: Field::of(at, steps.iter().map(time).collect()),
        period: Field::of(at, None),
        until: Field::of(at, Some(window.until)),
        concurrent: Field::of(at, slots),
    };
    let end = (window.until, 0.0);
    let rates: Vec<_> = steps.into_iter().chain([end]).map(|(at, rate)| (Time::ZERO + at, rate)).collect();
    let words = match rates[..] {
        [(_, rate), (until, _)] => {
            let (every, until) = (Span::from_secs_f64(1.0 / rate), until.since(Time::ZERO));
            format!("Poisson arrivals, one every {every} in the mean, until {until}")
        }
        _ => format!("Poisson arrivals at a rate that changes {} times", rates.len() - 1),
    };
    let demand = Demand::Open(traffic::Arrivals::Poisson(rates.into()));
    Transfers { written: Some(keys), ..Transfers::new(demand, slots, words) }
}

impl Process for Arrivals {
    fn rules(&self) -> Rules {
        Rules { no_size: Some(RECORDED), spreads: false, ..RANDOM }
    }

    fn recording(&self) -> Option<&InputFile> {
        self.arrivals.get().ok()?.found.as_ref()
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let ProcessContext { window, load, .. } = context;
        let allowed = "a file with a time in seconds and a size in bytes on each line, times ascending";
        let records = read(&mut self.arrivals, load, allowed, records, faults)?;
        let at = |at: f64| Time::ZERO + window.from + Span::from_secs_f64(at);
        let records: Vec<_> = records.into_iter().map(|(time, size)| (at(time), Bytes::new(size))).collect();
        let early = records.iter().filter(|(time, _)| *time < Time::ZERO + window.until).count();
        let name = &self.arrivals.get()?.name;
        if early == 0 {
            let fault = self.arrivals.fault(format!("none of its transfers starts before {}", window.until));
            return Err(fault.given(format!("\"{name}\"")).allowed(allowed).report(faults));
        }
        load.assume(late(records.len() - early, records.len(), "transfers", name));
        let words = format!("{} recorded arrivals", records.len());
        let demand = Demand::Open(traffic::Arrivals::Trace(records.into()));
        Ok(Transfers::new(demand, self.concurrent.copied()?, words))
    }
}

impl Process for Vectors {
    fn rules(&self) -> Rules {
        Rules { no_size: Some(RECORDED), no_count: Some("no count"), spreads: false, ..RANDOM }
    }

    fn recording(&self) -> Option<&InputFile> {
        self.vectors.get().ok()?.found.as_ref()
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let ProcessContext { window, load, .. } = context;
        let share = self.share.copied()?;
        let (rtt, limit) = (self.rtt.copied()?, self.window.copied()?);
        let recorded =
            read(&mut self.vectors, load, "a file of Tmix connection vectors", vectors::parse, faults)?;
        let count = recorded.connections.len();
        let kept = recorded.connections.into_iter().enumerate().filter(|(number, _)| is_kept(*number, share));
        let mut connections: Vec<Connection> = kept.map(|(_, connection)| connection).collect();
        let sampled = connections.len();
        connections.retain(|connection| window.from + connection.start < window.until);
        let name = &self.vectors.get()?.name;
        for (number, what) in [
            (recorded.losses, "with loss rates, which have no effect"),
            (recorded.segments, "with segment sizes, which have no effect"),
        ] {
            load.assume((number > 0).then(|| format!("{number} of {count} connections in {name} {what}")));
        }
        load.assume(late(sampled - connections.len(), sampled, "connections", name));
        for connection in &mut connections {
            connection.rtt = connection.rtt.filter(|_| rtt == Origin::Recorded);
            for side in &mut connection.sides {
                side.window = side.window.filter(|_| limit == Origin::Recorded);
            }
        }
        if connections.is_empty() {
            let fault = self.vectors.fault(format!("none of its connections starts before {}", window.until));
            let fault = fault.given(format!("\"{}\"", self.vectors.get()?.name));
            let allowed = "a connection that starts within the run, and a share that keeps it";
            return Err(fault.allowed(allowed).report(faults));
        }
        // What no connection has is as good as not wanted.
        let origin = |recorded: bool| if recorded { Origin::Recorded } else { Origin::Group };
        let has_window = |each: &Connection| each.sides.iter().any(|side| side.window.is_some());
        self.rtt.fill(origin(connections.iter().any(|each| each.rtt.is_some())));
        self.window.fill(origin(connections.iter().any(has_window)));
        let bytes = |side: usize| connections.iter().map(|each| each.sides[side].size().count()).sum::<u64>();
        let (there, back, slots) = (bytes(0), bytes(1), connections.len() as u32);
        let words = format!("{slots} recorded connections, {there}B of their initiators and {back}B back");
        let demand = Demand::Exchanges { connections: connections.into(), side: 0, from: window.from };
        Ok(Transfers::new(demand, slots, words))
    }
}

impl Process for Users {
    fn rules(&self) -> Rules {
        Rules { no_count: None, ..RANDOM }
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let ProcessContext { count, load, .. } = context;
        let window = context.window.until(&mut self.until, faults)?;
        let think = distribution::resolve_drawn(self.think.get_mut()?, load, faults)?;
        let patience = distribution::resolve(self.patience.get_mut()?, load, faults)?;
        if think == Distribution::Constant(0.0) {
            let fault = self.think.fault("users who never pause").given("0s");
            return Err(fault.allowed("a time above zero, or a distribution").report(faults));
        }
        let mut surges = Vec::new();
        for keys in self.surges.get_mut()?.iter_mut().flatten() {
            surges.push(keys.resolve(window.duration, faults)?);
        }
        let barrier = self.barrier.copied()?;
        let together = if barrier { ", all of whom start together" } else { "" };
        let pauses = distribution::describe::<Span>(&think);
        let patient =
            patience.as_ref().map(|it| format!(", patient for {}", distribution::describe::<Span>(it)));
        let words = format!("{count} users{together} who think for {pauses}{}", patient.unwrap_or_default());
        let demand =
            Demand::Users(UserModel { think, from: window.from, until: window.until, patience, barrier });
        Ok(Transfers { surges, ..Transfers::new(demand, count as u32, words) })
    }
}

impl SurgeKeys {
    fn resolve(&mut self, duration: Span, faults: &mut Vec<Fault>) -> Result<(Surge, Vec<String>), Reported> {
        let (from, until) = (self.from.copied()?, self.until.copied()?);
        let (share, factor) = (self.share.copied()?, self.factor.copied()?);
        if until <= from || until > duration {
            let fault = self.until.fault("no time of the run").given(until.to_string());
            return Err(fault.allowed(format!("after {from} and up to {duration}")).report(faults));
        }
        if factor <= 0.0 || factor > GREATEST_FACTOR {
            let fault = self.factor.fault("out of range").given(factor.to_string());
            return Err(fault.allowed(format!("above 0 and up to {GREATEST_FACTOR}")).report(faults));
        }
        let at = self.at.get_mut()?.get_or_insert_default();
        let classes = at.iter().map(|class| class.value.clone()).collect();
        Ok((Surge { from, until, share, factor }, classes))
    }
}

/// That `number` of `count` things in a file are left out, as they start too late.
fn late(number: usize, count: usize, things: &str, file: &str) -> Option<String> {
    (number > 0)
        .then(|| format!("{number} of {count} {things} in {file} left out, as they start when no more may"))
}

/// What `parse` makes of the text of the file at `field`, whose path and digest are filled in.
fn read<T>(
    field: &mut Field<FileReference>,
    context: &LoadContext<'_>,
    allowed: &str,
    parse: impl Fn(&str) -> Result<T, String>,
    faults: &mut Vec<Fault>,
) -> Result<T, Reported> {
    let location = field.at.location.clone();
    let reference = field.get_mut()?;
    let read = context.path(&reference.name, &location).and_then(|path| {
        let (text, digest) = file::text(&path)?;
        Ok((parse(&text)?, digest, path))
    });
    match read {
        Ok((parsed, digest, path)) => {
            reference.found = Some(InputFile::new(&reference.name, &location, path, digest));
            Ok(parsed)
        }
        Err(problem) => {
            let given = format!("\"{}\"", reference.name);
            Err(field.fault(problem).given(given).allowed(allowed).report(faults))
        }
    }
}

/// A time in seconds and a size in bytes on each line, times ascending.
fn records(text: &str) -> Result<Vec<(f64, u64)>, String> {
    let mut records: Vec<(f64, u64)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> =
            line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
        let record = match words[..] {
            [] => continue,
            [time, size] => time.parse::<f64>().ok().zip(size.parse::<u64>().ok()),
            _ => None,
        };
        let last = records.last().map_or(0.0, |(time, _)| *time);
        let record = record
            .filter(|(time, size)| (last..LATEST_S).contains(time) && (1..=LARGEST_TRANSFER).contains(size));
        records.push(record.ok_or_else(|| {
            format!(
                "line {} is not a time in seconds, from {last} to {LATEST_S}, and a size of 1 to {LARGEST_TRANSFER} bytes",
                index + 1
            )
        })?);
    }
    if records.is_empty() { Err("it has no arrivals".into()) } else { Ok(records) }
}

/// Whether the connection `number` of a file is among the `share` that is kept: evenly spread, the last of each stretch.
fn is_kept(number: usize, share: f64) -> bool {
    let before = |count: usize| (count as f64 * share).floor();
    before(number + 1) > before(number)
}

/// The rules of arrivals that are drawn.
const RANDOM: Rules = Rules {
    no_size: None,
    no_count: Some("no count; `concurrent` in source bounds how many are in progress at once"),
    starts_apart: false,
    spreads: true,
};

const RECORDED: &str = "what is recorded has its size";

/// Arrivals of one group in a run, which would take hours.
const MOST_ARRIVALS: f64 = 1e9;

/// Changes of the rate of arrivals in a run.
const MOST_STEPS: u64 = 1_000_000;

/// A file that grows by more than this is surely a slip.
const GREATEST_FACTOR: f64 = 1e6;

/// Seconds of thirty years.
const LATEST_S: f64 = 1e9;

/// Bytes of an exabyte: eight times as many bits can be counted.
const LARGEST_TRANSFER: u64 = 1_000_000_000_000_000_000;
