// SPDX-License-Identifier: Apache-2.0
//! Connections that programs carry: their start, the content of their packets, and their output.

use crate::interface::Hosts;
use narrows_linux::job::{Job, KEPT};
use narrows_linux::traffic::Traffic;
use narrows_linux::{CLIENT, SERVER, program_commands};
use narrows_model::{Model, Program, Role};
use narrows_records::ProgramRecord;
use std::collections::BTreeMap;
use std::ffi::{CString, OsString, c_char};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;

/// The programs of a run.
#[derive(Debug)]
pub struct Programs {
    /// The programs of each connection that programs carry.
    carried: Vec<Carried>,
    /// The user and the group as which they run.
    pub owner: (u32, u32),
    /// Data that programs send, by connection slot; `None` for connections that the kernel's own sockets carry.
    pub traffic: Vec<Option<Traffic>>,
    /// Output of programs, by connection slot and role: text, and exit status as text.
    printed: BTreeMap<(u32, u32), [Vec<u8>; 2]>,
}

/// The two programs of a connection.
#[derive(Debug)]
struct Carried {
    slot: u32,
    server: u32,
    algorithm: [u8; 16],
    ecn: bool,
    /// Arguments and environment of the client and of the server.
    started: [[Vec<CString>; 2]; 2],
}

impl Programs {
    /// Creates the programs of `model`; `algorithm` gives a slot's congestion control.
    pub fn new(model: &Model, job: &Job, algorithm: impl Fn(usize) -> [u8; 16]) -> Result<Self, String> {
        let metadata = fs::metadata(".").map_err(|error| error.to_string())?;
        let (mut carried, mut traffic) = (Vec::new(), Vec::new());
        for workload in &model.workloads {
            let program = model.groups[workload.group].program.as_ref();
            for number in 0..workload.slots {
                let slot = traffic.len();
                traffic.push(program.map(|_| Traffic::default()));
                let Some(program) = program else { continue };
                let [client, server] =
                    program_commands(program).map(|(_, command)| started(job, number, command));
                carried.push(Carried {
                    slot: slot as u32,
                    server: host_of_server(program),
                    algorithm: algorithm(slot),
                    ecn: workload.transport.ecn,
                    started: [client?, server?],
                });
            }
        }
        // No process is root in the virtual machine.
        let owner = match (metadata.uid(), metadata.gid()) {
            (0, _) => (UNPRIVILEGED, UNPRIVILEGED),
            (user, 0) => (user, UNPRIVILEGED),
            owner => owner,
        };
        Ok(Self { carried, owner, traffic, printed: BTreeMap::new() })
    }

    /// Returns the hosts of all connections that programs carry, for the kernel, which keeps them.
    pub fn hosts(&self) -> &'static [Hosts] {
        let of = |each: &Carried| {
            let [client, server] = &each.started;
            Hosts {
                connection: each.slot,
                server: each.server,
                algorithm: each.algorithm,
                ecn: each.ecn.into(),
                arguments: [list(&client[0]), list(&server[0])],
                environment: [list(&client[1]), list(&server[1])],
            }
        };
        Box::leak(self.carried.iter().map(of).collect())
    }

    /// Returns the data that the programs of the connection in `slot` send; `None` if the kernel's own sockets carry
    /// it.
    pub fn of(&mut self, slot: usize) -> Option<&mut Traffic> {
        self.traffic.get_mut(slot).and_then(Option::as_mut)
    }

    /// The next part of the output of a program, or of its exit status. Returns whether more is of interest.
    pub fn print(&mut self, slot: u32, role: u32, is_status: bool, part: &[u8]) -> bool {
        let of_program = self.printed.entry((slot, role)).or_default();
        let (kept, most) = if is_status { (&mut of_program[1], STATUS) } else { (&mut of_program[0], KEPT) };
        kept.extend_from_slice(&part[..part.len().min(most - kept.len())]);
        kept.len() < most
    }

    /// Returns what all programs have printed, in the order of flows, clients first.
    pub fn records(&mut self) -> Vec<ProgramRecord> {
        let printed = &mut self.printed;
        let mut record = |slot: u32, role: u32, name: &str| {
            let [mut output, status] = printed.remove(&(slot, role)).unwrap_or_default();
            if output.len() >= KEPT {
                output.extend_from_slice(CUT.as_bytes());
            }
            let status = String::from_utf8_lossy(&status).trim().parse().ok();
            ProgramRecord { flow: slot, role: name.to_owned(), status, output }
        };
        let slots = self.carried.iter().map(|each| each.slot);
        slots.flat_map(|slot| [record(slot, 0, "client"), record(slot, 1, "server")]).collect()
    }
}

fn host_of_server(program: &Program) -> u32 {
    match program.sender {
        Role::Client => 1,
        Role::Server => 0,
    }
}

/// Arguments and environment of the shell that runs `command` for flow `number` of its group. Its surroundings are the same on every
/// machine but for the search path.
fn started(job: &Job, number: u32, command: &str) -> Result<[Vec<CString>; 2], String> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let mut search = OsString::from("PATH=");
    search.push(path);
    let arguments = ["/bin/sh", "-c", SCRIPT, "sh", command].map(OsString::from);
    let fixed = ["HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8", "PYTHONUNBUFFERED=1"].map(OsString::from);
    let hosts = [format!("SERVER={SERVER}"), format!("CLIENT={CLIENT}"), format!("FLOW={number}")];
    let strings = |texts: Vec<OsString>| -> Result<Vec<CString>, String> {
        texts
            .into_iter()
            .map(|text| CString::new(text.into_vec()).map_err(|error| format!("{command}: {error}")))
            .collect()
    };
    let arguments = arguments.into_iter().chain([OsString::from_vec(job.commands.clone())]);
    let environment = [search].into_iter().chain(fixed).chain(hosts.map(OsString::from));
    Ok([strings(arguments.collect())?, strings(environment.collect())?])
}

/// The addresses of `strings`, and null behind the last, for the kernel, which keeps them.
fn list(strings: &[CString]) -> *const *const c_char {
    let addresses = strings.iter().map(|each| each.as_ptr()).chain([std::ptr::null()]);
    let kept: &'static [*const c_char] = Box::leak(addresses.collect());
    kept.as_ptr()
}

/// Runs the command `$1` in the folder `$2`, or in `/` if the programs' own /tmp hides that; commands that name its
/// files were refused. The kernel has opened 1 and 2 for what it prints, and 3 for its exit status.
const SCRIPT: &str = "exec </dev/null; cd -- \"$2\" 2>/dev/null || cd /; /bin/sh -c \"$1\" 3>&-; echo $? >&3";
/// Behind the output of a program, if it exceeds the part kept.
const CUT: &str = "\n[cut here: more than the 4 MiB that are kept]\n";
/// Bytes of an exit status.
const STATUS: usize = 16;
/// The user and the group in place of root, to whom no file of the machine belongs.
const UNPRIVILEGED: u32 = 65_534;

#[cfg(test)]
mod tests {
    use super::{KEPT, Programs, started};
    use narrows_linux::job::Job;
    use std::collections::BTreeMap;

    #[test]
    fn a_command_is_one_argument_of_the_shell() {
        let command = "echo 'a b' $SERVER\n";
        let [arguments, _] = started(&Job::default(), 0, command).expect("no null is in it");
        assert_eq!(arguments[4].to_str(), Ok(command));
    }

    #[test]
    fn what_is_printed_has_a_limit_which_is_named() {
        let mut programs =
            Programs { carried: Vec::new(), owner: (1, 1), traffic: Vec::new(), printed: BTreeMap::new() };
        let part = [b'y'; 4096];
        let parts = (0..2000).take_while(|_| programs.print(0, 0, false, &part)).count();
        assert_eq!(parts, KEPT / 4096 - 1);
        assert!(!programs.print(0, 0, false, &part));
        assert_eq!(programs.printed[&(0, 0)][0].len(), KEPT);
        assert!(!programs.print(0, 0, true, &part), "an exit status is short");
        assert_eq!(programs.printed[&(0, 0)][1].len(), 16);
    }
}
