// SPDX-License-Identifier: Apache-2.0
//! Names, values and faults.

use super::same;
use narrows_cc::card::{Fault, Value};
use narrows_cc::catalogue::{entries, find};
use narrows_cc::{Algorithm, Dash, Hue, LossHistory, Reports, Style, Transport};

fn fault(text: &str) -> String {
    Algorithm::parse(text).expect_err("it is wrong").to_string()
}

#[test]
fn names_are_unique_and_every_default_is_in_its_domain() {
    for (place, entry) in entries().iter().enumerate() {
        assert!(
            entries()[..place].iter().all(|earlier| earlier.card.name != entry.card.name),
            "{}",
            entry.card.name
        );
        for parameter in entry.card.parameters {
            let default = parameter.domain.default().value().expect(parameter.name);
            assert!(parameter.domain.contains(&default), "{}", parameter.name);
        }
    }
}

#[test]
fn families_stand_together() {
    let families: Vec<&str> = entries()
        .chunk_by(|one, next| one.card.family == next.card.family)
        .map(|each| each[0].card.family)
        .collect();
    let mut once = families.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(families.len(), once.len(), "{families:?}");
}

#[test]
fn no_two_algorithms_are_drawn_alike() {
    for (place, entry) in entries().iter().enumerate() {
        let name = entry.card.name;
        assert!(entry.style.is_some(), "{name} has no style; free: {}", free_styles());
        let same = entries()[..place].iter().find(|earlier| earlier.style == entry.style);
        let other = same.map_or("", |same| same.card.name);
        assert!(same.is_none(), "{name} is drawn as {other}; free: {}", free_styles());
    }
}

/// The styles that no algorithm has, as an entry writes them.
fn free_styles() -> String {
    use Dash::{DashDot, DashDotDot, Dashed, Dotted, Long, LongShort, Pair, Solid, Sparse};
    use Hue::{Blue, Cyan, Green, Ochre, Purple, Rose, Slate, Vermilion};
    let dashes = [Solid, Dashed, Dotted, DashDot, Long, DashDotDot, LongShort, Sparse, Pair];
    let all = [Blue, Vermilion, Green, Purple, Ochre, Cyan, Rose, Slate]
        .into_iter()
        .flat_map(|hue| dashes.map(|dash| Style(hue, dash)));
    let free: Vec<_> = all
        .filter(|style| entries().iter().all(|entry| entry.style != Some(*style)))
        .map(|Style(hue, dash)| format!("Style(Hue::{hue:?}, Dash::{dash:?})"))
        .collect();
    if free.is_empty() { "none; crates/cc/src/style.rs needs another dash".into() } else { free.join(", ") }
}

#[test]
fn every_card_is_complete() {
    for entry in entries() {
        let texts = [entry.card.name, entry.card.family, entry.card.summary, entry.card.source];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", entry.card.name);
        assert!(!entry.card.equations.is_empty(), "{}", entry.card.name);
        for parameter in entry.card.parameters {
            assert!(!parameter.meaning.is_empty() && !parameter.source.is_empty(), "{}", parameter.name);
        }
    }
}

#[test]
fn parameters_as_written_are_used() {
    let algorithm = Algorithm::parse(" aimd( a = 2, b=0.8 ) ").expect("right");
    same(algorithm.values.number("a"), 2.0);
    same(algorithm.values.number("b"), 0.8);
    assert_eq!(algorithm.to_string(), "aimd(a=2,b=0.8)");
}

#[test]
fn the_canonical_form_of_defaults_is_the_bare_name() {
    for (written, canonical) in [
        ("cubic", "cubic"),
        ("cubic()", "cubic"),
        ("aimd(b=0.5,a=1)", "aimd"),
        ("aimd(b=0.8)", "aimd(a=1,b=0.8)"),
        ("tfrc(rules=2001)", "tfrc"),
        ("constant(rate=10Mbps)", "constant(rate=10Mbps)"),
        ("cubic-linux(fast_convergence=false)", "cubic-linux(fast_convergence=false,tcp_friendliness=true)"),
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
fn the_needs_of_an_algorithm_name_its_sender() {
    let hosted = |text| Algorithm::parse(text).expect("right").needs().transport;
    assert_eq!(hosted("newreno"), Transport::Reliable);
    assert_eq!(hosted("rap"), Transport::Datagram(Reports::EachPacket));
    assert_eq!(hosted("constant"), Transport::Datagram(Reports::Nothing));
    for (text, intervals, least_discount) in
        [("tfrc", 8, 0.5), ("tfrc(k=6,rules=rfc5348)", 6, 0.25), ("tfrc(discounting=false)", 8, 1.0)]
    {
        let history = LossHistory::new(intervals, least_discount);
        assert_eq!(hosted(text), Transport::Datagram(Reports::LossEvents(history)), "{text}");
    }
}

#[test]
fn reno_and_newreno_have_the_same_rule() {
    let cards = ["reno", "newreno"].map(|name| find(name).expect("both are there"));
    assert_eq!(cards[0].card.equations, cards[1].card.equations);
}

#[test]
fn faults_name_what_was_given_what_is_allowed_and_the_nearest_name() {
    assert_eq!(fault("qubic"), "unknown algorithm \"qubic\"; did you mean \"cubic\"?");
    assert_eq!(fault("sprout"), "unknown algorithm \"sprout\"");
    // Two edits in five letters are too many, as for keys of a scenario.
    assert_eq!(fault("dtpc"), "unknown algorithm \"dtpc\"");
    assert_eq!(fault("cubic(betta=1)"), "unknown parameter \"betta\"; did you mean \"beta\"?");
    assert_eq!(
        fault("cubic(exponent=1)"),
        "unknown parameter \"exponent\"; allowed: c, beta, fast_convergence"
    );
    assert_eq!(fault("reno(a=1)"), "unknown parameter \"a\"; it has no parameters");
    assert_eq!(fault("aimd(b=2)"), "b: expected a number in [0, 1], got \"2\"");
    assert_eq!(fault("aimd(b=nan)"), "b: expected a number in [0, 1], got \"NaN\"");
    assert_eq!(fault("cubic(fast_convergence=1)"), "fast_convergence: expected true or false, got \"1\"");
    assert_eq!(fault("cubic-2008(limit=never)"), "limit: expected one of convex, always, got \"never\"");
    assert_eq!(
        fault("constant(rate=10)"),
        "rate: expected a positive rate with a unit, as in 10Mbps, got \"10\""
    );
    assert_eq!(fault("aimd(b=0.5,b=0.6)"), "b is given twice");
}

#[test]
fn text_that_is_not_of_the_form_is_a_fault() {
    for text in ["", "aimd(", "aimd(b)", "aimd(b=)", "aimd(=1)", "aimd(b=1))x", "aimd(b=1"] {
        assert!(matches!(Algorithm::parse(text), Err(Fault::Form { .. })), "{text:?}");
    }
}
