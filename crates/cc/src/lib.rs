//! Congestion control: every algorithm as a pure state machine.
//!
//! An algorithm is told facts in the order in which they happen and may be asked for its limits at any time. It has no
//! clock, no socket, no thread, no global and no random number that was not given to it, so the same object runs in
//! the simulator, in front of a real network, in a fuzzer and in a replay.
//!
//! * [`CongestionControl`] is the whole interface; [`fact`] holds what an algorithm is told, [`Limits`] what it answers.
//! * [`window`] holds the *frame* that all window algorithms share (phases, recovery, timeout, undo) and one file for
//!   each *rule*: how a window grows and how it is cut; [`slow_start`] the ways to leave slow start.
//! * [`model`] holds the algorithms that send by a model of the path, [`measure`] what algorithms measure alike.
//! * [`explicit`] holds the algorithms that ask the routers.
//! * [`rate`] holds the algorithms that send datagrams at a rate.
//! * [`catalogue`] maps names to constructors, parameters and cards.
//!
//! Windows are real numbers of packets inside an algorithm; [`Limits`] rounds down to whole packets at the door.

pub mod catalogue;
pub mod explicit;
pub mod fact;
pub mod measure;
pub mod model;
pub mod rate;
pub mod slow_start;
pub mod window;

pub use fact::{Ack, Cause, Fact, Loss, Path, RateSample, Report, RttView, SentPacket};

/// Times, rates and sizes, so that an algorithm in a crate of its own depends on this one alone.
pub use narrows_units as units;
/// Requests and feedback of routers, likewise.
pub use narrows_wire as wire;

use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Feedback, Request};
use std::fmt::{self, Debug};

/// A sender's policy.
///
/// The host owns sequence numbers, timers of loss detection and the order of retransmissions; its recovery policy
/// declares loss episodes and their end. The algorithm owns the congestion window, ssthresh and the pacing rate.
pub trait CongestionControl: Send + Debug {
    /// What may be sent now.
    fn limits(&self) -> Limits;

    /// The congestion window in packets, before rounding; `None` for an algorithm that has a rate only.
    fn window(&self) -> Option<f64>;

    /// The slow-start threshold in packets; `None` for an algorithm without one, infinite while unset.
    fn ssthresh(&self) -> Option<f64>;

    /// An acknowledgement that delivered something new.
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path);

    /// A datagram receiver reported on what has arrived; only told to algorithms that ask for [`Reports::LossEvents`].
    fn on_report(&mut self, _report: &Report, _path: &Path) {}

    /// The connection is open, and this is what the routers answered to the request of its SYN.
    fn on_answer(&mut self, _feedback: Feedback, _path: &Path) {}

    /// Packets were declared lost, or congestion was signalled by a mark.
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path);

    /// The episode that the last `new_episode` began is over.
    fn on_recovered(&mut self, _path: &Path) {}

    /// Whether [`on_sent`](Self::on_sent) or [`request`](Self::request) does anything; the same all the time. Where neither
    /// does, [`limits`](Self::limits) stay as they are while packets leave, and a host need not tell of them nor ask.
    fn minds_departures(&self) -> bool {
        true
    }

    /// A packet left.
    fn on_sent(&mut self, _packet: &SentPacket, _path: &Path) {}

    /// The last episode turned out to be false: nothing had been lost. If it still ran, [`on_recovered`](Self::on_recovered)
    /// follows.
    fn on_spurious_loss(&mut self, _path: &Path) {}

    /// The first packet after silence of a retransmission timeout or more is about to leave.
    fn on_idle_restart(&mut self, _path: &Path) {}

    /// When [`on_timer`](Self::on_timer) wants to be called; may change after every fact.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The time given by [`next_timer`](Self::next_timer) has come.
    fn on_timer(&mut self, _path: &Path) {}

    /// What to ask of the routers in the packet that leaves next: the SYN first, then each packet of data.
    fn request(&mut self, _path: &Path) -> Option<Request> {
        None
    }

    /// Go on from a window of `window` packets, which routers have allowed or which has proved to be all that is used;
    /// `ends_slow_start` makes it ssthresh too. An algorithm that takes its window from elsewhere does nothing.
    fn set_window(&mut self, _window: f64, _ends_slow_start: bool) {}

    /// How the algorithm wants its packets marked by ECN-capable routers.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// Which sender hosts the algorithm.
    fn transport(&self) -> Transport {
        Transport::Reliable
    }

    /// What went wrong inside, if something did: from then on its answers mean nothing and the run must end. Only an
    /// algorithm that is not compiled in can fail.
    fn failure(&self) -> Option<&Failure> {
        None
    }

    /// Inner variables by name, for records only.
    fn observe(&self, _tell: &mut dyn FnMut(&'static str, f64)) {}

    /// A copy with the same state: what-if runs, migration, tests.
    fn boxed_clone(&self) -> Box<dyn CongestionControl>;
}

/// What may be sent now. `None` means: not limited by this. An algorithm gives a window or a pacing rate at all times: a
/// sender that nothing limits would send an endless transfer in one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Whole packets that may be in flight, at least one.
    pub window: Option<u64>,
    /// Packets leave no faster than this.
    pub pacing: Option<Rate>,
    /// Bytes that may leave back to back when paced.
    pub burst: Bytes,
}

/// The first mistake of an algorithm that is not compiled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When it was made.
    pub at: Time,
    /// What happened, for whoever wrote the algorithm.
    pub reason: String,
}

impl Limits {
    /// These limits; one packet in flight where there is neither a window nor a rate, so that even an algorithm that
    /// breaks its promise cannot keep a sender from ever stopping.
    #[must_use]
    pub fn bounded(self) -> Self {
        let endless = self.window.is_none() && self.pacing.is_none();
        Self { window: if endless { Some(1) } else { self.window }, ..self }
    }
}

/// What an algorithm wants of ECN when the flow has it switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnUse {
    /// ECT(0), and one response per round trip however many marks (RFC 3168).
    Classic,
    /// ECT(0), and every acknowledgement's count of marks (RFC 8257).
    Counted,
    /// ECT(1), and every acknowledgement's count of marks (RFC 9331).
    LowLatency,
}

/// Which sender hosts an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transport {
    /// A byte stream: what is lost is sent again.
    Reliable,
    /// Numbered packets that are sent once.
    Datagram(Reports),
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reliable => "reliable",
            Self::Datagram(_) => "datagram",
        })
    }
}

/// What a datagram receiver tells the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reports {
    /// Nothing at all.
    Nothing,
    /// Each packet, as it arrives; the sender finds losses.
    EachPacket,
    /// Loss events and the receive rate, once a round trip and at once when an event begins (RFC 5348 §6); the receiver
    /// finds losses.
    LossEvents(LossHistory),
}

/// How a receiver averages loss intervals (RFC 5348 §5.4, §5.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossHistory {
    /// Closed loss intervals that the average covers, at least 1.
    pub intervals: usize,
    /// The least weight that history discounting leaves to a closed interval; 1 where it is off.
    pub least_discount: f64,
}
