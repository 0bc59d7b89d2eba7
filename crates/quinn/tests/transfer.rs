// SPDX-License-Identifier: Apache-2.0
//! A transfer of `quinn-proto` in simulated time, with our CUBIC as controller.

mod support {
    pub mod plain;
}

use bytes::BytesMut;
use narrows_quinn::cc::fact::Fact;
use narrows_quinn::cc::{
    Ack, Algorithm, CongestionControl, Idle, Limits, Loss, Path, SentPacket, Setup, catalogue,
};
use narrows_quinn::{Factory, Plan, STACK};
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    ServerConfig, StreamId, TransportConfig,
};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::plain::Plain;

const SIZE: usize = 4_000_000;
/// Rate of the bottleneck, bytes per second.
const RATE: u64 = 1_250_000;
/// One-way delay.
const DELAY: Duration = Duration::from_millis(20);
/// Buffer of the bottleneck, bytes: half of the product of rate and round-trip time.
const BUFFER: u64 = 25_000;

/// One side, and the packets that travel towards it.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    arriving: VecDeque<(Instant, Vec<u8>)>,
}

impl Side {
    fn new(server: Option<ServerConfig>, seed: u8) -> Self {
        let mut config = EndpointConfig::new(Arc::new(Plain));
        config.rng_seed(Some([seed; 32]));
        let endpoint = Endpoint::new(Arc::new(config), server.map(Arc::new), false, None);
        Self { endpoint, connection: None, arriving: VecDeque::new() }
    }

    /// Takes in packets that have arrived at `now`, and runs timers.
    fn receive(&mut self, now: Instant, from: SocketAddr) {
        while self.arriving.front().is_some_and(|(at, _)| *at <= now) {
            let (_, bytes) = self.arriving.pop_front().expect("there is one");
            let mut answer = Vec::new();
            match self.endpoint.handle(now, from, None, None, BytesMut::from(&bytes[..]), &mut answer) {
                Some(DatagramEvent::NewConnection(incoming)) => {
                    let accepted = self.endpoint.accept(incoming, now, &mut answer, None);
                    self.connection = Some(accepted.map_err(|error| error.cause).expect("accepted"));
                }
                Some(DatagramEvent::ConnectionEvent(_, event)) => {
                    self.connection.as_mut().expect("connected").1.handle_event(event);
                }
                _ => {}
            }
        }
        let Some((handle, connection)) = &mut self.connection else { return };
        if connection.poll_timeout().is_some_and(|due| due <= now) {
            connection.handle_timeout(now);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
    }

    fn send(&mut self, now: Instant) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let (_, connection) = self.connection.as_mut()?;
        connection.poll_transmit(now, 1, &mut bytes).map(|_| bytes)
    }

    fn next(&mut self) -> Option<Instant> {
        let arrival = self.arriving.front().map(|(at, _)| *at);
        let timer = self.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout());
        arrival.into_iter().chain(timer).min()
    }
}

/// The result of a transfer.
struct Outcome {
    /// Time from the first packet to the last byte at the server.
    took: Duration,
    lost: u64,
    /// Changes of the window of the client, bytes, each with its time.
    windows: Vec<(Duration, u64)>,
}

/// Sends [`SIZE`] bytes from a client with the controllers of `plan`. Calls `check` with the window after every event.
fn transfer(plan: Plan, mut check: impl FnMut(u64)) -> Outcome {
    #[expect(
        clippy::disallowed_methods,
        reason = "an instant is made of nothing else; only differences are used"
    )]
    let start = Instant::now();
    let address = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(Factory::new(plan).expect("works on quinn-proto")));
    transport.mtu_discovery_config(None);
    let mut client_config = ClientConfig::new(Arc::new(Plain));
    client_config.transport_config(Arc::new(transport));
    let mut client = Side::new(None, 1);
    let mut server = Side::new(Some(ServerConfig::new(Arc::new(Plain), Arc::new(Plain))), 2);
    let connected = client.endpoint.connect(start, client_config, address(2), "server");
    client.connection = Some(connected.expect("connects"));

    let (mut now, mut free) = (start, start);
    let (mut written, mut read) = (0, 0);
    let mut stream: Option<StreamId> = None;
    let mut outcome = Outcome { took: Duration::ZERO, lost: 0, windows: Vec::new() };
    while read < SIZE {
        client.receive(now, address(2));
        server.receive(now, address(1));
        let connection = &mut client.connection.as_mut().expect("connected").1;
        while let Some(event) = connection.poll() {
            assert!(!matches!(event, Event::ConnectionLost { .. }), "{event:?}");
        }
        if !connection.is_handshaking() && written < SIZE {
            let id = *stream.get_or_insert_with(|| connection.streams().open(Dir::Uni).expect("a stream"));
            let block = vec![7; (SIZE - written).min(65_536)];
            written += connection.send_stream(id).write(&block).unwrap_or(0);
        }
        if let Some((_, connection)) = &mut server.connection {
            while let Some(event) = connection.poll() {
                assert!(!matches!(event, Event::ConnectionLost { .. }), "{event:?}");
            }
            let id = stream.or_else(|| connection.streams().accept(Dir::Uni));
            if let Some(id) = id
                && let Ok(mut chunks) = connection.recv_stream(id).read(true)
            {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    read += chunk.bytes.len();
                }
                let _ = chunks.finalize();
            }
        }
        while let Some(bytes) = client.send(now) {
            let (length, waiting) = (bytes.len() as u64, free.saturating_duration_since(now));
            if waiting.as_nanos() as u64 * RATE / 1_000_000_000 + length <= BUFFER {
                free = free.max(now) + Duration::from_nanos(length * 1_000_000_000 / RATE);
                server.arriving.push_back((free + DELAY, bytes));
            }
        }
        while let Some(bytes) = server.send(now) {
            client.arriving.push_back((now + DELAY, bytes));
        }
        let path = client.connection.as_ref().expect("connected").1.stats().path;
        check(path.cwnd);
        outcome.lost = path.lost_packets;
        if outcome.windows.last().is_none_or(|(_, window)| *window != path.cwnd) {
            outcome.windows.push((now - start, path.cwnd));
        }
        if read == SIZE {
            break;
        }
        now = client.next().into_iter().chain(server.next()).min().expect("something is to come").max(now);
    }
    outcome.took = now - start;
    outcome
}

/// CUBIC that records its events.
#[derive(Debug)]
struct Recording {
    inner: Box<dyn CongestionControl>,
    facts: Arc<Mutex<Vec<Fact>>>,
}

impl Recording {
    fn take(&mut self, fact: Fact) {
        fact.apply_to(self.inner.as_mut());
        self.facts.lock().expect("not poisoned").push(fact);
    }
}

impl CongestionControl for Recording {
    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn window(&self) -> Option<f64> {
        self.inner.window()
    }

    fn ssthresh(&self) -> Option<f64> {
        self.inner.ssthresh()
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.take(Fact::acked(ack, path));
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.take(Fact::lost(loss, path));
    }

    fn on_recovered(&mut self, path: &Path) {
        self.take(Fact::Recovered(*path));
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.take(Fact::Sent(*packet, *path));
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        self.take(Fact::Idle(*idle, *path));
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(Self { inner: self.inner.boxed_clone(), facts: Arc::clone(&self.facts) })
    }
}

#[test]
fn the_window_of_the_stack_is_that_of_cubic_after_the_same_events() {
    let cubic = Algorithm::parse("cubic").expect("in the catalogue");
    let facts: Arc<Mutex<Vec<Fact>>> = Arc::default();
    let setups: Arc<Mutex<Vec<Setup>>> = Arc::default();
    let plan = Plan::new("recorded cubic", cubic.needs(), {
        let (cubic, facts, setups) = (cubic.clone(), Arc::clone(&facts), Arc::clone(&setups));
        move |setup| {
            facts.lock().expect("not poisoned").clear();
            setups.lock().expect("not poisoned").push(*setup);
            Box::new(Recording { inner: cubic.build(setup), facts: Arc::clone(&facts) })
        }
    });
    let mut alone: Option<Box<dyn CongestionControl>> = None;
    let mut applied = 0;
    let outcome = transfer(plan, |window| {
        let alone = alone.get_or_insert_with(|| {
            cubic.build(setups.lock().expect("not poisoned").last().expect("one was built"))
        });
        let facts = facts.lock().expect("not poisoned");
        for fact in &facts[applied..] {
            fact.apply_to(alone.as_mut());
        }
        applied = facts.len();
        let packets = alone.window().expect("a window").max(2.0);
        // One byte more, so that all its packets may be in flight.
        assert_eq!(window, (packets * 1200.0) as u64 + 1);
    });
    assert!(outcome.lost > 0);
    let episodes = facts.lock().expect("not poisoned");
    let episodes =
        episodes.iter().filter(|fact| matches!(fact, Fact::Lost { loss, .. } if loss.new_episode)).count();
    assert!(episodes >= 2, "{episodes}");
}

#[test]
fn cubic_uses_the_bottleneck_and_falls_to_seven_tenths_at_a_loss() {
    let outcome = transfer("cubic".parse().expect("in the catalogue"), |_| {});
    let packets: Vec<_> = outcome.windows.iter().map(|(_, bytes)| bytes / 1200).collect();
    let falls: Vec<_> = packets.windows(2).filter(|pair| pair[1] < pair[0]).collect();
    // Both are rounded down to packets.
    let by_rule = |pair: &&[u64]| {
        let (before, after) = (pair[0] as f64, pair[1] as f64);
        0.7 * before - 1.0 < after && after < 0.7 * (before + 1.0)
    };
    assert!(falls.len() >= 2 && falls.iter().all(by_rule), "{falls:?}");
    let least = Duration::from_nanos(SIZE as u64 * 1_000_000_000 / RATE);
    assert!(outcome.took > least && outcome.took < least.mul_f64(1.15), "{:?} of {least:?}", outcome.took);
}

#[test]
fn the_same_seed_gives_the_same_transfer() {
    let [first, second] = [(); 2].map(|()| transfer("newreno".parse().expect("in the catalogue"), |_| {}));
    assert_eq!((first.took, first.lost), (second.took, second.lost));
    assert_eq!(first.windows, second.windows);
}

#[test]
fn every_algorithm_that_is_not_refused_completes_the_transfer() {
    for entry in catalogue::entries() {
        let plan: Plan = entry.card.name.parse().expect("in the catalogue");
        if plan.check(STACK).is_ok() {
            let took = transfer(plan, |window| assert!(window > 2400)).took;
            assert!(took < Duration::from_secs(30), "{}: {took:?}", entry.card.name);
        }
    }
}
