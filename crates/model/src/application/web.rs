// SPDX-License-Identifier: Apache-2.0
//! A browser that loads pages: objects that depend on each other, over one or several connections.
//!
//! Source: the structure of a page, and page load time as the time to the last object that others depend on, as in Wang,
//! Balasubramanian, Krishnamurthy, Wetherall, "Demystifying Page Load Performance with WProf", NSDI 2013, §2; up to six
//! connections with one request each as browsers use HTTP/1.1, or one connection with many as HTTP/2 (RFC 9113 §5).
//!
//! A page is a list of levels. Object i of a level is requested when object i mod n of the level before, which has n,
//! has been received. Each page opens new connections, one more as long as objects wait for one, and closes them when it
//! is loaded; the user then thinks before the next.
//!
//! Deviations: no time to parse or to execute; all objects are on one server; objects of a connection are sent in the
//! order of their requests, unless a stack carries it, which has a stream for each.

use super::{Event, HANDSHAKE, Io, Object, Observation, REQUEST, Slowest};
use crate::traffic::{Sizes, Spans};
use narrows_engine::Stream;
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// A browser and its pages.
#[derive(Clone, Debug)]
pub struct WebModel {
    /// The levels of a page; at least one.
    pub levels: Vec<Level>,
    /// Most connections of a page.
    pub connections: u32,
    /// Most requests of a connection that wait for their objects.
    pub streams: u32,
    /// Round trips of the handshake above TCP, before the first request of a connection.
    pub handshakes: u32,
    /// Time from the end of a page to the start of the next.
    pub think: Spans,
    /// No page starts at or after this time.
    pub until: Span,
}

/// A level of a page.
#[derive(Clone, Debug)]
pub struct Level {
    /// Number of objects, above zero.
    pub count: u32,
    /// Size of each object.
    pub size: Sizes,
}

/// The state of a browser.
#[derive(Debug)]
pub struct Browser {
    model: WebModel,
    draws: Stream,
    /// Number of pages started.
    pages: u64,
    /// Start of the page.
    started: Time,
    /// Time of the next page; `NEVER` while one is loaded.
    due: Time,
    /// Objects of the page that can be requested, in order.
    ready: VecDeque<Item>,
    /// Number of objects of the page that have not been received.
    missing: u32,
    /// Of the objects of the page that have been received, the one that took longest.
    slowest: Slowest,
    connections: Vec<Connection>,
}

/// An object of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    level: usize,
    index: u32,
    size: Bytes,
    /// Time at which it could be requested.
    ready: Time,
    /// Time of its last request.
    requested: Time,
}

#[derive(Debug)]
struct Connection {
    number: u32,
    /// Round trips until the first request; `None` until the connection is established.
    handshakes: Option<u32>,
    /// Objects that were requested and not received.
    requested: VecDeque<Item>,
}

impl Browser {
    /// Creates a browser before its first page.
    pub(super) fn new(model: WebModel, draws: Stream) -> Self {
        Self {
            model,
            draws,
            pages: 0,
            started: Time::ZERO,
            due: Time::NEVER,
            ready: VecDeque::new(),
            missing: 0,
            slowest: Slowest::default(),
            connections: Vec::new(),
        }
    }

    pub(super) fn next_wake(&self) -> Time {
        self.due
    }

    /// Returns the start of the page that is being loaded; `None` if there is none.
    pub(super) fn loading_since(&self) -> Option<Time> {
        (self.missing > 0).then_some(self.started)
    }

    pub(super) fn on_event(&mut self, event: Event, io: &mut Io<'_>) {
        match event {
            Event::Start => self.start_page(io),
            Event::Captured(_) => {}
            Event::Timer if self.due <= io.now => self.start_page(io),
            Event::Timer => self.dispatch(io),
            Event::Opened(number) => {
                let handshakes = self.model.handshakes;
                if let Some(connection) = self.connection(number) {
                    connection.handshakes = Some(handshakes);
                    if handshakes > 0 {
                        io.request(number, HANDSHAKE.0, Object::Of(HANDSHAKE.1));
                    }
                }
                self.dispatch(io);
            }
            Event::Received(number, place, _) => {
                self.on_received(number, place, io);
                if self.missing > 0 {
                    self.dispatch(io);
                }
            }
            Event::Failed(number) => {
                if let Some(place) = self.connections.iter().position(|each| each.number == number) {
                    let failed = self.connections.remove(place);
                    failed.requested.iter().rev().for_each(|item| self.ready.push_front(*item));
                }
                self.dispatch(io);
            }
        }
    }

    fn connection(&mut self, number: u32) -> Option<&mut Connection> {
        self.connections.iter_mut().find(|each| each.number == number)
    }

    fn start_page(&mut self, io: &mut Io<'_>) {
        (self.started, self.due) = (io.now, Time::NEVER);
        self.pages += 1;
        self.missing = self.model.levels.iter().map(|level| level.count).sum();
        self.slowest = Slowest::default();
        (0..self.model.levels[0].count).for_each(|index| self.add(0, index, io.now));
        self.dispatch(io);
    }

    /// Object `index` of `level` can be requested from `now` on. Its size is a function of the page and its place there, so that it is the
    /// same whatever the order in which objects are received.
    fn add(&mut self, level: usize, index: u32, now: Time) {
        let place = (level as u64 + 1) << 32 | u64::from(index);
        let size = self.model.levels[level].size.sample(&mut self.draws.branch(self.pages).branch(place));
        self.ready.push_back(Item { level, index, size, ready: now, requested: now });
    }

    fn on_received(&mut self, number: u32, place: usize, io: &mut Io<'_>) {
        let Some(connection) = self.connection(number) else { return };
        if let Some(left) = connection.handshakes.as_mut().filter(|left| **left > 0) {
            *left -= 1;
            if *left > 0 {
                io.request(number, HANDSHAKE.0, Object::Of(HANDSHAKE.1));
            }
            return;
        }
        let Some(item) = connection.requested.remove(place) else { return };
        self.missing -= 1;
        let took = io.now - item.ready;
        if took > self.slowest.took {
            let (level, waited) = (item.level as u32, item.requested - item.ready);
            self.slowest = Slowest { level, index: item.index, size: item.size, waited, took };
        }
        if let Some(next) = self.model.levels.get(item.level + 1).map(|level| level.count) {
            let step = self.model.levels[item.level].count;
            (item.index..next)
                .step_by(step as usize)
                .for_each(|index| self.add(item.level + 1, index, io.now));
        }
        if self.missing == 0 {
            io.observe(Observation::Page(io.now - self.started, self.slowest));
            self.connections.drain(..).for_each(|each| io.close(each.number));
            let mut draws = self.draws.branch(self.pages);
            let next = io.now + self.model.think.sample(&mut draws).max(Span::from_ps(1));
            self.due = if next < Time::ZERO + self.model.until { next } else { Time::NEVER };
        }
    }

    /// Requests what can be requested, and opens connections for what waits.
    fn dispatch(&mut self, io: &mut Io<'_>) {
        while let Some(item) = self.ready.front().copied() {
            let streams = self.model.streams as usize;
            let usable =
                |each: &&mut Connection| each.handshakes == Some(0) && each.requested.len() < streams;
            let least = self.connections.iter_mut().filter(usable).min_by_key(|each| each.requested.len());
            let Some(connection) = least else { break };
            connection.requested.push_back(Item { requested: io.now, ..item });
            io.request(connection.number, REQUEST, Object::Of(item.size));
            self.ready.pop_front();
        }
        let starting = self.connections.iter().filter(|each| each.handshakes != Some(0)).count();
        let wanted = self.ready.len().saturating_sub(starting * self.model.streams as usize);
        for _ in 0..wanted.div_ceil(self.model.streams as usize) {
            if self.connections.len() >= self.model.connections as usize {
                return;
            }
            let Some(number) = io.open() else { return };
            self.connections.push(Connection { number, handshakes: None, requested: VecDeque::new() });
        }
    }
}
