# SPDX-License-Identifier: Apache-2.0
"""The browser that opens pages, and the contrast of what it shows."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from optional import reason, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium without any network of its own; without one the tests are skipped, but fail on a build server."""
    if os.environ.get("CI") and (missing := reason("chromium")):
        pytest.fail(missing)
    chromium = require("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield opened
        opened.close()


ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the parts of a computed colour."""
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return red, green, blue


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the contrast ratio of two colours by WCAG 2.2."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(rgb: tuple[float, ...]) -> float:
    """Return the relative luminance of a colour by WCAG 2.2."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in rgb)]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


# Every different pair of the colours of a text and of its background, with one text that has it.
COLOURS = """() => {
  const painted = (node) => {
    const colour = getComputedStyle(node).backgroundColor;
    return colour === 'rgba(0, 0, 0, 0)' && node.parentElement ? painted(node.parentElement) : colour;
  };
  const pairs = new Map();
  for (const node of document.querySelectorAll('body, body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || !node.getClientRects().length || node.localName === 'script') continue;
    const svg = node.namespaceURI.endsWith('svg');
    const ink = getComputedStyle(node)[svg ? 'fill' : 'color'];
    pairs.set(ink + painted(node), [ink, painted(node), node.textContent.trim().slice(0, 40)]);
  }
  return [...pairs.values()];
}"""
