// SPDX-License-Identifier: Apache-2.0
//! The stack `noq-proto`. The controller `lia` is ours.

mod api;
mod crypto;
#[path = "datagrams.rs"]
mod datagrams;
mod lia;
#[path = "pair.rs"]
mod pair;
mod paths;
#[path = "side.rs"]
mod side;
#[path = "streams.rs"]
mod streams;

use noq_proto as proto;

use crate::{HEADERS, LEAST_PAYLOAD, hosted};
use narrows_model::algorithm::{Control, FlowStart, StackControl};
use narrows_model::stack::{ProtocolStack, StackConnection, StackSettings, StackSetup};
use narrows_units::Bytes;
use std::sync::Arc;

/// The stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noq;

impl ProtocolStack for Noq {
    fn name(&self) -> &'static str {
        "noq"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["cubic", "newreno", "bbr3", "lia"]
    }

    fn has_paths(&self) -> bool {
        true
    }

    fn least_packet(&self) -> Bytes {
        Bytes::new(LEAST_PAYLOAD + HEADERS)
    }

    fn defaults(&self, name: &str) -> StackSettings {
        side::defaults(name)
    }

    fn refusal(&self, algorithm: &Arc<Control>) -> Option<String> {
        hosted::refusal(algorithm, narrows_noq::STACK)
    }

    fn connection(
        &self,
        control: &StackControl,
        setup: &StackSetup,
        start: &FlowStart<'_>,
    ) -> Box<dyn StackConnection> {
        Box::new(pair::Pair::new(setup, control, start))
    }
}
