// SPDX-License-Identifier: Apache-2.0
//! Processor time of the calling thread.

#[cfg(not(target_family = "wasm"))]
use cpu_time::ThreadTime;

/// Measures the processor time of the thread that starts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuClock {
    #[cfg(not(target_family = "wasm"))]
    start: ThreadTime,
}

impl CpuClock {
    /// Starts the clock.
    pub fn start() -> Self {
        Self {
            #[cfg(not(target_family = "wasm"))]
            start: ThreadTime::now(),
        }
    }

    /// Returns the processor time of the calling thread since the start, seconds; 0 on WebAssembly, which has no such
    /// clock.
    #[cfg(not(target_family = "wasm"))]
    pub fn elapsed_s(self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Returns the processor time of the calling thread since the start, seconds; 0 on WebAssembly, which has no such
    /// clock.
    #[cfg(target_family = "wasm")]
    #[expect(clippy::unused_self, reason = "the interface of the other targets")]
    pub fn elapsed_s(self) -> f64 {
        0.0
    }
}
