//! Rules: a sender sends what its application has written, and no more.

mod wire;

use narrows_transport::{ConnectionState, Limit, RecoveryKind};
use narrows_units::Span;
use wire::{Halving, Wire, at, lossless, options};

/// A window of twenty packets that no loss ever shrinks.
fn waiting(segments: Option<u64>) -> Wire {
    let mut wire = Wire::new(options(RecoveryKind::Sack), Halving::fixed(20.0), segments, lossless);
    wire.sender.wait_for_offers();
    wire
}

#[test]
fn nothing_leaves_before_it_is_written() {
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
    assert_eq!(wire.numbers().len(), 23, "the window lets twenty go");
    assert_eq!(wire.sender.limited_by(), Limit::Window);
    wire.run(at(2000));
    assert_eq!(wire.numbers(), (0..33).collect::<Vec<_>>());
    assert_eq!(wire.sender.limited_by(), Limit::Application);
}

#[test]
fn what_is_written_before_the_connection_is_open_waits_for_it() {
    let mut wire = waiting(None);
    wire.offer(2);
    assert!(wire.numbers().is_empty());
    wire.run(at(500));
    assert_eq!(wire.numbers(), [0, 1]);
}

#[test]
fn a_finite_transfer_ends_when_all_of_it_was_written_and_acknowledged() {
    let mut wire = waiting(Some(5));
    wire.offer(4);
    assert!(!wire.complete(Span::from_ms(1000)));
    wire.offer(4);
    assert!(wire.complete(Span::from_ms(2000)));
    assert_eq!(wire.numbers(), [0, 1, 2, 3, 4]);
}
