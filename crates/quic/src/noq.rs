// SPDX-License-Identifier: Apache-2.0
//! The stack `noq-proto`.

mod api;
mod crypto;
#[path = "pair.rs"]
mod pair;

use noq_proto as proto;

use crate::{HEADERS, LEAST_PAYLOAD};
use narrows_model::stack::{ProtocolStack, StackConnection, StackSetup};
use narrows_units::Bytes;

/// The stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noq;

impl ProtocolStack for Noq {
    fn name(&self) -> &'static str {
        "noq"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["cubic", "newreno", "bbr3"]
    }

    fn least_packet(&self) -> Bytes {
        Bytes::new(LEAST_PAYLOAD + HEADERS)
    }

    fn connection(&self, controller: &str, setup: &StackSetup) -> Box<dyn StackConnection> {
        Box::new(pair::Pair::new(setup, |seen| api::factory(controller, setup, seen)))
    }
}
