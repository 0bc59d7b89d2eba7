//! Measures that are taken of a run's series, on request: their meaning and what can be chosen about them.
//!
//! A name with its choices reads as an algorithm does: `cov(bin=10s)`. The functions themselves are not here: what is
//! computed of finished records needs neither the simulator's speed nor its exactness.

use super::catalogue::{Kind, Metric, Parameter};

const fn choice(name: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, meaning, kind, default }
}

/// Where a measure begins to look.
const AFTER: Parameter = choice(
    "after",
    Kind::Time(&["warmup", "auto"]),
    "warmup",
    "time of the run from which on values count; auto is where the MSER-5 rule finds the end of the warm-up",
);
const BIN: Parameter = choice(
    "bin",
    Kind::Time(&["rtt"]),
    "1s",
    "over how long rates are averaged, in whole intervals of the series",
);
const RTT_BIN: Parameter = choice(
    "bin",
    Kind::Time(&["rtt"]),
    "rtt",
    "over how long rates are averaged, in whole intervals of the series; rtt is the propagation delay there and back",
);
const AT: Parameter = choice("at", Kind::Time(&[]), "", "time of the run at which the network changes");
const FROM: Parameter = choice("from", Kind::Time(&[]), "", "time of the run at which to begin");
const UNTIL: Parameter = choice("until", Kind::Time(&[]), "", "time of the run at which to end");
const TO: Parameter = choice(
    "to",
    Kind::Group("other"),
    "other",
    "the group that it is held against; other is the only other one",
);
const PEER: Parameter = choice(
    "to",
    Kind::Group("own"),
    "own",
    "the group of the flows that were there before; own is the flow's own",
);

const FILE: Parameter = choice("file", Kind::Name("all"), "all", "class of files");
const WAY: Parameter = choice("path", Kind::Name("all"), "all", "class of paths");
const SINCE: Parameter =
    choice("from", Kind::Time(&["warmup"]), "warmup", "time of the run from which on transfers begin");
const BEFORE: Parameter =
    choice("until", Kind::Time(&["end"]), "end", "time of the run before which they begin");

const CHIU: &str = "Jain, Chiu, Hawe, DEC-TR-301; Chiu and Jain, Computer Networks 17, 1989";
const BANSAL: &str = "Bansal, Balakrishnan, Floyd, Shenker, SIGCOMM 2001";
const HA: &str =
    "Ha, Kim, Le, Rhee, Xu, A Step toward Realistic Performance Evaluation of High-Speed TCP Variants";
const WELZL: &str = "Welzl, Abfalterer, Gjessing, XCP vs. CUBIC with Quick-Start";
const MILLS: &str = "Mills et al., NIST SP 500-282, §10";

macro_rules! measures {
    ($($name:literal $of:literal $unit:literal $better:literal [$($parameter:expr),*] $definition:literal, $source:expr;)*) => {
        /// All of them.
        pub(super) const SERIES: &[Metric] = &[$(Metric {
            name: $name,
            of: $of,
            unit: $unit,
            better: $better,
            definition: $definition,
            source: $source,
            parameters: &[$($parameter),*],
        }),*];
    };
}

#[rustfmt::skip]
measures! {
    "jain" "group" "" "higher" [choice("scale", Kind::Time(&["run"]), "run", "over how long goodputs are averaged before they are compared; run is the whole of it"), AFTER]
        "at a scale: mean over bins of that length of Jain's index of the started flows' goodputs", CHIU;
    "aggregate_cov" "group" "" "lower" [BIN, AFTER]
        "standard deviation over mean of the goodput of all flows of the group together, in bins", "RFC 5166 §2.2.1";
    "settling_time" "group" "s" "lower" []
        "time after which the group's goodput is stationary by the MSER-5 rule; no value where the run is too short to tell", "White, Cobb, Spratt, WSC 2000";
    "share_after" "group" "" "" [AT, choice("over", Kind::Time(&[]), "5s", "for how long")]
        "goodput of the group over what its bottleneck could have sent, from that time on", BANSAL;
    "convergence_time" "group" "s" "lower" [choice("rule", Kind::Share, "80%", "share of the earlier flows' mean rate to be reached"), PEER]
        "time from the start of the latest flow until its mean goodput since then first reaches that share of the earlier flows' mean goodput since then; the time to the end of the run where it never does", HA;
    "delta_fair_time" "group" "s" "lower" [choice("delta", Kind::Share, "0.1", "how far from equal shares is near enough"), BIN, PEER]
        "time from the start of the latest flow until the smallest share in a bin is (1 - delta) of an equal one; the time to the end of the run where it never is", "RFC 5166 §2.3.3; Bansal et al., SIGCOMM 2001";
    "loss_spread" "group" "" "lower" []
        "standard deviation over mean of the flows' loss rates: 0 where all see the same", BANSAL;
    "loss_window_correlation" "group" "" "" []
        "Pearson's correlation over the flows of lost packets with the mean congestion window: 1 where who has more under way loses in proportion", "Akella et al., CMU-CS-02-139, §4.2.1";

    "class_goodput" "group" "bps" "higher" [FILE, WAY, SINCE, BEFORE]
        "mean over completed transfers, of some classes and begun between two times, of payload over the time from begin to completion", MILLS;
    "class_completed" "group" "" "higher" [FILE, WAY, SINCE, BEFORE]
        "transfers of some classes that began between two times and completed", MILLS;
    "connection_time" "group" "s" "lower" [SINCE, BEFORE]
        "mean time that it took to open a connection, over transfers that began between two times", MILLS;
    "late_connections" "group" "" "lower" [choice("over", Kind::Time(&[]), "1s", "from when on it is late"), SINCE, BEFORE]
        "share of the transfers begun between two times whose connection took at least that long to open, or was not opened: a SYN or its answer was lost where it is the initial timeout", MILLS;
    "connecting_between" "group" "" "lower" [FROM, UNTIL]
        "transfers that are opening a connection, mean over the ends of intervals between two times", MILLS;
    "active_between" "group" "" "" [FROM, UNTIL]
        "transfers with an open connection, mean over the ends of intervals between two times", MILLS;
    "completed_between" "group" "" "higher" [FROM, UNTIL]
        "transfers completed per second between two times of the run", MILLS;
    "retransmissions_between" "group" "" "lower" [FROM, UNTIL]
        "data packets sent again over data packets sent between two times of the run, of transfers that come and go", MILLS;

    "cov" "flow" "" "lower" [BIN, AFTER]
        "standard deviation over mean of the flow's goodput in bins", "RFC 5166 §2.2.1";
    "smoothness" "flow" "" "higher" [RTT_BIN, AFTER]
        "smallest sending rate of a bin over that of the bin before: 1 never falls, 0 falls silent", "RFC 5166 §2.2.1; Bansal et al., SIGCOMM 2001";
    "aggressiveness" "flow" "bps" "" [RTT_BIN, AFTER]
        "largest rise of the sending rate from one bin to the next among bins without a retransmission", "RFC 5166 §2.2.1";
    "responsiveness" "flow" "" "lower" [AT]
        "round trips from the onset of sustained congestion until the sending rate is at most half of what it was over the ten before", "RFC 5166 §2.2.1";
    "time_to_bytes" "flow" "s" "lower" [choice("n", Kind::Whole, "1", "power of ten")]
        "time from the flow's start until 1460 times the n-th power of ten bytes are delivered; no value where they never are", WELZL;
    "time_to_maximum" "flow" "s" "lower" [choice("share", Kind::Share, "95%", "of the highest bin from there on"), BIN]
        "time from the flow's start to the end of the first bin whose goodput reaches that share of the flow's highest", MILLS;
    "recovery_time" "flow" "s" "lower" [AT, choice("share", Kind::Share, "95%", "of the highest bin from there on"), BIN]
        "time from the end of heavy congestion to the end of the first bin whose goodput reaches that share of the highest thereafter", MILLS;
    "goodput_between" "flow" "bps" "higher" [FROM, UNTIL]
        "goodput between two times of the run", "RFC 5166 §2.1.1";
    "goodput_least" "flow" "bps" "higher" [BIN, AFTER]
        "smallest goodput in a bin", WELZL;
    "window_at" "flow" "packets" "" [choice("at", Kind::Time(&[]), "", "time of the run")]
        "congestion window at that time", WELZL;
    "time_to_window" "flow" "s" "lower" [choice("packets", Kind::Whole, "", "the window to be reached")]
        "time from the flow's start until its congestion window is that large; no value where it never is", WELZL;
    "resent_between" "flow" "packets" "lower" [FROM, UNTIL]
        "packets sent again between two times of the run", WELZL;
    "rate_kept" "flow" "" "" [AT, choice("k", Kind::Whole, "2", "round trip")]
        "sending rate in the k-th round trip after a change over that of the ten round trips before it", BANSAL;
    "window_kept" "flow" "" "" [AFTER]
        "mean over cuts of ssthresh after a cut over the congestion window an interval before; a cut is a fall of the window that changes ssthresh or ends at it", MILLS;
    "cut_share" "flow" "" "" [choice("least", Kind::Share, "0", "of the window given up"), choice("most", Kind::Share, "1", "of the window given up"), AFTER]
        "share of the cuts that give up such a part of the window", MILLS;
    "growth_after_cut" "flow" "packets" "" [choice("from", Kind::Time(&[]), "1ms", "time since the cut at which to begin"), choice("until", Kind::Time(&[]), "1s", "time since the cut at which to end"), AFTER]
        "growth of the congestion window in a propagation round trip, mean over cuts without another one until then", MILLS;
    "time_near_cuts" "flow" "" "" [choice("within", Kind::Time(&[]), "1s", "time since a cut"), AFTER]
        "share of the time that lies within so long after a cut", MILLS;
    "window_below" "flow" "" "" [choice("packets", Kind::Whole, "", "the window"), AFTER]
        "share of the time at which the congestion window is at most that", MILLS;
    "window_cov" "flow" "" "lower" [AFTER]
        "standard deviation over mean of the congestion window at the ends of intervals", MILLS;
    "window_swing" "flow" "" "lower" [choice("bin", Kind::Time(&["rtt"]), "5s", "over how long"), AFTER]
        "mean over bins of the largest minus the smallest congestion window of a bin over the mean of the run", MILLS;
    "window_changes" "flow" "" "" [FROM, UNTIL]
        "intervals at whose end the congestion window is another than before, per propagation round trip", MILLS;

    "throughput_ratio" "pair" "" "" [TO]
        "mean goodput of the group's flows over that of the other group's: 1 is friendly where the other is TCP", "RFC 5166 §2.3.1; Ha et al., §3";
    "jain_of_means" "pair" "" "higher" [TO]
        "Jain's index of the two groups' mean goodputs per flow", HA;
    "rtt_bias" "pair" "" "lower" [TO]
        "exponent e for which the ratio of the groups' mean goodputs per flow is that of their propagation round trips to the power -e: 0 is fair, 1 is inverse proportion", "Lakshman and Madhow, IEEE/ACM ToN 5(3), 1997";
    "harm" "group" "" "lower" [choice("alone", Kind::Rate, "", "the group's goodput without competitors")]
        "share of the goodput which the group has alone that it loses here; below 0 it gains", "Ware, Mukerjee, Seshan, Sherry, HotNets 2019";

    "cov" "link" "" "lower" [BIN, AFTER]
        "standard deviation over mean of the link's rate in bins", HA;
    "utilization_deviation" "link" "" "lower" [BIN, AFTER]
        "standard deviation of the link's utilization in bins", "RFC 5166 §2.2.1";
    "queue_deviation_packets" "link" "packets" "lower" [BIN, AFTER]
        "standard deviation of the mean queue in bins", "RFC 5166 §2.2.1";
    "utilization_after" "link" "" "higher" [choice("k", Kind::Whole, "20", "round trips"), AT]
        "f(k): utilization over k round trips after a change", BANSAL;
    "stabilization_time" "link" "" "lower" [AT, choice("factor", Kind::Share, "150%", "of the steady loss rate"), choice("after", Kind::Time(&["warmup"]), "warmup", "time of the run from which on the steady loss rate is taken, until the change")]
        "round trips after a change until the loss rate over the ten before, having risen above that multiple of the steady loss rate, is within it again; to the end of the run where it never is", BANSAL;
    "stabilization_cost" "link" "" "lower" [AT, choice("factor", Kind::Share, "150%", "of the steady loss rate"), choice("after", Kind::Time(&["warmup"]), "warmup", "time of the run from which on the steady loss rate is taken, until the change")]
        "stabilization time in round trips times the mean loss rate over it: 1 is a round trip's worth of packets", BANSAL;
    "loss_between" "link" "" "lower" [FROM, UNTIL]
        "packets dropped by the queue over packets that reached it, between two times of the run", BANSAL;
    "queue_between" "link" "packets" "lower" [FROM, UNTIL]
        "packets that wait, time average between two times of the run", "RFC 7928 §4";
    "loss_peak" "link" "" "lower" [AT, choice("within", Kind::Time(&[]), "250ms", "for how long to look"), choice("over", Kind::Time(&["rtt"]), "rtt", "length of a window; rtt is the longest propagation delay there and back")]
        "highest loss rate over a window that begins within some time after a change", BANSAL;
    "utilization_between" "link" "" "higher" [FROM, UNTIL]
        "bits sent over bits that could have been sent, between two times of the run", "RFC 5166 §2.1.1";
    "time_to_utilization" "link" "s" "lower" [choice("share", Kind::Share, "80%", "the utilization to be reached"), choice("bin", Kind::Time(&["rtt"]), "rtt", "over how long it is averaged, in whole intervals of the series; rtt is the longest propagation delay there and back")]
        "end of the first bin of the run with that utilization; no value where there is none", WELZL;
    "settling_time" "link" "s" "lower" []
        "time after which the link's rate is stationary by the MSER-5 rule; no value where the run is too short to tell", "White, Cobb, Spratt, WSC 2000";
}
