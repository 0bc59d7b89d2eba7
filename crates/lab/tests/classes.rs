// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance. Queues that favour groups of flows.

use crate::support::{assert_near, run, value};
use narrows_card::Catalogue;

/// A constant rate of 4 Mbps, alone or with other groups behind it, over 10 Mbps.
fn favoured(queue: &str, behind: &str) -> String {
    format!(
        r#"
        duration = "60s"
        warmup = "5s"
        path = {{ rate = "10Mbps", rtt = "40ms", packet = "1000B", access_rate = "10Gbps", queue = {queue} }}
        transport = {{ preset = "sack-2012", header = "0B" }}
        [[flows]]
        name = "voice"
        algorithm = "constant(rate=4Mbps)"
        {behind}
        "#
    )
}

/// A packet of the best class that arrives at any time finds at most the rest of one packet before it: half a packet's
/// transmission S = 0.8 ms on average, for the others keep the link busy all the time, and S at the most. Nothing of it
/// is lost, and the others have the rest of the link.
#[test]
fn the_best_class_waits_for_the_rest_of_one_packet() {
    let web = "[[flows]]\nname = \"web\"\nalgorithm = \"newreno\"\ncount = 4\nstart = \"0s..1s\"";
    let alone = run(&favoured(r#"{ kind = "droptail" }"#, ""), 0);
    let both = run(&favoured(r#"{ kind = "priority", classes = { voice = 0 } }"#, web), 0);
    let delay = |records, measure| value(records, "voice", measure);
    let waited = delay(&both, "delay_mean_s") - delay(&alone, "delay_mean_s");
    let row = "mean wait of the best class over a full link, against half a packet's transmission";
    Catalogue::Queues.assert_near("priority", row, waited, 0.4e-3, 0.03);
    let most = delay(&both, "delay_p99_s") / delay(&alone, "delay_p99_s");
    assert!(most < 1.004 * (1.0 + 0.8e-3 / delay(&alone, "delay_p99_s")), "{most}");
    assert!(value(&both, "voice", "loss_rate") == 0.0 && value(&both, "web", "loss_rate") > 0.0);
    assert_near("the rest", value(&both, "web", "throughput_bps"), 6e6, 0.01);
}

/// Acknowledgements are in the class of their flow: acknowledgements of the best class pass a reverse direction that
/// others fill.
#[test]
fn acknowledgements_of_the_best_class_do_not_wait() {
    let text = |queue: &str, count: u32| {
        format!(
            r#"
            duration = "40s"
            warmup = "10s"
            path = {{ rate = "10Mbps", rtt = "40ms", reverse = {{ queue = {queue} }} }}
            transport = {{ preset = "ns2" }}
            [[flows]]
            name = "best"
            algorithm = "newreno"
            receive_window = "10pkt"
            [[flows]]
            name = "others"
            algorithm = "newreno"
            direction = "reverse"
            count = {count}
            "#
        )
    };
    let rtt = |queue, count| value(&run(&text(queue, count), 0), "best", "rtt_mean_s");
    let (idle, priority) =
        (rtt("{ kind = \"droptail\" }", 1), rtt("{ kind = \"priority\", classes = { best = 0 } }", 1));
    // The one packet before an acknowledgement takes 1.2 ms; a full queue takes 40 ms.
    assert!(priority < 0.0435 && idle > 0.06, "{priority} s instead of {idle} s");
}

/// Constant rates that exceed the link by so much that the share `d` of a precedence must go. With `wait` the distance
/// between two signals is uniform over 1/p … 2/p arrivals, so that `d = p / 1.5`, and the average is at the point at
/// which the ramp gives that p.
fn average(min: f64, max: f64, max_p: f64, lost: f64) -> f64 {
    min + (max - min) * 1.5 * lost / max_p
}

fn overload(inside: &str, outside: &str) -> String {
    format!(
        r#"
        duration = "400s"
        warmup = "100s"
        [path]
        rate = "10Mbps"
        rtt = "40ms"
        packet = "1000B"
        queue = {{ kind = "rio", in = ["in"], in_min = "40pkt", in_max = "80pkt", in_max_p = 0.4, out_min = "10pkt", out_max = "30pkt", out_max_p = 0.5, limit = "200pkt" }}
        [transport]
        header = "0B"
        [[flows]]
        name = "in"
        algorithm = "constant(rate={inside})"
        [[flows]]
        name = "out"
        algorithm = "constant(rate={outside})"
        "#
    )
}

/// While In alone fits the link, Out loses all of the excess and In nothing, and the whole queue is as Out's ramp says.
#[test]
fn out_takes_the_excess_and_holds_the_queue_where_its_ramp_says() {
    let records = run(&overload("5Mbps", "6Mbps"), 0);
    let lost = 1.0 / 6.0;
    assert!(value(&records, "in", "loss_rate") == 0.0);
    assert_near("lost", value(&records, "out", "loss_rate"), lost, 0.01);
    let queue = value(&records, "bottleneck", "queue_mean_packets");
    let row = "mean queue where Out exceeds the link, against where Out's ramp gives the excess";
    Catalogue::Queues.assert_near("rio", row, queue, average(10.0, 30.0, 0.5, lost), 0.05);
}

/// Where In alone exceeds the link, Out loses everything and In what its own ramp says.
#[test]
fn in_is_signalled_by_its_own_ramp_once_out_is_gone() {
    let records = run(&overload("11Mbps", "1Mbps"), 0);
    let lost = 1.0 / 11.0;
    assert!(value(&records, "out", "loss_rate") > 0.999);
    assert_near("lost", value(&records, "in", "loss_rate"), lost, 0.01);
    let queue = value(&records, "bottleneck", "queue_mean_packets");
    let row = "mean queue where In exceeds the link, against where In's ramp gives the excess";
    Catalogue::Queues.assert_near("rio", row, queue, average(40.0, 80.0, 0.4, lost), 0.05);
}
