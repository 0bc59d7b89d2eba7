// SPDX-License-Identifier: Apache-2.0
//! Third-party congestion controllers behind the C ABI of `narrows.h`.
//!
//! * [`layout`] has the structures of the header, filled from facts of a flow.
//! * [`Instance`] hosts a controller for one flow and checks what it answers.
//! * `Native` is a controller in a native library: a file that is executed.
//! * `Wasm` is a controller in WebAssembly, which can do nothing but answer (feature `wasm`).
//! * [`calls`] knows which call has not returned.
//! * [`Controller`] is one of a file, with its parameters, as the model takes it.

#![cfg_attr(
    target_family = "wasm",
    allow(dead_code, unused_variables, reason = "what native libraries alone need")
)]

pub mod calls;
mod controller;
#[cfg(not(target_family = "wasm"))]
mod elf;
#[cfg(not(target_family = "wasm"))]
mod float_mode;
mod instance;
pub mod layout;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(feature = "wasm")]
mod room;
#[cfg(feature = "wasm")]
mod wasm;

pub use controller::{Controller, HEADER, is_wasm};
pub use instance::{Code, Event, Instance};
#[cfg(not(target_family = "wasm"))]
pub use native::Native;
#[cfg(feature = "wasm")]
pub use wasm::Wasm;
