//! Rules of the scoreboard, its counts against a recount, and the bound on its work.

use super::{Delivery, Scoreboard, State};
use crate::transfer::Transfer;
use narrows_units::{Bytes, Time};
use narrows_wire::Block;
use proptest::prelude::*;

fn board(sent: u64) -> Scoreboard {
    let mut board = Scoreboard::new(Transfer::new(None, Bytes::new(1_000)), false, false);
    for number in 0..sent {
        board.on_sent(Time::from_ps(number));
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
    assert_eq!(board.declare_lost_below_third(), 0);
    sack(&mut board, 7, 8);
    assert_eq!(board.declare_lost_below_third(), 1);
    assert_eq!(board.next_lost(), Some(0));
    sack(&mut board, 9, 10);
    assert_eq!(board.declare_lost_below_third(), 2);
    assert_eq!(board.in_flight(), 10 - 4 - 3);
}

#[test]
fn lost_segments_go_again_lowest_first_also_those_lost_again() {
    let mut board = board(10);
    sack(&mut board, 5, 10);
    board.declare_lost_below_third();
    for expected in 0..3 {
        assert_eq!(board.next_lost(), Some(expected));
        board.on_resent(expected, Time::from_ps(100));
    }
    board.declare_lost(1);
    assert_eq!(board.next_lost(), Some(1));
    board.on_resent(1, Time::from_ps(101));
    assert_eq!(board.next_lost(), Some(3));
}

#[test]
fn a_segment_sent_again_in_doubt_counts_twice_until_it_is_lost() {
    let mut board = board(10);
    sack(&mut board, 5, 6);
    sack(&mut board, 9, 10);
    assert_eq!((board.first_doubtful(0), board.first_doubtful(5), board.in_flight()), (Some(0), Some(6), 8));
    board.double(0);
    board.on_resent(0, Time::from_ps(50));
    assert_eq!((board.first_doubtful(0), board.in_flight(), board.unrepaired()), (Some(1), 9, 0));
    sack(&mut board, 7, 8);
    // Five are lost, of which one is on its way again.
    assert_eq!(board.declare_lost_below_third(), 5);
    assert_eq!((board.in_flight(), board.unrepaired(), board.next_lost()), (3, 5, Some(1)));
}

#[test]
fn the_highest_missing_segment_is_found_below_what_arrived() {
    let mut board = board(10);
    assert_eq!(board.highest_missing(), Some(9));
    sack(&mut board, 7, 10);
    assert_eq!(board.highest_missing(), Some(6));
    acknowledge(&mut board, 10);
    assert_eq!(board.highest_missing(), None);
}

#[test]
fn a_retransmitted_segment_gives_no_sample_and_tells_no_reordering() {
    let mut board = board(10);
    sack(&mut board, 1, 4);
    board.declare_lost_below_third();
    board.on_resent(0, Time::from_ps(50));
    let delivery = acknowledge(&mut board, 4);
    assert_eq!((delivery.advanced, delivery.newly_acked), (4, 1));
    assert!(delivery.any_resent && !delivery.reordered);
}

#[test]
fn an_overtaken_segment_tells_reordering() {
    let mut board = board(10);
    sack(&mut board, 1, 4);
    let delivery = acknowledge(&mut board, 4);
    assert!(delivery.reordered);
    assert_eq!(delivery.newest.map(|newest| newest.number), Some(0));
}

#[test]
fn losses_that_are_taken_back_are_on_their_way_and_may_be_found_again() {
    let mut board = board(10);
    sack(&mut board, 4, 7);
    board.declare_all_lost();
    board.on_resent(0, Time::from_ps(50));
    board.take_back_losses();
    assert_eq!((board.in_flight(), board.unrepaired(), board.next_lost()), (7, 1, None));
    assert_eq!(board.on_their_way().map(|(number, _)| number).collect::<Vec<_>>(), [0, 1, 2, 3, 7, 8, 9]);
    assert_eq!(board.declare_lost_below_third(), 3);
}

#[test]
fn after_a_timeout_all_that_has_not_arrived_goes_again_in_order() {
    let mut board = board(6);
    sack(&mut board, 2, 5);
    board.declare_lost_below_third();
    board.on_resent(0, Time::from_ps(20));
    assert_eq!(board.declare_all_lost(), 2);
    let mut order = Vec::new();
    while let Some(number) = board.next_lost() {
        board.on_resent(number, Time::from_ps(30));
        order.push(number);
    }
    assert_eq!(order, [0, 1, 5]);
}

/// Windows of 100,000 segments in which every second one is lost; each acknowledgement reports three blocks, most of them
/// again; holes are repaired in order, each repair moving the cumulative point. The bound is a few steps per event.
#[test]
fn the_work_per_acknowledgement_does_not_grow_with_the_window() {
    let per_event = |window: u64| {
        let mut board = board(window);
        let mut events = window;
        for number in (1..window).step_by(2) {
            let oldest = (number / 2) % 1_000 * 2 + 1;
            sack(&mut board, number, number + 1);
            sack(&mut board, number.saturating_sub(2).max(1), number.saturating_sub(2).max(1) + 1);
            sack(&mut board, oldest.min(number), oldest.min(number) + 1);
            board.declare_lost_below_third();
            events += 1;
        }
        while let Some(number) = board.next_lost() {
            board.on_resent(number, Time::from_ps(window));
            acknowledge(&mut board, number + 2);
            // The whole rest is reported as if it were one block, though holes remain: many paths to compress.
            board.declare_lost_below_third();
            events += 1;
        }
        board.steps as f64 / events as f64
    };
    let (small, large) = (per_event(1_000), per_event(100_000));
    assert!(large < 5.0 && large < small * 1.1, "{small} and {large} steps per event");
}

/// One long run grows by a segment per acknowledgement and is reported from its start each time.
#[test]
fn a_block_that_grows_costs_a_constant_per_report() {
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
    Resend,
    Acknowledge(u64),
    Sack(u64, u64),
    Mark,
    LoseFirst,
    Double,
    Timeout,
    TakeBack,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => Just(Event::Send),
        3 => Just(Event::Resend),
        1 => (0_u64..6).prop_map(Event::Acknowledge),
        4 => (1_u64..80, 1_u64..8).prop_map(|(offset, length)| Event::Sack(offset, length)),
        2 => Just(Event::Mark),
        1 => Just(Event::LoseFirst),
        2 => Just(Event::Double),
        1 => Just(Event::Timeout),
        1 => Just(Event::TakeBack),
    ]
}

proptest! {
    // Property: the incremental counts equal a recount, and the lowest lost segment is found, after any events.
    #[test]
    fn counts_equal_a_recount(events in prop::collection::vec(event(), 0..400)) {
        let mut board = board(0);
        for (step, event) in events.into_iter().enumerate() {
            match event {
                Event::Send => { board.on_sent(Time::from_ps(step as u64)); }
                Event::Resend => if let Some(number) = board.next_lost() {
                    board.on_resent(number, Time::from_ps(step as u64));
                },
                Event::Acknowledge(by) => { let to = (board.una + by).min(board.next); acknowledge(&mut board, to); }
                Event::Sack(offset, length) => {
                    let start = board.una + offset;
                    sack(&mut board, start, start + length);
                }
                Event::Mark => { board.declare_lost_below_third(); }
                Event::LoseFirst => if board.outstanding() > 0 && board.at(board.una).state.is_in_flight() {
                    board.declare_lost(board.una);
                },
                Event::Double => if let Some(number) = board.first_doubtful(0) { board.double(number); },
                Event::TakeBack => board.take_back_losses(),
                Event::Timeout => { board.declare_all_lost(); }
            }
            let doubled = recount(&board, |state| state == State::Doubled);
            prop_assert_eq!(board.in_flight(), recount(&board, State::is_in_flight) + doubled);
            prop_assert_eq!(board.resent, recount(&board, |state| state == State::Resent));
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
