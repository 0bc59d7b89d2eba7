"""A new algorithm in Rust: a crate that depends on `narrows-cc` alone, and its entry in `crates/external`."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError
from narrows.external.scaffold import check_name, class_name, write_new

if TYPE_CHECKING:
    from pathlib import Path


def new_rust(name: str, start: Path) -> list[Path]:
    """Write a crate `algorithms/NAME` into the source tree and add it to the list of `crates/external`.

    Args:
        name: Name of the crate, with `_` between words; in scenarios it is written with `-`.
        start: A folder of the source tree.

    Returns:
        The files written or changed.

    Raises:
        InputError: The name is not allowed or taken, or there is no source tree.
    """
    check_name(name)
    written = name.replace("_", "-")
    if written in {card["name"] for card in core.algorithms()} or written.startswith("narrows"):
        raise InputError(name, "is the name of another algorithm")
    root = next((each for each in [start, *start.resolve().parents] if (each / LIST).is_file()), None)
    if root is None:
        raise InputError(str(start), "is not in the source tree of Narrows, where algorithms in Rust are compiled in")
    changed = {
        root / MANIFEST: (DEPENDENCY, f'{written} = {{ path = "../../algorithms/{written}" }}\n'),
        root / LIST: (ENTRY, f"    &{name}::ENTRY,\n"),
    }
    texts = {file: _with_line(file, mark, line) for file, (mark, line) in changed.items()}
    words = {"name": name, "written": written, "class": class_name(name)}
    crate = root / "algorithms" / written
    files = write_new(
        {
            crate / "Cargo.toml": CARGO % words,
            crate / "src/lib.rs": RUST % words,
            crate / "tests/rule.rs": RUST_TEST % words,
        }
    )
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
    _lock(root)
    return [*files, *texts]


def _with_line(file: Path, mark: str, line: str) -> str:
    text = file.read_text(encoding="utf-8")
    if text.count(mark) != 1:
        raise InputError(str(file), f"has no line that ends with: {mark}")
    return text.replace(mark, f"{mark}\n{line.rstrip()}")


def _lock(root: Path) -> None:
    # The builds here take the lock as it is; a new member changes nothing but its own entry.
    command = ["cargo", "update", "--workspace", "--offline", "--quiet"]
    try:
        subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        problem = f"is not up to date; run `{' '.join(command)}` there ({error})"
        raise InputError(str(root / "Cargo.lock"), problem) from error


LIST = "crates/external/src/lib.rs"
MANIFEST = "crates/external/Cargo.toml"
DEPENDENCY = "# `narrows new algorithm NAME --rust` adds a line below this one."
ENTRY = "// `narrows new algorithm NAME --rust` adds a line below this one."

CARGO = """\
[package]
name = "%(written)s"
description = "A congestion control of your own"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
publish.workspace = true

[lints]
workspace = true

[dependencies]
narrows-cc.workspace = true
"""

RUST = """\
//! Additive increase, multiplicative decrease.
//!
//! Source: where it is from.

use narrows_cc::card::{Card, Domain, Parameter, Values};
use narrows_cc::window::{Window, WindowRule, Windowed};
use narrows_cc::{Cause, CongestionControl, Entry, Needs, Path, Setup};

/// The window grows by `a` packets a round trip and keeps the share `b` of itself at a loss.
#[derive(Clone, Debug)]
pub struct %(class)s {
    a: f64,
    b: f64,
}

impl WindowRule for %(class)s {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.a * acked / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.b * window.size
    }
}

/// Its card, what it needs of its host, and its constructor.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "%(written)s",
        family: "yours",
        summary: "additive increase, multiplicative decrease",
        source: "where it is from",
        equations: &["congestion avoidance: w += a * acked / w", "loss: w = b * w"],
        parameters: &[
            Parameter {
                name: "a",
                meaning: "packets that the window grows by in a round trip",
                unit: "packets",
                source: "your choice",
                domain: Domain::Number { default: 1.0, minimum: 0.01, maximum: 100.0 },
            },
            Parameter {
                name: "b",
                meaning: "share of the window that a loss leaves",
                unit: "",
                source: "your choice",
                domain: Domain::Number { default: 0.5, minimum: 0.01, maximum: 0.99 },
            },
        ],
        variables: &[],
        deviations: &[],
    },
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = %(class)s { a: values.number("a"), b: values.number("b") };
    Box::new(Windowed::new(rule, setup))
}
"""

RUST_TEST = """\
//! Rule: the window grows by `a` packets for each window acknowledged, and a loss leaves the share `b` of it.

use %(name)s::ENTRY;

use narrows_cc::units::{Bytes, Time};
use narrows_cc::{
    Ack, AckCounting, Algorithm, Cause, CongestionControl, FirstCut, Loss, Path, Setup, SlowStartKind,
};

const SETUP: Setup = Setup {
    mss: Bytes::new(1460),
    packet: Bytes::new(1500),
    initial_window: 10.0,
    initial_ssthresh: 10.0,
    first_cut: FirstCut::Rule,
    slow_start: SlowStartKind::Standard,
    ack_counting: AckCounting::Segments,
    quick_start: None,
    paced: false,
    seed: 1,
};

const PATH: Path =
    Path { now: Time::ZERO, mss: SETUP.mss, in_flight: 0, rtt: None, round: 0, window_limited: true };

fn window_after(events: impl FnOnce(&mut dyn CongestionControl)) -> f64 {
    let entry = Algorithm::among([&ENTRY], ENTRY.card.name, Vec::new());
    let mut algorithm = entry.expect("its own name").build(&SETUP);
    events(algorithm.as_mut());
    algorithm.window().expect("it has a window")
}

#[test]
fn a_window_acknowledged_adds_one_packet() {
    let ack = Ack {
        newly_acked: 10,
        advanced: true,
        ce_packets: 0,
        rtt: None,
        rate: None,
        feedback: None,
        packets: &[],
    };
    assert!((window_after(|algorithm| algorithm.on_ack(&ack, &PATH)) - 11.0).abs() < 1e-12);
}

#[test]
fn a_loss_halves_the_window() {
    let loss = Loss { cause: Cause::Detected, new_episode: true, lost: 1, packets: &[] };
    assert!((window_after(|algorithm| algorithm.on_loss(&loss, &PATH)) - 5.0).abs() < 1e-12);
}
"""
