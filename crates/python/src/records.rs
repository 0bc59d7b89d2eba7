// SPDX-License-Identifier: Apache-2.0
//! The results of a replication, as dicts of numpy columns: each vector is moved into its array, never copied.

use narrows_lab::metrics::MetricValues;
use narrows_lab::records::schema::{ColumnSchema, TableSchema, tables as schemas};
use narrows_lab::records::{Check, Column, Level, Performance, ProgramRecord, SCHEMA, Table};
use narrows_lab::replication::{self, Replication};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The results of one replication: tables, metrics and checks.
#[pyclass(name = "Records", module = "narrows._core", frozen, get_all)]
pub struct PyRecords {
    digest: String,
    warmup_s: f64,
    /// Columns by table: of each its values, and the labels that they are indices into.
    tables: Py<PyDict>,
    /// Values of metrics by group.
    group_metrics: Py<PyDict>,
    /// Values of metrics by link.
    link_metrics: Py<PyDict>,
    /// The greatest values that metrics can have in the run, by group, where more than the unit limits them.
    group_bounds: Py<PyDict>,
    /// The same by link.
    link_bounds: Py<PyDict>,
    /// The numbers of trials of the metrics that are shares, by group.
    group_trials: Py<PyDict>,
    /// The same by link.
    link_trials: Py<PyDict>,
    /// Flows that the scenario describes by group; `None` if their number is random.
    group_sizes: Py<PyDict>,
    checks: Vec<Py<PyDict>>,
    programs: Vec<Printed>,
    performance: Py<PyDict>,
}

/// The output of a program: number of the flow, `client` or `server`, exit status (`None` if it was still running),
/// text.
type Printed = (u32, String, Option<i32>, String);

/// The arguments of the constructor: digest, end of the warm-up, the dicts in the order of the attributes, the checks, what
/// programs have printed.
type Parts<D, C> = (String, f64, [D; 9], Vec<C>, Vec<Printed>);

#[pymethods]
impl PyRecords {
    /// What another process sent.
    #[new]
    fn from_parts(
        digest: String,
        warmup_s: f64,
        dicts: [Py<PyDict>; 9],
        checks: Vec<Py<PyDict>>,
        programs: Vec<Printed>,
    ) -> Self {
        let [
            tables,
            group_metrics,
            link_metrics,
            group_bounds,
            link_bounds,
            group_trials,
            link_trials,
            group_sizes,
            performance,
        ] = dicts;
        Self {
            digest,
            warmup_s,
            tables,
            group_metrics,
            link_metrics,
            group_bounds,
            link_bounds,
            group_trials,
            link_trials,
            group_sizes,
            checks,
            programs,
            performance,
        }
    }

    /// The arguments of the constructor, for a pickle.
    fn __getnewargs__(&self) -> Parts<&Py<PyDict>, &Py<PyDict>> {
        let dicts = [
            &self.tables,
            &self.group_metrics,
            &self.link_metrics,
            &self.group_bounds,
            &self.link_bounds,
            &self.group_trials,
            &self.link_trials,
            &self.group_sizes,
            &self.performance,
        ];
        let checks = self.checks.iter().collect();
        (self.digest.clone(), self.warmup_s, dicts, checks, self.programs.clone())
    }
}

impl PyRecords {
    /// Moves `replication`, whose digest is `digest`, to Python; columns are not copied.
    ///
    /// # Errors
    ///
    /// If Python cannot allocate an object.
    pub fn new(py: Python<'_>, replication: Replication, digest: String) -> PyResult<Self> {
        let tables = PyDict::new(py);
        for each in replication.tables {
            tables.set_item(each.name(), table(py, each)?)?;
        }
        Ok(Self {
            digest,
            warmup_s: replication.warmup.as_secs_f64(),
            tables: tables.unbind(),
            group_metrics: metrics(py, &replication.groups)?,
            link_metrics: metrics(py, &replication.links)?,
            group_bounds: finite(py, &replication.groups, |each| &each.most)?,
            link_bounds: finite(py, &replication.links, |each| &each.most)?,
            group_trials: finite(py, &replication.groups, |each| &each.trials)?,
            link_trials: finite(py, &replication.links, |each| &each.trials)?,
            group_sizes: sizes(py, &replication.groups)?,
            programs: replication.programs.into_iter().map(printed).collect(),
            checks: replication.checks.iter().map(|each| check(py, each)).collect::<PyResult<_>>()?,
            performance: performance(py, replication.performance)?,
        })
    }
}

fn printed(program: ProgramRecord) -> Printed {
    let text = String::from_utf8_lossy(&program.output).into_owned();
    (program.flow, program.role, program.status, text)
}

/// Returns the number of the digest's schema; digests of different numbers cannot be compared.
#[pyfunction]
pub fn digest_schema() -> u32 {
    SCHEMA
}

/// Returns the digest of several runs, of whose digests `parts` has each: `sha256:` and hexadecimal digits.
#[pyfunction]
pub fn combined_digest(parts: Vec<String>) -> String {
    replication::combined_digest(parts)
}

/// Returns the schema of each table of a run as a dict: `name`, `row` (what a row describes), `absent` (the condition
/// under which the table has no columns, `""` if it always has them) and `columns`, each with `name`, `kind`, `unit`
/// and `meaning`.
#[pyfunction(name = "tables")]
pub fn table_schemas(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    schemas().iter().map(|each| table_schema(py, each)).collect()
}

fn table_schema<'py>(py: Python<'py>, table: &TableSchema) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", table.name)?;
    entry.set_item("row", table.row)?;
    entry.set_item("absent", table.absent)?;
    let columns = table.columns.iter().map(|each| column_schema(py, each)).collect::<PyResult<Vec<_>>>()?;
    entry.set_item("columns", columns)?;
    Ok(entry)
}

fn column_schema<'py>(py: Python<'py>, column: &ColumnSchema) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", column.name)?;
    entry.set_item("kind", column.kind.name())?;
    entry.set_item("unit", column.unit)?;
    entry.set_item("meaning", column.meaning)?;
    Ok(entry)
}

fn table(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.into_columns() {
        let (values, labels) = match column {
            Column::Real(values) => (values.into_pyarray(py).into_any(), None),
            Column::Whole(values) => (values.into_pyarray(py).into_any(), None),
            Column::Flag(values) => (values.into_pyarray(py).into_any(), None),
            Column::Label { codes, labels } => (codes.into_pyarray(py).into_any(), Some(labels)),
        };
        columns.set_item(name, (values, labels))?;
    }
    Ok(columns)
}

fn metrics(py: Python<'_>, all: &[MetricValues]) -> PyResult<Py<PyDict>> {
    let owners = PyDict::new(py);
    for each in all {
        let values = PyDict::new(py);
        for (name, value) in &each.values {
            values.set_item(name, value)?;
        }
        owners.set_item(&each.name, values)?;
    }
    Ok(owners.unbind())
}

/// The finite ones of the numbers `of` each metric.
fn finite(
    py: Python<'_>,
    all: &[MetricValues],
    of: impl Fn(&MetricValues) -> &[f64],
) -> PyResult<Py<PyDict>> {
    let owners = PyDict::new(py);
    for each in all {
        let found = PyDict::new(py);
        for ((name, _), number) in each.values.iter().zip(of(each)).filter(|(_, number)| number.is_finite()) {
            found.set_item(name, number)?;
        }
        owners.set_item(&each.name, found)?;
    }
    Ok(owners.unbind())
}

fn sizes(py: Python<'_>, groups: &[MetricValues]) -> PyResult<Py<PyDict>> {
    let sizes = PyDict::new(py);
    for group in groups {
        sizes.set_item(&group.name, group.flows)?;
    }
    Ok(sizes.unbind())
}

fn check(py: Python<'_>, check: &Check) -> PyResult<Py<PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", check.name)?;
    entry.set_item("ok", check.ok)?;
    entry.set_item("level", check.level.map(Level::name))?;
    entry.set_item("detail", &check.detail)?;
    entry.set_item("shortfall", check.shortfall)?;
    Ok(entry.unbind())
}

fn performance(py: Python<'_>, performance: Performance) -> PyResult<Py<PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("events", performance.events)?;
    entry.set_item("packet_hops", performance.packet_hops)?;
    entry.set_item("cpu_s", performance.cpu_s)?;
    Ok(entry.unbind())
}
