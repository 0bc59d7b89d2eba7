// SPDX-License-Identifier: Apache-2.0
//! The simulator as a WebAssembly module, for a page that runs scenarios without a server.
//!
//! The page writes a request, which is JSON, to the memory that [`nw_request`] returns, and calls [`nw_describe`],
//! [`nw_edit`] or [`nw_run`]. The answer, JSON again, starts at [`nw_answer`] and has [`nw_answer_length`] bytes until the
//! next call. The series of a run stay in memory until the next run; the answer has the addresses of their columns.
//! A panic traps. The module must not be called afterwards, except for [`nw_answer`], which then has the panic's message.

#![expect(unsafe_code, reason = "the functions are called from JavaScript")]

pub mod describe;
pub mod edit;
pub mod modules;
mod request;
pub mod run;

use run::Series;
use serde_json::Value;
use std::panic::set_hook;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The memory that the module and the page share.
struct Exchange {
    request: Vec<u8>,
    answer: Vec<u8>,
    series: Series,
}

static EXCHANGE: Mutex<Exchange> =
    Mutex::new(Exchange { request: Vec::new(), answer: Vec::new(), series: Series::EMPTY });

fn exchange() -> MutexGuard<'static, Exchange> {
    EXCHANGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The build fingerprint of the sources in a section of the module of its own, where `narrows playground` compares it
/// with the extension's.
#[cfg(target_arch = "wasm32")]
#[used]
#[unsafe(link_section = "narrows.fingerprint")]
static FINGERPRINT: [u8; 64] = *env!("NARROWS_FINGERPRINT").as_bytes().first_chunk().expect("64 digits");

/// Allocates `length` bytes for the next request and returns their address.
#[unsafe(no_mangle)]
pub extern "C" fn nw_request(length: usize) -> *mut u8 {
    let mut exchange = exchange();
    exchange.request = vec![0; length];
    exchange.request.as_mut_ptr()
}

/// The address of the answer to the last request.
#[unsafe(no_mangle)]
pub extern "C" fn nw_answer() -> *const u8 {
    exchange().answer.as_ptr()
}

/// The length of the answer to the last request, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn nw_answer_length() -> usize {
    exchange().answer.len()
}

/// Resolves the scenario of the request without running it; see [`describe::describe`].
#[unsafe(no_mangle)]
pub extern "C" fn nw_describe() {
    answer(|request, _| Ok(describe::describe(&request::scenario(request)?)));
}

/// Changes values in the text of the request; see [`edit::edit`].
#[unsafe(no_mangle)]
pub extern "C" fn nw_edit() {
    answer(|request, _| edit::edit(request::text(request, "text")?, &request::changes(request)?));
}

/// Runs the scenario of the request; see [`run::run`].
#[unsafe(no_mangle)]
pub extern "C" fn nw_run() {
    answer(|request, series| {
        let (answer, columns) = run::run(&request::scenario(request)?, report)?;
        *series = columns;
        Ok(answer)
    });
}

/// Answers the request with the result of `act`, or with its error as `{"error": …}`.
fn answer(act: impl FnOnce(&Value, &mut Series) -> Result<Value, String>) {
    set_hook(Box::new(|panic| exchange().answer = panic.to_string().into_bytes()));
    let (request, mut series) = {
        let mut exchange = exchange();
        exchange.series = Series::EMPTY;
        (std::mem::take(&mut exchange.request), Series::EMPTY)
    };
    let parsed = serde_json::from_slice(&request).map_err(|error| error.to_string());
    let answer = parsed.and_then(|request: Value| act(&request, &mut series));
    let answer = answer.unwrap_or_else(|error| serde_json::json!({ "error": error }));
    let mut exchange = exchange();
    exchange.answer = answer.to_string().into_bytes();
    exchange.series = series;
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Called with the simulated time so far, seconds.
    safe fn progress(simulated_s: f64);
}

fn report(simulated_ps: u64) {
    #[cfg(target_family = "wasm")]
    progress(simulated_ps as f64 * 1e-12);
    #[cfg(not(target_family = "wasm"))]
    let _ = simulated_ps;
}
