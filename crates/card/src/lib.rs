// SPDX-License-Identifier: Apache-2.0
//! Cards: what algorithms, queue disciplines and metrics are, with their parameters, and how their names are looked up.
//!
//! * [`Card`] describes an algorithm or a queue discipline, [`Metric`] a metric.
//! * [`Parameter`] and its [`Domain`] define the possible choices; [`Values`] holds checked choices, [`Fault`]
//!   describes an invalid choice.
//! * [`Catalogue`] lists the references with which the tests have compared each entry, and the results.
//!
//! ```
//! use narrows_card::{Value, assignments};
//!
//! let given = assignments("(beta=0.8, pace=true)").expect("of the form");
//! assert_eq!(given[0], ("beta".to_owned(), Value::parse("0.8")));
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod card;
mod comparison;
mod fault;
mod metric;
mod nearest;
mod parameter;
mod value;
mod values;
mod variable;

pub use card::Card;
pub use comparison::{Catalogue, Comparison};
pub use fault::Fault;
pub use metric::{Better, Metric, MetricUnit, Owner};
pub use nearest::nearest;
pub use parameter::{Default, Domain, INFINITE, LENGTHS, Parameter, SIZES};
pub use value::Value;
pub use values::{Values, assignments};
pub use variable::Variable;
