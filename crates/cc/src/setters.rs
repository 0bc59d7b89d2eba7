// SPDX-License-Identifier: Apache-2.0
//! Methods that replace a field, for the structs that other crates build: a literal of such a struct would break with each
//! new field.

/// Implements a method for each field of a struct, of the field's name, that returns the struct with that field replaced. A
/// field that is missing does not compile.
macro_rules! setters {
    ($name:ident$(<$life:lifetime>)? { $($field:ident: $kind:ty),+ $(,)? }) => {
        const _: fn(&$name) = |$name { $($field: _),+ }| ();

        impl$(<$life>)? $name$(<$life>)? {
            $(
                #[doc = concat!("Replaces [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[inline]
                #[must_use]
                pub const fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}
