// SPDX-License-Identifier: Apache-2.0
//! The last computation: arguments that change once in a round are the same for most acknowledgements.

/// The last result of a computation, and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Memo<A, R>(Option<(A, R)>);

impl<A, R> Memo<A, R> {
    /// Nothing has been computed.
    pub(super) const EMPTY: Self = Self(None);
}

impl<A: Copy + PartialEq, R: Copy> Memo<A, R> {
    /// Returns what `compute` returns for `arguments`. It is a plain function, so that its result can depend on nothing else.
    #[inline]
    pub(super) fn get(&mut self, arguments: A, compute: fn(A) -> R) -> R {
        match self.0 {
            Some((last, result)) if last == arguments => result,
            _ => {
                let result = compute(arguments);
                self.0 = Some((arguments, result));
                result
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;
    use core::cell::Cell;

    #[test]
    fn a_result_is_computed_again_when_an_argument_changes_and_not_before() {
        let (mut memo, computed) = (Memo::EMPTY, Cell::new(0));
        for (left, right, times) in [(1, 2, 1), (1, 2, 1), (1, 3, 2), (1, 2, 3), (1, 2, 3)] {
            let result =
                memo.get((left, right, &computed), |(left, right, computed): (i32, i32, &Cell<i32>)| {
                    computed.set(computed.get() + 1);
                    10 * left + right
                });
            assert_eq!(result, 10 * left + right);
            assert_eq!(computed.get(), times);
        }
    }
}
