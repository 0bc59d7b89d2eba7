// SPDX-License-Identifier: Apache-2.0
//! Thinning of acknowledgements on links that only data crosses.

use super::super::impairment::{refuse_thinning, thinning};
use super::{NetworkKeys, ResolvedNetwork};
use crate::diagnostic::Fault;
use crate::field::Reported;
use narrows_topology::Group;
use narrows_topology::graph::Crossed;

impl NetworkKeys {
    /// Checks that no link thins acknowledgements of flows of which it has the data alone.
    ///
    /// The impairments of a link apply to both directions unless `reverse` has its own, and the impairments of a
    /// generator to all links. So thinning is in place where data passes it, too, as long as it reaches the
    /// acknowledgements of the same flows on any link; and on a link that no flow uses, whose keys have no effect at
    /// all.
    ///
    /// # Errors
    ///
    /// If a link does, which is added to `faults`.
    pub fn check_thinning<'a>(
        &self,
        network: &ResolvedNetwork,
        groups: impl Iterator<Item = &'a Group>,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let Some(links) = self.links.get()? else { return Ok(()) };
        let thinned: Vec<_> = links
            .iter()
            .enumerate()
            .filter_map(|(link, keys)| Some((link, thinning(&keys.impairments)?)))
            .collect();
        if thinned.is_empty() {
            return Ok(());
        }
        let crossed: Vec<Crossed> = groups.map(|group| network.graph.crossed(group)).collect();
        let reaches = |group: &&Crossed| thinned.iter().any(|(link, _)| group.acknowledgements[*link]);
        let useless = |link: usize| {
            let mut of_data = crossed.iter().filter(|group| group.data[link]).peekable();
            of_data.peek().is_some()
                && !crossed.iter().any(|group| group.acknowledgements[link])
                && !of_data.any(|group| reaches(&group))
        };
        let mut places: Vec<_> =
            thinned.iter().filter(|(link, _)| useless(*link)).map(|(_, at)| *at).collect();
        // A key that several links have is one fault.
        places.dedup_by(|one, other| one.path == other.path);
        let reported = places
            .into_iter()
            .map(|at| refuse_thinning(at, "on the other direction, or on a link of their route", faults));
        reported.last().map_or(Ok(()), Err)
    }
}
