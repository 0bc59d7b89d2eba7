//! From a scenario to records and metrics.
//!
//! The data goes one way: a [`scenario`] file is parsed and resolved into a [`model::Model`] in which nothing can be
//! invalid; [`run::simulate`] turns a model and a replication into counts ([`records`]); [`metrics`] makes named numbers of
//! them. [`replication::run`] does both. [`link`] and [`network`] hold what a link does over time and how links are laid
//! out.

pub mod algorithm;
pub mod link;
pub mod metrics;
pub mod model;
pub mod network;
pub mod records;
pub mod replication;
pub mod run;
pub mod scenario;
pub mod trace;
pub mod traffic;
pub mod vectors;

/// What an algorithm is told and asked, for hosts of guests.
pub use narrows_cc as congestion_control;
/// Times, rates and sizes.
pub use narrows_units as units;

/// The algorithms of congestion control: names, parameters, cards.
pub use narrows_cc::catalogue as algorithms;
/// The queue disciplines: names, parameters, cards.
pub use narrows_qdisc::catalogue as queues;
