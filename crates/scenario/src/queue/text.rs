// SPDX-License-Identifier: Apache-2.0
//! A queue as an inline table.

use crate::emit::{number, text};
use narrows_card::Domain;
use narrows_qdisc::{Discipline, Limit, Setting};

/// Returns the discipline as an inline table in TOML, with every parameter.
pub fn table(queue: &Discipline) -> String {
    let kind = format!("kind = {}", text(queue.name()));
    let keys = queue
        .settings()
        .iter()
        .map(|(parameter, setting)| format!("{} = {}", parameter.name, value(parameter.domain, setting)));
    let keys: Vec<String> = std::iter::once(kind).chain(keys).collect();
    format!("{{ {} }}", keys.join(", "))
}

fn value(domain: Domain, setting: &Setting) -> String {
    match setting {
        Setting::Number(value) => number(*value),
        Setting::Whole(_) | Setting::Flag(_) => setting.to_string(),
        Setting::Word(_)
        | Setting::Span(_)
        | Setting::Rate(_)
        | Setting::Size(_)
        | Setting::Limit(_)
        | Setting::Threshold(_) => text(setting),
        Setting::Limits(limits) => list(limits.iter().map(Limit::to_string)),
        Setting::Classes(groups, _) if matches!(domain, Domain::Groups) => {
            list(groups.iter().filter(|(_, class)| *class == 0).map(|(name, _)| name))
        }
        Setting::Classes(groups, _) => {
            let groups: Vec<String> =
                groups.iter().map(|(name, class)| format!("{} = {class}", text(name))).collect();
            format!("{{ {} }}", groups.join(", "))
        }
        Setting::Discipline(discipline) => table(discipline),
    }
}

fn list(values: impl Iterator<Item = impl std::fmt::Display>) -> String {
    format!("[{}]", values.map(text).collect::<Vec<_>>().join(", "))
}
