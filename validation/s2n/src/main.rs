// SPDX-License-Identifier: Apache-2.0
//! Prints the window over time of CUBIC and BBR of Narrows and of s2n-quic-core, on the same path and on the same facts.

mod fact;
mod ours;
mod path;
mod theirs;

use fact::{Controller, Fact, PACKET};
use narrows_adapter::Plan;
use narrows_cc::SlowStartKind;
use ours::Ours;
use theirs::Theirs;

const SECOND: u64 = 1_000_000_000;
/// Time of a run, nanoseconds.
const END: u64 = 30 * SECOND;

/// A controller under its name.
struct Tested {
    name: &'static str,
    build: fn() -> Box<dyn Controller>,
}

const CUBIC: [Tested; 3] = [
    Tested { name: "Narrows", build: || narrows("cubic", SlowStartKind::Standard) },
    Tested { name: "Narrows, HyStart", build: || narrows("cubic", SlowStartKind::HyStart) },
    Tested { name: "s2n", build: || Box::new(Theirs::cubic()) },
];
const BBR: [Tested; 2] = [
    Tested { name: "Narrows", build: || narrows("bbr3", SlowStartKind::Standard) },
    Tested { name: "s2n", build: || Box::new(Theirs::bbr()) },
];

fn narrows(name: &str, slow_start: SlowStartKind) -> Box<dyn Controller> {
    let mut plan: Plan = name.parse().expect("the catalogue has the algorithm");
    plan.setup.slow_start = slow_start;
    Box::new(Ours::new(&plan))
}

/// A controller's course on some facts.
struct Course {
    name: &'static str,
    /// Window at the times of a table, packets.
    windows: Vec<f64>,
    /// Times at which a loss lowered the window by a tenth or more, seconds.
    reductions: Vec<f64>,
}

/// The times of a table, nanoseconds.
fn times() -> impl Iterator<Item = u64> {
    [SECOND / 10, SECOND / 5, SECOND / 2].into_iter().chain((1..=END / SECOND).map(|second| second * SECOND))
}

/// Returns what each controller is given on a path of its own.
fn recorded(tested: &[Tested]) -> Vec<Vec<Fact>> {
    tested.iter().map(|each| path::run((each.build)().as_mut(), END)).collect()
}

/// Returns the course of a controller on `facts`.
fn course(&Tested { name, build }: &Tested, facts: &[Fact]) -> Course {
    let mut controller = build();
    let mut course = Course { name, windows: Vec::new(), reductions: Vec::new() };
    for &fact in facts {
        let before = packets(controller.as_ref());
        controller.apply(fact);
        let after = packets(controller.as_ref());
        match fact {
            Fact::Lost { now, .. } if after <= 0.9 * before => course.reductions.push(seconds(now)),
            Fact::Acknowledged { now, .. } => {
                while times().nth(course.windows.len()).is_some_and(|time| time <= now) {
                    course.windows.push(after);
                }
            }
            _ => {}
        }
    }
    course
}

fn packets(controller: &dyn Controller) -> f64 {
    controller.window() as f64 / f64::from(PACKET)
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / SECOND as f64
}

/// Returns a row of a table.
fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    format!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// Prints the table of `tested`, with the facts that each is given.
fn print(title: &str, tested: &[Tested], given: &[&[Fact]]) {
    let courses: Vec<_> = tested.iter().zip(given).map(|(each, facts)| course(each, facts)).collect();
    println!("\n{title}: window, packets\n");
    println!("{}", row("time, s", courses.iter().map(|course| course.name.to_string())));
    println!("|--:|{}", "--:|".repeat(courses.len()));
    for (place, time) in times().enumerate() {
        let windows = courses.iter().map(|course| format!("{:.1}", course.windows[place]));
        println!("{}", row(&seconds(time).to_string(), windows));
    }
    let count = |kind: fn(&Fact) -> bool| {
        given.iter().map(move |facts| facts.iter().filter(|&fact| kind(fact)).count().to_string())
    };
    println!("{}", row("acknowledged", count(|fact| matches!(fact, Fact::Acked { .. }))));
    println!("{}", row("lost", count(|fact| matches!(fact, Fact::Lost { .. }))));
    println!("{}", row("reductions", courses.iter().map(|course| course.reductions.len().to_string())));
    let first = courses.iter().map(|course| {
        course.reductions.iter().take(4).map(|time| format!("{time:.3}")).collect::<Vec<_>>().join(", ")
    });
    println!("{}", row("the first four, s", first));
}

fn main() {
    for (rule, tested) in [("CUBIC", &CUBIC[..]), ("BBR", &BBR[..])] {
        let own = recorded(tested);
        let given: Vec<_> = own.iter().map(Vec::as_slice).collect();
        print(&format!("{rule}, each on its own path"), tested, &given);
        for (each, facts) in tested.iter().zip(&given) {
            let title = format!("{rule}, on what {} was given on its path", each.name);
            print(&title, tested, &vec![*facts; tested.len()]);
        }
    }
}
