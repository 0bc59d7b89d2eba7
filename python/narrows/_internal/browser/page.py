# SPDX-License-Identifier: Apache-2.0
"""The playground: one HTML file with the simulator inside, which runs scenarios without a server or a network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from narrows._internal import core
from narrows._internal.drawing.style import DASHES, TONES, colour_rules, style_of
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.versions import version


@frozen
class Experiment:
    """The initial state of a page."""

    text: str
    name: str
    beside: str = ""  # the subject of a second run; empty for none


def module_file() -> Path:
    """Return the simulator as a WebAssembly module."""
    file = HERE / MODULE
    if problem := fault(file):
        raise InputError("narrows playground", f"the simulator for browsers {problem}; {REMEDY}")
    return file


def fault(file: Path) -> str:
    """Return the fault of the WebAssembly module in a file: it is missing, or of other sources; else empty."""
    if not file.is_file():
        return "was not built"
    found = re.search(rb"narrows\.fingerprint([0-9a-f]{64})", file.read_bytes())
    if found is None or found[1].decode() != core.fingerprint():
        return "was built from other sources than this engine, and would give other digests"
    return ""


def page(experiment: Experiment) -> str:
    """Return the page as an HTML document."""
    import gzip

    from narrows._internal.browser.lessons import lessons

    # Neither a name nor a time in the archive: equal modules make equal pages.
    module = gzip.compress(module_file().read_bytes(), 9, mtime=0)
    data = {
        "module": base64.b64encode(module).decode(),
        "worker": _asset("engine.js") + _asset("worker.js"),
        "initial": asdict(experiment),
        "lessons": [asdict(each) for each in lessons()],
        **_catalogue(),
    }
    script = "".join(map(_asset, SCRIPTS))
    dark = colour_rules("dark") + (HERE.parent / "page/dark.css").read_text("utf-8").strip()
    style = (
        f":root{{{colour_rules('light')}}}{_asset('style.css')}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )
    # WebAssembly needs 'wasm-unsafe-eval', which older browsers know only as 'unsafe-eval'.
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}' 'unsafe-eval'; "
        "worker-src blob:; base-uri 'none'; form-action 'none'"
    )
    # In a script element only "<" could end the data.
    packed = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Playground · Narrows</title><style>{style}</style></head><body>\n"
        f"{_asset('page.html').replace('%VERSION%', version('narrows'))}"
        f'<script type="application/json" id="data">{packed}</script><script>{script}</script></body></html>\n'
    )


def fragment(experiment: Experiment) -> str:
    """Return the part of a page's address, after `#`, that holds an experiment."""
    content = json.dumps({"text": experiment.text, "beside": experiment.beside}).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _catalogue() -> dict[str, Any]:
    """Return the page's data on algorithms, queues and metrics."""
    names = [card["name"] for card in core.algorithms()]
    metrics = {(card["family"], card["name"]): card for card in core.metrics()}
    return {
        "algorithms": names,
        "hues": {name: style_of(name).colour for name in ["", *names]},
        "tones": TONES,
        "dashes": [[int(length) for length in dash.split()] for dash in DASHES],
        "queues": [
            {"name": card["name"], "limit": any(each["name"] == "limit" for each in card["parameters"])}
            for card in core.queues()
        ],
        "metrics": [
            {"of": owner, "name": name, **{key: metrics[owner, name][key] for key in ("label", "unit", "summary")}}
            for owner, name in NUMBERS
        ],
    }


def _asset(name: str) -> str:
    return (HERE / "page" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


HERE = Path(__file__).parent
MODULE = "narrows.wasm"
REMEDY = "the wheels of a release contain it; `make wasm` in the source tree builds it, or says what it needs"
SCRIPTS = ("quantities.js", "plot.js", "runner.js", "asker.js", "page.js")
# The metrics in the table of the page; a run folder has all.
NUMBERS = (
    ("group", "goodput_bps"),
    ("group", "goodput_fraction"),
    ("group", "jain"),
    ("group", "loss_rate"),
    ("group", "mark_rate"),
    ("group", "timeouts"),
    ("group", "rtt_mean_s"),
    ("group", "rtt_p95_s"),
    ("group", "cwnd_mean_packets"),
    ("group", "completed_flows"),
    ("group", "completion_time_p50_s"),
    ("link", "utilization"),
    ("link", "loss_rate"),
    ("link", "queue_mean_packets"),
    ("link", "queue_delay_mean_s"),
    ("link", "queue_delay_p95_s"),
)
