// SPDX-License-Identifier: Apache-2.0
//! The card of a metric.

/// The description of a metric: a number computed from the records of a run.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Name in `summary.json`, in studies and in claims.
    pub name: &'static str,
    /// Kind of object that has the metric.
    pub of: Owner,
    /// Unit.
    pub unit: MetricUnit,
    /// Direction in which values are better.
    pub better: Better,
    /// Label in tables and figures, in lower case and without the unit, as in `"RTT, mean"`; `""` if the name serves as
    /// label.
    pub label: &'static str,
    /// Definition; values are taken over the time after the warm-up.
    pub definition: &'static str,
    /// Paper or RFC, with section, that defines it.
    pub source: &'static str,
}

/// The owner of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A group of flows.
    Group,
    /// A link.
    Link,
}

/// Whether high or low values of a metric are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// High ones.
    Higher,
    /// Low ones.
    Lower,
    /// That depends on the question.
    Neither,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// A number without unit.
    Pure,
    /// A fraction from 0 to 1.
    Share,
    /// A number of events or things.
    Count,
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Bits per second.
    BitsPerSecond,
    /// Bits per second, per second: throughput over delay.
    Power,
    /// Round trips per minute.
    RoundTripsPerMinute,
}

impl Owner {
    /// Returns the text as cards write it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Link => "link",
        }
    }
}

impl Better {
    /// Returns the text as cards write it; empty where neither is.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::Neither => "",
        }
    }
}

impl MetricUnit {
    /// Returns the text as cards and tables write it; empty for a pure number.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Pure => "",
            Self::Share => "share",
            Self::Count => "count",
            Self::Packets => "packets",
            Self::Bytes => "B",
            Self::Seconds => "s",
            Self::BitsPerSecond => "bps",
            Self::Power => "bps/s",
            Self::RoundTripsPerMinute => "rpm",
        }
    }
}
