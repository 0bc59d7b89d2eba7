// SPDX-License-Identifier: Apache-2.0
//! A check that time never decreases.

use narrows_units::Time;

/// The time up to which an entity has acted; only present with debug assertions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    #[cfg(debug_assertions)]
    now: Time,
}

impl Clock {
    /// Advances the clock to `now`.
    ///
    /// # Panics
    ///
    /// In debug builds, if `now` is before the time of the last call.
    #[inline]
    #[cfg_attr(not(debug_assertions), expect(clippy::unused_self, reason = "nothing is asserted"))]
    pub fn advance(&mut self, now: Time) {
        #[cfg(debug_assertions)]
        {
            assert!(self.now <= now, "a clock never runs back: {:?} after {:?}", now, self.now);
            self.now = now;
        }
        #[cfg(not(debug_assertions))]
        let _ = now;
    }
}
