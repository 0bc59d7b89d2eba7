// SPDX-License-Identifier: Apache-2.0
//! The rates of a table: their column and their unit.

use super::field::{OPEN_COMMA, has_open_comma, is_missing, number, words as words_of};
use super::table::{Row, Table};
use super::{Key, Missing, Problem, Reading};
use crate::value::{FASTEST, Words, words};
use narrows_units::{Rate, Span};

/// A unit of rates, or of amounts in the interval of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateUnit {
    /// Bits per second.
    Bps,
    /// Thousands of bits per second.
    Kbps,
    /// Millions of bits per second.
    Mbps,
    /// Billions of bits per second.
    Gbps,
    /// Bytes per second.
    BytesPs,
    /// Thousands of bytes per second.
    KilobytesPs,
    /// Millions of bytes per second.
    MegabytesPs,
    /// Bytes in the interval.
    Bytes,
    /// Thousands of bytes in the interval.
    Kilobytes,
    /// Millions of bytes in the interval.
    Megabytes,
    /// Bits in the interval.
    Bits,
}

words!(RateUnit {
    Bps = "bps",
    Kbps = "kbps",
    Mbps = "Mbps",
    Gbps = "Gbps",
    BytesPs = "B/s",
    KilobytesPs = "kB/s",
    MegabytesPs = "MB/s",
    Bytes = "B",
    Kilobytes = "kB",
    Megabytes = "MB",
    Bits = "bit",
});

impl RateUnit {
    /// Bits of one unit; whether they belong to the whole interval, not to a second.
    fn bits(self) -> (f64, bool) {
        match self {
            Self::Bps => (1.0, false),
            Self::Kbps => (1e3, false),
            Self::Mbps => (1e6, false),
            Self::Gbps => (1e9, false),
            Self::BytesPs => (8.0, false),
            Self::KilobytesPs => (8e3, false),
            Self::MegabytesPs => (8e6, false),
            Self::Bytes => (8.0, true),
            Self::Kilobytes => (8e3, true),
            Self::Megabytes => (8e6, true),
            Self::Bits => (1.0, true),
        }
    }

    /// Returns the unit that a name of a column states, as in `Throughput (Mbps)` or `bytes_sec`. A prefix in capitals alone
    /// (`MBPS`) and a `b` without one (`mb/s`) may be bits or bytes, and state none.
    pub fn named(name: &str) -> Option<Self> {
        let parts = words_of(name);
        let per_second = |word: &&str| ["s", "sec", "second"].contains(&word.to_lowercase().as_str());
        (0..parts.len()).find_map(|at| {
            let next = parts.get(at + 1);
            let next = if next.is_some_and(|word| word.eq_ignore_ascii_case("per")) {
                parts.get(at + 2)
            } else {
                next
            };
            let divided = next.is_some_and(per_second);
            Self::of(parts[at], divided)
        })
    }

    /// The unit `word`, per second if `divided`.
    fn of(word: &str, divided: bool) -> Option<Self> {
        match (word, divided) {
            ("bps", false) | ("b", true) => return Some(Self::Bps),
            ("kbps" | "Kbps", false) | ("Kb", true) => return Some(Self::Kbps),
            ("Mbps" | "mbps", false) | ("Mb", true) => return Some(Self::Mbps),
            ("Gbps" | "gbps", false) | ("Gb", true) => return Some(Self::Gbps),
            ("Bps", false) | ("B", true) => return Some(Self::BytesPs),
            ("kBps" | "KBps", false) | ("kB" | "KB", true) => return Some(Self::KilobytesPs),
            ("MBps", false) | ("MB", true) => return Some(Self::MegabytesPs),
            _ => {}
        }
        let lower = word.to_lowercase();
        let singular = lower.strip_suffix('s').unwrap_or(&lower);
        let found = match singular {
            "bit" => Self::Bps,
            "kbit" | "kilobit" => Self::Kbps,
            "mbit" | "megabit" => Self::Mbps,
            "gbit" | "gigabit" => Self::Gbps,
            "byte" => Self::BytesPs,
            "kbyte" | "kilobyte" => Self::KilobytesPs,
            "mbyte" | "megabyte" => Self::MegabytesPs,
            _ => return None,
        };
        divided.then_some(found)
    }
}

/// A unit of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Minutes.
    Minutes,
}

words!(TimeUnit { Seconds = "s", Milliseconds = "ms", Microseconds = "us", Nanoseconds = "ns", Minutes = "min" });

impl TimeUnit {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        Words::word(self)
    }

    /// Returns the seconds of one unit.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Seconds => 1.0,
            Self::Milliseconds => 1e-3,
            Self::Microseconds => 1e-6,
            Self::Nanoseconds => 1e-9,
            Self::Minutes => 60.0,
        }
    }

    /// Returns the unit that a name of a column states, as in `time_ms`.
    pub fn named(name: &str) -> Option<Self> {
        let of = |word: &&str| {
            Some(match word.to_lowercase().as_str() {
                "s" | "sec" | "secs" | "second" | "seconds" => Self::Seconds,
                "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => Self::Milliseconds,
                "us" | "µs" | "usec" | "microsecond" | "microseconds" => Self::Microseconds,
                "ns" | "nsec" | "nanosecond" | "nanoseconds" => Self::Nanoseconds,
                "min" | "minute" | "minutes" => Self::Minutes,
                _ => return None,
            })
        };
        words_of(name).iter().find_map(of)
    }

    /// Describes the units.
    pub fn allowed() -> String {
        format!("time_unit =, one of {}", quoted(Self::WORDS))
    }
}

/// Where the rates of a table are.
#[derive(Debug)]
pub struct Column {
    /// Description of the rates, and its source.
    pub understood: String,
    index: usize,
    unit: RateUnit,
}

/// Returns where the rates are; `time` is the column of times.
///
/// # Errors
///
/// If the scenario must say it.
pub fn find(table: &Table<'_>, reading: &Reading<'_>, time: Option<usize>) -> Result<Column, Problem> {
    let column = match reading.column {
        Some(name) => table.column(name, Key::Column)?,
        None => likely(table, time)?,
    };
    let name = table.name(column);
    let published = PUBLISHED.iter().find(|(known, ..)| *known == name);
    let stated = table.names.get(column).and_then(|name| RateUnit::named(name));
    let (unit, source) = match (reading.unit, stated, published, beside(table)) {
        (Some(unit), ..) => (unit, String::new()),
        (None, Some(unit), ..) => (unit, ", from the header".to_owned()),
        (None, None, Some((_, unit, source)), _) => (*unit, format!(", as in {source}")),
        (None, None, None, Some((unit, at))) => (unit, format!(", from column \"{}\"", table.name(at))),
        (None, None, None, None) => {
            let message = format!("the file does not say the unit of column \"{name}\"");
            let allowed = format!("unit =, one of {}", quoted(RateUnit::WORDS));
            return Err(Problem::new(Key::Unit, message, allowed));
        }
    };
    Ok(Column { understood: format!("column \"{name}\" in {}{source}", unit.word()), index: column, unit })
}

impl Column {
    /// Returns the rate of a line that holds for `interval`; `before` is the rate before it.
    ///
    /// # Errors
    ///
    /// If it is no rate.
    pub fn of(
        &self,
        row: &Row<'_>,
        interval: Span,
        before: Option<Rate>,
        missing: Missing,
    ) -> Result<Rate, Problem> {
        let field = row.fields[self.index];
        let fault = |what: &str| {
            let message = format!("the rate on line {} is {what}", row.line);
            Problem::new(Key::Column, message, format!("numbers from 0 to {FASTEST}"))
        };
        let Some(amount) = number(field) else {
            return match (is_missing(field), missing, before) {
                (true, Missing::Zero, _) => Ok(Rate::ZERO),
                (true, Missing::Hold, Some(rate)) => Ok(rate),
                (true, ..) => {
                    let message = format!("line {} has no rate", row.line);
                    let allowed =
                        "missing = \"hold\", which keeps the rate of the line before, or missing = \"zero\"";
                    Err(Problem::new(Key::Missing, message, allowed))
                }
                (false, ..) if has_open_comma(field) => Err(fault(OPEN_COMMA)),
                (false, ..) => Err(fault("not a number")),
            };
        };
        let (bits, in_interval) = self.unit.bits();
        let bps = amount * bits / if in_interval { interval.as_secs_f64() } else { 1.0 };
        if bps < 0.0 {
            return Err(fault("negative"));
        }
        let rate = Rate::from_bps_f64(bps);
        if rate > FASTEST { Err(fault("too large")) } else { Ok(rate) }
    }
}

/// The column that holds the rates: the only one, or the only one with the name of a rate.
fn likely(table: &Table<'_>, time: Option<usize>) -> Result<usize, Problem> {
    let all: Vec<usize> =
        (0..table.width).filter(|&column| Some(column) != time && table.is_numeric(column)).collect();
    let of = |test: fn(&str) -> bool| -> Vec<usize> {
        all.iter().copied().filter(|&column| table.names.get(column).is_some_and(|name| test(name))).collect()
    };
    let with_unit = of(|name| RateUnit::named(name).is_some());
    let with_name = of(|name| {
        let name = name.to_lowercase();
        RATES.iter().any(|word| name.contains(word))
    });
    let candidates =
        [with_unit, with_name, all].into_iter().find(|some| !some.is_empty()).unwrap_or_default();
    match candidates.as_slice() {
        &[column] => Ok(column),
        several => {
            let message = match several.len() {
                0 => "it has no column of rates".to_owned(),
                count => format!("{count} columns may hold the rates"),
            };
            Err(Problem::new(Key::Column, message, format!("column =, one of {}", table.shown(several))))
        }
    }
}

/// The unit that a column of texts states in every line, and the column, if it is the only one.
fn beside(table: &Table<'_>) -> Option<(RateUnit, usize)> {
    let stated = |column: usize| {
        let mut units = table.rows.iter().map(|row| RateUnit::named(row.fields[column]));
        let first = units.next()??;
        units.all(|unit| unit == Some(first)).then_some((first, column))
    };
    let mut found = (0..table.width).filter_map(stated);
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

/// Parts of names of rates, in lower case.
const RATES: &[&str] = &["rate", "throughput", "goodput", "bandwidth", "capacity", "tput"];

/// Columns of published recordings whose unit only their description states: name, unit, source.
const PUBLISHED: &[(&str, RateUnit, &str)] =
    &[("DL_bitrate", RateUnit::Kbps, RACA), ("UL_bitrate", RateUnit::Kbps, RACA)];

const RACA: &str = "Raca et al., \"Beyond Throughput, The Next Generation\", ACM MMSys 2020";
