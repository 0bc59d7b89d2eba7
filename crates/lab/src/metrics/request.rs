//! A measure as somebody asks for it: `cov`, `cov(bin=10s)`.

use super::catalogue::{Kind, Metric, Parameter, all};
use narrows_units::{Dimension, Quantity};
use std::fmt;

/// A measure and the choices that go with it.
#[derive(Clone, Debug)]
pub struct Request {
    /// As written, without white space.
    pub text: String,
    /// What has this name: one measure of groups, one of links, or both.
    pub metrics: Vec<&'static Metric>,
    /// Every choice, defaults included.
    pub choices: Vec<(&'static str, Choice)>,
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Seconds, a share, a whole number, bits per second.
    Number(f64),
    /// A word or a name.
    Word(String),
}

/// What is wrong with a measure as somebody asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestFault {
    /// In words.
    pub message: String,
    /// What is to blame, as written.
    pub given: String,
    /// What would do.
    pub allowed: String,
    /// The known name that may have been meant.
    pub nearest: Option<&'static str>,
}

impl Request {
    /// Reads `name` or `name(parameter=value, …)`. `of` is `"group"` or `"link"` where only one of them will do.
    pub fn parse(text: &str, of: Option<&str>) -> Result<Self, RequestFault> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let form = || RequestFault {
            message: "neither a measure nor a measure with parameters".to_owned(),
            given: text.clone(),
            allowed: "as in cov or cov(bin=10s)".to_owned(),
            nearest: None,
        };
        let (name, inside) = match text.split_once('(') {
            None => (text.as_str(), ""),
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(form)?),
        };
        let bare = inside.is_empty();
        let fits = |metric: &&'static Metric| of.is_none_or(|of| metric.owner() == of);
        let mut metrics: Vec<&'static Metric> =
            all().filter(fits).filter(|metric| metric.name == name).collect();
        if metrics.is_empty() {
            let mut known: Vec<&'static str> = all().filter(fits).map(|metric| metric.name).collect();
            known.dedup();
            return Err(RequestFault {
                message: "no such measure".to_owned(),
                given: name.to_owned(),
                nearest: nearest(name, &known),
                allowed: known.join(", "),
            });
        }
        // A counter that can also be taken of the series is, where something about it is chosen.
        if bare && metrics.iter().any(|metric| metric.parameters.is_empty()) {
            metrics.retain(|metric| metric.parameters.is_empty());
        } else if metrics.iter().any(|metric| !metric.parameters.is_empty()) {
            metrics.retain(|metric| !metric.parameters.is_empty());
        }
        let parameters = metrics[0].parameters;
        let mut written = Vec::new();
        for part in inside.split(',').filter(|_| !bare) {
            let (key, value) = part.split_once('=').ok_or_else(form)?;
            let parameter = find(parameters, key)?;
            if written.iter().any(|(known, _)| *known == parameter.name) {
                return Err(RequestFault {
                    message: format!("{key} is given twice"),
                    given: part.to_owned(),
                    allowed: "each parameter once".to_owned(),
                    nearest: None,
                });
            }
            written.push((parameter.name, value));
        }
        let choose = |parameter: &Parameter| {
            let value = written
                .iter()
                .find_map(|(name, value)| (*name == parameter.name).then_some(*value))
                .unwrap_or(parameter.default);
            Ok((parameter.name, parameter.read(value)?))
        };
        let choices = parameters.iter().map(choose).collect::<Result<_, _>>()?;
        Ok(Self { text, metrics, choices })
    }

    /// A group that it names although there is none such among `groups`.
    pub fn unknown_group(&self, groups: &[String]) -> Option<&str> {
        let parameters = self.metrics[0].parameters.iter();
        parameters.zip(&self.choices).find_map(|(parameter, (_, choice))| match (parameter.kind, choice) {
            (Kind::Group(word), Choice::Word(name)) if name != word && !groups.contains(name) => {
                Some(name.as_str())
            }
            _ => None,
        })
    }
}

impl Metric {
    /// `"group"` or `"link"`: whose measures it stands among.
    pub fn owner(&self) -> &'static str {
        if self.of == "link" { "link" } else { "group" }
    }
}

impl Parameter {
    fn read(&self, text: &str) -> Result<Choice, RequestFault> {
        let number = |quantity| match quantity {
            Quantity::Time(span) => span.as_secs_f64(),
            Quantity::Rate(rate) => rate.as_bps() as f64,
            Quantity::Fraction(share) => share,
            _ => f64::NAN,
        };
        let quantity = |dimension| Quantity::parse(text, &[dimension]).ok().map(number).map(Choice::Number);
        let word = |words: &[&str]| words.contains(&text).then(|| Choice::Word(text.to_owned()));
        let positive = |choice: &Choice| self.name == "at" || *choice != Choice::Number(0.0);
        let found = match self.kind {
            Kind::Time(words) => word(words).or_else(|| {
                quantity(Dimension::Time).filter(|found| self.name == "after" || positive(found))
            }),
            Kind::Share => quantity(Dimension::Fraction).or_else(|| {
                text.parse().ok().filter(|share: &f64| share.is_finite() && *share >= 0.0).map(Choice::Number)
            }),
            Kind::Whole => text.parse::<u32>().ok().map(|number| Choice::Number(f64::from(number))),
            Kind::Rate => quantity(Dimension::Rate).filter(positive),
            Kind::Group(_) | Kind::Name(_) => (!text.is_empty()).then(|| Choice::Word(text.to_owned())),
        };
        found.ok_or_else(|| RequestFault {
            message: if text.is_empty() {
                format!("{} is needed: {}", self.name, self.meaning)
            } else {
                format!("{} cannot have this value", self.name)
            },
            given: text.to_owned(),
            allowed: self.kind.to_string(),
            nearest: None,
        })
    }
}

/// What would do, in words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(words) => {
                f.write_str("a time with its unit, as in 10s")?;
                words.iter().try_for_each(|word| write!(f, ", or {word}"))
            }
            Self::Share => f.write_str("a percentage, as in 80%, or a number from 0"),
            Self::Whole => f.write_str("a whole number from 0"),
            Self::Rate => f.write_str("a rate with its unit, as in 10Mbps"),
            Self::Group(word) => write!(f, "the name of a group of flows, or {word}"),
            Self::Name(word) => write!(f, "a name without white space, or {word}"),
        }
    }
}

impl fmt::Display for RequestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: \"{}\"; allowed: {}", self.message, self.given, self.allowed)?;
        self.nearest.map_or(Ok(()), |name| write!(f, "; did you mean `{name}`?"))
    }
}

impl std::error::Error for RequestFault {}

fn find(parameters: &'static [Parameter], key: &str) -> Result<&'static Parameter, RequestFault> {
    parameters.iter().find(|parameter| parameter.name == key).ok_or_else(|| {
        let known: Vec<&'static str> = parameters.iter().map(|parameter| parameter.name).collect();
        RequestFault {
            message: "no such parameter of the measure".to_owned(),
            given: key.to_owned(),
            nearest: nearest(key, &known),
            allowed: if known.is_empty() { "none at all".to_owned() } else { known.join(", ") },
        }
    })
}

fn nearest(given: &str, known: &[&'static str]) -> Option<&'static str> {
    crate::scenario::nearest(given, known.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::{Choice, Request};
    use crate::metrics::all;

    #[test]
    fn what_is_not_chosen_has_its_default() {
        let request = Request::parse("cov( after = 200s )", Some("link")).unwrap();
        assert_eq!(request.text, "cov(after=200s)");
        assert_eq!(request.choices, [("bin", Choice::Number(1.0)), ("after", Choice::Number(200.0))]);
        let request = Request::parse("convergence_time", None).unwrap();
        assert_eq!(request.choices, [("rule", Choice::Number(0.8)), ("to", Choice::Word("own".into()))]);
    }

    #[test]
    fn a_bare_counter_stays_one_and_a_choice_makes_it_a_series() {
        assert!(Request::parse("jain", None).unwrap().choices.is_empty());
        assert_eq!(Request::parse("jain(scale=10s)", None).unwrap().choices[0].1, Choice::Number(10.0));
    }

    #[test]
    fn faults_say_what_was_given_what_is_allowed_and_what_is_near() {
        let fault = |text: &str| Request::parse(text, None).unwrap_err();
        assert_eq!(fault("convergence_tme").nearest, Some("convergence_time"));
        assert_eq!(fault("cov(bim=1s)").nearest, Some("bin"));
        assert!(fault("cov(bin=10)").allowed.contains("as in 10s"));
        assert!(fault("utilization_after(k=20)").message.starts_with("at is needed"));
        assert!(fault("cov(bin=1s,bin=2s)").message.contains("twice"));
        assert!(fault("goodput_bps(bin=1s)").allowed.contains("none"));
        for text in ["", "cov(", "cov(bin)", "(bin=1s)", "cov(bin=0s)"] {
            assert!(Request::parse(text, None).is_err(), "{text}");
        }
        assert!(Request::parse("utilization", Some("group")).is_err());
    }

    #[test]
    fn every_default_is_allowed_and_one_name_has_one_set_of_choices() {
        for metric in all() {
            for parameter in metric.parameters {
                assert!(
                    parameter.default.is_empty() || parameter.read(parameter.default).is_ok(),
                    "{}",
                    metric.name
                );
            }
            for other in all().filter(|other| other.name == metric.name && !other.parameters.is_empty()) {
                let names = |of: &crate::metrics::Metric| {
                    of.parameters.iter().map(|each| each.name).collect::<Vec<_>>()
                };
                assert!(metric.parameters.is_empty() || names(other) == names(metric), "{}", metric.name);
            }
        }
    }
}
