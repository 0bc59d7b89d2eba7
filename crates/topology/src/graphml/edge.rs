// SPDX-License-Identifier: Apache-2.0
//! The rate and the delay of an edge, from everything that it says.

use super::account::Account;
use super::attributes::Attribute;
use super::rate::{self, Reading};
use super::{Assumptions, Site, delay};
use narrows_units::{Rate, Span};

/// An edge of a file, and the graph's attributes of all edges.
pub struct Said<'a> {
    /// Name of the edge in messages.
    pub name: String,
    /// Attributes of the edge.
    pub own: Vec<Attribute>,
    /// Labels of its drawing.
    pub labels: Vec<Attribute>,
    /// Attributes of the graph, which may hold units.
    pub graph: &'a [Attribute],
}

/// A rate or a number that an edge says.
struct Statement<'a> {
    by: &'a Attribute,
    reading: Reading,
}

impl Said<'_> {
    /// Returns the rate in each direction. What it was read from, or that it was assumed, is added to `account`.
    ///
    /// # Errors
    ///
    /// If the edge says a rate that is not understood, several rates, or none although none may be assumed: the error,
    /// in words.
    pub fn rate(&self, assumptions: &Assumptions, account: &mut Account) -> Result<Rate, String> {
        let (attributes, labels) = (self.stated(assumptions, account)?, self.labelled());
        let known =
            |statement: &&Statement<'_>| matches!(statement.reading, Reading::Stated(_) | Reading::Read(_));
        let chosen = attributes.iter().find(known).or_else(|| labels.iter().find(known));
        let unclear =
            |statement: &&Statement<'_>| matches!(statement.reading, Reading::Unclear | Reading::Number(_));
        let refused = attributes.iter().find(unclear).or_else(|| labels.iter().find(unclear));
        if let Some(chosen) = chosen {
            let rate = check(chosen)?;
            self.compare(chosen, rate, attributes.iter().chain(&labels), account)?;
            if matches!(chosen.reading, Reading::Read(_)) {
                account.add(
                    format!("{} \"{}\" read as {rate}", chosen.by.name, chosen.by.text),
                    self.name.clone(),
                );
            }
            return Ok(rate);
        }
        let reason = match refused {
            Some(statement) if assumptions.unclear => {
                format!("{} \"{}\" not understood", statement.by.name, statement.by.text)
            }
            Some(Statement { by, reading: Reading::Number(_) }) => {
                return Err(format!(
                    "{} \"{}\" is a number without a unit; allowed: a unit, an attribute that names it, \
                     graph.rate_unit, or {AS_NONE}",
                    by.name, by.text
                ));
            }
            Some(Statement { by, .. }) => {
                return Err(format!(
                    "{} \"{}\" cannot be interpreted as a rate; allowed: {RATES}, or {AS_NONE}",
                    by.name, by.text
                ));
            }
            None => match labels.first() {
                Some(label) => format!("{} \"{}\" says no rate", label.by.name, label.by.text),
                None => "no rate stated".to_owned(),
            },
        };
        let rate = assumptions.rate.ok_or_else(|| {
            format!("{reason}, and no default rate is given; allowed: {RATES}, or graph.rate")
        })?;
        account.add(format!("rate {rate} assumed, {reason}"), self.name.clone());
        Ok(rate)
    }

    /// The values of the attributes for rates. A number is taken with the unit that its name, another attribute or the
    /// graph names.
    fn stated(&self, assumptions: &Assumptions, account: &mut Account) -> Result<Vec<Statement<'_>>, String> {
        let mut all = Vec::new();
        for by in &self.own {
            let Some((base, rest)) = split(&by.key, RATE_KEYS) else { continue };
            if UNIT_KEYS.contains(&rest) {
                continue;
            }
            let own = match rest {
                "" => None,
                "raw" => Some(1.0),
                other => match unit_of_name(other) {
                    Some(bps) => Some(bps),
                    None => continue,
                },
            };
            let reading = match rate::read(&by.text) {
                Reading::Number(number) => {
                    let elsewhere = if own.is_none() { self.unit(base)? } else { None };
                    let written = own.or(elsewhere.map(|(_, bps)| bps));
                    let usual = (base == MININET_KEY).then_some(1e6);
                    let supposed = assumptions.rate_unit.map(|unit| unit.as_bps() as f64).or(usual);
                    match (written, supposed) {
                        (Some(bps), _) => Reading::Stated(number * bps),
                        (None, Some(bps)) => {
                            let unit = Rate::from_bps_f64(bps);
                            account.add(
                                format!("numbers of {} taken as multiples of {unit}", by.name),
                                self.name.clone(),
                            );
                            Reading::Stated(number * bps)
                        }
                        (None, None) => Reading::Number(number),
                    }
                }
                // An attribute for rates has nothing else to say.
                Reading::Silent => Reading::Unclear,
                other => other,
            };
            all.push(Statement { by, reading });
        }
        let understood =
            |each: &Statement<'_>| !matches!(each.reading, Reading::Unclear | Reading::Number(_));
        let unclear = all.iter().find(|each| matches!(each.reading, Reading::Unclear));
        if let (Some(unclear), false) = (unclear, assumptions.unclear) {
            let Attribute { name, text, .. } = unclear.by;
            return Err(format!(
                "{name} \"{text}\" cannot be interpreted as a rate; allowed: {RATES}, or {AS_NONE}"
            ));
        }
        all.sort_by_key(|each| !understood(each));
        Ok(all)
    }

    fn labelled(&self) -> Vec<Statement<'_>> {
        let labels =
            self.own.iter().filter(|each| LABEL_KEYS.contains(&each.key.as_str())).chain(&self.labels);
        labels
            .map(|by| {
                let reading = rate::read(&by.text);
                // A label may be a number of anything.
                Statement {
                    by,
                    reading: if matches!(reading, Reading::Number(_)) { Reading::Silent } else { reading },
                }
            })
            .collect()
    }

    /// The unit of numbers of `base` in an attribute of the edge or else of the graph.
    fn unit(&self, base: &str) -> Result<Option<(&Attribute, f64)>, String> {
        let Some(by) = self.unit_attribute(base, RATE_KEYS) else { return Ok(None) };
        let wrong = || {
            format!(
                "{} \"{}\" is not a unit of rates; allowed: K, M, G or T, or a unit such as Mbps",
                by.name, by.text
            )
        };
        Ok(Some((by, rate::unit(&by.text).ok_or_else(wrong)?)))
    }

    fn unit_attribute(&self, base: &str, keys: &[&'static str]) -> Option<&Attribute> {
        let of_base = |each: &&Attribute| {
            split(&each.key, keys).is_some_and(|(known, rest)| known == base && UNIT_KEYS.contains(&rest))
        };
        self.own.iter().chain(self.graph).find(of_base)
    }

    /// Refuses another attribute that says another rate; of another label it is said.
    fn compare<'a>(
        &self,
        chosen: &Statement<'_>,
        rate: Rate,
        all: impl Iterator<Item = &'a Statement<'a>>,
        account: &mut Account,
    ) -> Result<(), String> {
        let Attribute { name, text, .. } = chosen.by;
        for Statement { by, reading } in all {
            let (Reading::Stated(bps) | Reading::Read(bps)) = reading else {
                if matches!(reading, Reading::Unclear) {
                    let what = format!("{} \"{}\" not understood, {rate} of {name} taken", by.name, by.text);
                    account.add(what, self.name.clone());
                }
                continue;
            };
            let same = (bps - rate.as_bps() as f64).abs() <= SAME * rate.as_bps() as f64;
            if same {
                continue;
            }
            let both = format!("{name} \"{text}\" and {} \"{}\" differ", by.name, by.text);
            if LABEL_KEYS.contains(&by.key.as_str()) {
                account.add(format!("{both}, {rate} taken"), self.name.clone());
            } else {
                return Err(format!("{both}; allowed: one rate"));
            }
        }
        Ok(())
    }

    /// Returns the one-way delay. What it was read from, or that it was assumed, is added to `account`.
    ///
    /// # Errors
    ///
    /// If the edge says a delay that is not understood, or none where none may be assumed: what is wrong, in words.
    pub fn delay(
        &self,
        ends: [&Site; 2],
        assumptions: &Assumptions,
        account: &mut Account,
    ) -> Result<Span, String> {
        let mut said: Option<(&Attribute, Span)> = None;
        let mut reason = "no delay stated".to_owned();
        for by in &self.own {
            let Some((base, rest)) = split(&by.key, DELAY_KEYS) else { continue };
            if UNIT_KEYS.contains(&rest) {
                continue;
            }
            let own = match rest {
                "" => None,
                other => match unit_of_times(other) {
                    Some(unit) => Some(unit),
                    None => continue,
                },
            };
            let written = match (own, self.unit_attribute(base, DELAY_KEYS)) {
                (None, Some(by)) => {
                    let wrong = || {
                        format!(
                            "{} \"{}\" is not a unit of times; allowed: s, ms, us or ns",
                            by.name, by.text
                        )
                    };
                    Some(unit_of_times(&by.text.to_ascii_lowercase()).ok_or_else(wrong)?)
                }
                (own, _) => own,
            };
            match delay::read(&by.text, written.or(assumptions.delay_unit)) {
                Ok(delay) => match said {
                    Some((other, before)) if before != delay => {
                        return Err(format!(
                            "{} \"{}\" and {} \"{}\" differ; allowed: one delay",
                            other.name, other.text, by.name, by.text
                        ));
                    }
                    _ => said = Some((by, delay)),
                },
                Err(_) if assumptions.unclear => {
                    reason = format!("{} \"{}\" not understood", by.name, by.text);
                }
                Err(problem) => {
                    return Err(format!(
                        "{} \"{}\" {problem}; allowed: a time with a unit, such as 5ms, or {AS_NONE}",
                        by.name, by.text
                    ));
                }
            }
            if written.is_none()
                && rate::number(&by.text).is_some()
                && let Some(unit) = assumptions.delay_unit
            {
                account
                    .add(format!("numbers of {} taken as multiples of {unit}", by.name), self.name.clone());
            }
        }
        if let Some((_, delay)) = said {
            return Ok(delay);
        }
        let factor = assumptions.factor;
        let times =
            if factor.to_bits() == 1.0_f64.to_bits() { String::new() } else { format!(", times {factor}") };
        let (what, delay) = if let (Some(one), Some(other)) = (ends[0].degrees, ends[1].degrees) {
            let what = format!("delay of the great circle between the ends at 200000 km/s{times}, {reason}");
            (what, delay::on_the_earth(one, other, factor))
        } else if let Some(((one, other), unit)) =
            ends[0].drawn.zip(ends[1].drawn).zip(assumptions.drawing_unit)
        {
            let what = format!("delay of the length in the drawing at {unit} for a unit{times}, {reason}");
            (what, delay::in_the_drawing(one, other, unit, factor))
        } else if let Some(delay) = assumptions.delay {
            (format!("delay {delay} assumed, {reason}"), delay)
        } else {
            return Err(format!(
                "{reason}, its ends have no coordinates, and no default delay is given; allowed: a delay, \
                 longitude and latitude of its ends, graph.delay, or graph.drawing_unit for drawings"
            ));
        };
        account.add(what, self.name.clone());
        Ok(delay)
    }

    /// Returns the names of attributes of which nothing is read.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        let used = |each: &&Attribute| {
            let unit = |rest: &str| rest.is_empty() || rest == "raw" || UNIT_KEYS.contains(&rest);
            let rate = split(&each.key, RATE_KEYS)
                .is_some_and(|(_, rest)| unit(rest) || unit_of_name(rest).is_some());
            let delay = split(&each.key, DELAY_KEYS)
                .is_some_and(|(_, rest)| unit(rest) || unit_of_times(rest).is_some());
            rate || delay || LABEL_KEYS.contains(&each.key.as_str())
        };
        self.own.iter().filter(move |each| !used(each)).map(|each| each.name.as_str())
    }
}

/// The rate of a statement that is understood.
fn check(statement: &Statement<'_>) -> Result<Rate, String> {
    let (Reading::Stated(bps) | Reading::Read(bps)) = statement.reading else { return Ok(Rate::ZERO) };
    let Attribute { name, text, .. } = statement.by;
    if bps < 1.0 {
        return Err(format!("{name} \"{text}\" is not a positive rate; allowed: {RATES}"));
    }
    if bps > FASTEST_BPS {
        return Err(format!(
            "{name} \"{text}\" is faster than 1000Tbps; a unit that fits goes into graph.rate_unit"
        ));
    }
    Ok(Rate::from_bps_f64(bps))
}

/// The longest of `bases` with which `key` begins, and the rest.
fn split<'a>(key: &'a str, bases: &[&'static str]) -> Option<(&'static str, &'a str)> {
    let found = bases.iter().filter(|base| key.starts_with(**base)).max_by_key(|base| base.len())?;
    Some((found, &key[found.len()..]))
}

/// The unit in the name of an attribute, as in `capacity_mbps`.
fn unit_of_name(unit: &str) -> Option<f64> {
    let (prefix, rest) = match unit.split_at_checked(1)? {
        ("k", rest) => (1e3, rest),
        ("m", rest) => (1e6, rest),
        ("g", rest) => (1e9, rest),
        ("t", rest) => (1e12, rest),
        _ => (1.0, unit),
    };
    ["bps", "bit", "bits", "bitps", "bitsps", "bitpersecond", "bitspersecond"]
        .contains(&rest)
        .then_some(prefix)
}

/// The unit of times called `unit` in small letters.
fn unit_of_times(unit: &str) -> Option<Span> {
    Some(match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => Span::from_ms(1000),
        "ms" | "msec" | "millisecond" | "milliseconds" => Span::from_ms(1),
        "us" | "usec" | "\u{b5}s" | "\u{3bc}s" | "microsecond" | "microseconds" => Span::from_us(1),
        "ns" | "nsec" | "nanosecond" | "nanoseconds" => Span::from_ps(1000),
        _ => return None,
    })
}

/// Names of attributes for rates, in small letters.
const RATE_KEYS: &[&str] = &[
    "rate",
    "capacity",
    "bandwidth",
    MININET_KEY,
    "speed",
    "bitrate",
    "datarate",
    "linkrate",
    "linkspeed",
    "linkcapacity",
    "linkbandwidth",
];

/// Of Mininet's links: megabits per second (mininet/link.py, `TCIntf`).
const MININET_KEY: &str = "bw";

/// Names of attributes for one-way delays, in small letters.
const DELAY_KEYS: &[&str] =
    &["delay", "latency", "linkdelay", "linklatency", "propagationdelay", "propdelay"];

/// Names of attributes that hold any text, in small letters.
const LABEL_KEYS: &[&str] = &["label", "linklabel", "edgelabel"];

/// Suffixes of the names of attributes that give a unit.
const UNIT_KEYS: &[&str] = &["unit", "units"];

/// The fastest link that a scenario may have.
const FASTEST_BPS: f64 = 1e15;

/// Relative difference of rounded values.
const SAME: f64 = 0.01;

const RATES: &str =
    "a positive rate with a unit (34 Mbps, 2x10G), a carrier (OC-48, STM-1, E3, T1) or Ethernet (10GE)";
const AS_NONE: &str = "graph.unclear = \"default\", which takes it as if nothing were stated";
