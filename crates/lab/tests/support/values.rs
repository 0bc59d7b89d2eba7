// SPDX-License-Identifier: Apache-2.0
//! Other values of keys, as files write them.

use narrows_lab::scenario::PresetValue;

/// Values that the key of `value` may hold besides the one that it has there; some may not suit.
pub fn others(value: &PresetValue) -> Vec<String> {
    let own = value.value.as_str();
    let words = value.allowed.split('"').skip(1).step_by(2).map(str::to_owned);
    let digits = own.find(|c: char| !c.is_ascii_digit()).unwrap_or(own.len());
    let (number, unit) = own.split_at(digits);
    let numbers = number.parse().map_or_else(
        |_| ["8pkt", "1Mbps"].map(str::to_owned).to_vec(),
        |number: u64| {
            // Zero stands for an exact clock or an honest receiver.
            [number / 2, number * 4, number + 1, 7]
                .map(|other| format!("{other}{}", unit.replace("0s", "s")))
                .to_vec()
        },
    );
    let all = ["true", "false"].map(str::to_owned).into_iter().chain(words).chain(numbers);
    all.filter(|other| other != own).collect()
}
