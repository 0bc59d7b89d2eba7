//! A distribution as a table, and in words.

use super::super::resolve::Unit;
use super::{Short, number, text};
use crate::traffic::Distribution;
use narrows_units::{Bytes, Span};

/// As TOML.
pub(in super::super) fn table(distribution: &Distribution, unit: Unit) -> String {
    let of = |value: &f64| text(quantity(*value, unit));
    let up_to = |maximum: &Option<f64>| {
        maximum.as_ref().map_or(String::new(), |it| format!(", maximum = {}", of(it)))
    };
    match distribution {
        Distribution::Constant(value) => of(value),
        Distribution::Uniform { minimum, maximum } => {
            format!("{{ kind = \"uniform\", minimum = {}, maximum = {} }}", of(minimum), of(maximum))
        }
        Distribution::Exponential { mean } => format!("{{ kind = \"exponential\", mean = {} }}", of(mean)),
        Distribution::Pareto { minimum, shape, maximum } => format!(
            "{{ kind = \"pareto\", minimum = {}, shape = {}{} }}",
            of(minimum),
            number(*shape),
            up_to(maximum)
        ),
        Distribution::LogNormal { median, sigma } => {
            format!("{{ kind = \"lognormal\", median = {}, sigma = {} }}", of(median), number(*sigma))
        }
        Distribution::BodyAndTail { median, sigma, tail, minimum, shape, maximum } => format!(
            "{{ kind = \"web\", median = {}, sigma = {}, tail = {}, minimum = {}, shape = {}{} }}",
            of(median),
            number(*sigma),
            number(*tail),
            of(minimum),
            number(*shape),
            up_to(maximum)
        ),
        Distribution::Empirical(points) => {
            let values: Vec<String> = points.iter().map(|(value, _)| of(value)).collect();
            let shares: Vec<String> = points.iter().map(|(_, upto)| number(*upto)).collect();
            format!(
                "{{ kind = \"empirical\", values = [{}], shares = [{}] }}",
                values.join(", "),
                shares.join(", ")
            )
        }
        Distribution::Mixture(parts) => {
            let part = |part: &crate::traffic::Component| {
                let (class, of) = (text(&part.class), table(&part.distribution, unit));
                format!("{{ class = {class}, share = {}, of = {of} }}", number(part.share))
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            format!("{{ kind = \"mixture\", parts = [{}] }}", parts.join(", "))
        }
    }
}

/// For a reader.
pub(in super::super) fn words(distribution: &Distribution, unit: Unit) -> String {
    let of = |value: &f64| quantity(*value, unit);
    let up_to = |maximum: &Option<f64>| {
        maximum.as_ref().map_or(String::new(), |it| format!(" and at most {}", of(it)))
    };
    match distribution {
        Distribution::Constant(value) => of(value),
        Distribution::Uniform { minimum, maximum } => {
            format!("uniform between {} and {}", of(minimum), of(maximum))
        }
        Distribution::Exponential { mean } => format!("exponential of mean {}", of(mean)),
        Distribution::Pareto { minimum, shape, maximum } => {
            format!("Pareto of index {shape}, at least {}{}", of(minimum), up_to(maximum))
        }
        Distribution::LogNormal { median, sigma } => {
            format!("lognormal of median {} and sigma {sigma}", of(median))
        }
        Distribution::BodyAndTail { median, sigma, tail, minimum, shape, maximum } => format!(
            "lognormal of median {} and sigma {sigma}, and {:.4} % in a Pareto tail of index {shape} from {} on{}",
            of(median),
            Short(tail * 100.0),
            of(minimum),
            up_to(maximum)
        ),
        Distribution::Empirical(points) => {
            let (first, last) = (&points[0].0, &points[points.len() - 1].0);
            format!("measured, {} points from {} to {}", points.len(), of(first), of(last))
        }
        Distribution::Mixture(parts) => {
            let part = |part: &crate::traffic::Component| {
                let share = format!("{:.4} %", Short(part.share * 100.0));
                format!("{share} {} ({})", part.class, words(&part.distribution, unit))
            };
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

fn quantity(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => Bytes::new(value as u64).to_string(),
        Unit::Seconds => Span::from_secs_f64(value).to_string(),
    }
}
