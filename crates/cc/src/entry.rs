//! The entry of an algorithm in the catalogue, which its file exports: card, needs and constructor.

use crate::{CongestionControl, Needs, Setup};
use narrows_card::{Card, Values};

/// An algorithm of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name, source, equations, parameters.
    pub card: Card,
    /// What the host must provide for the algorithm with these parameters.
    pub needs: fn(&Values) -> Needs,
    /// Builds the algorithm from checked parameters for one flow.
    pub build: fn(&Values, &Setup) -> Box<dyn CongestionControl>,
}
