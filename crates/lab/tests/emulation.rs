// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. The network, workloads and records around a stack that is not simulated: one that sends a packet and waits for
//! its acknowledgement, so that every time follows from the round trip.

use crate::support::{scenario, value};
use narrows_lab::records::{PacketKind, Records};
use narrows_lab::replication::Replication;
use narrows_lab::sim::{Emulation, StackPacket, StackRequest, StackState};
use narrows_lab::units::{Bytes, Time};
use narrows_wire::{Direction, Ecn, FlowId};

const MSS: u64 = 1460;

/// A stack with one packet in flight for each connection, all of which have the same size.
#[derive(Default)]
struct StopAndWait {
    unwritten: u64,
    acked: u64,
    received: u64,
    established: bool,
    closed: u32,
}

impl StopAndWait {
    fn state(&self) -> StackState {
        StackState {
            established: self.established,
            window: 1.0,
            in_flight: 1,
            bytes_acked: self.acked,
            delivered: (self.acked / MSS) as u32,
            ..StackState::default()
        }
    }

    fn packet(&self, payload: u64, syn: bool) -> StackPacket {
        // The number of a packet says what it is when it is delivered: its payload, and one more for a SYN.
        StackPacket {
            handle: payload << 1 | u64::from(syn),
            number: self.acked / MSS,
            size: Bytes::new(40 + payload),
            payload: Bytes::new(payload),
            position: self.acked,
            syn,
            ecn: Ecn::NotCapable,
            lane: 0,
            path: 0,
        }
    }

    fn next(&mut self, run: &mut Emulation<'_>, flow: FlowId, now: Time) {
        let payload = self.unwritten.min(MSS);
        if payload > 0 {
            self.unwritten -= payload;
            assert!(run.send(flow, Direction::Forward, &self.packet(payload, false), now));
        }
    }

    fn carry_out(&mut self, run: &mut Emulation<'_>, request: StackRequest, now: Time) {
        match request {
            StackRequest::Open(flow) => {
                *self = Self { closed: self.closed, ..Self::default() };
                assert!(run.send(flow, Direction::Forward, &self.packet(0, true), now));
            }
            StackRequest::Write(_, bytes) => self.unwritten = bytes.expect("transfers have sizes").count(),
            StackRequest::Deliver { flow, direction: Direction::Forward, handle, .. } => {
                self.received += handle >> 1;
                assert!(run.send(flow, Direction::Reverse, &self.packet(0, handle & 1 == 1), now));
            }
            StackRequest::Deliver { flow, direction: Direction::Reverse, handle, .. } => {
                if handle & 1 == 1 {
                    self.established = true;
                } else {
                    self.acked = self.received;
                }
                run.update(flow, self.state(), self.received, now);
                self.next(run, flow, now);
            }
            StackRequest::Accept(_)
            | StackRequest::WritePart(..)
            | StackRequest::Expire(..)
            | StackRequest::Stop(_) => {
                unreachable!("one side writes, and does not stop")
            }
            StackRequest::Close(_) => self.closed += 1,
        }
    }
}

/// The records of the first replication of a scenario, and the stack at its end.
fn emulate(text: &str) -> (Records, StopAndWait) {
    let scenario = scenario(text);
    let mut run = Emulation::new(&scenario.model, 0, |_| None);
    let mut stack = StopAndWait::default();
    let mut now = Time::ZERO;
    while now < run.end() {
        now = run.due().max(now);
        run.advance(now);
        while let Some(request) = run.request() {
            stack.carry_out(&mut run, request, now);
        }
    }
    (run.finish(0.0).expect("packets are conserved"), stack)
}

/// A round trip of a full packet takes the propagation of 100 ms and, with access links ten times as fast as the path, 1.2
/// transmissions of 1500 bytes at 10 Mbps (1.2 ms) and of the acknowledgement's 40 bytes (32 µs).
const ROUND_TRIP_S: f64 = 0.1 + 1.2 * (0.0012 + 0.000_032);
/// As above, of a SYN.
const HANDSHAKE_S: f64 = 0.1 + 1.2 * (0.000_032 + 0.000_032);

#[test]
fn a_transfer_takes_a_round_trip_for_each_packet() {
    let (records, stack) = emulate(
        r#"
        duration = "10s"
        path = { rate = "10Mbps", rtt = "100ms" }
        transport = { send_delay = "0s" }
        [[flows]]
        name = "one"
        algorithm = "cubic"
        size = "29200B"
        "#,
    );
    let results = Replication::of(&records);
    let expected = HANDSHAKE_S + 20.0 * ROUND_TRIP_S;
    let completed = value(&results, "one", "completion_time_s");
    assert!((completed - expected).abs() < 1e-9, "{completed} instead of {expected}");
    assert!((value(&results, "one", "completed_flows") - 1.0).abs() < f64::EPSILON);
    assert!(value(&results, "one", "retransmission_rate").abs() < f64::EPSILON);
    assert_eq!(stack.received, 29_200);
}

#[test]
fn users_open_one_connection_after_another() {
    let (records, stack) = emulate(
        r#"
        duration = "60s"
        path = { rate = "10Mbps", rtt = "100ms" }
        transport = { send_delay = "0s" }
        [[flows]]
        name = "user"
        algorithm = "cubic"
        count = 1
        source = { kind = "users", think = "1s" }
        size = "2920B"
        "#,
    );
    let results = Replication::of(&records);
    // A think time, a handshake and two packets; the last one may be in progress.
    let cycle = 1.0 + HANDSHAKE_S + 2.0 * ROUND_TRIP_S;
    let started = value(&results, "user", "started_flows");
    assert!((started - 60.0 / cycle).abs() <= 1.5, "{started} in cycles of {cycle} s");
    let completed = value(&results, "user", "completed_flows");
    assert!((started - completed).abs() <= 1.0);
    assert!((f64::from(stack.closed) - completed).abs() <= 1.0, "an ended connection is closed");
}

#[test]
fn the_packet_log_has_the_numbers_of_segments_not_those_by_which_the_stack_knows_packets() {
    let (records, _) = emulate(
        r#"
        duration = "10s"
        path = { rate = "10Mbps", rtt = "100ms" }
        transport = { send_delay = "0s" }
        record = { packets = true }
        [[flows]]
        name = "one"
        algorithm = "cubic"
        size = "4380B"
        "#,
    );
    let data = records.packets.rows.iter().filter(|row| row.kind == PacketKind::Data);
    let mut numbers: Vec<u64> = data.map(|row| row.number).collect();
    numbers.dedup();
    assert_eq!(numbers, [0, 1, 2]);
}
