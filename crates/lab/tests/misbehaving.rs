// SPDX-License-Identifier: Apache-2.0
//! Truth: closed forms. The gain of a receiver that misbehaves (Savage, Cardwell, Wetherall and Anderson 1999), and the
//! loss of a sender that counts acknowledged bytes: none.

use crate::support::{assert_near, run, value};

/// A flow in slow start over a link without end, with one acknowledgement per segment.
fn slow_start(transport: &str, warmup: &str, duration: &str) -> String {
    format!(
        r#"
        duration = "{duration}"
        warmup = "{warmup}"
        path = {{ rate = "10Gbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "infinite" }} }}
        [transport]
        preset = "ns2"
        delayed_ack = 1
        {transport}
        [[flows]]
        algorithm = "newreno"
        "#
    )
}

/// Bytes delivered in so many round trips after the handshake.
fn delivered(transport: &str, rounds: u32) -> f64 {
    // A flight is delivered half a round trip after it is sent.
    let duration = format!("{}ms", 100 * rounds + 95);
    let records = run(&slow_start(transport, "0s", &duration), 0);
    value(&records, "newreno", "goodput_bps") * (f64::from(rounds) * 0.1 + 0.095) / 8.0 / 1500.0
}

/// With M acknowledgements per segment the window grows by M of them: flights of 2, 2 (1 + M), 2 (1 + M)², …
#[test]
fn divided_acknowledgements_multiply_the_growth_of_a_sender_that_counts_them() {
    let flights = |factor: u32, rounds: u32| (0..rounds).map(|n| f64::from(2 * factor.pow(n))).sum::<f64>();
    for division in [1, 2, 4] {
        let counting = |what: &str| {
            let transport = format!("ack_counting = \"{what}\"\nack_division = {division}");
            delivered(&transport, 4)
        };
        assert_near("a sender that counts ACKs", counting("acks"), flights(1 + division, 4), 1e-6);
        assert_near("one that counts segments", counting("segments"), flights(2, 4), 1e-6);
    }
}

/// A window W of the receiver holds W segments for the sender; those beyond that are acknowledged are in the network besides.
#[test]
fn optimistic_acknowledgements_add_to_what_is_in_flight() {
    let goodput = |ahead: u32| {
        let text = slow_start(&format!("receive_window = \"20pkt\"\noptimistic_ack = {ahead}"), "5s", "25s");
        value(&run(&text, 0), "newreno", "goodput_bps")
    };
    let expected = |ahead: f64| (20.0 + ahead) * 1500.0 * 8.0 / 0.1;
    assert_near("an honest receiver", goodput(0), expected(0.0), 0.01);
    assert_near("ten ahead", goodput(10), expected(10.0), 0.01);
}

/// Conceals losses: a flow that never reduces its window gets all but the lost packets.
#[test]
fn an_optimistic_receiver_conceals_losses() {
    let text = |ahead: u32| {
        format!(
            r#"
            duration = "30s"
            warmup = "5s"
            path = {{ rate = "10Mbps", rtt = "40ms", loss = {{ kind = "bernoulli", rate = "2%" }} }}
            transport = {{ optimistic_ack = {ahead}, receive_window = "100pkt" }}
            [[flows]]
            algorithm = "newreno"
            "#
        )
    };
    let (honest, lying) = (run(&text(0), 0), run(&text(1), 0));
    assert!(value(&honest, "newreno", "goodput_fraction") < 0.5);
    assert_eq!(
        (value(&lying, "newreno", "reductions"), value(&lying, "newreno", "retransmission_rate")),
        (0.0, 0.0)
    );
    assert_near("the rest", value(&lying, "newreno", "goodput_fraction"), 0.98 * 1460.0 / 1500.0, 0.01);
}

#[test]
fn hidden_marks_are_not_responded_to() {
    let reductions = |hides: bool| {
        let text = format!(
            r#"
            duration = "20s"
            warmup = "5s"
            path = {{ rate = "10Mbps", rtt = "40ms", queue = {{ kind = "step", threshold = "5pkt", limit = "1000pkt" }} }}
            transport = {{ ecn = true, hide_ce = {hides}, receive_window = "200pkt" }}
            [[flows]]
            algorithm = "newreno"
            "#
        );
        let records = run(&text, 0);
        (value(&records, "newreno", "reductions"), value(&records, "bottleneck", "mark_rate"))
    };
    let (honest, _) = reductions(false);
    let (hidden, marked) = reductions(true);
    assert!(honest > 10.0, "{honest}");
    assert!(hidden == 0.0 && marked > 0.99, "{hidden} {marked}");
}
