// SPDX-License-Identifier: Apache-2.0
//! Links that scenarios name: synthetic rates with the statistics of published recordings, which `links/make.py` writes.
//!
//! Each is a table of rates, as `rate = { file = … }` reads it. A scenario has its delivery opportunities: of the bits that the rate
//! lets pass, counted in whole bits, each 1500 bytes give one at the end of their millisecond.

use crate::recorded_rate::{Missing, Part, Reading, read};
use narrows_card::nearest;
use narrows_model::{OPPORTUNITY, Origin, Trace, hexadecimal};
use narrows_units::{Rate, Span};
use sha2::{Digest, Sha256};

/// A link that a scenario can name.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Its name.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! links {
    ($($name:literal),* $(,)?) => {
        &[$(Link { name: $name, text: include_str!(concat!("../links/", $name, ".csv")) }),*]
    };
}

/// All links, by name.
pub const LINKS: &[Link] = links!["5g-driving", "evdo-driving", "leo-driving", "lte", "lte-driving"];

impl Link {
    /// Returns a description in words.
    pub fn title(self) -> &'static str {
        self.head("# Title: ")
    }

    /// Returns the source of its statistics.
    pub fn source(self) -> &'static str {
        self.head("# Statistics: ")
    }

    fn head(self, key: &str) -> &'static str {
        self.text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default()
    }

    /// Returns the times from which its rates apply, ascending from zero, the rates, and the time after which it is repeated.
    ///
    /// # Panics
    ///
    /// If its file is no table of rates, which a test excludes.
    pub fn rates(self) -> (Vec<(Span, Rate)>, Span) {
        let reading = Reading {
            column: None,
            unit: None,
            time: None,
            time_unit: None,
            step: None,
            only: Vec::new(),
            missing: Missing::Refuse,
            times_are: Part::Start,
        };
        let rates = read(self.text, &reading).expect("a link is a table of rates");
        (rates.steps, rates.length)
    }

    /// Returns its delivery opportunities; `start` is the place at which a run starts.
    pub(crate) fn trace(self, start: Option<Span>) -> Trace {
        let (steps, period) = self.rates();
        let mut opportunities = Vec::new();
        let (mut bits, mut next) = (0, 0);
        for ms in 0..period.as_ps() / MILLISECOND.as_ps() {
            while steps.get(next + 1).is_some_and(|(from, _)| *from <= MILLISECOND * ms) {
                next += 1;
            }
            // Rates of links are whole kbps.
            bits += steps[next].1.as_bps() / 1000;
            while bits >= OPPORTUNITY.bits() {
                bits -= OPPORTUNITY.bits();
                opportunities.push(MILLISECOND * (ms + 1));
            }
        }
        let digest = hexadecimal(&Sha256::digest(self.text));
        Trace { name: self.name.to_owned(), digest, opportunities, period, start, origin: Origin::Synthetic }
    }
}

/// Whether the value of `trace` is the name of a link; with a dot or a slash it is a file.
pub(crate) fn is_name(value: &str) -> bool {
    !value.contains(['.', '/', '\\'])
}

/// Returns the link `name`.
///
/// # Errors
///
/// The names, and the nearest of them.
pub(crate) fn find(name: &str) -> Result<Link, String> {
    LINKS.iter().find(|link| link.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = LINKS.iter().map(|link| link.name).collect();
        let near = nearest(name, names.iter().copied());
        let near = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        format!(
            "one of {}, or a file, whose path has a dot or a slash, as in ./{name}{near}",
            names.join(", ")
        )
    })
}

/// The unit of times of opportunities.
const MILLISECOND: Span = Span::from_ms(1);

#[cfg(test)]
mod tests {
    //! Rule: a link offers the bits of its rates.

    use super::{LINKS, find};

    #[test]
    fn a_name_that_is_none_has_the_names_and_the_nearest() {
        let allowed = find("lte-drivin").expect_err("no name");
        assert!(allowed.starts_with("one of 5g-driving, evdo-driving, "), "{allowed}");
        assert!(allowed.ends_with("as in ./lte-drivin; did you mean \"lte-driving\"?"), "{allowed}");
    }

    #[test]
    fn a_link_offers_the_bits_of_its_rates_and_says_where_its_statistics_are_from() {
        for link in LINKS {
            let ((steps, period), trace) = (link.rates(), link.trace(None));
            let ends = steps.iter().skip(1).map(|(from, _)| *from).chain([period]);
            let bits: f64 = steps
                .iter()
                .zip(ends)
                .map(|((from, rate), end)| rate.as_bps() as f64 * end.saturating_sub(*from).as_secs_f64())
                .sum();
            let offered = trace.opportunities.len() as f64 * 12_000.0;
            assert!(offered <= bits && bits < offered + 12_000.0, "{}: {offered} of {bits}", link.name);
            assert!(trace.opportunities.is_sorted() && trace.opportunities.last() <= Some(&period));
            assert!(!link.title().is_empty() && !link.source().is_empty(), "{}", link.name);
            assert!(steps.iter().all(|(_, rate)| rate.as_bps() % 1000 == 0), "{}", link.name);
        }
    }
}
