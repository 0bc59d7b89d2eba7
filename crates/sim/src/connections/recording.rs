// SPDX-License-Identifier: Apache-2.0
//! Records of connections: samples, ends of connections, and counts of removed hosts.

use super::Connections;
use crate::host::{Ending, ReceivingHost, SendingHost};
use crate::plan::Plan;
use crate::recorder::{InternalsRecorder, Place, Received, SeriesRecorder};
use crate::transfer::EndedTransfer;
use narrows_cc::Transport;
use narrows_model::{GroupModel, Model, Workload};
use narrows_records::{
    ApplicationCounts, ClassCounts, ConnectionSums, GroupCounts, GroupSample, TransferRecord,
    UnfinishedRecord,
};
use narrows_transport::{ConnectionState, TransportOptions};
use narrows_units::{Bytes, Span, Time};

/// Counts of the connections of a group in a partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupTotals {
    /// Counts of connections whose hosts have been removed.
    pub removed: GroupCounts,
    /// Sums over connections whose sending or receiving host has been removed.
    pub sums: ConnectionSums,
    /// Counts by class of files and, within it, class of paths.
    pub classes: Vec<ClassCounts>,
    /// Counts of the clients of an application.
    pub application: Option<Box<ApplicationCounts>>,
}

impl Connections<'_> {
    /// Ends the warm-up at `now`.
    pub fn measure(&mut self, now: Time) {
        self.measuring = true;
        for host in self.sending.iter_mut().flatten() {
            host.recorder.measure(now, host.sender.counters());
            host.access.measure(now);
        }
        for newest in &mut self.receiving {
            let mut place = newest.as_deref_mut();
            while let Some(host) = place {
                host.received_at_warmup = host.receiver.counters().bytes_received;
                host.access.measure(now);
                place = host.before.as_deref_mut();
            }
        }
    }

    /// Completes all sums at the end of the run, `end`.
    pub fn finish(&mut self, end: Time) {
        for host in self.sending.iter_mut().flatten().filter(|host| host.ended.is_none()) {
            host.recorder.window(end, host.sender.window().unwrap_or(f64::NAN));
        }
    }

    /// Returns a sample of each group at the present time.
    pub fn sample(&self) -> Vec<GroupSample> {
        let first = |totals: &GroupTotals| GroupSample { counts: totals.removed, ..GroupSample::default() };
        let mut samples: Vec<_> = self.groups.iter().map(first).collect();
        for host in self.sending.iter().flatten() {
            let sample = &mut samples[host.group];
            sample.counts += counts_of(host);
            let connecting = host.ended.is_none() && host.sender.state() == ConnectionState::Connecting;
            sample.connecting += u64::from(connecting);
        }
        for host in self.receiving_hosts() {
            samples[host.group].counts.bytes_received += host.receiver.counters().bytes_received;
        }
        samples
    }

    /// Adds the samples of the interval of length `interval` that ends `now` of all individually recorded connections to
    /// `series`.
    pub fn sample_connections(&self, series: &mut SeriesRecorder, now: Time, interval: Span) {
        for (number, workload) in self.model.workloads.iter().enumerate() {
            let Some(count) = individual_connections(workload) else { continue };
            let first = self.firsts[number] as usize;
            if self.is_home(number) {
                for host in &self.sending[first..first + count] {
                    let seen = host.as_deref().map(|it| (&it.sender, &it.recorder, it.access.waited(now)[0]));
                    series.sender(seen, interval);
                }
            }
            let received = |host: &Option<Box<ReceivingHost>>| {
                host.as_deref().map_or(Received::default(), |host| host.received(now))
            };
            series.received.extend(self.receiving[first..first + count].iter().map(received));
        }
    }

    /// Samples the recorded clients at the end of an interval: first the servers that are in this partition.
    pub fn sample_clients(&mut self) {
        for number in 0..self.model.workloads.len() {
            let clients = self.clients.of_workloads[number];
            if clients.count == 0
                || !self.is_home(number)
                || self.model.workloads[number].demand.is_of_requests()
            {
                continue;
            }
            for slot in clients.slots() {
                let open = self.sending[slot as usize].as_deref();
                let open = open.filter(|host| host.sender.state() == ConnectionState::Established);
                if let (Some(host), Some((place, _))) = (open, clients.of_slot(slot)) {
                    let (sample, state) = (&mut self.clients.now[place], host.sender.snapshot());
                    add_known(&mut sample.cwnd_packets, state.window);
                    add_known(
                        &mut sample.permitted_bps,
                        host.sender.permitted_rate().map(|rate| rate.as_bps() as f64),
                    );
                    let srtt = state.rtt.map_or(f64::NAN, |rtt| rtt.smoothed.as_secs_f64());
                    sample.srtt_s = sample.srtt_s.max(srtt);
                }
            }
        }
        self.clients.sample();
    }

    /// Adds the inner variables of the algorithms of all individually recorded connections that are open, at the end of
    /// `interval`.
    pub fn sample_internals(&self, interval: usize, internals: &mut InternalsRecorder) {
        for (number, workload) in self.model.workloads.iter().enumerate() {
            let Some(count) = individual_connections(workload) else { continue };
            let first = self.firsts[number] as usize;
            for (slot, host) in (first..).zip(&self.sending[first..first + count]) {
                let open = host.as_ref().filter(|host| host.sender.state() == ConnectionState::Established);
                if let Some(host) = open {
                    let place = Place::Sender(slot as u32);
                    host.sender.observe(&mut |name, value| internals.add(interval, place, name, value));
                }
            }
        }
    }

    /// Sums over all connections of each group, at the end of the run, `end`.
    pub fn sums(&self, end: Time) -> Vec<ConnectionSums> {
        let mut sums: Vec<_> = self.groups.iter().map(|totals| totals.sums).collect();
        for host in self.sending.iter().flatten() {
            add_sender(&mut sums[host.group], host, end);
        }
        for host in self.receiving_hosts().filter(|host| !self.is_of_requests(host.flow.index() as u32)) {
            add_receiver(&mut sums[host.group], host, end);
        }
        sums
    }

    /// Records the connection in `slot`, which ended at `at`, or returns the counts of a transfer of datagrams, which
    /// ends when these have arrived.
    pub(super) fn conclude(&mut self, slot: u32, at: Time, ending: Ending) -> Option<EndedTransfer> {
        let host = self.sending[slot as usize].as_ref()?;
        let (group, transfer) = (host.group, self.ended_transfer(host, at, ending == Ending::Completed));
        if ending == Ending::Completed && is_of_datagrams(self.model, group) {
            return transfer;
        }
        let removed = &mut self.groups[group].removed;
        match ending {
            Ending::Completed => removed.completed += 1,
            Ending::Failed => removed.failed += 1,
            Ending::Abandoned => removed.abandoned += 1,
        }
        if let Some(transfer) = transfer {
            self.record(&transfer);
        }
        None
    }

    /// Records the transfers of datagrams in `slot` whose end is known at `now`.
    #[cold]
    pub(super) fn record_arrived(&mut self, slot: u32, now: Time) {
        let mut newest = self.receiving[slot as usize].take();
        let mut place = newest.as_deref_mut();
        while let Some(host) = place {
            if let Some(transfer) = host.take_ended(now) {
                let removed = &mut self.groups[host.group].removed;
                removed.completed += u64::from(transfer.record.completed);
                removed.failed += u64::from(!transfer.record.completed);
                self.record(&transfer);
            }
            place = host.before.as_deref_mut();
        }
        self.receiving[slot as usize] = newest;
    }

    /// The finite connection of `host`, which ended at `at`; `None` if it is endless or never started.
    fn ended_transfer(&self, host: &SendingHost, at: Time, completed: bool) -> Option<EndedTransfer> {
        let (plan, counters) = (host.plan, host.sender.counters());
        let (files, paths) = &self.classes[plan.workload as usize];
        let record = TransferRecord {
            group: host.group,
            slot: plan.flow.index() as u32,
            size: plan.size?.count(),
            file_class: files[plan.file as usize],
            path_class: paths[plan.path as usize],
            started: host.recorder.started?,
            established: host.recorder.established,
            ended: at,
            completed,
            packets_sent: counters.packets_sent,
            retransmissions: counters.retransmissions,
            timeouts: counters.timeouts,
        };
        Some(EndedTransfer { plan, record })
    }

    /// Returns the rows of finite connections that have started and not ended by the `end` of the run, with their slots in the
    /// model.
    pub(crate) fn unfinished(&self, end: Time) -> impl Iterator<Item = UnfinishedRecord> {
        self.sending.iter().flatten().filter(|host| !host.concluded).filter_map(move |host| {
            let (plan, record) = (host.plan, self.ended_transfer(host, end, false)?.record);
            (plan.order < self.kept[plan.workload as usize]).then(|| UnfinishedRecord {
                group: record.group,
                slot: record.slot,
                file_class: record.file_class,
                path_class: record.path_class,
                size: record.size,
                acked: host.sender.counters().bytes_acked,
                started: record.started,
            })
        })
    }

    /// Counts `transfer` by its classes, and keeps it if it has a row of its own.
    fn record(&mut self, EndedTransfer { plan, record: transfer }: &EndedTransfer) {
        let totals = &mut self.groups[transfer.group];
        if self.measuring {
            let class = transfer.file_class * self.path_classes + transfer.path_class;
            let time = transfer.ended - transfer.started;
            totals.classes[class as usize].add(transfer.size, time, transfer.completed);
            if transfer.completed {
                let ideal = ideal_completion_s(self.model, plan);
                totals.sums.slowdown.add(time.as_secs_f64() / ideal);
            }
        }
        if plan.order < self.kept[plan.workload as usize] {
            self.ended.push(*transfer);
        }
    }
}

/// Adds `value` to `sum`, which is not a number before the first.
fn add_known(sum: &mut f64, value: Option<f64>) {
    if let Some(value) = value {
        *sum = if sum.is_nan() { value } else { *sum + value };
    }
}

/// Whether the flows of `group` send datagrams.
pub(crate) fn is_of_datagrams(model: &Model, group: usize) -> bool {
    matches!(model.groups[group].algorithm.needs().transport, Transport::Datagram(_))
}

/// Counts of one sending host so far.
pub(super) fn counts_of(host: &SendingHost) -> GroupCounts {
    let (counters, recorder) = (host.sender.counters(), &host.recorder);
    GroupCounts {
        established: u64::from(recorder.established.is_some()),
        lacking_ecn: u64::from(recorder.established.is_some() && host.sender.lacks_ecn()),
        packets_sent: counters.packets_sent,
        retransmissions: counters.retransmissions,
        bytes_sent: counters.bytes_sent,
        timeouts: counters.timeouts,
        loss_events: counters.loss_events,
        ack_gaps: recorder.ack_gaps,
        close_acks: recorder.close_acks,
        reductions: recorder.all_reductions(),
        rtt_ns: (recorder.rtt.ps / 1000) as u64,
        rtt_samples: recorder.rtt.count,
        calls: recorder.calls,
        otherwise_limited: recorder.otherwise_limited,
        ..GroupCounts::default()
    }
}

/// Adds the sums of one sending host from the warm-up until `end`.
pub(super) fn add_sender(sums: &mut ConnectionSums, host: &SendingHost, end: Time) {
    let recorder = &host.recorder;
    let (rtt, before) = (&recorder.rtt, &recorder.rtt_at_measure);
    let reductions = recorder.reductions as f64;
    let slower = host.plan.near[0].rate.min(host.plan.far[1].rate);
    sums.access_bits += u128::from(host.sender.counters().bytes_sent - recorder.at_measure.bytes_sent) * 8;
    sums.access_offered_bits += (slower.as_bps() as f64 * recorder.seconds) as u128;
    sums.access_wait_ns += u128::from(host.access.waited_since_warmup(end)[0]);
    sums.rtt_ps.add((rtt.ps - before.ps) as f64 / (rtt.count - before.count) as f64);
    sums.window.add(recorder.window_seconds / recorder.seconds);
    sums.window_peak.add(recorder.peak_packets());
    sums.before_reduction.add(recorder.before_reductions / reductions);
    if recorder.reductions > 1 {
        sums.reduction_interval_ps.add(recorder.reductions_span().as_ps() as f64 / (reductions - 1.0));
    }
}

/// Adds the sums of one receiving host from the warm-up until `end`; no payload if it had received all data before.
pub(super) fn add_receiver(sums: &mut ConnectionSums, host: &ReceivingHost, end: Time) {
    sums.access_wait_ns += u128::from(host.access.waited_since_warmup(end)[1]);
    if host.received_at_warmup < host.size {
        sums.received.add(host.receiver.counters().bytes_received - host.received_at_warmup);
    }
}

/// Returns the number of individually recorded connections of `workload`, which have its first slots.
pub(crate) fn individual_connections(workload: &Workload) -> Option<usize> {
    let count = workload.connections().filter(|_| workload.individual)?;
    Some(count.min(u64::from(workload.slots)) as usize)
}

/// Returns half the transmission time of a full data packet at the bottleneck of `group`; zero if its flows have
/// several bottlenecks.
pub(super) fn ack_spacing(model: &Model, group: &GroupModel, transport: &TransportOptions) -> Span {
    let Some(link) = group.bottleneck else { return Span::ZERO };
    let rate = model.links[link].rate.mean_bps(model.duration);
    Span::from_secs_f64((transport.mss + transport.header).bits() as f64 / rate / 2.0)
}

/// Returns the number of rows kept for `workload`: the rows are divided equally among users, or among workloads of
/// arrivals.
pub(super) fn kept(model: &Model, workload: &Workload) -> u64 {
    if workload.demand.is_fixed() {
        return model.record.transfers;
    }
    let sharers = model.workloads.iter().filter(|each| !each.demand.is_fixed());
    let sharers = if workload.demand.numbers_by_slot() {
        sharers.map(|each| u64::from(each.slots)).sum()
    } else {
        sharers.count() as u64
    };
    model.record.transfers.div_ceil(sharers.max(1))
}

/// Returns the completion time of the transfer on an idle path, seconds: a round trip to establish the connection, the
/// transmission of all packets at the bottleneck's mean rate, and a round trip for the last packet and its
/// acknowledgement. Datagrams have neither handshake nor acknowledgement, and take the way there alone. Not a number
/// for an endless flow and for a group without a bottleneck.
pub(crate) fn ideal_completion_s(model: &Model, plan: &Plan) -> f64 {
    let workload = &model.workloads[plan.workload as usize];
    let (Some(size), Some(bottleneck)) = (plan.size, model.groups[workload.group].bottleneck) else {
        return f64::NAN;
    };
    let delay = if is_of_datagrams(model, workload.group) {
        plan.near[0].delay + model.delay(workload.paths[plan.path as usize].forward) + plan.far[1].delay
    } else {
        plan.rtt * 2
    };
    let transport = &workload.transport;
    let packets = size.count().div_ceil(transport.mss.count());
    let bits = (size + Bytes::new(packets * transport.header.count())).bits() as f64;
    delay.as_secs_f64() + bits / model.links[bottleneck].rate.mean_bps(model.duration)
}
