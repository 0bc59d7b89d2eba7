// SPDX-License-Identifier: Apache-2.0
//! The floating-point mode of this thread: rounding, exceptions, and whether small numbers are flushed to zero. A library may set it, even when
//! it is loaded, and the results of the host would depend on it.

use std::sync::atomic::{Ordering, compiler_fence};

/// Returns the result of `call`, after which the mode is as before.
#[inline]
pub fn kept<T>(call: impl FnOnce() -> T) -> T {
    let before = Mode::present();
    compiler_fence(Ordering::SeqCst);
    let returned = call();
    compiler_fence(Ordering::SeqCst);
    if Mode::present() != before {
        before.set();
    }
    returned
}

/// The bits that decide how numbers are computed, without those that record exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mode {
    /// MXCSR of x86-64, or FPCR.
    vector: u64,
    /// The control word of the x87.
    x87: u16,
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the registers of this thread are read, and set to values that they had")]
impl Mode {
    fn present() -> Self {
        let (mut mxcsr, mut x87) = (0_u32, 0_u16);
        // SAFETY: both instructions write to the memory that they are given, of this size.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
            std::arch::asm!("fnstcw [{}]", in(reg) &raw mut x87, options(nostack, preserves_flags));
        }
        Self { vector: u64::from(mxcsr & !EXCEPTIONS), x87 }
    }

    #[cold]
    fn set(self) {
        let (mxcsr, x87) = (self.vector as u32, self.x87);
        // SAFETY: both instructions read from the memory that they are given, which has a mode of this thread.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags, readonly));
            std::arch::asm!("fldcw [{}]", in(reg) &raw const x87, options(nostack, preserves_flags, readonly));
        }
    }
}

/// The bits of MXCSR that record exceptions.
#[cfg(target_arch = "x86_64")]
const EXCEPTIONS: u32 = 0x3f;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "a register of this thread is read, and set to a value that it had")]
impl Mode {
    fn present() -> Self {
        let vector: u64;
        // SAFETY: the register can be read anywhere.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) vector, options(nomem, nostack, preserves_flags)) };
        Self { vector, x87: 0 }
    }

    #[cold]
    fn set(self) {
        // SAFETY: the value is one that the register had.
        unsafe {
            std::arch::asm!("msr fpcr, {}", in(reg) self.vector, options(nomem, nostack, preserves_flags))
        };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Mode {
    fn present() -> Self {
        Self { vector: 0, x87: 0 }
    }

    fn set(self) {}
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::{Mode, kept};

    #[test]
    fn a_mode_that_a_call_sets_ends_with_it() {
        let before = Mode::present();
        // Rounding towards zero.
        let other = Mode {
            vector: before.vector | if cfg!(target_arch = "x86_64") { 0x6000 } else { 0xc0_0000 },
            ..before
        };
        let tenth = || std::hint::black_box(std::hint::black_box(1.0) / std::hint::black_box(10.0_f64));
        let (inside, outside) = (
            kept(|| {
                other.set();
                tenth()
            }),
            tenth(),
        );
        assert!(inside < outside, "{inside} {outside}");
        assert_eq!(Mode::present(), before);
    }
}
