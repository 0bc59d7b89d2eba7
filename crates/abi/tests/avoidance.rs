// SPDX-License-Identifier: Apache-2.0
//! The congestion avoidance of Reno alone, as in `avoidance.c`: slow start and undo are the host's.

#[path = "../../../python/narrows/_internal/external/templates/narrows.rs.template"]
mod narrows;

use narrows::{Ack, Controller, Limits, Loss, NONE, PACKETS, Packet, Path, RATE, SLOW_START, Setup, TIMEOUT, UNDO, VERSION};

#[derive(Clone, Copy)]
pub struct Flow {
    window: f64,
    ssthresh: f64,
    mss: f64,
}

unsafe extern "C" fn set(flow: *mut Flow, window: u64, ssthresh: u64) {
    let flow = unsafe { &mut *flow };
    flow.window = window as f64 / flow.mss;
    flow.ssthresh = if ssthresh == NONE { f64::INFINITY } else { ssthresh as f64 / flow.mss };
}

unsafe extern "C" fn create(setup: *const Setup, _: *const f64) -> *mut Flow {
    let setup = unsafe { &*setup };
    let flow = Box::into_raw(Box::new(Flow { window: 0.0, ssthresh: 0.0, mss: setup.mss as f64 }));
    unsafe { set(flow, setup.initial_window, setup.initial_ssthresh) };
    flow
}

unsafe extern "C" fn copy(flow: *const Flow) -> *mut Flow {
    Box::into_raw(Box::new(unsafe { *flow }))
}

unsafe extern "C" fn destroy(flow: *mut Flow) {
    drop(unsafe { Box::from_raw(flow) });
}

unsafe extern "C" fn limits(flow: *const Flow, limits: *mut Limits) {
    let (flow, limits) = unsafe { (&*flow, &mut *limits) };
    limits.window = (flow.window * flow.mss) as u64;
    if flow.ssthresh.is_finite() {
        limits.ssthresh = (flow.ssthresh * flow.mss) as u64;
    }
}

unsafe extern "C" fn acked(flow: *mut Flow, ack: *const Ack, _: *const Path, _: *const Packet, _: u64) {
    let (flow, ack) = unsafe { (&mut *flow, &*ack) };
    if flow.window >= flow.ssthresh {
        flow.window += ack.counted_size as f64 / flow.mss / flow.window;
    }
}

unsafe extern "C" fn lost(flow: *mut Flow, loss: *const Loss, _: *const Path, _: *const Packet, _: u64) {
    let (flow, loss) = unsafe { (&mut *flow, &*loss) };
    if loss.new_episode == 1 {
        flow.ssthresh = (flow.window / 2.0).max(2.0);
        flow.window = flow.ssthresh.min(flow.window);
    }
    if loss.cause == TIMEOUT {
        flow.window = 1.0;
    }
}

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static avoidance: Controller<Flow> = Controller {
    version: VERSION,
    ecn: 0,
    declines: PACKETS | RATE | SLOW_START | UNDO,
    parameters: std::ptr::null(),
    variables: std::ptr::null(),
    create,
    destroy,
    limits,
    acked,
    lost,
    sent: None,
    recovered: None,
    spurious: None,
    idle_restart: None,
    timer: None,
    observe: None,
    set: Some(set),
    copy: Some(copy),
};
