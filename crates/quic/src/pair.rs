// SPDX-License-Identifier: Apache-2.0
//! Both endpoints of a connection. This file is compiled for each stack: `super` is the stack, whose interfaces differ in details.

use super::{api, crypto, proto};
use crate::sent::Shared;
use crate::{HEADERS, LEAST_PAYLOAD, hosted, seed};
use bytes::{Bytes, BytesMut};
use narrows_cc::{Failure, RttView};
use narrows_model::algorithm::{FlowStart, StackControl};
use narrows_model::stack::{AckFrequency, Datagram, StackConnection, StackSettings, StackSetup};
use narrows_transport::{Arrived, StackPacket, StackState};
use narrows_units::{Bytes as Size, Rate, Span, Time};
use narrows_wire::{Direction, Ecn};
use proto::congestion::ControllerFactory;
use proto::{
    AckFrequencyConfig, ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent, Dir,
    EcnCodepoint, Endpoint, EndpointConfig, Event, MtuDiscoveryConfig, ServerConfig, StreamEvent, StreamId,
    TimeSource, TransportConfig, ValidationTokenConfig, VarInt,
};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The client, which sends the data, and the server, which receives it.
#[expect(clippy::struct_excessive_bools, reason = "what has happened to the connection, one by one")]
pub(super) struct Pair {
    /// The time of the stack at the start of the run. Its type can only be created from the machine's clock; only
    /// differences from this value are ever used.
    base: Instant,
    setup: StackSetup,
    client: Side,
    server: Side,
    client_config: Option<ClientConfig>,
    /// The state that the client exposes.
    seen: Shared,
    stream: Option<StreamId>,
    incoming: Option<StreamId>,
    /// Payload that the application still has to write; `None` for an endless supply.
    unwritten: Option<u64>,
    /// Payload written so far.
    written: u64,
    /// Payload sent so far, up to the highest byte.
    reached: u64,
    /// Whether the stream was closed.
    closed: bool,
    /// Whether everything was acknowledged.
    finished: bool,
    /// Whether anything has come from the server.
    answered: bool,
    /// The data that the server has read.
    arrived: Arrived,
    /// Payload that the server has read without a hole, as far as the client knows.
    acked: u64,
    /// Whether the last data packet could not be marked although it was to be.
    lacks_ecn: bool,
    aborted: bool,
}

/// One endpoint.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// The endpoint's own answers.
    answers: Vec<(Vec<u8>, Option<EcnCodepoint>)>,
    /// Time of the next timer.
    due: Option<Instant>,
}

impl Pair {
    #[expect(
        clippy::disallowed_methods,
        reason = "an instant has no other source, and only differences from it are used"
    )]
    pub(super) fn new(setup: &StackSetup, control: &StackControl, start: &FlowStart<'_>) -> Self {
        let base = Instant::now();
        let seen = Shared::default();
        let [sending, receiving] = controllers(setup, control, start, base, &seen);
        let receiving = Arc::new(transport(setup, receiving));
        let mut client_config = ClientConfig::new(Arc::new(crypto::Plain::new(seen.clone())));
        client_config.transport_config(Arc::new(transport(setup, sending)));
        let mut cids = seed::Seed::new(setup.seed, FIRST_CID);
        let first = ConnectionId::new(&cids.bytes::<8>());
        client_config.initial_dst_cid_provider(Arc::new(move || first));
        let mut server =
            ServerConfig::new(Arc::new(crypto::Plain::new(Shared::default())), Arc::new(crypto::Tokens));
        server.transport_config(receiving);
        server.time_source(Arc::new(Epoch));
        let mut tokens = ValidationTokenConfig::default();
        tokens.sent(0);
        server.validation_token_config(tokens);
        Self {
            base,
            setup: *setup,
            client: Side::new(setup, CLIENT, None),
            server: Side::new(setup, SERVER, Some(Arc::new(server))),
            client_config: Some(client_config),
            seen,
            stream: None,
            incoming: None,
            unwritten: Some(0),
            written: 0,
            reached: 0,
            closed: false,
            finished: false,
            answered: false,
            arrived: Arrived::default(),
            acked: 0,
            lacks_ecn: false,
            aborted: false,
        }
    }

    fn instant(&self, now: Time) -> Instant {
        self.base + Duration::from_nanos(now.as_ps() / 1_000)
    }

    fn time(&self, at: Instant) -> Time {
        let since = at.saturating_duration_since(self.base).as_nanos();
        u64::try_from(since * 1_000).map_or(Time::NEVER, Time::from_ps)
    }

    /// Lets both endpoints and the applications above them act.
    fn settle(&mut self, now: Time) {
        let at = self.instant(now);
        for event in self.client.events() {
            match event {
                Event::Connected => self.start(),
                Event::Stream(StreamEvent::Finished { .. }) => {
                    self.finished = true;
                    if let Some((_, connection)) = &mut self.client.connection {
                        connection.close(at, VarInt::from_u32(0), Bytes::new());
                    }
                }
                Event::ConnectionLost { .. } => self.aborted = !self.finished,
                _ => {}
            }
        }
        self.supply();
        for event in self.server.events() {
            if let Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) = event
                && let Some((_, connection)) = &mut self.server.connection
            {
                self.incoming = self.incoming.or_else(|| connection.streams().accept(Dir::Uni));
            }
        }
        self.read();
    }

    fn start(&mut self) {
        if let Some((_, connection)) = &mut self.client.connection {
            self.stream = connection.streams().open(Dir::Uni);
        }
    }

    /// The sending application writes as much as the stack takes, but not further ahead than matters: the stack keeps
    /// written data.
    fn supply(&mut self) {
        let (Some((_, connection)), Some(stream)) = (&mut self.client.connection, self.stream) else {
            return;
        };
        if self.closed || self.aborted {
            return;
        }
        while self.unwritten != Some(0) && self.written < self.reached + AHEAD {
            let most = self.unwritten.unwrap_or(u64::MAX).min(ZEROS.len() as u64);
            let chunk = Bytes::from_static(&ZEROS[..most as usize]);
            let taken = api::write(&mut connection.send_stream(stream), chunk);
            self.written += taken;
            self.unwritten = self.unwritten.map(|left| left - taken);
            if taken == 0 {
                break;
            }
        }
        if self.setup.size.is_some_and(|size| self.written >= size.count()) {
            self.closed = connection.send_stream(stream).finish().is_ok();
        }
    }

    /// The receiving application reads all available data: in order if the scenario gives it a receive window, so that
    /// data behind a hole fills that. Otherwise as it arrives, since a stack closes a connection whose unread data has
    /// more than some thousand holes, which the end of slow start in a deep buffer leaves.
    fn read(&mut self) {
        let (Some((_, connection)), Some(stream)) = (&mut self.server.connection, self.incoming) else {
            return;
        };
        let mut receiving = connection.recv_stream(stream);
        let Ok(mut chunks) = receiving.read(has_little_room(&self.setup)) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.arrived.receive(chunk.offset, chunk.offset + chunk.bytes.len() as u64);
        }
        let _ = chunks.finalize();
    }

    /// Payload that the server has read without a hole.
    fn delivered(&self) -> u64 {
        self.arrived.next(0)
    }

    fn state_of_sender(&mut self) -> StackState {
        let Some((_, connection)) = &mut self.client.connection else { return StackState::default() };
        let path = api::path(connection, &self.seen);
        let limits = api::limits(connection);
        let mut seen = self.seen.lock();
        let mtu = u64::from(path.mtu).max(1);
        let packets = |bytes: u64| bytes as f64 / mtu as f64;
        let rtt = seen.latest_rtt.map(|latest| {
            RttView::new(span(latest)).min(span(path.min_rtt)).smoothed(span(path.rtt)).variation(Span::ZERO)
        });
        // Without a rate of its own, a controller is paced at 5/4 of its window in a round trip (RFC 9002 §7.7).
        let rate = limits.rate.or_else(|| {
            rtt.is_some().then(|| path.window as f64 * 8.0 * 1.25 / path.rtt.as_secs_f64().max(1e-9))
        });
        let on_wire = (mtu + HEADERS) as f64 / mtu as f64;
        StackState {
            established: !connection.is_handshaking(),
            aborted: self.aborted,
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
            before_reduction: packets(seen.before_reduction),
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
        // The name and the addresses are valid, and the configuration is ours.
        self.client.connection = self.client.endpoint.connect(at, config, SERVER.1, "server").ok();
        self.aborted = self.client.connection.is_none();
        self.settle(now);
    }

    fn write(&mut self, bytes: Option<Size>, now: Time) {
        self.unwritten = self.unwritten.zip(bytes).map(|(left, more)| left.saturating_add(more.count()));
        self.settle(now);
    }

    fn receive(&mut self, direction: Direction, datagram: Datagram, ecn: Ecn, now: Time) {
        let at = self.instant(now);
        let (side, from) = match direction {
            Direction::Forward => (&mut self.server, CLIENT.1),
            Direction::Reverse => (&mut self.client, SERVER.1),
        };
        let ecn = if self.setup.ecn { codepoint(ecn) } else { None };
        side.handle(at, from, ecn, &datagram.bytes);
        if direction == Direction::Reverse {
            self.answered = true;
        }
        self.settle(now);
        if direction == Direction::Reverse {
            // Of the last byte only the end of the stream says that it was acknowledged.
            let most = self.setup.size.map_or(u64::MAX, |size| size.count().saturating_sub(1));
            self.acked = self.acked.max(datagram.delivered.min(most));
        }
        if self.finished {
            self.acked = self.setup.size.map_or(self.acked, Size::count);
        }
    }

    fn due(&self) -> Time {
        let at = |side: &Side| side.due.map_or(Time::NEVER, |at| self.time(at));
        at(&self.client).min(at(&self.server))
    }

    fn wake(&mut self, now: Time) {
        let at = self.instant(now);
        for side in [&mut self.client, &mut self.server] {
            if side.due.is_some_and(|due| due <= at)
                && let Some((_, connection)) = &mut side.connection
            {
                connection.handle_timeout(at);
            }
        }
        self.settle(now);
    }

    fn send(&mut self, now: Time) -> Option<(Direction, StackPacket, Datagram)> {
        let at = self.instant(now);
        self.supply();
        self.seen.lock().data = crate::frames::StreamData::default();
        let (direction, (bytes, ecn)) = if let Some(sent) = self.client.send(at) {
            (Direction::Forward, sent)
        } else if let Some(sent) = self.server.send(at) {
            (Direction::Reverse, sent)
        } else {
            return None;
        };
        let seen = self.seen.lock();
        let forward = direction == Direction::Forward;
        let data = if forward { seen.data.clone() } else { crate::frames::StreamData::default() };
        // The first packet of an Initial space opens the connection, or accepts it (RFC 9000 §17.2.2).
        let initial = bytes.first().is_some_and(|first| first & 0xb0 == 0x80);
        self.reached = self.reached.max(data.first.start + data.payload);
        if data.payload > 0 {
            self.lacks_ecn = self.setup.ecn && ecn.is_none();
        }
        let packet = StackPacket {
            handle: 0,
            number: seen.number,
            size: Size::new(bytes.len() as u64 + HEADERS),
            payload: Size::new(data.payload),
            position: data.first.start,
            syn: initial && data.payload == 0 && !(forward && self.answered),
            ecn: if self.setup.ecn { field(ecn) } else { Ecn::NotCapable },
            lane: 0,
        };
        Some((direction, packet, Datagram { bytes, delivered: self.delivered() }))
    }

    fn failure(&mut self) -> Option<Failure> {
        self.seen.lock().take_failure()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        for (name, value) in &self.seen.lock().observed {
            record(name, *value);
        }
    }

    fn state(&mut self) -> (StackState, u64) {
        (self.state_of_sender(), self.delivered())
    }
}

impl Side {
    fn new(setup: &StackSetup, (purpose, _): (u64, SocketAddr), server: Option<Arc<ServerConfig>>) -> Self {
        let mut config = EndpointConfig::new(Arc::new(crypto::ResetKey));
        config.rng_seed(Some(seed::Seed::new(setup.seed, purpose).bytes()));
        let cids = seed::Seed::new(setup.seed, purpose + CIDS);
        api::set_cids(&mut config, move || Box::new(Cids(cids)));
        let endpoint = api::endpoint(Arc::new(config), server);
        Self { endpoint, connection: None, answers: Vec::new(), due: None }
    }

    fn handle(&mut self, at: Instant, from: SocketAddr, ecn: Option<EcnCodepoint>, bytes: &[u8]) {
        let mut answer = Vec::new();
        let event = api::handle(&mut self.endpoint, at, from, ecn, BytesMut::from(bytes), &mut answer);
        match event {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some((_, connection)) = self.connection.as_mut().filter(|(own, _)| *own == handle) {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                // A refusal is an answer of the endpoint, which the client takes for one.
                self.connection =
                    self.endpoint.accept(incoming, at, &mut answer, None).ok().or(self.connection.take());
            }
            Some(DatagramEvent::Response(transmit)) => {
                answer.truncate(transmit.size);
                self.answers.push((answer, transmit.ecn));
            }
            None => {}
        }
    }

    /// Passes events between connection and endpoint, and returns those for the application.
    fn events(&mut self) -> Vec<Event> {
        let Some((handle, connection)) = &mut self.connection else { return Vec::new() };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        let events = std::iter::from_fn(|| connection.poll()).collect();
        self.due = connection.poll_timeout();
        events
    }

    fn send(&mut self, at: Instant) -> Option<(Vec<u8>, Option<EcnCodepoint>)> {
        if let Some(answer) = self.answers.pop() {
            return Some(answer);
        }
        let (_, connection) = self.connection.as_mut()?;
        let mut bytes = Vec::new();
        let transmit = api::transmit(connection, at, &mut bytes);
        self.due = connection.poll_timeout();
        let transmit = transmit?;
        bytes.truncate(transmit.size);
        Some((bytes, transmit.ecn))
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("setup", &self.setup).finish_non_exhaustive()
    }
}

/// What builds the controller of a connection.
pub(super) type Factory = Arc<dyn ControllerFactory + Send + Sync + 'static>;

/// Builds the controllers of the sender and of the receiver. An algorithm of Narrows or from a file is used by the
/// sender alone.
fn controllers(
    setup: &StackSetup,
    control: &StackControl,
    start: &FlowStart<'_>,
    base: Instant,
    seen: &Shared,
) -> [Factory; 2] {
    if let Some(algorithm) = &control.hosted {
        let plan = hosted::plan(algorithm, start, setup, seen, api::STACK);
        return [api::hosted(plan, base, seen.clone()), api::own("", setup, Shared::default())];
    }
    let both = api::own(&control.name, setup, seen.clone());
    [Arc::clone(&both), both]
}

/// Returns the defaults of the stack for a connection with the controller `name`, of which the flow control is ours.
pub(super) fn defaults(name: &str) -> StackSettings {
    StackSettings {
        packet_threshold: Some(3),
        time_threshold: Some(9.0 / 8.0),
        initial_rtt: Some(Span::from_ms(333)),
        ack_frequency: None,
        persistent_congestion_threshold: Some(3),
        initial_window: Some(api::initial_window(name)),
        ..StackSettings::default()
    }
}

/// The configuration of the stack: its own, but for settings of the scenario, the path and the application.
fn transport(setup: &StackSetup, factory: Factory) -> TransportConfig {
    let mut config = TransportConfig::default();
    config.congestion_controller_factory(factory);
    let settings = &setup.settings;
    settings.packet_threshold.map(|packets| config.packet_threshold(packets));
    settings.time_threshold.map(|times| config.time_threshold(times as f32));
    settings.initial_rtt.map(|rtt| config.initial_rtt(duration(rtt)));
    settings.persistent_congestion_threshold.map(|times| config.persistent_congestion_threshold(times));
    if let Some(AckFrequency { threshold, max_delay, reordering }) = settings.ack_frequency {
        let mut acks = AckFrequencyConfig::default();
        acks.ack_eliciting_threshold(VarInt::from_u32(threshold));
        acks.reordering_threshold(VarInt::from_u32(reordering));
        acks.max_ack_delay(max_delay.map(duration));
        config.ack_frequency_config(Some(acks));
    }
    // The congestion window limits the data in flight, unless the receiver has little room.
    let room = |window: Option<Size>| window.map_or(ROOM, |bytes| bytes.count().clamp(1, ROOM));
    let credit = |window| VarInt::try_from(room(window)).unwrap_or(VarInt::MAX);
    config.stream_receive_window(credit(settings.stream_receive_window.or(setup.receive_window)));
    config.receive_window(credit(settings.connection_receive_window.or(setup.receive_window)));
    config.send_window(room(settings.send_window));
    // The search for the size of packets ends at the packet size of the path at the latest.
    let mut search = MtuDiscoveryConfig::default();
    let most = setup.packet.count().saturating_sub(HEADERS).max(LEAST_PAYLOAD);
    if most < LARGEST_SEARCHED {
        search.upper_bound(most as u16);
    }
    config.mtu_discovery_config(Some(search));
    config
}

/// Whether the receiver has room for less than all that is sent.
fn has_little_room(setup: &StackSetup) -> bool {
    let StackSettings { stream_receive_window, connection_receive_window, .. } = setup.settings;
    setup.receive_window.or(stream_receive_window).or(connection_receive_window).is_some()
}

/// Connection identifiers of eight bytes, in an order that the seed gives.
struct Cids(seed::Seed);

impl ConnectionIdGenerator for Cids {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.bytes::<8>())
    }

    fn cid_len(&self) -> usize {
        8
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// A calendar that stands still: only tokens have a date, and none is used.
struct Epoch;

impl TimeSource for Epoch {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.as_ps() / 1_000)
}

fn span(duration: Duration) -> Span {
    Span::from_ps(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 1_000).saturating_mul(1_000))
}

fn codepoint(ecn: Ecn) -> Option<EcnCodepoint> {
    match ecn {
        Ecn::NotCapable => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}

fn field(ecn: Option<EcnCodepoint>) -> Ecn {
    match ecn {
        None => Ecn::NotCapable,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}

/// Purposes of seeds, and addresses of the endpoints.
const CLIENT: (u64, SocketAddr) =
    (1, SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 4433));
const SERVER: (u64, SocketAddr) =
    (2, SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 4433));
const FIRST_CID: u64 = 3;
const CIDS: u64 = 10;

/// Room of buffers that never limit a connection, bytes.
const ROOM: u64 = 1 << 40;

/// Payload that applications write ahead of sent data, which is far more than a packet.
const AHEAD: u64 = 1 << 20;

/// Payload of UDP up to which the stacks search, bytes.
const LARGEST_SEARCHED: u64 = 1_452;

/// What applications write.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

#[cfg(test)]
mod tests {
    //! Truth: the libraries themselves, whose configuration shows its values.

    use super::{Instant, Shared, Size, StackSettings, StackSetup, api, defaults, proto};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "an instant has no other source")]
    fn defaults_are_those_of_the_library() {
        let shown = format!("{:?}", proto::TransportConfig::default());
        let settings = defaults("cubic");
        for value in [
            format!("packet_threshold: {},", settings.packet_threshold.unwrap_or(0)),
            format!("time_threshold: {:?},", settings.time_threshold.unwrap_or(0.0)),
            format!("initial_rtt: {}ms,", settings.initial_rtt.unwrap_or_default().as_secs_f64() * 1e3),
            format!(
                "persistent_congestion_threshold: {},",
                settings.persistent_congestion_threshold.unwrap_or(0)
            ),
            "ack_frequency_config: None,".to_owned(),
        ] {
            assert!(shown.contains(&value), "{value} is not in {shown}");
        }
        let setup = StackSetup {
            settings: StackSettings::default(),
            size: None,
            packet: Size::new(1_500),
            receive_window: None,
            ecn: false,
            seed: 1,
        };
        for name in ["cubic", "newreno", "bbr", "bbr3"] {
            let factory = api::own(name, &setup, Shared::default());
            let window = factory.build(Instant::now(), 1_200).initial_window();
            assert_eq!(window, 1_200 * u64::from(api::initial_window(name)), "{name}");
        }
    }
}
