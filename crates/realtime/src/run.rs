// SPDX-License-Identifier: Apache-2.0
//! A run: the loop between the wall clock, the network, and the devices of the hosts.

use crate::RealTime;
use crate::host::{End, Host, Setup};
use crate::lateness::Lateness;
use crate::network::Network;
use crate::packet::{self, Headers};
use crate::tuples::Tuple;
use cpu_time::{ProcessTime, ThreadTime};
use narrows_backend::{Progress, RunError};
use narrows_linux::kernel_name;
use narrows_linux::traffic::{Segment, Traffic};
use narrows_model::{Model, Role};
use narrows_records::{ProgramRecord, Records};
use narrows_sim::{StackPacket, StackRequest, StackState};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Direction, FlowId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::thread::set_current_timer_slack;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

/// Runs replication `replication` of `model`; its records have no description of the run.
pub(crate) fn run(
    backend: &RealTime,
    model: &Model,
    replication: u32,
    progress: &Progress,
) -> Result<Records, RunError> {
    let mut pairs = start(backend, model).map_err(RunError::Refused)?;
    for pair in &mut pairs {
        pair.far.go();
    }
    for pair in &mut pairs {
        pair.far.wait_until_it_listens();
    }
    let carries: Vec<bool> = model.workloads.iter().map(|each| carried(model, each.group)).collect();
    let mut run = Run {
        network: Network::new(model, replication, carries, progress.cancellation()),
        model,
        slots: slots_of(&pairs, model),
        pairs,
        lateness: Lateness::new(),
        lost_at_devices: 0,
        overdue: None,
        clock: Clock::start(),
        rests: Rests::start(Time::ZERO),
    };
    // A timer of an ordinary process may be 50 µs late (prctl(2)); without this setting runs are less punctual, no more.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    let cpu = ProcessTime::now();
    run.drive(backend, progress)?;
    run.finish(backend.limit, cpu.elapsed().as_secs_f64())
}

/// Whether programs carry the flows of `group`.
pub(crate) fn carried(model: &Model, group: usize) -> bool {
    model.groups[group].program.is_some()
}

fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.as_ps() / 1000)
}

/// The two hosts of a flow that programs carry.
#[derive(Debug)]
struct Pair {
    slot: usize,
    /// Index of its group, and number of its flow within it.
    of: (u32, u32),
    near: Host,
    far: Host,
    /// Whether the far host is the flow's sending host.
    far_sends: bool,
    flow: Option<FlowId>,
    has_started: bool,
    traffic: Traffic,
    /// The lane of each connection of its programs, by protocol and ports.
    lanes: BTreeMap<(u8, u32), u32>,
    /// Payload of a full segment.
    mss: u64,
}

impl Pair {
    /// The host at which packets in `direction` arrive.
    fn receiver(&self, direction: Direction) -> &Host {
        if self.far_sends == (direction == Direction::Forward) { &self.near } else { &self.far }
    }

    /// The lane of the connection of `segment`, the same in both directions.
    fn lane(&mut self, segment: &Segment) -> u32 {
        let (one, other) = (segment.ports >> 16, segment.ports & 0xffff);
        let key = (segment.protocol, one.min(other) << 16 | one.max(other));
        if self.lanes.len() >= MOST_CONNECTIONS {
            // A program that opens connections without end takes no memory without end.
            self.lanes.clear();
        }
        let next = self.lanes.len() as u32 % LANES;
        *self.lanes.entry(key).or_insert(next)
    }

    /// The direction of packets that the host at `end` sends.
    fn direction(&self, end: End) -> Direction {
        if self.far_sends == (end == End::Far) { Direction::Forward } else { Direction::Reverse }
    }
}

/// Starts the hosts of all flows that programs carry.
fn start(backend: &RealTime, model: &Model) -> Result<Vec<Pair>, String> {
    let (mut pairs, mut slot) = (Vec::new(), 0);
    for workload in &model.workloads {
        let group = &model.groups[workload.group];
        for flow in 0..workload.slots {
            let Some(program) = &group.program else { break };
            let setup = |role, command| Setup {
                role,
                command,
                algorithm: kernel_name(&group.algorithm).unwrap_or("reno"),
                ecn: workload.transport.ecn,
                mtu: (workload.transport.mss + workload.transport.header).count(),
                flow,
                echo: backend.echo && (role == End::Near || command == HOLD),
            };
            pairs.push(Pair {
                slot: slot + flow as usize,
                of: (workload.group as u32, flow),
                near: Host::start(&backend.launcher, &setup(End::Near, &program.client))?,
                far: Host::start(&backend.launcher, &setup(End::Far, &program.server))?,
                far_sends: program.sender == Role::Server,
                flow: None,
                has_started: false,
                traffic: Traffic::default(),
                lanes: BTreeMap::new(),
                mss: workload.transport.mss.count().max(1),
            });
        }
        slot += workload.slots as usize;
    }
    Ok(pairs)
}

/// The place of each slot's pair.
fn slots_of(pairs: &[Pair], model: &Model) -> Vec<Option<usize>> {
    let mut slots = vec![None; model.slots()];
    for (place, pair) in pairs.iter().enumerate() {
        slots[pair.slot] = Some(place);
    }
    slots
}

/// The wall clock, from the start of the run.
#[derive(Clone, Copy, Debug)]
struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a run in real time follows the wall clock")]
    fn start() -> Self {
        Self(Instant::now())
    }

    fn now(self) -> Time {
        let elapsed = self.0.elapsed();
        Time::from_ps(
            elapsed.as_secs().saturating_mul(1_000_000_000_000) + u64::from(elapsed.subsec_nanos()) * 1000,
        )
    }
}

struct Run<'m> {
    model: &'m Model,
    network: Network<'m>,
    pairs: Vec<Pair>,
    slots: Vec<Option<usize>>,
    lateness: Lateness,
    /// Packets that devices did not take.
    lost_at_devices: u64,
    /// Since when the network has been behind the wall clock; `None` if it keeps up.
    overdue: Option<Time>,
    clock: Clock,
    rests: Rests,
}

/// The time that this thread leaves to others. The kernel stops a thread with real-time priority that runs for 950 ms of a second
/// for the rest of it (sched(7)), which would delay packets by 50 ms; a short rest delays them by its length.
#[derive(Clone, Copy, Debug)]
struct Rests {
    /// Since when the thread's time is counted.
    since: Time,
    used: ThreadTime,
}

impl Rests {
    fn start(now: Time) -> Self {
        Self { since: now, used: ThreadTime::now() }
    }

    /// Returns the rest that is due at `now`, if one is.
    fn due(&mut self, now: Time) -> Option<Duration> {
        let span = now.since(self.since);
        if span < BETWEEN_RESTS {
            return None;
        }
        let missing = REST.saturating_sub(duration(span).saturating_sub(self.used.elapsed()));
        *self = Self::start(now);
        (missing > Duration::ZERO).then_some(missing)
    }
}

impl Run<'_> {
    /// Goes on until the end of the run, or until all clients have ended.
    fn drive(&mut self, backend: &RealTime, progress: &Progress) -> Result<(), RunError> {
        let end = self.network.emulation.end();
        let mut buffer = vec![0; LARGEST_PACKET];
        let (mut reported, mut warned) = (Time::ZERO, false);
        loop {
            let now = self.clock.now().min(end);
            let caught_up = self.advance(now);
            self.read_devices(&mut buffer);
            if now >= end && caught_up {
                break;
            }
            if let Some(rest) = self.rests.due(self.clock.now()) {
                thread::sleep(rest);
                self.rests = Rests::start(self.clock.now());
            }
            if caught_up {
                self.overdue = None;
                self.wait(backend.spin, end);
            } else {
                let since = *self.overdue.get_or_insert(now);
                if !warned && now.since(since) > OVERLOADED {
                    warned = true;
                    let behind = now.since(self.network.reached).as_secs_f64() * 1e3;
                    eprintln!(
                        "narrows: this machine does not keep up: the network is {behind:.0} ms behind the wall clock"
                    );
                }
            }
            if now.since(reported) >= REPORT {
                progress.advance(reported, now);
                reported = now;
                if progress.is_cancelled() {
                    return Err(RunError::Interrupted);
                }
                if let Some(failure) = self.network.emulation.failure(self.network.reached) {
                    return Err(failure);
                }
                if self.pairs.iter_mut().all(|pair| pair.has_started && pair.near.status().is_some()) {
                    break;
                }
            }
        }
        progress.advance(reported, end);
        Ok(())
    }

    /// Advances the network towards `now`, and passes on what leaves it. Returns whether it has reached `now`.
    fn advance(&mut self, now: Time) -> bool {
        for _ in 0..EVENTS_BETWEEN_READS {
            let reached = self.network.step(now);
            self.serve();
            if reached {
                return true;
            }
        }
        false
    }

    /// Carries out the requests of the network.
    fn serve(&mut self) {
        while let Some(request) = self.network.emulation.request() {
            match request {
                StackRequest::Open(flow) => {
                    if let Some(pair) = self.slots[flow.index()].map(|place| &mut self.pairs[place]) {
                        pair.flow = Some(flow);
                        if !std::mem::replace(&mut pair.has_started, true) {
                            pair.near.go();
                        }
                    }
                }
                StackRequest::Deliver { flow, direction, handle, ecn } => {
                    let (bytes, carried) = self.network.packet(handle);
                    if let Some(pair) = self.slots[flow.index()].map(|place| &mut self.pairs[place]) {
                        packet::mark(bytes, ecn);
                        if rustix::io::write(pair.receiver(direction).device(), bytes).is_err() {
                            self.lost_at_devices += 1;
                        }
                        let payload = carried.payload;
                        self.lateness.add(self.network.reached, self.clock.now());
                        if direction == Direction::Forward {
                            pair.traffic.receive(payload);
                            self.network.emulation.deliver(flow, pair.traffic.received());
                        }
                    }
                    self.network.leave(handle, ecn);
                }
                StackRequest::Close(flow) => {
                    if let Some(pair) = self.slots[flow.index()].map(|place| &mut self.pairs[place]) {
                        pair.flow = None;
                    }
                }
                // The programs decide what is sent.
                StackRequest::Accept(_)
                | StackRequest::Write(..)
                | StackRequest::WritePart(..)
                | StackRequest::Expire(..)
                | StackRequest::Stop(_) => {}
            }
        }
    }

    /// Passes the packets that hosts have sent to the network.
    fn read_devices(&mut self, buffer: &mut [u8]) {
        for place in 0..self.pairs.len() {
            for end in [End::Near, End::Far] {
                for _ in 0..PACKETS_AT_A_TIME {
                    let pair = &self.pairs[place];
                    let host = if end == End::Near { &pair.near } else { &pair.far };
                    let Ok(bytes) = rustix::io::read(host.device(), &mut *buffer) else { break };
                    if let Some(headers) = packet::read(&buffer[..bytes]) {
                        self.send(place, end, &buffer[..bytes], headers);
                    }
                }
            }
        }
    }

    fn send(&mut self, place: usize, end: End, bytes: &[u8], headers: Headers) {
        let pair = &mut self.pairs[place];
        // The packets of a host whose flow has not started or has ended go nowhere.
        let Some(flow) = pair.flow else { return };
        let direction = pair.direction(end);
        let is_first = pair.traffic.is_new();
        let lane = pair.lane(&headers.segment);
        let (payload, position) = pair.traffic.send(&headers.segment, direction);
        let sent = StackPacket {
            handle: 0,
            number: position / pair.mss,
            size: Bytes::new(bytes.len() as u64),
            payload: Bytes::new(payload.bytes()),
            position,
            syn: false,
            ecn: headers.ecn,
            lane,
            path: 0,
        };
        let received = pair.traffic.received();
        let Headers { segment, source, destination, .. } = headers;
        let tuple = Tuple { flow: pair.of, protocol: segment.protocol, source, destination };
        self.network.send((flow, direction), tuple, sent, (bytes, payload));
        if is_first {
            let opened = StackState { established: true, ..StackState::default() };
            self.network.emulation.update(flow, opened, received, self.network.reached);
        }
    }

    /// Waits until a packet can be read or an event is due. The last `spin` before it is waited for without sleep, since a
    /// sleeping process is woken late.
    fn wait(&self, spin: Span, end: Time) {
        let due = self.network.emulation.due().min(end);
        loop {
            let left = due.since(self.clock.now().min(due));
            let sleep = left.saturating_sub(spin).min(REPORT);
            let timeout = Timespec::try_from(duration(sleep)).unwrap_or_default();
            let hosts = self.pairs.iter().flat_map(|pair| [pair.near.device(), pair.far.device()]);
            let mut devices: Vec<PollFd<'_>> =
                hosts.map(|device| PollFd::from_borrowed_fd(device, PollFlags::IN)).collect();
            match poll(&mut devices, Some(&timeout)) {
                Ok(0) | Err(Errno::INTR) if left > Span::ZERO && left <= spin => {}
                _ => return,
            }
        }
    }

    /// Ends the hosts and returns the records.
    fn finish(self, limit: Span, cpu_s: f64) -> Result<Records, RunError> {
        let dropped: u64 = self.pairs.iter().map(|pair| pair.near.dropped() + pair.far.dropped()).sum();
        let punctuality = self.lateness.record(limit, dropped + self.lost_at_devices);
        let mut programs = Vec::new();
        for pair in self.pairs {
            for (role, host) in [("client", pair.near), ("server", pair.far)] {
                let (status, output) = host.end();
                programs.push(ProgramRecord {
                    flow: pair.slot as u32,
                    role: role.to_owned(),
                    status,
                    output,
                });
            }
        }
        if let Some(refused) = narrows_linux::not_executed(self.model, &programs) {
            return Err(RunError::Refused(refused));
        }
        let tuples = self.network.tuples.records();
        let records = self.network.emulation.finish(cpu_s)?;
        Ok(Records { programs, tuples, punctuality: Some(punctuality), ..records })
    }
}

/// The command of a host that people enter, as in the program that sets hosts up.
const HOLD: &str = "sleep infinity";
/// Lanes of a flow.
const LANES: u32 = 1024;
/// Connections of a flow whose lanes are known at a time.
const MOST_CONNECTIONS: usize = 1 << 16;
/// Events of the network between two looks at the devices.
const EVENTS_BETWEEN_READS: u32 = 256;
/// Packets that are read from a device before the next.
const PACKETS_AT_A_TIME: u32 = 32;
/// The largest IP packet.
const LARGEST_PACKET: usize = 1 << 16;
/// Time between two reports of progress, and between two looks at whether commands have ended.
const REPORT: Span = Span::from_ms(50);
/// Time after which the thread must have rested, and for how long in it: more than the twentieth part that the kernel asks for.
const BETWEEN_RESTS: Span = Span::from_us(1500);
const REST: Duration = Duration::from_micros(100);
/// Time for which the network may be behind before this is said.
const OVERLOADED: Span = Span::from_ms(500);
