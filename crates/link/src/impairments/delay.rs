// SPDX-License-Identifier: Apache-2.0
//! An additional delay that changes in time.

use super::{Element, Fate};
use crate::DelayModel;
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_units::{Span, Time};
use narrows_wire::Packet;

#[derive(Debug)]
pub(super) struct Delay {
    model: DelayModel,
    reorder: bool,
    /// Time at which the last packet left.
    last: Time,
}

impl Delay {
    pub fn new(model: DelayModel, reorder: bool) -> Self {
        Self { model, reorder, last: Time::ZERO }
    }
}

impl Element for Delay {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        packet.arrival += delay(&self.model, packet.arrival.since(Time::ZERO), draws);
        if !self.reorder {
            packet.arrival = packet.arrival.max(self.last);
            self.last = packet.arrival;
        }
        Fate::Leaves
    }
}

/// The additional delay of a packet that arrives at `at`, from the start of the run. It depends on the time alone: a random
/// delay has a stream for each interval.
fn delay(model: &DelayModel, at: Span, draws: &Stream) -> Span {
    match model {
        DelayModel::Steps { points, period, .. } => {
            let at = period.map_or(at, |period| remainder(at, period));
            let next = points.partition_point(|(from, _)| *from <= at);
            points[next.saturating_sub(1)].1
        }
        DelayModel::Sawtooth { minimum, maximum, period } => {
            let phase = u128::from(remainder(at, *period).as_ps());
            let rise = u128::from((*maximum - *minimum).as_ps()) * phase / u128::from(period.as_ps());
            *minimum + Span::from_ps(rise as u64)
        }
        DelayModel::Handover { interval, delay, outage } => {
            let (number, since) = (at.as_ps() / interval.as_ps(), remainder(at, *interval));
            // The start of the run is no handover.
            let wait = if number > 0 { outage.saturating_sub(since) } else { Span::ZERO };
            wait + delay.sample(&mut draws.branch(number))
        }
    }
}

fn remainder(at: Span, period: Span) -> Span {
    Span::from_ps(at.as_ps() % period.as_ps())
}
