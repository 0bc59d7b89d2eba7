// SPDX-License-Identifier: Apache-2.0
//! Contract: a sender stops, whatever limits an algorithm sets.

use crate::wire::{at, options};
use narrows_cc::{Ack, CongestionControl, Limits, Loss, Needs, Path, Reports};
use narrows_transport::{Host, Limit, RecoveryKind, SendingEndpoint};
use narrows_units::Bytes;
use narrows_wire::{Body, FlowId, Packet};
use std::sync::Arc;

/// An algorithm with neither a window nor a rate, which violates its contract.
#[derive(Clone, Debug)]
struct Unlimited;

impl CongestionControl for Unlimited {
    fn limits(&self) -> Limits {
        Limits::new(None, None, Bytes::new(1000))
    }

    fn window(&self) -> Option<f64> {
        None
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, _ack: &Ack<'_>, _path: &Path) {}

    fn on_loss(&mut self, _loss: &Loss<'_>, _path: &Path) {}

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Stores the packets sent, up to a limit.
#[derive(Default)]
struct Line(Vec<Packet>);

impl Host for Line {
    fn send(&mut self, packet: Packet) {
        assert!(self.0.len() < 100, "the sender never stops");
        self.0.push(packet);
    }
}

const FLOW: FlowId = FlowId::new(0, 0);

#[test]
fn an_endless_transfer_without_any_limit_has_one_packet_in_flight() {
    let algorithm = Box::new(Unlimited);
    let options = Arc::new(options(RecoveryKind::Sack));
    let mut sender = SendingEndpoint::new(FLOW, options, None, algorithm, Needs::RELIABLE);
    let mut line = Line::default();
    sender.open(at(0), &mut line);
    let accepted = Packet { body: Body::SynAck { feedback: None }, ..line.0[0] };
    sender.on_packet(&accepted, at(40), &mut line);
    assert_eq!((sender.snapshot().in_flight, sender.limited_by()), (Some(1), Limit::Window));
}

#[test]
fn endless_datagrams_without_any_limit_have_one_packet_in_flight() {
    let algorithm = Box::new(Unlimited);
    let options = Arc::new(options(RecoveryKind::Sack));
    let mut sender =
        SendingEndpoint::new(FLOW, options, None, algorithm, Needs::datagrams(Reports::EachPacket));
    let mut line = Line::default();
    sender.open(at(0), &mut line);
    assert_eq!((sender.snapshot().in_flight, sender.limited_by()), (Some(1), Limit::Window));
}
