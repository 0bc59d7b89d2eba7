# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The page on ports: its controller, the order of calls that it states, and its list of tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narrows as nw

if TYPE_CHECKING:
    from command_line import Narrows

HOUSE = Path(__file__).parents[3]
EXAMPLES = HOUSE / "crates/external/tests/examples"


def test_the_python_form_does_what_the_table_of_events_says() -> None:
    """The Rust form is compared with the same table by `crates/external/tests/port_example.rs`."""
    names: dict[str, Any] = {}
    exec((EXAMPLES / "aimd.py").read_text(encoding="utf-8"), names)  # noqa: S102  # our own file
    controller = names["Aimd"](nw.Setup(initial_window=10.0, initial_ssthresh=20.0))
    recovering = False
    for line in (EXAMPLES / "aimd.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        event, packets, window, ssthresh = line.split("\t")
        count = 0 if packets == "-" else int(packets)
        match event:
            case "ack" | "duplicate" | "limited":
                may_grow = event == "ack" and not recovering
                controller.on_ack(nw.Ack(newly_acked=count, may_grow=may_grow))
            case "loss" | "further":
                controller.on_loss(nw.Loss(new_episode=event == "loss", lost=count))
            case "timeout":
                controller.on_loss(nw.Loss(cause="timeout", new_episode=True, lost=count))
            case "recovered":
                pass
            case "spurious":
                controller.on_spurious_loss(nw.Moment())
            case "idle":
                controller.on_idle_restart(nw.Moment())
            case _:
                assert event == "start"
        recovering = event in {"loss", "further"} or (recovering and event not in {"recovered", "spurious", "timeout"})
        assert (controller.window, controller.ssthresh) == (float(window), float(ssthresh)), line


def test_the_controller_of_the_page_fills_a_link(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "aimd.py").write_text((EXAMPLES / "aimd.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "s.toml").write_text(SCENARIO, encoding="utf-8")
    done = narrows("run", "s.toml", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    assert nw.open(tmp_path / "out").summary["groups"]["one"]["goodput_fraction"]["mean"] > 0.9


def test_calls_come_in_the_order_of_the_page(narrows: Narrows, tmp_path: Path) -> None:
    """Of all calls at a time, with losses, timeouts, spurious episodes, pauses and timers."""
    (tmp_path / "aimd.py").write_text(CALLS, encoding="utf-8")
    (tmp_path / "s.toml").write_text(HARD, encoding="utf-8")
    done = narrows("run", "s.toml", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    at: dict[str, list[str]] = {}
    for line in re.findall(r"^CALL (.*)$", done.stderr, re.MULTILINE):
        time_s, name = line.split()
        at.setdefault(time_s, []).append(name)
    seen = {name for names in at.values() for name in names}
    assert seen == {"timer", "spurious", "recovered", "loss", "ack", "idle", "sent"}
    for time_s, names in at.items():
        assert ORDER.fullmatch(" ".join(names) + " "), (time_s, names)


def test_the_page_is_current_and_lists_every_contract_test() -> None:
    program = "import sys; sys.path.insert(0, 'docs'); import port_page; print(port_page.page(), end='')"
    done = subprocess.run([sys.executable, "-c", program], cwd=HOUSE, capture_output=True, text=True, check=True)
    page = (HOUSE / "docs/port.md").read_text(encoding="utf-8")
    assert done.stdout == page
    for file in ("promises.rs", "stages.rs"):
        source = (HOUSE / "crates/cc/tests/contract" / file).read_text(encoding="utf-8")
        for name in re.findall(r"#\[test\]\n\s*fn (\w+)", source):
            assert f"| {name.replace('_', ' ')} | `{file}` |" in page


SCENARIO = """\
duration = "10s"
warmup = "2s"

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
name = "one"
algorithm = "./aimd.py:Aimd"
"""
# Losses, delays that jump for spurious episodes, and pauses.
HARD = """\
duration = "20s"
warmup = "2s"

[transport]
undo = "dsack+timestamps"

[path]
rate = "10Mbps"
rtt = "40ms"
queue = { kind = "droptail", limit = "20pkt" }
loss = { kind = "bernoulli", rate = 0.02 }
impairments = [{ kind = "delay-steps", delays = ["0s", "600ms"], times = ["0s", "3s"], period = "5s" }]

[[flows]]
name = "one"
algorithm = "./aimd.py:Logged"
source = { kind = "writes", size = "200kB", interval = "2s" }
"""
CALLS = (
    (EXAMPLES / "aimd.py").read_text(encoding="utf-8")
    + """

class Logged:
    def __init__(self, setup):
        self.inner = Aimd(setup)
        self.timer_s = None
        self.window, self.ssthresh = self.inner.window, self.inner.ssthresh

    def call(self, name, event):
        print("CALL", repr(event.now_s), name)
        method = {
            "ack": self.inner.on_ack, "loss": self.inner.on_loss, "recovered": lambda _: None,
            "spurious": self.inner.on_spurious_loss, "idle": self.inner.on_idle_restart,
        }.get(name)
        if method:
            method(event)
        self.window, self.ssthresh = self.inner.window, self.inner.ssthresh
        if self.timer_s is None or name == "timer":
            self.timer_s = event.now_s + 0.1

    def on_ack(self, ack):
        self.call("ack", ack)

    def on_loss(self, loss):
        self.call("loss", loss)

    def on_recovered(self, moment):
        self.call("recovered", moment)

    def on_spurious_loss(self, moment):
        self.call("spurious", moment)

    def on_idle_restart(self, moment):
        self.call("idle", moment)

    def on_timer(self, moment):
        self.call("timer", moment)

    def on_sent(self, sent):
        self.call("sent", sent)
"""
)
# One event at a time: of a timer, then of an acknowledgement, then what is sent.
ORDER = re.compile(
    r"((timer )?(recovered )?(loss )*(idle |sent )*)?((spurious )?(recovered )?(loss )*(ack )?(idle |sent )*)*"
)
