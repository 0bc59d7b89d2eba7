//! Builds what is in a partition: links, senders and receivers.

use super::application::Application;
use super::endpoints::{Alarm, ReceivingEnd, SendDelay, SendingEnd};
use super::fifo::Fifo;
use super::layout::Layout;
use super::link::{Computed, Link, Transmitter};
use crate::link::{Capacity, Loss};
use crate::model::{GroupModel, LinkModel, Model, RateModel, Start};
use crate::records::{LinkRecorder, Place, ReceiverRecorder, SenderRecorder};
use narrows_engine::Stream;
use narrows_qdisc::{Discipline, Limit};
use narrows_transport::{ReceivingEndpoint, SendingEndpoint, TransportOptions};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::FlowId;
use std::sync::Arc;

/// The senders in partition `number`.
pub(super) fn senders(
    model: &Model,
    layout: &Layout,
    number: usize,
    stream: &impl Fn(String) -> Stream,
) -> Vec<SendingEnd> {
    let build = |flow: usize| {
        let plan = &model.flows[flow];
        let group = &model.groups[plan.group];
        let seed = stream(format!("flow {flow} algorithm")).bits();
        let algorithm = group.algorithm.build(&plan.transport.setup(seed));
        let size = drawn_size(model, flow, stream);
        let mut sender = SendingEndpoint::new(
            FlowId::new(flow as u32, 0),
            Arc::clone(&plan.transport),
            size,
            algorithm,
            group.algorithm.needs(),
        );
        let TransportOptions { mss, header, .. } = *plan.transport;
        let first = model.flows.partition_point(|other| other.group < plan.group);
        let drawing = if plan.source.is_common() { first } else { flow };
        let draws = stream(format!("flow {drawing} source"));
        let application = Application::new(&plan.source, flow - first, mss + header, mss, draws);
        if application.is_some() {
            sender.wait_for_offers();
        }
        let delay = (plan.send_delay > Span::ZERO).then(|| {
            let draws = stream(format!("flow {flow} send delay"));
            Box::new(SendDelay { most: plan.send_delay, draws, last: Time::ZERO })
        });
        SendingEnd {
            flow: flow as u32,
            group: plan.group,
            size,
            route: layout.outward[flow],
            sender,
            recorder: SenderRecorder::new(ack_spacing(model, group, &plan.transport)),
            delay,
            application: application.map(Box::new),
            alarm: Alarm::default(),
        }
    };
    Layout::members(&layout.senders, number).map(build).collect()
}

/// Half the time that the bottleneck of `group` needs for a full packet of data; none where its flows have several.
pub(super) fn ack_spacing(model: &Model, group: &GroupModel, transport: &TransportOptions) -> Span {
    let Some(link) = group.bottleneck else { return Span::ZERO };
    let rate = model.links[link].rate.mean_bps(model.duration);
    Span::from_secs_f64((transport.mss + transport.header).bits() as f64 / rate / 2.0)
}

/// The group of each flow, then of each population.
pub(super) fn groups_of(model: &Model) -> Vec<u16> {
    let populations = model.populations.iter().map(|population| population.group);
    model.flows.iter().map(|flow| flow.group).chain(populations).map(|group| group as u16).collect()
}

/// Sets what `recorder` counts beside what every link does.
fn observe(model: &Model, link: usize, recorder: &mut LinkRecorder) {
    recorder.shares = vec![0; model.groups.len()];
    let longest = |all: bool| {
        let own = model.groups.iter().filter(|group| all || group.bottleneck == Some(link));
        own.map(|group| group.rtt).max()
    };
    recorder.episodes.span = longest(false).or(longest(true)).unwrap_or(Span::ZERO);
    if model.record.packets.is_some() {
        recorder.logged = Some(Place::Link(link as u32));
    }
}

/// The receivers in partition `number`.
pub(super) fn receivers(
    model: &Model,
    layout: &Layout,
    number: usize,
    stream: &impl Fn(String) -> Stream,
) -> Vec<ReceivingEnd> {
    let build = |flow: usize| {
        let plan = &model.flows[flow];
        // The sender's instance may be in another partition; what it asks of a receiver needs no state.
        let transport = model.groups[plan.group].algorithm.transport(&plan.transport.setup(0));
        let options = Arc::clone(&plan.transport);
        let size = drawn_size(model, flow, stream);
        let receiver = ReceivingEndpoint::new(FlowId::new(flow as u32, 0), options, size, transport);
        ReceivingEnd {
            flow: flow as u32,
            group: plan.group,
            route: layout.homeward[flow],
            receiver,
            recorder: ReceiverRecorder::default(),
            alarm: Alarm::default(),
        }
    };
    Layout::members(&layout.receivers, number).map(build).collect()
}

/// The near ends of `links`, as far as possible computed, or lagging behind, if `compute_hops`.
pub(super) fn links(
    model: &Model,
    layout: &Layout,
    links: &[usize],
    compute_hops: bool,
    stream: &impl Fn(String) -> Stream,
) -> Vec<Link> {
    let mut changing = vec![false; model.links.len()];
    for (link, _) in model.changes.iter().flat_map(|change| &change.links) {
        changing[*link as usize] = true;
    }
    let build = |&link: &usize| {
        let each = &model.links[link];
        let steady = limit_and_rate(each).filter(|_| compute_hops && !changing[link]);
        // Packets that come from two links may come in another order than that in which they left them.
        if let Some((Limit::Unlimited, rate)) = steady
            && each.access
            && !layout.merging[link]
        {
            return Link::Computed(Computed::new(rate, each.delay), layout.far[link].index);
        }
        let mut transmitter = scheduled(each, stream);
        if compute_hops {
            transmitter.lag(steady.map(|(limit, rate)| Fifo::new(limit, rate)));
        }
        if transmitter.recorded {
            observe(model, link, &mut transmitter.recorder);
        }
        Link::Scheduled(Box::new(transmitter))
    };
    links.iter().map(build).collect()
}

fn scheduled(model: &LinkModel, stream: &impl Fn(String) -> Stream) -> Transmitter {
    let name = &model.name;
    let capacity = Capacity::new(&model.rate, stream(format!("link {name} rate")));
    let loss = model.loss.map(|loss| (Loss::new(loss), stream(format!("link {name} loss"))));
    let queue = (model.queue.build(), stream(format!("link {name} queue")));
    Transmitter::new(queue, capacity, loss, model.delay, !model.access)
}

/// Of a link of which is known when a packet leaves as it comes: a FIFO at a constant rate without random loss.
fn limit_and_rate(model: &LinkModel) -> Option<(Limit, Rate)> {
    match (&model.rate, &model.queue) {
        (RateModel::Constant(rate), Discipline::DropTail(config))
            if model.loss.is_none() && *rate > Rate::ZERO =>
        {
            Some((config.limit, *rate))
        }
        _ => None,
    }
}

/// What a flow transfers in this replication: the same at both its ends.
fn drawn_size(model: &Model, flow: usize, stream: &impl Fn(String) -> Stream) -> Option<Bytes> {
    let sizes = model.flows[flow].size.as_ref()?;
    Some(sizes.sample(&mut stream(format!("flow {flow} size"))))
}

/// When a flow starts that does so at `start`; a random one takes its draws from `stream`.
pub(super) fn draw_start(start: Start, stream: impl FnOnce() -> Stream) -> Time {
    match start {
        Start::At(at) => Time::ZERO + at,
        Start::Between(from, to) => Time::ZERO + from + Span::from_ps(stream().up_to((to - from).as_ps())),
    }
}
