// SPDX-License-Identifier: Apache-2.0
//! The name a person may have meant.

/// Returns the name in `known` that `given` was probably meant to be, ignoring case; `None` if none is near.
///
/// It is the one with the least Damerau-Levenshtein distance, if that is at most a third of the longer name's length,
/// or 1 if that is more. Otherwise it is the shortest name of which `given` is a prefix that ends at a word boundary,
/// as `goodput` is of `goodput_bps`. The name that another program has for something means its counterpart. Without the standard
/// library, only names count that are the same but for case.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > LONGEST {
        return None;
    }
    let lower = given.to_lowercase();
    let counterpart = ELSEWHERE.iter().find(|(name, _)| *name == lower).map(|(_, counterpart)| *counterpart);
    let mut best: Option<(usize, &str)> = None;
    let mut begun: Option<&str> = None;
    for name in known {
        if counterpart == Some(name) {
            return counterpart;
        }
        let other = name.to_lowercase();
        let distance = distance(&lower, &other);
        let allowed = 1.max(lower.chars().count().max(other.chars().count()) / 3);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
        let rest = other.strip_prefix(&lower).filter(|_| !lower.is_empty());
        if rest.is_some_and(|rest| rest.starts_with(['_', '-', '.', ' ']))
            && begun.is_none_or(|shortest| name.len() < shortest.len())
        {
            begun = Some(name);
        }
    }
    best.map(|(_, name)| name).or(begun)
}

#[cfg(feature = "std")]
fn distance(one: &str, other: &str) -> usize {
    strsim::damerau_levenshtein(one, other)
}

#[cfg(not(feature = "std"))]
fn distance(one: &str, other: &str) -> usize {
    if one == other { 0 } else { usize::MAX }
}

/// Names in other programs, and their counterparts.
const ELSEWHERE: &[(&str, &str)] = &[
    ("bandwidth", "rate"),
    ("bfifo", "droptail"),
    ("fifo", "droptail"),
    ("pfifo", "droptail"),
    ("pfifo_fast", "droptail"),
    ("sfq", "drr"),
    ("webrtc", "gcc"),
];

/// Bytes of a name that may be meant for another; the distance takes the product of two lengths.
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_few_edits_are_forgiven_and_many_are_not() {
        assert_eq!(nearest("cubik", ["reno", "cubic", "cubic-linux"]), Some("cubic"));
        assert_eq!(nearest("CUBIC", ["reno", "cubic"]), Some("cubic"));
        assert_eq!(nearest("rtp", ["rtt", "rate"]), Some("rtt"));
        assert_eq!(nearest("vegas", ["reno", "cubic"]), None);
        assert_eq!(nearest("", ["reno"]), None);
    }

    #[test]
    fn a_name_in_another_program_finds_its_counterpart() {
        assert_eq!(nearest("pfifo", ["red", "droptail"]), Some("droptail"));
        assert_eq!(nearest("bandwidth", ["rtt", "rate"]), Some("rate"));
        assert_eq!(nearest("pfifo", ["red"]), None);
    }

    #[test]
    fn a_whole_word_finds_the_shortest_name_that_it_begins() {
        assert_eq!(nearest("goodput", ["goodput_fraction", "goodput_bps", "loss_rate"]), Some("goodput_bps"));
        assert_eq!(nearest("good", ["goodput_bps"]), None);
    }
}
