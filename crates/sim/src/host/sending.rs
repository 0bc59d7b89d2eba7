// SPDX-License-Identifier: Apache-2.0
//! The sending end of a connection in its host.

use super::application::Written;
use super::clock::Clock;
use super::{AccessLinks, Application, Context, SendDelay, Timer};
use crate::net::Net;
use crate::plan::Plan;
use crate::recorder::SenderRecorder;
use narrows_engine::Slot;
use narrows_records::Histogram;
use narrows_transport::{
    ConnectionState, Host, Limit, Sender, SendingEndpoint, StackPacket, StackPart, StackRequest, StackSender,
    StackState, TransportEvent,
};
use narrows_units::{Bytes, Time};
use narrows_wire::{Body, Packet};

/// A sender with its access links, its application and its recorder.
#[derive(Debug)]
pub(crate) struct SendingHost {
    /// Earliest time at which the host must act.
    pub timer: Timer,
    clock: Clock,
    /// Counts and metrics of the connection.
    pub recorder: SenderRecorder,
    /// The sending endpoint of the transport.
    pub sender: SendingEndpoint,
    /// Links between the host and its router.
    pub access: AccessLinks,
    /// Plan of the connection.
    pub plan: Plan,
    /// The route of its packets: an index into the model's routes.
    pub route: u32,
    /// Index of the group of the connection.
    pub group: usize,
    /// Whether only its own packets and deadlines affect the host, so that it may run ahead of other hosts.
    pub exclusive: bool,
    /// Whether the host's application writes all data at the start.
    pub greedy: bool,
    /// Time at which its user abandons the transfer; `NEVER` without a limit.
    pub patience_ends: Time,
    /// Time at which its application writes no more; `NEVER` if it does not stop.
    stops: Time,
    /// Time of the next work of its user, its application or its send delay.
    appointment: Time,
    /// Time and cause of the end of the connection; `None` while it is open. Its slot is freed when the clock of the
    /// run reaches this time.
    pub ended: Option<(Time, Ending)>,
    /// Time of the next work, other than the end of the connection.
    acts_next: Time,
    /// Whether the end of the connection has been recorded.
    pub concluded: bool,
    /// Data packets sent at the last call of [`has_sent`](Self::has_sent).
    sent: u64,
    /// The application that writes the data over time; `None` if all data is written at the start.
    pub application: Option<Box<Application>>,
    /// Random delay of outgoing packets; `None` without one.
    pub delay: Option<Box<SendDelay>>,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every byte was acknowledged; of datagrams, all have been sent.
    Completed,
    /// The connection could not be established, or was aborted.
    Failed,
    /// The user of the connection abandoned it.
    Abandoned,
}

/// The interface of a sender to its host.
struct SenderIo<'a> {
    now: Time,
    net: &'a mut Net,
    slot: Slot,
    route: u32,
    access: &'a mut AccessLinks,
    delay: Option<&'a mut SendDelay>,
    recorder: &'a mut SenderRecorder,
    rtts: &'a mut Histogram,
}

impl SendingHost {
    /// Creates an idle host for the connection that `plan` describes, whose packets take `route` and belong to `group`.
    pub fn new(
        plan: Plan,
        sender: SendingEndpoint,
        recorder: SenderRecorder,
        route: u32,
        group: usize,
    ) -> Self {
        Self {
            timer: Timer::default(),
            clock: Clock::default(),
            recorder,
            sender,
            access: AccessLinks::new(plan.near),
            plan,
            route,
            group,
            exclusive: true,
            greedy: true,
            patience_ends: Time::NEVER,
            stops: Time::NEVER,
            appointment: Time::NEVER,
            ended: None,
            acts_next: Time::NEVER,
            concluded: false,
            sent: 0,
            application: None,
            delay: None,
        }
    }

    /// Starts the connection at `now`; `opens` says whether this side opens it or accepts it from the other side.
    pub fn start(&mut self, now: Time, opens: bool, cx: &mut Context<'_>) {
        self.clock.advance(now);
        self.recorder.started = Some(now);
        if opens {
            self.act(now, cx, |sender, io| sender.open(now, io));
        } else {
            self.act(now, cx, |sender, io| sender.accept(now, io));
        }
        if let Some(application) = &mut self.application {
            application.start(now);
        }
        self.set_appointment();
        self.meet_deadlines(now, cx);
    }

    /// Whether data has been sent since the last call.
    pub fn has_sent(&mut self) -> bool {
        let sent = self.sender.counters().packets_sent;
        std::mem::replace(&mut self.sent, sent) != sent
    }

    /// The connection is used until `at`: a transfer that is not complete then is abandoned, and an endless flow ends when
    /// what it has sent is acknowledged.
    pub fn stop_at(&mut self, at: Time) {
        if self.plan.size.is_some() {
            self.patience_ends = at;
        } else {
            self.stops = at;
        }
    }

    /// Passes `segments` more segments, written by the application of either side, to the sender at `now`.
    pub fn offer(&mut self, segments: u64, now: Time, cx: &mut Context<'_>) {
        self.act(now, cx, |sender, io| sender.offer(segments, now, io));
        self.set_appointment();
        self.set_timer(self.sender.next_wake());
    }

    /// Returns the sender of data that is written in parts.
    pub fn parts(&self) -> &Sender {
        self.sender.reliable().expect(RELIABLE)
    }

    /// Does the same as [`parts`](Self::parts).
    pub fn parts_mut(&mut self) -> &mut Sender {
        parts_mut(&mut self.sender)
    }

    /// The application will write parts whose sizes are not known yet.
    pub fn expect_parts(&mut self) {
        match self.sender.reliable_mut() {
            Some(sender) => sender.expect_more_writes(),
            None => self.sender.wait_for_offers(),
        }
        self.greedy = false;
    }

    /// The application writes `part` of a stream at `now`; without a stack, to the only one.
    pub fn write_part(&mut self, part: StackPart, now: Time, cx: &mut Context<'_>) {
        self.act(now, cx, |sender, io| match (sender.stack_mut(), part.size) {
            (Some(sender), _) => sender.write(part, io),
            (None, Some(size)) => parts_mut(sender).write(size, now, io),
            (None, None) => sender.offer(u64::MAX, now, io),
        });
        self.set_appointment();
        self.set_timer(self.sender.next_wake());
    }

    /// The stack resets the stream `stream` unless its first `end` bytes have been sent.
    pub fn expire_part(&mut self, stream: u64, end: Bytes, now: Time, cx: &mut Context<'_>) {
        self.act(now, cx, |sender, io| of_stack(sender).expire(stream, end, io));
    }

    /// The application writes no more from `now` on; on a connection of a stack over which both sides write, nothing more
    /// arrives, either.
    pub fn close_writes(&mut self, now: Time, cx: &mut Context<'_>) {
        self.act(now, cx, |sender, io| sender.stop(now, io));
        self.meet_deadlines(now, cx);
    }

    /// Returns the payload of parts that has been sent.
    pub fn sent_of_parts(&self) -> Bytes {
        self.sender.stack().map_or_else(|| self.parts().sent(), StackSender::sent)
    }

    /// Processes `packet` at its arrival time, after all work that was due before.
    #[inline]
    pub fn arrive(&mut self, packet: &Packet, cx: &mut Context<'_>) {
        let at = packet.arrival;
        if self.timer.deadline() < at {
            self.advance(Time::from_ps(at.as_ps() - 1), cx);
        }
        self.clock.advance(at);
        self.on_arrival(packet, at, cx);
        self.meet_deadlines(at, cx);
    }

    /// Stores `packet` until its arrival time at the host.
    pub fn wait(&mut self, packet: &Packet) {
        self.access.wait(packet);
        self.set_timer(self.sender.next_wake());
    }

    /// Performs all work that is due by `until`, in order of time.
    pub fn advance(&mut self, until: Time, cx: &mut Context<'_>) {
        while self.acts_next <= until && !cx.net.is_stopped() {
            self.run(self.acts_next, cx);
        }
    }

    /// Performs all work that is due at `now`.
    pub fn run(&mut self, now: Time, cx: &mut Context<'_>) {
        self.clock.advance(now);
        if let Some(delay) = &mut self.delay {
            while let Some(mut packet) = delay.take(now) {
                self.access.send(&mut packet, now, now, cx.slot, cx.net);
            }
        }
        self.access.release(now, cx.slot, cx.net);
        while self.ended.is_none()
            && let Some(packet) = self.access.take(now)
        {
            self.on_arrival(&packet, now, cx);
        }
        self.meet_deadlines(now, cx);
    }

    /// The stack that carries the connection sends `packet` along `route` at `now`.
    pub fn send_from_stack(&mut self, packet: &StackPacket, route: u32, now: Time, cx: &mut Context<'_>) {
        self.clock.advance(now);
        let usual = std::mem::replace(&mut self.route, route);
        self.act(now, cx, |sender, io| of_stack(sender).send(packet, now, io));
        self.route = usual;
        self.meet_deadlines(now, cx);
    }

    /// The stack that carries the connection reports its `state` at `now`.
    pub fn update_from_stack(&mut self, state: StackState, now: Time, cx: &mut Context<'_>) {
        self.clock.advance(now);
        self.act(now, cx, |sender, io| of_stack(sender).update(state, now, io));
        self.meet_deadlines(now, cx);
    }

    /// Returns the time and cause of the end of the connection, if it has ended by `now` and the router has received
    /// everything that the host sent; `None` otherwise.
    pub fn is_over(&self, now: Time) -> Option<(Time, Ending)> {
        self.ended.filter(|(at, _)| at.max(&self.access.drained()) <= &now && self.next_held() == Time::NEVER)
    }

    /// Sets the timer to the next work; `wake` is the deadline of the sender.
    #[inline]
    fn set_timer(&mut self, wake: Time) {
        if let Some((at, _)) = self.ended {
            // Later arrivals are ignored.
            let held = self.next_held();
            self.acts_next = self.access.next_to_router().min(held);
            // Held packets delay the end of the connection.
            let over = if held == Time::NEVER { at.max(self.access.drained()) } else { Time::NEVER };
            self.timer.set(self.acts_next.min(over));
        } else {
            self.acts_next = wake.min(self.access.next()).min(self.appointment);
            self.timer.set(self.acts_next);
        }
    }

    fn set_appointment(&mut self) {
        let application = self.application.as_ref().map_or(Time::NEVER, |application| application.next());
        self.appointment = self.patience_ends.min(self.stops).min(application).min(self.next_held());
    }

    /// Earliest departure time of a delayed packet.
    fn next_held(&self) -> Time {
        self.delay.as_ref().map_or(Time::NEVER, |delay| delay.next())
    }

    #[inline]
    fn on_arrival(&mut self, packet: &Packet, now: Time, cx: &mut Context<'_>) {
        cx.net.deliver(packet, now);
        if self.ended.is_none() {
            if !matches!(packet.body, Body::SynAck { .. }) {
                self.recorder.acknowledged(now);
            }
            self.act(now, cx, |sender, io| sender.on_packet(packet, now, io));
        }
    }

    /// Performs the work of the sender, its application and its user that is due by `now`, and sets the timer.
    #[inline]
    fn meet_deadlines(&mut self, now: Time, cx: &mut Context<'_>) {
        let mut wake = self.sender.next_wake();
        if self.ended.is_none() {
            if wake <= now {
                self.act(now, cx, |sender, io| sender.on_wake(now, io));
                wake = self.sender.next_wake();
            }
            if self.application.is_some() {
                self.write(now, cx);
                wake = self.sender.next_wake();
            }
            if self.stops <= now {
                (self.stops, self.application) = (Time::NEVER, None);
                self.act(now, cx, |sender, io| sender.stop(now, io));
                self.set_appointment();
                wake = self.sender.next_wake();
            }
            let ending = match self.sender.state() {
                ConnectionState::Completed => Some(Ending::Completed),
                ConnectionState::GaveUp => Some(Ending::Failed),
                _ => (self.patience_ends <= now).then_some(Ending::Abandoned),
            };
            if let Some(ending) = ending {
                self.recorder.window(now, f64::NAN);
                self.ended = Some((now, ending));
            }
        }
        if self.application.is_some() || self.delay.is_some() {
            self.set_appointment();
        }
        self.set_timer(wake);
    }

    /// Performs the writes of the application that are due.
    fn write(&mut self, now: Time, cx: &mut Context<'_>) {
        let Some(application) = &mut self.application else { return };
        if application.next() > now {
            return;
        }
        match application.act(now) {
            Written::Packets(0) => {}
            Written::Packets(written) => self.act(now, cx, |sender, io| sender.offer(written, now, io)),
            Written::Bytes(size) => self.act(now, cx, |sender, io| parts_mut(sender).append(size, now, io)),
        }
    }

    #[inline]
    fn act(
        &mut self,
        now: Time,
        cx: &mut Context<'_>,
        call: impl FnOnce(&mut SendingEndpoint, &mut SenderIo<'_>),
    ) {
        let mut io = SenderIo {
            now,
            net: cx.net,
            slot: cx.slot,
            route: self.route,
            access: &mut self.access,
            delay: self.delay.as_deref_mut(),
            recorder: &mut self.recorder,
            rtts: cx.spans,
        };
        call(&mut self.sender, &mut io);
        self.recorder.settle(&self.sender, now, &mut cx.net.flows.events);
        if self.greedy
            && let Some(limit) = self.sender.stopped_by()
            && limit != Limit::Application
        {
            self.recorder.observe_limit(matches!(limit, Limit::Window | Limit::Pacing));
        }
    }
}

fn parts_mut(sender: &mut SendingEndpoint) -> &mut Sender {
    sender.reliable_mut().expect(RELIABLE)
}

/// `Model::check` has seen to it.
pub(super) const RELIABLE: &str = "what is written in parts is sent reliably";

fn of_stack(sender: &mut SendingEndpoint) -> &mut StackSender {
    sender.stack_mut().expect("the stack carries all connections")
}

impl Host for SenderIo<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    fn send(&mut self, mut packet: Packet) {
        packet.next = self.net.bases[self.route as usize];
        let at = self.delay.as_mut().map_or(self.now, |delay| delay.draw(self.now));
        match &mut self.delay {
            Some(delay) if !self.net.lookahead => {
                delay.hold(packet, at);
                self.net.check_waiting(delay.holding(), self.now);
            }
            _ => self.access.send(&mut packet, at, self.now, self.slot, self.net),
        }
    }

    fn request(&mut self, request: StackRequest) {
        self.net.requests.push_back(request);
    }

    #[inline]
    fn notify(&mut self, event: TransportEvent) {
        self.recorder.on_event(event, self.now, self.rtts);
        if let TransportEvent::RttSample(rtt) = event
            && !self.net.steering.is_empty()
        {
            self.net.probed(self.slot, rtt, self.now);
        }
    }
}
