# SPDX-License-Identifier: Apache-2.0
"""The package of npm: it is installed, node gives the digests of the command line, and a page embeds the playground."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal.browser.page import MODULE, Experiment, page
from optional import WASM, require
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

FILE = HOUSE / "python/narrows/_internal/browser" / MODULE
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
import {{ readFileSync }} from "node:fs";
const [scenario, options] = JSON.parse(process.argv[2]);
const controllers = options.controllers ?? {{}};
for (const file of Object.keys(controllers)) {{
  if (typeof controllers[file] === "string") controllers[file] = readFileSync(controllers[file]);
}}
try {{
  const {{ title }} = await describe(scenario, options);
  const {{ digest, summary, replications, series }} = await run(scenario, options);
  const curves = series.map(({{ kind, name, columns }}) => [kind, name, columns.time_s.length]);
  console.log(JSON.stringify({{ title, digest, summary, replications, curves }}));
}} catch (error) {{
  console.log(JSON.stringify({{ error: error.name, message: error.message, diagnostics: error.diagnostics }}));
}}
"""
# A program in TypeScript for node, without the types of pages; what must not compile is marked as expected not to.
TYPED = """\
import { run, describe, load, ScenarioError, type Result, type RunOptions, type Series } from "narrows";
declare const console: { log(text: string): void };
const scenario: string = %SCENARIO%;
const times: number[] = [];
const progress = (simulated_s: number) => times.push(simulated_s);
const controllers = { "mine.wasm": new Uint8Array(8) };
const options: RunOptions = { seed: 7n, set: { "path.rate": '"4Mbps"' }, controllers, replications: 2, progress };
const result: Result = await run(scenario, options);
const count: number = result.replications.length;
const goodput: number | null | undefined = result.summary.groups["one"]?.["goodput_bps"];
const first: Series | undefined = result.series[0];
const columns: [string, Float64Array][] = Object.entries(first?.columns ?? {});
const { title, duration_s } = await describe(scenario);
const again: object = await load();
let line: number | null = null;
try {
  await describe("path = 3");
} catch (error) {
  if (error instanceof ScenarioError) line = error.diagnostics[0]?.line ?? null;
}
async function refused(): Promise<void> {
  // @ts-expect-error: a seed is a number
  await run(scenario, { seed: "7" });
  // @ts-expect-error: a scenario is a text
  await run({ duration: "20s" });
  // @ts-expect-error: a controller is its bytes
  await run(scenario, { controllers: { "mine.wasm": "mine.wasm" } });
  // @ts-expect-error: a description has no replications
  await describe(scenario, { replications: 2 });
  // @ts-expect-error: there is no such option
  await run(scenario, { sed: 7 });
}
const made = typeof refused === "function" && typeof again === "object";
const typed = made && typeof goodput === "number" && columns.length > 0 && count === 2;
console.log(JSON.stringify({ digest: result.digest, title, duration_s, line, typed, progress: times.length > 0 }));
"""
# A page that embeds the playground.
ELEMENT = """\
import "narrows/element";
import type { NarrowsPlayground } from "narrows/element";
const element: NarrowsPlayground | null = document.querySelector("narrows-playground");
element?.setAttribute("height", "900");
"""
STRICT = (
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--target",
    "es2022",
    "--module",
    "nodenext",
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Assemble the package; the tests are skipped where the module is missing or does not belong to the sources."""
    require("playground")
    folder = tmp_path_factory.mktemp("npm")
    written = folder / "page.html"
    written.write_text(page(Experiment(SCENARIO, "short")), encoding="utf-8")
    subprocess.run([HOUSE / "crates/playground/package.sh", FILE, folder / "narrows", written], check=True)
    return folder / "narrows"


def in_node(package: Path, scenario: object, **options: object) -> Any:
    """Return what a program in node finds, or its error."""
    program = package.parent / "program.mjs"
    program.write_text(PROGRAM.format(module=json.dumps((package / "index.js").as_uri())), encoding="utf-8")
    command = [require("node"), str(program), json.dumps([scenario, options])]
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


def test_replications_give_the_digest_of_the_command_line_and_a_summary_each(package: Path) -> None:
    expected = nw.Scenario(tomllib.loads(SCENARIO)).run(replications=3).summary
    found = in_node(package, SCENARIO, replications=3)
    assert found["digest"] == expected["digest"]
    goodputs = [each["groups"]["one"]["goodput_bps"] for each in found["replications"]]
    assert len(set(goodputs)) == 3
    assert sum(goodputs) / 3 == pytest.approx(expected["groups"]["one"]["goodput_bps"]["mean"], rel=1e-12)
    assert found["summary"] == found["replications"][0]
    for wrong in (0, -1, 1.5, "2", 1e9):
        message = in_node(package, SCENARIO, replications=wrong)["message"]
        assert "replications: expected a whole number from 1 to 10000" in message


def test_a_controller_in_webassembly_is_taken_by_the_name_of_its_file(package: Path, tmp_path: Path) -> None:
    module = tmp_path / "mine.wasm"
    flags = ["--edition", "2024", "-O", "--crate-type", "cdylib", "--target", WASM, "-C", "link-arg=--export-table"]
    source = HOUSE / "crates/abi/tests/newreno.rs"
    subprocess.run([require("wasm"), *flags, "-o", module, source], check=True)
    own = SCENARIO.replace('"cubic"', '"./mine.wasm:newreno"')
    (tmp_path / "own.toml").write_text(own, encoding="utf-8")
    digest = nw.load(str(tmp_path / "own.toml")).run(replications=1).summary["digest"]
    controllers = {"mine.wasm": str(module)}
    assert in_node(package, own, controllers=controllers)["digest"] == digest
    subject = {"subject": "./mine.wasm:newreno", "controllers": controllers}
    assert in_node(package, SCENARIO.replace('"cubic"', '"subject"'), **subject)["digest"] == digest
    assert "is not open in this page" in in_node(package, own)["message"]
    # A change of a key goes another way, and a file that is no module and a value that is no content have messages.
    assert in_node(package, own, controllers=controllers, set={"path.rate": '"4Mbps"'})["digest"] != digest
    no_module = {"mine.wasm": str(tmp_path / "own.toml")}
    assert "is no WebAssembly module" in in_node(package, own, controllers=no_module)["message"]
    assert "expected the bytes of mine.wasm" in in_node(package, own, controllers={"mine.wasm": 3})["message"]


def test_every_export_has_a_type_and_every_type_of_a_value_an_export() -> None:
    folder = HOUSE / "crates/playground/npm"
    form = r"^export (?:async )?(?:function|class|const) (\w+)"
    exported, typed = (
        set(re.findall(form, (folder / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("index.js", "index.d.ts")
    )
    assert exported == typed == {"run", "describe", "load", "ScenarioError"}
    for name, entry in json.loads((folder / "package.json").read_text(encoding="utf-8"))["exports"].items():
        assert name.endswith(".wasm") or (folder / entry["types"]).is_file()
    # Each option that is read is typed, and the other way round.
    code = (folder / "index.js").read_text(encoding="utf-8")
    (prepared,) = re.findall(r"^function prepared\(engine, scenario, \{(.*)\}\)", code, re.MULTILINE)
    read = {*re.findall(r"\boptions\.(\w+)", code), *(each.split()[0] for each in prepared.split(","))}
    types = (folder / "index.d.ts").read_text(encoding="utf-8")
    options = types.partition("interface Options")[2].partition("/** The values")[0]
    assert read == set(re.findall(r"^  (\w+)\?:", options, re.MULTILINE))


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


def tool(name: str, *arguments: object, folder: Path) -> str:
    """Return the output of a command in a folder; skip the test if the command is missing."""
    command = [require(name), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a program that has installed the package from its archive."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{ "name": "project", "private": true, "type": "module" }', encoding="utf-8")
    packed = tool("npm", "pack", "--silent", "--pack-destination", folder, package, folder=folder).strip()
    quiet = ("--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    tool("npm", "install", *quiet, folder / packed, folder=folder)
    return folder


def shown() -> str:
    """Return the program that the README of the package shows."""
    text = (HOUSE / "crates/playground/npm/README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```js\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(program)


def digest_of(program: str) -> str:
    """Return the digest of the scenario in the README's program, with its seed."""
    (text,) = re.findall(r"const scenario = `\n(.*?)`;", program, re.DOTALL)
    (seed,) = re.findall(r"\bseed: (\d+)", program)
    return str(nw.Scenario(tomllib.loads(text)).run(replications=1, seed=int(seed)).summary["digest"])


def test_the_archive_has_every_file_of_the_package(package: Path, project: Path) -> None:
    installed = project / "node_modules/narrows"
    assert {file.name for file in installed.iterdir()} == {file.name for file in package.iterdir()}


def test_the_example_of_the_readme_runs_as_shown(project: Path) -> None:
    program = shown()
    (project / "example.js").write_text(program, encoding="utf-8")
    digest, goodput, name, length = tool("node", "example.js", folder=project).split()
    assert digest == digest_of(program)
    # One flow on 10 Mbps for 20 s; the first series is its own, with a row for each interval.
    assert 8e6 < float(goodput) < 10e6
    assert name == "one[0]"
    assert int(length) > 10


def test_the_example_of_the_readme_compiles_as_typescript(project: Path) -> None:
    program = shown()
    (project / "example.ts").write_text(program, encoding="utf-8")
    tool(
        "tsc",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--outDir",
        "built",
        "example.ts",
        folder=project,
    )
    assert digest_of(program) in tool("node", "built/example.js", folder=project)


def test_the_types_hold_in_a_strict_program_without_those_of_pages(project: Path) -> None:
    (project / "element.ts").write_text(ELEMENT, encoding="utf-8")
    tool("tsc", *STRICT, "--lib", "es2022,dom", "--noEmit", "element.ts", folder=project)
    (project / "typed.ts").write_text(TYPED.replace("%SCENARIO%", json.dumps(SCENARIO)), encoding="utf-8")
    tool("tsc", *STRICT, "--lib", "es2022", "--outDir", "built", "typed.ts", folder=project)
    found = json.loads(tool("node", "built/typed.js", folder=project))
    slower = {**tomllib.loads(SCENARIO), "seed": 7}
    slower["path"] = {**slower["path"], "rate": "4Mbps"}
    title = found.pop("title")
    assert isinstance(title, str)
    assert found == {
        "digest": nw.Scenario(slower).run(replications=2).summary["digest"],
        "duration_s": 6,
        "line": 1,
        "typed": True,
        "progress": True,
    }


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
