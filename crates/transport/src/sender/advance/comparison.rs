// SPDX-License-Identifier: Apache-2.0
//! The comparison of both paths in a debug build: a copy of the sender takes the long path, and must then be in the same state and
//! have sent and reported the same.

use crate::sender::Sender;
use crate::{Host, TransportEvent};
use narrows_units::Time;
use narrows_wire::Packet;
use std::cell::Cell;
use std::fmt::Debug;

thread_local! {
    static COMPARES: Cell<bool> = const { Cell::new(true) };
}

/// Returns the result of `run`, in which nothing is compared: for a test of the memory that the short path takes.
#[doc(hidden)]
pub fn without_comparison<T>(run: impl FnOnce() -> T) -> T {
    COMPARES.set(false);
    let result = run();
    COMPARES.set(true);
    result
}

/// Whether both paths are compared at an acknowledgement that advances from segment `una` to `number`: if it passes a power of two,
/// which is early in every flow, or a multiple of [`STRIDE`].
pub(super) fn is_due(una: u64, number: u64) -> bool {
    (una.checked_ilog2() != number.checked_ilog2() || una / STRIDE != number / STRIDE) && COMPARES.get()
}

/// Segments from one comparison to the next.
const STRIDE: u64 = 1 << 10;

/// The packets and events of one path, and the host to which they are passed on.
struct Observed<'a, H> {
    host: Option<&'a mut H>,
    said: Vec<String>,
}

impl<H: Host> Host for Observed<'_, H> {
    fn send(&mut self, packet: Packet) {
        self.said.push(format!("{packet:?}"));
        if let Some(host) = &mut self.host {
            host.send(packet);
        }
    }

    fn notify(&mut self, event: TransportEvent) {
        self.said.push(format!("{event:?}"));
        if let Some(host) = &mut self.host {
            host.notify(event);
        }
    }
}

impl Sender {
    /// Carries out [`advance`](Self::advance), and compares it with the long path.
    ///
    /// # Panics
    ///
    /// If they differ.
    pub(super) fn advance_both_ways<H: Host>(
        &mut self,
        packet: &Packet,
        ce_packets: u16,
        now: Time,
        host: &mut H,
    ) -> bool {
        let mut long = self.clone();
        let mut observed = Observed { host: Some(host), said: Vec::new() };
        if !self.advance_shortly(packet, ce_packets, now, &mut observed) {
            return false;
        }
        // A controller behind the C interface cannot be copied: its copy has failed, and does not call the controller. One in
        // Python is notified of each packet, so that its flows take the long path only.
        if long.core().algorithm.failure().is_some() {
            return true;
        }
        let said = observed.said;
        let mut observed = Observed::<H> { host: None, said: Vec::new() };
        long.on_any_packet(packet, now, &mut observed);
        let differs = difference(&said, &observed.said).or_else(|| difference(self, &long));
        assert!(
            differs.is_none(),
            "the short path of the acknowledgement of all segments below {} differs from the long one in {}",
            packet.number,
            differs.unwrap_or_default()
        );
        true
    }
}

/// Returns where and how the values of both paths differ; `None` if they are equal.
fn difference(short: &impl Debug, long: &impl Debug) -> Option<String> {
    if format!("{short:?}") == format!("{long:?}") {
        return None;
    }
    let (short, long) = (format!("{short:#?}"), format!("{long:#?}"));
    let mut path: Vec<(usize, &str)> = Vec::new();
    let (mut lines, mut others) = (short.lines(), long.lines());
    loop {
        let (line, other) = (lines.next().unwrap_or_default(), others.next().unwrap_or_default());
        let depth = line.len() - line.trim_start().len();
        path.retain(|(above, _)| *above < depth);
        if line != other {
            let fields: Vec<&str> = path.iter().map(|(_, field)| *field).collect();
            return Some(format!("{}: `{}`, not `{}`", fields.join(" "), line.trim(), other.trim()));
        }
        path.push((depth, line.trim().trim_end_matches([' ', '{', '(', '[', ':'])));
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn a_difference_is_named_by_its_field() {
        let left = (1, vec![Some(2), None]);
        assert_eq!(difference(&left, &left), None);
        let words = difference(&left, &(1, vec![Some(3), None])).expect("they differ");
        assert!(words.contains("Some") && words.ends_with("`2,`, not `3,`"), "{words}");
        let words = difference(&left, &(1, vec![Some(2)])).expect("they differ");
        assert!(words.ends_with("`None,`, not `],`"), "{words}");
    }
}
