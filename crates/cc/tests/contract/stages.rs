// SPDX-License-Identifier: Apache-2.0
//! The state that one stage of a connection leaves to the next: growth, ssthresh, idle time, undo. If an algorithm of
//! the catalogue is an exception, its card gives the reason.

use super::promises::{episode, observed, path_of, setups, state};
use crate::facts::{histories, histories_then_growth};
use narrows_cc::fact::replay;
use narrows_cc::{AckCounting, Algorithm, Cause, CongestionControl, Fact, Idle, Setup, SlowStartKind};
use narrows_units::Span;
use proptest::prelude::*;

/// Algorithms with which one acknowledgement may add more packets than it acknowledges, and what their cards say of it.
const FASTER: &[(&str, &str)] = &[("hybla", "2^rho - 1"), ("ctcp", "alpha W^k - 1")];

/// Algorithms that lower ssthresh themselves, by delay or counts of marks.
const OWN_SIGNAL: &[&str] = &[
    "vegas",
    "vegas-linux",
    "yeah",
    "nv",
    "cdg",
    "lp",
    "source-quench",
    "hstcp-lp",
    "ctcp",
    "fast",
    "fast-at",
    "ledbat",
    "ledbat-pp",
    "dctcp",
    "prague",
];

/// Algorithms for which time counts in which nothing is sent, and what their cards say of it.
const BY_TIME: &[(&str, &str)] = &[
    ("cubic-2005", "idle time counts"),
    ("cubic-2008", "idle time counts"),
    ("htcp", "idle time counts"),
    ("htcp-linux", "D = time since the last recovery"),
    ("westwood", "acked / time"),
    ("westwood-linux", "each time of more than"),
    ("ledbat", "last 10 minutes"),
    ("ledbat-pp", "nine times its duration"),
    ("lp", "no increase for inference RTT"),
    ("hstcp-lp", "no increase for inference RTT"),
    ("nv", "time after which the minimum RTT"),
    ("prague", "then at least 25 ms"),
];

fn is_among(exceptions: &[(&str, &str)], name: &str) -> bool {
    exceptions.iter().any(|(exception, _)| *exception == name)
}

#[test]
fn the_card_of_each_exception_says_so() {
    for (name, words) in FASTER.iter().chain(BY_TIME) {
        let Some(entry) = crate::subjects().find(|entry| entry.card.name == *name) else {
            unreachable!("{name} is not in the catalogue")
        };
        let card = format!("{:?}", entry.card);
        assert!(card.contains(words), "{name}: {words}");
    }
}

/// All window algorithms with their default parameters, by name.
fn windowed(setup: &Setup) -> impl Iterator<Item = (&'static str, Box<dyn CongestionControl>)> {
    crate::subjects().filter_map(move |entry| {
        let algorithm =
            Algorithm::among([entry], entry.card.name, Vec::new()).expect("the defaults").build(setup);
        algorithm.ssthresh().is_some().then_some((entry.card.name, algorithm))
    })
}

/// Whether the window is set by what precedes or encloses the algorithm.
fn sets_window(setup: &Setup) -> bool {
    setup.quick_start.is_some() || setup.saved_path.is_some()
}

/// `fact`, so much later.
fn later(fact: &Fact, by: Span) -> Fact {
    let mut fact = fact.clone();
    match &mut fact {
        Fact::Acked { path, .. } | Fact::Lost { path, .. } | Fact::Idle(_, path) | Fact::Recovered(path) => {
            path.now += by;
        }
        other => unreachable!("{other:?} is not shifted"),
    }
    fact
}

fn idle(timeouts: u64, acks: &[Fact]) -> (Idle, Fact) {
    let path = path_of(acks);
    let idle = Idle::new(path.now, timeouts);
    (idle, Fact::Idle(idle, path.in_flight(0)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 5681 §3.1, RFC 3465: no faster than slow start. Rapid Start adds twice as many packets (its draft, §3.2).
    #[test]
    fn an_acknowledgement_adds_at_most_the_packets_it_acknowledges(setup in setups(), facts in histories(200)) {
        for (name, mut algorithm) in windowed(&setup).filter(|(name, _)| !is_among(FASTER, name)) {
            for fact in &facts {
                let before = algorithm.window();
                let initial = algorithm.ssthresh().is_some_and(f64::is_infinite);
                fact.apply_to(&mut *algorithm);
                let Fact::Acked { ack, .. } = fact else { continue };
                let grown = algorithm.window().zip(before).map_or(0.0, |(after, before)| after - before);
                let counted = match setup.ack_counting {
                    AckCounting::Acks => 1.0,
                    AckCounting::Segments | AckCounting::Mixed => ack.newly_acked as f64,
                };
                let rapid = setup.slow_start == SlowStartKind::Rapid && initial;
                let counted = if rapid { 2.0 * counted } else { counted };
                // Vegas adds the packet of a round trip at once; Linux counts acknowledgements at a larger window for
                // one packet at most.
                let at_once = name == "vegas" || name.ends_with("-linux");
                let counted = counted + f64::from(u8::from(at_once));
                // Quick-Start and Careful Resume set the window.
                prop_assert!(sets_window(&setup) || grown <= counted + 1e-9, "{name}: {grown} for {counted}");
            }
        }
    }

    /// RFC 9406 §4.3, RFC 5681 §3.1. HyStart of Linux may end a slow start below a known ssthresh, as its documentation says, and a
    /// loss lowers ssthresh step by step after a Rapid Start.
    #[test]
    fn a_known_ssthresh_is_lowered_by_a_loss_or_the_algorithms_own_signal_alone(setup in setups(), facts in histories(200)) {
        let hystart = setup.slow_start == SlowStartKind::HyStart;
        for (name, mut algorithm) in windowed(&setup).filter(|_| !sets_window(&setup)) {
            for fact in &facts {
                let before = algorithm.ssthresh().expect("a window algorithm");
                let reduces = algorithm.reduces_gradually();
                fact.apply_to(&mut *algorithm);
                let lowered = algorithm.ssthresh().expect("a window algorithm") < before;
                let may = match fact {
                    Fact::Lost { .. } | Fact::SpuriousLoss(_) => true,
                    Fact::Acked { .. } => hystart || reduces || before.is_infinite() || OWN_SIGNAL.contains(&name),
                    Fact::Timer(_) => OWN_SIGNAL.contains(&name),
                    // The window after the recovery is the estimated bandwidth times the minimum RTT.
                    Fact::Recovered(_) => name == "westwood-linux",
                    _ => false,
                };
                prop_assert!(may || !lowered, "{name}: {fact:?}");
            }
        }
    }

    #[test]
    fn idle_time_raises_no_window_and_lowers_no_ssthresh_and_does_so_once(
        setup in setups(),
        (before, acks) in histories_then_growth(100, 2),
        timeouts in 0_u64..200,
    ) {
        for (name, mut algorithm) in windowed(&setup) {
            replay(&mut *algorithm, &before);
            let (window, ssthresh) = (algorithm.window(), algorithm.ssthresh());
            let (_, restart) = idle(timeouts, &acks);
            restart.apply_to(&mut *algorithm);
            prop_assert!(algorithm.window() <= window && algorithm.ssthresh() >= ssthresh, "{name}");
            prop_assert!(timeouts > 0 || algorithm.window() == window, "{name}");
            let once = state(&*algorithm);
            let (_, again) = idle(0, &acks);
            again.apply_to(&mut *algorithm);
            prop_assert_eq!(&once, &state(&*algorithm), "{}", name);
        }
    }

    /// RFC 9438 §5.8 and its kind: time in which nothing is sent is not time in which a window has grown.
    #[test]
    fn what_follows_an_idle_time_does_not_depend_on_its_length(
        setup in setups(),
        (before, acks) in histories_then_growth(100, 60),
        timeouts in 0_u64..3,
        pause in 1_u64..100,
    ) {
        for (name, mut short) in windowed(&setup).filter(|(name, _)| !is_among(BY_TIME, name)) {
            replay(&mut *short, &before);
            // Nothing is being repaired while a sender is idle.
            Fact::Recovered(path_of(&acks)).apply_to(&mut *short);
            let mut long = short.boxed_clone();
            let (_, restart) = idle(timeouts, &acks);
            // Whole jiffies.
            let least = Span::from_ms(4_000);
            let pause = least * (1 + pause);
            later(&restart, least).apply_to(&mut *short);
            later(&restart, pause).apply_to(&mut *long);
            for ack in &acks {
                later(ack, least).apply_to(&mut *short);
                later(ack, pause).apply_to(&mut *long);
                prop_assert_eq!(short.window(), long.window(), "{}", name);
            }
        }
    }

    /// RFC 4015, RFC 9438 §4.9: of an episode that was spurious nothing remains, in no field.
    #[test]
    fn an_undone_episode_leaves_no_trace(
        setup in setups(),
        (before, acks) in histories_then_growth(100, 30),
        cause in prop_oneof![Just(Cause::Detected), Just(Cause::Timeout), Just(Cause::Mark)],
    ) {
        let setup = setup.undo_restores(narrows_cc::UndoRestores::State);
        for (name, mut algorithm) in windowed(&setup).filter(|_| !sets_window(&setup)) {
            replay(&mut *algorithm, &before);
            let path = path_of(&acks);
            Fact::Recovered(path).apply_to(&mut *algorithm);
            // An earlier episode can no longer be undone.
            idle(1, &acks).1.apply_to(&mut *algorithm);
            let untouched = (format!("{algorithm:?}"), observed(&*algorithm));
            let window = algorithm.window();
            episode(cause, path).apply_to(&mut *algorithm);
            replay(&mut *algorithm, &acks);
            let grown = algorithm.window() > window;
            Fact::SpuriousLoss(path).apply_to(&mut *algorithm);
            // After a timeout the window may have grown beyond the one before.
            if !grown {
                prop_assert_eq!(&untouched, &(format!("{algorithm:?}"), observed(&*algorithm)), "{}", name);
            }
        }
    }
}
