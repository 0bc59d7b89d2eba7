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
mod rapid_start;
mod reno_linux;
mod scalable;
mod scream;
mod search;
mod tfrc;
mod undo;
mod veno;
mod westwood;
mod yeah;

use narrows_cc::{Ack, Algorithm, Cause, CongestionControl, Idle, Loss, Path, RttView, Setup};
use narrows_units::{Bytes, Span, Time};

const SETUP: Setup = Setup::new(Bytes::new(1448), 1).packet(Bytes::new(1500));

const ACK: Ack<'static> = Ack::new(0);

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
            path: Path::new(Time::ZERO, setup.mss)
                .in_flight(10)
                .rtt(Some(RttView::new(rtt).variation(Span::ZERO)))
                .round(1),
        }
    }

    /// In congestion avoidance at `window` packets.
    fn avoiding(name: &str, window: f64) -> Self {
        Self::new(name, SETUP.initial_window(window).initial_ssthresh(2.0))
    }

    fn wait(&mut self, span: Span) {
        self.path.now += span;
    }

    fn acked(&mut self, newly_acked: u64) {
        self.acked_after(newly_acked, Span::from_ms(100));
    }

    /// As [`acked`](Self::acked), with `ce_packets` of the packets marked.
    fn marked(&mut self, newly_acked: u64, ce_packets: u64) {
        let ack = ACK.newly_acked(newly_acked).ce_packets(ce_packets).rtt(Some(Span::from_ms(100)));
        self.algorithm.on_ack(&ack, &self.path);
    }

    fn acked_after(&mut self, newly_acked: u64, rtt: Span) {
        self.algorithm.on_ack(&ACK.newly_acked(newly_acked).rtt(Some(rtt)), &self.path);
    }

    fn lost(&mut self, cause: Cause) {
        self.declared(cause, true);
    }

    fn declared(&mut self, cause: Cause, new_episode: bool) {
        self.algorithm.on_loss(&Loss::new(cause, 1).new_episode(new_episode), &self.path);
    }

    fn recovered(&mut self) {
        self.algorithm.on_recovered(&self.path);
    }

    /// The sender is idle for `span`, which is so many retransmission timeouts.
    fn idle(&mut self, span: Span, timeouts: u64) {
        let since = self.path.now;
        self.wait(span);
        self.algorithm.on_idle(&Idle::new(since, timeouts), &self.path.in_flight(0));
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
