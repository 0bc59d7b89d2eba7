// SPDX-License-Identifier: Apache-2.0
//! The entry of an algorithm in the catalogue, which its file exports: card, needs and constructor.

use crate::{CongestionControl, Needs, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values};

/// The catalogue entry of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name, source, equations, parameters and deviations.
    pub card: Card,
    /// Style of its lines in figures; `None` for a style that follows from the letters of its name.
    pub style: Option<Style>,
    /// Function from parameters to the algorithm's requirements on the host.
    pub needs: fn(&Values) -> Needs,
    /// Builds an instance for one flow from the values of the parameters.
    pub build: fn(&Values, &Setup) -> Box<dyn CongestionControl>,
}
