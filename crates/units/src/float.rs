// SPDX-License-Identifier: Apache-2.0
//! Functions of floating-point numbers that `core` does not have. Their results are exact or correctly rounded (IEEE 754), so
//! they are the bits of the standard library's.

/// Methods of `f64` in the standard library, for programs without it.
pub trait Float: Copy {
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The largest integer that is not above.
    #[must_use]
    fn floor(self) -> Self;
    /// The smallest integer that is not below.
    #[must_use]
    fn ceil(self) -> Self;
    /// The nearest integer; half-way cases away from 0.
    #[must_use]
    fn round(self) -> Self;
    /// The part behind the point, with the sign.
    #[must_use]
    fn fract(self) -> Self;
}

impl Float for f64 {
    fn sqrt(self) -> Self {
        libm::sqrt(self)
    }

    fn floor(self) -> Self {
        libm::floor(self)
    }

    fn ceil(self) -> Self {
        libm::ceil(self)
    }

    fn round(self) -> Self {
        libm::round(self)
    }

    fn fract(self) -> Self {
        self - libm::trunc(self)
    }
}
