// SPDX-License-Identifier: Apache-2.0
//! Descriptions of impairments.

use super::super::distribution::describe as drawn;
use super::super::loss::selected;
use crate::emit::short;
use narrows_model::{DelayModel, EcnChange, Impairment, Lateness};
use narrows_units::Span;

/// Describes an impairment.
pub fn describe(impairment: &Impairment) -> String {
    let percent = |fraction: f64| format!("{} %", short(fraction * 100.0, 6));
    let overtaking = |reorder: bool| if reorder { ", with overtaking" } else { "" };
    match impairment {
        Impairment::Jitter { delay, correlation, reorder } => {
            let delay = drawn::<Span>(&delay.0);
            let correlated =
                if *correlation > 0.0 { format!(", correlation {correlation}") } else { String::new() };
            format!("jitter {delay}{correlated}{}", overtaking(*reorder))
        }
        Impairment::Reorder { share, late: Lateness::Distance { packets, hold } } => {
            format!("{} of packets overtaken by {packets}, held for {hold} at most", percent(*share))
        }
        Impairment::Reorder { share, late: Lateness::Delay(delay) } => {
            format!("{} of packets late by {}", percent(*share), drawn::<Span>(&delay.0))
        }
        Impairment::Policer { rate, burst } => format!("policer of {rate} with a burst of {burst}"),
        Impairment::Ecn { mode, share, selection } => {
            let change = match mode {
                EcnChange::Bleach => "the ECN field cleared",
                EcnChange::ClearCe => "CE replaced by ECT(0)",
                EcnChange::Ect1ToEct0 => "ECT(1) replaced by ECT(0)",
                EcnChange::SetCe => "ECT replaced by CE",
                EcnChange::Drop => "loss of ECN-capable packets",
            };
            format!("{change} in {} of {}", percent(*share), selected(selection))
        }
        Impairment::Delay { delay, reorder } => format!("{}{}", over_time(delay), overtaking(*reorder)),
        Impairment::AckThinning { share } => format!("{} of acknowledgements dropped", percent(*share)),
        Impairment::Aggregation { frame, largest, error, retry, retries } => {
            let largest = largest.map_or(String::new(), |largest| format!(" of at most {largest}"));
            let repeated = if *error > 0.0 {
                format!("; {} of transmissions fail, {retries} retries {retry} apart", percent(*error))
            } else {
                String::new()
            };
            format!("frames{largest} every {frame}{repeated}")
        }
    }
}

fn over_time(delay: &DelayModel) -> String {
    match delay {
        DelayModel::Steps { points, period, recording } => {
            let what = match recording {
                Some((name, digest)) => {
                    let delays = || points.iter().map(|(_, delay)| *delay);
                    let least = delays().min().unwrap_or(Span::ZERO);
                    let most = delays().max().unwrap_or(Span::ZERO);
                    format!(
                        "additional delays from {least} to {most} as recorded in {name} (SHA-256 {digest})"
                    )
                }
                None if points.len() > MOST_DESCRIBED => format!("{} additional delays", points.len()),
                None => {
                    let steps: Vec<String> =
                        points.iter().map(|(at, delay)| format!("{delay} from {at}")).collect();
                    format!("additional delay {}", steps.join(", "))
                }
            };
            period.map_or_else(|| what.clone(), |period| format!("{what}, repeated every {period}"))
        }
        DelayModel::Sawtooth { minimum, maximum, period } => {
            format!("additional delay rising from {minimum} to {maximum} every {period}")
        }
        DelayModel::Handover { interval, delay, outage } => {
            let outage =
                if *outage > Span::ZERO { format!(" after an outage of {outage}") } else { String::new() };
            let delay = drawn::<Span>(&delay.0);
            format!("a handover every {interval}{outage}, additional delay {delay}")
        }
    }
}

/// Delays that are described one by one.
const MOST_DESCRIBED: usize = 20;
