// SPDX-License-Identifier: Apache-2.0
//! A queue discipline of the kernel as the queue of a link.

use crate::interface::Queues;
use crate::packets::Shared;
use narrows_linux::queues::KernelQueue;
use narrows_qdisc::{Backlog, Context, DropReason, QueueDiscipline};
use narrows_units::{Span, Time};
use narrows_wire::Packet;
use std::ffi::CString;

/// A queue of the kernel. Which packet waits, is dropped or marked, and which leaves next, the kernel decides.
#[derive(Debug)]
pub struct InKernel {
    number: u32,
    queues: Queues,
    packets: Shared,
    /// The waiting packets, by number.
    waiting: Vec<Option<Packet>>,
    backlog: Backlog,
    /// Time at which a queue that lets no packet leave is asked again.
    wake: Option<Time>,
}

impl InKernel {
    /// Creates an empty queue like `queue`, the kernel's queue `number`.
    pub fn new(number: u32, queue: &KernelQueue, queues: Queues, packets: Shared) -> Self {
        let kind = CString::new(queue.kind).unwrap_or_default();
        (queues.make)(number, kind.as_ptr(), queue.attributes.as_ptr(), queue.attributes.len() as u32);
        Self { number, queues, packets, waiting: Vec::new(), backlog: Backlog::default(), wake: None }
    }

    fn take(&mut self, number: u32) -> Option<Packet> {
        let packet = self.waiting.get_mut(number as usize)?.take()?;
        self.backlog.packets -= 1;
        self.backlog.bytes = self.backlog.bytes.saturating_sub(packet.size());
        Some(packet)
    }

    /// Reports the packets that the kernel has dropped.
    fn settle(&mut self, context: &mut Context<'_>) {
        let mut number = 0;
        while (self.queues.dropped)(&mut number) != 0 {
            if let Some(packet) = self.take(number) {
                self.packets.forget(packet.number);
                context.drop(&packet, DropReason::Early);
            }
        }
    }
}

impl QueueDiscipline for InKernel {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        let number = packet.number as usize;
        if self.waiting.len() <= number {
            self.waiting.resize(number + 1, None);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        self.waiting[number] = Some(packet);
        (self.queues.enqueue)(self.number, self.packets.buffer(packet.number), number as u32);
        self.settle(context);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let (mut number, mut ecn) = (0, 0);
        let left = (self.queues.dequeue)(self.number, &mut number, &mut ecn) != 0;
        self.settle(context);
        self.wake = (!left && self.backlog.packets > 0).then(|| context.now + RETRY);
        let mut packet = self.take(number).filter(|_| left)?;
        if ecn == CE && packet.ecn.is_capable() && packet.ecn != narrows_wire::Ecn::Ce {
            context.mark(&mut packet);
        }
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn next_wake(&self) -> Option<Time> {
        self.wake
    }

    fn on_wake(&mut self, _: &mut Context<'_>) {
        self.wake = None;
    }
}

/// The ECN field of a marked packet.
const CE: u8 = 3;

/// A discipline that paces flows lets none leave for a while, and does not say for how long.
const RETRY: Span = Span::from_us(100);
