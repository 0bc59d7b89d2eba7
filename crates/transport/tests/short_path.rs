// SPDX-License-Identifier: Apache-2.0
//! Contract: the short path of an acknowledgement that only advances is exact. An algorithm that asks for an account of
//! single packets takes the long path; whether it asks changes neither what is sent and when, nor what is reported to the
//! algorithm and to the host.

use crate::wire::impairment::{Impairment, impairment, transport};
use crate::wire::{Halving, MSS, Wire};
use narrows_cc::{Ack, CongestionControl, EcnUse, Limits, Loss, Needs, Path};
use narrows_transport::TransportOptions;
use narrows_units::Span;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

/// What an algorithm was notified of, one line for each event.
type Journal = Arc<Mutex<Vec<String>>>;

/// Writes down what it is notified of, its single packets aside.
#[derive(Clone, Debug)]
struct Observing(Halving, EcnUse, Journal);

impl Observing {
    fn note(&self, event: String) {
        self.2.lock().expect("no test panics while it holds the lock").push(event);
    }
}

impl CongestionControl for Observing {
    fn limits(&self) -> Limits {
        self.0.limits()
    }
    fn window(&self) -> Option<f64> {
        self.0.window()
    }
    fn ssthresh(&self) -> Option<f64> {
        self.0.ssthresh()
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.note(format!("{:?} {path:?}", Ack { packets: &[], ..*ack }));
        self.0.on_ack(ack, path);
    }
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.note(format!("{:?} {path:?}", Loss { packets: &[], ..*loss }));
        self.0.on_loss(loss, path);
    }
    fn on_recovered(&mut self, path: &Path) {
        self.note(format!("recovered {path:?}"));
        self.0.on_recovered(path);
    }
    fn on_spurious_loss(&mut self, path: &Path) {
        self.note(format!("spurious {path:?}"));
        self.0.on_spurious_loss(path);
    }
    fn ecn(&self) -> EcnUse {
        self.1
    }
    fn needs_sent_events(&self) -> bool {
        false
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

fn run(
    options: &TransportOptions,
    impairment: &Impairment,
    (segments, bytes): (u64, u64),
    (grows, ecn): (bool, EcnUse),
    packets: bool,
) -> (Wire, Vec<String>) {
    let journal = Journal::default();
    let halving = if grows { Halving::growing(10.0) } else { Halving::fixed(30.0) };
    let algorithm = Observing(halving, ecn, Arc::clone(&journal));
    let needs = Needs { packets, ..Needs::RELIABLE };
    let size = Some(MSS * segments + narrows_units::Bytes::new(bytes));
    let mut wire = Wire::needing(needs, options.clone(), algorithm, size, impairment.clone().script());
    (wire.mark_at, wire.queue) = (15, 40);
    wire.complete(Span::from_ms(600_000));
    let lines = journal.lock().expect("no test panics while it holds the lock").clone();
    (wire, lines)
}

proptest! {
    #[test]
    fn both_paths_send_and_report_the_same(
        options in transport(),
        impairment in impairment(),
        size in (0_u64..1_500, 1_u64..1_000),
        grows in any::<bool>(),
        ecn in prop_oneof![Just(None), Just(Some(EcnUse::Classic)), Just(Some(EcnUse::Counted))],
        window_validation in any::<bool>(),
    ) {
        let options = TransportOptions { window_validation, ecn: ecn.is_some(), ..options };
        let algorithm = (grows, ecn.unwrap_or(EcnUse::Classic));
        let (short, noted) = run(&options, &impairment, size, algorithm, false);
        let (long, noted_long) = run(&options, &impairment, size, algorithm, true);
        prop_assert_eq!(&short.transmissions, &long.transmissions);
        prop_assert_eq!(&short.events, &long.events);
        prop_assert_eq!(noted, noted_long);
        prop_assert_eq!(short.sender.counters(), long.sender.counters());
        prop_assert_eq!(short.sender.limited_by(), long.sender.limited_by());
        prop_assert_eq!(short.now, long.now);
    }
}
