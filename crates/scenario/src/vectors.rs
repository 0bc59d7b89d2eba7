// SPDX-License-Identifier: Apache-2.0
//! Connection vectors of Tmix, in both of their formats, distinguished by the first line of each connection.
//!
//! Source: Weigle, Adurthi, Hernández-Campos, Jeffay, Smith, "Tmix: A Tool for Generating Realistic TCP Application
//! Workloads in ns-2", ACM CCR 36(3), 2006; *The ns Manual*, chapter "Tmix", for both formats and what they mean.
//!
//! A connection is a line `SEQ start exchanges id…` or `CONC start initiator-units acceptor-units id…` (`S` and `C` in
//! the alternate format), lines `w` (receive windows of initiator and acceptor, bytes), `r` (shortest round trip,
//! microseconds), `l` (loss rates) and `m` (segment sizes), and then the writes: in the original format `> bytes` by
//! the initiator and `< bytes` by the acceptor with `t microseconds` in between (`c>`, `c<`, `t>` and `t<` of a
//! concurrent connection), in the alternate one `I` or `A` and *microseconds after the own write, microseconds after
//! the other's, bytes*. All times are in microseconds.
//!
//! Deviations: a wait of nothing is none, where ns-2 makes a microsecond of it; when a side closes the connection (a
//! last `t`, or zero bytes) means nothing here. A window is the room of its side, so it bounds the data of the other
//! side; in ns-2 it bounds the data of its own side. Loss rates and segment sizes are read and have no effect.

use narrows_model::traffic::{After, Connection, Side, Write};
use narrows_units::{Bytes, Span};

/// The connections of a file, and what it says of them that has no effect here.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The connections, in the order of the file.
    pub connections: Vec<Connection>,
    /// Number of lines of loss rates above zero.
    pub losses: usize,
    /// Number of lines of segment sizes.
    pub segments: usize,
}

/// Parses the connection vectors in `text`.
///
/// # Errors
///
/// The number of the first line that is wrong, and why.
pub fn parse(text: &str) -> Result<Recorded, String> {
    let mut all = Vec::new();
    let (mut losses, mut segments) = (0, 0);
    let mut open: Option<Draft> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((first, rest)) = words.split_first() else { continue };
        let at = |problem: String| format!("line {}: {problem}", index + 1);
        if let Some(format) = Format::of(first) {
            if let Some(draft) = open.take() {
                all.push(draft.finish()?);
            }
            open = Some(Draft::new(format, index + 1, rest).map_err(at)?);
            if all.len() == MOST {
                return Err(at(format!("more than {MOST} connections")));
            }
        } else {
            let draft = open.as_mut().ok_or_else(|| {
                at("a line before the first connection, which begins with SEQ, CONC, S or C".into())
            })?;
            draft.line(first, rest).map_err(at)?;
            losses += usize::from(*first == "l" && rest.iter().any(|rate| rate.parse() != Ok(0.0)));
            segments += usize::from(*first == "m");
        }
    }
    all.extend(open.map(Draft::finish).transpose()?);
    if all.is_empty() {
        return Err("it has no connections".into());
    }
    Ok(Recorded { connections: all, losses, segments })
}

/// The properties of the other lines that the first line of a connection gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    concurrent: bool,
    alternate: bool,
}

impl Format {
    fn of(word: &str) -> Option<Self> {
        let format = |concurrent, alternate| Some(Self { concurrent, alternate });
        match word {
            "SEQ" => format(false, false),
            "CONC" => format(true, false),
            "S" => format(false, true),
            "C" => format(true, true),
            _ => None,
        }
    }
}

/// A connection of which lines may follow.
struct Draft {
    format: Format,
    line: usize,
    start: Span,
    /// How many exchanges, or units of each side, its first line announces.
    announced: Vec<u64>,
    rtt: Option<Span>,
    sides: [DraftSide; 2],
    /// Which side wrote last.
    last: Option<usize>,
    /// The time between the last line and the next, of a sequential connection.
    pause: Option<Span>,
}

#[derive(Default)]
struct DraftSide {
    writes: Vec<Write>,
    bytes: Bytes,
    window: Option<Bytes>,
    /// The time before its next, of a concurrent connection.
    pause: Option<Span>,
    closed: bool,
}

impl Draft {
    fn new(format: Format, line: usize, words: &[&str]) -> Result<Self, String> {
        let counts = if format.concurrent { 2 } else { 1 };
        if words.len() < 1 + counts {
            let wanted = if format.concurrent { "two numbers of units" } else { "a number of exchanges" };
            return Err(format!("a connection needs a start in microseconds and {wanted}"));
        }
        let announced = words[1..=counts].iter().map(|word| whole(word)).collect::<Result<_, _>>()?;
        Ok(Self {
            format,
            line,
            start: time(words[0])?,
            announced,
            rtt: None,
            sides: [DraftSide::default(), DraftSide::default()],
            last: None,
            pause: None,
        })
    }

    fn line(&mut self, first: &str, rest: &[&str]) -> Result<(), String> {
        let Format { concurrent, alternate } = self.format;
        match (first, alternate, concurrent) {
            ("w", ..) => {
                let [initiator, acceptor] = exactly(first, rest)?;
                for (side, word) in self.sides.iter_mut().zip([initiator, acceptor]) {
                    once(&mut side.window, Bytes::new(whole(word)?))?;
                }
                Ok(())
            }
            ("r", ..) => {
                let [rtt] = exactly(first, rest)?;
                once(&mut self.rtt, time(rtt)?)
            }
            ("l", ..) => {
                let rates: [&str; 2] = exactly(first, rest)?;
                let sound = |rate: &str| rate.parse::<f64>().is_ok_and(|rate| (0.0..=1.0).contains(&rate));
                if rates.into_iter().all(sound) { Ok(()) } else { Err("no loss rate from 0 to 1".into()) }
            }
            ("m", ..) => exactly::<2>(first, rest)?.into_iter().try_for_each(|word| whole(word).map(|_| ())),
            (">" | "<", false, false) => {
                let [bytes] = exactly(first, rest)?;
                self.sequential(side(first), whole(bytes)?)
            }
            ("t", false, false) => {
                let [pause] = exactly(first, rest)?;
                if self.last.is_none() {
                    return Err("a time before anything was written".into());
                }
                once(&mut self.pause, time(pause)?)
            }
            ("c>" | "c<", false, true) => {
                let [bytes] = exactly(first, rest)?;
                let side = side(first);
                let wait = self.sides[side].pause.take().unwrap_or(Span::ZERO);
                let own = self.own(side);
                self.write(side, own, wait, whole(bytes)?)
            }
            ("t>" | "t<", false, true) => {
                let [pause] = exactly(first, rest)?;
                once(&mut self.sides[side(first)].pause, time(pause)?)
            }
            ("I" | "A", true, _) => {
                let [sent, received, bytes] = exactly(first, rest)?;
                self.alternate(usize::from(first == "A"), time(sent)?, time(received)?, whole(bytes)?)
            }
            _ => {
                let known = match (alternate, concurrent) {
                    (true, _) => "w, r, l, m, I and A",
                    (false, true) => "w, r, l, m, c>, c<, t> and t<",
                    (false, false) => "w, r, l, m, >, < and t",
                };
                Err(format!("it does not begin with one of {known}"))
            }
        }
    }

    fn sequential(&mut self, side: usize, bytes: u64) -> Result<(), String> {
        let wait = self.pause.take().unwrap_or(Span::ZERO);
        let after = match self.last {
            Some(last) if last != side => After::Received(self.sides[last].bytes),
            _ => self.own(side),
        };
        self.write(side, after, wait, bytes)
    }

    fn alternate(&mut self, side: usize, sent: Span, received: Span, bytes: u64) -> Result<(), String> {
        let other = &self.sides[1 - side];
        if sent > Span::ZERO && received > Span::ZERO {
            return Err("it waits for its own write and for the other's".into());
        }
        if self.format.concurrent && received > Span::ZERO {
            return Err("in a concurrent connection neither side waits for the other".into());
        }
        let turn = self.last.is_some_and(|last| last != side) || received > Span::ZERO;
        let waits = !self.format.concurrent && sent == Span::ZERO && turn && other.bytes > Bytes::ZERO;
        let after = if waits { After::Received(other.bytes) } else { self.own(side) };
        self.write(side, after, sent + received, bytes)
    }

    /// The wait of a side that does not wait for the other.
    fn own(&self, side: usize) -> After {
        if self.sides[side].writes.is_empty() { After::Start } else { After::Written }
    }

    fn write(&mut self, side: usize, after: After, wait: Span, bytes: u64) -> Result<(), String> {
        let own = &mut self.sides[side];
        if own.closed {
            return Err("more of a side that has closed the connection with 0 bytes".into());
        }
        if bytes == 0 {
            own.closed = true;
            return Ok(());
        }
        let bytes = Bytes::new(bytes);
        own.writes.push(Write { size: bytes, after, wait });
        own.bytes += bytes;
        self.last = Some(side);
        Ok(())
    }

    fn finish(self) -> Result<Connection, String> {
        let units = self.sides.each_ref().map(|side| side.writes.len() as u64);
        let sound = match self.announced[..] {
            // An exchange may lack one of its halves.
            [exchanges] => (units[0].max(units[1])..=units[0] + units[1]).contains(&exchanges),
            _ => self.announced == units,
        };
        let [initiator, acceptor] = units;
        if !sound || initiator + acceptor == 0 {
            let announced: Vec<String> = self.announced.iter().map(u64::to_string).collect();
            return Err(format!(
                "line {}: a connection of {}, but {initiator} units of its initiator and {acceptor} of its acceptor follow",
                self.line,
                announced.join(" and ")
            ));
        }
        let sides = self.sides.map(|side| Side { writes: side.writes.into(), window: side.window });
        Ok(Connection { start: self.start, rtt: self.rtt, sides })
    }
}

/// The side that a line of the original format is about.
fn side(word: &str) -> usize {
    usize::from(word.ends_with('<'))
}

fn once<T>(known: &mut Option<T>, value: T) -> Result<(), String> {
    if known.replace(value).is_some() {
        Err("a second one, where there is one already".into())
    } else {
        Ok(())
    }
}

fn exactly<'a, const N: usize>(first: &str, words: &[&'a str]) -> Result<[&'a str; N], String> {
    words.try_into().map_err(|_| format!("{first} needs {N} numbers behind it, and has {}", words.len()))
}

fn whole(word: &str) -> Result<u64, String> {
    let number = word.parse::<u64>().ok().filter(|number| *number <= GREATEST);
    // The word is not repeated: the file may be another one than was meant, and secret.
    number.ok_or_else(|| format!("no whole number up to {GREATEST}"))
}

/// A time in microseconds.
fn time(word: &str) -> Result<Span, String> {
    whole(word).map(|us| Span::from_ps(us * 1_000_000))
}

/// Connections in a file.
const MOST: usize = 1_000_000;

/// Microseconds of eleven days; bytes of a terabyte.
const GREATEST: u64 = 1_000_000_000_000;

#[cfg(test)]
mod tests;
