// SPDX-License-Identifier: Apache-2.0
//! Contract: the short path of an acknowledgement that only advances is exact. An algorithm that asks for an account of
//! single packets takes the long path; this choice changes neither the packets and the times at which they are sent, nor the
//! reports to the algorithm and to the host, for any options and any pattern in which the application offers its data.

use crate::wire::impairment::{Impairment, every_option, impairment};
use crate::wire::{Halving, Wire, at};
use narrows_cc::wire::{Feedback, Request};
use narrows_cc::{
    Ack, Algorithm, CongestionControl, EcnUse, Failure, Idle, Limits, Loss, Needs, Path, Report, SentPacket,
    Transport, catalogue,
};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span, Time};
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::{Arc, Mutex};

/// The notifications of an algorithm, one line for each event.
type Journal = Arc<Mutex<Vec<String>>>;

/// Records the notifications of an algorithm, except of single packets, of which it receives no account.
#[derive(Clone, Debug)]
struct Observing {
    inner: Box<dyn CongestionControl>,
    needs_sent_events: bool,
    ecn: EcnUse,
    journal: Journal,
}

impl Observing {
    fn note(&self, event: String) {
        self.journal.lock().expect("no test panics while it holds the lock").push(event);
    }
}

impl CongestionControl for Observing {
    fn limits(&self) -> Limits {
        self.inner.limits()
    }
    fn window(&self) -> Option<f64> {
        self.inner.window()
    }
    fn ssthresh(&self) -> Option<f64> {
        self.inner.ssthresh()
    }
    fn target(&self) -> Option<Rate> {
        self.inner.target()
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let ack = ack.packets(&[]);
        self.note(format!("{ack:?} {path:?}"));
        self.inner.on_ack(&ack, path);
    }
    fn on_report(&mut self, _: &Report, _: &Path) {
        unreachable!("it is reliable");
    }
    fn on_answer(&mut self, feedback: Feedback, path: &Path) {
        self.note(format!("{feedback:?} {path:?}"));
        self.inner.on_answer(feedback, path);
    }
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        let loss = loss.packets(&[]);
        self.note(format!("{loss:?} {path:?}"));
        self.inner.on_loss(&loss, path);
    }
    fn on_recovered(&mut self, path: &Path) {
        self.note(format!("recovered {path:?}"));
        self.inner.on_recovered(path);
    }
    fn reduces_gradually(&self) -> bool {
        self.inner.reduces_gradually()
    }
    fn needs_sent_events(&self) -> bool {
        self.needs_sent_events
    }
    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.inner.on_sent(packet, path);
    }
    fn on_spurious_loss(&mut self, path: &Path) {
        self.note(format!("spurious {path:?}"));
        self.inner.on_spurious_loss(path);
    }
    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        self.note(format!("{idle:?} {path:?}"));
        self.inner.on_idle(idle, path);
    }
    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }
    fn on_timer(&mut self, path: &Path) {
        self.note(format!("timer {path:?}"));
        self.inner.on_timer(path);
    }
    fn request(&mut self, path: &Path) -> Option<Request> {
        self.inner.request(path)
    }
    fn set_window(&mut self, _: f64, _: bool) {
        unreachable!("no host sets a window");
    }
    fn ecn(&self) -> EcnUse {
        self.ecn
    }
    fn failure(&self) -> Option<&Failure> {
        self.inner.failure()
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        let journal = self.journal.lock().expect("no test panics while it holds the lock").clone();
        Box::new(Self { journal: Arc::new(Mutex::new(journal)), ..self.clone() })
    }
}

/// The algorithm of a flow.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Fixed,
    Growing,
    /// One of the catalogue.
    Listed(&'static str),
}

fn kinds() -> impl Strategy<Value = Kind> {
    // Those that may take the short path: the others need no comparison.
    let short = |entry: &&'static narrows_cc::Entry| {
        let needs = (entry.needs)(&entry.card.defaults());
        needs.transport == Transport::Reliable && !needs.packets && !needs.rate_samples
    };
    let listed: Vec<_> = catalogue::entries().iter().filter(short).map(|entry| entry.card.name).collect();
    assert!(listed.len() > 20, "{listed:?}");
    prop_oneof![1 => Just(Kind::Fixed), 1 => Just(Kind::Growing), 3 => select(listed).prop_map(Kind::Listed)]
}

/// How the application offers its data: each amount, and the milliseconds after which it is offered.
#[derive(Clone, Debug)]
enum Application {
    /// All at the start, bytes.
    AtOnce(u64),
    /// Segments of an endless supply.
    Offers(Vec<(u64, u64)>),
    /// Segments of a transfer that is divided into parts of known sizes.
    Parts(Vec<u64>, Vec<(u64, u64)>),
    /// Parts of sizes that are not known before.
    Writes(Vec<(u64, u64)>),
    /// Bytes of a stream.
    Stream(Vec<(u64, u64)>),
}

fn applications() -> impl Strategy<Value = Application> {
    let pause = || prop_oneof![Just(0_u64), 1_u64..60, 60_u64..2_000];
    let steps = |most| prop::collection::vec((pause(), 1..most), 1..12);
    prop_oneof![
        3 => (1_u64..1_500_000).prop_map(Application::AtOnce),
        1 => steps(200_u64).prop_map(Application::Offers),
        1 => (prop::collection::vec(1_u64..20_000, 1..20), steps(60_u64))
            .prop_map(|(parts, steps)| Application::Parts(parts, steps)),
        1 => steps(60_000_u64).prop_map(Application::Writes),
        1 => steps(60_000_u64).prop_map(Application::Stream),
    ]
}

impl Application {
    /// Runs `wire` while the application offers its data.
    fn drive(&self, wire: &mut Wire) {
        let steps = match self {
            Self::AtOnce(_) => &Vec::new(),
            Self::Offers(steps) | Self::Parts(_, steps) | Self::Writes(steps) | Self::Stream(steps) => steps,
        };
        let mut when = 0;
        for (pause, amount) in steps {
            when += pause;
            wire.run(at(when));
            wire.now = wire.now.max(at(when));
            match self {
                Self::AtOnce(_) => {}
                Self::Offers(_) | Self::Parts(..) => wire.offer(*amount),
                Self::Writes(_) => wire.write(*amount),
                Self::Stream(_) => wire.append(*amount),
            }
        }
        if !matches!(self, Self::AtOnce(_)) {
            wire.close();
        }
    }
}

/// Runs a flow that takes the long path if `packets`.
fn run(
    options: &TransportOptions,
    impairment: &Impairment,
    application: &Application,
    (kind, ecn): (Kind, EcnUse),
    packets: bool,
) -> (Wire, Vec<String>) {
    let journal = Journal::default();
    let halving = |halving| -> Box<dyn CongestionControl> { Box::new(halving) };
    let (inner, needs_sent_events, needs) = match kind {
        Kind::Fixed => (halving(Halving::fixed(30.0)), false, Needs::RELIABLE),
        Kind::Growing => (halving(Halving::growing(10.0)), false, Needs::RELIABLE),
        Kind::Listed(name) => {
            let algorithm = Algorithm::parse(name).expect("it is listed");
            let inner = algorithm.build(&options.setup(1));
            let needs_sent_events = inner.needs_sent_events();
            (inner, needs_sent_events, algorithm.needs())
        }
    };
    let algorithm = Observing { inner, needs_sent_events, ecn, journal: Arc::clone(&journal) };
    let needs = needs.packets(packets);
    let size = match application {
        Application::AtOnce(bytes) => Some(Bytes::new(*bytes)),
        _ => None,
    };
    let mut wire = Wire::needing(needs, options.clone(), algorithm, size, impairment.clone().script());
    (wire.mark_at, wire.queue) = (15, 40);
    // The windows are those that an honest receiver has of a transfer in one part.
    let honest = options.ack_division == 1 && options.optimistic_ack == 0;
    wire.checked = honest && matches!(application, Application::AtOnce(_));
    let sender = wire.sender.reliable_mut().expect("it is reliable");
    let receiver = wire.receiver.reliable_mut().expect("it is reliable");
    match application {
        Application::AtOnce(_) => {}
        Application::Offers(_) => wire.sender.wait_for_offers(),
        Application::Parts(sizes, _) => {
            sender.expect_writes(sizes.iter().copied().map(Bytes::new));
            receiver.expect_writes(sizes.iter().copied().map(Bytes::new));
        }
        Application::Writes(_) => {
            sender.expect_more_writes();
            receiver.expect_more_writes();
        }
        Application::Stream(_) => {
            sender.expect_more_writes();
            receiver.expect_stream();
        }
    }
    application.drive(&mut wire);
    wire.complete(Span::from_ms(600_000));
    let lines = journal.lock().expect("no test panics while it holds the lock").clone();
    (wire, lines)
}

proptest! {
    #[test]
    fn both_paths_send_and_report_the_same(
        options in every_option(),
        impairment in impairment(),
        application in applications(),
        kind in kinds(),
        ecn in select(vec![EcnUse::Classic, EcnUse::Counted, EcnUse::LowLatency]),
    ) {
        let (short, noted) = run(&options, &impairment, &application, (kind, ecn), false);
        let (long, noted_long) = run(&options, &impairment, &application, (kind, ecn), true);
        prop_assert_eq!(&short.transmissions, &long.transmissions);
        prop_assert_eq!(&short.events, &long.events);
        prop_assert_eq!(noted, noted_long);
        prop_assert_eq!(short.sender.counters(), long.sender.counters());
        prop_assert_eq!(short.sender.limited_by(), long.sender.limited_by());
        prop_assert_eq!(short.now, long.now);
    }
}
