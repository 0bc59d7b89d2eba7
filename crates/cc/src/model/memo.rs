// SPDX-License-Identifier: Apache-2.0
//! What was computed last: arguments that change once in a round are the same for most acknowledgements.

/// The last result of a computation, and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Memo<A, R>(Option<(A, R)>);

impl<A, R> Memo<A, R> {
    /// Nothing has been computed.
    pub(super) const EMPTY: Self = Self(None);
}

impl<A: Copy + PartialEq, R: Copy> Memo<A, R> {
    /// Returns what `compute` returns for `arguments`, which must depend on nothing else.
    pub(super) fn get(&mut self, arguments: A, compute: impl FnOnce(A) -> R) -> R {
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

    #[test]
    fn a_result_is_computed_again_when_an_argument_changes_and_not_before() {
        let mut memo = Memo::EMPTY;
        let mut computed = Vec::new();
        for arguments in [(1, 2), (1, 2), (1, 3), (1, 2), (1, 2)] {
            let result = memo.get(arguments, |(left, right)| {
                computed.push(right);
                10 * left + right
            });
            assert_eq!(result, 10 * arguments.0 + arguments.1);
        }
        assert_eq!(computed, [2, 3, 2]);
    }
}
