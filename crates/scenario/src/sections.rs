// SPDX-License-Identifier: Apache-2.0
//! The tables of a scenario file: keys, their resolved values, and their descriptions.

mod algorithm;
mod application;
mod distribution;
pub mod expect;
pub mod flow;
mod impairment;
pub mod link;
pub mod linux;
mod loss;
pub mod network;
mod overhead;
pub mod path;
pub mod preset;
pub mod program;
mod rate;
pub mod record;
pub mod root;
mod source;
pub mod stack;
mod transfers;
pub mod transport;
