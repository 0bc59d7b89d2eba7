// SPDX-License-Identifier: Apache-2.0
//! Controllers in WebAssembly whose files were chosen in the page. They are interpreted as the command line does it, with the same
//! limits, so that a controller of a stranger can do nothing but answer here, too.

use narrows_abi::{Controller, is_wasm};
use narrows_lab::algorithm::{AlgorithmLoader, ExternalAlgorithm, LoadFault};
use narrows_lab::card::Value;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The chosen files: contents by name.
#[derive(Debug)]
pub struct Modules(BTreeMap<String, Vec<u8>>);

impl Modules {
    /// Returns the `modules` of a request: an object of contents in hexadecimal by name, which may be missing.
    ///
    /// # Errors
    ///
    /// If a content is not in hexadecimal.
    pub fn of(request: &Json) -> Result<Self, String> {
        let given = request["modules"].as_object().into_iter().flatten();
        let read = |(name, content): (&String, &Json)| {
            let bytes = content.as_str().and_then(bytes);
            bytes.map(|bytes| (name.clone(), bytes)).ok_or_else(|| format!("{name} is not in hexadecimal"))
        };
        given.map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl AlgorithmLoader for Modules {
    fn load(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        let found = file.file_name().and_then(|file| self.0.get(file.to_str()?)).filter(|_| is_wasm(file));
        let content = found.ok_or_else(|| LoadFault {
            message: "is not open in this page".to_owned(),
            allowed: "a WebAssembly module that is chosen here, by the name of its file".to_owned(),
            hint: None,
        })?;
        Controller::of_module(content, name, parameters).map(|controller| Arc::new(controller) as _)
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    });
    pairs.collect()
}
