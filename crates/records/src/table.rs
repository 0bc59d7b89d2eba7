// SPDX-License-Identifier: Apache-2.0
//! Columns of numbers under names: the form in which records leave the crate.

use crate::schema::{self, ColumnKind, TableSchema};

/// A table of a run: either all columns of its [schema](TableSchema), with equal lengths, or none.
#[derive(Clone, Debug)]
pub struct Table {
    name: &'static str,
    columns: Vec<(&'static str, Column)>,
}

/// The values of one column.
#[derive(Clone, Debug)]
pub enum Column {
    /// Real numbers; not a number if there is no value.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// True or false.
    Flag(Vec<bool>),
    /// Texts: for each row an index into the labels.
    Label {
        /// Indices into `labels`; [`NO_LABEL`] if there is no value.
        codes: Vec<u32>,
        /// Different texts; values are indices into this list.
        labels: Vec<String>,
    },
}

/// The code of a row without a label.
pub const NO_LABEL: u32 = u32::MAX;

impl Table {
    /// Returns the table `name` without columns, as it does not apply to the run.
    pub(crate) fn absent(name: &'static str) -> Self {
        Self { name, columns: Vec::new() }
    }

    /// Returns the name of the table in the schema.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names and values of the columns, in order.
    pub fn columns(&self) -> &[(&'static str, Column)] {
        &self.columns
    }

    /// Consumes the table and returns its columns, in order.
    pub fn into_columns(self) -> Vec<(&'static str, Column)> {
        self.columns
    }

    /// Returns the column `name`; `None` if the table has no such column.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find_map(|(this, column)| (*this == name).then_some(column))
    }

    /// Returns the values of the real column `name`; `None` if the table has no such column.
    pub fn real(&self, name: &str) -> Option<&[f64]> {
        match self.column(name)? {
            Column::Real(values) => Some(values),
            _ => None,
        }
    }

    /// Returns the values of the whole column `name`; `None` if the table has no such column.
    pub fn whole(&self, name: &str) -> Option<&[i64]> {
        match self.column(name)? {
            Column::Whole(values) => Some(values),
            _ => None,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }
}

impl Column {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Flag(values) => values.len(),
            Self::Label { codes, .. } => codes.len(),
        }
    }

    /// Whether the column has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type of the values.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Self::Real(_) => ColumnKind::Real,
            Self::Whole(_) => ColumnKind::Whole,
            Self::Flag(_) => ColumnKind::Flag,
            Self::Label { .. } => ColumnKind::Label,
        }
    }
}

/// Writes a table from its rows, column by column in the order of the schema. Any other column is a panic.
#[derive(Debug)]
pub(crate) struct Writer<I> {
    schema: &'static TableSchema,
    rows: I,
    table: Table,
}

impl<I: Iterator + Clone> Writer<I> {
    /// Creates a writer of the table `name` with one row for each of `rows`.
    pub fn new(name: &str, rows: I) -> Self {
        let schema = schema::table(name);
        Self { schema, rows, table: Table::absent(schema.name) }
    }

    /// Adds the column `name` of real numbers, computed by `value` for each row.
    pub fn real(&mut self, name: &'static str, value: impl Fn(I::Item) -> f64) {
        self.push(name, Column::Real(self.rows.clone().map(value).collect()));
    }

    /// Adds the column `name` of whole numbers, computed by `value` for each row.
    pub fn whole(&mut self, name: &'static str, value: impl Fn(I::Item) -> u64) {
        self.push(name, Column::Whole(self.rows.clone().map(|row| value(row).cast_signed()).collect()));
    }

    /// Adds the column `name` of flags, computed by `value` for each row.
    pub fn flag(&mut self, name: &'static str, value: impl Fn(I::Item) -> bool) {
        self.push(name, Column::Flag(self.rows.clone().map(value).collect()));
    }

    /// Adds the column `name` of texts; `code` returns the index of each row into `labels`, or [`NO_LABEL`].
    pub fn label(&mut self, name: &'static str, labels: Vec<String>, code: impl Fn(I::Item) -> u32) {
        self.push(name, Column::Label { codes: self.rows.clone().map(code).collect(), labels });
    }

    /// Returns the finished table.
    ///
    /// # Panics
    ///
    /// If a column of the schema is missing.
    pub fn finish(self) -> Table {
        let (written, all) = (self.table.columns.len(), self.schema.columns.len());
        assert!(written == all, "{} has {written} of its {all} columns", self.schema.name);
        self.table
    }

    fn push(&mut self, name: &'static str, column: Column) {
        let next = self.schema.columns.get(self.table.columns.len()).map(|next| (next.name, next.kind));
        assert!(
            next == Some((name, column.kind())),
            "{}: {name} is not the next column, {next:?} is",
            self.schema.name
        );
        self.table.columns.push((name, column));
    }
}

#[cfg(test)]
mod tests {
    use super::Writer;

    #[test]
    #[should_panic(expected = "surplus is not the next column")]
    fn a_column_that_is_not_in_the_schema_cannot_be_written() {
        Writer::new("distributions", std::iter::once(0)).real("surplus", f64::from);
    }

    #[test]
    #[should_panic(expected = "quantity is not the next column")]
    fn columns_cannot_be_written_in_another_order() {
        Writer::new("distributions", std::iter::once(0)).label("quantity", Vec::new(), |row| row);
    }

    #[test]
    #[should_panic(expected = "owner is not the next column")]
    fn a_column_cannot_be_of_another_kind() {
        Writer::new("distributions", std::iter::once(0)).real("owner", f64::from);
    }

    #[test]
    #[should_panic(expected = "has 1 of its 4 columns")]
    fn no_column_can_be_left_out() {
        let mut table = Writer::new("distributions", std::iter::once(0));
        table.label("owner", Vec::new(), |row| row);
        table.finish();
    }
}
