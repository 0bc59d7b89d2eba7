// SPDX-License-Identifier: Apache-2.0
//! `[network.graph]`: links from a GraphML file.

use super::super::impairment::Impairments;
use super::super::link::{LinkContext, OneWay, OneWayKeys};
use super::super::loss::Loss;
use super::super::overhead::Overhead;
use super::super::rate::WrittenRate;
use super::draft::Draft;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::file;
use crate::input::InputFile;
use crate::queue::Queue;
use crate::section::keys;
use crate::value::{File, Positive, words};
use narrows_model::hexadecimal;
use narrows_qdisc::Scale;
use narrows_topology::graphml::{self, Assumptions, Edge};
use narrows_units::{Rate, Span};
use sha2::{Digest, Sha256};

keys! {
    /// The keys of `[network.graph]`.
    pub struct GraphKeys {
        /// Path of a GraphML file, relative to the scenario file.
        file: File,
        /// Rate of edges without a rate.
        rate: Positive<Rate> => "every edge must say its own",
        /// One-way propagation delay of edges whose delay cannot be determined.
        delay: Positive<Span> => "every edge or its nodes' coordinates must say it",
        /// Unit of the rates of edges, if the file names none: the rate that the number 1 stands for.
        rate_unit: Positive<Rate> => "the file must name the unit; bw is in Mbps",
        /// Unit of the delays of edges, if the file names none: the delay that the number 1 stands for.
        delay_unit: Positive<Span> => "the file must name the unit",
        /// How a rate, delay or position that cannot be interpreted is handled. refuse: the file is an error. default:
        /// it counts as absent.
        unclear: Unclear = Unclear::Refuse,
        /// Whether a directed edge is a link in one direction only.
        directed: bool = true,
        /// Delay of a unit of length in the drawing, if nodes have no longitude and latitude.
        drawing_unit: Positive<Span> => "drawings say nothing of delays",
        /// Factor that multiplies delays computed from coordinates.
        delay_factor: f64 = 1.0,
        /// Framing overhead: added to the transmission time of every packet only.
        overhead: Overhead => "none",
        /// Queue discipline.
        queue: Queue => "droptail, 1bdp",
        /// Loss model, applied after the queue.
        loss: Loss => "none",
        /// Impairments, applied in this order after queue and loss model.
        impairments: Impairments => "none",
    }
}

/// How a value that cannot be interpreted is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// The file is refused.
    Refuse,
    /// It counts as absent.
    Default,
}

words!(Unclear { Refuse = "refuse", Default = "default" });

impl GraphKeys {
    /// Returns the routers and links of the GraphML file.
    ///
    /// # Errors
    ///
    /// If the file or a key has errors, which are added to `faults`.
    pub fn draft(&mut self, context: LinkContext<'_>, faults: &mut Vec<Fault>) -> Result<Draft, Reported> {
        let assumptions = Assumptions {
            factor: check_factor(&self.delay_factor, faults)?,
            rate: self.rate.copied()?,
            delay: self.delay.copied()?,
            rate_unit: self.rate_unit.copied()?,
            delay_unit: self.delay_unit.copied()?,
            unclear: self.unclear.copied()? == Unclear::Default,
            directed: self.directed.copied()?,
            drawing_unit: self.drawing_unit.copied()?,
        };
        let location = self.file.at.location.clone();
        let reference = self.file.get_mut()?;
        let read = context.load.path(&reference.name, &location).and_then(|path| {
            let bytes = file::bytes(&path).map_err(|error| format!("cannot be read: {error}"))?;
            let imported = graphml::import(&bytes, &assumptions)?;
            Ok((path, hexadecimal(&Sha256::digest(&bytes)), imported))
        });
        let (path, digest, imported) = match read {
            Ok(read) => read,
            Err(problem) => {
                let given = format!("\"{}\"", reference.name);
                // Text of the file becomes part of a message for a terminal.
                let problem = printable(&problem);
                let allowed = "a GraphML file whose edges join its nodes, and say their rates and delays";
                return Err(self.file.fault(problem).given(given).allowed(allowed).report(faults));
            }
        };
        let stem = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let note = format!("{stem} (SHA-256 {digest}), {} edges", imported.edges.len());
        reference.found = Some(InputFile::new(&reference.name, &location, path, digest));
        let mut draft = Draft {
            nodes: imported.nodes.iter().map(|name| printable(name)).collect(),
            note: Some(printable(&note)),
            assumed: imported.assumed.iter().map(|sentence| printable(sentence)).collect(),
            ..Draft::default()
        };
        let mut short = Vec::new();
        for Edge { from, to, one_way, rate, delay } in imported.edges {
            let rate = Field::of(&self.table, WrittenRate::Plain(rate));
            let keys = OneWayKeys {
                rate,
                overhead: self.overhead.clone(),
                queue: self.queue.clone(),
                loss: self.loss.clone(),
                impairments: self.impairments.clone(),
            };
            let direction = OneWay::new(keys, Scale::bdp, context, faults)?;
            let names = [draft.free_name((from, to)), draft.free_name((to, from))];
            if delay < LEAST_DELAY {
                short.push(names[0].clone());
            }
            let delay = delay.max(LEAST_DELAY);
            if one_way {
                let [name, _] = names;
                draft.push(name, (from, to), delay, &direction);
            } else {
                draft.pair(names, (from, to), delay, &[direction.clone(), direction]);
            }
        }
        if !short.is_empty() {
            draft
                .assumed
                .push(format!("delay {LEAST_DELAY} in place of a shorter one: {}", short.join(", ")));
        }
        Ok(draft)
    }

    /// Returns the file.
    pub fn recording(&self) -> Option<&InputFile> {
        self.file.get().ok()?.found.as_ref()
    }
}

/// `text` without control characters.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Checks that the factor of delays is finite and positive.
///
/// # Errors
///
/// If it is not; the error is added to `faults`.
pub fn check_factor(field: &Field<f64>, faults: &mut Vec<Fault>) -> Result<f64, Reported> {
    let factor = field.copied()?;
    if factor > 0.0 && factor <= LARGEST_FACTOR {
        return Ok(factor);
    }
    let fault = field.fault("out of range").given(factor.to_string());
    Err(fault.allowed(format!("a number in (0, {LARGEST_FACTOR}]")).report(faults))
}

/// Routers in the same place: two kilometres of fibre.
const LEAST_DELAY: Span = Span::from_ps(10_000_000);

/// No fibre takes such a detour.
const LARGEST_FACTOR: f64 = 1000.0;
