# SPDX-License-Identifier: Apache-2.0
"""Algorithms that break rules of RFC 9743, as a user would write them."""

from __future__ import annotations

RULES = """
class Reno:
    def __init__(self, setup):
        self.window, self.ssthresh = setup.initial_window, setup.initial_ssthresh

    def on_ack(self, ack):
        if ack.may_grow:
            self.window += ack.newly_acked if self.window < self.ssthresh else ack.newly_acked / self.window

    def on_loss(self, loss):
        if loss.new_episode:
            self.ssthresh = self.window = max(self.window / 2, 2.0)


class Never(Reno):
    def on_ack(self, ack):
        for _ in range(16):
            super().on_ack(ack)

    def on_loss(self, loss):
        self.ssthresh = self.window


class Fixed(Reno):
    def __init__(self, setup):
        self.window, self.ssthresh, self.pacing_rate = None, setup.initial_ssthresh, 9e6

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        pass


class PerAck(Reno):
    def on_ack(self, ack):
        if ack.may_grow:
            self.window += 1 if self.window < self.ssthresh else 1 / self.window


class Frozen(Reno):
    def on_ack(self, ack):
        if self.ssthresh > 1e9:
            super().on_ack(ack)


class Unmarked(Reno):
    def on_loss(self, loss):
        if loss.cause != "mark":
            super().on_loss(loss)
"""
