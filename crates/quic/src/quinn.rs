// SPDX-License-Identifier: Apache-2.0
//! The stack `quinn-proto`.

mod api;
mod crypto;
#[path = "pair.rs"]
mod pair;

use quinn_proto as proto;

use crate::{HEADERS, LEAST_PAYLOAD};
use narrows_model::stack::{ProtocolStack, StackConnection, StackSetup};
use narrows_units::Bytes;

/// The stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quinn;

impl ProtocolStack for Quinn {
    fn name(&self) -> &'static str {
        "quinn"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["cubic", "newreno", "bbr"]
    }

    fn least_packet(&self) -> Bytes {
        Bytes::new(LEAST_PAYLOAD + HEADERS)
    }

    fn connection(&self, controller: &str, setup: &StackSetup) -> Box<dyn StackConnection> {
        Box::new(pair::Pair::new(setup, |seen| api::factory(controller, setup, seen)))
    }
}
