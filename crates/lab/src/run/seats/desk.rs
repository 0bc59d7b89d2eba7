//! The sending end of a transfer in its seat, and the receiving end opposite.

use super::plan::Plan;
use super::wires::Wires;
use crate::records::{Histogram, SenderRecorder};
use crate::run::net::Net;
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
    /// The counter of the transfer before in the same seat, while that may still hear something.
    pub before: Option<Box<Self>>,
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
    wires: &'a mut Wires,
    route: u32,
    recorder: &'a mut SenderRecorder,
    rtts: &'a mut Histogram,
}

struct CounterHost<'a> {
    net: &'a mut Net,
    wires: &'a mut Wires,
    route: u32,
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

    /// Whatever is due now.
    pub fn run(&mut self, net: &mut Net, rtts: &mut Histogram) {
        let now = net.now;
        self.wires.release(net);
        while let Some(packet) = self.wires.take(now) {
            net.landed += 1;
            net.log_received(&packet);
            if self.ended.is_none() {
                if !matches!(packet.body, Body::SynAck { .. }) {
                    self.recorder.acknowledged(now);
                }
                self.act(net, rtts, |sender, now, host| sender.on_packet(&packet, now, host));
            }
        }
        if self.ended.is_none() && self.sender.next_wake() <= now {
            self.act(net, rtts, |sender, now, host| sender.on_wake(now, host));
        }
        let ending = match self.sender.state() {
            ConnectionState::Completed => Some(Ending::Completed),
            ConnectionState::GaveUp => Some(Ending::Failed),
            _ => (self.patience <= now).then_some(Ending::Abandoned),
        };
        if let (None, Some(ending)) = (self.ended, ending) {
            self.ended = Some((now, ending));
        }
    }

    /// When something is due next.
    pub fn next(&self) -> Time {
        if self.ended.is_some() {
            return self.wires.next();
        }
        self.wires.next().min(self.sender.next_wake()).min(self.patience)
    }

    fn act(
        &mut self,
        net: &mut Net,
        rtts: &mut Histogram,
        act: impl FnOnce(&mut SendingEndpoint, Time, &mut DeskHost<'_>),
    ) {
        let now = net.now;
        let (wires, recorder) = (&mut self.wires, &mut self.recorder);
        act(&mut self.sender, now, &mut DeskHost { net, wires, route: self.route, recorder, rtts });
        self.recorder.window(now, self.sender.window().unwrap_or(f64::NAN));
    }
}

impl Counter {
    /// Whatever is due now. One-way delays of data go to `delays`.
    pub fn run(&mut self, net: &mut Net, mut delays: Option<&mut Histogram>) {
        let now = net.now;
        self.wires.release(net);
        while let Some(packet) = self.wires.take(now) {
            net.landed += 1;
            net.log_received(&packet);
            if let (Body::Data { .. } | Body::Datagram { .. }, Some(delays)) = (&packet.body, &mut delays) {
                delays.add(now - packet.sent_at);
            }
            let mut host = CounterHost { net, wires: &mut self.wires, route: self.route };
            self.receiver.on_packet(&packet, now, &mut host);
        }
        if self.receiver.next_wake() <= now {
            let mut host = CounterHost { net, wires: &mut self.wires, route: self.route };
            self.receiver.on_wake(now, &mut host);
        }
    }

    /// When something is due next.
    pub fn next(&self, now: Time) -> Time {
        if self.closing <= now {
            return self.wires.next();
        }
        self.wires.next().min(self.receiver.next_wake()).min(self.closing)
    }

    /// It has nothing more to do and may go.
    pub fn is_done(&self, now: Time) -> bool {
        self.closing <= now && self.wires.is_released()
    }
}

impl Host for DeskHost<'_> {
    fn send(&mut self, packet: Packet) {
        let next = self.net.bases[self.route as usize];
        self.wires.send(Packet { next, ..packet }, self.net);
    }

    fn tell(&mut self, news: News) {
        self.recorder.hear(news, self.net.now, self.rtts);
    }
}

impl Host for CounterHost<'_> {
    fn send(&mut self, packet: Packet) {
        let next = self.net.bases[self.route as usize];
        self.wires.send(Packet { next, ..packet }, self.net);
    }
}

/// How long what a transfer has left in the network is waited for before its receiver is gone: the longest that an
/// acknowledged packet can still be under way is not known, so what comes later finds nobody, as at a real host that
/// has forgotten the connection.
pub(in crate::run) const LINGER: Span = Span::from_ms(1000);
