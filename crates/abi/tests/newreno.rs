// SPDX-License-Identifier: Apache-2.0
//! NewReno (RFC 5681, RFC 6582) behind the C interface, in Rust: the same rule as the catalogue's. Compiled by itself, to a native
//! library or to WebAssembly.

#![allow(non_upper_case_globals, reason = "its name is that of the controller")]

use std::ffi::{c_char, c_void};
use std::ptr::null;

const NONE: u64 = u64::MAX;

#[repr(C)]
pub struct Setup {
    mss: u64,
    initial_window: u64,
    initial_ssthresh: u64,
    seed: u64,
}
#[repr(C)]
pub struct Ack {
    packets: u64,
    size: u64,
    counted: u64,
}
#[repr(C)]
pub struct Loss {
    cause: u64,
    new_episode: u64,
}
#[repr(C)]
pub struct Limits {
    window: u64,
    pacing_rate: u64,
    burst: u64,
    ssthresh: u64,
    timer: u64,
}

type Moment = Option<extern "C" fn(*mut Flow, *const c_void)>;

#[repr(C)]
pub struct Controller {
    pub version: u64,
    pub ecn: u64,
    pub declines: u64,
    pub parameters: *const *const c_char,
    pub variables: *const *const c_char,
    pub create: extern "C" fn(*const Setup, *const f64) -> *mut Flow,
    pub destroy: extern "C" fn(*mut Flow),
    pub limits: extern "C" fn(*const Flow, *mut Limits),
    pub acked: extern "C" fn(*mut Flow, *const Ack, *const c_void, *const c_void, u64),
    pub lost: extern "C" fn(*mut Flow, *const Loss, *const c_void, *const c_void, u64),
    pub sent: Option<extern "C" fn(*mut Flow, *const c_void, *const c_void)>,
    pub recovered: Moment,
    pub spurious: Moment,
    pub idle_restart: Option<extern "C" fn(*mut Flow, *const c_void, u64)>,
    pub timer: Moment,
    pub observe: Option<extern "C" fn(*const Flow, *mut f64)>,
}

// SAFETY: it is constant.
unsafe impl Sync for Controller {}

pub struct Flow {
    window: f64,
    ssthresh: f64,
    initial: f64,
    mss: f64,
    /// Window and threshold before the last episode.
    before: Option<(f64, f64)>,
}

extern "C" fn create(setup: *const Setup, _: *const f64) -> *mut Flow {
    // SAFETY: the header says that the setup is there.
    let setup = unsafe { &*setup };
    let mss = setup.mss as f64;
    let segments = |bytes: u64| if bytes == NONE { f64::INFINITY } else { bytes as f64 / mss };
    let initial = segments(setup.initial_window);
    let ssthresh = segments(setup.initial_ssthresh);
    Box::into_raw(Box::new(Flow { window: initial, ssthresh, initial, mss, before: None }))
}

extern "C" fn destroy(flow: *mut Flow) {
    // SAFETY: it is what `create` returned, and is not used again.
    drop(unsafe { Box::from_raw(flow) });
}

/// The state of a call.
fn of<'a>(flow: *mut Flow) -> &'a mut Flow {
    // SAFETY: it is what `create` returned, and calls for one flow do not overlap.
    unsafe { &mut *flow }
}

extern "C" fn limits(flow: *const Flow, limits: *mut Limits) {
    let flow = of(flow.cast_mut());
    // SAFETY: the header says that the limits are there.
    let limits = unsafe { &mut *limits };
    limits.window = (flow.window * flow.mss) as u64;
    if flow.ssthresh.is_finite() {
        limits.ssthresh = (flow.ssthresh * flow.mss) as u64;
    }
}

extern "C" fn acked(flow: *mut Flow, ack: *const Ack, _: *const c_void, _: *const c_void, _: u64) {
    let flow = of(flow);
    // SAFETY: the header says that the acknowledgement is there.
    let mut left = unsafe { &*ack }.counted as f64;
    if flow.window < flow.ssthresh {
        let growth = left.min(flow.ssthresh - flow.window);
        flow.window += growth;
        left -= growth;
    }
    if left > 0.0 {
        flow.window += left / flow.window;
    }
}

extern "C" fn lost(flow: *mut Flow, loss: *const Loss, _: *const c_void, _: *const c_void, _: u64) {
    let flow = of(flow);
    // SAFETY: the header says that the loss is there.
    let loss = unsafe { &*loss };
    if loss.new_episode == 1 {
        flow.before = Some((flow.window, flow.ssthresh));
        flow.ssthresh = (flow.window / 2.0).max(2.0);
        flow.window = flow.window.min(flow.ssthresh);
    }
    if loss.cause == 1 {
        flow.window = 1.0;
    }
}

extern "C" fn spurious(flow: *mut Flow, _: *const c_void) {
    let flow = of(flow);
    if let Some((window, ssthresh)) = flow.before.take() {
        flow.window = flow.window.max(window);
        flow.ssthresh = ssthresh;
    }
}

extern "C" fn idle_restart(flow: *mut Flow, _: *const c_void, _: u64) {
    let flow = of(flow);
    flow.window = flow.window.min(flow.initial).max(1.0);
    flow.before = None;
}

pub const TABLE: Controller = Controller {
    version: 2,
    ecn: 0,
    declines: 3,
    parameters: null(),
    variables: null(),
    create,
    destroy,
    limits,
    acked,
    lost,
    sent: None,
    recovered: None,
    spurious: Some(spurious),
    idle_restart: Some(idle_restart),
    timer: None,
    observe: None,
};

#[unsafe(no_mangle)]
pub static newreno: Controller = TABLE;
