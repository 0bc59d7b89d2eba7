# SPDX-License-Identifier: Apache-2.0
"""One direction of a connection of TCP from the packets of a capture.

Sources: RFC 9293 (sequence numbers, the offered window), RFC 7323 (window scale, timestamps), RFC 6298 with Karn's rule
(round-trip times, timeouts), RFC 2018 and RFC 6675 (SACK: a segment is taken for lost once three segments behind it are
selectively acknowledged), RFC 2883 (D-SACK), RFC 3168 (ECN). Sequence numbers are unwrapped; the positions of a stream
begin with the first byte of payload.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from narrows._internal.formats.frames import Bools, Ints
from narrows._internal.trace import limits
from narrows._internal.trace.ranges import Ranges
from narrows._internal.trace.record import Data, Floats, Flow, Lost, Place, Series
from narrows._internal.trace.segments import ACK, CE, ECE, SYN
from narrows._internal.trace.stream import Handshake, Stream


class _New(NamedTuple):
    """The segments of new data, whose ends ascend, by their place among the rows of the stream."""

    row: Ints
    start: Ints
    end: Ints
    sent_s: Floats


class _Sent(NamedTuple):
    """The data of a stream, each array with a value for each of its packets with payload.

    Attributes:
        row: Place among the rows of the stream.
        again: Whether bytes of it had passed before.
        late: Whether it fills a gap: its bytes had not passed before, but later ones had.
        fresh: Bytes that had not passed before.
    """

    row: Ints
    again: Bools
    late: Bools
    fresh: Ints


def flow(of: Stream, name: str, opened: Handshake | None, segment: int) -> tuple[Flow, tuple[str, ...]]:
    """Return the flow in one direction, and what it lacks.

    Args:
        of: The packets.
        name: Name of the flow.
        opened: Handshake of the connection.
        segment: Bytes of payload of a packet on the link.
    """
    return _Reading(of, opened, segment).flow(name)


class _Reading:
    def __init__(self, of: Stream, opened: Handshake | None, segment: int) -> None:
        self.of = of
        self.opened = opened
        self.segment = segment
        self.top = np.maximum.accumulate(np.where(of.is_data, of.end, 0))
        """The end of the data that has passed, after each row."""
        self.base = np.maximum.accumulate(np.where(of.is_ack, np.maximum(of.acknowledged, 0), 0))
        """The cumulative acknowledgement, after each row."""
        self.advances = np.diff(self.base, prepend=0) > 0
        (data,) = of.is_data.nonzero()
        before = np.concatenate([[0], self.top[data][:-1]]).astype(np.int64)
        is_new = of.start[data] >= before
        # Of a capture that begins within a connection, the first packet is new, wherever it lies.
        is_new[:1] = True
        self.new = _New(data[is_new], of.start[data[is_new]], of.end[data[is_new]], of.times_s[data[is_new]])
        self.sent = self._passed(data, before)
        self.back_s = float("nan")
        """Delay from the place of observation to the sender and back."""
        self.least_s = float("nan")
        """Least time from a packet to the reaction of the sender to its loss."""

    def _passed(self, data: Ints, before: Ints) -> _Sent:
        """Return the data, by what of it had passed before."""
        of = self.of
        start, end = of.start[data], of.end[data]
        fresh, late = end - np.maximum(start, before), np.zeros(len(data), dtype=bool)
        fresh[:1] = end[:1] - start[:1]
        (strange,) = (start != before).nonzero()
        holes = Ranges()
        for index in strange[strange > 0].tolist():
            first, behind, top = int(start[index]), int(end[index]), int(before[index])
            if first > top:
                holes.add(top, first)
                continue
            filled = holes.remove(first, behind)
            fresh[index] = filled + max(behind - top, 0)
            late[index] = filled > 0
        payload = end - start
        again = (fresh < payload) & ~late
        # A probe of a connection that has nothing to send repeats one byte that is acknowledged (RFC 9293 §3.8.4).
        probes = again & (payload <= 1) & (self.base[data] >= end)
        return _Sent(data, again & ~probes, late, np.maximum(fresh, 0))

    def flow(self, name: str) -> tuple[Flow, tuple[str, ...]]:
        of, new, sent = self.of, self.new, self.sent
        (again,) = sent.again.nonzero()
        rows = sent.row[again]
        low = np.searchsorted(new.end, of.start[rows], "right")
        high = np.minimum(np.searchsorted(new.start, of.end[rows], "left"), low + MOST_SEGMENTS)
        first_again, earlier = np.full(len(new.row), np.inf), np.full(len(rows), np.nan)
        last = new.sent_s.copy()
        for index, (start, end, time_s) in enumerate(
            zip(low.tolist(), high.tolist(), of.times_s[rows].tolist(), strict=True)
        ):
            if start < end:
                earlier[index] = last[start:end].max()
                last[start:end] = time_s
                first_again[start:end] = np.minimum(first_again[start:end], time_s)
        first_rtt = self._karn(first_again, np.full(len(new.row), np.inf))
        place = self._place(first_rtt)
        self.least_s = self.back_s + (float(first_rtt.values.min()) if len(first_rtt) else float("nan"))
        timeouts = self._timeouts(rows, earlier, first_rtt)
        board = _Board(self, first_again)
        board.run(rows, set(timeouts.tolist()))
        rtt = self._rtt(place, first_again, board)
        lost = self._lost(place, board, rtt, rows, earlier)
        in_flight = self._in_flight(board)
        at_sender = place is Place.SENDER
        data, rows_of_acks = self._data(), of.is_ack & (of.window >= 0)
        is_idle = is_full = None
        if at_sender and len(rtt):
            disturbed = np.sort(np.concatenate([lost.times_s, board.blocks_s, of.times_s[self._is_echo()]]))
            is_idle = limits.application_limited(data, self.segment, in_flight, rtt, disturbed)
            edge = np.maximum.accumulate(np.where(rows_of_acks, self.base + of.window, -1))
            room = np.where(edge >= 0, edge - self.top, np.iinfo(np.int64).max)
            if rows_of_acks.any():
                is_full = limits.receiver_limited(of.times_s, room, data, self.segment, rtt)
                is_idle = limits.without(is_idle, is_full)
        windows = of.is_ack & (of.window >= 0) & ((of.rows["flags"] & SYN) == 0)
        found = Flow(
            name=name,
            protocol="TCP",
            place=place,
            start_s=float(of.times_s[0]),
            end_s=float(of.times_s[-1]),
            segment_bytes=self.segment,
            header_bytes=float(of.rows["headers"][self.sent.row].mean()) if len(self.sent.row) else float("nan"),
            data=data,
            delivered=self._delivered(place, board),
            rtt=rtt,
            in_flight=in_flight if at_sender else Series(),
            receive_window=Series(of.times_s[windows], of.window[windows].astype(float)),
            lost=lost,
            timeouts_s=of.times_s[timeouts],
            marked=self._marked(place),
            application_limited=is_idle,
            receiver_limited=is_full,
            handshake_rtt_s=self.opened.ack_s - self.opened.syn_s if self.opened else float("nan"),
        )
        return found, self._lacking(found)

    def _data(self) -> Data:
        row = self.sent.row
        of = self.of
        payload = (of.end[row] - of.start[row]).astype(float)
        return Data(of.times_s[row], payload, of.start[row].astype(float), self.sent.again)

    def _karn(self, first_again: Floats, sacked: Floats) -> Series:
        """Return the round-trip times of the cumulative acknowledgements (RFC 6298 §3).

        Each is of the last segment that it newly acknowledges, if that had not been sent again nor selectively
        acknowledged, and none of those before it was sent again: the acknowledgement may have waited for that.
        """
        new, of = self.new, self.of
        (rows,) = self.advances.nonzero()
        behind = np.searchsorted(new.end, self.base[rows], "right")
        before = np.searchsorted(new.end, self.base[rows] - np.diff(self.base, prepend=0)[rows], "right")
        repeats = np.concatenate([[0], np.cumsum(np.isfinite(first_again))])
        good = (behind > before) & (repeats[behind] == repeats[before])
        rows, last = rows[good], behind[good] - 1
        times_s = of.times_s[rows]
        samples = times_s - new.sent_s[last]
        good = (samples >= 0) & (sacked[last] >= times_s)
        return Series(times_s[good], samples[good])

    def _stamped(self, known: Floats) -> Series:
        """Return the round-trip times by timestamps of acknowledgements that have no other, at times not in `known`."""
        of = self.of
        data = self.sent.row
        stamps, first = np.unique(of.rows["stamp"][data], return_index=True)
        rows = (self.advances & of.rows["is_stamped"]).nonzero()[0]
        rows = rows[~np.isin(of.times_s[rows], known)]
        return _matched(stamps, of.times_s[data[first]], of.rows["echo"][rows], of.times_s[rows])

    def _echoed(self) -> Series:
        """Return the round-trip times from acknowledgements to the data that they release, by its echoes (RFC 7323)."""
        of = self.of
        acks = (of.is_ack & of.rows["is_stamped"] & ((of.rows["flags"] & SYN) == 0)).nonzero()[0]
        stamps, first = np.unique(of.rows["stamp"][acks], return_index=True)
        data = self.sent.row[of.rows["is_stamped"][self.sent.row]]
        echoes, answered = np.unique(of.rows["echo"][data], return_index=True)
        order = np.argsort(answered)
        return _matched(stamps, of.times_s[acks[first]], echoes[order], of.times_s[data[answered[order]]])

    def _place(self, rtt: Series) -> Place:
        """Return the place of observation; the delay from there to the sender and back goes to `back_s`.

        By the handshake, or by the delays from data to its acknowledgement and from an acknowledgement to the data
        that echoes its timestamp.
        """
        opened = self.opened
        if opened is not None and not np.isnan(opened.ack_s):
            forth_s, back_s = opened.answer_s - opened.syn_s, opened.ack_s - opened.answer_s
            if opened.way != self.of.way:
                forth_s, back_s = back_s, forth_s
        else:
            echoed = self._echoed()
            if not len(rtt) or not len(echoed):
                return Place.UNKNOWN
            forth_s, back_s = float(rtt.values.min()), float(echoed.values.min())
        self.back_s = back_s
        whole_s = forth_s + back_s
        if not whole_s >= SHORTEST_S:
            return Place.UNKNOWN
        if back_s <= AT_END * whole_s:
            return Place.SENDER
        return Place.RECEIVER if forth_s <= AT_END * whole_s else Place.BETWEEN

    def _timeouts(self, rows: Ints, earlier: Floats, rtt: Series) -> Ints:
        """Return the rows of data that a timeout sent again.

        It is the first that is not acknowledged, and the last acknowledgement came too early to have caused it (RFC
        6298 §5); a loss probe of the only segment in flight (RFC 8985 §7) looks the same.
        """
        of = self.of
        late = self.sent.row[self.sent.late]
        rows = np.concatenate([rows, late])
        earlier = np.concatenate([earlier, np.full(len(late), np.nan)])
        rows, order = np.unique(rows, return_index=True)
        earlier = earlier[order]
        back_s = 0.0 if np.isnan(self.back_s) else self.back_s
        (acks,) = of.is_ack.nonzero()
        (data,) = of.is_data.nonzero()
        before = rows - 1
        heads = of.start[rows] <= self.base[np.maximum(before, 0)]
        recent = _latest(rtt, of.times_s[rows], float("nan")) + back_s
        if self.opened is not None:
            recent = np.where(np.isnan(recent), self.opened.ack_s - self.opened.syn_s, recent)
        recent = np.where(np.isnan(recent), DEFAULT_RTT_S, recent)
        quiet = of.times_s[rows] - _before(of.times_s[acks], acks, rows)
        idle = of.times_s[rows] - _before(of.times_s[data], data, rows)
        age = np.where(np.isnan(earlier), idle, of.times_s[rows] - earlier)
        silent = np.minimum(quiet - back_s, idle) >= np.maximum(recent / 2, QUIET_S)
        return rows[heads & silent & (age >= np.maximum(1.5 * recent, QUIET_S))]

    def _rtt(self, place: Place, first_again: Floats, board: _Board) -> Series:
        if place is Place.RECEIVER:
            return self._echoed()
        samples = self._karn(first_again, board.sacked)
        parts = [samples, Series(np.array(board.sampled_s), np.array(board.samples_s))]
        known = np.concatenate([part.times_s for part in parts])
        parts.append(self._stamped(known))
        times_s, values = (np.concatenate([getattr(part, name) for part in parts]) for name in ("times_s", "values"))
        order = np.argsort(times_s, kind="stable")
        return Series(times_s[order], values[order])

    def _lost(self, place: Place, board: _Board, rtt: Series, rows: Ints, earlier: Floats) -> Lost:
        of, sent = self.of, self.sent
        times_s = of.times_s[rows]
        spurious = np.full(len(rows), fill_value=place is Place.RECEIVER)
        if len(rows) and place is not Place.RECEIVER:
            spurious |= self._duplicates(board, rows)
            if len(rtt):
                # The acknowledgement of the end of each, by the cumulative one.
                at = np.searchsorted(self.base, of.end[rows], "left")
                acked_s = np.append(of.times_s, np.inf)[at]
                spurious |= (acked_s > times_s) & (acked_s - times_s < SOONER * float(rtt.values.min()))
        late = sent.row[sent.late & (place is not Place.SENDER)]
        if len(late):
            late = late[~self._is_reordered(late)]
        found = np.concatenate([times_s, of.times_s[late]])
        order = np.argsort(found, kind="stable")
        nothing = np.full(len(late), np.nan), np.zeros(len(late), dtype=bool)
        return Lost(
            found[order],
            np.concatenate([earlier, nothing[0]])[order],
            np.concatenate([spurious, nothing[1]])[order],
        )

    def _is_reordered(self, late: Ints) -> Bools:
        """Return whether data that fills a gap was overtaken, and not lost and sent again."""
        of, new = self.of, self.new
        opener = np.minimum(np.searchsorted(new.start, of.end[late], "left"), len(new.row) - 1)
        waited = of.times_s[late] - new.sent_s[opener]
        by_time = waited < (REORDERED_S if np.isnan(self.least_s) else max(SOONER * self.least_s, REORDERED_S))
        stamps, opened = of.rows["stamp"][late], of.rows["stamp"][new.row[opener]]
        older = (stamps - opened).astype(np.uint32).astype(np.int32)
        stamped = of.rows["is_stamped"][late] & of.rows["is_stamped"][new.row[opener]] & (older != 0)
        return np.where(stamped, older < 0, by_time)

    def _duplicates(self, board: _Board, rows: Ints) -> Bools:
        """Return which of the data that was sent again had arrived before, by D-SACK."""
        of = self.of
        found = np.zeros(len(rows), dtype=bool)
        order = np.argsort(of.start[rows], kind="stable")
        starts = of.start[rows][order]
        for row, low, high in board.duplicates:
            first = max(int(np.searchsorted(starts, low, "left")) - 1, 0)
            behind = int(np.searchsorted(starts, high, "left"))
            places = order[first:behind][-MOST_SEGMENTS:]
            places = places[(rows[places] < row) & (of.end[rows[places]] > low) & ~found[places]]
            if len(places):
                found[places.max()] = True
        return found

    def _delivered(self, place: Place, board: _Board) -> Series:
        of = self.of
        if place is Place.RECEIVER:
            return Series(of.times_s[self.sent.row], np.cumsum(self.sent.fresh).astype(float))
        (rows,) = of.is_ack.nonzero()
        values = np.minimum(self.base, self.top) + board.sacked_bytes()
        # A receiver may forget what it has selectively acknowledged (RFC 2018 §8).
        return Series(of.times_s[rows], np.maximum.accumulate(values[rows]).astype(float))

    def _in_flight(self, board: _Board) -> Series:
        of = self.of
        rows = of.is_data | of.is_ack
        rows &= self.base > 0 if self.opened is None else True
        values = self.top - self.base - board.sacked_bytes() - board.lost_bytes()
        return Series(of.times_s[rows], np.maximum(values[rows], 0).astype(float))

    def _is_echo(self) -> Bools:
        """Return which rows echo congestion marks (RFC 3168)."""
        found: Bools = self.of.is_ack & ((self.of.rows["flags"] & (ECE | SYN)) == ECE)
        return found

    def _is_accurate(self) -> bool:
        """Return whether the flags count marks (Accurate ECN, RFC 9768 §3.1.1: a SYN has all three)."""
        flags = self.of.rows["flags"]
        asks = (flags & (SYN | ACK)) == SYN
        return bool((asks & ((flags & ALL_ECN) == ALL_ECN)).any())

    def _marked(self, place: Place) -> Series:
        of = self.of
        data = self.sent.row
        if not (of.rows["ecn"][data] > 0).any():
            return Series()
        is_marked = of.rows["ecn"][data] == CE
        if place is Place.RECEIVER or is_marked.any():
            return Series(of.times_s[data], np.cumsum(np.where(is_marked, self.sent.fresh, 0)).astype(float))
        if self._is_accurate():
            return Series()
        # RFC 3168 §6.1.3: an echo is repeated until the sender has reacted; only the first says what was marked.
        (acks,) = of.is_ack.nonzero()
        echoes = self._is_echo()[acks]
        first = echoes & ~np.concatenate([[False], echoes[:-1]])
        gained = np.diff(self.base[acks], prepend=0)
        return Series(of.times_s[acks], np.cumsum(np.where(first, gained, 0)).astype(float))

    def _lacking(self, found: Flow) -> tuple[str, ...]:
        lacks = []
        if found.place is Place.UNKNOWN:
            lacks.append(PLACELESS)
        if not self.of.is_ack.any():
            lacks.append("round-trip times and delivered bytes, without acknowledgements")
        elif not len(found.receive_window):
            lacks.append("receive windows, whose scale is in a handshake that was not captured")
        if self._is_accurate() and found.place is not Place.RECEIVER:
            lacks.append("marks, which Accurate ECN counts")
        elif self._is_echo().any() and found.place is not Place.RECEIVER:
            lacks.append("all but the first of echoes of marks that follow one another")
        unseen = int(min(self.base[-1], self.top[-1])) - int(self.sent.fresh.sum())
        if self.opened is not None and unseen > 0:
            lacks.append("bytes that were acknowledged and that the capture does not have")
        return tuple(lacks)


class _Board:
    """What the sender knows of its segments from SACK blocks and timeouts: the scoreboard of RFC 6675.

    Attributes:
        sacked: Time of the selective acknowledgement of each new segment; infinite without.
        sampled_s: Times of selective acknowledgements of segments that were sent once.
        samples_s: Their round-trip times.
        duplicates: Blocks of D-SACK: row, edges.
        blocks_s: Times of the acknowledgements with SACK blocks.
    """

    def __init__(self, reading: _Reading, first_again: Floats) -> None:
        self._reading = reading
        self._first_again = first_again
        self.sacked = np.full(len(reading.new.row), np.inf)
        self.sampled_s: list[float] = []
        self.samples_s: list[float] = []
        self.duplicates: list[tuple[int, int, int]] = []
        self.blocks_s: Floats = np.empty(0)
        self._held, self._gone, self._known = Ranges(), Ranges(), Ranges()
        self._mark = self._work = 0
        self._rows: list[int] = []
        self._sacked: list[int] = []
        self._lost: list[int] = []

    def run(self, again: Ints, timeouts: set[int]) -> None:
        """Follow the rows that change something: blocks, data that is sent again, and the way out of a recovery."""
        reading, of = self._reading, self._reading.of
        has_blocks = np.zeros(len(of.times_s), dtype=bool)
        has_blocks[of.with_blocks] = True
        self.blocks_s = of.times_s[has_blocks]
        is_again = np.zeros(len(of.times_s), dtype=bool)
        is_again[again] = True
        # The first acknowledgement without blocks after others with blocks.
        (acks,) = of.is_ack.nonzero()
        after = np.zeros(len(of.times_s), dtype=bool)
        after[acks[1:]] = has_blocks[acks[:-1]] & ~has_blocks[acks[1:]]
        # Until all that had been sent is acknowledged.
        until = np.searchsorted(reading.base, reading.top[again], "left")
        change = np.zeros(len(of.times_s) + 1, dtype=np.int64)
        np.add.at(change, again, 1)
        np.add.at(change, np.minimum(until + 1, len(of.times_s)), -1)
        recovers = np.cumsum(change[:-1]) > 0
        (rows,) = (has_blocks | is_again | after | (recovers & reading.advances)).nonzero()
        bases, tops = reading.base[rows].tolist(), reading.top[rows].tolist()
        blocks = iter(of.blocks)
        for row, base, top in zip(rows.tolist(), bases, tops, strict=True):
            if is_again[row]:
                self._sent_again(int(of.start[row]), int(of.end[row]), base, top, is_timeout=row in timeouts)
            else:
                for ranges in (self._held, self._gone, self._known):
                    ranges.remove_below(base)
                if has_blocks[row]:
                    self._blocks(row, next(blocks).tolist(), base, top)
            self._rows.append(row)
            self._sacked.append(self._held.size)
            self._lost.append(self._gone.size)

    def _sent_again(self, start: int, end: int, base: int, top: int, *, is_timeout: bool) -> None:
        start = max(start, base)
        if is_timeout and self._work < MOST_WORK:
            self._work += len(self._held)
            # All that is not acknowledged is taken for lost (RFC 6298 §5.4 with RFC 5681 §3.1).
            self._known = self._held.copy()
            for gap in self._known.gaps(base, top):
                self._gone.add(*gap)
            self._mark = top
        self._gone.remove(start, end)
        self._known.add(start, end)

    def _blocks(self, row: int, blocks: list[list[int]], base: int, top: int) -> None:
        time_s = float(self._reading.of.times_s[row])
        for place, (low, high) in enumerate(blocks):
            if high <= low:
                continue
            within = place == 0 and any(other[0] <= low and high <= other[1] < top + 1 for other in blocks[1:])
            if high <= base or within:
                # RFC 2883 §4: the first block, below the cumulative acknowledgement or within the second.
                if place == 0:
                    self.duplicates.append((row, low, high))
                continue
            for gap in self._held.gaps(max(low, base), min(high, top)):
                self._newly(*gap, time_s)
                self._held.add(*gap)
                self._gone.remove(*gap)
                self._known.add(*gap)
        if self._held:
            mark = self._held.highest() - THRESHOLD * self._reading.segment
            if mark > self._mark:
                for gap in self._known.gaps(max(self._mark, base), mark):
                    self._gone.add(*gap)
                self._mark = mark

    def _newly(self, low: int, high: int, time_s: float) -> None:
        """Note the selective acknowledgement of a range."""
        new = self._reading.new
        first, behind = int(np.searchsorted(new.start, low, "left")), int(np.searchsorted(new.end, high, "right"))
        if first >= behind:
            return
        self.sacked[first:behind] = time_s
        last = behind - 1
        if np.isinf(self._first_again[last]) and time_s >= new.sent_s[last]:
            self.sampled_s.append(time_s)
            self.samples_s.append(time_s - float(new.sent_s[last]))

    def sacked_bytes(self) -> Ints:
        """Return the bytes above the cumulative acknowledgement that are selectively acknowledged, after each row."""
        return self._filled(self._sacked)

    def lost_bytes(self) -> Ints:
        """Return the bytes that are taken for lost and not yet sent again, after each row."""
        return self._filled(self._lost)

    def _filled(self, values: list[int]) -> Ints:
        rows = np.arange(len(self._reading.of.times_s))
        known = np.searchsorted(np.array(self._rows, dtype=np.int64), rows, "right")
        return np.array([0, *values], dtype=np.int64)[known]


def _matched(stamps: Ints, stamped_s: Floats, echoes: Ints, echoed_s: Floats) -> Series:
    """Return the times between timestamps and their echoes; `stamps` ascend."""
    if not len(stamps) or not len(echoes):
        return Series()
    at = np.minimum(np.searchsorted(stamps, echoes), len(stamps) - 1)
    samples = echoed_s - stamped_s[at]
    good = (stamps[at] == echoes) & (samples >= 0)
    return Series(echoed_s[good], samples[good])


def _latest(series: Series, times_s: Floats, otherwise: float) -> Floats:
    """Return the latest value before each time."""
    at = np.searchsorted(series.times_s, times_s, "left")
    return np.concatenate([[otherwise], series.values])[at]


def _before(times_s: Floats, places: Ints, rows: Ints) -> Floats:
    """Return the time of the last of the rows `places` before each row; minus infinity without."""
    return np.concatenate([[-np.inf], times_s])[np.searchsorted(places, rows, "left")]


ALL_ECN = 0x1C0
THRESHOLD = 3
"""Segments behind a loss that are selectively acknowledged when it is noticed (RFC 6675 §2)."""

AT_END = 0.1
"""Share of the round-trip time that the delay to an end may have for the place of observation to be at that end."""

SHORTEST_S = 2e-4
"""Least round-trip time that shows which end is nearer: a host needs some tens of microseconds to answer."""

SOONER = 0.9
"""Share of the least round-trip time within which an answer comes too soon."""

REORDERED_S = 0.003
"""Time within which a packet was overtaken, and not sent again, if nothing is known of the round-trip time."""

QUIET_S = 0.01
"""Least silence before a timeout."""

DEFAULT_RTT_S = 0.2
MOST_WORK = 5_000_000
"""Ranges that timeouts look at in all; only packets that no host sends need more."""

PLACELESS = "the place of observation: no handshake and no timestamps in both directions, or too short a path"
MOST_SEGMENTS = 1_000
"""Segments of which a single packet or block speaks at most."""
