// SPDX-License-Identifier: Apache-2.0
//! Keys of a queue: one form for each discipline of the catalogue, whose keys are the parameters of its card.

use crate::kind::{Key, Kind, LENGTH, PACKETS_OR_BYTES, RATE, TIME, Variant};
use narrows_card::{Card, Domain, INFINITE, Parameter};
use narrows_qdisc::catalogue;
use std::sync::LazyLock;

/// Allowed values of the key `queue`: the disciplines of the catalogue.
pub const QUEUE_KIND: Kind = Kind::Listed(forms);

/// Returns the forms of a queue, in the order of the catalogue.
pub fn forms() -> &'static [Variant] {
    &FORMS
}

/// The forms of the queue under a router's computation, which all such disciplines have in common.
fn discipline_forms() -> &'static [Variant] {
    &DISCIPLINES
}

static FORMS: LazyLock<Vec<Variant>> =
    LazyLock::new(|| catalogue::entries().iter().map(|entry| form(&entry.card)).collect());

static DISCIPLINES: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let parameters = catalogue::entries().iter().flat_map(|entry| entry.card.parameters);
    let allowed = parameters.filter_map(|parameter| match parameter.domain {
        Domain::Discipline { allowed, .. } => Some(allowed),
        _ => None,
    });
    let allowed: Vec<_> = allowed.flatten().collect();
    FORMS.iter().filter(|form| allowed.contains(&&form.name)).copied().collect()
});

fn form(card: &'static Card) -> Variant {
    let keys: Vec<Key> = card.parameters.iter().map(key).collect();
    let meaning = format!("{} Source: {}.", sentence(card.summary), card.source);
    Variant { name: card.name, keys: keys.leak(), meaning: meaning.leak() }
}

fn key(parameter: &'static Parameter) -> Key {
    let Parameter { name, meaning, domain, .. } = parameter;
    if domain.is_required() {
        Key::required(name, kind(domain), sentence(meaning))
    } else {
        Key::new(name, kind(domain), domain.default().to_string().leak(), sentence(meaning))
    }
}

/// The allowed values of the key of a parameter.
fn kind(domain: &Domain) -> Kind {
    match *domain {
        Domain::Number { .. } => Kind::Number,
        Domain::Integer { minimum, maximum, .. } => Kind::Integer { minimum, maximum },
        Domain::Fraction { zero, .. } => Kind::Fraction { zero },
        Domain::Span { zero: true, .. } => Kind::Quantity(TIME.or_zero()),
        Domain::Span { .. } => Kind::Quantity(TIME),
        Domain::Rate { .. } => Kind::Quantity(RATE),
        Domain::Size { .. } => Kind::Quantity(PACKETS_OR_BYTES),
        Domain::Length { whole: true, .. } => Kind::Quantity(LENGTH),
        Domain::Length { .. } => Kind::Quantity(LENGTH.fractional()),
        Domain::Limit { .. } => Kind::Quantity(LENGTH.or(INFINITE)),
        Domain::Limits => Kind::List(&LIMIT),
        Domain::Flag { .. } => Kind::Flag,
        Domain::Choice { allowed, .. } => Kind::Choice(allowed),
        Domain::Groups => Kind::List(&Kind::Text),
        Domain::Classes { worst, .. } => {
            Kind::Named(Box::leak(Box::new(Kind::Integer { minimum: 0, maximum: worst })))
        }
        Domain::Discipline { .. } => Kind::Listed(discipline_forms),
    }
}

static LIMIT: Kind = Kind::Quantity(LENGTH.or(INFINITE));

/// `text` as a sentence.
fn sentence(text: &str) -> &'static str {
    let mut letters = text.chars();
    let first = letters.next().map_or_else(String::new, |letter| letter.to_uppercase().collect());
    format!("{first}{}.", letters.as_str()).leak()
}
