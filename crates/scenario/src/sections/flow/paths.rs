// SPDX-License-Identifier: Apache-2.0
//! `[[flows.paths]]`: the paths of each connection of a group, if a stack with several paths carries it.

use super::super::network::ResolvedNetwork;
use super::super::stack::PathStatus;
use super::FlowKeys;
use crate::diagnostic::Fault;
use crate::field::{At, Reported};
use crate::section::keys;
use crate::value::{Element, List, Positive};
use narrows_model::algorithm::Control;
use narrows_model::stack::StackPath;
use narrows_topology::RoutePoints;
use narrows_units::Span;

keys! {
    /// The keys of `[[flows.paths]]`.
    pub struct PathsKeys {
        /// Routers that data of the path traverses in this order, and acknowledgements in the opposite order.
        via: List<String> => "none: the shortest route by delay",
        /// Status at both ends: data goes on available paths as they have room, and on backup paths while none is available.
        status: PathStatus = PathStatus::Available,
        /// Time at which the client opens the path; the first path opens the connection.
        start: Span = Span::ZERO,
        /// Time at which the client closes the path, unless it is the last that is open.
        stop: Positive<Span> => "the end of the connection",
    }
}

impl FlowKeys {
    /// Returns the routers of each path of a connection; one path, along `via`, if no `paths` are given.
    ///
    /// # Errors
    ///
    /// If a path has errors, which are added to `faults`.
    pub(super) fn all_points(
        &mut self,
        network: &ResolvedNetwork,
        faults: &mut Vec<Fault>,
    ) -> Result<Vec<RoutePoints>, Reported> {
        if self.paths.get()?.is_none() {
            let via = self.via.get_mut()?.get_or_insert_default().clone();
            let at = self.via.at.clone();
            return Ok(vec![self.route_points((&at, &via), network, faults)?]);
        }
        if self.via.written {
            let fault = self.via.fault("does not fit beside paths");
            return Err(fault.allowed("via in each of the paths").report(faults));
        }
        let count = self.paths.get()?.as_ref().map_or(0, Vec::len);
        if !(2..=MOST).contains(&count) {
            let fault = self.paths.fault("not several paths, or too many").given(count.to_string());
            return Err(fault.allowed(format!("2 to {MOST} paths; via for one route")).report(faults));
        }
        self.via.omitted = true;
        let mut routes: Vec<(At, Vec<Element<String>>)> = Vec::new();
        for path in self.paths.get_mut()?.iter_mut().flatten() {
            let via = path.via.get_mut()?.get_or_insert_default().clone();
            routes.push((path.via.at.clone(), via));
        }
        routes.iter().map(|(at, via)| self.route_points((at, via), network, faults)).collect()
    }

    /// Gives `algorithm` the paths of the group.
    ///
    /// # Errors
    ///
    /// If no stack carries several paths, or a path has errors; they are added to `faults`.
    pub(super) fn resolve_paths(
        &self,
        algorithm: &mut Control,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let Some(written) = self.paths.get()? else { return Ok(()) };
        if !algorithm.stack().is_some_and(|control| control.stack.has_paths()) {
            let message = match algorithm.stack() {
                Some(control) => format!("a connection of the stack {} has one path", control.stack.name()),
                None => "a connection without a stack has one path: its packets are numbered, and found lost, in one order".to_owned(),
            };
            let fault = self.paths.fault(message).given(format!("{} paths", written.len()));
            return Err(fault.allowed("stack = \"noq\", or via for one route").report(faults));
        }
        let mut paths = Vec::new();
        for (number, keys) in written.iter().enumerate() {
            let (start, stop) = (keys.start.copied()?, keys.stop.copied()?);
            if number == 0 && start > Span::ZERO {
                let fault = keys.start.fault("the first path opens the connection").given(start.to_string());
                return Err(fault.allowed("no start in the first of the paths").report(faults));
            }
            if let Some(stop) = stop.filter(|stop| *stop <= start) {
                let fault = keys.stop.fault("a path stops before it starts").given(stop.to_string());
                return Err(fault.allowed(format!("after its start, {start}")).report(faults));
            }
            paths.push(StackPath { backup: keys.status.copied()? == PathStatus::Backup, start, stop });
        }
        if let Some(control) = algorithm.stack_mut() {
            control.paths = paths;
        }
        Ok(())
    }
}

/// Paths of a connection.
const MOST: usize = 8;
