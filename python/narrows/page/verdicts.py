# SPDX-License-Identifier: Apache-2.0
"""How a difference is shown, by its verdict: CSS class, words, sign."""

from __future__ import annotations

JUDGED = {
    "better": ("better", "clearly better", "▲"),
    "worse": ("worse", "clearly worse", "▼"),
    "different": ("plain", "clearly different", "◆"),
    "same": ("plain", "no difference that matters", "≈"),
    "undecided": ("plain", "undecided", "?"),
}
