// SPDX-License-Identifier: Apache-2.0
//! `[[network.edges]]` and `[network.hosts]`.

use super::draft::Draft;
use crate::diagnostic::Fault;
use crate::field::{At, Field, Reported};
use crate::kind::list;
use crate::section::{Section, keys};
use crate::value::{Fraction, Positive};
use narrows_model::HostModel;
use narrows_topology::{Edge, Edges};
use narrows_units::{Rate, Span};

keys! {
    /// The keys of `[[network.edges]]`.
    pub struct EdgeKeys {
        /// Name of the router.
        router: String,
        /// Class of the edge router; the classes of a path are those of both its ends.
        class: String = "edge".to_owned(),
        /// Relative weight of the router in the choice of sources.
        sources: f64 = 1.0,
        /// Relative weight of the router in the choice of receivers.
        receivers: f64 = 1.0,
    }
}

keys! {
    /// The keys of `[network.hosts]`.
    pub struct HostsKeys {
        /// Rate of the access link of a host.
        rate: Positive<Rate> => "access_rate; tiered: 96Mbps",
        /// Rate of the access link of a fast host.
        fast_rate: Positive<Rate> => "ten times rate",
        /// Fraction of fast hosts.
        fast: Fraction = 0.0,
        /// One-way propagation delay of the access link of a host.
        delay: Span = Span::ZERO,
    }
}

/// Resolves the edge routers as written, or the generator's, with their hosts; `None` if there are none.
///
/// # Errors
///
/// If a key has errors, which are added to `faults`.
pub fn resolve(
    edges: &mut Field<Option<Vec<EdgeKeys>>>,
    hosts: &mut Field<Option<HostsKeys>>,
    draft: &Draft,
    access_rate: Rate,
    faults: &mut Vec<Fault>,
) -> Result<Option<Edges>, Reported> {
    let all = match edges.get()? {
        None => draft.edges.clone(),
        Some(written) => {
            let mut all = Vec::new();
            for each in written {
                all.push(each.edge(draft, &all, faults)?);
            }
            if all.len() < 2 {
                let fault = edges.fault("transfers go from edge to edge").given("1");
                return Err(fault.allowed("at least two").report(faults));
            }
            all
        }
    };
    let at = hosts.at.clone();
    let keys = hosts.get_mut()?.get_or_insert_with(|| HostsKeys::absent(&at, faults));
    let usual = if draft.edges.is_empty() { access_rate } else { NORMAL_HOST };
    let normal = keys.rate.copied()?.unwrap_or(usual);
    let fast = keys.fast_rate.copied()?.unwrap_or(Rate::from_bps(normal.as_bps() * 10));
    let model = HostModel { normal, fast, fast_share: keys.fast.copied()?, delay: keys.delay.copied()? };
    keys.rate.fill(Some(normal));
    keys.fast_rate.fill(Some(fast));
    hosts.omitted = all.is_empty();
    if all.is_empty() {
        return Ok(None);
    }
    let at = edges.at.clone();
    edges.fill(Some(all.iter().map(|edge| EdgeKeys::of(edge, draft, &at)).collect()));
    Ok(Some(Edges { all, hosts: model }))
}

impl EdgeKeys {
    fn of(edge: &Edge, draft: &Draft, at: &At) -> Self {
        Self {
            table: at.clone(),
            router: Field::of(at, draft.nodes[edge.router as usize].clone()),
            class: Field::of(at, edge.class.clone()),
            sources: Field::of(at, edge.sources),
            receivers: Field::of(at, edge.receivers),
        }
    }

    fn edge(&self, draft: &Draft, known: &[Edge], faults: &mut Vec<Fault>) -> Result<Edge, Reported> {
        let name = self.router.get()?;
        let names = || draft.nodes.iter().map(String::as_str);
        let Some(router) = names().position(|node| node == name) else {
            let fault = self.router.fault("unknown router").given(format!("\"{name}\""));
            return Err(fault.allowed(list(names())).nearest(name, names()).report(faults));
        };
        if known.iter().any(|edge| edge.router == router as u32) {
            let fault = self.router.fault("the same edge twice").given(format!("\"{name}\""));
            return Err(fault.allowed("each router once").report(faults));
        }
        Ok(Edge {
            router: router as u32,
            class: self.class.get()?.clone(),
            sources: weight(&self.sources, faults)?,
            receivers: weight(&self.receivers, faults)?,
        })
    }
}

fn weight(field: &Field<f64>, faults: &mut Vec<Fault>) -> Result<f64, Reported> {
    let weight = field.copied()?;
    if weight > 0.0 && weight < 1e9 {
        return Ok(weight);
    }
    let fault = field.fault("no weight").given(weight.to_string());
    Err(fault.allowed("a number above 0").report(faults))
}

/// Eight packets of 1500 bytes each millisecond (Mills et al., NIST SP 500-282, §3).
const NORMAL_HOST: Rate = Rate::from_bps(96_000_000);
