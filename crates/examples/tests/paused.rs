// SPDX-License-Identifier: Apache-2.0
//! A bottleneck with CoDel between two tasks of tokio, whose time is paused: the test takes no time, and gives the same result always.

use narrows_link::{Config, Fate, Link, Stream};
use narrows_qdisc::{Discipline, Scale, catalogue};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Packet;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// The packets that the program under test sends.
#[derive(Debug)]
struct Message {
    number: u64,
    sent: Instant,
}

/// A link of 12 Mbps and 10 ms with the queue `name`.
fn link(name: &str) -> Link<Message> {
    let (rate, delay) = (Rate::from_bps(12_000_000), Span::from_ms(10));
    // The buffer is for a round trip of two seconds, and so holds far too much for this link.
    let scale = Scale::new(rate, Span::from_ms(2000), Bytes::new(1500));
    let queue =
        Discipline::new(catalogue::find(name).expect("a queue"), scale, Vec::new()).expect("defaults");
    let config = Config::new(rate, delay);
    Link::new(&config, queue.build(), |purpose| Stream::new(1, 0, purpose))
}

/// Passes messages of 1500 bytes from `from` to `to` through `link`, until there are no more.
async fn bottleneck(mut link: Link<Message>, mut from: mpsc::Receiver<Message>, to: mpsc::Sender<Message>) {
    let start = Instant::now();
    let time = |now: Instant| Time::from_ps((now - start).as_nanos() as u64 * 1000);
    let mut open = true;
    loop {
        // Rounded up: tokio's clock has milliseconds.
        let next = link.next_event().map(|at| start + Duration::from_nanos(at.as_ps().div_ceil(1000)));
        tokio::select! {
            biased;
            message = from.recv(), if open => match message {
                Some(message) => link.offer(time(Instant::now()), Packet { size: 1500, ..Packet::EMPTY }, message),
                None => open = false,
            },
            () = async { sleep_until(next.expect("there is one")).await }, if next.is_some() => {
                while let Some(outcome) = link.poll(time(Instant::now())) {
                    if outcome.fate == Fate::Delivered {
                        to.send(outcome.payload).await.expect("the receiver waits for all");
                    }
                }
            }
            else => return,
        }
    }
}

/// Sends a message each 900 us for two seconds, which is more than the link takes. Returns the number of those received and the
/// delay of the last.
async fn overload(name: &str) -> (usize, Duration) {
    let (sender, from) = mpsc::channel(10);
    let (to, mut receiver) = mpsc::channel(10);
    tokio::spawn(bottleneck(link(name), from, to));
    tokio::spawn(async move {
        let start = Instant::now();
        for number in 0..2200 {
            sleep_until(start + Duration::from_micros(900) * number as u32).await;
            let message = Message { number, sent: Instant::now() };
            sender.send(message).await.expect("the link takes all");
        }
    });
    let (mut count, mut last, mut delay) = (0, None, Duration::ZERO);
    while let Some(message) = receiver.recv().await {
        assert!(last < Some(message.number), "in order");
        (count, last, delay) = (count + 1, Some(message.number), message.sent.elapsed());
    }
    (count, delay)
}

#[tokio::test(start_paused = true)]
async fn codel_holds_the_delay_down_where_a_plain_queue_fills() {
    let (all, late) = overload("droptail").await;
    let (passed, soon) = overload("codel").await;
    assert!(passed < all, "CoDel drops: {passed} of {all}");
    assert!(soon < late, "{soon:?} with CoDel, {late:?} without");
    assert_eq!((passed, soon), overload("codel").await, "the same always");
}
