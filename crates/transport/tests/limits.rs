//! Truth: contract. A sender stops, whatever an algorithm answers.

mod wire;

use narrows_cc::catalogue::Needs;
use narrows_cc::{Ack, CongestionControl, Limits, Loss, Path, Reports, Transport};
use narrows_transport::{DatagramSender, Host, Limit, RecoveryKind, Sender};
use narrows_units::Bytes;
use narrows_wire::{Body, FlowId, Packet};
use std::sync::Arc;
use wire::{at, options};

/// Gives neither a window nor a rate, which it must not.
#[derive(Clone, Debug)]
struct Unlimited(Transport);

impl CongestionControl for Unlimited {
    fn limits(&self) -> Limits {
        Limits { window: None, pacing: None, burst: Bytes::new(1000) }
    }

    fn window(&self) -> Option<f64> {
        None
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, _ack: &Ack<'_>, _path: &Path) {}

    fn on_loss(&mut self, _loss: &Loss<'_>, _path: &Path) {}

    fn transport(&self) -> Transport {
        self.0
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Keeps what was sent; a sender without an end would fill the memory.
#[derive(Default)]
struct Line(Vec<Packet>);

impl Host for Line {
    fn send(&mut self, packet: Packet) {
        assert!(self.0.len() < 100, "it never stops");
        self.0.push(packet);
    }
}

const FLOW: FlowId = FlowId::new(0, 0);

#[test]
fn an_endless_transfer_without_any_limit_has_one_packet_in_flight() {
    let algorithm = Box::new(Unlimited(Transport::Reliable));
    let options = Arc::new(options(RecoveryKind::Sack));
    let mut sender = Sender::new(FLOW, options, None, algorithm, Needs::default());
    let mut line = Line::default();
    sender.open(at(0), &mut line);
    let accepted = Packet { body: Body::SynAck { feedback: None }, ..line.0[0] };
    sender.on_packet(&accepted, at(40), &mut line);
    assert_eq!((sender.in_flight(), sender.limited_by()), (1, Limit::Window));
}

#[test]
fn endless_datagrams_without_any_limit_have_one_packet_in_flight() {
    let algorithm = Box::new(Unlimited(Transport::Datagram(Reports::EachPacket)));
    let options = Arc::new(options(RecoveryKind::Sack));
    let mut sender = DatagramSender::new(FLOW, options, None, algorithm, Needs::default());
    let mut line = Line::default();
    sender.open(at(0), &mut line);
    assert_eq!((sender.in_flight(), sender.limited_by()), (Some(1), Limit::Window));
}
