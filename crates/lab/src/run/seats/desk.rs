//! The sending end of a transfer in its seat, and the receiving end opposite.

use super::plan::Plan;
use super::wires::Wires;
use crate::records::{Histogram, SenderRecorder};
use crate::run::net::Net;
use narrows_engine::{EventQueue, Slot};
use narrows_transport::{ConnectionState, Host, News, ReceivingEndpoint, SendingEndpoint};
use narrows_units::{Span, Time};
use narrows_wire::{Body, FlowId, Packet};

/// A sender with its links.
#[derive(Debug)]
pub(in crate::run) struct Desk {
    pub plan: Plan,
    pub sender: SendingEndpoint,
    pub recorder: SenderRecorder,
    pub wires: Wires,
    /// The route of its packets, an index into the model's.
    pub route: u32,
    /// Its user waits no longer than that.
    pub patience: Time,
    /// It completed, failed or was abandoned then.
    pub ended: Option<(Time, Ending)>,
    pub bell: Bell,
    /// Its index in the model.
    pub group: usize,
    /// Nobody writes here what he has heard elsewhere, nor elsewhere what he has heard here.
    pub alone: bool,
}

/// How a transfer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) enum Ending {
    Completed,
    Failed,
    Abandoned,
}

/// A receiver with its links.
#[derive(Debug)]
pub(in crate::run) struct Counter {
    pub flow: FlowId,
    pub receiver: ReceivingEndpoint,
    pub wires: Wires,
    /// The route of its packets, an index into the model's.
    pub route: u32,
    /// Nothing more will come for it after that.
    pub closing: Time,
    /// That of all counters of the seat, if it is the newest.
    pub bell: Bell,
    /// As at the desk.
    pub group: usize,
    /// As at the desk.
    pub alone: bool,
    /// The counter of the transfer before in the same seat, while that may still hear something.
    pub before: Option<Box<Self>>,
}

/// The event of a desk, or of the counters of a seat: when it comes. It may come in vain, but never late.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Bell {
    pub slot: Slot,
    at: Time,
}

/// Told to the receiver's side when a transfer begins, long before its first packet comes.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Opening {
    pub plan: Plan,
}

/// Told to the receiver's side when a transfer has ended.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Closing {
    pub flow: FlowId,
    /// The receiver is gone then.
    pub at: Time,
}

struct DeskHost<'a> {
    net: &'a mut Net,
    slot: Slot,
    wires: &'a mut Wires,
    route: u32,
    recorder: &'a mut SenderRecorder,
    rtts: &'a mut Histogram,
}

struct CounterHost<'a> {
    net: &'a mut Net,
    slot: Slot,
    wires: &'a mut Wires,
    route: u32,
}

impl Bell {
    /// The event `slot`, which is not due.
    pub fn new(slot: Slot) -> Self {
        Self { slot, at: Time::NEVER }
    }

    /// Something is due at `at`.
    pub fn ring_at(&mut self, at: Time, queue: &mut EventQueue) {
        if at < self.at {
            self.at = at;
            queue.set(self.slot, at);
        }
    }

    /// The event has come.
    pub fn rang(&mut self) {
        self.at = Time::NEVER;
    }
}

impl Desk {
    /// The transfer begins: it opens the connection, or the other side has.
    pub fn begin(&mut self, opens: bool, net: &mut Net, rtts: &mut Histogram) {
        self.recorder.started = Some(net.now);
        if opens {
            self.act(net, rtts, |sender, now, host| sender.open(now, host));
        } else {
            self.act(net, rtts, |sender, now, host| sender.accept(now, host));
        }
    }

    /// That many segments more are written.
    pub fn offer(&mut self, segments: u64, net: &mut Net, rtts: &mut Histogram) {
        self.act(net, rtts, |sender, now, host| sender.offer(segments, now, host));
    }

    /// The router has, or will have, `packet` at its stamp. What happens here until it comes, and with it, happens at once if
    /// that is by `ahead`.
    pub fn receive(&mut self, packet: &Packet, ahead: Time, net: &mut Net, rtts: &mut Histogram) {
        let at = self.wires.receive(packet, net);
        if at > ahead || self.wires.coming() > 0 {
            self.wires.wait(packet, at);
        } else {
            self.go_ahead(Time::from_ps(at.as_ps() - 1), net, rtts);
            net.now = at;
            self.hear(packet, net, rtts);
            self.meet_deadlines(net, rtts);
        }
    }

    /// Whatever is due now, and then all that happens by `until`.
    pub fn run(&mut self, until: Time, net: &mut Net, rtts: &mut Histogram) {
        self.run_now(net, rtts);
        self.go_ahead(until, net, rtts);
    }

    /// When something is due next.
    pub fn next(&self) -> Time {
        match self.ended {
            // What still comes is not heard any more.
            Some((at, _)) => self.wires.next_leaving().min(at.max(self.wires.released())),
            None => self.wires.next().min(self.sender.next_wake()).min(self.patience),
        }
    }

    /// Nothing more happens here from `now` on.
    pub fn is_over(&self, now: Time) -> Option<(Time, Ending)> {
        self.ended.filter(|(at, _)| at.max(&self.wires.released()) <= &now)
    }

    fn go_ahead(&mut self, until: Time, net: &mut Net, rtts: &mut Histogram) {
        while self.ended.is_none() {
            let due = self.next();
            if due > until {
                return;
            }
            net.now = due;
            self.run_now(net, rtts);
        }
    }

    fn run_now(&mut self, net: &mut Net, rtts: &mut Histogram) {
        self.wires.release(net);
        while self.ended.is_none()
            && let Some(packet) = self.wires.take(net.now)
        {
            self.hear(&packet, net, rtts);
        }
        self.meet_deadlines(net, rtts);
    }

    /// `packet` has come to the host.
    fn hear(&mut self, packet: &Packet, net: &mut Net, rtts: &mut Histogram) {
        let now = net.now;
        net.landed += 1;
        net.log_received(packet);
        if self.ended.is_none() {
            if !matches!(packet.body, Body::SynAck { .. }) {
                self.recorder.acknowledged(now);
            }
            self.act(net, rtts, |sender, now, host| sender.on_packet(packet, now, host));
        }
    }

    fn meet_deadlines(&mut self, net: &mut Net, rtts: &mut Histogram) {
        let now = net.now;
        if self.ended.is_some() {
            return;
        }
        if self.sender.next_wake() <= now {
            self.act(net, rtts, |sender, now, host| sender.on_wake(now, host));
        }
        let ending = match self.sender.state() {
            ConnectionState::Completed => Some(Ending::Completed),
            ConnectionState::GaveUp => Some(Ending::Failed),
            _ => (self.patience <= now).then_some(Ending::Abandoned),
        };
        self.ended = ending.map(|ending| (now, ending));
    }

    fn act(
        &mut self,
        net: &mut Net,
        rtts: &mut Histogram,
        act: impl FnOnce(&mut SendingEndpoint, Time, &mut DeskHost<'_>),
    ) {
        let now = net.now;
        let (wires, recorder) = (&mut self.wires, &mut self.recorder);
        let (route, slot) = (self.route, self.bell.slot);
        act(&mut self.sender, now, &mut DeskHost { net, slot, wires, route, recorder, rtts });
        self.recorder.window(now, self.sender.window().unwrap_or(f64::NAN));
    }
}

impl Counter {
    /// As at a [desk](Desk::receive). One-way delays of data go to `delays`.
    pub fn receive(&mut self, packet: &Packet, ahead: Time, net: &mut Net, delays: Option<&mut Histogram>) {
        let at = self.wires.receive(packet, net);
        if at > ahead || self.wires.coming() > 0 {
            self.wires.wait(packet, at);
        } else {
            // Deadlines do not concern data.
            self.go_ahead(Time::from_ps(at.as_ps() - 1), net, None);
            net.now = at;
            self.hear(packet, net, delays);
            self.meet_deadlines(net);
        }
    }

    /// Whatever is due now, and then all that happens by `until`.
    pub fn run(&mut self, until: Time, net: &mut Net, mut delays: Option<&mut Histogram>) {
        self.run_now(net, delays.as_deref_mut());
        self.go_ahead(until, net, delays);
    }

    /// When something is due next.
    pub fn next(&self) -> Time {
        self.acts_next().min(self.closing.max(self.wires.released()))
    }

    /// It has nothing more to do and may go.
    pub fn is_done(&self, now: Time) -> bool {
        self.closing.max(self.wires.released()) <= now
    }

    fn acts_next(&self) -> Time {
        let next = self.wires.next().min(self.receiver.next_wake());
        if next <= self.closing { next } else { self.wires.next_leaving() }
    }

    fn go_ahead(&mut self, until: Time, net: &mut Net, mut delays: Option<&mut Histogram>) {
        loop {
            let due = self.acts_next();
            if due > until {
                return;
            }
            net.now = due;
            self.run_now(net, delays.as_deref_mut());
        }
    }

    fn run_now(&mut self, net: &mut Net, mut delays: Option<&mut Histogram>) {
        self.wires.release(net);
        if self.closing < net.now {
            return;
        }
        while let Some(packet) = self.wires.take(net.now) {
            self.hear(&packet, net, delays.as_deref_mut());
        }
        self.meet_deadlines(net);
    }

    /// `packet` has come to the host.
    fn hear(&mut self, packet: &Packet, net: &mut Net, delays: Option<&mut Histogram>) {
        let now = net.now;
        net.landed += 1;
        net.log_received(packet);
        if let (Body::Data { .. } | Body::Datagram { .. }, Some(delays)) = (&packet.body, delays) {
            delays.add(now - packet.sent_at);
        }
        let (route, slot) = (self.route, self.bell.slot);
        let mut host = CounterHost { net, slot, wires: &mut self.wires, route };
        self.receiver.on_packet(packet, now, &mut host);
    }

    fn meet_deadlines(&mut self, net: &mut Net) {
        let now = net.now;
        if self.receiver.next_wake() <= now {
            let (route, slot) = (self.route, self.bell.slot);
            let mut host = CounterHost { net, slot, wires: &mut self.wires, route };
            self.receiver.on_wake(now, &mut host);
        }
    }
}

impl Host for DeskHost<'_> {
    fn send(&mut self, packet: Packet) {
        let next = self.net.bases[self.route as usize];
        self.wires.send(Packet { next, ..packet }, self.slot, self.net);
    }

    fn tell(&mut self, news: News) {
        self.recorder.hear(news, self.net.now, self.rtts);
    }
}

impl Host for CounterHost<'_> {
    fn send(&mut self, packet: Packet) {
        let next = self.net.bases[self.route as usize];
        self.wires.send(Packet { next, ..packet }, self.slot, self.net);
    }
}

/// How long what a transfer has left in the network is waited for before its receiver is gone: the longest that an
/// acknowledged packet can still be under way is not known, so what comes later finds nobody, as at a real host that
/// has forgotten the connection.
pub(in crate::run) const LINGER: Span = Span::from_ms(1000);
