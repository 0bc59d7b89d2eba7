// SPDX-License-Identifier: Apache-2.0
//! A link: the queue in front of it, the serialiser, loss and impairments, and propagation.

mod arrival_queue;
mod capacity;
mod fifo;
mod stepped;
mod transmitter;

pub(crate) use arrival_queue::{ArrivalQueue, make_room};
pub(crate) use capacity::{Capacity, Probe};
pub(crate) use fifo::Fifo;
pub(crate) use stepped::{Bound, Stepped};
pub(crate) use transmitter::{Service, Transmitter};
