// SPDX-License-Identifier: Apache-2.0
//! One flow's instance of a controller behind the C ABI, whatever it is compiled to.
//!
//! After each event its limits are read and checked. The first fault is kept with its simulated time; from then on the controller is
//! not called any more, and the window is one packet until the run ends.

use crate::calls::Function;
use crate::layout::{self, NONE};
use narrows_cc::slow_start::Hosted;
use narrows_cc::{Ack, CongestionControl, EcnUse, Failure, Idle, Limits, Loss, Path, SentPacket, Setup};
use narrows_units::{Bytes, Rate, Span, Time};
use std::cell::OnceCell;
use std::fmt::Debug;

/// The code that carries out the calls of an instance.
pub trait Code: Send + Debug {
    /// Calls the controller for an event; does nothing if it has no function for it.
    ///
    /// # Errors
    ///
    /// Why the call did not return, in words.
    fn call(&mut self, event: &Event<'_>) -> Result<(), String>;

    /// Returns the limits that the controller gives now.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    fn limits(&self) -> Result<layout::Limits, String>;

    /// The host has set window and slow-start threshold to these bytes.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    fn set(&mut self, window: u64, ssthresh: u64) -> Result<(), String>;

    /// Keeps a copy of the controller's state in place of the copy before it.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), or the controller made no copy.
    fn save(&mut self) -> Result<(), String>;

    /// Continues with the state that was saved last, if it was not restored before.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    fn restore(&mut self) -> Result<(), String>;

    /// Calls `record` with name and value of each variable that the controller shows.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    fn observe(&self, record: &mut dyn FnMut(&str, f64)) -> Result<(), String>;
}

/// An event, with its data in the layout of the header.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// `acked`.
    Acked(&'a layout::Acked, &'a layout::Path, &'a layout::Packets),
    /// `lost`.
    Lost(&'a layout::Loss, &'a layout::Path, &'a layout::Packets),
    /// `sent`.
    Sent(&'a layout::Packet, &'a layout::Path),
    /// `recovered`.
    Recovered(&'a layout::Path),
    /// `spurious`.
    Spurious(&'a layout::Path),
    /// `idle_restart`, with the time of the last packet before.
    IdleRestart(&'a layout::Path, u64),
    /// `timer`.
    Timer(&'a layout::Path),
}

impl Event<'_> {
    /// Returns the name of the function in the header.
    pub fn name(&self) -> &'static str {
        self.function().name()
    }

    /// Returns the function of the header.
    pub(crate) fn function(&self) -> Function {
        match self {
            Self::Acked(..) => Function::Acked,
            Self::Lost(..) => Function::Lost,
            Self::Sent(..) => Function::Sent,
            Self::Recovered(_) => Function::Recovered,
            Self::Spurious(_) => Function::Spurious,
            Self::IdleRestart(..) => Function::IdleRestart,
            Self::Timer(_) => Function::Timer,
        }
    }

    /// Returns the time of the event, nanoseconds.
    pub(crate) fn now(&self) -> u64 {
        match self {
            Self::Acked(_, path, _) | Self::Lost(_, path, _) | Self::Sent(_, path) => path.now,
            Self::Recovered(path) | Self::Spurious(path) | Self::IdleRestart(path, _) | Self::Timer(path) => {
                path.now
            }
        }
    }
}

/// One flow's controller.
#[derive(Debug)]
pub struct Instance {
    /// `None` after a fault.
    code: Option<Box<dyn Code>>,
    failure: Option<Failure>,
    /// The first fault of `observe`, which has no other way to report one.
    misobserved: OnceCell<Failure>,
    ecn: EcnUse,
    traits: layout::Traits,
    answers: Answers,
    /// Counts the packets by which a window may grow, and has the slow start of a controller that leaves it to the host.
    hosted: Hosted,
    /// The host's state before the last episode, if the host undoes a spurious one; the controller has a copy of its own.
    undo: Option<Hosted>,
    /// Payload of a full segment at the last event.
    mss: Bytes,
    packets: layout::Packets,
    now: Time,
    /// Calls of `timer` since the time beside them.
    timers: (u64, Time),
}

/// Checked limits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Answers {
    limits: Limits,
    window: Option<f64>,
    ssthresh: Option<f64>,
    timer: Option<Time>,
    /// As they were given, for the detection of changes.
    given: layout::Limits,
}

impl Instance {
    /// Returns an instance with these `traits` for a flow with `setup` that starts `now`; `code` is the reason if there is none.
    pub fn new(
        code: Result<Box<dyn Code>, String>,
        ecn: EcnUse,
        traits: layout::Traits,
        setup: &Setup,
        now: Time,
    ) -> Self {
        let mut instance = Self {
            code: None,
            failure: None,
            misobserved: OnceCell::new(),
            ecn,
            traits,
            answers: Answers::safe(setup.mss),
            hosted: Hosted::new(setup),
            undo: None,
            mss: setup.mss,
            packets: layout::Packets::new(traits.version),
            now,
            timers: (0, now),
        };
        match code {
            Ok(code) => {
                instance.code = Some(code);
                instance.read("create");
            }
            Err(reason) => instance.fail(reason),
        }
        instance
    }

    /// An event begins. Limits in bytes stay the same if full segments have another size than before it.
    fn begin(&mut self, path: &Path) {
        self.now = path.now;
        if path.mss != self.mss {
            self.mss = path.mss;
            if let Ok(answers) = self.answers.checked(&self.answers.given, self.mss, self.now) {
                self.answers = answers;
            }
        }
    }

    fn notify(&mut self, event: &Event<'_>) {
        let Some(code) = &mut self.code else { return };
        match code.call(event) {
            Ok(()) => self.read(event.name()),
            Err(reason) => self.fail(format!("in {}: {reason}", event.name())),
        }
    }

    /// Reads the limits after the function `after` was called.
    fn read(&mut self, after: &str) {
        let Some(code) = &self.code else { return };
        let given = code.limits().map_err(|reason| format!("in limits: {reason}"));
        if given.as_ref().is_ok_and(|given| self.answers.moved(given, self.mss)) {
            return;
        }
        match given.and_then(|limits| self.answers.checked(&limits, self.mss, self.now)) {
            Ok(answers) => self.answers = answers,
            Err(reason) => self.fail(format!("after {after}, {reason}")),
        }
    }

    /// Does something with the code, and reads the limits that it leaves.
    fn host(&mut self, what: &str, act: impl FnOnce(&mut dyn Code) -> Result<(), String>) {
        let Some(code) = &mut self.code else { return };
        match act(code.as_mut()) {
            Ok(()) => self.read(what),
            Err(reason) => self.fail(format!("in {what}: {reason}")),
        }
    }

    /// Whether the host does a part for the controller.
    fn does(&self, part: u64) -> bool {
        self.traits.version.has_parts() && self.traits.declines & part != 0
    }

    /// Window and threshold of a controller whose slow start is the host's; `None` for others.
    fn hosted_window(&self) -> Option<(f64, f64)> {
        let window = self.answers.window.filter(|_| self.does(layout::SLOW_START))?;
        Some((window, self.answers.ssthresh.unwrap_or(f64::INFINITY)))
    }

    /// Sets window and threshold, packets, if they have changed; a value that has not is given as the controller gave it.
    fn set(&mut self, window: f64, ssthresh: f64) {
        let Answers { window: before, ssthresh: threshold, given, .. } = self.answers;
        let of = |new: f64, old: Option<f64>, given: u64, mss: Bytes| {
            if old == Some(new) { given } else { whole_bytes(new, mss) }
        };
        let bytes = of(window, before, given.window, self.mss);
        let threshold = of(ssthresh, threshold.or(Some(f64::INFINITY)), given.ssthresh, self.mss);
        if (bytes, threshold) != (given.window, given.ssthresh) {
            self.host("set", |code| code.set(bytes, threshold));
        }
    }

    fn fail(&mut self, reason: String) {
        self.code = None;
        self.answers = Answers::safe(self.mss);
        self.failure = Some(Failure::new(self.now, reason));
    }

    fn list(&mut self, packets: &[SentPacket]) -> layout::Packets {
        let empty = layout::Packets::new(self.traits.version);
        let mut listed = std::mem::replace(&mut self.packets, empty);
        listed.list(packets, self.mss);
        listed
    }
}

impl Answers {
    /// What holds after a fault: a window of one packet and no timer.
    fn safe(mss: Bytes) -> Self {
        let limits = Limits::new(Some(1), None, mss * 2);
        Self { limits, window: Some(1.0), ssthresh: None, timer: None, given: layout::Limits::EMPTY }
    }

    /// Takes the limits `given` if only the window changed since the last call (the fast path); returns whether it did.
    fn moved(&mut self, given: &layout::Limits, mss: Bytes) -> bool {
        let alike = layout::Limits { window: self.given.window, ..*given } == self.given;
        let is_new = alike && self.given.window != NONE && (1..=NEGATIVE).contains(&given.window);
        if is_new {
            let packets = packets(given.window, mss);
            (self.limits.window, self.window, self.given) = (Some(packets as u64), Some(packets), *given);
        }
        is_new
    }

    /// Returns the limits `given` at `now`, checked; `self` are the limits of the previous call.
    fn checked(&self, given: &layout::Limits, mss: Bytes, now: Time) -> Result<Self, String> {
        let segment = mss.count();
        let &layout::Limits { window, pacing_rate, burst, ssthresh, timer } = given;
        if window == NONE && pacing_rate == NONE {
            return Err("neither window nor pacing_rate is set: nothing limits the flow".to_owned());
        }
        if window == 0 {
            return Err("window is 0: it must be a number of bytes, 1 or more, or NARROWS_NONE".to_owned());
        }
        if pacing_rate != NONE && !(1..=RATE_MAX).contains(&pacing_rate) {
            return Err(format!(
                "pacing_rate is {pacing_rate}: it must be from 1 to {RATE_MAX} bit/s, or NARROWS_NONE"
            ));
        }
        for (name, value) in
            [("window", window), ("pacing_rate", pacing_rate), ("burst", burst), ("ssthresh", ssthresh)]
        {
            if value != NONE && value > NEGATIVE {
                return Err(format!(
                    "{name} is {value}: a negative number, or one that is not a number, was converted; it must be at most \
                     {NEGATIVE}, or NARROWS_NONE"
                ));
            }
        }
        if burst == 0 {
            return Err("burst is 0: it must be a number of bytes, 1 or more, or NARROWS_NONE".to_owned());
        }
        let at = if timer == self.given.timer { self.timer } else { due(timer, now)? };
        let packets = (window != NONE).then(|| packets(window, mss));
        Ok(Self {
            limits: Limits::new(
                packets.map(|packets| packets as u64),
                (pacing_rate != NONE).then(|| Rate::from_bps(pacing_rate)),
                if burst == NONE { mss * 2 } else { Bytes::new(burst.clamp(segment, segment * BURST_MAX)) },
            ),
            window: packets,
            ssthresh: match ssthresh {
                NONE => None,
                bytes => Some((bytes as f64 / segment as f64).max(2.0)),
            },
            timer: at,
            given: *given,
        })
    }
}

/// Returns a window of at most [`NEGATIVE`] bytes in packets, which are no fewer bytes again.
fn packets(window: u64, mss: Bytes) -> f64 {
    // Of signed integers the conversion is one instruction.
    let (window, mss) = (window.cast_signed() as f64, mss.count().cast_signed() as f64);
    let packets = window / mss;
    let packets = if packets * mss < window { packets.next_up() } else { packets };
    packets.clamp(1.0, WINDOW_MAX)
}

/// Returns a window of `packets` packets in whole bytes, of which [`packets`] makes no more; without a value for an infinite one.
fn whole_bytes(window: f64, mss: Bytes) -> u64 {
    if !window.is_finite() {
        return NONE;
    }
    let bytes = (window * mss.count() as f64) as u64;
    if packets(bytes + 1, mss) <= window { bytes + 1 } else { bytes }
}

/// The time of a timer. Errors: it is not after `now`, since a timer that is due at once could be set without end.
fn due(timer: u64, now: Time) -> Result<Option<Time>, String> {
    if timer == NONE {
        return Ok(None);
    }
    let at = Time::ZERO + Span::from_ps(timer.min(TIMER_MAX).saturating_mul(layout::PS_PER_NS));
    if at <= now {
        return Err(format!(
            "timer is {timer} ns: it must be later than now, {} ns, or NARROWS_NONE",
            layout::time(now)
        ));
    }
    Ok(Some(at))
}

impl CongestionControl for Instance {
    fn limits(&self) -> Limits {
        let limits = self.answers.limits;
        let hosted = || {
            let (window, ssthresh) = self.hosted_window()?;
            self.hosted.pacing(window, ssthresh)
        };
        limits.pacing(limits.pacing.or_else(hosted))
    }

    fn window(&self) -> Option<f64> {
        self.answers.window
    }

    fn ssthresh(&self) -> Option<f64> {
        self.answers.ssthresh
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.begin(path);
        let counted = match self.hosted_window() {
            Some((window, ssthresh)) => {
                let counted = self.hosted.on_ack(window, ssthresh, ack, path);
                self.set(counted.window, counted.ssthresh);
                counted.acked
            }
            None => self.hosted.count(ack, path),
        };
        let packets = self.list(ack.packets);
        let (fact, state) =
            (layout::Acked::of(ack, counted, self.mss, self.traits.version), layout::Path::of(path));
        self.notify(&Event::Acked(&fact, &state, &packets));
        self.packets = packets;
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.begin(path);
        if loss.new_episode && self.does(layout::UNDO) {
            self.host("copy", |code| code.save());
            self.undo = Some(self.hosted.clone());
        }
        self.hosted.on_loss(loss);
        let before = self.hosted_window();
        let packets = self.list(loss.packets);
        let (fact, state) = (layout::Loss::of(loss), layout::Path::of(path));
        self.notify(&Event::Lost(&fact, &state, &packets));
        self.packets = packets;
        if let Some((before, (after, _))) = before.zip(self.hosted_window())
            && let Some((window, ssthresh)) = self.hosted.on_reduced(before, after, loss, path)
        {
            self.set(window, ssthresh);
        }
    }

    fn on_recovered(&mut self, path: &Path) {
        self.begin(path);
        self.hosted.on_recovered();
        self.notify(&Event::Recovered(&layout::Path::of(path)));
    }

    fn reduces_gradually(&self) -> bool {
        self.hosted.reduces_gradually()
    }

    fn needs_sent_events(&self) -> bool {
        self.traits.sent
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.begin(path);
        // Of a controller that declines packets the host may or may not know it, as other declined facts require.
        let known = self.traits.declines & layout::PACKETS == 0;
        let packet = packet.retransmits(packet.retransmits.filter(|_| known));
        self.notify(&Event::Sent(&layout::Packet::of(&packet, self.mss), &layout::Path::of(path)));
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.begin(path);
        if let Some(hosted) = self.undo.take() {
            let reduced = self.answers.window;
            self.host("an undo", |code| code.restore());
            self.hosted = hosted;
            if let (Some(reduced), Some(before)) = (reduced, self.answers.window)
                && reduced > before
            {
                self.set(reduced, self.answers.ssthresh.unwrap_or(f64::INFINITY));
            }
        }
        self.hosted.on_recovered();
        self.notify(&Event::Spurious(&layout::Path::of(path)));
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        if idle.timeouts > 0 {
            self.begin(path);
            self.undo = None;
            if let Some((window, ssthresh)) = self.hosted_window() {
                let (window, ssthresh) = self.hosted.on_idle(window, ssthresh, idle.timeouts);
                self.set(window, ssthresh);
            }
            let since = layout::time(idle.since);
            self.notify(&Event::IdleRestart(&layout::Path::of(path), since));
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.answers.timer
    }

    fn on_timer(&mut self, path: &Path) {
        // It expires once; the call may give another one.
        self.answers.timer = None;
        self.begin(path);
        if path.now - self.timers.1 > Span::from_ms(TIMERS_MS) {
            self.timers = (0, path.now);
        }
        self.timers.0 += 1;
        if self.timers.0 > TIMERS_MOST {
            self.fail(format!("its timer has expired more than {TIMERS_MOST} times within {TIMERS_MS} ms"));
        }
        self.notify(&Event::Timer(&layout::Path::of(path)));
    }

    fn ecn(&self) -> EcnUse {
        self.ecn
    }

    fn state(&self) -> &'static str {
        self.hosted_window().map_or("", |(window, ssthresh)| self.hosted.state(window, ssthresh))
    }

    fn state_rule(&self) -> &'static str {
        self.hosted_window().map_or("", |(window, ssthresh)| self.hosted.state_rule(window, ssthresh))
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref().or_else(|| self.misobserved.get())
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some(Err(reason)) = self.code.as_ref().map(|code| code.observe(record)) {
            let _ = self.misobserved.set(Failure::new(self.now, format!("in observe: {reason}")));
        }
    }

    /// A copy cannot be made of what another's code keeps: the copy has failed.
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        let reason = self.failure().cloned().unwrap_or_else(|| {
            Failure::new(self.now, "a controller behind the C interface cannot be copied".to_owned())
        });
        Box::new(Self {
            code: None,
            failure: Some(reason),
            misobserved: OnceCell::new(),
            ecn: self.ecn,
            traits: self.traits,
            answers: self.answers,
            hosted: self.hosted.clone(),
            undo: None,
            mss: self.mss,
            packets: layout::Packets::new(self.traits.version),
            now: self.now,
            timers: self.timers,
        })
    }
}

/// Upper bound of the window, packets: more than paths in use hold, and few enough to fit into memory.
const WINDOW_MAX: f64 = 1_048_576.0;

/// Upper bound of the burst, segments, for the same reason.
const BURST_MAX: u64 = 1_048_576;

/// Upper bound of the pacing rate, bits per second: the highest rate of a link in a scenario.
const RATE_MAX: u64 = 1_000_000_000_000_000;

/// A value above it is negative as a signed number, or the result of the conversion of NaN.
const NEGATIVE: u64 = i64::MAX as u64;

/// How often a timer may expire within which time: beyond it a run would hardly go on.
const TIMERS_MOST: u64 = 100_000;
const TIMERS_MS: u64 = 100;

/// Upper bound of a timer, nanoseconds: after the end of any run.
const TIMER_MAX: u64 = 15_000_000_000_000_000;
