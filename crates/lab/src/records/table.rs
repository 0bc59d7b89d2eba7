//! Columns of numbers under names: the only form in which records leave the simulator.

use sha2::{Digest, Sha256};

/// Named columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<(&'static str, Column)>,
}

/// One column.
#[derive(Clone, Debug)]
pub enum Column {
    /// Real numbers; not-a-number where there is no value.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Yes or no.
    Flag(Vec<bool>),
    /// Words: an index into the labels for each row.
    Label {
        /// Index into `labels`; `u32::MAX` where there is no value.
        codes: Vec<u32>,
        /// The words.
        labels: Vec<String>,
    },
}

impl Table {
    /// Adds a column. All columns of a table have the same length.
    pub fn push(&mut self, name: &'static str, column: Column) {
        debug_assert!(
            self.columns.iter().all(|(_, other)| other.len() == column.len()),
            "columns are of one length"
        );
        self.columns.push((name, column));
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[(&'static str, Column)] {
        &self.columns
    }

    /// The columns, given away.
    pub fn into_columns(self) -> Vec<(&'static str, Column)> {
        self.columns
    }

    /// The values of a real column.
    pub fn real(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find_map(|(this, column)| match column {
            Column::Real(values) if *this == name => Some(values.as_slice()),
            _ => None,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Feeds names, lengths and values, little-endian, to `hash`.
    pub(crate) fn digest(&self, hash: &mut Sha256) {
        for (name, column) in &self.columns {
            hash.update(name.as_bytes());
            hash.update((column.len() as u64).to_le_bytes());
            match column {
                Column::Real(values) => {
                    for value in values {
                        // Every not-a-number means "no value"; its payload bits mean nothing.
                        let bits = if value.is_nan() { u64::MAX } else { value.to_bits() };
                        hash.update(bits.to_le_bytes());
                    }
                }
                Column::Whole(values) => values.iter().for_each(|value| hash.update(value.to_le_bytes())),
                Column::Flag(values) => values.iter().for_each(|value| hash.update([u8::from(*value)])),
                Column::Label { codes, labels } => {
                    for code in codes {
                        hash.update(code.to_le_bytes());
                    }
                    for label in labels {
                        hash.update(label.as_bytes());
                    }
                }
            }
        }
    }
}

impl Column {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Flag(values) => values.len(),
            Self::Label { codes, .. } => codes.len(),
        }
    }

    /// No rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
