// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance. Closed forms that a simulated path must obey.

use crate::support::{self, assert_near, run, value};
use narrows_card::Catalogue;
use narrows_lab::replication::Replication;

/// The window of a flow under random loss `p`: `sqrt(1.5 / p)` packets (Mathis et al., CCR 27(3), 1997), within 7 %: the
/// law neglects timeouts and the round trip that recovery takes.
#[test]
fn the_window_of_reno_follows_the_square_root_law() {
    for p in [0.003, 0.001] {
        let text = format!(
            r#"
            duration = "1000s"
            warmup = "20s"
            path = {{ rate = "1Gbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "infinite" }}, loss = {{ kind = "bernoulli", rate = {p} }} }}
            record = {{ interval = "10s" }}
            [transport]
            preset = "ns2"
            [[flows]]
            algorithm = "newreno"
            "#
        );
        let mean = (0..3).map(|r| value(&run(&text, r), "newreno", "cwnd_mean_packets")).sum::<f64>() / 3.0;
        assert_near(&format!("p = {p}"), mean, (1.5_f64 / p).sqrt(), 0.07);
    }
}

/// One AIMD(1, ½) flow over a DropTail buffer of B packets and a path of P packets: the window swings between W/2 and W
/// with W = P + B + 2 (one in transmission, one that does not fit), one packet more a round trip. As long as the queue
/// never runs empty a round trip takes W packet times, so the window is w for a time in proportion to w: its time average
/// is ∫w² / ∫w = 7/9 W. The length of a cycle and the loss of one packet in it follow.
#[test]
fn one_flow_draws_the_sawtooth() {
    let text = r#"
        duration = "300s"
        warmup = "30s"
        path = { rate = "12Mbps", rtt = "100ms", access_rate = "12Gbps", queue = { kind = "droptail", limit = "99pkt" } }
        [transport]
        preset = "ns2"
        [[flows]]
        algorithm = "newreno"
    "#;
    let records = run(text, 0);
    let (path, buffer) = (100.0, 99.0);
    let peak: f64 = path + buffer + 2.0;
    assert_near("peak", value(&records, "newreno", "cwnd_before_reduction_packets"), peak, 0.015);
    let greatest = value(&records, "newreno", "cwnd_peak_packets");
    assert!(
        (peak..peak + 4.0).contains(&greatest),
        "the greatest window is {greatest}, before a reduction {peak}"
    );
    assert_near("mean", value(&records, "newreno", "cwnd_mean_packets"), 7.0 / 9.0 * peak, 0.01);
    assert!(value(&records, "bottleneck", "utilization") > 0.998);
    // While the window is above the path, a packet takes window / rate to come back: the cycle is the sum of that.
    let rounds = (peak / 2.0) as u32;
    let cycle: f64 = (0..=rounds).map(|round| (peak / 2.0 + f64::from(round)) * 1e-3).sum();
    assert_near("cycle", value(&records, "newreno", "reduction_interval_s"), cycle, 0.03);
    let packets_a_cycle = 3.0 / 8.0 * peak * peak;
    assert_near("loss", value(&records, "bottleneck", "loss_rate"), 1.0 / packets_a_cycle, 0.05);
    assert_near("queue", value(&records, "bottleneck", "queue_mean_packets"), 7.0 / 9.0 * peak - path, 0.03);
}

/// Goodput of one flow that fills the link: payload over packet size, times the rate.
#[test]
fn goodput_is_the_rate_less_the_headers() {
    let text = r#"
        duration = "20s"
        warmup = "5s"
        path = { rate = "20Mbps", rtt = "40ms", packet = "1500B" }
        [transport]
        header = "52B"
        [[flows]]
        algorithm = "cubic"
    "#;
    let records = run(text, 0);
    assert_near("goodput", value(&records, "cubic", "goodput_bps"), 20e6 * 1448.0 / 1500.0, 0.003);
    assert_near("fraction", value(&records, "cubic", "goodput_fraction"), 1448.0 / 1500.0, 0.003);
}

/// The delay of a path without other traffic: propagation, and a packet's transmission on each of three links.
#[test]
fn an_idle_path_delays_by_propagation_and_transmission() {
    let text = r#"
        duration = "10s"
        path = { rate = "1Gbps", rtt = "80ms", packet = "1500B" }
        [transport]
        preset = "ns2"
        receive_window = "2pkt"
        [[flows]]
        algorithm = "newreno"
    "#;
    let records = run(text, 0);
    let packet = 1500.0 * 8.0 / 1e9;
    // Only the first two packets meet: later each leaves on the acknowledgement of the one before it.
    let delay = 0.040 + packet * (1.0 + 0.1 + 0.1);
    assert_near("delay", value(&records, "newreno", "delay_mean_s"), delay, 1e-5);
}

/// Without noise a RED queue of standard flows settles at the point at which the marking rate equals the flows'
/// response: `p = 1.5 n² / W²` with `W` packets over all flows (one mark halves one flow), within 15 %.
#[test]
fn marks_balance_windows() {
    let text = r#"
        duration = "200s"
        warmup = "50s"
        path = { rate = "20Mbps", rtt = "80ms", queue = { kind = "red", min = "20pkt", max = "100pkt", max_p = 0.1, ecn = true, limit = "400pkt" } }
        [transport]
        preset = "ns2"
        ecn = true
        [[flows]]
        algorithm = "newreno"
        count = 10
        start = "0s..1s"
    "#;
    let records = run(text, 0);
    let window = value(&records, "newreno", "cwnd_mean_packets");
    let row = "marks of 10 Reno flows, 20 Mbps and 80 ms, against 1.5 over the square of their mean window";
    let marks = value(&records, "bottleneck", "mark_rate");
    Catalogue::Queues.assert_near("red", row, marks, 1.5 / (window * window), 0.15);
    assert!(value(&records, "bottleneck", "dropped_packets") == 0.0, "marks replace drops");
}

/// One packet lost in every burst of equal size gives Gilbert–Elliott's mean loss, within four standard errors.
#[test]
fn bursty_loss_has_its_stationary_rate() {
    let text = r#"
        duration = "100s"
        [path]
        rate = "100Mbps"
        rtt = "10ms"
        queue = { kind = "droptail", limit = "infinite" }
        loss = { kind = "gilbert-elliott", good_to_bad = "1%", bad_to_good = "50%", loss_good = "0%", loss_bad = "50%" }
        [[flows]]
        algorithm = "newreno"
        count = 20
    "#;
    let records = run(text, 0);
    let expected = 0.5 * 0.01 / 0.51;
    assert_near("loss", value(&records, "bottleneck", "random_loss_rate"), expected, 0.05);
}

/// Every tenth packet is lost, retransmissions included, so that a recovery of RACK lasts many timeouts while its first
/// segment is sent again and again. BBR 1 of Linux 6.18 had no timeout in a minute at that loss rate; ours has few.
#[test]
fn bbr_in_a_long_recovery_meets_next_to_no_timeout_under_the_preset_of_linux() {
    let timeouts = |restart: &str| {
        let text = format!(
            r#"
            duration = "20s"
            warmup = "5s"
            path = {{ rate = "100Mbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "1bdp" }}, loss = {{ kind = "bernoulli", rate = 0.1 }} }}
            [transport]
            preset = "linux"
            {restart}
            [[flows]]
            name = "bbr"
            algorithm = "bbr1"
            "#
        );
        (0..4).map(|replication| value(&run(&text, replication), "bbr", "timeouts")).sum::<f64>()
    };
    assert!(timeouts("") <= 1.0);
    assert!(timeouts("rto_restart = \"ack\"") >= 8.0);
}

/// The purpose of RFC 9332's coupling is that Prague and CUBIC have about equal rates. If a packet takes 3 ms or 1 ms
/// to transmit, that needs the floor of its step: without it CUBIC has 4 to 12 times the rate of Prague.
#[test]
fn prague_and_cubic_have_about_equal_rates_over_slow_links_under_dualpi2() {
    let ratio = |rate: &str, rtt: &str, queue: &str| {
        let text = format!(
            r#"
            duration = "40s"
            warmup = "10s"
            path = {{ rate = "{rate}", rtt = "{rtt}", queue = {{ kind = "dualpi2"{queue} }} }}
            transport = {{ ecn = true }}
            [[flows]]
            algorithm = "prague"
            start = "0s..1s"
            [[flows]]
            algorithm = "cubic"
            start = "0s..1s"
            "#
        );
        let records = run(&text, 0);
        value(&records, "cubic", "goodput_bps") / value(&records, "prague", "goodput_bps")
    };
    for rate in ["4Mbps", "12Mbps"] {
        for rtt in ["20ms", "50ms"] {
            let (with, without) = (ratio(rate, rtt, ""), ratio(rate, rtt, ", min_qlen_step = 0"));
            assert!((0.5..=2.0).contains(&with), "{rate}, {rtt}: {with}");
            assert!(without > 3.5, "{rate}, {rtt}, no floor: {without}");
        }
    }
}

/// Flows of `groups` over a path of 1000 packets, of which `limit` may wait.
fn over_1000_packets(groups: &str, limit: &str) -> Replication {
    let text = format!(
        r#"
        duration = "120s"
        warmup = "30s"
        path = {{ rate = "96Mbps", rtt = "125ms", queue = {{ kind = "droptail", limit = "{limit}" }} }}
        {groups}
        "#
    );
    run(&text, 0)
}

/// Arun and Balakrishnan 2018 §3: the queue is the sum of what each flow keeps in it, `1.25 / delta` packets in the mean.
#[test]
fn the_queue_of_n_flows_of_copa_is_n_times_that_of_one() {
    for count in [1, 2, 4, 8] {
        let group = format!(
            "[[flows]]\nname = \"copa\"\nalgorithm = \"copa(delta=0.1,competitive=false)\"\ncount = {count}"
        );
        let records = over_1000_packets(&group, "5BDP");
        let row = format!(
            "mean queue of n flows, n = {count}, 96 Mbps, 125 ms, delta = 0.1, default mode, against 1.25 n / delta"
        );
        let queue = value(&records, "bottleneck", "queue_mean_packets");
        Catalogue::Algorithms.assert_near("copa", &row, queue, 12.5 * f64::from(count), 0.1);
        assert!(value(&records, "bottleneck", "utilization") > 0.99);
    }
}

/// Arun and Balakrishnan 2018 §2.2: in the competitive mode it is as aggressive as NewReno, and without it a flow that fills the
/// buffer leaves it little. A cycle of NewReno takes 25 s at 12 Mbps and 200 s at 96.
#[test]
fn copa_shares_with_newreno_in_its_competitive_mode_alone() {
    let share = |algorithm: &str, other: &str, path: &str| {
        let text = format!(
            "{path}\n[[flows]]\nname = \"copa\"\nalgorithm = \"{algorithm}\"\n[[flows]]\nname = \"other\"\nalgorithm = \"{other}\""
        );
        let records = run(&text, 0);
        let goodput = |name| value(&records, name, "goodput_bps");
        goodput("copa") / (goodput("copa") + goodput("other"))
    };
    let slow = "duration = \"400s\"\nwarmup = \"30s\"\npath = { rate = \"12Mbps\", rtt = \"125ms\", queue = { kind = \"droptail\", limit = \"1BDP\" } }";
    let fast = slow.replace("12Mbps", "96Mbps").replace("400s", "120s");
    // Recorded, not bounded: they are no half, as the card states.
    for (rate, path) in
        [("12 Mbps, 125 ms, 1 BDP, 15 cycles", slow), ("96 Mbps, 125 ms, 1 BDP, less than a cycle", &fast)]
    {
        let what = format!("share beside a NewReno flow, {rate}, against a half");
        let off = 100.0 * (share("copa", "newreno", path) / 0.5 - 1.0);
        Catalogue::Algorithms.assert_result("copa", &what, &format!("{off:+.0} %"));
        assert!(share("copa(competitive=false)", "newreno", path) < 0.1);
    }
    let what = "share beside a CUBIC flow, 96 Mbps, 125 ms, 1 BDP, which its AIMD of NewReno does not match (the paper: about a half)";
    let result = format!("{:.2}", share("copa", "cubic", &fast));
    Catalogue::Algorithms.assert_result("copa", what, &result);
}

/// A flow that overshoots at the end of slow start drains its own queue for more than five round trips, which must not end in the
/// window of a competitor.
#[test]
fn copa_alone_fills_a_path_on_which_nothing_is_random() {
    let text = r#"
        duration = "25s"
        warmup = "10s"
        path = { rate = "100Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" } }
        transport = { preset = "linux" }
        [[flows]]
        algorithm = "copa"
        "#;
    let records = run(text, 0);
    assert!(value(&records, "bottleneck", "utilization") > 0.98);
    assert!(value(&records, "bottleneck", "queue_mean_packets") < 10.0);
}

/// The swing of the queue is five packets, of which a tenth is less than one: the queue is not nearly empty, and the mode changes.
#[test]
fn copa_alone_takes_a_queue_of_few_packets_for_that_of_another() {
    let queue = |algorithm: &str| {
        let group = format!("[[flows]]\nname = \"copa\"\nalgorithm = \"{algorithm}\"");
        value(&over_1000_packets(&group, "5BDP"), "bottleneck", "queue_mean_packets")
    };
    let what =
        "mean queue of a flow alone, 96 Mbps, 125 ms, delta = 0.5, with its competitive mode and without";
    let result = format!("{:.0} and {:.1} packets", queue("copa"), queue("copa(competitive=false)"));
    Catalogue::Algorithms.assert_result("copa", what, &result);
}

/// A flow of `algorithm`, alone as `flow` over a path that holds `path` packets and a queue that marks every arrival behind 20, with
/// `abe` or without.
fn over_a_step(algorithm: &str, path: u32, abe: bool) -> Replication {
    let text = format!(
        r#"
        duration = "240s"
        warmup = "40s"
        path = {{ rate = "{}Mbps", rtt = "100ms", access_rate = "100Gbps", queue = {{ kind = "step", threshold = "20pkt" }} }}
        transport = {{ preset = "ns2", ecn = true, abe = {abe} }}
        [[flows]]
        name = "flow"
        algorithm = "{algorithm}"
        "#,
        f64::from(path) * 0.12
    );
    run(&text, 0)
}

/// ABE (RFC 8511): the window swings between β W and W over a path of P packets and a threshold of K. The packet that
/// is marked finds K + 1 waiting and one in transmission, and the window grows by one more until the mark returns: W =
/// P + K + 4. From one mark to the next a round trip without growth, in which β W packets leave, is followed by those
/// with one packet more each; a round trip takes as long as P packets, or w if the queue is not empty.
#[test]
fn a_smaller_decrease_for_a_mark_keeps_a_link_with_a_low_threshold_busy() {
    let (path, peak) = (100.0_f64, 124.0_f64);
    for (abe, kept) in [(false, 0.5), (true, 0.8)] {
        let records = over_a_step("newreno", 100, abe);
        assert_near("peak", value(&records, "flow", "cwnd_before_reduction_packets"), peak, 0.005);
        let lowest = kept * peak;
        let packets = lowest + (peak * peak - lowest * lowest) / 2.0;
        let times = peak
            + (path - lowest).max(0.0) * path
            + (peak * peak - path.max(lowest) * path.max(lowest)) / 2.0;
        let card = |what: &str, got, expected, tolerance| {
            let what = format!(
                "{what}, one flow, 100 packets on the path, marks beyond 20 waiting multiply the window by {kept}"
            );
            Catalogue::Algorithms.assert_near("newreno", &what, got, expected, tolerance);
        };
        card("utilization", value(&records, "bottleneck", "utilization"), packets / times, 0.015);
        card("time between reductions", value(&records, "flow", "reduction_interval_s"), times * 1e-3, 0.03);
        assert!(value(&records, "bottleneck", "dropped_packets") == 0.0);
    }
}

/// CUBIC's window from β W to its plateau at W, here P + K + 3 = 1023 packets, takes cbrt((1 − β) W / C) and has the mean
/// W (1 − (1 − β) / 4), for the mean of (t₀ − t)³ over t₀ is t₀³ / 4.
#[test]
fn cubic_returns_to_its_plateau_from_the_factor_of_a_mark() {
    for (abe, kept, k) in [(false, 0.7, 9.155), (true, 0.85, 7.266)] {
        let records = over_a_step("cubic(fast_convergence=false)", 1000, abe);
        let peak = value(&records, "flow", "cwnd_before_reduction_packets");
        let card = |what: &str, got, expected, tolerance| {
            let what = format!(
                "{what}, one flow, 1000 packets on the path, marks beyond 20 waiting multiply the window by {kept}"
            );
            Catalogue::Algorithms.assert_near("cubic", &what, got, expected, tolerance);
        };
        let mean = value(&records, "flow", "cwnd_mean_packets");
        card("mean window over the window at a mark", mean / peak, 1.0 - (1.0 - kept) / 4.0, 0.01);
        card("time between reductions", value(&records, "flow", "reduction_interval_s"), k, 0.03);
    }
}

/// Dong et al. 2015 and 2018: a rate that follows its utility bears random losses up to those at which the utility falls with the
/// rate, 5 % for Allegro, and for Vivace 5 % at 100 Mbps, where `0.9 / (c L) = r^0.1`.
#[test]
fn algorithms_that_follow_a_utility_bear_random_losses_below_its_limit() {
    let used = |algorithm: &str, loss: f64| {
        let text = format!(
            r#"
            duration = "60s"
            warmup = "20s"
            path = {{ rate = "100Mbps", rtt = "30ms", queue = {{ kind = "droptail", limit = "1BDP" }}, loss = {{ kind = "bernoulli", rate = {loss} }} }}
            [[flows]]
            algorithm = "{algorithm}"
            "#
        );
        value(&run(&text, 0), "bottleneck", "utilization")
    };
    for algorithm in ["vivace", "allegro"] {
        let shares = [0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1].map(|loss| used(algorithm, loss));
        assert!(
            shares[0] > 0.85 && shares[2] > 0.7 && shares[6] < shares[2] / 2.0,
            "{algorithm}: {shares:?}"
        );
        let what =
            "share of 100 Mbps that is used, 30 ms, 1 BDP, at random losses of 0, 0.5, 1, 2, 3, 5 and 10 %";
        let result = shares.map(|share| format!("{share:.2}")).join(", ");
        Catalogue::Algorithms.assert_result(algorithm, what, &result);
    }
}

/// Dong et al. 2018 §2: flows with the same utility converge to equal rates.
#[test]
fn two_flows_of_vivace_come_to_similar_rates() {
    let text = r#"
        duration = "200s"
        warmup = "100s"
        path = { rate = "30Mbps", rtt = "30ms", queue = { kind = "droptail", limit = "1BDP" } }
        [[flows]]
        name = "first"
        algorithm = "vivace"
        [[flows]]
        name = "second"
        algorithm = "vivace"
        start = "20s"
    "#;
    let records = run(text, 0);
    let [first, second] = ["first", "second"].map(|name| value(&records, name, "goodput_bps"));
    assert!(first + second > 20e6, "{first} and {second}");
    let what =
        "shares of two flows, the second 20 s later, after 100 s, 30 Mbps, 30 ms, 1 BDP (the paper: equal)";
    let result = format!("{:.2} and {:.2}", first / (first + second), second / (first + second));
    Catalogue::Algorithms.assert_result("vivace", what, &result);
}

/// draft-huitema-ccwg-c4-design, Handling of High Jitter: links that hold all packets for tens of milliseconds, as
/// Wi-Fi does when it repeats frames. Algorithms that keep the queue short by its delay then take the link for busy.
#[test]
fn c4_keeps_its_rate_where_delays_jump() {
    let used = |algorithm: &str| {
        let text = format!(
            r#"
            duration = "60s"
            warmup = "10s"
            [path]
            rate = "20Mbps"
            rtt = "10ms"
            queue = {{ kind = "droptail", limit = "100ms" }}
            [[path.impairments]]
            kind = "jitter"
            delay.kind = "mixture"
            delay.parts = [
                {{ class = "frame", share = 0.998, of = {{ kind = "uniform", minimum = "0ms", maximum = "2ms" }} }},
                {{ class = "spike", share = 0.002, of = {{ kind = "uniform", minimum = "20ms", maximum = "150ms" }} }},
            ]
            [[flows]]
            name = "flow"
            algorithm = "{algorithm}"
            "#
        );
        value(&run(&text, 0), "bottleneck", "utilization")
    };
    let [text, picoquic, vegas, copa, ledbat] =
        ["c4", "c4(all_delays=false)", "vegas", "copa(competitive=false)", "ledbat-pp"].map(used);
    let others = vegas.max(copa).max(ledbat);
    assert!(text > others + 0.05 && picoquic > others + 0.15, "{text}, {picoquic}; the best other: {others}");
    let what = "utilization, 20 Mbps, 10 ms, three delays of 20 to 150 ms a second: c4, c4(all_delays=false), vegas, copa in its default mode, ledbat-pp";
    let result = [text, picoquic, vegas, copa, ledbat].map(|used| format!("{used:.2}")).join(", ");
    Catalogue::Algorithms.assert_result("c4", what, &result);
}

/// draft-huitema-ccwg-c4-spec, Variable Sensitivity: the faster of two flows gives way. Beside CUBIC, which waits for losses, it takes
/// more than its share.
#[test]
fn two_flows_of_c4_share_and_one_of_cubic_has_less() {
    let share = |other: &str| {
        let text = format!(
            r#"
            duration = "90s"
            warmup = "30s"
            path = {{ rate = "20Mbps", rtt = "40ms", queue = {{ kind = "droptail", limit = "4BDP" }} }}
            [[flows]]
            name = "c4"
            algorithm = "c4"
            [[flows]]
            name = "other"
            algorithm = "{other}"
            start = "10s"
            "#
        );
        let records = run(&text, 0);
        let [own, other] = ["c4", "other"].map(|name| value(&records, name, "goodput_bps"));
        own / (own + other)
    };
    let row = "share beside another flow of c4 that starts 10 s later, 20 Mbps, 40 ms, 4 BDP, against a half";
    Catalogue::Algorithms.assert_near("c4", row, share("c4"), 0.5, 0.15);
    let what = "share beside a CUBIC flow that starts 10 s later, 20 Mbps, 40 ms, 4 BDP";
    Catalogue::Algorithms.assert_result("c4", what, &format!("{:.2}", share("cubic")));
}

/// Above 10 MB/s one loss is above the threshold: the rate falls, and the pushes that follow must bring it back.
#[test]
fn c4_returns_to_the_rate_of_its_path_after_one_loss() {
    let text = r#"
        duration = "40s"
        warmup = "25s"
        path = { rate = "100Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" }, loss = { kind = "list", packets = [60000], of = "data" } }
        [[flows]]
        algorithm = "c4"
        "#;
    assert!(value(&run(text, 0), "bottleneck", "utilization") > 0.95);
}

/// RFC 9959 §3: after the initial window of 10 packets, a round trip, half of the saved window is paced over the next, and its last
/// packet is acknowledged a round trip later; by slow start it takes the 7 round trips after which `10 (2^7 - 1)` packets are sent.
/// Both begin with the handshake.
#[test]
fn a_transfer_over_a_path_that_is_known_takes_three_round_trips_instead_of_seven() {
    let completion = |saved: &str| {
        let text = format!(
            r#"
            duration = "5s"
            path = {{ rate = "10Gbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "1BDP" }} }}
            transport = {{ delayed_ack = 1{saved} }}
            [[flows]]
            name = "file"
            algorithm = "newreno"
            size = "1474600B"
            "#
        );
        value(&run(&text, 0), "file", "completion_time_s") / 0.1
    };
    support::assert_near("slow start", completion(""), 8.0, 0.01);
    let resumed = completion(", saved_window = \"2000pkt\", saved_rtt = \"100ms\"");
    support::assert_near("Careful Resume", resumed, 4.0, 0.01);
    // The path has become another one.
    let other = completion(", saved_window = \"2000pkt\", saved_rtt = \"250ms\"");
    support::assert_near("another path", other, 8.0, 0.01);
}

/// RFC 9959 §3.6: if half of the saved window no longer fits, the flow retreats below half of the data that the path
/// took, and its transfer still completes.
#[test]
fn a_saved_window_that_no_longer_fits_is_given_up() {
    let lost = |saved: &str| {
        let text = format!(
            r#"
            duration = "60s"
            path = {{ rate = "10Mbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "1BDP" }} }}
            transport = {{ delayed_ack = 1{saved} }}
            [[flows]]
            name = "file"
            algorithm = "newreno"
            size = "5MB"
            "#
        );
        let records = run(&text, 0);
        (value(&records, "file", "completion_time_s"), value(&records, "file", "loss_rate"))
    };
    let (plain, _) = lost("");
    let (resumed, losses) = lost(", saved_window = \"2000pkt\", saved_rtt = \"100ms\"");
    assert!(losses > 0.05, "{losses}");
    assert!(resumed < 2.0 * plain, "{resumed} s against {plain} s");
}

/// A path of P packets with a buffer of B holds `P + B + 1`. Where a window that triples, or doubles, overflows the buffer, one recovery
/// leaves `β` of that, whatever the share of losses (draft-kazuho-ccwg-rapid-start-02 §3.3.1).
#[test]
fn rapid_start_leaves_beta_of_path_and_buffer() {
    let path = 400.0;
    for (algorithm, beta) in [("newreno", 0.5), ("cubic", 0.7)] {
        for (buffer, pacing) in [(16_u32, true), (200, true), (200, false), (400, false), (1600, false)] {
            let text = format!(
                r#"
                duration = "1900ms"
                path = {{ rate = "48Mbps", rtt = "100ms", packet = "1500B", queue = {{ kind = "droptail", limit = "{buffer}pkt" }} }}
                transport = {{ slow_start = "rapid", pacing = {pacing} }}
                [[flows]]
                name = "file"
                algorithm = "{algorithm}"
                "#
            );
            let records = run(&text, 0);
            let events = &records.tables["events"];
            let column = |name: &str| events.real(name).expect("it is real");
            let (windows, thresholds) = (column("cwnd_packets"), column("ssthresh_packets"));
            let reduced = windows.iter().zip(thresholds).filter(|(_, threshold)| threshold.is_finite());
            let least = reduced.map(|(window, _)| *window).fold(f64::INFINITY, f64::min);
            let what = format!("{algorithm}, {buffer} packets, pacing {pacing}");
            assert_near(&what, least, beta * (path + f64::from(buffer) + 1.0), 0.01);
            assert!(value(&records, "file", "loss_rate") > 0.03, "{what}");
        }
    }
}
