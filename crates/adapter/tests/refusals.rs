// SPDX-License-Identifier: Apache-2.0
//! Every algorithm of the catalogue works on a stack or is refused by name, with its reason.

use narrows_adapter::cc::{QuickStartRequest, catalogue};
use narrows_adapter::{Plan, Reason, Stack};

const PACING: Stack = Stack::new("a stack that paces", true);
const WINDOWS: Stack = Stack::new("a stack of windows", false);

fn plan(name: &str) -> Plan {
    name.parse().expect("in the catalogue")
}

/// Names of the algorithms that `stack` refuses, each with the reason.
fn refused(stack: Stack) -> Vec<(&'static str, Reason)> {
    let names = catalogue::entries().iter().map(|entry| entry.card.name);
    names.filter_map(|name| Some((name, plan(name).check(stack).err()?.reason))).collect()
}

#[test]
fn what_needs_routers_reports_or_counts_of_marks_is_refused() {
    let expected = [
        ("dctcp", Reason::Marks),
        ("prague", Reason::Marks),
        ("c4", Reason::Marks),
        ("scream", Reason::EachPacket),
        ("gcc", Reason::EachPacket),
        ("nada", Reason::EachPacket),
        ("xcp", Reason::Router("xcp")),
        ("rcp", Reason::Router("rcp")),
        ("vcp", Reason::Router("vcp")),
        ("bmcc", Reason::Router("adpm")),
        ("maxnet", Reason::Router("maxnet")),
        ("decbit", Reason::Router("decbit")),
        ("source-quench", Reason::Router("source-quench")),
        ("rap", Reason::Reports),
        ("tfrc", Reason::Reports),
    ];
    assert_eq!(refused(PACING), expected);
}

#[test]
fn a_stack_without_pacing_rates_also_refuses_what_sets_one() {
    let beyond: Vec<_> =
        refused(WINDOWS).into_iter().filter(|(name, _)| plan(name).check(PACING).is_ok()).collect();
    let expected = [
        ("copa", Reason::Pacing),
        ("bbr1", Reason::Pacing),
        ("bbr3", Reason::Pacing),
        ("vivace", Reason::Pacing),
        ("allegro", Reason::Pacing),
        ("constant", Reason::NoWindow),
    ];
    assert_eq!(beyond, expected);
    assert_eq!(plan("bbr3").window_alone().check(WINDOWS), Ok(()));
    assert!(plan("constant").window_alone().check(WINDOWS).is_err());
}

#[test]
fn a_refusal_states_what_was_given_and_what_is_near() {
    let message = |text: &str| text.parse::<Plan>().expect_err("refused").to_string();
    assert_eq!(message("cubik"), "\"cubik\": unknown algorithm \"cubik\"; did you mean \"cubic\"?");
    assert_eq!(message("cubic(c0=1)"), "\"cubic(c0=1)\": unknown parameter \"c0\"; did you mean \"c\"?");
    let mut quick = plan("cubic");
    quick.setup.quick_start =
        Some(QuickStartRequest::new(narrows_adapter::cc::units::Rate::from_bps(1), true));
    assert_eq!(quick.check(PACING).map_err(|refusal| refusal.reason), Err(Reason::QuickStart));
}
