// SPDX-License-Identifier: Apache-2.0
//! Rules: a sender sends only what its application has written.

use crate::wire::{Halving, Wire, at, lossless, options};
use narrows_transport::{ConnectionState, Limit, RecoveryKind};
use narrows_units::Span;

/// A sender with a window of twenty packets, of which nothing is written.
fn waiting(segments: Option<u64>) -> Wire {
    let mut wire = Wire::new(options(RecoveryKind::Sack), Halving::fixed(20.0), segments, lossless);
    wire.sender.wait_for_offers();
    wire
}

#[test]
fn nothing_is_sent_before_it_is_written() {
    let mut wire = waiting(None);
    wire.run(at(500));
    assert!(wire.numbers().is_empty());
    assert_eq!(
        (wire.sender.state(), wire.sender.limited_by()),
        (ConnectionState::Established, Limit::Application)
    );
    wire.offer(3);
    assert_eq!(wire.numbers(), [0, 1, 2], "all at once, within the window");
    wire.run(at(1000));
    wire.offer(30);
    assert_eq!(wire.numbers().len(), 23, "the window permits twenty");
    assert_eq!(wire.sender.limited_by(), Limit::Window);
    wire.run(at(2000));
    assert_eq!(wire.numbers(), (0..33).collect::<Vec<_>>());
    assert_eq!(wire.sender.limited_by(), Limit::Application);
}

#[test]
fn data_written_before_the_connection_is_established_waits() {
    let mut wire = waiting(None);
    wire.offer(2);
    assert!(wire.numbers().is_empty());
    wire.run(at(500));
    assert_eq!(wire.numbers(), [0, 1]);
}

#[test]
fn a_finite_transfer_completes_once_all_of_it_is_written_and_acknowledged() {
    let mut wire = waiting(Some(5));
    wire.offer(4);
    assert!(!wire.complete(Span::from_ms(1000)));
    wire.offer(4);
    assert!(wire.complete(Span::from_ms(2000)));
    assert_eq!(wire.numbers(), [0, 1, 2, 3, 4]);
}
