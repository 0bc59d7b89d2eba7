//! Rules: one sentence of a source each, shown by a few facts.

use narrows_cc::catalogue::{Algorithm, Fault, FirstCut, Setup, SlowStartKind, Value, entries, find};
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RttView};
use narrows_units::{Bytes, Span, Time};

const SETUP: Setup = Setup {
    mss: Bytes::new(1448),
    initial_window: 10.0,
    initial_ssthresh: f64::INFINITY,
    first_cut: FirstCut::Rule,
    slow_start: SlowStartKind::Standard,
    seed: 1,
};

/// An algorithm and where its flow stands.
struct Flow {
    algorithm: Box<dyn CongestionControl>,
    path: Path,
}

impl Flow {
    fn new(name: &str, setup: Setup) -> Self {
        let rtt = Span::from_ms(100);
        Self {
            algorithm: Algorithm::parse(name).expect("a known algorithm").build(&setup),
            path: Path {
                now: Time::ZERO,
                mss: setup.mss,
                in_flight: 10,
                rtt: Some(RttView { latest: rtt, min: rtt, smoothed: rtt, variation: Span::ZERO }),
                round: 1,
                window_limited: true,
            },
        }
    }

    /// In congestion avoidance at `window` packets.
    fn avoiding(name: &str, window: f64) -> Self {
        Self::new(name, Setup { initial_window: window, initial_ssthresh: 2.0, ..SETUP })
    }

    fn wait(&mut self, span: Span) {
        self.path.now += span;
    }

    fn acked(&mut self, newly_acked: u64) {
        self.acked_after(newly_acked, Span::from_ms(100));
    }

    fn acked_after(&mut self, newly_acked: u64, rtt: Span) {
        let ack = Ack {
            newly_acked,
            advanced: true,
            ce_packets: 0,
            rtt: Some(rtt),
            rate: None,
            feedback: None,
            packets: &[],
        };
        self.algorithm.on_ack(&ack, &self.path);
    }

    fn lost(&mut self, cause: Cause) {
        self.declared(cause, true);
    }

    fn declared(&mut self, cause: Cause, new_episode: bool) {
        self.algorithm.on_loss(&Loss { cause, new_episode, lost: 1, packets: &[] }, &self.path);
    }

    fn recovered(&mut self) {
        self.algorithm.on_recovered(&self.path);
    }

    fn window(&self) -> f64 {
        self.algorithm.window().expect("a window algorithm")
    }

    fn ssthresh(&self) -> f64 {
        self.algorithm.ssthresh().expect("a window algorithm")
    }

    fn inner(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.algorithm.observe(&mut |known, value| {
            if known == name {
                found = value;
            }
        });
        found
    }
}

fn same(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9, "{one} is not {other}");
}

mod frame {
    use super::*;

    #[test]
    fn slow_start_adds_what_was_acknowledged() {
        let mut flow = Flow::new("reno", SETUP);
        flow.acked(2);
        same(flow.window(), 12.0);
    }

    #[test]
    fn what_an_acknowledgement_brings_beyond_ssthresh_counts_for_congestion_avoidance() {
        let mut flow = Flow::new("reno", Setup { initial_ssthresh: 12.0, ..SETUP });
        flow.acked(5);
        same(flow.window(), 12.0 + 3.0 / 12.0);
    }

    #[test]
    fn a_window_that_is_not_the_limit_does_not_grow() {
        let mut flow = Flow::new("reno", SETUP);
        flow.path.window_limited = false;
        flow.acked(10);
        same(flow.window(), 10.0);
    }

    #[test]
    fn a_declared_episode_cuts_once_and_freezes_the_window_until_it_is_over() {
        let mut flow = Flow::avoiding("reno", 40.0);
        flow.lost(Cause::Detected);
        flow.declared(Cause::Detected, false);
        flow.acked(20);
        same(flow.window(), 20.0);
        flow.recovered();
        flow.acked(20);
        same(flow.window(), 21.0);
    }

    #[test]
    fn a_second_episode_declared_before_the_first_is_over_cuts_again() {
        let mut flow = Flow::avoiding("reno", 40.0);
        flow.lost(Cause::Detected);
        flow.lost(Cause::Detected);
        same(flow.window(), 10.0);
    }

    #[test]
    fn after_a_timeout_slow_start_goes_on_from_one_packet_to_half_the_window() {
        let mut flow = Flow::avoiding("reno", 40.0);
        flow.lost(Cause::Timeout);
        same(flow.window(), 1.0);
        same(flow.ssthresh(), 20.0);
        flow.acked(3);
        same(flow.window(), 4.0);
    }

    #[test]
    fn the_same_segment_timing_out_again_leaves_ssthresh_alone() {
        let mut flow = Flow::avoiding("reno", 40.0);
        flow.lost(Cause::Timeout);
        flow.acked(3);
        flow.declared(Cause::Timeout, false);
        same(flow.window(), 1.0);
        same(flow.ssthresh(), 20.0);
    }

    #[test]
    fn a_false_timeout_gives_the_window_and_ssthresh_back() {
        let mut flow = Flow::avoiding("cubic", 40.0);
        flow.lost(Cause::Timeout);
        flow.declared(Cause::Timeout, false);
        flow.algorithm.on_spurious_loss(&flow.path);
        same(flow.window(), 40.0);
        same(flow.ssthresh(), 2.0);
    }

    #[test]
    fn after_silence_the_window_is_at_most_the_initial_one() {
        let mut flow = Flow::new("reno", SETUP);
        flow.acked(30);
        flow.algorithm.on_idle_restart(&flow.path);
        same(flow.window(), 10.0);
        assert!(flow.ssthresh().is_infinite());
    }

    #[test]
    fn ssthresh_is_never_below_two_packets() {
        let mut flow = Flow::avoiding("reno", 3.0);
        flow.lost(Cause::Timeout);
        same(flow.ssthresh(), 2.0);
    }

    #[test]
    fn ns2_halves_at_the_first_cut_in_slow_start_and_after_a_timeout() {
        let half = Setup { initial_window: 40.0, initial_ssthresh: 2.0, first_cut: FirstCut::Half, ..SETUP };
        let mut flow = Flow::new("aimd(a=1,b=0.8)", half);
        flow.lost(Cause::Detected);
        same(flow.window(), 20.0);
        flow.recovered();
        flow.lost(Cause::Detected);
        same(flow.window(), 16.0);
        flow.lost(Cause::Timeout);
        same(flow.ssthresh(), 8.0);
        flow.acked(3);
        flow.lost(Cause::Detected);
        same(flow.window(), 2.0);
    }
}

mod linear {
    use super::*;

    /// A round of ten acknowledgements from a window of ten.
    fn after_a_round(name: &str) -> f64 {
        let mut flow = Flow::avoiding(name, 10.0);
        (0..10).for_each(|_| flow.acked(1));
        flow.window()
    }

    fn after_a_loss(name: &str) -> f64 {
        let mut flow = Flow::avoiding(name, 10.0);
        flow.lost(Cause::Detected);
        flow.window()
    }

    #[test]
    fn a_round_trip_gives_exactly_the_line() {
        same(after_a_round("aimd"), 11.0);
        same(after_a_round("aiad(a=2)"), 12.0);
        same(after_a_round("mimd"), 11.25);
        same(after_a_round("miad(a=1.5)"), 15.0);
        same(after_a_round("aimad"), 11.0);
        same(after_a_round("maimd"), 12.0);
    }

    #[test]
    fn a_loss_gives_exactly_the_line() {
        same(after_a_loss("aimd"), 5.0);
        same(after_a_loss("aimd(a=1,b=0.8)"), 8.0);
        same(after_a_loss("aiad"), 7.0);
        same(after_a_loss("mimd"), 8.0);
        same(after_a_loss("miad"), 7.0);
        same(after_a_loss("aimad"), 8.0);
        same(after_a_loss("maimd"), 8.0);
    }

    #[test]
    fn a_cut_leaves_at_least_one_packet() {
        let mut flow = Flow::avoiding("aiad", 2.0);
        flow.lost(Cause::Detected);
        same(flow.window(), 1.0);
        same(flow.ssthresh(), 2.0);
    }
}

mod cubic {
    use super::*;

    #[test]
    fn each_keeps_its_part() {
        for (name, kept) in [("cubic", 700.0), ("cubic-2008", 800.0), ("cubic-linux", 700.0)] {
            let mut flow = Flow::avoiding(name, 1000.0);
            flow.lost(Cause::Detected);
            same(flow.window(), kept);
        }
    }

    #[test]
    fn linux_rounds_717_of_1024_down() {
        for (from, to) in [(134.0, 93.0), (140.0, 98.0)] {
            let mut flow = Flow::avoiding("cubic-linux", from);
            flow.lost(Cause::Detected);
            same(flow.window(), to);
        }
    }

    #[test]
    fn a_loss_below_the_last_peak_makes_room_for_others() {
        for (name, w_max) in [("cubic", 595.0), ("cubic-2008", 720.0), ("cubic-linux", 595.0)] {
            let mut flow = Flow::avoiding(name, 1000.0);
            flow.lost(Cause::Detected);
            flow.lost(Cause::Detected);
            same(flow.inner("w_max"), w_max);
        }
    }

    #[test]
    fn without_fast_convergence_the_last_window_is_the_peak() {
        for name in ["cubic(fast_convergence=false)", "cubic-linux(fast_convergence=false)"] {
            let mut flow = Flow::avoiding(name, 1000.0);
            flow.lost(Cause::Detected);
            flow.lost(Cause::Detected);
            same(flow.inner("w_max"), 700.0);
        }
    }

    #[test]
    fn rfc_9438_after_a_timeout_the_cubic_starts_at_its_flat_point() {
        let mut flow = Flow::avoiding("cubic", 1000.0);
        flow.lost(Cause::Timeout);
        same(flow.ssthresh(), 700.0);
        flow.acked(699);
        flow.acked(1);
        same(flow.inner("k"), 0.0);
        same(flow.inner("w_max"), 700.0);
    }

    #[test]
    fn rfc_9438_the_target_is_at_most_one_and_a_half_windows() {
        let mut flow = Flow::avoiding("cubic(c=1000)", 10.0);
        flow.acked(1);
        flow.wait(Span::from_ms(10_000));
        let before = flow.window();
        flow.acked(1);
        same(flow.window(), before + 0.5);
    }

    #[test]
    fn rfc_9438_the_reno_friendly_window_grows_by_alpha_until_the_last_peak_and_then_by_one() {
        let mut flow = Flow::avoiding("cubic(c=0.001)", 20.0);
        flow.lost(Cause::Detected);
        flow.recovered();
        flow.acked(1);
        flow.wait(Span::from_ms(1));
        let alpha = 3.0 * 0.3 / 1.7;
        let (window, w_est) = (flow.window(), flow.inner("w_est"));
        flow.acked(1);
        same(flow.inner("w_est"), w_est + alpha / window);
        while flow.inner("w_est") < 20.0 {
            flow.acked(1);
        }
        let (window, w_est) = (flow.window(), flow.inner("w_est"));
        flow.acked(1);
        same(flow.inner("w_est"), w_est + 1.0 / window);
    }

    #[test]
    fn rfc_9438_time_in_which_the_window_was_not_the_limit_does_not_count() {
        let after_a_pause = |pause: Span| {
            let mut flow = Flow::avoiding("cubic", 1000.0);
            flow.lost(Cause::Detected);
            flow.recovered();
            flow.acked(1);
            flow.path.window_limited = false;
            flow.wait(pause);
            flow.acked(1);
            flow.path.window_limited = true;
            flow.acked(1);
            flow.wait(Span::from_ms(100));
            flow.acked(100);
            flow.window()
        };
        same(after_a_pause(Span::from_ms(30_000)), after_a_pause(Span::ZERO));
    }

    #[test]
    fn rfc_9438_a_mark_may_leave_one_packet_and_a_loss_leaves_two() {
        for (cause, left) in [(Cause::Mark, 1.4), (Cause::Detected, 2.0)] {
            let mut flow = Flow::avoiding("cubic", 2.0);
            flow.lost(cause);
            same(flow.window(), left);
        }
    }

    #[test]
    fn the_rule_of_2008_grows_by_a_fiftieth_before_any_loss() {
        let mut flow = Flow::avoiding("cubic-2008", 1000.0);
        flow.acked(10);
        same(flow.window(), 1000.2);
    }

    #[test]
    fn the_rule_of_2008_grows_by_at_most_16_packets_in_100_ms() {
        let mut flow = Flow::avoiding("cubic-2008", 1000.0);
        flow.lost(Cause::Detected);
        flow.recovered();
        flow.acked(1);
        flow.wait(Span::from_ms(30_000));
        let before = flow.window();
        flow.acked(100);
        same(flow.window(), before + 100.0 / before * 16.0);
    }

    #[test]
    fn linux_windows_are_whole_packets() {
        let mut flow = Flow::avoiding("cubic-linux", 100.0);
        flow.lost(Cause::Detected);
        flow.recovered();
        for _ in 0..1000 {
            flow.wait(Span::from_us(700));
            flow.acked(2);
            same(flow.window().fract(), 0.0);
        }
        assert!(flow.window() > 70.0);
    }

    #[test]
    fn linux_grows_by_a_twentieth_before_the_first_loss() {
        let mut flow = Flow::avoiding("cubic-linux", 1000.0);
        flow.acked(20);
        same(flow.window(), 1001.0);
    }
}

mod hystart {
    use super::*;

    fn flow(window: f64) -> Flow {
        let mut flow =
            Flow::new("reno", Setup { initial_window: window, slow_start: SlowStartKind::HyStart, ..SETUP });
        flow.wait(Span::from_ms(100));
        flow.acked(1);
        flow
    }

    #[test]
    fn a_train_longer_than_half_the_smallest_delay_ends_slow_start() {
        let mut flow = flow(20.0);
        for _ in 0..33 {
            flow.wait(Span::from_us(1_500));
            flow.acked(1);
            assert!(flow.ssthresh().is_infinite());
        }
        // 49.5 ms into the round; half of 100 ms and the cushion of 1 ms are 50.5 ms.
        flow.wait(Span::from_us(1_500));
        flow.acked(1);
        assert!(flow.ssthresh().is_finite());
    }

    #[test]
    fn a_gap_of_more_than_2_ms_breaks_the_train() {
        let mut flow = flow(20.0);
        flow.wait(Span::from_us(2_001));
        for _ in 0..100 {
            flow.acked(1);
            flow.wait(Span::from_us(1_500));
        }
        assert!(flow.ssthresh().is_infinite());
    }

    #[test]
    fn nine_samples_that_are_an_eighth_above_the_smallest_delay_end_slow_start() {
        let mut flow = flow(20.0);
        flow.path.round += 1;
        for _ in 0..8 {
            flow.acked_after(1, Span::from_us(112_600));
            assert!(flow.ssthresh().is_infinite());
        }
        flow.acked_after(1, Span::from_us(112_600));
        same(flow.window(), flow.ssthresh() + 1.0 / flow.ssthresh());
    }

    #[test]
    fn one_sample_near_the_smallest_delay_keeps_slow_start_going() {
        let mut flow = flow(20.0);
        flow.path.round += 1;
        flow.acked_after(1, Span::from_us(112_400));
        for _ in 0..20 {
            flow.acked_after(1, Span::from_us(150_000));
        }
        assert!(flow.ssthresh().is_infinite());
    }

    #[test]
    fn nothing_ends_slow_start_below_16_packets() {
        let mut flow = flow(2.0);
        flow.path.round += 1;
        for _ in 0..12 {
            flow.acked_after(1, Span::from_ms(200));
            assert!(flow.ssthresh().is_infinite());
        }
    }
}

mod catalogue {
    use super::*;

    fn fault(text: &str) -> String {
        Algorithm::parse(text).expect_err("it is wrong").to_string()
    }

    #[test]
    fn names_are_unique_and_every_default_is_in_its_domain() {
        for (place, entry) in entries().iter().enumerate() {
            assert!(entries()[..place].iter().all(|earlier| earlier.name != entry.name), "{}", entry.name);
            for parameter in entry.parameters {
                assert!(parameter.domain.contains(&parameter.domain.default()), "{}", parameter.name);
            }
        }
    }

    #[test]
    fn every_card_is_filled_in() {
        for entry in entries() {
            let texts = [entry.name, entry.family, entry.summary, entry.source];
            assert!(texts.iter().all(|text| !text.is_empty()), "{}", entry.name);
            assert!(!entry.equations.is_empty() && !entry.deviations.is_empty(), "{}", entry.name);
            for parameter in entry.parameters {
                assert!(!parameter.meaning.is_empty() && !parameter.source.is_empty(), "{}", parameter.name);
            }
        }
    }

    #[test]
    fn what_is_written_is_what_is_built() {
        let algorithm = Algorithm::parse(" aimd( a = 2, b=0.8 ) ").expect("right");
        same(algorithm.values.number("a"), 2.0);
        same(algorithm.values.number("b"), 0.8);
        assert_eq!(algorithm.to_string(), "aimd(a=2,b=0.8)");
    }

    #[test]
    fn the_canonical_form_is_the_bare_name_where_all_is_default() {
        for (written, canonical) in [
            ("cubic", "cubic"),
            ("cubic()", "cubic"),
            ("aimd(b=0.5,a=1)", "aimd"),
            ("aimd(b=0.8)", "aimd(a=1,b=0.8)"),
            (
                "cubic-linux(hystart=false)",
                "cubic-linux(hystart=false,fast_convergence=true,tcp_friendliness=true)",
            ),
        ] {
            let algorithm = Algorithm::parse(written).expect("right");
            assert_eq!(algorithm.to_string(), canonical);
            let again = Algorithm::parse(canonical).expect("the canonical form can be read");
            assert_eq!(again.values, algorithm.values);
        }
    }

    #[test]
    fn values_may_come_from_a_table() {
        let given = vec![("b".to_owned(), Value::Number(0.8))];
        assert_eq!(Algorithm::new("aimd", given).expect("right").to_string(), "aimd(a=1,b=0.8)");
    }

    #[test]
    fn reno_and_newreno_are_one_rule() {
        let cards = ["reno", "newreno"].map(|name| find(name).expect("both are there"));
        assert_eq!(cards[0].equations, cards[1].equations);
    }

    #[test]
    fn faults_say_what_was_given_what_is_allowed_and_what_is_near() {
        assert_eq!(fault("qubic"), "there is no algorithm \"qubic\"; did you mean \"cubic\"?");
        assert_eq!(fault("vivace"), "there is no algorithm \"vivace\"");
        assert_eq!(
            fault("cubic(betta=1)"),
            "there is no parameter \"betta\", only c, beta, fast_convergence; did you mean \"beta\"?"
        );
        assert_eq!(fault("reno(a=1)"), "there is no parameter \"a\": this algorithm has none");
        assert_eq!(fault("aimd(b=2)"), "b is \"2\" but must be a number from 0 to 1");
        assert_eq!(fault("aimd(b=nan)"), "b is \"NaN\" but must be a number from 0 to 1");
        assert_eq!(fault("cubic(fast_convergence=1)"), "fast_convergence is \"1\" but must be true or false");
        assert_eq!(fault("cubic-2008(limit=never)"), "limit is \"never\" but must be one of convex, always");
        assert_eq!(fault("aimd(b=0.5,b=0.6)"), "b is given twice");
    }

    #[test]
    fn what_is_not_of_the_form_is_said_so() {
        for text in ["", "aimd(", "aimd(b)", "aimd(b=)", "aimd(=1)", "aimd(b=1))x", "aimd(b=1"] {
            assert!(matches!(Algorithm::parse(text), Err(Fault::Form { .. })), "{text:?}");
        }
    }
}
