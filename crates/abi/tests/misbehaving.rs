// SPDX-License-Identifier: Apache-2.0
//! The rule of `newreno.rs` that breaks one promise in its first acknowledgement: that for which this is compiled.

#![allow(non_upper_case_globals, reason = "its name is that of the controller")]
#![allow(unexpected_cfgs, reason = "each is given when this is compiled")]

#[path = "newreno.rs"]
mod rule;

use rule::{Ack, Controller, Flow, TABLE};
use std::ffi::c_void;

#[cfg(imports)]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    fn clock() -> u64;
}

extern "C" fn acked(
    flow: *mut Flow,
    ack: *const Ack,
    path: *const c_void,
    packets: *const c_void,
    count: u64,
) {
    if cfg!(endless) {
        while std::hint::black_box(true) {}
    }
    if cfg!(hungry) {
        for size in 0_u32.. {
            std::hint::black_box(vec![size; 1 << 18]).leak();
        }
    }
    if cfg!(panics) {
        std::hint::black_box(Vec::<u64>::new())[count as usize] = 1;
    }
    #[cfg(imports)]
    // SAFETY: no module that has this is ever run.
    std::hint::black_box(unsafe { clock() });
    (TABLE.acked)(flow, ack, path, packets, count);
}

#[unsafe(no_mangle)]
pub static mine: Controller = Controller { acked, ..TABLE };
