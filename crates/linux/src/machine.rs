// SPDX-License-Identifier: Apache-2.0
//! The process of a virtual machine.

use crate::job::{JOB, Job, OUTCOME, Outcome, PROGRESS};
use crate::watch::Watch;
use crate::{Linux, programs};
use narrows_backend::{Progress, RunError};
use narrows_model::Model;
use narrows_records::Records;
use narrows_units::Time;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

/// Memory of a virtual machine, MB, of which it takes as much as it uses.
const MEMORY_MB: u32 = 512;
/// Time between two checks of whether a virtual machine has ended.
const POLL: Duration = Duration::from_millis(10);
/// Number of lines of a virtual machine's console in an error.
const LAST_LINES: usize = 12;
/// The date at which programs run, in nanoseconds: 1 January 2026. Certificates must be valid then.
const TIME_OF_PROGRAMS: &str = "time-travel-start=1767225600000000000";
/// Beginning of the name of a virtual machine's folder, by which one that a killed process has left is known.
const PREFIX: &str = "narrows-";
/// The number of SIGKILL.
const KILLED: i32 = 9;
/// Output of the driver before the path of a setting that the kernel does not have.
const UNKNOWN_SETTING: &str = "narrows: the kernel has no sysctl ";
/// Output of the driver before the path of a setting whose value the kernel refuses.
const REFUSED_SETTING: &str = "narrows: the sysctl ";

/// Runs replication `replication` of `model` in a virtual machine; its records have no description of the run.
pub fn run(linux: &Linux, model: &Model, replication: u32, progress: &Progress) -> Result<Records, RunError> {
    let folder = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempdir()
        .map_err(|error| failed("no temporary folder", &error))?;
    let place = |name: &str| folder.path().join(name);
    let job = Job {
        scenario: linux.scenario.clone(),
        directory: linux.directory.as_os_str().as_encoded_bytes().to_vec(),
        commands: linux.commands.as_os_str().as_encoded_bytes().to_vec(),
        replication,
        warmup_ps: model.warmup.as_ps(),
        queues: linux.kernel.queues.text(),
        algorithms: linux.kernel.algorithms.clone(),
        disciplines: linux.kernel.disciplines.clone(),
    };
    let job = postcard::to_stdvec(&job).map_err(|error| failed("the job cannot be written", &error))?;
    fs::write(place(JOB), job).map_err(|error| failed("the job cannot be written", &error))?;
    let console = File::create(place("console")).map_err(|error| failed("no console", &error))?;
    let output = console.try_clone().map_err(|error| failed("no console", &error))?;
    let carried = model.groups.iter().any(|group| group.program.is_some());
    let time = if carried { TIME_OF_PROGRAMS } else { "time-travel-start=1000000000" };
    let mut narrows = OsString::from("narrows=");
    narrows.push(&linux.library);
    let child = Command::new(&linux.image)
        .arg(format!("mem={MEMORY_MB}M"))
        .args(["time-travel=inf-cpu", time, "ipv6.disable_ipv6=1"])
        .args(["con=null", "con0=fd:0,fd:1", "ssl=null", "quiet"])
        .args(["uml_dir=./".as_ref(), narrows.as_os_str()])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .stdout(console)
        .stderr(output)
        .spawn()
        .map_err(|error| failed(&format!("{} does not start", linux.image.display()), &error))?;
    let mut machine = Machine(child);
    let mut reached = Time::ZERO;
    let mut watch = Watch::new(machine.0.id(), carried);
    let status = loop {
        match machine.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if progress.is_cancelled() => return Err(RunError::Interrupted),
            Ok(None) => thread::sleep(POLL),
            Err(error) => return Err(failed("the virtual machine is lost", &error)),
        }
        let now = time_in(&place(PROGRESS)).unwrap_or(reached).min(Time::ZERO + model.duration);
        if now > reached {
            progress.advance(reached, now);
            reached = now;
        }
        if let Some(refused) = watch.refuses(now) {
            return Err(refused);
        }
    };
    let bytes =
        fs::read(place(OUTCOME)).map_err(|_| end_without_records(model, status, &place("console")))?;
    progress.advance(reached, Time::ZERO + model.duration);
    let outcome: Result<Outcome, _> = postcard::from_bytes(&bytes);
    let records = outcome.map_err(|error| failed("the records cannot be read", &error))?;
    let records = records.map_err(RunError::Refused)?;
    match programs::not_executed(model, &records.programs) {
        Some(refused) => Err(RunError::Refused(refused)),
        None => Ok(records),
    }
}

/// The simulated time that a virtual machine has written to its file of progress.
fn time_in(file: &Path) -> Option<Time> {
    let bytes = fs::read(file).ok()?;
    bytes.try_into().ok().map(|ps| Time::from_ps(u64::from_ne_bytes(ps)))
}

/// A virtual machine that is killed when it is no longer wanted.
struct Machine(Child);

impl Drop for Machine {
    fn drop(&mut self) {
        // It has ended, or its records are not wanted any more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn failed(what: &str, error: &dyn Display) -> RunError {
    RunError::Backend(format!("{what}: {error}"))
}

/// Why a virtual machine has ended with `status` before it wrote records, from what it has written to its console.
fn end_without_records(model: &Model, status: ExitStatus, console: &Path) -> RunError {
    let text = String::from_utf8_lossy(&fs::read(console).unwrap_or_default()).into_owned();
    if let Some(refused) = refused_setting(model, &text) {
        return RunError::Refused(refused);
    }
    RunError::Backend(match signal(status) {
        // Nothing on the console says this. A panic ends the machine by a signal, too.
        Some(KILLED) => {
            "the virtual machine was killed (SIGKILL), as by a system whose memory is full".to_owned()
        }
        _ => format!("the virtual machine ended without records; its last lines:\n{}", last_lines(&text)),
    })
}

/// The setting of the scenario that the kernel has refused, and why; `None` if it has refused none.
fn refused_setting(model: &Model, console: &str) -> Option<String> {
    let of = |line: &str, prefix: &str| line.split_once(prefix).map(|(_, rest)| rest.to_owned());
    let (path, reason) = console.lines().find_map(|line| {
        let missing = of(line, UNKNOWN_SETTING).map(|path| (path, "the kernel has no such setting"));
        let refused = of(line, REFUSED_SETTING);
        missing.or_else(|| Some((refused?.split_once(' ')?.0.to_owned(), "the kernel refuses the value")))
    })?;
    let name = path.trim().replace('/', ".");
    let number = model.linux.sysctls.iter().rposition(|(own, _)| own.replace('/', ".") == name)?;
    let (name, value) = &model.linux.sysctls[number];
    Some(format!(
        "linux.sysctl.{number}: linux cannot honour this: {reason}\n  given: \"{name}={value}\"\n  allowed: what both hosts \
         have below /proc/sys"
    ))
}

/// The last output of the virtual machine: from its panic on, or the last lines, without addresses of the kernel's code.
fn last_lines(console: &str) -> String {
    let is_code = |line: &str| line.trim_start().starts_with("[<");
    let lines: Vec<&str> = console.lines().filter(|line| !line.trim().is_empty() && !is_code(line)).collect();
    let panic = lines.iter().position(|line| line.contains("panic"));
    let from = panic.unwrap_or(lines.len().saturating_sub(LAST_LINES));
    let last: Vec<&str> = lines[from..].iter().take(LAST_LINES).copied().collect();
    last.join("\n")
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// A page in a browser has no virtual machines.
#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
