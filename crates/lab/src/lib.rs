// SPDX-License-Identifier: Apache-2.0
//! The library interface to all crates: from a scenario file to metrics.
//!
//! A [`scenario`] file is parsed and resolved into a [`model::Model`], which is always valid; a [`backend`] turns a model and
//! a replication into [`records`]; tables, metrics and checks are computed from the records. [`replication`] runs these steps.

pub mod replication;

/// Backends: implementations that can carry out a run.
pub use narrows_backend as backend;
/// Cards, parameters and their values.
pub use narrows_card as card;
/// The interface of algorithms and their entries in the catalogue, for hosts of external algorithms.
pub use narrows_cc as congestion_control;
/// The TCP of a Linux kernel in simulated time.
pub use narrows_linux as linux;
/// A checked and resolved scenario.
pub use narrows_model as model;
/// The algorithm of a group.
pub use narrows_model::algorithm;
/// Distributions and arrival processes.
pub use narrows_model::traffic;
/// Records: the results of a run.
pub use narrows_records as records;
/// Metrics of groups and links.
pub use narrows_records::metrics;
/// The scenario file.
pub use narrows_scenario as scenario;
/// The packet simulator.
pub use narrows_sim as sim;
/// Routers, links and routes.
pub use narrows_topology as topology;
/// Times, rates and sizes.
pub use narrows_units as units;

/// The queue disciplines: names, parameters, cards.
pub use narrows_qdisc::catalogue as queues;
