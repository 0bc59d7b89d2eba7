// SPDX-License-Identifier: Apache-2.0
//! The tables of a run, written from its records.

mod applications;
mod census;
mod classes;
mod client_events;
mod clients;
mod connections;
mod distributions;
mod events;
mod flows;
mod groups;
mod internals;
mod links;
mod packets;
mod recordings;
mod series;
mod transfers;
mod unfinished;

use crate::{Records, RunDescription, Table};
use std::ops::Index;

/// All tables of a run, in the order of [`schema::tables`](crate::schema::tables).
#[derive(Clone, Debug)]
pub struct Tables([Table; 17]);

impl Tables {
    /// Returns the tables of the run with `records`.
    pub fn of(records: &Records) -> Self {
        Self([
            flows::table(records),
            groups::table(records),
            links::table(records),
            series::table(records),
            distributions::table(records),
            census::table(records),
            classes::table(records),
            transfers::table(records),
            unfinished::table(records),
            recordings::table(records),
            internals::table(records),
            events::table(records),
            applications::table(records),
            clients::table(records),
            client_events::table(records),
            packets::table(records),
            connections::table(records),
        ])
    }

    /// Returns the tables in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Table> {
        self.0.iter()
    }
}

/// The table of that name; a panic if there is none.
impl Index<&str> for Tables {
    type Output = Table;
    fn index(&self, name: &str) -> &Table {
        self.iter().find(|table| table.name() == name).unwrap_or_else(|| panic!("no table is called {name}"))
    }
}

impl<'t> IntoIterator for &'t Tables {
    type Item = &'t Table;
    type IntoIter = std::slice::Iter<'t, Table>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Tables {
    type Item = Table;
    type IntoIter = std::array::IntoIter<Table, 17>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

fn group_names(run: &RunDescription) -> Vec<String> {
    run.groups.iter().map(|group| group.name.clone()).collect()
}

fn link_names(run: &RunDescription) -> Vec<String> {
    run.links.iter().map(|link| link.name.clone()).collect()
}

/// Indices of the groups with an application.
fn application_groups(run: &RunDescription) -> Vec<usize> {
    (0..run.groups.len()).filter(|group| run.groups[*group].application).collect()
}

/// Indices of the groups whose flows are finite.
fn finite_groups(run: &RunDescription) -> Vec<usize> {
    (0..run.groups.len()).filter(|group| run.groups[*group].finite).collect()
}
