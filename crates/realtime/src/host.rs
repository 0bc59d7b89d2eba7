// SPDX-License-Identifier: Apache-2.0
//! The hosts of a run: processes in namespaces of their own, each with one network device and one command.

use narrows_linux::{CLIENT, SERVER};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, IoSliceMut, PipeReader, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How hosts are started.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The interpreter of `program`.
    pub interpreter: PathBuf,
    /// The program that sets a host up and runs its command.
    pub program: PathBuf,
    /// Folder in which commands start.
    pub commands: PathBuf,
}

/// What a host is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup<'s> {
    pub role: End,
    /// Its command, for a shell.
    pub command: &'s str,
    /// The kernel's name of its congestion control.
    pub algorithm: &'s str,
    pub ecn: bool,
    /// Greatest packet, bytes.
    pub mtu: u64,
    /// Number of the flow in its group.
    pub flow: u32,
    /// Whether its output is written to the standard output of this process, too.
    pub echo: bool,
}

/// An end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Where the client runs.
    Near,
    /// Where the server runs.
    Far,
}

/// A host. It is ended when it is dropped.
#[derive(Debug)]
pub(crate) struct Host {
    process: Child,
    control: UnixStream,
    device: OwnedFd,
    output: Option<JoinHandle<Vec<u8>>>,
}

impl Host {
    /// Starts a host, whose command waits for [`go`](Self::go).
    pub fn start(launcher: &Launcher, setup: &Setup<'_>) -> Result<Self, String> {
        let failed = |error: io::Error| format!("a host does not start: {error}");
        let (control, theirs) = UnixStream::pair().map_err(failed)?;
        let (reader, writer) = io::pipe().map_err(failed)?;
        let process = Command::new(&launcher.interpreter)
            .args(["-I".as_ref(), "-S".as_ref(), launcher.program.as_os_str()])
            .arg(OsStr::new(&description(setup, &launcher.commands)))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(writer.try_clone().map_err(failed)?)
            .stderr(writer)
            .spawn()
            .map_err(failed)?;
        let mut process = Ended(Some(process));
        control.set_read_timeout(Some(SET_UP_WITHIN)).map_err(failed)?;
        let device = device_of(&control)?;
        rustix::io::ioctl_fionbio(&device, true).map_err(|error| failed(error.into()))?;
        let echo = setup.echo;
        let output = Some(thread::spawn(move || read_output(reader, echo)));
        let Some(process) = process.0.take() else { return Err("a host has ended".to_owned()) };
        Ok(Self { process, control, device, output })
    }

    /// Starts the command.
    pub fn go(&mut self) {
        // A host that is gone has ended its command, as its status says.
        let _ = self.control.write_all(b"G");
    }

    /// Waits until the command listens, has ended, or has had time enough to listen.
    pub fn wait_until_it_listens(&mut self) {
        // Without an answer the client starts all the same, and says what it misses.
        let _ = self.control.read(&mut [0]);
    }

    /// Returns the device: packets read from it were sent by the host, and packets written to it reach the host.
    pub fn device(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }

    /// Returns the exit status of the command; `None` while it runs.
    pub fn status(&mut self) -> Option<i32> {
        self.process.try_wait().ok().flatten().map(|status| status.code().unwrap_or(KILLED))
    }

    /// Returns the packets that the device has dropped so far.
    pub fn dropped(&self) -> u64 {
        let counters = fs::read_to_string(format!("/proc/{}/net/dev", self.process.id())).unwrap_or_default();
        dropped_in(&counters)
    }

    /// Ends the command and the host; returns its exit status, if it had ended before, and its output.
    pub fn end(mut self) -> (Option<i32>, Vec<u8>) {
        let status = self.status();
        self.kill();
        let output = self.output.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        (status, output)
    }

    fn kill(&mut self) {
        // It has ended, or is not wanted any more; all that it has started ends with it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A process that is ended when it is dropped.
struct Ended(Option<Child>);

impl Drop for Ended {
    fn drop(&mut self) {
        if let Some(process) = &mut self.0 {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// The argument of the host's program.
fn description(setup: &Setup<'_>, commands: &Path) -> String {
    let (address, address6) = match setup.role {
        End::Near => NEAR,
        End::Far => FAR,
    };
    json!({
        "address": address,
        "address6": address6,
        "mtu": setup.mtu,
        "algorithm": setup.algorithm,
        "ecn": setup.ecn,
        "names": { NEAR.0: ["near", "client"], FAR.0: ["far", "server"], NEAR.1: ["near6"], FAR.1: ["far6"] },
        "command": setup.command,
        "folder": commands.to_string_lossy(),
        "environment": {
            "CLIENT": NEAR.0,
            "SERVER": FAR.0,
            "CLIENT6": NEAR.1,
            "SERVER6": FAR.1,
            "FLOW": setup.flow.to_string(),
            "PYTHONUNBUFFERED": "1",
        },
        "listens": setup.role == End::Far,
    })
    .to_string()
}

/// Receives the device of a host that has been set up.
fn device_of(control: &UnixStream) -> Result<OwnedFd, String> {
    let mut text = [0; 4096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(control, &mut [IoSliceMut::new(&mut text)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
            .map_err(|error| format!("a host does not answer: {error}"))?;
    let descriptor = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
        _ => None,
    });
    match (&text[..received.bytes], descriptor) {
        ([b'D', ..], Some(device)) => Ok(device),
        ([b'E', reason @ ..], _) => Err(String::from_utf8_lossy(reason).into_owned()),
        _ => Err("a host ended before it was set up".to_owned()),
    }
}

/// Reads the output of a command to its end, and keeps the first part.
fn read_output(mut reader: PipeReader, echo: bool) -> Vec<u8> {
    let (mut kept, mut part) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(bytes @ 1..) = reader.read(&mut part) {
        let part = &part[..bytes];
        if echo {
            // The output may have no reader.
            let _ = io::stdout().write_all(part).and_then(|()| io::stdout().flush());
        }
        kept.extend_from_slice(&part[..part.len().min(KEPT - kept.len())]);
    }
    kept
}

/// The packets that a device has dropped in either direction, from `/proc/net/dev`.
fn dropped_in(counters: &str) -> u64 {
    let line = counters.lines().find_map(|line| line.trim().strip_prefix("narrows0:"));
    let counts = line.into_iter().flat_map(str::split_whitespace);
    // The fourth count of each direction's eight (proc(5)).
    counts.skip(3).step_by(8).filter_map(|count| count.parse::<u64>().ok()).sum()
}

/// Addresses of the hosts.
const NEAR: (&str, &str) = (CLIENT, "fd00::1");
const FAR: (&str, &str) = (SERVER, "fd00::2");
/// Time in which a host is set up, or a server listens; a loaded machine needs a part of a second.
const SET_UP_WITHIN: Duration = Duration::from_secs(10);
/// Status of a command that a signal has ended, together with its host.
const KILLED: i32 = 137;
/// Bytes that are kept of a command's output.
const KEPT: usize = narrows_linux::job::KEPT;

#[cfg(test)]
mod tests {
    use super::dropped_in;

    #[test]
    fn drops_of_both_directions_are_counted() {
        let text = "Inter-| Receive | Transmit\n  lo: 1 1 0 5 0 0 0 0 1 1 0 5 0 0 0 0\nnarrows0: 10 1 0 3 0 0 0 0 20 2 0 4 0 0 0 0\n";
        assert_eq!(dropped_in(text), 7);
        assert_eq!(dropped_in(""), 0);
    }
}
