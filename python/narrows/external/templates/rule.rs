//! Rule: the window grows by `a` packets for each window acknowledged, and a loss leaves the share `b` of it.

use mine::ENTRY;

use narrows_cc::units::{Bytes, Time};
use narrows_cc::{
    Ack, AckCounting, Algorithm, Cause, CongestionControl, FirstCut, Loss, Path, RestartWindow, Setup,
    SlowStartKind, UndoRestores,
};

const SETUP: Setup = Setup {
    mss: Bytes::new(1460),
    packet: Bytes::new(1500),
    initial_window: 10.0,
    initial_ssthresh: 10.0,
    first_cut: FirstCut::Rule,
    abe: false,
    restart_window: RestartWindow::Initial,
    undo_restores: UndoRestores::State,
    slow_start: SlowStartKind::Standard,
    ack_counting: AckCounting::Segments,
    quick_start: None,
    saved_path: None,
    paced: false,
    seed: 1,
};

const PATH: Path = Path {
    now: Time::ZERO,
    mss: SETUP.mss,
    in_flight: 0,
    rtt: None,
    round: 0,
    window_limited: true,
    next_departure: Time::ZERO,
};

fn window_after(events: impl FnOnce(&mut dyn CongestionControl)) -> f64 {
    let entry = Algorithm::among([&ENTRY], ENTRY.card.name, Vec::new());
    let mut algorithm = entry.expect("its own name").build(&SETUP);
    events(algorithm.as_mut());
    algorithm.window().expect("it has a window")
}

#[test]
fn a_window_acknowledged_adds_one_packet() {
    let ack = Ack {
        newly_acked: 10,
        advanced: true,
        ce_packets: 0,
        rtt: None,
        one_way: None,
        rate: None,
        feedback: None,
        packets: &[],
    };
    assert!((window_after(|algorithm| algorithm.on_ack(&ack, &PATH)) - 11.0).abs() < 1e-12);
}

#[test]
fn a_loss_halves_the_window() {
    let loss = Loss { cause: Cause::Detected, new_episode: true, lost: 1, flight: None, packets: &[] };
    assert!((window_after(|algorithm| algorithm.on_loss(&loss, &PATH)) - 5.0).abs() < 1e-12);
}
