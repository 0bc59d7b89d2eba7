//! The queues that answer requests: XCP, RCP and Quick-Start.

use super::super::table::{Checked, Table};
use narrows_qdisc::quick_start::Encoding;
use narrows_qdisc::{Discipline, Limit, quick_start, rcp, xcp};
use narrows_units::{Bytes, Span};

pub(super) fn xcp(form: &Table, limit: Limit) -> Option<Discipline> {
    Some(Discipline::Xcp(xcp::Config {
        alpha: form.read("alpha", 0.4, Checked::number)?,
        beta: form.read("beta", 0.226, Checked::number)?,
        gamma: form.read("gamma", 0.1, Checked::number)?,
        min_interval: form.read("min_interval", Span::from_ms(1), Checked::span)?,
        max_interval: form.read("max_interval", Span::from_ms(1000), Checked::span)?,
        initial_interval: form.read("initial_interval", Span::from_ms(50), Checked::span)?,
        limit,
    }))
}

pub(super) fn rcp(form: &Table, limit: Limit, packet: Bytes) -> Option<Discipline> {
    Some(Discipline::Rcp(rcp::Config {
        alpha: form.read("alpha", 0.1, Checked::number)?,
        beta: form.read("beta", 1.0, Checked::number)?,
        gain: form.read("gain", 0.02, Checked::number)?,
        interval: form.read("interval", Span::from_ms(10), Checked::span)?,
        initial: form.read("initial", 0.05, Checked::number)?,
        packet,
        limit,
    }))
}

pub(super) fn quick_start(form: &Table, limit: Limit) -> Option<Discipline> {
    let encoding = form.read("encoding", "rfc4782", Checked::word)?;
    Some(Discipline::QuickStart(quick_start::Config {
        threshold: form.read("threshold", 0.85, Checked::number)?,
        share: form.read("share", 0.85, Checked::number)?,
        interval: form.read("interval", Span::from_ms(200), Checked::span)?,
        encoding: match encoding {
            "rfc4782" => Encoding::Rfc4782,
            "linear" => Encoding::Linear,
            "exact" => Encoding::Exact,
            other => unreachable!("the keys know no encoding {other}"),
        },
        limit,
    }))
}
