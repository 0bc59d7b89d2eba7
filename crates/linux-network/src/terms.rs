// SPDX-License-Identifier: Apache-2.0
//! Compares the terms that connections have agreed on with the terms that the scenario requests.

use crate::interface::Terms;
use narrows_linux::setting;
use narrows_model::Model;
use std::ffi::CStr;

/// The terms that a connection has, or is to have, at one end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Name of the congestion control in the kernel.
    pub algorithm: String,
    /// Whether it has each of [`OPTIONS`].
    pub options: [bool; 5],
}

/// The options that the SYN of a connection requests and the answer grants: ECN and Accurate ECN first.
const OPTIONS: [&str; 5] = ["ecn", "accurate_ecn", "timestamps", "sack", "window_scaling"];

/// The value of `tcp_ecn` with which connections ask for Accurate ECN.
const ACCURATE: &str = "3";

impl Agreement {
    /// Returns the terms that the hosts of `model` are to have for a connection with `algorithm`, with `ecn` or
    /// without.
    pub fn asked(model: &Model, algorithm: &str, ecn: bool) -> Self {
        let is_on = |option: &str| setting(model, &format!("net.ipv4.tcp_{option}")) != Some("0");
        let mut options = OPTIONS.map(is_on);
        options[0] = ecn;
        options[1] = ecn && setting(model, "net.ipv4.tcp_ecn") == Some(ACCURATE);
        Self { algorithm: algorithm.to_owned(), options }
    }

    /// Returns what one end of a connection has got; `None` if it has no socket.
    pub fn got(terms: &Terms) -> Option<Self> {
        if terms.algorithm.is_null() {
            return None;
        }
        // SAFETY: the kernel passes the name of a congestion control that it has, a C string.
        let algorithm = unsafe { CStr::from_ptr(terms.algorithm) }.to_string_lossy().into_owned();
        let accurate = u8::from(terms.ecn == 2);
        let options =
            [terms.ecn, accurate, terms.timestamps, terms.sack, terms.scaling].map(|each| each != 0);
        Some(Self { algorithm, options })
    }

    /// Whether it has ECN.
    pub fn has_ecn(&self) -> bool {
        self.options[0]
    }

    /// Returns the requested terms after ECN is given up. An algorithm that needs ECN is then replaced by another one,
    /// the algorithm of `got`.
    pub fn without_ecn(self, got: &Self) -> Self {
        let [_, _, rest @ ..] = self.options;
        let [timestamps, sack, scaling] = rest;
        Self { algorithm: got.algorithm.clone(), options: [false, false, timestamps, sack, scaling] }
    }

    /// Returns the first difference of `got` from the requested terms, in words; `None` if there is none.
    pub fn difference(&self, got: &Self) -> Option<String> {
        let differs = |number: &usize| self.options[*number] != got.options[*number];
        if let Some(number) = (0..OPTIONS.len()).find(differs) {
            let (name, asked, got) = (OPTIONS[number], self.options[number], got.options[number]);
            return Some(format!("{name} = {asked} was asked for, and the kernel has {got}"));
        }
        let (asked, got) = (&self.algorithm, &got.algorithm);
        (asked != got).then(|| format!("algorithm {asked} was asked for, and the kernel has {got}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Agreement, OPTIONS};

    #[test]
    fn whatever_differs_is_named() {
        let asked = Agreement { algorithm: "dctcp".to_owned(), options: [true; 5] };
        assert_eq!(asked.difference(&asked), None);
        for (number, name) in OPTIONS.iter().enumerate() {
            let mut got = asked.clone();
            got.options[number] = false;
            let said = asked.difference(&got).unwrap_or_default();
            assert_eq!(said, format!("{name} = true was asked for, and the kernel has false"));
            assert!(got.difference(&asked).is_some(), "what was not asked for differs, too");
        }
        let got = Agreement { algorithm: "dctcp-reno".to_owned(), ..asked.clone() };
        let said = asked.difference(&got).unwrap_or_default();
        assert_eq!(said, "algorithm dctcp was asked for, and the kernel has dctcp-reno");
    }

    #[test]
    fn giving_up_ecn_gives_up_nothing_else() {
        let asked = Agreement { algorithm: "dctcp".to_owned(), options: [true; 5] };
        let got = Agreement { algorithm: "dctcp-reno".to_owned(), options: [false, false, true, true, true] };
        assert_eq!(asked.clone().without_ecn(&got).difference(&got), None);
        let without_more = Agreement { options: [false, false, true, false, true], ..got };
        assert!(asked.without_ecn(&without_more).difference(&without_more).is_some());
    }
}
