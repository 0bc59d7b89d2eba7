// SPDX-License-Identifier: Apache-2.0
//! A link of ours between two hosts of turmoil.
//!
//! turmoil decides how long a message takes when it is sent, which a queue cannot know. Its hook for tests is used instead: all messages are
//! held, and after each step of the network those are delivered that have left the link. A message that the link drops stays held
//! for ever, so this is for datagrams: turmoil's TCP does not retransmit.

use narrows_link::{Config, Fate, Link, Stream};
use narrows_qdisc::{Discipline, Scale, catalogue};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Packet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use turmoil::net::UdpSocket;
use turmoil::{Builder, Protocol, Sim};

/// A link that carries the messages to one host.
struct Bottleneck {
    link: Link<u64>,
    /// Numbers of the messages that turmoil holds, in its order; a number that has come out of the link is delivered.
    held: Vec<u64>,
    count: u64,
}

impl Bottleneck {
    /// 1.2 Mbps, 20 ms, and a queue of five packets.
    fn new() -> Self {
        let (rate, delay) = (Rate::from_bps(1_200_000), Span::from_ms(20));
        let scale = Scale::new(rate, delay * 2, Bytes::new(1500));
        let droptail = Discipline::new(catalogue::find("droptail").expect("a queue"), scale, Vec::new());
        let config = Config::new(rate, delay);
        let queue = droptail.expect("defaults").build();
        Self {
            link: Link::new(&config, queue, |purpose| Stream::new(1, 0, purpose)),
            held: Vec::new(),
            count: 0,
        }
    }

    /// Offers new messages in the network to the link, and delivers messages that have left it.
    fn step(&mut self, sim: &Sim<'_>) {
        let now = Time::from_ps(sim.elapsed().as_nanos() as u64 * 1000);
        let mut left = Vec::new();
        while let Some(outcome) = self.link.poll(now) {
            if outcome.fate == Fate::Delivered {
                left.push(outcome.payload);
            }
        }
        sim.links(|links| {
            for (place, message) in links.flatten().enumerate() {
                if let Some(number) = self.held.get(place) {
                    if left.contains(number) {
                        message.deliver();
                    }
                    continue;
                }
                let Protocol::Udp(datagram) = message.protocol() else { continue };
                let size = datagram.0.len() as u16 + 28;
                self.link.offer(now, Packet { size, ..Packet::EMPTY }, self.count);
                self.held.push(self.count);
                self.count += 1;
            }
        });
        self.held.retain(|number| !left.contains(number));
    }
}

/// Sends 20 datagrams of 1500 bytes on the wire at once. Returns when each arrived.
fn arrivals() -> Vec<Duration> {
    let mut sim = Builder::new().tick_duration(Duration::from_millis(1)).build();
    let arrived: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let seen = Arc::clone(&arrived);
    sim.host("server", move || {
        let seen = Arc::clone(&seen);
        async move {
            let socket = UdpSocket::bind((IpAddr::from(Ipv4Addr::UNSPECIFIED), 9)).await?;
            let mut buffer = [0; 1500];
            loop {
                socket.recv_from(&mut buffer).await?;
                seen.lock().expect("not poisoned").push(turmoil::sim_elapsed().expect("in the simulation"));
            }
        }
    });
    sim.client("client", async {
        let socket = UdpSocket::bind((IpAddr::from(Ipv4Addr::UNSPECIFIED), 0)).await?;
        for _ in 0..20 {
            socket.send_to(&[7; 1472], ("server", 9)).await?;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(())
    });
    sim.hold("client", "server");
    let mut bottleneck = Bottleneck::new();
    while !sim.step().expect("no host fails") {
        bottleneck.step(&sim);
    }
    arrived.lock().expect("not poisoned").clone()
}

#[test]
fn messages_leave_at_the_rate_of_the_link_and_what_the_queue_has_no_room_for_is_lost() {
    let arrived = arrivals();
    // A bandwidth-delay product is four packets, and one is in transmission.
    assert_eq!(arrived.len(), 5, "{arrived:?}");
    // Each takes 10 ms; times are rounded up to a step of the network.
    for pair in arrived.windows(2) {
        let apart = pair[1].abs_diff(pair[0]);
        assert!(apart.abs_diff(Duration::from_millis(10)) <= Duration::from_millis(1), "{arrived:?}");
    }
    assert!(arrived[0] >= Duration::from_millis(30), "{arrived:?}");
    assert_eq!(arrived, arrivals(), "the same always");
}
