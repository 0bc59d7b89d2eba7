// SPDX-License-Identifier: Apache-2.0
//! `rtt`: the round-trip propagation delays of a group.

use super::super::distribution::{self, Unit};
use super::super::network::ResolvedNetwork;
use super::super::path::PathKeys;
use super::placement::TopologyContext;
use super::{FlowContext, FlowKeys};
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::forms::Choice;
use narrows_model::traffic::{Distribution, Spans};
use narrows_topology::Placement;
use narrows_units::Span;

impl FlowKeys {
    /// Resolves the round trip of each flow.
    pub(super) fn resolve_rtt(
        &mut self,
        placement: Result<&Placement, &Reported>,
        context: FlowContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Spans, Reported> {
        let topology = context.topology;
        let usual = match (placement, topology) {
            (Ok(Placement::Edges), TopologyContext::Network(Ok(network))) => {
                // Every pair of edges has its own; buffers count this one for the group.
                self.rtt.omitted = true;
                return Ok(Spans(Distribution::Constant(network.rtt.amount())));
            }
            (Ok(Placement::Routers(points)), TopologyContext::Network(Ok(network))) => {
                Ok(network.propagation(points))
            }
            (_, TopologyContext::Network(_)) => return Err(Reported::before()),
            (_, TopologyContext::Path(path)) => path.rtt.copied(),
            (_, TopologyContext::Missing(reported)) => Err(reported),
        };
        if !self.rtt.written {
            self.rtt.fill(Some(Choice::Plain(usual?)));
        }
        let written = self.rtt.get_mut()?.as_mut().ok_or_else(Reported::before)?;
        let rtt = Spans(distribution::resolve_drawn(written, context.load, faults)?);
        if rtt.constant().is_none() && rtt.mean() > LONGEST_MEAN {
            let fault = self.rtt.fault("the mean is longer than any path");
            return Err(fault.allowed(format!("at most {LONGEST_MEAN}")).report(faults));
        }
        match (topology, placement) {
            (TopologyContext::Path(path), _) => self.check_rtt_of_path(&rtt, path, faults)?,
            (TopologyContext::Network(Ok(network)), Ok(placement)) => {
                self.check_rtt_of_route(&rtt, placement, network, faults)?;
            }
            _ => {}
        }
        Ok(rtt)
    }

    /// Checks that the delay of the bottleneck fits into every round trip.
    fn check_rtt_of_path(
        &self,
        rtt: &Spans,
        path: &PathKeys,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let delay = path.delay.copied().ok().flatten();
        let Some(constant) = rtt.constant() else {
            if delay.is_none() && rtt.least() == Span::ZERO {
                let fault = self.rtt.fault("round trips of any shortness leave no delay for the bottleneck");
                let allowed = "path.delay, or a distribution with a positive minimum";
                return Err(fault.allowed(allowed).report(faults));
            }
            return Ok(());
        };
        let Some(delay) = delay.filter(|delay| *delay * 2 > constant) else { return Ok(()) };
        let at = if self.rtt.written { &self.rtt.at } else { &path.rtt.at };
        let message = format!("a round trip of {constant} is shorter than twice path.delay, {delay}");
        let fault = at.fault(message).given(constant.to_string());
        Err(fault.allowed(format!("at least {}", delay * 2)).report(faults))
    }

    /// Checks that a round trip which is the same for all flows is not shorter than their route's.
    fn check_rtt_of_route(
        &self,
        rtt: &Spans,
        placement: &Placement,
        network: &ResolvedNetwork,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let (Placement::Routers(points), Some(constant)) = (placement, rtt.constant()) else { return Ok(()) };
        let usual = network.propagation(points);
        if constant >= usual {
            return Ok(());
        }
        let along = network.link_names_of(points);
        let fault = self.rtt.fault(format!("a round trip of {constant} is shorter than that along {along}"));
        Err(fault.given(constant.to_string()).allowed(format!("at least {usual}")).report(faults))
    }
}

/// A day.
const LONGEST_MEAN: Span = Span::from_ms(86_400_000);
