// SPDX-License-Identifier: Apache-2.0
//! Random arguments of `--set`, generated from the declarations of the keys: for every key typical values, values at and beyond
//! its bounds, and values of wrong types. For tests of everything that reads scenarios.

use crate::kind::{Key, Kind, Quantities, Variant};
use crate::section::Section;
use crate::sections::root::RootKeys;
use narrows_card::Domain;
use narrows_model::algorithm;
use narrows_units::Dimension;
use std::fmt::Write;

/// A source of random numbers: returns one below its argument, which is not zero.
pub type Draw<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Returns an argument of `--set` for a random key of the scenario file. `files` are names of files that keys may hold.
pub fn assignment(files: &[String], draw: Draw<'_>) -> String {
    let mut sampler = Sampler { files, draw };
    let parts = RootKeys::PARTS;
    let (path, value) = sampler.of_table("", parts);
    format!("{path}={value}")
}

struct Sampler<'a> {
    files: &'a [String],
    draw: Draw<'a>,
}

impl Sampler<'_> {
    fn one<'v, T>(&mut self, all: &'v [T]) -> &'v T {
        &all[(self.draw)(all.len())]
    }

    fn word(&mut self, all: &[&'static str]) -> &'static str {
        all[(self.draw)(all.len())]
    }

    fn chance(&mut self, one_in: usize) -> bool {
        (self.draw)(one_in) == 0
    }

    /// The path of a random key of the table at `path`, and a value for it.
    fn of_table(&mut self, path: &str, parts: &[&'static [Key]]) -> (String, String) {
        let keys: Vec<&Key> = parts.iter().copied().flatten().collect();
        if keys.is_empty() {
            return (path.to_owned(), "{}".to_owned());
        }
        let key = *self.one(&keys);
        let path = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        self.of_kind(path, &key.kind)
    }

    fn of_kind(&mut self, path: String, kind: &Kind) -> (String, String) {
        let inside = !self.chance(4);
        match kind {
            Kind::Table(parts) if inside => self.of_table(&path, parts),
            Kind::Tables(parts) if inside => {
                let element = (self.draw)(2);
                self.of_table(&format!("{path}.{element}"), parts)
            }
            Kind::Variants { variants, .. } if inside => self.of_form(&path, variants),
            Kind::Listed(variants) if inside => self.of_form(&path, variants()),
            _ => {
                let value = self.value(kind, 0);
                (path, value)
            }
        }
    }

    /// A random key of a random form of the table at `path`.
    fn of_form(&mut self, path: &str, variants: &'static [Variant]) -> (String, String) {
        let variant = self.one(variants);
        if self.chance(2) {
            return (path.to_owned(), self.form(variant, 0));
        }
        self.of_table(path, &[variant.keys])
    }

    /// A table of a form: what it needs, and some of its other keys.
    fn form(&mut self, variant: &Variant, depth: usize) -> String {
        let mut table = format!("{{ kind = \"{}\"", variant.name);
        for key in variant.keys {
            let given = if key.is_required() { !self.chance(30) } else { self.chance(4) };
            if given {
                let value = self.value(&key.kind, depth + 1);
                let _ = write!(table, ", {} = {value}", key.name);
            }
        }
        table + " }"
    }

    fn table(&mut self, parts: &[&'static [Key]], depth: usize) -> String {
        let mut entries = Vec::new();
        for key in parts.iter().copied().flatten() {
            let given = if key.is_required() { !self.chance(30) } else { self.chance(6) };
            if given {
                entries.push(format!("{} = {}", key.name, self.value(&key.kind, depth + 1)));
            }
        }
        format!("{{ {} }}", entries.join(", "))
    }

    /// A value of `kind`; of another in a few cases, and where tables are nested deeply.
    fn value(&mut self, kind: &Kind, depth: usize) -> String {
        if depth > 4 || self.chance(25) {
            return self.word(ODD).to_owned();
        }
        let text = |value: &str| format!("{value:?}");
        match kind {
            Kind::Text => text(self.word(&[
                "cubic",
                "reno",
                "A",
                "B",
                "left",
                "right",
                "R0",
                "\u{e9} \u{3bc}",
                "a.b c",
            ])),
            Kind::File if self.files.is_empty() => text("no such file"),
            Kind::File => {
                let files = self.files;
                format!("{:?}", self.one(files))
            }
            Kind::Flag => self.word(&["true", "false"]).to_owned(),
            Kind::Integer { minimum, maximum } => {
                let (least, most) = (i128::from(*minimum), i128::from(*maximum));
                let typical = [least + 1, least + 2, least + 9];
                if self.chance(3) {
                    self.one(&[least, most, least - 1, most + 1, most / 2]).to_string()
                } else {
                    (*self.one(&typical)).min(most).to_string()
                }
            }
            Kind::Number => self.word(NUMBERS).to_owned(),
            Kind::Fraction { .. } => self.word(FRACTIONS).to_owned(),
            Kind::Choice(words) => text(self.word(words)),
            Kind::Quantity(quantities) => self.quantity(quantities),
            Kind::TimeRange => text(self.word(TIME_RANGES)),
            Kind::Algorithm => self.algorithm(),
            Kind::List(kind) => {
                let length = (self.draw)(4);
                let values: Vec<String> = (0..length).map(|_| self.value(kind, depth + 1)).collect();
                format!("[{}]", values.join(", "))
            }
            Kind::Named(kind) => {
                let value = self.value(kind, depth + 1);
                format!("{{ cubic = {value} }}")
            }
            Kind::Table(parts) => self.table(parts, depth),
            Kind::Tables(parts) => {
                let length = 1 + (self.draw)(2);
                let tables: Vec<String> = (0..length).map(|_| self.table(parts, depth)).collect();
                format!("[{}]", tables.join(", "))
            }
            Kind::Variants { plain: Some(quantities), .. } if self.chance(2) => self.quantity(quantities),
            Kind::Variants { variants, .. } => {
                let variant = self.one(variants);
                self.form(variant, depth)
            }
            Kind::Listed(variants) => {
                let variant = self.one(variants());
                self.form(variant, depth)
            }
        }
    }

    fn quantity(&mut self, quantities: &Quantities) -> String {
        if let Some(word) = quantities.word.filter(|_| self.chance(5)) {
            return format!("{word:?}");
        }
        let values = match self.one(quantities.dimensions) {
            Dimension::Rate => RATES,
            Dimension::Time => TIMES,
            Dimension::Size => SIZES,
            Dimension::Packets => PACKETS,
            Dimension::Bdp => BDPS,
            Dimension::Fraction => FRACTIONS,
        };
        let value = self.word(values);
        if value.starts_with('"') { value.to_owned() } else { format!("{value:?}") }
    }

    fn algorithm(&mut self) -> String {
        let entries: Vec<_> = algorithm::listed().collect();
        let card = &self.one(&entries).card;
        if card.parameters.is_empty() || self.chance(2) {
            return format!("{:?}", card.name);
        }
        let parameter = self.one(card.parameters);
        let value = match parameter.domain {
            Domain::Rate { .. } => self.word(RATES).to_owned(),
            Domain::Span { .. } => self.word(TIMES).to_owned(),
            Domain::Flag { .. } => self.word(&["true", "false"]).to_owned(),
            Domain::Choice { allowed, .. } => self.word(allowed).to_owned(),
            Domain::Number { minimum, maximum, .. } if self.chance(2) => {
                self.one(&[minimum, maximum]).to_string()
            }
            Domain::Integer { minimum, maximum, .. } if self.chance(2) => {
                self.one(&[minimum, maximum]).to_string()
            }
            _ => self.word(NUMBERS).to_owned(),
        };
        format!("{:?}", format!("{}({}={value})", card.name, parameter.name))
    }
}

const RATES: &[&str] = &[
    "10Mbps", "1Mbps", "100Mbps", "9600bps", "1bps", "3bps", "1Gbps", "33Tbps", "1000Tbps", "1001Tbps",
    "0bps", "10", "10ms",
];
const TIMES: &[&str] = &[
    "10ms",
    "1ms",
    "40ms",
    "1s",
    "3s",
    "1us",
    "7ns",
    "1ps",
    "0s",
    "1000s",
    "10000000s",
    "10000001s",
    "1",
    "1Mbps",
];
const SIZES: &[&str] =
    &["1500B", "9kB", "1MB", "1B", "40B", "65535B", "65536B", "0B", "1GB", "2000000TB", "1e19B", "5"];
const PACKETS: &[&str] =
    &["1pkt", "10pkt", "100pkt", "0.5pkt", "7.3pkt", "0pkt", "1000000pkt", "1e12pkt", "1e13pkt"];
const BDPS: &[&str] = &["1bdp", "0.5bdp", "2.5bdp", "1e-9bdp", "0bdp", "1e9bdp", "1e308bdp"];
const FRACTIONS: &[&str] =
    &["0.5", "0.1", "0.01", "1", "0", "1e-300", "-0.1", "1.1", "\"1%\"", "\"100%\"", "\"200%\""];
const NUMBERS: &[&str] =
    &["1", "0.5", "2", "1.5", "10", "0", "-1", "1e-9", "1e-300", "1e9", "1e300", "100", "nan", "inf"];
const TIME_RANGES: &[&str] =
    &["0s", "1ms", "0s..10ms", "0s..1s", "5s..0s", "1ps..2ps", "9s", "10000000s", "1..2"];

/// Values that fit few keys.
const ODD: &[&str] = &[
    "true",
    "-1",
    "1e400",
    "[]",
    "{}",
    "\"\"",
    "\"infinite\"",
    "1979-05-27",
    "9223372036854775808",
    "[[1]]",
    "{ kind = \"red\" }",
    "\"\\u0000\"",
    "0.1",
];
