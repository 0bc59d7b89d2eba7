// SPDX-License-Identifier: Apache-2.0
//! Keys that hold numbers with a unit.

use super::KeyType;
use crate::diagnostic::Fault;
use crate::emit::{Naming, text};
use crate::field::Reported;
use crate::kind::Kind;
use crate::kind::{PACKETS, PACKETS_OR_BYTES, Quantities, RATE, SIZE, TIME, TIME_OR_PACKETS};
use crate::tree::{Node, Value};
use narrows_units::{Bytes, Quantity, Rate, Span};
use std::fmt::Debug;
use std::marker::PhantomData;

/// The type of a key whose value is a number with a unit, or a word for no limit.
pub trait Measured {
    /// Type of the values.
    type Value: Clone + Debug;

    /// The allowed numbers.
    const QUANTITIES: Quantities;

    /// The value for a written value, `None` being the word for no limit; returns `None` if it is not one of
    /// [`QUANTITIES`](Self::QUANTITIES).
    fn of(written: Option<Quantity>) -> Option<Self::Value>;

    /// Returns the value as written.
    fn show(value: &Self::Value) -> String;
}

impl<T: Measured> KeyType for T {
    type Value = T::Value;
    const KIND: Kind = Kind::Quantity(T::QUANTITIES);

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<T::Value, Reported> {
        let written = quantity(node, T::QUANTITIES, path).map_err(|fault| fault.report(faults))?;
        T::of(written).ok_or_else(|| super::wrong_type(node, &Self::KIND, path).report(faults))
    }

    fn write(value: &T::Value, _: Naming) -> String {
        text(T::show(value))
    }
}

/// Reads the quantity at `node`; `None` if the value is the word for no limit.
///
/// # Errors
///
/// If the value is neither an allowed quantity nor the word.
pub fn quantity(node: &Node, quantities: Quantities, path: &str) -> Result<Option<Quantity>, Fault> {
    let fault = |message: String| {
        Fault::new(&node.place, path, message).given(node.value.shown()).allowed(quantities.allowed())
    };
    let text = match &node.value {
        Value::Text(text) if quantities.word == Some(text.as_str()) => return Ok(None),
        Value::Text(text) => text.clone(),
        // A bare number is read for the sake of the message: it has no unit.
        Value::Integer(_) | Value::Float(_) => node.value.shown(),
        other => return Err(fault(format!("{} does not fit here", other.kind()))),
    };
    let quantity = Quantity::parse(&text, quantities.dimensions)
        .map_err(|error| fault(error.to_string()).hint(error.hint()))?;
    if quantity.is_zero() && !quantities.zero {
        return Err(fault("zero is impossible here".into()));
    }
    match quantity {
        Quantity::Packets(number) if quantities.whole && number.fract() > 0.0 => {
            Err(fault("a part of a packet is impossible here".into()))
        }
        Quantity::Packets(number) if number > MOST_PACKETS => Err(fault("too large".into())),
        Quantity::Rate(rate) if rate > FASTEST => Err(fault(format!("faster than {FASTEST}"))),
        Quantity::Time(span) if span > LONGEST => Err(fault(format!("longer than {LONGEST}"))),
        _ => Ok(Some(quantity)),
    }
}

/// Makes a type of `units` a type of keys, zero allowed, and `Positive` of it one above zero.
macro_rules! measured {
    ($type:ty, $quantity:ident, $quantities:ident) => {
        impl Measured for $type {
            type Value = Self;
            const QUANTITIES: Quantities = $quantities.or_zero();

            fn of(written: Option<Quantity>) -> Option<Self> {
                if let Some(Quantity::$quantity(value)) = written { Some(value) } else { None }
            }

            fn show(value: &Self) -> String {
                value.to_string()
            }
        }
    };
}

measured!(Span, Time, TIME);
measured!(Rate, Rate, RATE);
measured!(Bytes, Size, SIZE);

/// The type of a key whose value is a quantity above zero.
#[derive(Clone, Debug)]
pub struct Positive<T>(PhantomData<T>);

impl<T: Measured> Measured for Positive<T> {
    type Value = T::Value;
    const QUANTITIES: Quantities = Quantities { zero: false, ..T::QUANTITIES };

    fn of(written: Option<Quantity>) -> Option<T::Value> {
        T::of(written)
    }

    fn show(value: &T::Value) -> String {
        T::show(value)
    }
}

/// The type of a key whose value is a whole number of packets above zero.
#[derive(Clone, Debug)]
pub struct Packets;

impl Measured for Packets {
    type Value = u64;
    const QUANTITIES: Quantities = PACKETS;

    fn of(written: Option<Quantity>) -> Option<u64> {
        if let Some(Quantity::Packets(number)) = written { Some(number as u64) } else { None }
    }

    fn show(value: &u64) -> String {
        format!("{value}pkt")
    }
}

/// A whole number of packets, or a size in bytes, above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketsOrSize {
    /// A number of packets.
    Packets(u64),
    /// A size.
    Size(Bytes),
}

impl Measured for PacketsOrSize {
    type Value = Self;
    const QUANTITIES: Quantities = PACKETS_OR_BYTES;

    fn of(written: Option<Quantity>) -> Option<Self> {
        match written? {
            Quantity::Packets(number) => Some(Self::Packets(number as u64)),
            Quantity::Size(bytes) => Some(Self::Size(bytes)),
            _ => None,
        }
    }

    fn show(value: &Self) -> String {
        match value {
            Self::Packets(number) => format!("{number}pkt"),
            Self::Size(bytes) => bytes.to_string(),
        }
    }
}

/// A time, or the transmission time of a number of packets; zero is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpanOrPackets {
    /// A time.
    Span(Span),
    /// A number of packets, not necessarily whole.
    Packets(f64),
}

impl Measured for SpanOrPackets {
    type Value = Self;
    const QUANTITIES: Quantities = TIME_OR_PACKETS;

    fn of(written: Option<Quantity>) -> Option<Self> {
        match written? {
            Quantity::Time(span) => Some(Self::Span(span)),
            Quantity::Packets(number) => Some(Self::Packets(number)),
            _ => None,
        }
    }

    fn show(value: &Self) -> String {
        match value {
            Self::Span(span) => span.to_string(),
            Self::Packets(number) => format!("{number}pkt"),
        }
    }
}

/// A word for no limit.
pub trait Word {
    /// The word.
    const WORD: &'static str;
}

/// The type of a key whose value is a quantity, or a word for no limit, which is `None`.
#[derive(Clone, Debug)]
pub struct Or<T, W>(PhantomData<(T, W)>);

impl<T: Measured, W: Word> Measured for Or<T, W> {
    type Value = Option<T::Value>;
    const QUANTITIES: Quantities = T::QUANTITIES.or(W::WORD);

    fn of(written: Option<Quantity>) -> Option<Option<T::Value>> {
        match written {
            None => Some(None),
            quantity => T::of(quantity).map(Some),
        }
    }

    fn show(value: &Option<T::Value>) -> String {
        value.as_ref().map_or_else(|| W::WORD.to_owned(), T::show)
    }
}

/// A petabit per second.
pub const FASTEST: Rate = Rate::from_bps(1_000_000_000_000_000);

/// Longest time in a scenario, ten million seconds: sums of a few such times are within the simulator's clock.
pub const LONGEST: Span = Span::from_ms(10_000_000_000);

/// Windows and queues of more packets than this are surely a slip; every f64 up to here is exact.
const MOST_PACKETS: f64 = 1e12;
