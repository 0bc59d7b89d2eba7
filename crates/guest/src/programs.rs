//! Connections that programs carry: what is started, and what their packets carry.

use crate::arrived::Arrived;
use crate::interface::{Hosts, Packet, State};
use crate::job::Job;
use narrows_model::{Model, Program, Role};
use narrows_wire::Direction;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

/// The programs of a run.
#[derive(Debug)]
pub struct Programs {
    /// Their hosts.
    pub hosts: Vec<Hosts>,
    /// Folder that is /tmp for them.
    pub folder: CString,
    /// The user and the group as which they run.
    pub owner: (u32, u32),
    /// What they send, by connection slot; `None` for connections that the kernel's own sockets carry.
    pub traffic: Vec<Option<Traffic>>,
}

impl Programs {
    /// The programs of `model`. A file for the shell is written for each into the folder of `job`; `algorithm` gives a slot's
    /// congestion control.
    pub fn new(model: &Model, job: &Job, algorithm: impl Fn(usize) -> [u8; 16]) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", job.programs.display());
        let metadata = fs::metadata(&job.programs).map_err(|error| failed(&error))?;
        let folder = CString::new(job.programs.as_os_str().as_bytes()).map_err(|error| failed(&error))?;
        let (mut hosts, mut traffic) = (Vec::new(), Vec::new());
        for workload in &model.workloads {
            let program = model.groups[workload.group].program.as_ref();
            for number in 0..workload.slots {
                let slot = traffic.len();
                traffic.push(program.map(|_| Traffic::default()));
                let Some(program) = program else { continue };
                for (role, command) in [("client", &program.client), ("server", &program.server)] {
                    let file = job.programs.join(format!("{role}-{slot}"));
                    fs::write(file, script(job, role, slot, number, command))
                        .map_err(|error| failed(&error))?;
                }
                hosts.push(Hosts {
                    connection: slot as u32,
                    server: server(program) as u32,
                    algorithm: algorithm(slot),
                    ecn: workload.transport.ecn.into(),
                });
            }
        }
        Ok(Self { hosts, folder, owner: (metadata.uid(), metadata.gid()), traffic })
    }

    /// What the programs of the connection in `slot` send; `None` if the kernel's own sockets carry it.
    pub fn of(&mut self, slot: usize) -> Option<&mut Traffic> {
        self.traffic.get_mut(slot).and_then(Option::as_mut)
    }
}

fn server(program: &Program) -> usize {
    match program.sender {
        Role::Client => 1,
        Role::Server => 0,
    }
}

/// What the shell executes for a program: its surroundings are the same on every machine but for the search path.
fn script(job: &Job, role: &str, slot: usize, number: u32, command: &str) -> String {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
    let own = format!("/tmp/{role}-{slot}");
    let lines = [
        format!("exec </dev/null >{own}.out 2>&1"),
        // A folder below /tmp is behind the programs' own; commands that name its files were refused.
        format!("cd -- {} 2>/dev/null || cd /", quoted(&job.commands.display().to_string())),
        format!("export PATH={} HOME=/tmp TMPDIR=/tmp LANG=C.UTF-8 PYTHONUNBUFFERED=1", quoted(&path)),
        format!("export SERVER={SERVER} CLIENT={CLIENT} FLOW={number}"),
        format!("/bin/sh -c {}", quoted(command)),
        format!("echo $? >{own}.status"),
    ];
    lines.join("\n") + "\n"
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// What the programs of one connection send and receive.
#[derive(Debug, Default)]
pub struct Traffic {
    /// TCP connections from the sending host, by their ports.
    streams: BTreeMap<u32, Stream>,
    /// Payload that the sending host has sent for the first time, bytes.
    sent: u64,
    /// Payload that the receiving host has received, each byte of a TCP connection once.
    pub received: u64,
    /// The ports of the TCP connection that has sent most.
    most: u32,
    /// Whether a host has sent a packet.
    opened: bool,
}

/// A TCP connection of a program, in one direction.
#[derive(Debug, Default)]
struct Stream {
    /// End of what it has sent, as a position.
    sent_end: u64,
    /// Payload that it has sent, retransmissions included, bytes.
    sent: u64,
    arrived: Arrived,
}

/// The payload of a packet of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Payload {
    /// The ports of its TCP connection; 0 for other protocols.
    ports: u32,
    /// Its position there.
    position: u64,
    /// Bytes.
    bytes: u64,
}

impl Payload {
    /// Its length, bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

impl Traffic {
    /// Whether no host has sent a packet.
    pub fn is_new(&self) -> bool {
        !self.opened
    }

    /// A packet leaves a host in `direction`: its payload, and its position in what the connection sends in all.
    pub fn send(&mut self, packet: &Packet, direction: Direction) -> (Payload, u64) {
        let bytes = u64::from(packet.payload);
        self.opened = true;
        if direction == Direction::Reverse || (bytes == 0 && packet.flags & SYN == 0) {
            return (Payload::default(), self.sent);
        }
        if packet.protocol != TCP {
            let position = self.sent;
            self.sent += bytes;
            return (Payload { ports: 0, position, bytes }, position);
        }
        if packet.flags & SYN != 0 {
            // The first byte of data follows the SYN.
            let sent_end = OFFSET + u64::from(packet.sequence.wrapping_add(1));
            self.streams.insert(packet.ports, Stream { sent_end, ..Stream::default() });
            return (Payload::default(), self.sent);
        }
        let stream = self.streams.entry(packet.ports).or_default();
        let ahead = packet.sequence.wrapping_sub(stream.sent_end as u32).cast_signed();
        let position = stream.sent_end.wrapping_add_signed(i64::from(ahead));
        let fresh = (position + bytes).saturating_sub(stream.sent_end);
        stream.sent_end += fresh;
        stream.sent += bytes;
        // What was sent before has a position before the end of all.
        let overall = if fresh == bytes { self.sent } else { self.sent.saturating_sub(bytes) };
        self.sent += fresh;
        let sent = |ports: u32| self.streams.get(&ports).map_or(0, |stream| stream.sent);
        if sent(packet.ports) > sent(self.most) {
            self.most = packet.ports;
        }
        (Payload { ports: packet.ports, position, bytes }, overall)
    }

    /// The state of the socket that sends `packet`, if its connection is the one that has sent most.
    pub fn state<'p>(&self, packet: &'p Packet) -> Option<&'p State> {
        // SAFETY: the kernel passes null or its own state, which lives as long as the packet's description.
        let state = unsafe { packet.state.as_ref() };
        state.filter(|_| packet.ports == self.most)
    }

    /// A packet arrives at the receiving host.
    pub fn receive(&mut self, payload: Payload) {
        let Payload { ports, position, bytes } = payload;
        match self.streams.get_mut(&ports) {
            Some(stream) if ports != 0 => self.received += stream.arrived.receive(position, position + bytes),
            _ => self.received += bytes,
        }
    }
}

/// Addresses of the hosts.
const CLIENT: &str = "10.0.0.1";
const SERVER: &str = "10.0.0.2";
/// Added to every position, so that none is negative.
const OFFSET: u64 = 1 << 32;
/// The SYN flag of the TCP header.
const SYN: u8 = 2;
/// Protocol number of TCP.
const TCP: u8 = 6;

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_command_is_one_word_of_the_shell() {
        assert_eq!(quoted("echo 'a b' $SERVER"), r"'echo '\''a b'\'' $SERVER'");
    }
}
