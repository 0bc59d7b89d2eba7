//! A queue discipline of the catalogue, and one with its settings: what a resolved scenario holds of a queue.

use crate::{Classes, Limit, QueueDiscipline, Scale, Threshold};
use narrows_card::{Card, Domain, INFINITE, LENGTHS, Parameter, SIZES};
use narrows_units::{Bytes, Dimension, Quantity, Rate, Span};
use std::fmt;

/// What a discipline's file exports.
#[derive(Debug)]
pub struct Entry {
    /// Name, source, equations, parameters.
    pub card: Card,
    /// Whether it marks ECN-capable packets; one with a parameter `ecn` does so only where that is true.
    pub marks: bool,
    /// Fills in defaults that follow from other settings, and checks rules between settings.
    pub complete: fn(&mut Settings) -> Result<(), Conflict>,
    /// Builds an empty queue.
    pub build: fn(&Settings) -> Box<dyn QueueDiscipline>,
}

/// A discipline with its settings, which can be built any number of times.
#[derive(Clone)]
pub struct Discipline {
    entry: &'static Entry,
    settings: Settings,
}

impl Discipline {
    /// The discipline `entry` with the settings `given`, and the defaults of all other parameters on the link `scale`.
    ///
    /// # Errors
    ///
    /// A parameter without a default that is not given, or settings that contradict each other.
    pub fn new(entry: &'static Entry, scale: Scale, given: Vec<Given>) -> Result<Self, Conflict> {
        let mut settings = Settings::defaults(entry.card.parameters, scale);
        for Given { parameter, setting, written } in given {
            let chosen = settings.chosen_mut(parameter);
            chosen.setting = Some(setting);
            chosen.written = Some(written);
        }
        let missing = |chosen: &&Chosen| chosen.setting.is_none() && chosen.parameter.domain.is_required();
        if let Some(Chosen { parameter, .. }) = settings.chosen.iter().find(missing) {
            return Err(Conflict {
                parameter: parameter.name,
                message: "missing, and it has no default".to_owned(),
                given: None,
                allowed: parameter.domain.to_string(),
            });
        }
        (entry.complete)(&mut settings)?;
        settings.chosen.iter_mut().for_each(|chosen| chosen.written = None);
        Ok(Self { entry, settings })
    }

    /// An empty queue with these settings.
    pub fn build(&self) -> Box<dyn QueueDiscipline> {
        (self.entry.build)(&self.settings)
    }

    /// Its entry in the [`catalogue`](crate::catalogue).
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Its name in the [`catalogue`](crate::catalogue).
    pub fn name(&self) -> &'static str {
        self.entry.card.name
    }

    /// The value of every parameter.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The most that may wait.
    pub fn limit(&self) -> Limit {
        match (self.settings.get("limit"), self.settings.get("discipline")) {
            (Some(Setting::Limit(limit)), _) => *limit,
            (_, Some(Setting::Discipline(waiting))) => waiting.limit(),
            _ => Limit::Unlimited,
        }
    }
}

/// The same entry with the same settings.
impl PartialEq for Discipline {
    fn eq(&self, other: &Self) -> bool {
        let settings = |of: &Self| of.settings.iter().map(|(_, setting)| setting.clone()).collect::<Vec<_>>();
        self.name() == other.name() && settings(self) == settings(other)
    }
}

/// The name and the settings.
impl fmt::Debug for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name())?;
        f.debug_map()
            .entries(self.settings.iter().map(|(parameter, setting)| (parameter.name, setting)))
            .finish()
    }
}

/// The value of a parameter on a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number or a fraction.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// `true` or `false`.
    Flag(bool),
    /// One word of a choice.
    Word(&'static str),
    /// A time.
    Span(Span),
    /// A rate.
    Rate(Rate),
    /// A number of bytes.
    Size(Bytes),
    /// A limit, or a length of whole packets.
    Limit(Limit),
    /// A length that an average is held against.
    Threshold(Threshold),
    /// A limit for each class from 0 on.
    Limits(Vec<Limit>),
    /// The class of each group of flows by its name, and of each flow.
    Classes(Vec<(String, u8)>, Classes),
    /// The queue in which packets wait.
    Discipline(Box<Discipline>),
}

/// As in a scenario, without quotation marks; groups with their classes.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Word(word) => word.fmt(f),
            Self::Span(span) => span.fmt(f),
            Self::Rate(rate) => rate.fmt(f),
            Self::Size(bytes) => bytes.fmt(f),
            Self::Limit(limit) => limit.fmt(f),
            Self::Threshold(threshold) => threshold.fmt(f),
            Self::Limits(limits) => {
                let limits: Vec<String> = limits.iter().map(Limit::to_string).collect();
                f.write_str(&limits.join(", "))
            }
            Self::Classes(groups, _) => {
                let groups: Vec<String> =
                    groups.iter().map(|(name, class)| format!("{name} {class}")).collect();
                f.write_str(&groups.join(", "))
            }
            Self::Discipline(discipline) => f.write_str(discipline.name()),
        }
    }
}

/// A setting that is not the default.
#[derive(Clone, Debug)]
pub struct Given {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Its value on this link.
    pub setting: Setting,
    /// The value as it was written, for messages.
    pub written: String,
}

/// Settings that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The parameter to blame.
    pub parameter: &'static str,
    /// What is wrong.
    pub message: String,
    /// The value as it was written, where that helps.
    pub given: Option<String>,
    /// What is allowed, in words.
    pub allowed: String,
}

/// The settings of a discipline, in the order of its card.
#[derive(Clone, Debug)]
pub struct Settings {
    chosen: Vec<Chosen>,
    packet: Bytes,
}

#[derive(Clone, Debug)]
struct Chosen {
    parameter: &'static Parameter,
    /// `None` where another setting takes its place.
    setting: Option<Setting>,
    /// As it was given, for messages; `None` for a default, and in a finished discipline.
    written: Option<String>,
}

impl Settings {
    /// Every parameter at its default; `None` for one that is required or follows from others.
    fn defaults(parameters: &'static [Parameter], scale: Scale) -> Self {
        let chosen = parameters.iter().map(|parameter| Chosen {
            parameter,
            setting: default(parameter.domain, scale),
            written: None,
        });
        Self { chosen: chosen.collect(), packet: scale.packet }
    }

    /// The size of a full packet on the wire.
    pub fn packet(&self) -> Bytes {
        self.packet
    }

    /// Every setting with its parameter, in the order of the card.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Parameter, &Setting)> {
        self.chosen
            .iter()
            .filter_map(|chosen| chosen.setting.as_ref().map(|setting| (chosen.parameter, setting)))
    }

    /// The settings that were given, as they were written.
    fn written(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.chosen.iter().filter_map(|chosen| Some((chosen.parameter.name, chosen.written.as_deref()?)))
    }

    /// The setting of the parameter `name`; `None` where another takes its place.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.iter().find_map(|(parameter, setting)| (parameter.name == name).then_some(setting))
    }

    /// Whether the parameter `name` was given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.written().any(|(known, _)| known == name)
    }

    /// The setting of the parameter `name` as it was written, its value where it is a default.
    pub(crate) fn shown(&self, name: &str) -> String {
        let written = self.written().find(|(known, _)| *known == name);
        written.map_or_else(|| self.expect(name).to_string(), |(_, written)| written.to_owned())
    }

    /// Sets the parameter `name`, which follows from others where it is not given.
    pub(crate) fn or_set(&mut self, name: &str, setting: impl FnOnce(&Self) -> Setting) {
        if self.get(name).is_none() {
            let setting = setting(self);
            self.chosen_mut(name).setting = Some(setting);
        }
    }

    /// Takes the setting of the parameter `name` away, for another takes its place.
    pub(crate) fn clear(&mut self, name: &str) {
        self.chosen_mut(name).setting = None;
    }

    fn chosen_mut(&mut self, name: &str) -> &mut Chosen {
        let found = self.chosen.iter_mut().find(|chosen| chosen.parameter.name == name);
        found.expect("only parameters of the card are set")
    }

    fn expect(&self, name: &str) -> &Setting {
        self.get(name).expect("only parameters of the card that are set are read")
    }
}

/// Reads the setting of a parameter whose domain is known to the reader.
macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident: $variant:ident -> $type:ty;)+) => {
        impl Settings {
            $($(#[$doc])*
            pub fn $name(&self, name: &str) -> $type {
                match self.expect(name) {
                    Setting::$variant(value) => value.to_owned(),
                    other => unreachable!("{name} is {other:?}"),
                }
            })+
        }
    };
}

reads! {
    /// A number or a fraction.
    number: Number -> f64;
    /// A whole number.
    whole: Whole -> u64;
    /// A flag.
    flag: Flag -> bool;
    /// A word of a choice.
    word: Word -> &'static str;
    /// A time.
    span: Span -> Span;
    /// A rate.
    rate: Rate -> Rate;
    /// A number of bytes.
    size: Size -> Bytes;
    /// A limit, or a length of whole packets.
    limit: Limit -> Limit;
    /// A length that an average is held against.
    threshold: Threshold -> Threshold;
    /// A limit for each class.
    limits: Limits -> Vec<Limit>;
}

impl Settings {
    /// The class of each flow.
    pub fn classes(&self, name: &str) -> Classes {
        match self.expect(name) {
            Setting::Classes(_, flows) => flows.clone(),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// An empty queue in which packets wait.
    pub fn queue(&self, name: &str) -> Box<dyn QueueDiscipline> {
        match self.expect(name) {
            Setting::Discipline(discipline) => discipline.build(),
            other => unreachable!("{name} is {other:?}"),
        }
    }
}

/// The default on the link `scale`; `None` for a parameter that must be given or follows from others.
fn default(domain: Domain, scale: Scale) -> Option<Setting> {
    let quantity = |text: &str, dimensions| Quantity::parse(text, dimensions).ok();
    match domain {
        Domain::Number { default, .. } | Domain::Fraction { default, .. } => Some(Setting::Number(default)),
        Domain::Integer { default, .. } => Some(Setting::Whole(default)),
        Domain::Flag { default } => Some(Setting::Flag(default)),
        Domain::Choice { default, .. } => Some(Setting::Word(default)),
        Domain::Span { default, .. } => match quantity(default, &[Dimension::Time])? {
            Quantity::Time(span) => Some(Setting::Span(span)),
            _ => None,
        },
        Domain::Rate { default } => match quantity(default, &[Dimension::Rate])? {
            Quantity::Rate(rate) => Some(Setting::Rate(rate)),
            _ => None,
        },
        Domain::Size { default } => Some(Setting::Size(scale.size(quantity(default, SIZES)?))),
        Domain::Length { default, whole: true } => {
            Some(Setting::Limit(scale.step(quantity(default, LENGTHS)?)))
        }
        Domain::Length { default, .. } => {
            Some(Setting::Threshold(scale.threshold(quantity(default, LENGTHS)?)))
        }
        Domain::Limit { default: INFINITE } => Some(Setting::Limit(Limit::Unlimited)),
        Domain::Limit { default } => {
            Some(Setting::Limit(scale.with_room(scale.limit(quantity(default, LENGTHS)?))))
        }
        Domain::Limits => Some(Setting::Limits(Vec::new())),
        Domain::Groups | Domain::Classes { .. } | Domain::Discipline { .. } => None,
    }
}

/// For a discipline whose settings do not depend on each other.
#[expect(clippy::unnecessary_wraps, reason = "other disciplines have conflicts")]
pub(crate) fn independent(_settings: &mut Settings) -> Result<(), Conflict> {
    Ok(())
}
