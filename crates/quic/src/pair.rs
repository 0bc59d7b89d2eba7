// SPDX-License-Identifier: Apache-2.0
//! Both endpoints of a connection. This file is compiled for each stack: `super` is the stack, whose interfaces differ in details.

use super::api::{self, Paths};
use super::side::{self, CLIENT, Epoch, FIRST_CID, Factory, SERVER, Side};
use super::streams::Streams;
use super::{crypto, proto};
use crate::sent::Shared;
use crate::{HEADERS, hosted, seed};
use bytes::Bytes;
use narrows_cc::{Failure, RttView};
use narrows_model::algorithm::{FlowStart, StackControl};
use narrows_model::stack::{Datagram, Delivery, StackConnection, StackSettings, StackSetup};
use narrows_transport::{StackPacket, StackState};
use narrows_units::{Bytes as Size, Rate, Span, Time};
use narrows_wire::{Direction, Ecn};
use proto::{ClientConfig, ConnectionId, Dir, Event, ServerConfig, ValidationTokenConfig, VarInt};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The client, which opens the connection, and the server, which accepts it. The client sends the data, or both do.
pub(super) struct Pair {
    /// The time of the stack at the start of the run. Its type can only be created from the machine's clock; only
    /// differences from this value are ever used.
    base: Instant,
    setup: StackSetup,
    ends: [End; 2],
    client_config: Option<ClientConfig>,
}

/// One endpoint with its application.
#[expect(clippy::struct_excessive_bools, reason = "events of the connection, one by one")]
struct End {
    side: Side,
    /// The state that the endpoint exposes.
    seen: Shared,
    streams: Streams,
    paths: Paths,
    /// Name and value of each variable of its paths, if there are several and they are recorded.
    of_paths: Vec<(String, f64)>,
    observed: bool,
    /// Whether anything has come from the other end.
    answered: bool,
    /// Payload that the other end has read without a hole, as far as this one knows.
    acked: u64,
    /// Whether the last data packet could not be marked although it was to be.
    lacks_ecn: bool,
    aborted: bool,
    /// Whether the connection was closed: by an application, or as everything was acknowledged.
    closed: bool,
}

impl Pair {
    #[expect(
        clippy::disallowed_methods,
        reason = "an instant has no other source, and only differences from it are used"
    )]
    pub(super) fn new(setup: &StackSetup, control: &StackControl, start: &FlowStart<'_>) -> Self {
        let base = Instant::now();
        let seen = [Shared::default(), Shared::default()];
        let [of_client, of_server] = controllers(setup, control, start, base, &seen);
        let [client_seen, server_seen] = seen;
        let mut client_config = ClientConfig::new(Arc::new(crypto::Plain::new(client_seen.clone())));
        client_config.transport_config(Arc::new(side::transport(setup, &control.paths, of_client)));
        let mut cids = seed::Seed::new(setup.seed, FIRST_CID);
        let first = ConnectionId::new(&cids.bytes::<8>());
        client_config.initial_dst_cid_provider(Arc::new(move || first));
        let mut server =
            ServerConfig::new(Arc::new(crypto::Plain::new(server_seen.clone())), Arc::new(crypto::Tokens));
        server.transport_config(Arc::new(side::transport(setup, &control.paths, of_server)));
        server.time_source(Arc::new(Epoch));
        let mut tokens = ValidationTokenConfig::default();
        tokens.sent(0);
        server.validation_token_config(tokens);
        let client_paths = Paths::new(true, base, &control.paths);
        let mut client = End::new(Side::new(setup, CLIENT, None), client_seen, setup, client_paths, true);
        if !setup.two_sided {
            client.streams.write(0, Some(0));
            if let Some(size) = setup.size {
                client.streams.end(0, Some(size.count()));
            }
        }
        let side = Side::new(setup, SERVER, Some(Arc::new(server)));
        let server = End::new(side, server_seen, setup, Paths::new(false, base, &control.paths), false);
        Self { base, setup: *setup, ends: [client, server], client_config: Some(client_config) }
    }

    fn instant(&self, now: Time) -> Instant {
        self.base + Duration::from_nanos(now.as_ps() / 1_000)
    }

    fn time(&self, at: Instant) -> Time {
        let since = at.saturating_duration_since(self.base).as_nanos();
        u64::try_from(since * 1_000).map_or(Time::NEVER, Time::from_ps)
    }

    /// The end that sends in `direction`.
    fn sender(&mut self, direction: Direction) -> &mut End {
        &mut self.ends[direction as usize]
    }

    /// Lets both endpoints and the applications above them act.
    fn settle(&mut self, now: Time) {
        let at = self.instant(now);
        for end in &mut self.ends {
            end.settle(at, self.setup.two_sided);
        }
    }
}

impl End {
    fn new(side: Side, seen: Shared, setup: &StackSetup, paths: Paths, client: bool) -> Self {
        let StackSettings { stream_receive_window, connection_receive_window, .. } = setup.settings;
        // Data behind a hole is meant to fill little room. Otherwise it is read as it arrives, since a stack closes a connection whose
        // unread data has more than some thousand holes, which the end of slow start in a deep buffer leaves.
        let in_order = setup.receive_window.or(stream_receive_window).or(connection_receive_window).is_some();
        let dir = if setup.two_sided { Dir::Bi } else { Dir::Uni };
        Self {
            side,
            seen,
            streams: Streams::new(client, dir, in_order),
            paths,
            of_paths: Vec::new(),
            observed: setup.observed,
            answered: false,
            acked: 0,
            lacks_ecn: false,
            aborted: false,
            closed: false,
        }
    }

    fn settle(&mut self, at: Instant, two_sided: bool) {
        for event in self.side.events() {
            let Some((_, connection)) = &mut self.side.connection else { return };
            self.paths.on_event(&event, connection);
            match event {
                Event::Connected => self.streams.connected = true,
                // The one stream is complete.
                Event::Stream(event) if self.streams.on_event(&event, connection) && !two_sided => {
                    self.closed = true;
                    connection.close(at, VarInt::from_u32(0), Bytes::new());
                }
                Event::ConnectionLost { reason: proto::ConnectionError::ApplicationClosed(_) } => {
                    self.closed = true;
                }
                Event::ConnectionLost { .. } => self.aborted = !self.closed,
                _ => {}
            }
        }
        self.supply();
        if let Some((_, connection)) = &mut self.side.connection {
            self.streams.read(connection);
            self.paths.settle(connection, at);
        }
    }

    fn supply(&mut self) {
        if let Some((_, connection)) = &mut self.side.connection
            && !self.closed
            && !self.aborted
        {
            self.streams.supply(connection);
        }
    }

    fn close(&mut self, at: Instant) {
        self.closed = true;
        if let Some((_, connection)) = &mut self.side.connection {
            connection.close(at, VarInt::from_u32(0), Bytes::new());
        }
    }

    fn state(&mut self) -> StackState {
        let Some((_, connection)) = &mut self.side.connection else {
            return StackState { closed: self.closed, aborted: self.aborted, ..StackState::default() };
        };
        if self.observed {
            let of_paths = &mut self.of_paths;
            of_paths.clear();
            self.paths.observe(connection, &mut |name, value| of_paths.push((name, value)));
        }
        let path = api::path(connection, &self.seen);
        let limits = api::limits(connection);
        let mut seen = self.seen.lock();
        let mtu = u64::from(path.mtu).max(1);
        let packets = |bytes: u64| bytes as f64 / mtu as f64;
        let rtt = seen.latest_rtt.map(|latest| {
            let [latest, least, smoothed] = [latest, path.min_rtt, path.rtt].map(side::span);
            RttView::new(latest).min(least).smoothed(smoothed).variation(Span::ZERO)
        });
        // Without a rate of its own, a controller is paced at 5/4 of its window in a round trip (RFC 9002 §7.7).
        let rate = limits.rate.or_else(|| {
            rtt.is_some().then(|| path.window as f64 * 8.0 * 1.25 / path.rtt.as_secs_f64().max(1e-9))
        });
        // Of several paths one was reduced.
        let others = if limits.several { limits.window.saturating_sub(seen.after_reduction) } else { 0 };
        let on_wire = (mtu + HEADERS) as f64 / mtu as f64;
        StackState {
            established: !connection.is_handshaking(),
            aborted: self.aborted,
            closed: self.closed,
            window: packets(limits.window),
            ssthresh: limits.ssthresh.filter(|&bytes| bytes < u64::MAX).map(packets),
            in_flight: u32::try_from(seen.in_flight.saturating_add(mtu / 2) / mtu).unwrap_or(u32::MAX),
            rtt,
            pacing_rate: rate.map(|bps| Rate::from_bps_f64((bps * on_wire).min(u64::MAX as f64))),
            bytes_acked: self.acked,
            delivered: seen.acked,
            lost: u32::try_from(path.lost).unwrap_or(u32::MAX),
            timeouts: seen.persistent,
            reductions: seen.reductions,
            before_reduction: packets(seen.before_reduction + others),
            reducing: seen.cause.take(),
            lacks_ecn: self.lacks_ecn,
            window_limited: seen.in_flight + mtu > path.window,
        }
    }
}

impl StackConnection for Pair {
    fn open(&mut self, now: Time) {
        let at = self.instant(now);
        let Some(config) = self.client_config.take() else { return };
        let client = &mut self.ends[0];
        // The name and the addresses are valid, and the configuration is ours.
        client.side.connection = client.side.endpoint.connect(at, config, side::server(0), "server").ok();
        client.aborted = client.side.connection.is_none();
        self.settle(now);
    }

    fn write(&mut self, from: Direction, stream: u64, bytes: Option<Size>, now: Time) {
        self.sender(from).streams.write(stream, bytes.map(Size::count));
        self.settle(now);
    }

    fn end(&mut self, from: Direction, stream: u64, now: Time) {
        self.sender(from).streams.end(stream, None);
        self.settle(now);
    }

    fn expire(&mut self, from: Direction, stream: u64, end: Size, now: Time) -> Option<(Size, Size)> {
        let End { side, streams, .. } = self.sender(from);
        let (_, connection) = side.connection.as_mut()?;
        let found = streams.expire(stream, end.count(), connection);
        self.settle(now);
        found.map(|(sent, unsent)| (Size::new(sent), Size::new(unsent)))
    }

    fn stop(&mut self, from: Direction, now: Time) {
        let (at, two_sided) = (self.instant(now), self.setup.two_sided);
        let end = self.sender(from);
        // Before a stream is open there is nothing to be acknowledged.
        if two_sided || !end.streams.connected {
            end.close(at);
        } else {
            end.streams.take_back(0);
        }
        self.settle(now);
    }

    fn receive(&mut self, direction: Direction, path: u32, datagram: Datagram, ecn: Ecn, now: Time) {
        let at = self.instant(now);
        let from = if direction == Direction::Forward { side::client(path) } else { side::server(path) };
        let ecn = if self.setup.ecn { side::codepoint(ecn) } else { None };
        let receiver = &mut self.ends[1 - direction as usize];
        receiver.side.handle(at, from, ecn, &datagram.bytes);
        receiver.answered = true;
        receiver.paths.on_arrival();
        self.settle(now);
        // Of the last byte only the end of the stream says that it was acknowledged.
        let most = self.setup.size.map_or(u64::MAX, |size| size.count().saturating_sub(1));
        let receiver = &mut self.ends[1 - direction as usize];
        receiver.acked = receiver.acked.max(datagram.delivered.min(most));
        if receiver.closed && direction == Direction::Reverse {
            receiver.acked = self.setup.size.map_or(receiver.acked, Size::count);
        }
    }

    fn due(&self) -> Time {
        let times = self.ends.iter().flat_map(|end| [end.side.due, end.paths.due()]).flatten();
        times.min().map_or(Time::NEVER, |at| self.time(at))
    }

    fn wake(&mut self, now: Time) {
        let at = self.instant(now);
        for end in &mut self.ends {
            if end.side.due.is_some_and(|due| due <= at)
                && let Some((_, connection)) = &mut end.side.connection
            {
                connection.handle_timeout(at);
            }
        }
        self.settle(now);
    }

    fn send(&mut self, now: Time) -> Option<(Direction, StackPacket, Datagram)> {
        let (at, ecn_used) = (self.instant(now), self.setup.ecn);
        for direction in [Direction::Forward, Direction::Reverse] {
            let end = self.sender(direction);
            end.supply();
            end.seen.lock().frames.clear();
            let Some((bytes, ecn, path)) = end.side.send(at) else { continue };
            let seen = end.seen.lock();
            let before = end.streams.sent;
            let (payload, again) = end.streams.on_sent(&seen.frames);
            let number = seen.number;
            drop(seen);
            // The first packet of an Initial space opens the connection, or accepts it (RFC 9000 §17.2.2).
            let initial = bytes.first().is_some_and(|first| first & 0xb0 == 0x80);
            let answered = direction == Direction::Forward && end.answered;
            if payload > 0 {
                end.lacks_ecn = ecn_used && ecn.is_none();
            }
            let delivered = end.streams.delivered;
            // Of a connection over which one side writes, acknowledgements have the number of the last packet with data.
            let number = if self.setup.two_sided { number } else { self.ends[0].seen.lock().number };
            let packet = StackPacket {
                handle: 0,
                number,
                size: Size::new(bytes.len() as u64 + HEADERS),
                payload: Size::new(payload),
                position: if again { before.saturating_sub(payload) } else { before },
                syn: initial && payload == 0 && !answered,
                ecn: if self.setup.ecn { side::field(ecn) } else { Ecn::NotCapable },
                lane: 0,
                path,
            };
            return Some((direction, packet, Datagram { bytes, delivered }));
        }
        None
    }

    fn delivery(&mut self) -> Option<Delivery> {
        let of = |(end, from): (&mut End, Direction)| {
            let (stream, bytes) = end.streams.deliveries.pop_front()?;
            Some(Delivery { from, stream, bytes: Size::new(bytes) })
        };
        let [client, server] = &mut self.ends;
        [(server, Direction::Forward), (client, Direction::Reverse)].into_iter().find_map(of)
    }

    fn failure(&mut self) -> Option<Failure> {
        self.ends.iter().find_map(|end| end.seen.lock().take_failure())
    }

    fn observe(&self, from: Direction, record: &mut dyn FnMut(&str, f64)) {
        let end = &self.ends[from as usize];
        for (name, value) in end.seen.lock().observed.iter().chain(&end.of_paths) {
            record(name, *value);
        }
    }

    fn state(&mut self, from: Direction) -> (StackState, u64) {
        let delivered = self.ends[1 - from as usize].streams.delivered;
        (self.sender(from).state(), delivered)
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("setup", &self.setup).finish_non_exhaustive()
    }
}

/// Builds the controllers of the client and of the server. An algorithm of Narrows or from a file is used by the sender alone:
/// the client, or the server if both sides write, as it sends what the client requests.
fn controllers(
    setup: &StackSetup,
    control: &StackControl,
    start: &FlowStart<'_>,
    base: Instant,
    seen: &[Shared; 2],
) -> [Factory; 2] {
    let [client, server] = seen;
    if let Some(algorithm) = &control.hosted {
        let sender = if setup.two_sided { server } else { client };
        let plan = hosted::plan(algorithm, start, setup, sender, api::STACK);
        let hosted = api::hosted(plan, base, sender.clone());
        return if setup.two_sided {
            [api::own("", setup, client.clone()), hosted]
        } else {
            [hosted, api::own("", setup, Shared::default())]
        };
    }
    let own = |seen: &Shared| api::own(&control.name, setup, seen.clone());
    if setup.two_sided { [own(client), own(server)] } else { [own(client), own(client)] }
}
