// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The meaning of the two formats, as in *The ns Manual*, chapter "Tmix", and their
//! errors.

use super::parse;
use narrows_model::traffic::{After, Connection, Side, Write};
use narrows_units::{Bytes, Span};

fn us(us: u64) -> Span {
    Span::from_ps(us * 1_000_000)
}

fn write(size: u64, after: After, wait: u64) -> Write {
    Write { size: Bytes::new(size), after, wait: us(wait) }
}

fn side(window: u64, writes: &[Write]) -> Side {
    Side { writes: writes.into(), window: Some(Bytes::new(window)) }
}

fn received(bytes: u64) -> After {
    After::Received(Bytes::new(bytes))
}

fn sequential() -> Connection {
    Connection {
        start: us(2_500),
        rtt: Some(us(40_000)),
        sides: [
            side(64_000, &[write(300, After::Start, 0), write(90, received(7_000), 250_000)]),
            side(6_000, &[write(7_000, received(300), 10_000), write(5, received(390), 0)]),
        ],
    }
}

fn concurrent() -> Connection {
    Connection {
        start: us(1_000_000),
        rtt: None,
        sides: [
            side(1, &[write(20, After::Start, 0), write(30, After::Written, 800)]),
            side(2, &[write(4_000, After::Start, 15)]),
        ],
    }
}

fn connections(text: &str) -> Result<Vec<Connection>, String> {
    parse(text).map(|recorded| recorded.connections)
}

#[test]
fn what_has_no_effect_is_counted() {
    let recorded =
        parse("SEQ 0 1\nl 0.1 0\nm 1460 536\n> 1\nSEQ 1 1\nl 0.0 0\n< 1").expect("two connections");
    assert_eq!((recorded.losses, recorded.segments), (1, 1));
}

#[test]
fn the_original_format_says_which_side_waits() {
    let text = "
        # two exchanges and a time before the end
        SEQ 2500 2 7 8
        w 64000 6000
        r 40000
        l 0.01 0.000
        > 300      # a request
        t 10000
        < 7000
        t 250000
        > 90
        < 5
        t 4

        CONC 1000000 2 1 7 9
        m 1460 1460
        w 1 2
        c> 20
        t< 15
        t> 800
        c> 30
        c< 4000
        t> 12
    ";
    assert_eq!(connections(text), Ok(vec![sequential(), concurrent()]));
}

#[test]
fn the_alternate_format_says_the_same() {
    let text = "
        S 2500 2 7 8
        w 64000 6000
        r 40000
        l 0.01 0
        I 0 0 300
        A 0 10000 7000
        I 0 250000 90
        A 0 0 5
        A 4 0 0
        C 1000000 2 1 7 9
        w 1 2
        I 0 0 20
        A 15 0 4000
        I 800 0 30
        I 12 0 0
    ";
    assert_eq!(connections(text), Ok(vec![sequential(), concurrent()]));
}

#[test]
fn two_units_of_one_side_in_a_row_are_counted_from_the_first() {
    let writes = [write(10, After::Start, 0), write(20, After::Written, 5)];
    let answer = [write(30, received(30), 7)];
    for text in ["SEQ 0 2\n> 10\nt 5\n> 20\nt 7\n< 30", "S 0 2\nI 0 0 10\nI 5 0 20\nA 0 7 30"] {
        let sides = connections(text).expect("it is sound").remove(0).sides;
        assert_eq!((&*sides[0].writes, &*sides[1].writes), (&writes[..], &answer[..]), "{text}");
    }
}

#[test]
fn faults_name_their_line() {
    let faults = [
        ("", "it has no connections"),
        ("# nothing", "it has no connections"),
        ("> 10", "line 1: a line before the first connection, which begins with SEQ, CONC, S or C"),
        ("SEQ 10", "line 1: a connection needs a start in microseconds and a number of exchanges"),
        ("CONC 10 1", "line 1: a connection needs a start in microseconds and two numbers of units"),
        ("SEQ -1 1\n> 10", "line 1: no whole number up to 1000000000000"),
        ("SEQ 0 1\nc> 10", "line 2: it does not begin with one of w, r, l, m, >, < and t"),
        ("S 0 1\n> 10", "line 2: it does not begin with one of w, r, l, m, I and A"),
        ("SEQ 0 1\nw 10", "line 2: w needs 2 numbers behind it, and has 1"),
        ("SEQ 0 1\nl 0 2", "line 2: no loss rate from 0 to 1"),
        ("SEQ 0 1\nt 10", "line 2: a time before anything was written"),
        ("SEQ 0 1\nw 1 1\nw 1 1\n> 1", "line 3: a second one, where there is one already"),
        ("SEQ 0 1\nr 1\nr 2\n> 1", "line 3: a second one, where there is one already"),
        ("SEQ 0 1\n> 1\nt 2\nt 3", "line 4: a second one, where there is one already"),
        ("SEQ 0 1\n> 0\n> 5", "line 3: more of a side that has closed the connection with 0 bytes"),
        ("C 0 1 1\nI 0 0 1\nA 0 5 1", "line 3: in a concurrent connection neither side waits for the other"),
        ("S 0 1\nI 5 5 1", "line 2: it waits for its own write and for the other's"),
        (
            "SEQ 0 3\n> 1\n< 1",
            "line 1: a connection of 3, but 1 units of its initiator and 1 of its acceptor follow",
        ),
        (
            "CONC 0 2 1\nc> 1\nc< 1",
            "line 1: a connection of 2 and 1, but 1 units of its initiator and 1 of its acceptor follow",
        ),
        ("SEQ 0 0", "line 1: a connection of 0, but 0 units of its initiator and 0 of its acceptor follow"),
    ];
    for (text, fault) in faults {
        assert_eq!(connections(text), Err(fault.to_owned()), "{text}");
    }
}
