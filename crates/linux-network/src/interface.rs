// SPDX-License-Identifier: Apache-2.0
//! The structures that the library and the kernel exchange, as declared in `python/narrows/_internal/linux/kernel/network.h`.

use std::ffi::c_char;

/// A packet that leaves a host of the kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Address of the packet's buffer in the kernel.
    pub buffer: u64,
    /// State of the TCP socket that sends the packet, of connections that programs carry; null if none does.
    pub state: *const State,
    /// 0 at the sending host, 1 at the receiving host.
    pub host: u32,
    /// Bytes of the IP packet.
    pub length: u32,
    /// Sequence number of the TCP header.
    pub sequence: u32,
    /// Payload, bytes.
    pub payload: u32,
    /// Connection slot.
    pub connection: u32,
    /// Ports of source and destination, the former in the upper half; 0 if there are none.
    pub ports: u32,
    /// Protocol number of the IP header.
    pub protocol: u8,
    /// Flags of the TCP header.
    pub flags: u8,
    /// ECN field of the IP header.
    pub ecn: u8,
}

/// The next action of the kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// One of the kinds below.
    pub kind: u32,
    /// Connection slot.
    pub connection: u32,
    /// Address of the packet's buffer in the kernel.
    pub buffer: u64,
    /// Payload to write, bytes; all ones for an endless supply.
    pub bytes: u64,
    /// Host to which the packet is delivered.
    pub host: u32,
    /// ECN field of the packet; of a connection that is opened, whether it asks for ECN.
    pub ecn: u32,
    /// Name of the congestion control, padded with zeros.
    pub algorithm: [u8; 16],
}

impl Action {
    /// Deliver a packet.
    pub const DELIVER: u32 = 1;
    /// Free a packet.
    pub const FREE: u32 = 2;
    /// Open a connection.
    pub const OPEN: u32 = 3;
    /// Write to a connection.
    pub const WRITE: u32 = 4;
    /// Remove a connection.
    pub const CLOSE: u32 = 5;
    /// The run is over.
    pub const END: u32 = 6;
    /// Start the client of a connection that programs carry.
    pub const START: u32 = 7;
}

/// The terms on which a connection in the kernel has agreed, at one end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Name of its congestion control, a C string; null if that end has no socket.
    pub algorithm: *const c_char,
    /// 1 if it uses ECN, 2 if Accurate ECN.
    pub ecn: u8,
    /// 1 if it uses timestamps.
    pub timestamps: u8,
    /// 1 if it uses selective acknowledgements.
    pub sack: u8,
    /// 1 if it scales its windows.
    pub scaling: u8,
}

/// The state of a connection in the kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// At the sender, and at the receiver.
    pub terms: [Terms; 2],
    /// `snd_cwnd`, packets.
    pub cwnd: u32,
    /// `snd_ssthresh`, packets.
    pub ssthresh: u32,
    /// `tcp_packets_in_flight`.
    pub in_flight: u32,
    /// Smoothed round-trip time, microseconds.
    pub srtt_us: u32,
    /// Latest round-trip time, microseconds.
    pub rtt_us: u32,
    /// Minimum round-trip time, microseconds.
    pub min_rtt_us: u32,
    /// Pacing rate, bytes per second; 0 if packets are not paced.
    pub pacing_rate: u64,
    /// Payload acknowledged cumulatively, bytes.
    pub acked: u64,
    /// Payload received in order at the receiver, bytes.
    pub received: u64,
    /// Packets acknowledged in any way.
    pub delivered: u32,
    /// Packets declared lost.
    pub lost: u32,
    /// Reductions of the window.
    pub reductions: u32,
    /// The window before the last reduction, packets.
    pub prior_cwnd: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// `icsk_ca_state`: 0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss.
    pub phase: u8,
    /// 1 once the connection is established.
    pub established: u8,
    /// 1 if the kernel has aborted the connection.
    pub aborted: u8,
    /// 1 if the window stopped the sender.
    pub window_limited: u8,
}

/// The configuration that the kernel needs before the run.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Number of connection slots.
    pub connections: u32,
    /// Maximum size of an IP packet, bytes.
    pub mtu: u32,
    /// Whether TCP passes on several segments at a time.
    pub gso: u32,
    /// Maximum of the send and receive buffers, bytes.
    pub buffer: u32,
    /// Seed of the kernel's random numbers.
    pub seed: u64,
    /// Lines `NAME=VALUE`, a C string; names are paths below /proc/sys.
    pub sysctls: *const c_char,
    /// The connections that programs carry.
    pub programs: *const Hosts,
    /// Their number.
    pub program_count: u32,
    /// The user as which programs run.
    pub user: u32,
    /// The group as which programs run.
    pub group: u32,
}

/// The two hosts of a connection that programs carry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hosts {
    /// Connection slot.
    pub connection: u32,
    /// The host that runs the server.
    pub server: u32,
    /// Name of their congestion control, padded with zeros.
    pub algorithm: [u8; 16],
    /// Whether they ask for ECN.
    pub ecn: u32,
    /// The commands of the client and the server: C strings, and null behind the last.
    pub arguments: [*const *const c_char; 2],
    /// The environment of each.
    pub environment: [*const *const c_char; 2],
}

/// The queue disciplines of the kernel, by number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Queues {
    /// Makes a queue of a kind, a C string, with its netlink attributes, of the given length in bytes.
    pub make: extern "C" fn(number: u32, kind: *const c_char, attributes: *const u8, bytes: u32),
    /// Puts the buffer of a packet into a queue, which knows it by the handle.
    pub enqueue: extern "C" fn(number: u32, buffer: u64, handle: u32),
    /// Stores handle and ECN field of the packet that leaves a queue. Returns 0 if none does.
    pub dequeue: extern "C" fn(number: u32, handle: &mut u32, ecn: &mut u8) -> i32,
    /// Stores the handle of a packet that a queue has freed. Returns 0 if none is left to be reported.
    pub dropped: extern "C" fn(handle: &mut u32) -> i32,
}
