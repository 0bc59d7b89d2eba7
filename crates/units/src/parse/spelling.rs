// SPDX-License-Identifier: Apache-2.0
//! The spellings of units in tc, in ns-3 and in common use, and the spellings that are rejected as ambiguous.

use super::{Dimension, Problem, SECOND};
use alloc::borrow::ToOwned;

/// A spelling, its dimension, and its value in bits per second, picoseconds or bytes.
pub(super) type Unit = (&'static str, Dimension, u64);

/// Returns the dimension and the value of `unit`.
pub(super) fn find(unit: &str) -> Option<(Dimension, u64)> {
    UNITS.iter().find(|(name, ..)| *name == unit).map(|&(_, dimension, scale)| (dimension, scale))
}

/// Returns why `unit` is not accepted.
pub(super) fn unknown(unit: &str) -> Problem {
    let reason = match unit {
        "B/s" | "Bps" | "kB/s" | "KB/s" | "MB/s" | "GB/s" | "kBps" | "KBps" | "MBps" | "GBps" | "KiB/s"
        | "MiB/s" | "GiB/s" => {
            "bytes per second are easily taken for bits per second; multiply by 8 and write bps, kbps, Mbps or Gbps"
        }
        "mbps" | "gbps" | "tbps" | "mb/s" | "gb/s" | "tb/s" => {
            "tc reads lower-case `mbps` as megabytes per second, others as megabits; write Mbps or Mbit"
        }
        "b" | "kb" | "Kb" | "Mb" | "Gb" | "Tb" | "mb" | "gb" => {
            "bits or bytes, a size or a rate? Write Mbps for a rate, MB for a size"
        }
        "k" | "K" | "M" | "G" | "m" => "a prefix without a unit; write Mbps, MB or ms",
        _ => return Problem::UnknownUnit { unit: unit.to_owned() },
    };
    Problem::Ambiguous { unit: unit.to_owned(), reason: reason.to_owned() }
}

/// The accepted spellings.
pub(super) const UNITS: &[Unit] = &[
    ("bps", Dimension::Rate, 1),
    ("kbps", Dimension::Rate, 1000),
    ("Mbps", Dimension::Rate, 1_000_000),
    ("Gbps", Dimension::Rate, 1_000_000_000),
    ("Tbps", Dimension::Rate, 1_000_000_000_000),
    ("Kbps", Dimension::Rate, 1000),
    ("b/s", Dimension::Rate, 1),
    ("kb/s", Dimension::Rate, 1000),
    ("Kb/s", Dimension::Rate, 1000),
    ("Mb/s", Dimension::Rate, 1_000_000),
    ("Gb/s", Dimension::Rate, 1_000_000_000),
    ("Tb/s", Dimension::Rate, 1_000_000_000_000),
    ("bit", Dimension::Rate, 1),
    ("kbit", Dimension::Rate, 1000),
    ("Kbit", Dimension::Rate, 1000),
    ("Mbit", Dimension::Rate, 1_000_000),
    ("Gbit", Dimension::Rate, 1_000_000_000),
    ("Tbit", Dimension::Rate, 1_000_000_000_000),
    ("mbit", Dimension::Rate, 1_000_000),
    ("gbit", Dimension::Rate, 1_000_000_000),
    ("tbit", Dimension::Rate, 1_000_000_000_000),
    ("bit/s", Dimension::Rate, 1),
    ("kbit/s", Dimension::Rate, 1000),
    ("Kbit/s", Dimension::Rate, 1000),
    ("Mbit/s", Dimension::Rate, 1_000_000),
    ("Gbit/s", Dimension::Rate, 1_000_000_000),
    ("Tbit/s", Dimension::Rate, 1_000_000_000_000),
    ("Kibit", Dimension::Rate, 1 << 10),
    ("Mibit", Dimension::Rate, 1 << 20),
    ("Gibit", Dimension::Rate, 1 << 30),
    ("s", Dimension::Time, SECOND),
    ("ms", Dimension::Time, SECOND / 1000),
    ("us", Dimension::Time, 1_000_000),
    ("\u{b5}s", Dimension::Time, 1_000_000),
    ("\u{3bc}s", Dimension::Time, 1_000_000),
    ("ns", Dimension::Time, 1000),
    ("ps", Dimension::Time, 1),
    ("min", Dimension::Time, 60 * SECOND),
    ("h", Dimension::Time, 3600 * SECOND),
    ("B", Dimension::Size, 1),
    ("kB", Dimension::Size, 1000),
    ("KB", Dimension::Size, 1000),
    ("MB", Dimension::Size, 1_000_000),
    ("GB", Dimension::Size, 1_000_000_000),
    ("TB", Dimension::Size, 1_000_000_000_000),
    ("KiB", Dimension::Size, 1 << 10),
    ("MiB", Dimension::Size, 1 << 20),
    ("GiB", Dimension::Size, 1 << 30),
    ("TiB", Dimension::Size, 1 << 40),
    ("pkt", Dimension::Packets, 1),
    ("pkts", Dimension::Packets, 1),
    ("packet", Dimension::Packets, 1),
    ("packets", Dimension::Packets, 1),
    ("bdp", Dimension::Bdp, 1),
    ("BDP", Dimension::Bdp, 1),
    ("%", Dimension::Fraction, 1),
];
