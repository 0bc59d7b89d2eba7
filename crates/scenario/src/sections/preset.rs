// SPDX-License-Identifier: Apache-2.0
//! Tables whose defaults are columns: one for each preset.

use crate::emit::Naming;
use crate::field::{At, Field};
use crate::kind::Key;
use crate::location::Location;
use crate::value::{KeyType, Words, words};
use narrows_transport::TransportOptions;
use std::fmt::Write;

/// A named set of defaults; [`Preset::about`] says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The standards of today.
    Modern,
    /// Those of 2012: RFC 5681, 6298, 6675 and 6928.
    Sack2012,
    /// ns-2.35.
    Ns2,
    /// Linux 6.18.
    Linux,
}

words!(Preset { Modern = "modern", Sack2012 = "sack-2012", Ns2 = "ns2", Linux = "linux" });

impl Preset {
    /// Returns what it is, in sentences, and where that is from.
    pub const fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::Modern => (
                "A stack of today: losses are detected by time (RACK) and at the tail by probes (TLP), the window falls over \
                 a round trip (proportional rate reduction), slow start ends when the delay rises (HyStart++), and a timeout \
                 without loss is found by what is acknowledged next (F-RTO). Packets \
                 of window algorithms are not paced: Linux paces those of an algorithm that asks for it, as BBR does, and \
                 of all others only under the queue discipline fq. Algorithms with a rate of their own are paced. With \
                 `pacing = true` all are.",
                "RFC 8985, RFC 9937, RFC 9406, RFC 5682; RFC 5681, RFC 6298, RFC 6928; Linux 6.18 net/ipv4/tcp_output.c, \
                 tcp_internal_pacing, and net/sched/sch_fq.c for pacing, tcp_rearm_rto for the timer",
            ),
            Self::Sack2012 => (
                "The standards of 2012: selective acknowledgements with the pipe algorithm, three duplicates, reductions at \
                 once, standard slow start and an initial window of ten packets.",
                "RFC 5681, RFC 6298, RFC 6675, RFC 6928",
            ),
            Self::Ns2 => (
                "The one-way TCP agents of ns-2 as most studies used them: each packet is acknowledged, an initial window of \
                 two packets, no headers, a first reduction to half.",
                "ns-2.35",
            ),
            Self::Linux => (
                "The TCP of Linux as it is by default, with its own algorithms in whole packets: `reno` and `newreno` mean \
                 `reno-linux`, `hstcp` means `highspeed-linux`, and `cubic`, `bic`, `htcp`, `scalable`, `vegas` and \
                 `westwood` mean those with `-linux` behind them.",
                "Linux 6.18 and 6.12 net/ipv4",
            ),
        }
    }
}

/// Options that presets set.
pub trait OfPreset {
    /// Returns their values in `preset`.
    fn of_preset(preset: Preset) -> Self;
}

impl OfPreset for TransportOptions {
    fn of_preset(preset: Preset) -> Self {
        match preset {
            Preset::Modern => Self::modern(),
            Preset::Sack2012 => Self::default(),
            Preset::Ns2 => Self::ns2(),
            Preset::Linux => Self::linux(),
        }
    }
}

/// What a preset is and which values it gives.
#[derive(Clone, Debug)]
pub struct PresetCard {
    /// Its name.
    pub name: &'static str,
    /// What it is, in sentences.
    pub summary: &'static str,
    /// The standards or the program that it follows.
    pub source: &'static str,
    /// Its value of each key of `[transport]`.
    pub values: Vec<PresetValue>,
}

/// A default of a preset.
#[derive(Clone, Debug)]
pub struct PresetValue {
    /// Name of the key.
    pub key: &'static str,
    /// Meaning of the key, in sentences.
    pub meaning: &'static str,
    /// What the key may hold, in words.
    pub allowed: String,
    /// The value, as a file writes it, without quotes.
    pub value: String,
}

/// Describes the defaults of a key, as in `10pkt; ns2: 2pkt`.
pub fn columns<T: KeyType>(default: impl Fn(Preset) -> T::Value) -> String {
    let shown = Preset::VALUES.iter().map(|preset| Key::plain(&T::write(&default(*preset), Naming::Path)));
    let shown: Vec<String> = shown.collect();
    let [first, others @ ..] = &shown[..] else { return String::new() };
    let mut text = first.clone();
    let mut said: Vec<&String> = vec![first];
    for (index, other) in others.iter().enumerate() {
        if !said.contains(&other) {
            let same = Preset::WORDS.iter().zip(&shown).skip(index + 1).filter(|(_, each)| *each == other);
            let names: Vec<&str> = same.map(|(name, _)| *name).collect();
            let _ = write!(text, "; {}: {other}", names.join(" and "));
            said.push(other);
        }
    }
    text
}

/// Returns the value of a key in the first of `layers` that has it, otherwise `default`, whose place in messages is
/// `otherwise`.
pub fn layered<'a, V: Clone + 'a>(
    layers: impl IntoIterator<Item = &'a Field<Option<V>>>,
    default: V,
    key: &str,
    otherwise: &Location,
) -> Field<V> {
    if let Some(field) = layers.into_iter().find(|field| field.written) {
        let value = field.get().map(|value| value.clone().unwrap_or(default));
        return Field::new(field.at.clone(), true, value);
    }
    let at = At { path: format!("transport.{key}"), location: otherwise.clone() };
    Field::new(at, false, Ok(default))
}

/// A key whose value is not that of other options.
#[derive(Clone, Debug)]
pub struct Unlike {
    /// Name of the key.
    pub key: &'static str,
    /// Where its value was written; where it would be, if it is a default.
    pub at: At,
    /// Whether it was written.
    pub written: bool,
    /// The other value, as TOML.
    pub other: String,
}

impl Unlike {
    /// Returns the key `key`, if its value is not `other`.
    pub fn of<T: KeyType>(key: &'static str, field: &Field<T::Value>, other: &T::Value) -> Option<Self> {
        let [own, other] = [field.get().ok()?, other].map(|value| T::write(value, Naming::Digest));
        (own != other).then(|| Self { key, at: field.at.clone(), written: field.written, other })
    }
}

/// Declares a table as [`keys!`](crate::section::keys) does, and a second one in which every key has a value.
///
/// An `option` sets the field of that name in `$options`, whose values for each preset are its defaults. What a `key` sets is
/// computed elsewhere, and behind its type stand its defaults, a column for each preset. Then come words where defaults depend
/// on other keys, too, and phrases by which values are described.
macro_rules! preset_keys {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident, $complete:ident for $options:ty {
            $(
                $(#[doc = $meaning:literal])+
                $role:ident $key:ident: $type:ty $(= $defaults:tt)? $(=> $words:literal)?
                $({ $($value:pat $(if $guard:expr)? => $phrase:expr),+ $(,)? })?
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $meaning])+ pub $key: Field<Option<<$type as KeyType>::Value>>,)+
        }

        /// The same with every key.
        #[derive(Clone, Debug)]
        pub struct $complete {
            $($(#[doc = $meaning])+ pub $key: Field<<$type as KeyType>::Value>,)+
        }

        impl Section for $name {
            const PARTS: Parts = &[&[$(Key {
                name: stringify!($key),
                kind: <$type as KeyType>::KIND,
                absent: preset_keys!(@absent $role $options, $type, $key $(= $defaults)? $(=> $words)?),
                meaning: concat!($($meaning),+),
            },)+]];

            fn take(fields: &mut Fields<'_>) -> Self {
                Self { $($key: fields.optional::<$type>(stringify!($key)),)+ }
            }

            fn emit(&self, naming: Naming, table: &mut TomlTable) {
                $(section::emit::<$type, _>(
                    &self.$key,
                    self.$key.get().ok().and_then(Option::as_ref),
                    stringify!($key),
                    naming,
                    table,
                );)+
            }
        }

        impl $complete {
            /// Each key from the first of `layers` that has it, else its default in the preset; messages name `otherwise`
            /// for the latter.
            fn new(layers: &[&$name], preset: Preset, otherwise: &Location) -> Self {
                Self { $($key: preset::layered(
                    layers.iter().map(|layer| &layer.$key),
                    preset_keys!(@default $role $options, preset, $key $(= $defaults)?),
                    stringify!($key),
                    otherwise,
                ),)+ }
            }

            /// The default of each key in `preset`, in the order of the keys, as a file writes it.
            fn defaults(preset: Preset) -> Vec<String> {
                vec![$(Key::plain(&<$type as KeyType>::write(
                    &preset_keys!(@default $role $options, preset, $key $(= $defaults)?),
                    Naming::Path,
                )),)+]
            }

            /// Sets the fields of `options` that have the names of keys.
            fn set(&self, options: &mut $options) -> Result<(), Reported> {
                $(preset_keys!(@set $role self, options, $key);)+
                Ok(())
            }

            /// Returns all keys with their values.
            pub fn keys(&self) -> $name {
                $name { $($key: self.$key.clone().optional(),)+ }
            }

            /// Returns the keys whose values differ from those of `other`, with these values.
            pub fn keys_unlike(&self, other: &Self) -> $name {
                let mut keys = self.keys();
                $(
                    let text = |field: &Field<_>| {
                        field.get().ok().map(|value| <$type as KeyType>::write(value, Naming::Digest))
                    };
                    keys.$key.omitted = text(&self.$key) == text(&other.$key);
                )+
                keys
            }

            /// The keys whose values are not those of `options`, each with the value there.
            fn unlike(&self, options: &$options) -> Vec<Unlike> {
                let mut found = Vec::new();
                $(preset_keys!(@unlike $role self, options, $key, found: $type);)+
                found
            }

            /// What is said of the values, for a reader: their phrases, and of keys without any those that are not the
            /// preset's.
            fn phrases(&self, preset: Preset) -> Vec<String> {
                let mut phrases: Vec<String> = Vec::new();
                $(preset_keys!(
                    @phrase phrases,
                    self.$key,
                    $key: $type = preset_keys!(@default $role $options, preset, $key $(= $defaults)?)
                    $(, { $($value $(if $guard)? => $phrase),+ })?
                );)+
                phrases
            }
        }
    };

    (@absent $role:ident $options:ty, $type:ty, $key:ident $(= $defaults:tt)?) => {
        Absent::Is(|| preset::columns::<$type>(|preset| preset_keys!(@default $role $options, preset, $key $(= $defaults)?)))
    };
    (@absent $role:ident $options:ty, $type:ty, $key:ident $(= $defaults:tt)? => $words:literal) => { Absent::Means($words) };

    (@default option $options:ty, $preset:ident, $key:ident) => { <$options as OfPreset>::of_preset($preset).$key };
    (@default key $options:ty, $preset:ident, $key:ident = $defaults:tt) => { $defaults[$preset as usize] };

    (@set option $self:ident, $options:ident, $key:ident) => { $options.$key = $self.$key.copied()?; };
    (@set key $self:ident, $options:ident, $key:ident) => {};

    (@unlike option $self:ident, $options:ident, $key:ident, $found:ident: $type:ty) => {
        $found.extend(Unlike::of::<$type>(stringify!($key), &$self.$key, &$options.$key));
    };
    (@unlike key $self:ident, $options:ident, $key:ident, $found:ident: $type:ty) => {};

    (@phrase $phrases:ident, $field:expr, $key:ident: $type:ty = $default:expr) => {
        $phrases.extend($field.get().ok().and_then(|value| {
            let shown = <$type as KeyType>::write(value, Naming::Path);
            let differs = shown != <$type as KeyType>::write(&$default, Naming::Path);
            differs.then(|| format!("{} = {}", stringify!($key), Key::plain(&shown)))
        }));
    };
    (@phrase $phrases:ident, $field:expr, $key:ident: $type:ty = $default:expr, { $($value:pat $(if $guard:expr)? => $phrase:expr),+ }) => {
        $phrases.extend(match $field.copied() {
            $(Ok($value) $(if $guard)? => Some(String::from($phrase)),)+
            _ => None,
        });
    };
}

pub(crate) use preset_keys;
