// SPDX-License-Identifier: Apache-2.0
//! Algorithms that a stack refuses.

use crate::plan::LEAST_DATAGRAM;
use crate::{Flow, Plan};
use narrows_cc::card::Fault;
use narrows_cc::{Algorithm, EcnUse, Needs, Reports, Transport};
use narrows_units::{Span, Time};
use std::fmt;
use std::str::FromStr;

/// The capabilities of the controller interface of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stack {
    /// Name and version of the stack.
    pub name: &'static str,
    /// Whether the stack paces at the rate of a controller.
    pub paces: bool,
}

impl Stack {
    /// Creates the capabilities of the stack `name`.
    pub const fn new(name: &'static str, paces: bool) -> Self {
        Self { name, paces }
    }
}

/// An algorithm that cannot work on a stack.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refusal {
    /// The algorithm as written.
    pub algorithm: String,
    /// Name and version of the stack.
    pub stack: &'static str,
    /// Why it cannot work.
    pub reason: Reason,
}

/// Why an algorithm cannot work on a stack.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// There is no such algorithm, or it has no such parameters.
    Unknown(Fault),
    /// Routers with this queue discipline would have to answer requests in its packets.
    Router(&'static str),
    /// Its setup asks for Quick-Start, and no router answers.
    QuickStart,
    /// It needs reports of the loss event rate or a report of each packet.
    Reports,
    /// It needs the time at which each packet arrived.
    EachPacket,
    /// It counts marks, or sends ECT(1): the interface has only that there were marks.
    Marks,
    /// It has no window, and the stack ignores pacing rates.
    NoWindow,
    /// It sets a pacing rate, which the stack ignores.
    Pacing,
}

impl Plan {
    /// Checks that the algorithm works on `stack`.
    ///
    /// # Errors
    ///
    /// If it needs facts that the stack does not provide, or sets limits that the stack does not take.
    pub fn check(&self, stack: Stack) -> Result<(), Refusal> {
        match self.reason(stack) {
            None => Ok(()),
            Some(reason) => Err(Refusal { algorithm: self.name().to_owned(), stack: stack.name, reason }),
        }
    }

    /// Returns why the algorithm cannot work on `stack`; `None` if it can.
    pub fn reason(&self, stack: Stack) -> Option<Reason> {
        let Needs { transport, each_packet, router, .. } = self.needs();
        if let Some(queue) = router {
            return Some(Reason::Router(queue));
        }
        if self.setup.quick_start.is_some() {
            return Some(Reason::QuickStart);
        }
        if matches!(transport, Transport::Datagram(Reports::EachPacket | Reports::LossEvents(_))) {
            return Some(Reason::Reports);
        }
        if each_packet {
            return Some(Reason::EachPacket);
        }
        if self.build(&self.setup).ecn() != EcnUse::Classic {
            return Some(Reason::Marks);
        }
        let (windowless, sets_rate) = self.tried();
        if stack.paces {
            None
        } else if windowless {
            Some(Reason::NoWindow)
        } else {
            (sets_rate && !self.window_alone).then_some(Reason::Pacing)
        }
    }

    /// Whether the algorithm has no window, and whether it sets a pacing rate: in a short connection without losses, since some
    /// set a rate only when they know a round-trip time.
    fn tried(&self) -> (bool, bool) {
        let mut flow = Flow::new(self, self.setup.seed, LEAST_DATAGRAM as u16);
        let mut sets_rate = false;
        for round in 0..8 {
            let sent = Time::ZERO + Span::from_ms(50 * round);
            flow.on_sent(sent, 10 * LEAST_DATAGRAM, None);
            for _ in 0..10 {
                flow.on_ack(sent, LEAST_DATAGRAM, None);
            }
            flow.on_end_acks(sent + Span::from_ms(50), 0, false);
            sets_rate |= flow.limits().pacing.is_some();
        }
        (flow.limits().window.is_none(), sets_rate)
    }
}

impl FromStr for Plan {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let unknown = |fault| Refusal {
            algorithm: text.to_owned(),
            stack: "the catalogue of narrows-cc",
            reason: Reason::Unknown(fault),
        };
        Algorithm::parse(text).map(Self::from).map_err(unknown)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, stack, reason } = self;
        match reason {
            Reason::Unknown(_) => write!(f, "\"{algorithm}\": {reason}"),
            _ => write!(f, "\"{algorithm}\" cannot work on {stack}: {reason}"),
        }?;
        f.write_str(match reason {
            Reason::QuickStart => "; set no setup.quick_start",
            Reason::Pacing => "; Plan::window_alone permits it all the same",
            _ => "",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown(fault) => return fault.fmt(f),
            Self::Router(queue) => {
                return write!(f, "routers with the queue {queue} would have to answer its requests");
            }
            Self::QuickStart => "no router answers a Quick-Start request",
            Self::Reports => "it needs the reports of a receiver of datagrams",
            Self::EachPacket => "it needs the time at which each packet arrived",
            Self::Marks => "it needs the number of marked packets, and only that there were marks is known",
            Self::NoWindow => "it has no window, and the stack takes no pacing rate",
            Self::Pacing => "it sets a pacing rate, which the stack ignores",
        })
    }
}

impl std::error::Error for Refusal {}
