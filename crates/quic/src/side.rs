// SPDX-License-Identifier: Apache-2.0
//! One endpoint of a connection, and its configuration. This file is compiled for each stack: `super` is the stack.

use super::{api, crypto, proto};
use crate::{HEADERS, LEAST_PAYLOAD, seed};
use bytes::BytesMut;
use narrows_model::stack::{AckFrequency, StackPath, StackSettings, StackSetup};
use narrows_units::{Bytes as Size, Span};
use narrows_wire::Ecn;
use proto::congestion::ControllerFactory;
use proto::{
    AckFrequencyConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent,
    EcnCodepoint, Endpoint, EndpointConfig, Event, MtuDiscoveryConfig, ServerConfig, TimeSource,
    TransportConfig, VarInt,
};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// One endpoint.
pub(super) struct Side {
    pub endpoint: Endpoint,
    pub connection: Option<(ConnectionHandle, Connection)>,
    /// The endpoint's own answers.
    answers: Vec<Sending>,
    /// Time of the next timer.
    pub due: Option<Instant>,
}

/// A datagram that leaves: its content, its ECN field and the number of its path.
pub(super) type Sending = (Vec<u8>, Option<EcnCodepoint>, u32);

impl Side {
    /// Creates the endpoint with a purpose of seeds, which accepts connections if `server` says how.
    pub(super) fn new(setup: &StackSetup, purpose: u64, server: Option<Arc<ServerConfig>>) -> Self {
        let mut config = EndpointConfig::new(Arc::new(crypto::ResetKey));
        config.rng_seed(Some(seed::Seed::new(setup.seed, purpose).bytes()));
        let cids = seed::Seed::new(setup.seed, purpose + CIDS);
        api::set_cids(&mut config, move || Box::new(Cids(cids)));
        let endpoint = api::endpoint(Arc::new(config), server);
        Self { endpoint, connection: None, answers: Vec::new(), due: None }
    }

    /// Takes a datagram from the network.
    pub(super) fn handle(&mut self, at: Instant, from: SocketAddr, ecn: Option<EcnCodepoint>, bytes: &[u8]) {
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
                self.answers.push((answer, transmit.ecn, number_of(transmit.destination)));
            }
            None => {}
        }
    }

    /// Passes events between connection and endpoint, and returns those for the application.
    pub(super) fn events(&mut self) -> Vec<Event> {
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

    /// Returns the next datagram to be sent.
    pub(super) fn send(&mut self, at: Instant) -> Option<Sending> {
        if let Some(answer) = self.answers.pop() {
            return Some(answer);
        }
        let (_, connection) = self.connection.as_mut()?;
        let mut bytes = Vec::new();
        let transmit = api::transmit(connection, at, &mut bytes);
        self.due = connection.poll_timeout();
        let transmit = transmit?;
        bytes.truncate(transmit.size);
        Some((bytes, transmit.ecn, number_of(transmit.destination)))
    }
}

/// What builds the controller of a connection.
pub(super) type Factory = Arc<dyn ControllerFactory + Send + Sync + 'static>;

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

/// Returns the configuration of the stack: its own, but for settings of the scenario, the path and the application.
pub(super) fn transport(setup: &StackSetup, paths: &[StackPath], factory: Factory) -> TransportConfig {
    let mut config = TransportConfig::default();
    if !paths.is_empty() {
        api::set_paths(&mut config, paths.len() as u32);
    }
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
pub(super) struct Epoch;

impl TimeSource for Epoch {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

pub(super) fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.as_ps() / 1_000)
}

pub(super) fn span(duration: Duration) -> Span {
    Span::from_ps(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 1_000).saturating_mul(1_000))
}

/// Returns the address of the client on the path number `path`.
pub(super) fn client(path: u32) -> SocketAddr {
    address(path, 1)
}

/// Returns the address of the server on the path number `path`: each path has addresses of its own at both ends, so that the
/// destination of a datagram is enough to know it.
pub(super) fn server(path: u32) -> SocketAddr {
    address(path, 2)
}

fn address(path: u32, host: u8) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, path as u8, host)), 4433)
}

/// Returns the number of the path that a datagram to `address` takes.
pub(super) fn number_of(address: SocketAddr) -> u32 {
    match address.ip() {
        IpAddr::V4(ip) => ip.octets()[2].into(),
        IpAddr::V6(_) => 0,
    }
}

pub(super) fn codepoint(ecn: Ecn) -> Option<EcnCodepoint> {
    match ecn {
        Ecn::NotCapable => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}

pub(super) fn field(ecn: Option<EcnCodepoint>) -> Ecn {
    match ecn {
        None => Ecn::NotCapable,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}

/// Purposes of seeds.
pub(super) const CLIENT: u64 = 1;
pub(super) const SERVER: u64 = 2;
pub(super) const FIRST_CID: u64 = 3;
const CIDS: u64 = 10;

/// Room of buffers that never limit a connection, bytes.
const ROOM: u64 = 1 << 40;

/// Payload of UDP up to which the stacks search, bytes.
const LARGEST_SEARCHED: u64 = 1_452;

#[cfg(test)]
mod tests {
    //! Truth: the libraries themselves, whose configuration shows its values.

    use super::{Instant, Size, StackSettings, StackSetup, api, defaults, proto};
    use crate::sent::Shared;

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
            two_sided: false,
            observed: false,
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
