// SPDX-License-Identifier: Apache-2.0
//! The run: the emulated network, and the packets and connections of the kernel in it.

use crate::interface::{Action, Configuration, Packet, Queues, State};
use crate::packets::{Held, Shared};
use crate::programs::Programs;
use crate::queue::InKernel;
use crate::terms::Agreement;
use cpu_time::ProcessTime;
use narrows_cc::Cause;
use narrows_linux::Kernel;
use narrows_linux::job::{Job, OUTCOME, Outcome, PROGRESS};
use narrows_linux::traffic::{Payload, Segment};
use narrows_model::{Model, Workload};
use narrows_qdisc::QueueDiscipline;
use narrows_records::Records;
use narrows_scenario::LoadOptions;
use narrows_sim::{Emulation, StackPacket, StackRequest, StackState, rtt_view};
use narrows_transport::Arrived;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Direction, Ecn, FlowId};
use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;

/// A run in the virtual machine.
#[derive(Debug)]
pub struct Run {
    model: &'static Model,
    kernel: Kernel,
    emulation: Emulation<'static>,
    packets: Shared,
    sysctls: CString,
    programs: Programs,
    connections: Vec<Connection>,
    replication: u32,
    /// Simulated time at which progress is written next.
    reports: Time,
    began: ProcessTime,
    ended: bool,
    /// Part of the scenario that the kernel did not honour; the run then ends.
    refused: Option<String>,
}

/// The connection in a slot.
#[derive(Clone, Debug, Default)]
struct Connection {
    /// Identifier of the connection; `None` before the first connection of the slot and after its last.
    flow: Option<FlowId>,
    /// Highest position sent so far, with the offset of sequence numbers, in each direction.
    highest: [u64; 2],
    /// Position of its first byte of data, and what of it has arrived.
    data: (u64, Arrived),
    /// Number of its SYNs.
    syns: u32,
    /// Whether its terms were compared with the requested ones, at the sender and at the receiver.
    compared: [bool; 2],
    /// Whether it asked for ECN and does without.
    lacks_ecn: bool,
}

impl Connection {
    /// The number of the segment at `position`, from 0.
    fn segment(&self, position: u64, mss: Bytes) -> u64 {
        position.saturating_sub(self.data.0) / mss.count().max(1)
    }
}

/// Added to every position, so that none is negative.
const OFFSET: u64 = 1 << 32;

impl Run {
    /// Creates the run that `job` describes.
    pub fn new(job: &Job) -> Result<Self, String> {
        let shown = "the scenario of the job";
        let kernel = Kernel {
            algorithms: job.algorithms.clone(),
            disciplines: job.disciplines.clone(),
            queues: narrows_linux::Queues::parse(&job.queues).unwrap_or_default(),
        };
        let directory = PathBuf::from(OsString::from_vec(job.directory.clone()));
        let options = LoadOptions { backend: Some(Arc::new(kernel.clone())), ..LoadOptions::default() };
        let scenario = narrows_scenario::load(&job.scenario, shown, &directory, &[], &options)
            .map_err(|faults| format!("{shown}: {faults:?}"))?;
        let mut model = scenario.model;
        model.warmup = Span::from_ps(job.warmup_ps);
        let model: &'static Model = Box::leak(Box::new(model));
        let own =
            model.linux.sysctls.iter().map(|(name, value)| format!("{}={value}\n", name.replace('.', "/")));
        // Later lines take the place of earlier ones.
        let sysctls: String = std::iter::once(RECEIVE_BUFFER.to_owned()).chain(own).collect();
        let algorithm = |slot: usize| name(algorithm(model, slot));
        Ok(Self {
            programs: Programs::new(model, job, algorithm)?,
            model,
            kernel,
            emulation: Emulation::new(model, job.replication, |_| None),
            packets: Shared::default(),
            sysctls: CString::new(sysctls).map_err(|error| format!("{shown}: {error}"))?,
            connections: vec![Connection::default(); model.slots()],
            replication: job.replication,
            reports: Time::ZERO,
            began: ProcessTime::now(),
            ended: false,
            refused: None,
        })
    }

    /// Returns the configuration of the virtual machine.
    pub fn configuration(&self) -> Configuration {
        let transports = || self.model.workloads.iter().map(|each| &each.transport);
        let hosts = self.programs.hosts();
        let packet = transports().map(|each| (each.mss + each.header).count()).max();
        Configuration {
            connections: self.connections.len() as u32,
            mtu: packet.map_or(1500, |bytes| bytes as u32),
            gso: self.model.linux.gso.into(),
            buffer: BUFFER,
            seed: self.model.seed ^ u64::from(self.replication).wrapping_add(1) << 32,
            sysctls: self.sysctls.as_ptr(),
            programs: hosts.as_ptr(),
            program_count: hosts.len() as u32,
            user: self.programs.owner.0,
            group: self.programs.owner.1,
        }
    }

    /// Gives links the kernel's queue disciplines, before the first packet.
    pub fn attach(&mut self, queues: Queues) {
        let in_kernel = |number: usize| {
            let found = self.kernel.queue(self.model, number).ok().flatten()?;
            let queue = InKernel::new(number as u32, &found, queues, self.packets.clone());
            Some(Box::new(queue) as Box<dyn QueueDiscipline>)
        };
        self.emulation = Emulation::new(self.model, self.replication, in_kernel);
    }

    /// A host sends `packet` at `now`, nanoseconds. Returns whether its connection exists.
    pub fn transmit(&mut self, now: u64, packet: &Packet) -> bool {
        let now = time(now);
        self.emulation.advance(now);
        let Some(connection) = self.connections.get_mut(packet.connection as usize) else { return false };
        let Some(flow) = connection.flow else { return false };
        let direction = if packet.host == 0 { Direction::Forward } else { Direction::Reverse };
        if self.programs.of(packet.connection as usize).is_some() {
            return self.transmit_of_program(flow, direction, packet, now);
        }
        let mss = workload(self.model, packet.connection as usize).map_or(Bytes::ZERO, |of| of.transport.mss);
        let syn = packet.flags & SYN != 0;
        let highest = &mut connection.highest[packet.host as usize & 1];
        let position = if syn {
            // The first byte of data follows the SYN.
            *highest = OFFSET + u64::from(packet.sequence.wrapping_add(1));
            *highest
        } else {
            let ahead = packet.sequence.wrapping_sub(*highest as u32).cast_signed();
            highest.wrapping_add_signed(i64::from(ahead))
        };
        *highest = (*highest).max(position);
        if syn && direction == Direction::Forward {
            connection.data.0 = position;
            connection.syns += 1;
        }
        let (first, arrived) = &connection.data;
        let number = match direction {
            Direction::Forward => connection.segment(position, mss),
            Direction::Reverse => connection.segment(arrived.next(*first), mss),
        };
        let positions = (position, position + u64::from(packet.payload));
        let held = Held { buffer: packet.buffer, flow, payload: Payload::default(), positions };
        let handle = self.packets.add(held);
        let sent = StackPacket {
            handle,
            number,
            size: Bytes::new(u64::from(packet.length)),
            payload: Bytes::new(u64::from(packet.payload)),
            position,
            syn,
            ecn: Ecn::of_field(packet.ecn),
            lane: 0,
            path: 0,
        };
        self.send(flow, direction, &sent, now)
    }

    /// As [`transmit`](Self::transmit), of a connection that programs carry.
    fn transmit_of_program(
        &mut self,
        flow: FlowId,
        direction: Direction,
        packet: &Packet,
        now: Time,
    ) -> bool {
        let Some(traffic) = self.programs.of(flow.index()) else { return false };
        let is_first = traffic.is_new();
        let Packet { protocol, flags, sequence, ports, payload, .. } = *packet;
        let segment = Segment { protocol, flags, sequence, ports, payload };
        let (payload, position) = traffic.send(&segment, direction);
        let mss = workload(self.model, packet.connection as usize).map_or(1, |of| of.transport.mss.count());
        let received = traffic.received();
        let asks = workload(self.model, packet.connection as usize).is_some_and(|of| of.transport.ecn);
        let state = state_of(packet).filter(|_| traffic.is_largest(ports) && direction == Direction::Forward);
        let state = state.map(|state| stack_state(state, asks && state.terms[0].ecn == 0));
        let opened = StackState { established: true, ..StackState::default() };
        let state = state.or(is_first.then_some(opened));
        let sent = StackPacket {
            handle: self.packets.add(Held { buffer: packet.buffer, flow, payload, positions: (0, 0) }),
            number: position / mss,
            size: Bytes::new(u64::from(packet.length)),
            payload: Bytes::new(payload.bytes()),
            position,
            syn: false,
            ecn: Ecn::of_field(packet.ecn),
            lane: 0,
            path: 0,
        };
        let accepted = self.send(flow, direction, &sent, now);
        if let Some(state) = state {
            self.emulation.update(flow, state, received, now);
        }
        accepted
    }

    fn send(&mut self, flow: FlowId, direction: Direction, packet: &StackPacket, now: Time) -> bool {
        let accepted = self.emulation.send(flow, direction, packet, now);
        if !accepted {
            self.packets.take(packet.handle);
        }
        accepted
    }

    /// Returns the time of the next action or before, nanoseconds.
    pub fn deadline(&self) -> u64 {
        match (self.ended, &self.refused) {
            (true, _) => u64::MAX,
            (false, Some(_)) => 0,
            (false, None) => self.emulation.due().as_ps().div_ceil(1000),
        }
    }

    /// Returns the next action that is due by `now`, nanoseconds.
    pub fn next(&mut self, now: u64) -> Option<Action> {
        let now = time(now);
        self.emulation.advance(now);
        self.report(now);
        while let Some(number) = self.emulation.discarded() {
            // Packets that a queue of the kernel has dropped are freed.
            if let Some(held) = self.packets.take(number).filter(|held| held.buffer != 0) {
                return Some(Action { buffer: held.buffer, ..action(Action::FREE, 0) });
            }
        }
        if let Some(request) = self.emulation.request() {
            return Some(self.carry_out(request));
        }
        if (now >= self.emulation.end() || self.refused.is_some()) && !self.ended {
            self.ended = true;
            return Some(action(Action::END, 0));
        }
        None
    }

    /// Writes the time, some hundred times in a run. Progress that cannot be written is not shown.
    fn report(&mut self, now: Time) {
        if now >= self.reports {
            let _ = fs::write(PROGRESS, now.as_ps().to_ne_bytes());
            self.reports = now + (self.model.duration / REPORTS).min(LONGEST_REPORT);
        }
    }

    fn carry_out(&mut self, request: StackRequest) -> Action {
        match request {
            StackRequest::Open(flow) => {
                let slot = flow.index();
                self.connections[slot] =
                    Connection { flow: Some(flow), highest: [OFFSET; 2], ..Connection::default() };
                if self.programs.of(slot).is_some() {
                    return action(Action::START, slot);
                }
                let algorithm = name(algorithm(self.model, slot));
                let ecn = workload(self.model, slot).is_some_and(|workload| workload.transport.ecn).into();
                Action { ecn, algorithm, ..action(Action::OPEN, slot) }
            }
            StackRequest::Write(flow, _) if self.programs.of(flow.index()).is_some() => action(0, 0),
            StackRequest::Write(flow, bytes) => {
                let bytes = bytes.map_or(u64::MAX, Bytes::count);
                Action { bytes, ..action(Action::WRITE, flow.index()) }
            }
            // A kernel takes no such sources.
            StackRequest::Accept(_)
            | StackRequest::WritePart(..)
            | StackRequest::Expire(..)
            | StackRequest::Stop(_) => action(0, 0),
            StackRequest::Deliver { flow, direction, handle, ecn } => {
                let Some(held) = self.packets.take(handle) else { return action(0, 0) };
                let connection = &mut self.connections[flow.index()];
                let present = connection.flow == Some(held.flow);
                if direction == Direction::Forward {
                    if let Some(traffic) = self.programs.of(flow.index()) {
                        traffic.receive(held.payload);
                        let received = traffic.received();
                        self.emulation.deliver(flow, received);
                    } else if present {
                        connection.data.1.receive(held.positions.0, held.positions.1);
                    }
                }
                let kind = if present { Action::DELIVER } else { Action::FREE };
                let host = u32::from(direction == Direction::Forward);
                let ecn = ecn.field().into();
                Action { buffer: held.buffer, host, ecn, ..action(kind, flow.index()) }
            }
            StackRequest::Close(flow) => {
                let connection = &mut self.connections[flow.index()];
                if connection.flow != Some(flow) {
                    return action(0, 0);
                }
                connection.flow = None;
                action(Action::CLOSE, flow.index())
            }
        }
    }

    /// The kernel reports the `state` of `connection` at `now`, nanoseconds.
    pub fn update(&mut self, now: u64, connection: u32, state: &State) {
        let now = time(now);
        self.emulation.advance(now);
        let Some(flow) = self.connections.get(connection as usize).and_then(|each| each.flow) else { return };
        self.compare(flow.index(), state);
        let state_of_stack = stack_state(state, self.connections[flow.index()].lacks_ecn);
        self.emulation.update(flow, state_of_stack, state.received, now);
    }

    /// Compares the terms of the connection in `slot` with the requested ones, once at each end.
    fn compare(&mut self, slot: usize, state: &State) {
        let Some(workload) = workload(self.model, slot) else { return };
        let connection = &mut self.connections[slot];
        for (end, (terms, compared)) in state.terms.iter().zip(&mut connection.compared).enumerate() {
            let Some(got) = Agreement::got(terms).filter(|_| !std::mem::replace(compared, true)) else {
                continue;
            };
            let asked = Agreement::asked(self.model, algorithm(self.model, slot), workload.transport.ecn);
            // A SYN that is lost is sent again without ECN (RFC 3168 §6.1.1.1).
            let gave_up = asked.has_ecn() && !got.has_ecn() && connection.syns > 1;
            connection.lacks_ecn |= gave_up;
            let asked = if gave_up { asked.without_ecn(&got) } else { asked };
            if let Some(difference) = asked.difference(&got) {
                let (end, group) = (["sender", "receiver"][end], &self.model.groups[workload.group].name);
                let refused = || format!("the {end} of a connection of group {group}: {difference}");
                self.refused.get_or_insert_with(refused);
            }
        }
    }

    /// The next part of the output of a program, or of its exit status. Returns whether more is of interest.
    pub fn print(&mut self, connection: u32, role: u32, is_status: bool, part: &[u8]) -> bool {
        self.programs.print(connection, role, is_status, part)
    }

    /// Writes the records, or why there are none.
    pub fn finish(mut self) -> Result<(), String> {
        let cpu_s = self.began.elapsed().as_secs_f64();
        let outcome: Outcome = if let Some(refused) = self.refused {
            Err(refused)
        } else {
            let records = self.emulation.finish(cpu_s).map_err(|error| error.to_string())?;
            Ok(Records { programs: self.programs.records(), ..records })
        };
        let bytes = postcard::to_stdvec(&outcome).map_err(|error| error.to_string())?;
        fs::write(OUTCOME, bytes).map_err(|error| format!("{OUTCOME}: {error}"))
    }
}

/// The state of the socket that sends `packet`; `None` if none does.
fn state_of(packet: &Packet) -> Option<&State> {
    // SAFETY: the kernel passes null or its own state, which lives as long as the packet's description.
    unsafe { packet.state.as_ref() }
}

/// The workload of the connection in `slot`.
fn workload(model: &Model, slot: usize) -> Option<&Workload> {
    let mut first = 0;
    model.workloads.iter().find(|workload| {
        first += workload.slots as usize;
        slot < first
    })
}

/// The kernel's name for the algorithm of the connection in `slot`.
fn algorithm(model: &Model, slot: usize) -> &str {
    let group = workload(model, slot).map(|workload| &model.groups[workload.group]);
    group.and_then(|group| narrows_linux::kernel_name(&group.algorithm)).unwrap_or("reno")
}

/// `text`, padded with zeros.
fn name(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    for (place, byte) in name.iter_mut().zip(text.bytes()) {
        *place = byte;
    }
    name
}

fn time(ns: u64) -> Time {
    Time::from_ps(ns.saturating_mul(1000))
}

fn action(kind: u32, slot: usize) -> Action {
    Action { kind, connection: slot as u32, buffer: 0, bytes: 0, host: 0, ecn: 0, algorithm: [0; 16] }
}

fn stack_state(state: &State, lacks_ecn: bool) -> StackState {
    StackState {
        established: state.established != 0,
        aborted: state.aborted != 0,
        closed: false,
        window: f64::from(state.cwnd),
        ssthresh: (state.ssthresh < INFINITE_SSTHRESH).then_some(f64::from(state.ssthresh)),
        in_flight: state.in_flight,
        rtt: rtt_view(state.rtt_us, state.srtt_us, state.min_rtt_us),
        pacing_rate: (state.pacing_rate > 0).then(|| Rate::from_bps(state.pacing_rate.saturating_mul(8))),
        bytes_acked: state.acked,
        delivered: state.delivered,
        lost: state.lost,
        timeouts: u64::from(state.timeouts),
        reductions: state.reductions,
        before_reduction: f64::from(state.prior_cwnd),
        lacks_ecn,
        reducing: match state.phase {
            2 => Some(Cause::Mark),
            3 => Some(Cause::Detected),
            4 => Some(Cause::Timeout),
            _ => None,
        },
        window_limited: state.window_limited != 0,
    }
}

/// How often progress is written in a run.
const REPORTS: u64 = 200;
/// Longest simulated time between two reports: programs that compute while none passes are noticed by it.
const LONGEST_REPORT: Span = Span::from_ms(500);
/// `TCP_INFINITE_SSTHRESH`.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
/// The SYN flag of the TCP header.
const SYN: u8 = 2;
/// Maximum of the send and receive buffers: above the window of any run.
const BUFFER: u32 = 256 << 20;
/// Receivers begin with the buffer with which Linux's do. If it begins at its maximum, they raise the window for
/// seconds, and acknowledge each packet meanwhile.
const RECEIVE_BUFFER: &str = "net/ipv4/tcp_rmem=4096 131072 268435456\n";
