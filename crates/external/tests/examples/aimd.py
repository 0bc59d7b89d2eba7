"""Additive increase, multiplicative decrease, with all that a sender's window needs beside its two formulas."""


class Aimd:
    """A window in packets.

    Source: Chiu and Jain, Computer Networks and ISDN Systems 17, 1989; slow start and timeouts by RFC 5681.
    Equations: slow start: w += acked; then: w += a * acked / w; loss: w = b * w.
    """

    def __init__(self, setup, a=1.0, b=0.5):
        self.a, self.b = a, b
        self.initial = setup.initial_window
        self.window, self.ssthresh = setup.initial_window, setup.initial_ssthresh
        self.before = None

    def on_ack(self, ack):
        acked = ack.counted  # 0 if the window must not grow
        self.window += acked if self.window < self.ssthresh else self.a * acked / self.window

    def on_loss(self, loss):
        if loss.new_episode:
            self.before = self.window, self.ssthresh
            self.ssthresh = max(self.b * self.window, 2.0)
            self.window = min(self.window, self.ssthresh)
        if loss.cause == "timeout":
            self.window = 1.0

    def on_spurious_loss(self, moment):
        if self.before:
            self.window, self.ssthresh = max(self.window, self.before[0]), self.before[1]
            self.before = None

    def on_idle_restart(self, moment):
        self.window = min(self.window, self.initial)
