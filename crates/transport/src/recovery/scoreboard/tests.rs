// SPDX-License-Identifier: Apache-2.0
//! Rules of the scoreboard, its counts against a recount, and the bound on its steps.

use super::{Delivery, Scoreboard, State};
use crate::transfer::Transfer;
use narrows_units::{Bytes, Time};
use narrows_wire::Block;
use proptest::prelude::*;

fn board(sent: u64) -> Scoreboard {
    let mut board = Scoreboard::new(Transfer::new(None, Bytes::new(1_000)), false, false);
    for number in 0..sent {
        board.on_sent(0, Time::from_ps(number));
    }
    board
}

fn sack(board: &mut Scoreboard, start: u64, end: u64) -> u64 {
    let mut delivery = Delivery::default();
    board.sack(Block { start, end }, &mut delivery);
    delivery.newly_sacked
}

fn acknowledge(board: &mut Scoreboard, to: u64) -> Delivery {
    let mut delivery = Delivery::default();
    board.acknowledge(to, &mut delivery);
    delivery
}

fn recount(board: &Scoreboard, wanted: impl Fn(State) -> bool) -> u64 {
    (board.una..board.next).filter(|&number| wanted(board.at(number).state)).count() as u64
}

#[test]
fn a_block_counts_each_segment_once_however_often_it_is_reported() {
    let mut board = board(10);
    assert_eq!(sack(&mut board, 3, 5), 2);
    assert_eq!(sack(&mut board, 3, 5), 0);
    assert_eq!(sack(&mut board, 2, 8), 4);
    assert_eq!((board.sacked(), board.in_flight()), (6, 4));
}

#[test]
fn a_segment_is_lost_once_three_above_it_have_arrived() {
    let mut board = board(10);
    sack(&mut board, 1, 2);
    sack(&mut board, 4, 5);
    assert_eq!(board.declare_sack_losses(), 0);
    sack(&mut board, 7, 8);
    assert_eq!(board.declare_sack_losses(), 1);
    assert_eq!(board.next_lost(), Some(0));
    sack(&mut board, 9, 10);
    assert_eq!(board.declare_sack_losses(), 2);
    assert_eq!(board.in_flight(), 10 - 4 - 3);
}

#[test]
fn lost_segments_are_retransmitted_lowest_first_lost_retransmissions_too() {
    let mut board = board(10);
    sack(&mut board, 5, 10);
    board.declare_sack_losses();
    for expected in 0..3 {
        assert_eq!(board.next_lost(), Some(expected));
        board.on_retransmitted(expected, 0, Time::from_ps(100));
    }
    board.declare_lost(1);
    assert_eq!(board.next_lost(), Some(1));
    board.on_retransmitted(1, 0, Time::from_ps(101));
    assert_eq!(board.next_lost(), Some(3));
}

#[test]
fn a_segment_retransmitted_while_in_flight_counts_twice_until_it_is_lost() {
    let mut board = board(10);
    sack(&mut board, 5, 6);
    sack(&mut board, 9, 10);
    assert_eq!(
        (board.first_hole_in_flight(0), board.first_hole_in_flight(5), board.in_flight()),
        (Some(0), Some(6), 8)
    );
    board.count_twice(0);
    board.on_retransmitted(0, 0, Time::from_ps(50));
    assert_eq!((board.first_hole_in_flight(0), board.in_flight(), board.unrepaired()), (Some(1), 9, 0));
    sack(&mut board, 7, 8);
    // Five segments are lost, one of which is in flight as a retransmission.
    assert_eq!(board.declare_sack_losses(), 5);
    assert_eq!((board.in_flight(), board.unrepaired(), board.next_lost()), (3, 5, Some(1)));
}

#[test]
fn the_highest_unsacked_segment_is_below_the_sacked_ones() {
    let mut board = board(10);
    assert_eq!(board.highest_unsacked(), Some(9));
    sack(&mut board, 7, 10);
    assert_eq!(board.highest_unsacked(), Some(6));
    acknowledge(&mut board, 10);
    assert_eq!(board.highest_unsacked(), None);
}

#[test]
fn a_retransmitted_segment_yields_no_sample_and_is_not_reordered() {
    let mut board = board(10);
    sack(&mut board, 1, 4);
    board.declare_sack_losses();
    board.on_retransmitted(0, 0, Time::from_ps(50));
    let delivery = acknowledge(&mut board, 4);
    assert_eq!((delivery.advanced, delivery.newly_acked), (4, 1));
    assert!(delivery.any_retransmitted && !delivery.reordered);
}

#[test]
fn a_segment_acknowledged_after_a_higher_one_is_reordered() {
    let mut board = board(10);
    sack(&mut board, 1, 4);
    let delivery = acknowledge(&mut board, 4);
    assert!(delivery.reordered);
    assert_eq!(delivery.newest.map(|newest| newest.number), Some(0));
}

#[test]
fn undone_losses_are_in_flight_and_may_be_declared_lost_again() {
    let mut board = board(10);
    sack(&mut board, 4, 7);
    board.declare_all_lost();
    board.on_retransmitted(0, 0, Time::from_ps(50));
    board.undo_losses();
    assert_eq!((board.in_flight(), board.unrepaired(), board.next_lost()), (7, 1, None));
    assert_eq!(
        board.in_flight_segments().map(|(number, _)| number).collect::<Vec<_>>(),
        [0, 1, 2, 3, 7, 8, 9]
    );
    assert_eq!(board.declare_sack_losses(), 3);
}

#[test]
fn after_a_timeout_all_segments_that_are_not_sacked_are_retransmitted_in_order() {
    let mut board = board(6);
    sack(&mut board, 2, 5);
    board.declare_sack_losses();
    board.on_retransmitted(0, 0, Time::from_ps(20));
    assert_eq!(board.declare_all_lost(), 2);
    let mut order = Vec::new();
    while let Some(number) = board.next_lost() {
        board.on_retransmitted(number, 0, Time::from_ps(30));
        order.push(number);
    }
    assert_eq!(order, [0, 1, 5]);
}

/// Windows of up to 100,000 segments in which every second segment is lost. Each acknowledgement carries three blocks,
/// most of which were reported before; holes are repaired in order, and each repair advances the cumulative
/// acknowledgement. The bound is a few steps per event.
#[test]
fn the_steps_per_acknowledgement_do_not_grow_with_the_window() {
    let per_event = |window: u64| {
        let mut board = board(window);
        let mut events = window;
        for number in (1..window).step_by(2) {
            let oldest = (number / 2) % 1_000 * 2 + 1;
            sack(&mut board, number, number + 1);
            sack(&mut board, number.saturating_sub(2).max(1), number.saturating_sub(2).max(1) + 1);
            sack(&mut board, oldest.min(number), oldest.min(number) + 1);
            board.declare_sack_losses();
            events += 1;
        }
        while let Some(number) = board.next_lost() {
            board.on_retransmitted(number, 0, Time::from_ps(window));
            acknowledge(&mut board, number + 2);
            board.declare_sack_losses();
            events += 1;
        }
        board.steps as f64 / events as f64
    };
    let (small, large) = (per_event(1_000), per_event(100_000));
    assert!(large < 5.0 && large < small * 1.1, "{small} and {large} steps per event");
}

/// A run grows by one segment per acknowledgement and is reported from its start each time.
#[test]
fn a_growing_block_costs_constant_steps_per_report() {
    let per_event = |window: u64| {
        let mut board = board(window);
        for end in 2..=window {
            sack(&mut board, 1, end);
        }
        board.steps as f64 / window as f64
    };
    let (small, large) = (per_event(1_000), per_event(100_000));
    assert!(large < 6.0 && large < small * 1.1, "{small} and {large} steps per report");
}

#[derive(Clone, Debug)]
enum Event {
    Send,
    Retransmit,
    Acknowledge(u64),
    Sack(u64, u64),
    Mark,
    LoseFirst,
    RetransmitInFlight,
    Timeout,
    Undo,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => Just(Event::Send),
        3 => Just(Event::Retransmit),
        1 => (0_u64..6).prop_map(Event::Acknowledge),
        4 => (1_u64..80, 1_u64..8).prop_map(|(offset, length)| Event::Sack(offset, length)),
        2 => Just(Event::Mark),
        1 => Just(Event::LoseFirst),
        2 => Just(Event::RetransmitInFlight),
        1 => Just(Event::Timeout),
        1 => Just(Event::Undo),
    ]
}

proptest! {
    // The incremental counts equal a recount, and the lowest lost segment is found, after any events.
    #[test]
    fn counts_equal_a_recount(events in prop::collection::vec(event(), 0..400)) {
        let mut board = board(0);
        for (step, event) in events.into_iter().enumerate() {
            match event {
                Event::Send => { board.on_sent(0, Time::from_ps(step as u64)); }
                Event::Retransmit => if let Some(number) = board.next_lost() {
                    board.on_retransmitted(number, 0, Time::from_ps(step as u64));
                },
                Event::Acknowledge(by) => { let to = (board.una + by).min(board.next); acknowledge(&mut board, to); }
                Event::Sack(offset, length) => {
                    let start = board.una + offset;
                    sack(&mut board, start, start + length);
                }
                Event::Mark => { board.declare_sack_losses(); }
                Event::LoseFirst => if board.outstanding() > 0 && board.at(board.una).state.is_in_flight() {
                    board.declare_lost(board.una);
                },
                Event::RetransmitInFlight => if let Some(number) = board.first_hole_in_flight(0) { board.count_twice(number); },
                Event::Undo => board.undo_losses(),
                Event::Timeout => { board.declare_all_lost(); }
            }
            let twice = recount(&board, |state| state == State::InFlightTwice);
            prop_assert_eq!(board.in_flight(), recount(&board, State::is_in_flight) + twice);
            prop_assert_eq!(board.retransmitted, recount(&board, |state| state == State::Retransmitted));
            prop_assert_eq!(board.sacked(), recount(&board, |state| state == State::Sacked));
            prop_assert_eq!(board.lost, recount(&board, |state| state == State::Lost));
            let any_lost = board.next_lost();
            prop_assert_eq!(any_lost.is_some(), board.lost > 0);
            prop_assert!(any_lost.is_none_or(|number| board.at(number).state == State::Lost));
            let mut sacked = (board.una..board.next).rev().filter(|&n| board.at(n).state == State::Sacked);
            if let Some(third) = sacked.nth(2) {
                prop_assert_eq!(board.third_highest_sacked(), Some(third));
            }
        }
    }
}
