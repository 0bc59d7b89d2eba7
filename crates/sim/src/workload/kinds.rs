// SPDX-License-Identifier: Apache-2.0
//! The list of the kinds of demand. A kind is a file of its own, named here alone.

mod clients;
mod exchanges;
mod fixed;
mod open;
mod users;

use super::kind::Kind;
use super::planner::Planner;
use narrows_model::Demand;

/// Returns what starts the connections that `planner` draws.
pub(super) fn kind<'m>(planner: Planner<'m>) -> Box<dyn Kind + 'm> {
    match &planner.workload.demand {
        Demand::Fixed { start, stop, source } => Box::new(fixed::Fixed::new(planner, *start, *stop, source)),
        Demand::Open(arrivals) => Box::new(open::Open::new(planner, arrivals)),
        Demand::Users(habits) => Box::new(users::Users::new(planner, habits)),
        Demand::Exchanges { connections, side, from } => {
            Box::new(exchanges::Exchanges::new(planner, connections, *side, *from))
        }
        Demand::Clients { application, side: 0, .. } => Box::new(clients::Servers::new(planner, application)),
        Demand::Clients { application, start, stop, .. } => {
            Box::new(clients::Clients::new(planner, application, *start, *stop))
        }
    }
}
