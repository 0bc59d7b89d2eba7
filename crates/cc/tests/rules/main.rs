// SPDX-License-Identifier: Apache-2.0
//! Rules: each test is one sentence of a source.

mod africa;
mod aild;
mod bic;
mod binomial;
mod careful_resume;
mod catalogue;
mod cdg;
mod copa;
mod cubic;
mod dctcp;
mod delay;
mod explicit;
mod explicit_load;
mod frame;
mod gcc;
mod hstcp;
mod htcp;
mod hybla;
mod hystart;
mod hystart_plus_plus;
mod illinois;
mod ledbat;
mod limited_slow_start;
mod linear;
mod linux;
mod lp;
mod ltcp;
mod media;
mod nada;
mod nv;
mod pcc;
mod prague;
mod rap;
mod reno_linux;
mod scalable;
mod scream;
mod search;
mod tfrc;
mod undo;
mod veno;
mod westwood;
mod yeah;

use narrows_cc::{
    Ack, Algorithm, Cause, CongestionControl, FirstCut, Idle, Loss, Path, RestartWindow, RttView, Setup,
    SlowStartKind, UndoRestores,
};
use narrows_units::{Bytes, Span, Time};

const SETUP: Setup = Setup {
    mss: Bytes::new(1448),
    packet: Bytes::new(1500),
    initial_window: 10.0,
    initial_ssthresh: f64::INFINITY,
    first_cut: FirstCut::Rule,
    abe: false,
    restart_window: RestartWindow::Initial,
    undo_restores: UndoRestores::State,
    ack_counting: narrows_cc::AckCounting::Segments,
    slow_start: SlowStartKind::Standard,
    quick_start: None,
    saved_path: None,
    paced: false,
    seed: 1,
};

const ACK: Ack<'static> = Ack {
    newly_acked: 0,
    advanced: true,
    ce_packets: 0,
    rtt: None,
    one_way: None,
    rate: None,
    feedback: None,
    packets: &[],
};

/// An algorithm and the state of its flow.
struct Flow {
    algorithm: Box<dyn CongestionControl>,
    path: Path,
}

impl Flow {
    fn new(name: &str, setup: Setup) -> Self {
        let rtt = Span::from_ms(100);
        Self {
            algorithm: Algorithm::parse(name).expect("a known algorithm").build(&setup),
            path: Path {
                now: Time::ZERO,
                mss: setup.mss,
                in_flight: 10,
                rtt: Some(RttView { latest: rtt, min: rtt, smoothed: rtt, variation: Span::ZERO }),
                round: 1,
                window_limited: true,
                next_departure: Time::ZERO,
            },
        }
    }

    /// In congestion avoidance at `window` packets.
    fn avoiding(name: &str, window: f64) -> Self {
        Self::new(name, Setup { initial_window: window, initial_ssthresh: 2.0, ..SETUP })
    }

    fn wait(&mut self, span: Span) {
        self.path.now += span;
    }

    fn acked(&mut self, newly_acked: u64) {
        self.acked_after(newly_acked, Span::from_ms(100));
    }

    /// As [`acked`](Self::acked), with `ce_packets` of the packets marked.
    fn marked(&mut self, newly_acked: u64, ce_packets: u64) {
        let ack = Ack { newly_acked, ce_packets, rtt: Some(Span::from_ms(100)), ..ACK };
        self.algorithm.on_ack(&ack, &self.path);
    }

    fn acked_after(&mut self, newly_acked: u64, rtt: Span) {
        self.algorithm.on_ack(&Ack { newly_acked, rtt: Some(rtt), ..ACK }, &self.path);
    }

    fn lost(&mut self, cause: Cause) {
        self.declared(cause, true);
    }

    fn declared(&mut self, cause: Cause, new_episode: bool) {
        self.algorithm.on_loss(&Loss { cause, new_episode, lost: 1, flight: None, packets: &[] }, &self.path);
    }

    fn recovered(&mut self) {
        self.algorithm.on_recovered(&self.path);
    }

    /// The sender is idle for `span`, which is so many retransmission timeouts.
    fn idle(&mut self, span: Span, timeouts: u64) {
        let since = self.path.now;
        self.wait(span);
        self.algorithm.on_idle(&Idle { since, timeouts }, &Path { in_flight: 0, ..self.path });
    }

    fn window(&self) -> f64 {
        self.algorithm.window().expect("a window algorithm")
    }

    fn ssthresh(&self) -> f64 {
        self.algorithm.ssthresh().expect("a window algorithm")
    }

    fn inner(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.algorithm.observe(&mut |known, value| {
            if known == name {
                found = value;
            }
        });
        found
    }
}

fn same(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9, "{one} is not {other}");
}
