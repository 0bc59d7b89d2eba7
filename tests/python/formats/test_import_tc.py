# SPDX-License-Identifier: Apache-2.0
"""Product: lines of `tc` as scenarios. Every row of the tables of docs/tc.md, and lines that are wrong."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import narrows as nw
from command_line import command, environment
from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (HOUSE / "docs/tc.md").read_text(encoding="utf-8")
NOTE = "# * "
# Of each row, by the start of its first cell: the words behind `root`, and what the scenario has, or what its comments
# name (behind `# * `), or `refused` with a part of the message.
ROWS: dict[str, list[tuple[str, list[str]]]] = {
    "`delay 50ms`": [("netem delay 50ms", ['rtt = "50ms"'])],
    "`delay 50ms 10ms`": [
        (
            "netem delay 50ms 10ms",
            ['rtt = "40ms"', '{ kind = "uniform", minimum = "0s", maximum = "20ms" }, reorder = true }'],
        ),
        (
            "netem delay 10ms 20ms",
            [
                '{ share = "25%", of = "0s" }',
                'share = "75%", of = { kind = "uniform", minimum = "0s", maximum = "30ms" }',
            ],
        ),
    ],
    "… `25%`": [("netem delay 50ms 10ms 25%", ['correlation = "25%"'])],
    "… `distribution normal`": [
        (
            "netem delay 50ms 10ms distribution normal",
            ['delay = { kind = "normal", mean = "50ms", deviation = "10ms" }'],
        ),
        (
            "netem delay 50ms 10ms distribution pareto",
            ['rtt = "30ms"', 'kind = "pareto", minimum = "13.333333ms", shape = 3, maximum = "60ms"'],
        ),
        ("netem delay 50ms 10ms distribution paretonormal", ["refused", "uniform, normal or pareto"]),
    ],
    "`limit 1000`": [
        ("netem delay 100ms limit 1000", [f"{NOTE}netem limit 1000: it counts delayed packets", "120Mbps"]),
        ("netem delay 120ms rate 10mbit limit 1000", ['queue = { kind = "droptail", limit = "900pkt" }']),
    ],
    "`loss 1%`, `loss random 1%`": [
        ("netem loss 1%", ['loss = { kind = "bernoulli", rate = "1%" }']),
        ("netem loss random 1%", ['loss = { kind = "bernoulli", rate = "1%" }']),
    ],
    "`loss 0.3% 25%`": [("netem loss 0.3% 25%", ['{ kind = "bernoulli", rate = "0.3%", correlation = "25%" }'])],
    "`loss gemodel": [
        (
            "netem loss gemodel 1% 10% 70% 0.1%",
            ['"gilbert-elliott", good_to_bad = "1%", bad_to_good = "10%", loss_bad = "70%", loss_good = "0.1%"'],
        )
    ],
    "`loss state": [
        (
            "netem loss state 1% 30% 5% 20% 0.1%",
            ['kind = "four-state", p13 = "1%", p31 = "30%", p32 = "5%", p23 = "20%", p14 = "0.1%"'],
        )
    ],
    "`ecn`": [("netem loss 1% ecn", ['impairments = [{ kind = "ecn", mode = "set-ce", share = "1%" }]', "ecn = true"])],
    "`corrupt 1%`": [
        ("netem corrupt 1%", ['loss = { kind = "bernoulli", rate = "1%" }']),
        ("netem corrupt 1% loss 10%", ['loss = { kind = "bernoulli", rate = "10.9%" }']),
    ],
    "`duplicate 1%`": [("netem duplicate 1%", [f"{NOTE}netem duplicate 1%"])],
    "`reorder 25% 50%`": [
        (
            "netem delay 10ms reorder 25% 50%",
            ['impairments = [{ kind = "reorder", share = "75%", delay = "10ms" }]', 'rtt = "100us"', "correlation 50%"],
        )
    ],
    "`gap 5`": [("netem delay 10ms reorder 25% gap 5", [f"{NOTE}netem gap 5"])],
    "`rate 10mbit`": [("netem rate 10mbit", ['rate = "10Mbps"', 'limit = "1000pkt"'])],
    "… `packetoverhead": [
        ("netem rate 10mbit 16 48 5", ['overhead = { kind = "atm", bytes = "16B" }']),
        ("netem rate 10mbit 20", ['overhead = "20B"']),
        ("netem rate 10mbit -4", [f"{NOTE}netem rate, overhead -4"]),
    ],
    "`slot min max`": [
        ("netem slot 2ms 4ms", ['impairments = [{ kind = "aggregation", frame = "3ms" }]', f"{NOTE}netem slot 2ms 4ms"])
    ],
    "`seed 1`": [("netem loss 1% seed 1", ["\nseed = 1\n"])],
    "`tbf rate 10mbit burst 4kb`": [
        (
            "tbf rate 10mbit burst 4kb limit 30kb",
            ['rate = { kind = "token-bucket", rate = "10Mbps", burst = "4096B", peak = "1Gbps" }'],
        )
    ],
    "`peakrate 20mbit`": [("tbf rate 10mbit burst 4kb limit 30kb peakrate 20mbit", ['peak = "20Mbps"'])],
    "`mtu`, `minburst`": [("tbf rate 1mbps burst 4kb limit 30kb mtu 1540", [f"{NOTE}tbf mtu 1540", 'rate = "8Mbps"'])],
    "`limit 30kb`": [("tbf rate 10mbit burst 4kb limit 30kb", ['{ kind = "droptail", limit = "30720B" }'])],
    "`latency 50ms`": [("tbf rate 10mbit burst 4kb latency 50ms", ['limit = "50ms"'])],
    "`htb rate 10mbit`": [
        (
            "handle 1: htb default 10; tc class add dev eth0 parent 1: classid 1:10 htb rate 10mbit",
            ['{ kind = "token-bucket", rate = "10Mbps", burst = "1600B", peak = "1Gbps" }', 'limit = "1000pkt"'],
        ),
        (
            (
                "handle 1: htb default 10; tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit; "
                "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 1mbit ceil 8mbit; "
                "tc qdisc add dev eth0 parent 1:10 fq_codel"
            ),
            ['rate = "8Mbps"', '{ kind = "fq-codel" }'],
        ),
    ],
    "`htb rate`, `ceil`": [
        (
            "handle 1: htb default 10; tc class add dev eth0 parent 1: classid 1:10 htb rate 10mbit prio 1 ceil 20mbit",
            [f"{NOTE}htb prio 1", f"{NOTE}htb ceil 20Mbps"],
        ),
        (
            (
                "handle 1: htb default 10; tc class add dev eth0 parent 1: classid 1:10 htb rate 10mbit; "
                "tc class add dev eth0 parent 1: classid 1:20 htb rate 10mbit"
            ),
            ["refused", "side by side"],
        ),
    ],
    "`min 30kb`, `max 90kb`": [("RED", ['min = "30720B", max = "92160B"', "gentle = false"])],
    "`probability 0.1`": [("RED", ["max_p = 0.1"])],
    "`limit 400kb`": [("RED", ['limit = "409600B"'])],
    "`avpkt 1000 burst 55`": [("RED", ["weight = 0.03125"])],
    "`bandwidth` ": [("RED bandwidth 10mbit", [f"{NOTE}red bandwidth 10mbit"])],
    "`adaptive`": [("RED adaptive", ["adaptive = true"])],
    "`ecn` of red": [
        ("RED ecn", ["ecn = true", f"{NOTE}red ecn without harddrop"]),
        ("RED ecn harddrop", ["ecn = true"]),
    ],
    "`nodrop`": [("RED nodrop", [f"{NOTE}red nodrop"])],
    "`limit`, `target`, `interval`": [
        (
            "fq_codel limit 1000 target 4ms interval 80ms flows 64 noecn",
            ['limit = "1000pkt", target = "4ms", interval = "80ms", flows = 64, ecn = false'],
        ),
        ("codel limit 100 target 4ms ecn", ['kind = "codel", limit = "100pkt", target = "4ms", ecn = true']),
    ],
    "`quantum 1514`": [("fq_codel quantum 1514", ['quantum = "1514B"'])],
    "`memory_limit 32Mb`": [("fq_codel memory_limit 32Mb", [f"{NOTE}fq-codel memory_limit 32Mb"])],
    "`ce_threshold 1ms`": [("codel ce_threshold 1ms", [f"{NOTE}codel ce_threshold 1ms"])],
    "`drop_batch`": [("fq_codel drop_batch 32", [f"{NOTE}fq-codel drop_batch 32"])],
    "`limit`, `target`, `ecn`": [("pie limit 500 target 10ms ecn", ['"500pkt", target = "10ms", ecn = true'])],
    "`tupdate 15ms`": [("pie tupdate 15ms", ['update = "15ms"'])],
    "`alpha 2`, `beta 20`": [
        ("pie alpha 2 beta 20", ["alpha = 0.125, beta = 1.25"]),
        ("dualpi2 alpha 0.16 beta 3.2", ["alpha = 0.16, beta = 3.2"]),
    ],
    "`bytemode`, `dq_rate_estimator`": [
        ("pie bytemode dq_rate_estimator", [f"{NOTE}pie bytemode", f"{NOTE}pie dq_rate_estimator"])
    ],
    "`flows`, `quantum`, `ecn_prob 10`": [
        ("fq_pie flows 64 quantum 300 ecn_prob 10", ['flows = 64, quantum = "300B", ecn_prob = "10%"'])
    ],
    "`memory_limit` ": [("fq_pie memory_limit 1mb", [f"{NOTE}fq-pie memory_limit 1mb"])],
    "`coupling_factor 2`": [("dualpi2 coupling_factor 2", ["coupling = 2"])],
    "`step_thresh 1ms`": [
        ("dualpi2 step_thresh 1ms", ['step = "1ms"']),
        ("dualpi2 step_thresh 20pkt", [f"{NOTE}dualpi2 step_thresh 20pkt"]),
    ],
    "`min_qlen_step 1`": [("dualpi2 min_qlen_step 1", ["min_qlen_step = 1"])],
    "`classic_protection 10%`": [("dualpi2 classic_protection 10%", ['classic_share = "10%"'])],
    "`any_ect`, `l4s_ect`": [
        ("dualpi2 any_ect", ['low_latency = "ect"']),
        ("dualpi2 l4s_ect", ['low_latency = "ect1"']),
    ],
    "`typical_rtt`, `max_rtt`": [("dualpi2 max_rtt 100ms", [f"{NOTE}dualpi2 max_rtt 100ms"])],
    "`split_gso`, `drop_on_overload`": [("dualpi2 split_gso drop_on_overload", ['queue = { kind = "dualpi2" }'])],
    "`bandwidth 20mbit`": [("cake bandwidth 20mbit", ['rate = "20Mbps"', 'bandwidth = "link"'])],
    "`unlimited`": [("cake unlimited", ['queue = { kind = "cake" }'])],
    "`autorate-ingress`": [("cake autorate-ingress", [f"{NOTE}cake autorate-ingress"])],
    "`rtt 30ms`": [
        ("cake rtt 30ms", ['target = "1.5ms", interval = "30ms"']),
        ("cake regional", ['target = "1.5ms", interval = "30ms"']),
    ],
    "`flowblind`": [("cake flowblind", ['queue = { kind = "codel", ecn = true }'])],
    "`flows` ": [("cake flows", ['queue = { kind = "cake" }'])],
    "`srchost`": [("cake triple-isolate", ["hosts = { flow = 0 }", f"{NOTE}cake triple-isolate"])],
    "`nat`, `nonat`": [("cake nat", [f"{NOTE}cake nat"])],
    "`besteffort`": [
        ("cake besteffort", ['queue = { kind = "cake" }']),
        ("cake diffserv4", [f"{NOTE}cake diffserv4"]),
    ],
    "`ack-filter`": [("cake ack-filter", ["ack_filter = true"])],
    "`ingress`": [("cake ingress", [f"{NOTE}cake ingress"])],
    "`egress`, `split-gso`, `wash`": [("cake egress split-gso wash", [f"{NOTE}cake wash"])],
    "`memlimit`": [("cake memlimit 4mb", ['limit = "4194304B"'])],
    "`overhead`, `mpu`, `atm`": [
        ("cake overhead 22 mpu 70", ['overhead = { kind = "frame", bytes = "22B", least = "70B" }'])
    ],
    "`overhead 44`": [("tbf rate 10mbit burst 4kb limit 30kb overhead 44", ['overhead = "44B"'])],
    "`overhead 18 mpu 64`": [("cake overhead 18 mpu 64", ['bytes = "18B", least = "64B"'])],
    "`ethernet` of cake": [("cake ethernet", ['overhead = { kind = "frame", bytes = "38B", least = "84B" }'])],
    "`docsis` of cake": [("cake docsis", ['overhead = { kind = "frame", bytes = "18B", least = "64B" }'])],
    "`linklayer atm overhead 16`": [
        ("cake atm overhead 16", ['overhead = { kind = "atm", bytes = "16B" }']),
        ("stab linklayer atm overhead 16 pfifo", ['overhead = { kind = "atm", bytes = "16B" }']),
    ],
    "`ptm`": [("cake bandwidth 65mbit ptm", ['rate = "64Mbps"'])],
    "`pfifo limit 100`": [
        ("pfifo limit 100", ['queue = { kind = "droptail", limit = "100pkt" }']),
        ("bfifo limit 150k", ['limit = "153600B"']),
    ],
    "`sfq`, `drr`": [
        ("sfq perturb 10", ['queue = { kind = "drr", limit = "127pkt" }', f"{NOTE}drr perturb 10"]),
        (
            (
                "handle 1: drr; tc class add dev eth0 parent 1: classid 1:1 drr quantum 300; "
                "tc class add dev eth0 parent 1: classid 1:2 drr quantum 300"
            ),
            ['kind = "drr"', 'quantum = "300B"', f"{NOTE}drr: every flow is a class"],
        ),
    ],
    "`fq` on the hosts": [
        ("fq maxrate 10mbit flow_limit 100", ["pacing = true", 'pacing_cap = "10Mbps"', f"{NOTE}fq flow_limit 100"])
    ],
    "`police rate 10mbit burst 50k`": [
        (
            "pfifo; tc filter add dev eth0 parent 1: matchall action police rate 10mbit burst 50k drop",
            ['impairments = [{ kind = "policer", rate = "10Mbps", burst = "51200B" }]'],
        )
    ],
    "`prio`": [("prio bands 3", ['queue = { kind = "priority"', f"{NOTE}prio bands 3"])],
    "`mqprio`": [
        (name, ["refused", "a discipline with a counterpart"])
        for name in ("mqprio", "taprio", "etf", "ets", "hfsc", "cbs")
    ],
}
RED = "red limit 400kb min 30kb max 90kb avpkt 1000 burst 55 probability 0.1"


def _line(words: str) -> str:
    return f"tc qdisc add dev eth0 root {words.replace('RED', RED)}"


def _cells() -> list[str]:
    """Return the first cells of the tables, followed by a space, the second `ecn` with its discipline."""
    found: list[str] = []
    for cell in re.findall(r"^\| ([`…].*?) \| ", PAGE, re.MULTILINE):
        found.append(f"{cell} of red" if cell in found and cell == "`ecn`" else cell)
    return found


def test_every_row_of_the_page_has_a_case() -> None:
    cells = _cells()
    assert len(cells) > 70
    assert not [cell for cell in cells if sum(f"{cell} ".startswith(row) for row in ROWS) == 0]
    assert not [row for row in ROWS if not any(f"{cell} ".startswith(row) for cell in cells)]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_page_is_what_the_command_writes(row: str) -> None:
    for words, expected in ROWS[row]:
        if expected[0] == "refused":
            with pytest.raises(nw.InputError, match=expected[1]):
                nw.import_tc(_line(words))
            continue
        found = nw.import_tc(_line(words))
        for part in expected:
            assert part in found, (words, found)
        nw.Scenario(found).check()


def test_the_example_of_the_page_is_what_the_command_writes() -> None:
    lines = "\n".join(re.findall(r"^    (tc qdisc add .*(?:handle).*)$", PAGE, re.MULTILINE))
    shown = re.findall(r"^    (\[path\]\n(?:    .*\n)+)", PAGE, re.MULTILINE)[0].replace("\n    ", "\n")
    assert shown in nw.import_tc(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no line"),
        ("ip link set eth0 up", "is no tc"),
        ("tc qdisc del dev eth0 root", "builds no link"),
        ("tc qdisc add dev eth0 netem", "has no place"),
        ("tc qdisc add root netem", "no device"),
        ("tc qdisc add dev eth0 root netem delay 50", "a time with its unit"),
        ("tc qdisc add dev eth0 root netem delay", "the line ends after delay"),
        ("tc qdisc add dev eth0 root netem loss 101%", "up to 100%"),
        ("tc qdisc add dev eth0 root netem loss nan", "as in 1%"),
        ("tc qdisc add dev eth0 root netem dealy 50ms", "one of delay, latency"),
        ("tc qdisc add dev eth0 root 'netem", "no closing quotation in the text's line 1"),
        ("tc qdisc add dev eth0 parent 5: netem", "handles of eth0: none"),
        ("tc qdisc add dev eth0 parent x netem", "is no handle"),
        ("tc qdisc add dev a root netem\ntc qdisc add dev b root netem\ntc qdisc add dev c root netem", "3 directions"),
        ("tc qdisc add dev a root netem; tc qdisc add dev a root netem", "side by side"),
        ("tc qdisc add dev a root tbf rate 1mbit burst 1kb limit 9kb", "drops packets that are larger"),
        ("tc qdisc add dev a root tbf rate 1mbit burst 2kb limit 9kb peakrate 500kbit", "its scenario has a fault"),
        ("tc qdisc add dev a root handle 1: htb; tc class add dev a parent 1: classid 1:1 htb rate 1mbit", "default 0"),
        (
            "tc qdisc add dev a root handle 1: netem rate 1mbit; tc qdisc add dev a parent 1: cake bandwidth 1mbit",
            "one rate",
        ),
        ("tc filter add dev a parent 1: u32 match ip dst 1.2.3.4 police rate 1mbit burst 9k", "a policer takes all"),
        ("x" * 70_000, "more than 65536 characters"),
    ],
)
def test_a_line_that_is_no_link_is_refused(text: str, said: str) -> None:
    with pytest.raises(nw.InputError, match=said):
        nw.import_tc(text)


WORDS = sorted(
    {word for cases in ROWS.values() for words, _ in cases for word in _line(words).replace(";", " ;").split()}
    | {"\n", "#", "'", "\\", "50%", "-1", "9" * 30, "1e9", "\x00", "\x1b[31m", "é", "ffff:", "ingress", "0ms", "0"}
)


@given(words=some.lists(some.sampled_from(WORDS), max_size=25))
@settings(max_examples=150, deadline=None)
def test_any_words_end_in_a_scenario_or_an_error(words: list[str]) -> None:
    """Bounded by the number of words; a scenario is checked by the command itself."""
    for text in (" ".join(words), _line(" ".join(words))):
        found = _imported(text)
        assert len(found) < 20_000
        assert all(line.isprintable() for line in found.splitlines())


@given(row=some.sampled_from(sorted(ROWS)), at=some.integers(0, 30), new=some.sampled_from(WORDS), drop=some.booleans())
@settings(max_examples=150, deadline=None)
def test_a_changed_line_ends_in_a_scenario_or_an_error(row: str, at: int, new: str, *, drop: bool) -> None:
    words = _line(ROWS[row][0][0]).replace(";", " ;").split()
    at %= len(words)
    found = _imported(" ".join([*words[:at], *([] if drop else [new]), *words[at + 1 :]]))
    assert found.startswith(("tc: ", "# "))


def _imported(text: str) -> str:
    """Return the scenario or the error."""
    try:
        return nw.import_tc(text)
    except nw.InputError as error:
        return str(error)


def test_the_command_writes_the_scenario_or_prints_it(tmp_path: Path) -> None:
    def narrows(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = command(["import", *arguments])
        return subprocess.run(line, capture_output=True, text=True, check=False, env=environment(), cwd=tmp_path)

    line = "tc qdisc add dev eth0 root netem delay 50ms 10ms loss 1%"
    printed = narrows("tc", line)
    assert (printed.returncode, printed.stdout) == (0, nw.import_tc(line))
    assert narrows("tc", line, "--out", "link.toml").stdout == "link.toml\n"
    assert (tmp_path / "link.toml").read_text(encoding="utf-8") == printed.stdout
    assert narrows("tc", line, "--out", "link.toml").returncode == 2
    two = narrows("tc", "tc qdisc add dev a root netem delay 10ms", "tc qdisc add dev b root netem delay 20ms")
    assert 'rtt = "30ms"' in two.stdout
    assert "# * b: the rate of the device" in two.stdout
    for wrong, said in [
        (["tc", line, "--step", "1s"], "--step: belongs to a capture"),
        (["other", line], "only tc is followed by lines"),
        (["rates.json"], "cannot be read"),
        (["tc", "tc qdisc add dev eth0 root netem delay x", "--out", "no.toml"], "as in 50ms"),
    ]:
        done = narrows(*wrong)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "no.toml").exists()
