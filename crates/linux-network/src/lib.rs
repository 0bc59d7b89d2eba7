// SPDX-License-Identifier: Apache-2.0
//! The network of a run, as a library that a Linux kernel loads.
//!
//! The kernel has two hosts. What they send is passed to [`nw_transmit`]; at the time [`nw_deadline`], and after each
//! packet, the kernel carries out the actions that [`nw_next`] returns one by one, and reports the state of a connection with
//! [`nw_state`] after each packet that it has delivered to it. [`nw_finish`] writes the records. Times are nanoseconds of the run.

#![expect(unsafe_code, reason = "the functions are called from C")]

mod interface;
mod packets;
mod programs;
mod queue;
mod run;
mod terms;

use interface::{Action, Configuration, Packet, Queues, State};
use narrows_linux::job::JOB;
use run::Run;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

static RUN: Mutex<Option<Run>> = Mutex::new(None);

fn guard() -> MutexGuard<'static, Option<Run>> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Acts on the run; there is one between [`nw_open`] and [`nw_finish`].
fn with<T>(act: impl FnOnce(&mut Run) -> T) -> Option<T> {
    guard().as_mut().map(act)
}

/// Reads the job in the current folder; returns 0 on success.
#[unsafe(no_mangle)]
pub extern "C" fn nw_open() -> i32 {
    let job = fs::read(JOB).map_err(|error| error.to_string());
    let job = job.and_then(|bytes| postcard::from_bytes(&bytes).map_err(|error| error.to_string()));
    match job.map_err(|error| format!("{JOB}: {error}")).and_then(|job| Run::new(&job)) {
        Ok(run) => {
            *guard() = Some(run);
            0
        }
        Err(message) => {
            eprintln!("narrows: {message}");
            1
        }
    }
}

/// The configuration of the virtual machine.
#[unsafe(no_mangle)]
pub extern "C" fn nw_config(configuration: &mut Configuration) {
    if let Some(wanted) = with(|run| run.configuration()) {
        *configuration = wanted;
    }
}

/// The kernel's queue disciplines, which links may have. Called once, before the first packet.
#[unsafe(no_mangle)]
pub extern "C" fn nw_attach(queues: &Queues) {
    with(|run| run.attach(*queues));
}

/// A host sends `packet` at `now`. Returns 0 if its connection is gone: then the kernel frees the packet.
#[unsafe(no_mangle)]
pub extern "C" fn nw_transmit(now: u64, packet: &Packet) -> i32 {
    with(|run| run.transmit(now, packet)).is_some_and(|sent| sent).into()
}

/// The time of the next action or before; all ones if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn nw_deadline() -> u64 {
    with(|run| run.deadline()).unwrap_or(u64::MAX)
}

/// Stores the next action that is due by `now` in `action`. Returns 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn nw_next(now: u64, action: &mut Action) -> i32 {
    match with(|run| run.next(now)).flatten() {
        Some(next) => {
            *action = next;
            1
        }
        None => 0,
    }
}

/// The kernel reports the `state` of `connection` at `now`.
#[unsafe(no_mangle)]
pub extern "C" fn nw_state(now: u64, connection: u32, state: &State) {
    with(|run| run.update(now, connection, state));
}

/// The next part of the output of a program of `connection`, or of its exit status. Returns 0 once that is enough.
///
/// # Safety
///
/// `text` must be the address of `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nw_printed(
    connection: u32,
    role: u32,
    is_status: i32,
    text: *const u8,
    bytes: u32,
) -> i32 {
    // SAFETY: the caller passes that many bytes.
    let part = unsafe { std::slice::from_raw_parts(text, bytes as usize) };
    with(|run| run.print(connection, role, is_status != 0, part)).is_some_and(|more| more).into()
}

/// Ends the run and writes its records. Returns 0 on success.
#[unsafe(no_mangle)]
pub extern "C" fn nw_finish() -> i32 {
    let run = guard().take();
    match run.map_or(Ok(()), Run::finish) {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("narrows: {message}");
            1
        }
    }
}
