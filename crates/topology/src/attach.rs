// SPDX-License-Identifier: Apache-2.0
//! Groups on a network: the routes and workloads of each.

use super::{Core, Group, Layout, Path};
use narrows_model::{Access, GroupModel, LinkModel, PathModel, Workload, arranged};
use std::sync::Arc;

impl Core {
    /// Lays out `groups` on these links: each group gets a workload on its paths, given at the same index of `paths`: the first, and
    /// further ones that its connections have beside it. A group without a path gets none.
    pub fn attach(self, groups: &[Group], paths: &[Vec<Path>]) -> Layout {
        let access_rate = self.access_rate;
        let mut layout = Layout {
            nodes: self.nodes,
            links: self.links,
            routes: Vec::new(),
            workloads: Vec::new(),
            groups: Vec::new(),
        };
        for (index, (group, paths)) in groups.iter().zip(paths).enumerate() {
            layout.groups.push(GroupModel {
                name: group.name.clone(),
                algorithm: group.algorithm.clone(),
                subject: group.subject,
                program: group.program.clone(),
                // Packets of several paths share no link, or not one alone.
                bottleneck: if let [path] = paths.as_slice() {
                    Some(narrowest(&layout.links, &path.forward))
                } else {
                    None
                },
                rtt: group.rtt.mean(),
            });
            if paths.is_empty() {
                continue;
            }
            let first = layout.routes.len() as u32;
            layout.routes.extend(paths.iter().flat_map(|path| [path.forward.clone(), path.reverse.clone()]));
            let of_number = |number: usize| {
                let forward = first + 2 * number as u32;
                let weight = if number == 0 { 1.0 } else { 0.0 };
                PathModel { weight, forward, reverse: forward + 1, class: "".into() }
            };
            let paths = (0..paths.len()).map(of_number).collect();
            let access = Access::RoundTrip { rtt: group.rtt.clone(), rate: access_rate };
            layout.add(group.workload(index, paths, access));
        }
        layout
    }

    /// Returns the index of the first link of `route` with the lowest rate at the start of the run.
    ///
    /// # Panics
    ///
    /// If `route` is empty.
    pub fn narrowest(&self, route: &[u32]) -> usize {
        narrowest(&self.links, route)
    }
}

impl Group {
    /// Returns its workload, on `paths`, with `access` links.
    pub(super) fn workload(&self, index: usize, paths: Vec<PathModel>, access: Access) -> Workload {
        Workload {
            group: index,
            demand: self.demand.clone(),
            partner: None,
            stream: 0,
            first_user: 0,
            slots: self.slots,
            individual: self.demand.individual(self.slots).is_some(),
            size: self.size.clone(),
            surges: self.surges.iter().map(|(surge, _)| *surge).collect(),
            paths,
            access,
            transport: Arc::new(self.transport.clone()),
            send_delay: self.send_delay,
        }
    }
}

impl Layout {
    /// Adds a workload; of connections over which both sides write, the workload of the other sides, too, on the same
    /// routes in exchange.
    fn add(&mut self, workload: Workload) {
        let first = self.workloads.len() as u32;
        let Some(demand) = workload.demand.other_side() else {
            self.workloads.push(workload);
            return;
        };
        let back = |path: &PathModel| PathModel {
            forward: path.reverse,
            reverse: path.forward,
            class: Arc::clone(&path.class),
            ..*path
        };
        let paths = workload.paths.iter().map(back).collect();
        let other = Workload { demand, paths, partner: Some(first), ..workload.clone() };
        self.workloads.extend([Workload { partner: Some(first + 1), ..workload }, other]);
    }

    /// Returns the same with its workloads arranged for a model.
    pub(super) fn arranged(mut self) -> Self {
        self.workloads = arranged(self.workloads);
        self
    }
}

fn narrowest(links: &[LinkModel], route: &[u32]) -> usize {
    let rate = |link: &u32| links[*link as usize].rate.first_bps();
    let narrowest = route.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)));
    *narrowest.expect("a path has a link") as usize
}
