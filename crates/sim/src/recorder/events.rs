// SPDX-License-Identifier: Apache-2.0
//! The log of events of flows during a run, if the scenario enables it.

use super::log::{Entry, Log};
use super::packets::kind;
use super::place::Place;
use narrows_cc::CongestionControl;
use narrows_records::{FlowEvent, PacketKind, Windows};
use narrows_transport::{Rule, SendingEndpoint, TransportEvent};
use narrows_units::Time;
use narrows_wire::{FlowId, Packet};

/// An entry of the log of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventEntry {
    /// Time of the event.
    pub at: Time,
    /// Sender or link of the event.
    pub place: Place,
    /// The connection.
    pub flow: FlowId,
    /// Kind of the event.
    pub event: FlowEvent,
    /// The rule that caused it; `""` if the event implies it.
    pub rule: &'static str,
    /// Kind and number of the packet; `None` if the event is not of one packet.
    pub packet: Option<(PacketKind, u64)>,
    /// Windows before and after; `None` at a link.
    pub windows: Option<[Windows; 2]>,
    /// Names of the states before and after.
    pub states: [&'static str; 2],
}

impl Entry for EventEntry {
    fn at(&self) -> Time {
        self.at
    }

    fn place(&self) -> Place {
        self.place
    }
}

impl EventEntry {
    /// Returns what happened to `packet` at a link.
    pub fn at_link(at: Time, place: Place, event: FlowEvent, rule: &'static str, packet: &Packet) -> Self {
        Self {
            at,
            place,
            flow: packet.flow,
            event,
            rule,
            packet: Some((kind(&packet.body), packet.number)),
            windows: None,
            states: [""; 2],
        }
    }
}

/// The logs of events of a partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLogs {
    /// Events of individually recorded connections.
    pub flows: Log<EventEntry>,
    /// Events of the data of servers of recorded clients.
    pub clients: Log<EventEntry>,
}

impl EventLogs {
    /// Whether anything is logged.
    pub fn is_on(&self) -> bool {
        self.flows.is_on() || self.clients.is_on()
    }
}

/// The events of one sender since its last call, and its state before them, for the log of events.
#[derive(Clone, Debug)]
pub(crate) struct SenderEvents {
    flow: FlowId,
    /// Kind of the packets that carry its data.
    data: PacketKind,
    /// Whether it is a server of a recorded client.
    of_client: bool,
    pending: Vec<TransportEvent>,
    windows: Windows,
    state: &'static str,
}

impl SenderEvents {
    /// Creates the events of a sender of `flow` that has not started, whose data packets are of kind `data`; `of_client` says
    /// whether it is a server of a recorded client.
    pub fn new(flow: FlowId, data: PacketKind, of_client: bool) -> Self {
        let windows = Windows { congestion: f64::NAN, ssthresh: f64::NAN };
        Self { flow, data, of_client, pending: Vec::new(), windows, state: "" }
    }

    /// The sender reported `event`.
    pub fn notify(&mut self, event: TransportEvent) {
        self.pending.push(event);
    }

    /// A call of `sender` at `now` is over, after which its window is `window` packets: logs its events and what it
    /// changed in its log among `logs`. `own` is the rule of a reduction that none of its events stands for.
    #[inline]
    pub fn settle(
        &mut self,
        sender: &SendingEndpoint,
        window: f64,
        own: Option<&'static str>,
        now: Time,
        logs: &mut EventLogs,
    ) {
        let state = sender.algorithm().map_or("", CongestionControl::state);
        // One name may have two addresses, but not two names one.
        if self.pending.is_empty() && own.is_none() && std::ptr::eq(state, self.state) {
            self.windows.congestion = window;
        } else {
            let log = if self.of_client { &mut logs.clients } else { &mut logs.flows };
            self.log(sender, window, own, now, log);
        }
    }

    #[cold]
    fn log(
        &mut self,
        sender: &SendingEndpoint,
        window: f64,
        own: Option<&'static str>,
        now: Time,
        log: &mut Log<EventEntry>,
    ) {
        let algorithm = sender.algorithm();
        let (state, state_rule) = algorithm.map_or(("", ""), |hosted| (hosted.state(), hosted.state_rule()));
        let windows = Windows { congestion: window, ssthresh: sender.ssthresh().unwrap_or(f64::NAN) };
        for event in &self.pending {
            if let TransportEvent::Reduction { ssthresh_before: Some(ssthresh), .. } = event {
                self.windows.ssthresh = *ssthresh;
            }
        }
        let entry = EventEntry {
            at: now,
            place: Place::Sender(self.flow.index() as u32),
            flow: self.flow,
            event: FlowEvent::State,
            rule: "",
            packet: None,
            windows: Some([self.windows, windows]),
            states: [self.state, state],
        };
        let lower = windows.congestion < self.windows.congestion;
        for event in self.pending.drain(..) {
            // An algorithm may keep its window after idle time.
            if event == TransportEvent::IdleRestart && !lower {
                continue;
            }
            let Some((event, rule, packet)) = of_transport(event, self.data) else { continue };
            log.add(EventEntry { event, rule: rule.map_or("", Rule::name), packet, ..entry });
        }
        if let Some(rule) = own {
            log.add(EventEntry { event: FlowEvent::Reduction, rule, ..entry });
        }
        if state != self.state {
            log.add(EventEntry { rule: state_rule, ..entry });
        }
        (self.windows, self.state) = (windows, state);
    }
}

/// Kind, rule and packet of an event of a sender whose data packets are of kind `data`; `None` if it is not logged.
#[expect(clippy::type_complexity, reason = "the parts of an entry, in its order")]
fn of_transport(
    event: TransportEvent,
    data: PacketKind,
) -> Option<(FlowEvent, Option<Rule>, Option<(PacketKind, u64)>)> {
    let (event, rule) = match event {
        TransportEvent::DeclaredLost { number, rule } => {
            return Some((FlowEvent::DeclaredLost, Some(rule), Some((data, number))));
        }
        TransportEvent::Reduction { rule, window_before, window_after, .. }
            if window_after < window_before =>
        {
            (FlowEvent::Reduction, Some(rule))
        }
        TransportEvent::Expired(Rule::Probe) => (FlowEvent::Probe, None),
        TransportEvent::Expired(Rule::Timeout) => (FlowEvent::Timeout, None),
        TransportEvent::Expired(rule) => (FlowEvent::Timeout, Some(rule)),
        TransportEvent::RecoveryStarted(rule) => (FlowEvent::RecoveryStart, Some(rule)),
        TransportEvent::RecoveryEnded => (FlowEvent::RecoveryEnd, None),
        TransportEvent::Undone(rule) => (FlowEvent::Undo, Some(rule)),
        TransportEvent::IdleRestart => (FlowEvent::IdleRestart, None),
        TransportEvent::WindowClosed => (FlowEvent::WindowClosed, None),
        TransportEvent::WindowProbe => (FlowEvent::WindowProbe, None),
        TransportEvent::WindowOpened => (FlowEvent::WindowOpened, None),
        // A signal at which the window was not lowered.
        TransportEvent::Reduction { .. }
        | TransportEvent::Established
        | TransportEvent::RttSample(_)
        | TransportEvent::Completed
        | TransportEvent::GaveUp => return None,
    };
    Some((event, rule, None))
}
