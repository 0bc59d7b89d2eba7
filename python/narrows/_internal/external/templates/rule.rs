//! Rule: the window grows by `a` packets for each window acknowledged, and a loss leaves the share `b` of it.

use mine::ENTRY;

use narrows_cc::units::{Bytes, Time};
use narrows_cc::{Ack, Algorithm, Cause, CongestionControl, Loss, Path, Setup};

const SETUP: Setup = Setup::new(Bytes::new(1460), 1).initial_ssthresh(10.0);

const PATH: Path = Path::new(Time::ZERO, SETUP.mss);

fn window_after(events: impl FnOnce(&mut dyn CongestionControl)) -> f64 {
    let entry = Algorithm::among([&ENTRY], ENTRY.card.name, Vec::new());
    let mut algorithm = entry.expect("its own name").build(&SETUP);
    events(algorithm.as_mut());
    algorithm.window().expect("it has a window")
}

#[test]
fn a_window_acknowledged_adds_one_packet() {
    let ack = Ack::new(10);
    assert!((window_after(|algorithm| algorithm.on_ack(&ack, &PATH)) - 11.0).abs() < 1e-12);
}

#[test]
fn a_loss_halves_the_window() {
    let loss = Loss::new(Cause::Detected, 1);
    assert!((window_after(|algorithm| algorithm.on_loss(&loss, &PATH)) - 5.0).abs() < 1e-12);
}
