// SPDX-License-Identifier: Apache-2.0
//! What algorithms and queues have been compared with: closed forms, tables and figures of their sources.
//!
//! `comparisons.tsv` holds the result of every comparison, as the test that makes it computed it. The tests assert their
//! own rows; `validation/comparisons.py --write` writes all of them anew.

/// A comparison of an algorithm or a queue with a closed form or a figure of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The measured quantity, its conditions, and the reference.
    pub what: &'static str,
    /// The relative difference in percent; the measured value if the reference is a range.
    pub result: &'static str,
    /// Path of the test file that makes the comparison, from the root of the repository.
    pub test: &'static str,
}

/// The catalogues whose entries are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catalogue {
    /// Congestion control algorithms.
    Algorithms,
    /// Queue disciplines.
    Queues,
}

impl Catalogue {
    fn name(self) -> &'static str {
        match self {
            Self::Algorithms => "algorithms",
            Self::Queues => "queues",
        }
    }

    /// Returns the comparisons of the entry `name`, in the order of the table `comparisons.tsv`.
    pub fn comparisons(self, name: &str) -> impl Iterator<Item = Comparison> {
        TABLE.lines().filter_map(move |line| {
            let mut columns = line.split('\t');
            let mut next = || columns.next().unwrap_or_default();
            let (catalogue, entry) = (next(), next());
            let comparison = Comparison { what: next(), result: next(), test: next() };
            (catalogue == self.name() && entry == name).then_some(comparison)
        })
    }
}

/// What tests assert, which write the table by the standard library.
#[cfg(feature = "std")]
impl Catalogue {
    /// For tests: asserts that `measured` differs from `expected` by at most `tolerance`, as a fraction of `expected`,
    /// and that the table has the row `what` with this difference.
    ///
    /// # Panics
    ///
    /// If either assertion fails.
    #[track_caller]
    pub fn assert_near(self, name: &str, what: &str, measured: f64, expected: f64, tolerance: f64) {
        let error = measured / expected - 1.0;
        let percent = format!("{:+.1}", error * 100.0);
        let result = format!("{} %", if percent == "-0.0" || percent == "+0.0" { "0.0" } else { &percent });
        assert!(
            error.abs() <= tolerance,
            "{name}: {what}: measured {measured}, expected {expected}: {result}"
        );
        self.assert_result(name, what, &result);
    }

    /// For tests: asserts that the table has the row `what` with this `result`; prints the row instead if all rows are
    /// being written.
    ///
    /// # Panics
    ///
    /// If the table has no such row, or another result in it.
    #[track_caller]
    pub fn assert_result(self, name: &str, what: &str, result: &str) {
        let test = std::panic::Location::caller().file();
        let catalogue = self.name();
        if std::env::var_os(WRITE).is_some() {
            println!("\n{WRITE}\t{catalogue}\t{name}\t{what}\t{result}\t{test}");
            return;
        }
        let known = self.comparisons(name).find(|known| known.what == what);
        let stands = known.map(|known| (known.result, known.test));
        assert_eq!(
            stands,
            Some((result, test)),
            "{name}: {what}: the table of comparisons is not current: run `make generate`"
        );
    }
}

/// Set where rows are printed instead of compared.
#[cfg(feature = "std")]
const WRITE: &str = "NARROWS_COMPARISONS";

const TABLE: &str = include_str!("comparisons.tsv");
