// SPDX-License-Identifier: Apache-2.0
//! Servers that publish groups of frames, over streams or in datagrams of a stack.

use super::Servers;
use crate::notice::Notice;
use crate::workload::kind::WorkloadContext;
use narrows_model::application::{Delivery, Frame, Observation};
use narrows_transport::{DATAGRAMS, PUSHED, StackPart};
use narrows_units::Bytes;

impl Servers<'_> {
    /// Captures the frame of the server in `slot` that is due, and gives up what its deadlines forbid to send.
    pub(super) fn publish(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let Some(mut publisher) = self.server(slot).publisher.take() else { return };
        // It captures nothing more for a connection that has ended.
        let Some(host) = context.connections.open_host(slot) else { return };
        let (now, sent) = (context.now, host.sent_of_parts().count());
        let first = first(publisher.delivery());
        while let Some((carrier, end)) = publisher.expired(now) {
            let end = Bytes::new(end);
            context.at_host(slot, |host, cx| host.expire_part(first + carrier, end, now, cx));
        }
        let captured = (publisher.next_frame() <= now).then(|| publisher.capture(now, sent));
        self.server(slot).publisher = Some(publisher);
        let Some((frame, observation)) = captured else { return context.settle(self, slot) };
        let client = self.side.client(slot);
        let is_first = first == PUSHED && frame.end == frame.size.count();
        for observation in [Some(observation), is_first.then_some(Observation::Stream)].into_iter().flatten()
        {
            self.side.observe(client, observation, now, context.connections);
        }
        let Frame { carrier, size, end, last, dropped } = frame;
        let part = StackPart { stream: first + carrier, size: Some(size), last };
        // The viewer waits for a frame that does not arrive, too.
        let end = if dropped { u64::MAX } else { end };
        self.send(slot, (first + carrier, end), Some(part).filter(|_| !dropped), context);
    }

    /// The stack has reset `stream` of the server in `slot`, of which it had sent `sent`, and not `unsent`.
    pub(super) fn give_up(
        &mut self,
        slot: u32,
        stream: u64,
        (sent, unsent): (Bytes, Bytes),
        context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        if let Some(publisher) = &mut self.server(slot).publisher {
            publisher.on_reset(stream - first(publisher.delivery()), unsent.count());
        }
        if stream < DATAGRAMS {
            let client = self.side.client(slot);
            self.side.observe(client, Observation::Reset(sent), context.now, context.connections);
        }
        context.announce(slot, Notice::Reset(stream, sent.count()));
    }
}

/// The first number of what carries frames.
fn first(delivery: Delivery) -> u64 {
    match delivery {
        Delivery::Streams => PUSHED,
        Delivery::Datagrams => DATAGRAMS,
    }
}
