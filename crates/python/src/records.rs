//! Records as dicts of numpy columns: each vector is moved into its array, never copied.

use narrows_lab::metrics::{Check, Measures};
use narrows_lab::records::{Column, Performance, Table};
use narrows_lab::replication::Records;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What one replication left behind.
#[pyclass(name = "Records", module = "narrows._core", frozen, get_all)]
pub struct PyRecords {
    digest: String,
    warmup_s: f64,
    flows: Py<PyDict>,
    links: Py<PyDict>,
    series: Py<PyDict>,
    distributions: Py<PyDict>,
    census: Py<PyDict>,
    classes: Py<PyDict>,
    transfers: Py<PyDict>,
    packets: Py<PyDict>,
    group_measures: Py<PyDict>,
    link_measures: Py<PyDict>,
    group_sizes: Py<PyDict>,
    performance: Py<PyDict>,
    checks: Vec<Py<PyDict>>,
}

#[pymethods]
impl PyRecords {
    /// What another process sent: every dict, in the order of the attributes.
    #[new]
    fn from_parts(digest: String, warmup_s: f64, dicts: [Py<PyDict>; 12], checks: Vec<Py<PyDict>>) -> Self {
        let [
            flows,
            links,
            series,
            distributions,
            census,
            classes,
            transfers,
            packets,
            group_measures,
            link_measures,
            group_sizes,
            performance,
        ] = dicts;
        Self {
            digest,
            warmup_s,
            flows,
            links,
            series,
            distributions,
            census,
            classes,
            transfers,
            packets,
            group_measures,
            link_measures,
            group_sizes,
            performance,
            checks,
        }
    }

    /// The arguments of the constructor, for a pickle.
    fn __getnewargs__(&self) -> (&str, f64, [&Py<PyDict>; 12], Vec<&Py<PyDict>>) {
        let dicts = [
            &self.flows,
            &self.links,
            &self.series,
            &self.distributions,
            &self.census,
            &self.classes,
            &self.transfers,
            &self.packets,
            &self.group_measures,
            &self.link_measures,
            &self.group_sizes,
            &self.performance,
        ];
        (&self.digest, self.warmup_s, dicts, self.checks.iter().collect())
    }
}

impl PyRecords {
    /// Moves `records`, whose digest is `digest`, to Python.
    pub fn new(py: Python<'_>, records: Records, digest: String) -> PyResult<Self> {
        Ok(Self {
            digest,
            warmup_s: records.warmup.as_secs_f64(),
            flows: table(py, records.flows)?,
            links: table(py, records.links)?,
            series: table(py, records.series)?,
            distributions: table(py, records.distributions)?,
            census: table(py, records.census)?,
            classes: table(py, records.classes)?,
            transfers: table(py, records.transfers)?,
            packets: table(py, records.packets)?,
            group_measures: measures(py, &records.groups)?,
            link_measures: measures(py, &records.link_measures)?,
            group_sizes: sizes(py, &records.groups)?,
            checks: records.checks.iter().map(|each| check(py, each)).collect::<PyResult<_>>()?,
            performance: performance(py, records.performance)?,
        })
    }
}

fn table(py: Python<'_>, table: Table) -> PyResult<Py<PyDict>> {
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
    Ok(columns.unbind())
}

fn measures(py: Python<'_>, all: &[Measures]) -> PyResult<Py<PyDict>> {
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

fn sizes(py: Python<'_>, groups: &[Measures]) -> PyResult<Py<PyDict>> {
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
    entry.set_item("detail", &check.detail)?;
    Ok(entry.unbind())
}

fn performance(py: Python<'_>, performance: Performance) -> PyResult<Py<PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("events", performance.events)?;
    entry.set_item("packet_hops", performance.packet_hops)?;
    entry.set_item("cpu_s", performance.cpu_s)?;
    Ok(entry.unbind())
}
