//! Hosts at the edge of a network: every flow has a sender and a receiver of its own.
//!
//! The links between routers come first; then follow four access links per flow: from its sender, to its receiver, from
//! its receiver, to its sender. Of a flow's round trip its access links have what its way leaves, shared equally by the
//! sender's side and the receiver's side, so that its two-way propagation delay is exactly its round trip.

use super::{Core, Group, Layout, Transfers, Way};
use crate::model::Access as AccessModel;
use crate::model::{Demand, FlowModel, GroupModel, LinkModel, PopulationModel, RateModel, WayModel};
use crate::traffic::Distribution;
use narrows_qdisc::{Discipline, Limit, droptail};
use narrows_units::{Rate, Span};
use std::sync::Arc;

impl Core {
    /// Gives each flow of `groups` hosts at the ends of its group's way, one of `ways` for each group; a group without one
    /// gets no flows yet.
    pub fn attach(self, groups: &[Group], ways: &[Option<Way>]) -> Layout {
        let access_rate = self.access_rate;
        let mut layout = Layout {
            nodes: self.nodes,
            links: self.links,
            flows: Vec::new(),
            routes: Vec::new(),
            populations: Vec::new(),
            groups: Vec::new(),
        };
        for (index, (group, way)) in groups.iter().zip(ways).enumerate() {
            layout.groups.push(GroupModel {
                name: group.name.clone(),
                algorithm: group.algorithm.clone(),
                subject: group.subject,
                bottleneck: way.as_ref().map(|way| narrowest(&layout.links, &way.outward)),
                rtt: group.rtt.mean(),
            });
            let Some(way) = way else { continue };
            let transport = Arc::new(group.transport.clone());
            if let Some(transfers) = &group.transfers {
                let population = layout.population(index, group, transfers, way, access_rate);
                let other = answering(&population);
                layout.populations.extend([Some(population), other].into_iter().flatten());
                continue;
            }
            // A round trip that is drawn is set anew in every replication.
            let rest = group.rtt.mean().saturating_sub(layout.delay(way));
            let access = Access { rate: access_rate, delays: access_delays(rest) };
            for flow in 0..group.count {
                let first = layout.links.len() as u32;
                layout.add_hosts(&format!("{}[{flow}]", group.name), way, &access);
                let route = |from: u32, links: &[u32], to: u32| [&[from][..], links, &[to][..]].concat();
                layout.flows.push(FlowModel {
                    group: index,
                    start: group.start,
                    source: group.source.clone(),
                    size: group.size.clone(),
                    rtt: group.rtt.constant().is_none().then(|| group.rtt.clone()),
                    outward: route(first, &way.outward, first + 1),
                    homeward: route(first + 2, &way.homeward, first + 3),
                    transport: Arc::clone(&transport),
                    send_delay: group.send_delay,
                });
            }
        }
        layout
    }
}

impl Core {
    /// The first link of `route` with the lowest rate at the start of the run.
    pub fn narrowest(&self, route: &[u32]) -> usize {
        narrowest(&self.links, route)
    }
}

fn narrowest(links: &[LinkModel], route: &[u32]) -> usize {
    let rate = |link: &u32| links[*link as usize].rate.first_bps();
    let narrowest = route.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)));
    *narrowest.expect("a way has a link") as usize
}

/// Of connections over which both sides write: the acceptors that answer `initiators`.
fn answering(initiators: &PopulationModel) -> Option<PopulationModel> {
    let Demand::Exchanges { connections, from, .. } = &initiators.demand else { return None };
    let back = |way: &WayModel| WayModel {
        outward: way.homeward,
        homeward: way.outward,
        class: Arc::clone(&way.class),
        ..*way
    };
    Some(PopulationModel {
        demand: Demand::Exchanges { connections: Arc::clone(connections), side: 1, from: *from },
        ways: initiators.ways.iter().map(back).collect(),
        ..initiators.clone()
    })
}

/// Rate of the access links of a flow, and the propagation delay of each in the order in which they are laid.
struct Access {
    rate: Rate,
    delays: [Span; 4],
}

/// How the four access links of a flow share `rest`.
pub(super) fn access_delays(rest: Span) -> [Span; 4] {
    let sender = rest / 2;
    let receiver = rest - sender;
    [sender / 2, receiver / 2, receiver - receiver / 2, sender - sender / 2]
}

impl Layout {
    /// Two-way propagation delay of a way.
    fn delay(&self, way: &Way) -> Span {
        let all = way.outward.iter().chain(&way.homeward);
        all.fold(Span::ZERO, |sum, link| sum + self.links[*link as usize].delay)
    }

    /// The transfers of a group along `way`.
    fn population(
        &mut self,
        index: usize,
        group: &Group,
        transfers: &Transfers,
        way: &Way,
        rate: Rate,
    ) -> PopulationModel {
        let outward = self.routes.len() as u32;
        self.routes.extend([way.outward.clone(), way.homeward.clone()]);
        PopulationModel {
            group: index,
            demand: transfers.demand.clone(),
            seats: transfers.seats,
            // Recorded arrivals bring their own.
            size: group.size.as_ref().map_or(Distribution::Constant(1.0), |size| size.0.clone()),
            surges: transfers.surges.iter().map(|(surge, _)| *surge).collect(),
            ways: vec![WayModel { weight: 1.0, outward, homeward: outward + 1, class: "".into() }],
            access: AccessModel::RoundTrip { rtt: group.rtt.0.clone(), rate },
            transport: Arc::new(group.transport.clone()),
        }
    }

    fn add_hosts(&mut self, flow: &str, way: &Way, access: &Access) {
        let near = self.links[way.outward[0] as usize].from;
        let far = self.links[way.outward[way.outward.len() - 1] as usize].to;
        let (source, sink) = (self.nodes, self.nodes + 1);
        self.nodes += 2;
        let ends = [(source, near), (far, sink), (sink, far), (near, source)];
        let parts = ["from sender", "to receiver", "from receiver", "to sender"];
        for ((part, (from, to)), delay) in parts.into_iter().zip(ends).zip(access.delays) {
            self.links.push(LinkModel {
                name: format!("{flow} {part}"),
                from,
                to,
                rate: RateModel::Constant(access.rate),
                delay,
                queue: Discipline::DropTail(droptail::Config { limit: Limit::Unlimited }),
                loss: None,
                access: true,
            });
        }
    }
}
