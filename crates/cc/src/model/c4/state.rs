// SPDX-License-Identifier: Apache-2.0
//! The states and the transitions between them (the state diagram of the draft).

use crate::model::state_machine::States;

/// A state of C4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Looks for the rate and the delay of the path, by a window that doubles.
    Initial,
    /// Sends a little less than the path carries, until the result of a probe is known.
    Recovery,
    /// Sends at the nominal rate.
    Cruising,
    /// Sends a little more for a round trip.
    Probing,
    /// Sends a quarter more for as long as that raises the rate.
    Pushing,
}

impl State {
    /// Returns the name by which records give the state.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Recovery => "recovery",
            Self::Cruising => "cruising",
            Self::Probing => "probing",
            Self::Pushing => "pushing",
        }
    }
}

impl States for State {
    fn predecessors(self) -> &'static [Self] {
        match self {
            // High jitter, or a rapid increase.
            Self::Initial => &[Self::Recovery, Self::Cruising, Self::Probing, Self::Pushing],
            Self::Recovery => &[Self::Initial, Self::Cruising, Self::Probing, Self::Pushing],
            Self::Cruising | Self::Pushing => &[Self::Recovery],
            Self::Probing => &[Self::Cruising],
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::State;
    use crate::model::state_machine::tests::assert_legal;

    #[test]
    fn the_legal_transitions_are_those_of_the_draft() {
        use State::{Cruising, Initial, Probing, Pushing, Recovery};
        assert_legal(
            &[Initial, Recovery, Cruising, Probing, Pushing],
            &[
                (Initial, &[Recovery]),
                (Recovery, &[Initial, Cruising, Pushing]),
                (Cruising, &[Recovery, Probing, Initial]),
                (Probing, &[Recovery, Initial]),
                (Pushing, &[Recovery, Initial]),
            ],
        );
    }
}
