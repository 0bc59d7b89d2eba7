// SPDX-License-Identifier: Apache-2.0
//! Parameters that several disciplines share.

use narrows_card::{Domain, Parameter};

/// `limit` if the source sets none.
pub(crate) const LIMIT: Parameter = Parameter {
    name: "limit",
    meaning: "maximum backlog (buffer size), without the packet in transmission",
    unit: "",
    source: "Villamizar and Song 1994: one bandwidth-delay product",
    domain: Domain::Limit { default: "1bdp" },
};

/// The queue discipline under a router's computation.
pub(crate) const DISCIPLINE: Parameter = Parameter {
    name: "discipline",
    meaning: "queue discipline below: droptail or red, with parameters and limit of its own",
    unit: "",
    source: "the sources leave it open",
    domain: Domain::Discipline { default: "droptail with this limit", allowed: &["droptail", "red"] },
};
