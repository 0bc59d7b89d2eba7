# SPDX-License-Identifier: Apache-2.0
"""The words of netem.

Source: iproute2 6.19, tc/q_netem.c; Linux 6.18, net/sched/sch_netem.c.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from narrows._internal.formats.tc import words
from narrows._internal.formats.tc.draft import Draft
from narrows._internal.formats.tc.words import Words, shown


def read(line: Words, draft: Draft) -> None:
    """Read the words of netem into a link."""
    found = _Netem()
    while line.rest():
        word = line.take()
        if word not in WORDS:
            raise line.wrong(word, f"one of {', '.join(WORDS)}")
        WORDS[word](found, line, draft)
    found.finish(line, draft)


class _Netem:
    """The words whose meaning depends on each other."""

    def __init__(self) -> None:
        self.delay = self.jitter = self.correlation = Decimal(0)
        self.distribution = "uniform"
        self.limit = LIMIT
        self.loss: dict[str, Any] | None = None
        self.corrupt: Decimal | None = None
        self.marks = False
        self.reordered: Decimal | None = None

    def read_delay(self, line: Words, _draft: Draft) -> None:
        self.delay = line.time()
        if line.is_next(NUMBER):
            self.jitter = line.time()
        if self.jitter and line.is_next(NUMBER):
            self.correlation = line.percent()

    def read_distribution(self, line: Words, _draft: Draft) -> None:
        self.distribution = line.take()
        if self.distribution not in {"uniform", "normal", "pareto"}:
            why = "uniform, normal or pareto; of another table, write kind empirical with its values"
            raise line.wrong(f"distribution {self.distribution}", why)

    def read_limit(self, line: Words, _draft: Draft) -> None:
        self.limit = line.whole(MOST_PACKETS)

    def read_loss(self, line: Words, _draft: Draft) -> None:
        if line.is_next("state|gemodel"):
            kind, keys = {
                "state": ("four-state", ("p13", "p31", "p32", "p23", "p14")),
                "gemodel": ("gilbert-elliott", ("good_to_bad", "bad_to_good", "loss_bad", "loss_good")),
            }[line.take()]
            given = [line.percent()]
            while line.is_next(NUMBER) and len(given) < len(keys):
                given.append(line.percent())
            if kind == "gilbert-elliott" and len(given) == 1:
                given.append(100 - given[0])
            self.loss = {"kind": kind, **dict(zip(keys, map(words.percent, given), strict=False))}
            return
        if line.is_next("random"):
            line.take()
        self.loss = {"kind": "bernoulli", "rate": words.percent(line.percent())}
        if line.is_next(NUMBER):
            self.loss["correlation"] = words.percent(line.percent())

    def read_ecn(self, _line: Words, _draft: Draft) -> None:
        self.marks = True

    def read_corrupt(self, line: Words, draft: Draft) -> None:
        self.corrupt = line.percent()
        if line.is_next(NUMBER):
            draft.leave(f"netem corrupt, correlation {shown(line.take())}", "losses of damaged packets are independent")

    def read_duplicate(self, line: Words, draft: Draft) -> None:
        given = [words.percent(line.percent())]
        if line.is_next(NUMBER):
            given.append(words.percent(line.percent()))
        draft.leave(f"netem duplicate {' '.join(given)}", "links do not duplicate packets")

    def read_reorder(self, line: Words, draft: Draft) -> None:
        self.reordered = line.percent()
        if line.is_next(NUMBER):
            draft.leave(f"netem reorder, correlation {shown(line.take())}", "each packet is chosen alone")

    def read_gap(self, line: Words, draft: Draft) -> None:
        draft.leave(f"netem gap {line.whole()}", "packets are reordered by chance, not by number")

    def read_rate(self, line: Words, draft: Draft) -> None:
        draft.set_rate("netem", line.rate(), line)
        if not line.is_next(SIGNED):
            return
        given = [line.take()]
        while line.is_next(SIGNED) and len(given) < 3:  # noqa: PLR2004  # packetoverhead, cellsize, celloverhead
            given.append(line.take())
        overhead = shown(given[0])
        if given[1:] == ["48", "5"] and overhead.isdecimal():
            draft.overhead = {"kind": "atm", "bytes": f"{int(overhead)}B"}
        elif len(given) == 1 and overhead.isdecimal():
            draft.overhead = f"{int(overhead)}B"
        else:
            draft.leave(f"netem rate, overhead {' '.join(given)}", "links have bytes of each packet, or cells of ATM")

    def read_slot(self, line: Words, draft: Draft) -> None:
        if line.is_next("distribution"):
            line.take()
            given = [line.take(), words.time(line.time()), words.time(line.time())]
            draft.leave(f"netem slot distribution {' '.join(map(shown, given))}", "frames have one length")
            return
        least = line.time()
        most = line.time() if line.is_next(NUMBER) else least
        if least + most:
            draft.impairments.append({"kind": "aggregation", "frame": words.time((least + most) / 2)})
        if least != most:
            both = f"{words.time(least)} {words.time(most)}"
            draft.leave(f"netem slot {both}", "frames have one length, the mean of both")
        while line.is_next("packets|bytes"):
            draft.leave(f"netem slot {line.take()} {line.whole()}", "a frame holds all packets that wait")

    def read_seed(self, line: Words, draft: Draft) -> None:
        draft.seed = line.whole(2**63 - 1)

    def finish(self, line: Words, draft: Draft) -> None:
        """Add what several words mean together."""
        keeps_order = draft.rate_of == "netem"
        if self.reordered is not None:
            if not self.delay or self.jitter:
                raise line.wrong("reorder", "a delay without jitter: netem delays the packets that are not reordered")
            share = 100 - self.reordered
            if share:
                delayed = {"kind": "reorder", "share": words.percent(share), "delay": words.time(self.delay)}
                draft.impairments.append(delayed)
        elif self.jitter:
            self._jitter(line, draft, reorder=not keeps_order)
        else:
            draft.delay_s += self.delay
        self._lose(draft)
        draft.netem_packets, draft.netem_delay_s = self.limit, self.delay

    def _mean(self, line: Words) -> Decimal:
        if not self.delay:
            raise line.wrong("a delay of zero", f"a mean above zero for the distribution {self.distribution}")
        return self.delay

    def _jitter(self, line: Words, draft: Draft, *, reorder: bool) -> None:
        low, high = self.delay - self.jitter, self.delay + self.jitter
        delay: dict[str, Any]
        if self.distribution == "normal":
            delay = {"kind": "normal", "mean": words.time(self._mean(line)), "deviation": words.time(self.jitter)}
        elif self.distribution == "pareto":
            # Netem's table is 4/3 (x - 3/2) for a Pareto variable x of the shape 3 and the minimum 1, up to 4.
            least, own = (self.jitter * 4 / 3).quantize(SMALLEST_S), self.delay - 2 * self.jitter
            most = words.time(6 * self.jitter)
            if own >= 0:
                draft.delay_s += own
                delay = {"kind": "pareto", "minimum": words.time(least), "shape": 3, "maximum": most}
            else:
                delay = {"kind": "pareto", "mean": words.time(self._mean(line)), "shape": 3}
                draft.leave("netem distribution pareto", "of delays below zero, which netem cuts, the mean is kept")
        elif low >= 0:
            draft.delay_s += low
            delay = {"kind": "uniform", "minimum": "0s", "maximum": words.time(high - low)}
        else:
            cut = (-low / (high - low) * 100).quantize(Decimal("1e-9"))
            uniform = {"kind": "uniform", "minimum": "0s", "maximum": words.time(high)}
            parts = [{"share": words.percent(cut), "of": "0s"}, {"share": words.percent(100 - cut), "of": uniform}]
            delay = {"kind": "mixture", "parts": parts}
        found: dict[str, Any] = {"kind": "jitter", "delay": delay}
        if self.correlation:
            found["correlation"] = words.percent(min(self.correlation, MOST_CORRELATED))
        draft.impairments.append(found | ({"reorder": True} if reorder else {}))

    def _lose(self, draft: Draft) -> None:
        is_plain = self.loss is not None and set(self.loss) == {"kind", "rate"}
        if self.marks and self.loss and is_plain:
            draft.impairments.append({"kind": "ecn", "mode": "set-ce", "share": self.loss["rate"]})
            draft.transport["ecn"] = True
            self.loss = None
        elif self.marks:
            draft.leave("netem ecn", "losses that depend on each other are not replaced by marks")
        if self.corrupt and self.loss is None:
            self.loss = {"kind": "bernoulli", "rate": words.percent(self.corrupt)}
        elif self.corrupt and is_plain and self.loss:
            passes = (100 - Decimal(self.loss["rate"].rstrip("%"))) * (100 - self.corrupt) / 100
            self.loss["rate"] = words.percent(100 - passes)
        elif self.corrupt:
            draft.leave(f"netem corrupt {words.percent(self.corrupt)}", "a link has one loss model")
        draft.loss = self.loss


NUMBER = r"[0-9.].*"
SIGNED = r"-?[0-9.]+"
# Packets that netem holds by default.
LIMIT = 1000
MOST_PACKETS = 100_000_000
SMALLEST_S = Decimal("1e-9")
MOST_CORRELATED = Decimal("99.9")
WORDS = {
    "delay": _Netem.read_delay,
    "latency": _Netem.read_delay,
    "distribution": _Netem.read_distribution,
    "limit": _Netem.read_limit,
    "loss": _Netem.read_loss,
    "drop": _Netem.read_loss,
    "ecn": _Netem.read_ecn,
    "corrupt": _Netem.read_corrupt,
    "duplicate": _Netem.read_duplicate,
    "reorder": _Netem.read_reorder,
    "gap": _Netem.read_gap,
    "rate": _Netem.read_rate,
    "slot": _Netem.read_slot,
    "seed": _Netem.read_seed,
}
