//! Loss recovery: what counts as a loss, where an episode begins and ends, and which segment goes next.
//!
//! One policy per file. A policy reads what an acknowledgement changed, declares segments lost on the scoreboard and
//! answers with a [`Verdict`]; the sender tells the algorithm and sends. Congestion windows are cut only where a verdict
//! or a timeout begins an episode. Policies are variants of an enum, since they are asked for every packet.
//!
//! Limited transmit (RFC 3042) is common to all: each of the first two duplicate ACKs lets a new segment go beyond the
//! window, which itself stays. Where arrivals are named, what has arrived leaves `pipe` instead, which comes to the same
//! and asks for news in each ACK, as RFC 3042 does; under RACK it goes on until a loss is declared. Early retransmit
//! (RFC 5827) is absent: the third duplicate ACK, RACK's clock or the timer finds a loss in a small window.

mod newreno;
mod patience;
mod phase;
mod rack;
mod reno;
mod sack;

use crate::scoreboard::{Delivery, Scoreboard};
use crate::{RecoveryKind, TransportOptions};
use narrows_cc::RttView;
use narrows_units::{Span, Time};
use newreno::NewReno;
pub(crate) use phase::Phase;
use rack::Rack;
use reno::Reno;
pub(crate) use sack::LastResort;
use sack::Sack;

/// The policy of one sender.
#[derive(Clone, Debug)]
pub(crate) enum Recovery {
    Reno(Reno),
    NewReno(NewReno),
    Sack(Sack),
    Rack(Rack),
}

/// What a policy makes of an acknowledgement or of a timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent decisions")]
pub(crate) struct Verdict {
    /// The running episode is over. Comes before `begins`.
    pub(crate) ends: bool,
    /// A new episode begins.
    pub(crate) begins: bool,
    /// Segments declared lost.
    pub(crate) lost: u64,
    /// A loss was repaired before anybody knew of it: an episode that begins and ends now.
    pub(crate) passes: bool,
    /// The next lost segment goes whatever the window says.
    pub(crate) forces: bool,
    /// The retransmission timer keeps running though the cumulative point moved.
    pub(crate) keeps_timer: bool,
}

impl Verdict {
    /// There is something to do beside the timer.
    pub(crate) fn asks(&self) -> bool {
        self.lost > 0 || (self.ends | self.begins | self.passes | self.forces)
    }
}

/// What a policy may look at besides the scoreboard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) now: Time,
    /// Round-trip times; `None` before the first sample.
    pub(crate) rtt: Option<&'a RttView>,
}

impl Recovery {
    pub(crate) fn new(options: &TransportOptions) -> Self {
        match options.recovery {
            RecoveryKind::Reno => Self::Reno(Reno::new(options.limited_transmit)),
            RecoveryKind::NewReno => Self::NewReno(NewReno::new(options.limited_transmit)),
            RecoveryKind::Sack => Self::Sack(Sack::new(options.limited_transmit)),
            RecoveryKind::Rack => Self::Rack(Rack::new(options.limited_transmit)),
        }
    }

    /// The policy reads selective acknowledgements.
    pub(crate) fn is_selective(&self) -> bool {
        matches!(self, Self::Sack(_) | Self::Rack(_))
    }

    pub(crate) fn phase(&self) -> Phase {
        match self {
            Self::Reno(reno) => reno.phase(),
            Self::NewReno(newreno) => newreno.phase(),
            Self::Sack(sack) => sack.phase(),
            Self::Rack(rack) => rack.phase(),
        }
    }

    /// An acknowledgement arrived that moved, delivered or repeated something.
    #[inline]
    pub(crate) fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, view: View<'_>) -> Verdict {
        match self {
            Self::Reno(reno) => reno.on_ack(delivery, board),
            Self::NewReno(newreno) => newreno.on_ack(delivery, board),
            Self::Sack(sack) => sack.on_ack(delivery, board),
            Self::Rack(rack) => rack.on_ack(delivery, board, view),
        }
    }

    /// The retransmission timer ran out; everything not delivered has been declared lost. True if an episode begins,
    /// false if the timeout belongs to the one that runs.
    pub(crate) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        match self {
            Self::Reno(reno) => reno.on_timeout(board),
            Self::NewReno(newreno) => newreno.on_timeout(board),
            Self::Sack(sack) => sack.on_timeout(board),
            Self::Rack(rack) => rack.on_timeout(board),
        }
    }

    /// The running episode was false: there is nothing to repair.
    pub(crate) fn abandon(&mut self, board: &Scoreboard) {
        match self {
            Self::Reno(reno) => reno.abandon(),
            Self::NewReno(newreno) => newreno.abandon(),
            Self::Sack(sack) => sack.abandon(),
            Self::Rack(rack) => rack.abandon(board),
        }
    }

    /// A segment left.
    #[inline]
    pub(crate) fn on_sent(&mut self, number: u64, new: bool, view: View<'_>, board: &Scoreboard) {
        match self {
            Self::Rack(rack) => rack.on_sent(number, new, view, board),
            Self::Sack(sack) if !new => sack.on_resent(number),
            Self::Sack(_) | Self::Reno(_) | Self::NewReno(_) => {}
        }
    }

    /// What may go though it is not known to be lost, where nothing lost waits and nothing new can go.
    pub(crate) fn last_resort(&self, board: &mut Scoreboard) -> Option<LastResort> {
        match self {
            Self::Sack(sack) => sack.last_resort(board),
            Self::Reno(_) | Self::NewReno(_) | Self::Rack(_) => None,
        }
    }

    /// A segment named by [`last_resort`](Self::last_resort) is about to leave.
    pub(crate) fn on_last_resort(&mut self, segment: LastResort, board: &mut Scoreboard) {
        if let Self::Sack(sack) = self {
            sack.on_last_resort(segment, board);
        }
    }

    /// Packets that may be in flight when the congestion window is `window`.
    #[inline]
    pub(crate) fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        match self {
            Self::Reno(reno) => reno.usable_window(window),
            Self::NewReno(newreno) => newreno.usable_window(window),
            Self::Sack(sack) => sack.usable_window(window, board),
            Self::Rack(rack) => rack.usable_window(window, board),
        }
    }

    /// When the policy's own timer is due.
    pub(crate) fn next_timer(&self) -> Time {
        match self {
            Self::Rack(rack) => rack.next_timer(),
            _ => Time::NEVER,
        }
    }

    /// The policy's own timer may be due.
    pub(crate) fn on_timer(&mut self, board: &mut Scoreboard, view: View<'_>) -> Verdict {
        match self {
            Self::Rack(rack) => rack.on_timer(board, view),
            _ => Verdict::default(),
        }
    }

    /// A probe that is to go now; it goes before a retransmission timeout that is due, too.
    pub(crate) fn take_probe(&mut self, now: Time, rto_due: bool, board: &Scoreboard) -> bool {
        match self {
            Self::Rack(rack) => rack.take_probe(now, rto_due, board),
            _ => false,
        }
    }

    /// A probe has left; `resent` if it was no new segment.
    pub(crate) fn on_probe_sent(&mut self, resent: bool, board: &Scoreboard) {
        if let Self::Rack(rack) = self {
            rack.on_probe_sent(resent, board);
        }
    }
}

/// Duplicate ACKs, or selectively acknowledged segments above a hole, that make it a loss (RFC 5681 §3.2).
const DUPLICATE_THRESHOLD: u64 = 3;
/// The longest that a receiver may hold back an ACK, for a probe of a single segment (RFC 8985 §7.2, as Linux).
const WORST_DELAYED_ACK: Span = Span::from_ms(200);
