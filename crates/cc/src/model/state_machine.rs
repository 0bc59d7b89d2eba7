// SPDX-License-Identifier: Apache-2.0
//! State machines that assert their transitions in debug builds.

use core::fmt::Debug;

/// The states of one machine.
pub(super) trait States: Copy + Debug + PartialEq + 'static {
    /// The states from which the machine may enter this one.
    fn predecessors(self) -> &'static [Self];
}

/// The current state, which only [`transition_to`](Self::transition_to) changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateMachine<S>(S);

impl<S: States> StateMachine<S> {
    /// Creates a machine in its `initial` state.
    pub(super) fn new(initial: S) -> Self {
        Self(initial)
    }

    /// Returns the current state.
    pub(super) fn get(&self) -> S {
        self.0
    }

    /// Whether the current state is `state`.
    pub(super) fn is(&self, state: S) -> bool {
        self.0 == state
    }

    /// Enters `next`.
    ///
    /// # Panics
    ///
    /// In debug builds, if the current state is not among the predecessors of `next`.
    #[track_caller]
    pub(super) fn transition_to(&mut self, next: S) {
        debug_assert!(
            next.predecessors().contains(&self.0),
            "illegal transition from {:?} to {next:?}",
            self.0
        );
        self.0 = next;
    }
}

#[cfg(all(test, debug_assertions))]
pub(super) mod tests {
    use super::{StateMachine, States};
    use std::panic::catch_unwind;

    /// Asserts that of all transitions between `states` exactly the `legal` ones do not panic.
    pub(in crate::model) fn assert_legal<S: States + std::panic::RefUnwindSafe>(
        states: &[S],
        legal: &[(S, &[S])],
    ) {
        for &from in states {
            for &to in states {
                let entered = catch_unwind(|| {
                    let mut machine = StateMachine::new(from);
                    machine.transition_to(to);
                    machine.get()
                });
                let expected = legal.iter().any(|(state, next)| *state == from && next.contains(&to));
                assert_eq!(entered.is_ok_and(|state| state == to), expected, "{from:?} to {to:?}");
            }
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Light {
        Green,
        Yellow,
        Red,
    }

    impl States for Light {
        fn predecessors(self) -> &'static [Self] {
            match self {
                Self::Green => &[Self::Red],
                Self::Yellow => &[Self::Green],
                Self::Red => &[Self::Yellow, Self::Red],
            }
        }
    }

    #[test]
    fn a_machine_enters_a_state_from_its_predecessors_only() {
        use Light::{Green, Red, Yellow};
        let legal: [(_, &[_]); 3] = [(Green, &[Yellow]), (Yellow, &[Red]), (Red, &[Green, Red])];
        assert_legal(&[Green, Yellow, Red], &legal);
    }

    #[test]
    #[should_panic(expected = "illegal transition from Green to Red")]
    fn an_illegal_transition_panics_with_both_states() {
        StateMachine::new(Light::Green).transition_to(Light::Red);
    }
}
