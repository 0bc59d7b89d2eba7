// SPDX-License-Identifier: Apache-2.0
//! Rates as people write them on links: with units of many spellings, as carriers, several in parallel, as bounds.
//!
//! OC-n and STS-n are n times 51.84 Mbps (ANSI T1.105), STM-n is n times 155.52 Mbps (ITU-T G.707), E1 to E4, T1 to T4 and
//! DS0 to DS4 are the levels of the plesiochronous hierarchies (ITU-T G.702). GE is Ethernet of n Gbps, FE of 100 Mbps, and the
//! number before BASE is its rate in Mbps (IEEE 802.3).

use narrows_units::{Dimension, Quantity};

/// A rate in a text, in bits per second, as far as it can be interpreted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// A number with a unit that has one meaning.
    Stated(f64),
    /// A rate that is not in the notation of scenarios.
    Read(f64),
    /// A number without a unit.
    Number(f64),
    /// Words that are of something else.
    Silent,
    /// A text that may be a rate, but cannot be interpreted.
    Unclear,
}

/// Returns what `text` says of a rate.
pub fn read(text: &str) -> Reading {
    if let Ok(Quantity::Rate(rate)) = Quantity::parse(text, &[Dimension::Rate]) {
        return Reading::Stated(rate.as_bps() as f64);
    }
    if let Some(number) = number(text) {
        return Reading::Number(number);
    }
    let tokens = tokens(text);
    let mut found = Found::default();
    let mut at = 0;
    while at < tokens.len() {
        at += found.take(&tokens, at);
    }
    found.reading()
}

/// Returns the bits per second of one of `unit`, as in "Mbps" or "M"; `None` if it has no or several meanings.
pub fn unit(unit: &str) -> Option<f64> {
    if unit.is_empty() {
        return None;
    }
    match read(&format!("1 {unit}")) {
        Reading::Stated(bps) | Reading::Read(bps) => Some(bps),
        _ => None,
    }
}

/// Returns a finite decimal number; not what Rust reads besides, as `inf`.
pub fn number(text: &str) -> Option<f64> {
    let first = text.trim_start_matches(['+', '-']).chars().next();
    let plain = first.is_some_and(|c| c.is_ascii_digit() || c == '.');
    text.parse::<f64>().ok().filter(|number| plain && number.is_finite())
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Number(f64),
    Word(&'a str),
    Mark(char),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = |holds: fn(char) -> bool| rest.find(|c: char| !holds(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_digit() {
            let mut end = length(|c| c.is_ascii_digit());
            if let Some(behind) = rest[end..].strip_prefix('.') {
                let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
                end += if digits > 0 { 1 + digits } else { 0 };
            }
            (Token::Number(rest[..end].parse().unwrap_or(f64::INFINITY)), end)
        } else if first.is_alphabetic() {
            let end = length(char::is_alphabetic);
            let end = before_factor(&rest[..end], matches!(all.last(), Some(Token::Number(_))));
            (Token::Word(&rest[..end]), end)
        } else {
            (Token::Mark(first), first.len_utf8())
        };
        all.push(token);
        rest = rest[length..].trim_start();
    }
    all
}

/// The length of the first word in `word`, which may be the sign of a factor and a carrier without space between them, as in
/// 2xSTM-16 (`behind` a number) and GEx2.
fn before_factor(word: &str, behind: bool) -> usize {
    let is_carrier = |word: &str| CARRIERS.iter().any(|carrier| word.eq_ignore_ascii_case(carrier));
    match (word.strip_prefix(['x', 'X']), word.strip_suffix(['x', 'X'])) {
        (Some(rest), _) if behind && is_carrier(rest) => 1,
        (_, Some(rest)) if is_carrier(rest) => rest.len(),
        _ => word.len(),
    }
}

/// Parts of a rate found so far in a text.
#[derive(Default)]
struct Found {
    rates: Vec<f64>,
    /// Number of parallel links.
    times: Option<f64>,
    /// Numbers of which it is not known what they count.
    strange: bool,
    /// Whether a word that looks like a rate has several meanings.
    ambiguous: bool,
}

impl Found {
    /// Takes what begins at token `at`, and returns of how many tokens it is.
    fn take(&mut self, tokens: &[Token<'_>], at: usize) -> usize {
        let rest = &tokens[at..];
        if let Some((bps, count)) = carrier(rest) {
            self.add(bps);
            return count;
        }
        match rest {
            [Token::Mark('-' | '\u{2212}'), Token::Number(_), ..] if at == 0 => {
                self.ambiguous = true;
                2
            }
            [Token::Number(times), next, ..] if is_times(*next) => {
                self.repeat(*times);
                2
            }
            [next, Token::Number(times), behind @ ..] if is_times(*next) && scale(behind).is_none() => {
                self.repeat(*times);
                2
            }
            [Token::Number(number), behind @ ..] => match scale(behind) {
                Some((Some(scale), count)) => {
                    self.add(number * scale);
                    1 + count
                }
                Some((None, count)) => {
                    self.ambiguous = true;
                    1 + count
                }
                None => {
                    self.strange = true;
                    1
                }
            },
            _ => 1,
        }
    }

    fn add(&mut self, bps: f64) {
        if !self.rates.contains(&bps) {
            self.rates.push(bps);
        }
    }

    fn repeat(&mut self, times: f64) {
        let sound = times.fract() <= 0.0 && (1.0..=MOST_PARALLEL).contains(&times);
        self.strange |= self.times.is_some() || !sound;
        self.times = Some(times);
    }

    fn reading(self) -> Reading {
        match self.rates[..] {
            _ if self.ambiguous => Reading::Unclear,
            [] => Reading::Silent,
            [bps] if !self.strange => Reading::Read(bps * self.times.unwrap_or(1.0)),
            _ => Reading::Unclear,
        }
    }
}

fn is_times(token: Token<'_>) -> bool {
    matches!(token, Token::Mark('\u{d7}' | '*') | Token::Word("x" | "X"))
}

/// The rate of the carrier at the start of `tokens`, as in "OC-192c", "E3" or "Gigabit Ethernet", and of how many tokens it is.
fn carrier(tokens: &[Token<'_>]) -> Option<(f64, usize)> {
    let [Token::Word(word), rest @ ..] = tokens else { return None };
    let word = word.to_ascii_lowercase();
    let named = match (word.as_str(), rest) {
        ("ge" | "gbe" | "gige" | "gigabitethernet", _) => Some((1e9, 1)),
        ("fe" | "fastethernet", _) => Some((1e8, 1)),
        ("gigabit", [Token::Word(next), ..]) if next.eq_ignore_ascii_case("ethernet") => Some((1e9, 2)),
        ("fast", [Token::Word(next), ..]) if next.eq_ignore_ascii_case("ethernet") => Some((1e8, 2)),
        _ => None,
    };
    if named.is_some() {
        return named;
    }
    let (level, behind, count) = match rest {
        [Token::Mark('-'), Token::Number(level), behind @ ..] => (*level, behind, 3),
        [Token::Number(level), behind @ ..] => (*level, behind, 2),
        _ => return None,
    };
    let of =
        |rates: &[f64]| rates.get(level as usize).copied().filter(|_| level.fract() <= 0.0 && level >= 1.0);
    let synchronous =
        |bps: f64| (level.fract() <= 0.0 && (1.0..=HIGHEST_CARRIER).contains(&level)).then_some(level * bps);
    let bps = match word.as_str() {
        "oc" | "sts" => synchronous(STS_1_BPS),
        "stm" if level <= 0.0 => Some(STS_1_BPS),
        "stm" => synchronous(3.0 * STS_1_BPS),
        "ds" if level <= 0.0 => Some(64e3),
        "e" => of(&[0.0, 2.048e6, 8.448e6, 34.368e6, 139.264e6]),
        "t" | "ds" => of(&[0.0, 1.544e6, 6.312e6, 44.736e6, 274.176e6]),
        _ => None,
    }?;
    let concatenated = matches!(behind, [Token::Word("c" | "C"), ..]);
    Some((bps, count + usize::from(concatenated)))
}

/// The unit at the start of `tokens`: its bits per second, `None` if it has several meanings, and of how many tokens it
/// is.
fn scale(tokens: &[Token<'_>]) -> Option<(Option<f64>, usize)> {
    let [Token::Word(word), rest @ ..] = tokens else { return None };
    let slash = matches!(rest, [Token::Mark('/'), Token::Word("s" | "S" | "sec" | "second"), ..]);
    let per = matches!(rest, [Token::Word("per"), Token::Word("s" | "sec" | "second"), ..]);
    let count = if slash || per { 3 } else { 1 };
    let ethernet = match word.to_ascii_lowercase().as_str() {
        "ge" | "gbe" | "gige" | "gbase" | "gigabit" | "gigabits" | "gig" => Some(1e9),
        "base" | "megabit" | "megabits" => Some(1e6),
        "fe" => Some(1e8),
        "terabit" | "terabits" => Some(1e12),
        "kilobit" | "kilobits" => Some(1e3),
        _ => None,
    };
    if let Some(bps) = ethernet {
        return Some((Some(bps), count));
    }
    let first = word.chars().next()?;
    let (scale, rest) = match first {
        'k' | 'K' => (1e3, &word[1..]),
        'm' | 'M' => (1e6, &word[1..]),
        'g' | 'G' => (1e9, &word[1..]),
        't' | 'T' => (1e12, &word[1..]),
        _ => (1.0, *word),
    };
    let bits = match rest {
        // A capital letter alone, as in 10G; a small m is a length.
        "" if first.is_uppercase() || first == 'k' => Some(scale),
        "" => return None,
        "bps" | "bs" | "BPS" => Some(scale),
        "b" if count == 3 || first.is_uppercase() => Some(scale),
        _ if ["bit", "bits", "bitps", "bitsps"].contains(&rest.to_ascii_lowercase().as_str()) => Some(scale),
        // Bytes, or bits in capital letters.
        "b" | "B" | "Bps" | "Bs" => None,
        _ => return None,
    };
    Some((bits, count))
}

/// STS-1, bits per second.
const STS_1_BPS: f64 = 51.84e6;

/// Words with which carriers begin.
const CARRIERS: &[&str] = &[
    "ge",
    "gbe",
    "gige",
    "gigabit",
    "gigabitethernet",
    "fe",
    "fast",
    "fastethernet",
    "oc",
    "sts",
    "stm",
    "ds",
    "e",
    "t",
];

const HIGHEST_CARRIER: f64 = 100_000.0;
const MOST_PARALLEL: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use super::{Reading, number, read, unit};

    #[test]
    fn rates_are_read_in_the_shapes_that_files_have() {
        for (text, mbps) in [
            ("34 Mbps", 34.0),
            ("155Mb/s", 155.0),
            ("2.5 Gbit/s", 2500.0),
            ("9600 bps", 0.0096),
            ("64k", 0.064),
        ] {
            assert!(
                matches!(read(text), Reading::Stated(bps) | Reading::Read(bps) if (bps - mbps * 1e6).abs() < 1e-6),
                "{text}"
            );
        }
        for (text, mbps) in [
            ("100 mbps", 100.0),
            ("155 MBPS", 155.0),
            ("10G", 10_000.0),
            ("10 Gbps (2x)", 20_000.0),
            ("2x10G", 20_000.0),
            ("2 x 2.5 Gbps", 5000.0),
            ("10G \u{d7} 4", 40_000.0),
            ("<= 10G", 10_000.0),
            ("> 155 Mb/s", 155.0),
            ("~ 45 Mb", 45.0),
            ("up to 100 Mbit per second", 100.0),
            ("STM-1", 155.52),
            ("STM-64c", 9953.28),
            ("STM-0", 51.84),
            ("OC-48", 2488.32),
            ("OC192 / STM64", 9953.28),
            ("2x OC-3", 311.04),
            ("2xSTM-16", 4976.64),
            ("4xOC48", 9953.28),
            ("2XGE", 2000.0),
            ("3xE1", 6.144),
            ("4xDS3", 178.944),
            ("GEx2", 2000.0),
            ("STM-16x2", 4976.64),
            ("E3", 34.368),
            ("E1 leased", 2.048),
            ("T1", 1.544),
            ("DS-3", 44.736),
            ("DS0", 0.064),
            ("1GE", 1000.0),
            ("10 GigE", 10_000.0),
            ("100GbE", 100_000.0),
            ("Gigabit Ethernet", 1000.0),
            ("10 Gigabit Ethernet", 10_000.0),
            ("Fast Ethernet", 100.0),
            ("1000BASE-T", 1000.0),
            ("10GBASE-LR", 10_000.0),
            ("Zayo 10G wave", 10_000.0),
            ("dark fibre, 2.5 Gbps", 2500.0),
        ] {
            assert_eq!(read(text), Reading::Read(mbps * 1e6), "{text}");
        }
    }

    #[test]
    fn what_has_several_meanings_is_not_read() {
        for text in [
            "100 MB/s",
            "10 GB",
            "100 mb",
            "1-10 Gbps",
            "10/100 Mbps",
            "10 Mbps down 1 Mbps up",
            "2.5 G + 10 G",
            "1,000 Mbps",
            "2,5 Gbps",
            "-5 Mbps",
            "0x 10G",
            "2x 2x 10G",
            "10 Gbps 300 km",
            "2xray 10G",
            "Linux2 10G",
            "2STM-16",
        ] {
            assert_eq!(read(text), Reading::Unclear, "{text}");
        }
        for text in ["Lit Fibre", "Completion 2007-2008", "Ethernet", "300 km", "ge\u{f3}", "5 m", "E9", "x"]
        {
            assert_eq!(read(text), Reading::Silent, "{text}");
        }
        assert_eq!(read("1e9"), Reading::Number(1e9));
        assert_eq!((number("inf"), number("NaN"), number(".5")), (None, None, Some(0.5)));
        assert_eq!(
            (unit("M"), unit("Gbps"), unit("MB"), unit("x"), unit("")),
            (Some(1e6), Some(1e9), None, None, None)
        );
    }
}
