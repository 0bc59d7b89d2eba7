//! The two ends of a flow in motion, each with its recorder.

use super::application::Application;
use super::net::Net;
use crate::records::{Histogram, ReceiverRecorder, SenderRecorder};
use narrows_engine::{EventQueue, Slot, Stream};
use narrows_transport::{ConnectionState, Host, News, ReceivingEndpoint, SendingEndpoint};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, Packet};

/// A sender in its host. Stands in memory as written here: first what every
/// acknowledgement touches.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct SendingEnd {
    pub alarm: Alarm,
    pub flow: u32,
    /// Where its packets begin their way.
    pub route: u32,
    pub group: usize,
    /// What writes little by little; without it everything is written.
    pub application: Option<Box<Application>>,
    /// Drawn from for the random send delay, where there is one.
    pub delay: Option<Box<SendDelay>>,
    pub recorder: SenderRecorder,
    pub sender: SendingEndpoint,
    /// Payload to transfer; `None` is endless.
    pub size: Option<Bytes>,
}

/// When an endpoint wants to be woken, and the event that wakes it: one that comes too early is put off then, so that a
/// deadline which moves with every packet costs no more than a note of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alarm {
    deadline: Time,
    event: Time,
}

impl Default for Alarm {
    fn default() -> Self {
        Self { deadline: Time::NEVER, event: Time::NEVER }
    }
}

impl Alarm {
    /// When the endpoint wants to be woken.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The endpoint wants to be woken at `deadline`, by the event `slot`.
    pub fn put(&mut self, deadline: Time, slot: Slot, queue: &mut EventQueue) {
        self.deadline = deadline;
        if deadline < self.event {
            self.event = deadline;
            queue.set(slot, deadline);
        }
    }

    /// The event has come. True if the endpoint wants to be woken now; the alarm must be put again either way.
    pub fn ring(&mut self, now: Time) -> bool {
        self.event = Time::NEVER;
        self.deadline <= now
    }
}

/// A random delay before each packet that keeps their order.
#[derive(Debug)]
pub(super) struct SendDelay {
    pub most: Span,
    pub draws: Stream,
    pub last: Time,
}

/// A receiver in its host.
#[derive(Debug)]
pub(super) struct ReceivingEnd {
    pub flow: u32,
    pub group: usize,
    /// Where its packets begin their way.
    pub route: u32,
    pub receiver: ReceivingEndpoint,
    pub recorder: ReceiverRecorder,
    pub alarm: Alarm,
}

/// What a sender may do to its partition.
struct SenderHost<'a> {
    net: &'a mut Net,
    host: u32,
    route: u32,
    delay: Option<&'a mut SendDelay>,
    recorder: &'a mut SenderRecorder,
    rtts: &'a mut Histogram,
}

/// What a receiver may do to its partition.
struct ReceiverHost<'a> {
    net: &'a mut Net,
    route: u32,
}

impl SendingEnd {
    /// The flow starts, or its application acts. When the application acts again.
    pub fn on_application(&mut self, host: u32, net: &mut Net, rtts: &mut Histogram) -> Time {
        let now = net.now;
        if self.recorder.started.is_none() {
            self.recorder.started = Some(now);
            self.act(host, net, rtts, |sender, host| sender.open(now, host));
            self.application.iter_mut().for_each(|application| application.begin(now));
        }
        let Some(application) = &mut self.application else { return Time::NEVER };
        let written = application.act(now);
        let again = application.next();
        if written > 0 {
            self.act(host, net, rtts, |sender, host| sender.offer(written, now, host));
        }
        let over = matches!(self.sender.state(), ConnectionState::Completed | ConnectionState::GaveUp);
        if over { Time::NEVER } else { again }
    }

    /// `packet` has arrived.
    pub fn on_packet(&mut self, packet: &Packet, host: u32, net: &mut Net, rtts: &mut Histogram) {
        let now = net.now;
        if !matches!(packet.body, Body::SynAck { .. }) {
            self.recorder.acknowledged(now);
        }
        self.act(host, net, rtts, |sender, host| sender.on_packet(packet, now, host));
    }

    /// A deadline has come.
    pub fn on_wake(&mut self, host: u32, net: &mut Net, rtts: &mut Histogram) {
        let now = net.now;
        self.act(host, net, rtts, |sender, host| sender.on_wake(now, host));
    }

    fn act(
        &mut self,
        host: u32,
        net: &mut Net,
        rtts: &mut Histogram,
        act: impl FnOnce(&mut SendingEndpoint, &mut SenderHost<'_>),
    ) {
        let now = net.now;
        let delay = self.delay.as_deref_mut();
        act(
            &mut self.sender,
            &mut SenderHost { net, host, route: self.route, delay, recorder: &mut self.recorder, rtts },
        );
        self.recorder.window(now, self.sender.window().unwrap_or(f64::NAN));
        // A sender that waits for its application is not what the scenario's limits are about.
        if self.application.is_none() && self.sender.state() == ConnectionState::Established {
            self.recorder.observe_limit(self.sender.limited_by_control());
        }
    }
}

impl ReceivingEnd {
    /// `packet` has arrived. The one-way delay of data goes to `delays`.
    pub fn on_packet(&mut self, packet: &Packet, net: &mut Net, delays: Option<&mut Histogram>) {
        let now = net.now;
        if let (Body::Data { .. } | Body::Datagram { .. }, Some(delays)) = (&packet.body, delays) {
            delays.add(now - packet.sent_at);
        }
        self.receiver.on_packet(packet, now, &mut ReceiverHost { net, route: self.route });
    }

    /// A deadline has come.
    pub fn on_wake(&mut self, net: &mut Net) {
        let now = net.now;
        self.receiver.on_wake(now, &mut ReceiverHost { net, route: self.route });
    }
}

impl Host for SenderHost<'_> {
    fn send(&mut self, mut packet: Packet) {
        let now = self.net.now;
        packet.next = self.route;
        match &mut self.delay {
            None => self.net.launch(&mut packet, now, None),
            Some(delay) => {
                let drawn = now + Span::from_ps(delay.draws.up_to(delay.most.as_ps()));
                delay.last = delay.last.max(drawn);
                self.net.launch(&mut packet, delay.last, Some(self.host));
            }
        }
    }

    fn tell(&mut self, news: News) {
        self.recorder.hear(news, self.net.now, self.rtts);
    }
}

impl Host for ReceiverHost<'_> {
    fn send(&mut self, mut packet: Packet) {
        let now = self.net.now;
        packet.next = self.route;
        self.net.launch(&mut packet, now, None);
    }
}
