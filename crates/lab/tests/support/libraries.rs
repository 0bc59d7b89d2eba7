// SPDX-License-Identifier: Apache-2.0
//! Controllers behind the C interface, in tests and benches.

use narrows_abi::Controller;
use narrows_lab::algorithm::{AlgorithmLoader, ExternalAlgorithm, LoadFault};
use narrows_lab::card::Value;
use std::path::Path;
use std::sync::Arc;

/// Loads controllers behind the C interface.
#[derive(Debug)]
pub struct Libraries;

impl AlgorithmLoader for Libraries {
    fn load(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        Controller::load(file, name, parameters).map(|controller| Arc::new(controller) as _)
    }
}
