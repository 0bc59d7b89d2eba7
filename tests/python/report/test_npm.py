# SPDX-License-Identifier: Apache-2.0
"""The package of npm: node gives the digests of the command line, and a page embeds the playground."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows.browser.page import MODULE, Experiment, fault, page
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

FILE = HOUSE / "python/narrows/browser" / MODULE
SCENARIO = """\
duration = "6s"
warmup = "1s"
seed = 3
[path]
rate = "5Mbps"
rtt = "20ms"
[[flows]]
name = "one"
algorithm = "cubic"
start = "0s..1s"
"""
PROGRAM = """\
import {{ run, describe, ScenarioError }} from {module};
const [scenario, options] = JSON.parse(process.argv[2]);
try {{
  const {{ title }} = await describe(scenario, options);
  const {{ digest, summary, series }} = await run(scenario, options);
  const curves = series.map(({{ kind, name, columns }}) => [kind, name, columns.time_s.length]);
  console.log(JSON.stringify({{ title, digest, summary, curves }}));
}} catch (error) {{
  console.log(JSON.stringify({{ error: error.name, message: error.message, diagnostics: error.diagnostics }}));
}}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Assemble the package; the tests are skipped where the module is missing or does not belong to the sources."""
    if problem := fault(FILE):
        pytest.skip(f"the simulator for browsers {problem} (make wasm)")
    folder = tmp_path_factory.mktemp("npm")
    written = folder / "page.html"
    written.write_text(page(Experiment(SCENARIO, "short")), encoding="utf-8")
    subprocess.run([HOUSE / "crates/playground/package.sh", FILE, folder / "narrows", written], check=True)
    return folder / "narrows"


def in_node(package: Path, scenario: object, **options: object) -> Any:
    """Return what a program in node finds, or its error."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is missing")
    program = package.parent / "program.mjs"
    program.write_text(PROGRAM.format(module=json.dumps((package / "index.js").as_uri())), encoding="utf-8")
    command = [node, str(program), json.dumps([scenario, options])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["two-flows", "parking-lot", "ecn-marks", "web-users"])
@pytest.mark.parametrize("seed", [None, 7])
def test_node_gives_the_digest_and_the_metrics_of_the_command_line(package: Path, name: str, seed: int | None) -> None:
    scenario = nw.load(name)
    text = next((HOUSE / "scenarios").rglob(f"{name}.toml")).read_text(encoding="utf-8")
    summary = scenario.run(replications=1, seed=seed).summary
    found = in_node(package, text, **({} if seed is None else {"seed": seed}))
    assert found["digest"] == summary["digest"]
    assert found["title"] == summary["title"]
    for owner, metrics in found["summary"]["groups"].items():
        for metric, value in metrics.items():
            if metric in summary["groups"][owner]:
                assert value == summary["groups"][owner][metric]["mean"], (owner, metric)


def test_the_options_are_changes_of_the_scenario(package: Path) -> None:
    slower = nw.load("two-flows", ["path.rate=5Mbps"]).run(replications=1).summary["digest"]
    text = (HOUSE / "scenarios/two-flows.toml").read_text(encoding="utf-8")
    found = in_node(package, text, set={"path.rate": '"5Mbps"'})
    assert found["digest"] == slower
    assert {kind for kind, _, _ in found["curves"]} == {"flow", "link"}
    assert len({length for *_, length in found["curves"]}) == 1


def test_errors_say_what_was_given_and_where(package: Path) -> None:
    wrong = in_node(package, SCENARIO.replace("20ms", "twenty"))
    assert wrong["error"] == "ScenarioError"
    assert (wrong["diagnostics"][0]["line"], wrong["diagnostics"][0]["path"]) == (6, "path.rtt")
    assert "twenty" in wrong["message"]
    assert in_node(package, SCENARIO, set={"path.rate": "["})["error"] == "ScenarioError"
    assert in_node(package, SCENARIO, subject="nonsense")["error"] == "ScenarioError"
    for seed in (-1, 1.5, "seven"):
        assert str(seed) in in_node(package, SCENARIO, seed=seed)["message"]
    assert in_node(package, 3)["error"] == "TypeError"


def test_the_package_names_its_files_its_version_and_its_types(package: Path) -> None:
    described = json.loads((package / "package.json").read_text(encoding="utf-8"))
    cargo = (HOUSE / "Cargo.toml").read_text(encoding="utf-8")
    assert f'version = "{described["version"]}"' in cargo
    for place in (described["exports"]["."]["types"], described["exports"]["."]["default"], "./element.js"):
        assert (package / place).is_file()
    listed = [file.name for pattern in described["files"] for file in package.glob(pattern)]
    assert {*listed, "package.json"} == {file.name for file in package.iterdir()}
    assert "\n  toml_edit " in (package / "THIRD-PARTY.txt").read_text(encoding="utf-8")


class Quiet(SimpleHTTPRequestHandler):
    """Prints nothing."""

    def log_message(self, *_: object) -> None:
        """Leave it out."""


@pytest.fixture
def served(package: Path) -> Iterator[str]:
    """Serve the folder of the package and return its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=package.parent)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("given", ["by its address", "as text"])
def test_a_page_embeds_the_playground_with_a_scenario(package: Path, served: str, browser: Browser, given: str) -> None:
    own = SCENARIO.replace('"5Mbps"', '"4Mbps"')
    (package.parent / "own.toml").write_text(own, encoding="utf-8")
    inside = "" if given == "by its address" else own
    scenario = 'scenario="own.toml"' if given == "by its address" else ""
    (package.parent / "course.html").write_text(
        f'<!doctype html><script type="module" src="narrows/element.js"></script>'
        f'<narrows-playground {scenario} height="700">{inside}</narrows-playground>',
        encoding="utf-8",
    )
    expected = nw.Scenario(tomllib.loads(own)).run(replications=1).summary["digest"]
    window = browser.new_page()
    window.goto(f"{served}/course.html")
    digest = window.frame_locator("narrows-playground >> iframe").locator("#digest:text-matches('^sha256:')")
    digest.wait_for(state="attached", timeout=60_000)
    assert digest.inner_text() == expected
    window.close()
