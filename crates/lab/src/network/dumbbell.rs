//! The dumbbell: one bottleneck in each direction, and for every flow a sender and a receiver of its own.
//!
//! Link 0 is the bottleneck, link 1 the bottleneck in the other direction; then follow four access links per flow:
//! from and to its sender, from and to its receiver. A flow of round trip `rtt` has `rtt − 2·delay` left for its access
//! links, shared equally by the sender's side and the receiver's side, so that its two-way propagation delay is exactly
//! `rtt`.

use super::Layout;
use crate::model::{FlowModel, GroupModel, LinkModel, LossModel, RateModel, Start};
use narrows_cc::catalogue::Algorithm;
use narrows_qdisc::{Discipline, Limit, droptail};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span};
use std::sync::Arc;

/// The middle of the dumbbell.
#[derive(Clone, Debug)]
pub struct Dumbbell {
    /// From the left to the right.
    pub forward: Direction,
    /// From the right to the left.
    pub reverse: Direction,
    /// One-way propagation delay of the bottleneck, both directions.
    pub delay: Span,
    /// Rate of every access link.
    pub access_rate: Rate,
}

/// The bottleneck in one direction.
#[derive(Clone, Debug)]
pub struct Direction {
    /// Its rate over time.
    pub rate: RateModel,
    /// What waits for it.
    pub queue: Discipline,
    /// Random loss behind the queue.
    pub loss: Option<LossModel>,
}

/// Equal flows over a dumbbell.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Its congestion control.
    pub algorithm: Algorithm,
    /// `compare` may put another algorithm in its place.
    pub subject: bool,
    /// How many flows.
    pub count: u64,
    /// When they start.
    pub start: Start,
    /// Payload of each; `None` is endless.
    pub size: Option<Bytes>,
    /// Two-way propagation delay; at least twice the bottleneck's.
    pub rtt: Span,
    /// Data goes from the right to the left.
    pub reverse: bool,
    /// The endpoints.
    pub transport: TransportOptions,
    /// Upper bound of the random delay before each packet.
    pub send_delay: Span,
}

impl Dumbbell {
    /// Lays out the links and routes of `groups`.
    pub fn layout(&self, groups: &[Group]) -> Layout {
        let bottleneck = |name: &str, from, to, direction: &Direction| LinkModel {
            name: name.to_owned(),
            from,
            to,
            rate: direction.rate.clone(),
            delay: self.delay,
            queue: direction.queue.clone(),
            loss: direction.loss,
            access: false,
        };
        let mut layout = Layout {
            nodes: 2,
            links: vec![
                bottleneck("bottleneck", LEFT, RIGHT, &self.forward),
                bottleneck("bottleneck reverse", RIGHT, LEFT, &self.reverse),
            ],
            flows: Vec::new(),
            groups: Vec::new(),
        };
        for (index, group) in groups.iter().enumerate() {
            let (there, back) = if group.reverse { (REVERSE, FORWARD) } else { (FORWARD, REVERSE) };
            layout.groups.push(GroupModel {
                name: group.name.clone(),
                algorithm: group.algorithm.clone(),
                subject: group.subject,
                bottleneck: there as usize,
                rtt: group.rtt,
            });
            let transport = Arc::new(group.transport.clone());
            for flow in 0..group.count {
                let first = layout.links.len() as u32;
                let hosts = [layout.nodes, layout.nodes + 1];
                layout.nodes += 2;
                layout.links.extend(self.access_links(group, flow, hosts));
                layout.flows.push(FlowModel {
                    group: index,
                    start: group.start,
                    size: group.size,
                    outward: vec![first, there, first + 1],
                    homeward: vec![first + 2, back, first + 3],
                    transport: Arc::clone(&transport),
                    send_delay: group.send_delay,
                });
            }
        }
        layout
    }

    /// From the sender, to the receiver, from the receiver, to the sender.
    fn access_links(&self, group: &Group, flow: u64, [source, sink]: [u32; 2]) -> [LinkModel; 4] {
        let access = group.rtt - self.delay * 2;
        let sender = access / 2;
        let receiver = access - sender;
        let (near, far) = if group.reverse { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
        let link = |part: &str, from, to, delay| LinkModel {
            name: format!("{}[{flow}] {part}", group.name),
            from,
            to,
            rate: RateModel::Constant(self.access_rate),
            delay,
            queue: Discipline::DropTail(droptail::Config { limit: Limit::Unlimited }),
            loss: None,
            access: true,
        };
        [
            link("from sender", source, near, sender / 2),
            link("to receiver", far, sink, receiver / 2),
            link("from receiver", sink, far, receiver - receiver / 2),
            link("to sender", near, source, sender - sender / 2),
        ]
    }
}

/// The node at which forward data queues.
const LEFT: u32 = 0;

/// The node to which the bottleneck brings it.
const RIGHT: u32 = 1;

/// The bottleneck's place among the links.
const FORWARD: u32 = 0;

/// The place of the bottleneck in the other direction.
const REVERSE: u32 = 1;

#[cfg(test)]
mod tests;
