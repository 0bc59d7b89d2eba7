# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Only text that the user types names code that is executed; text in files never does.

Code, a scenario, a study, a suite and claims that leave a mark when they are executed lie beside, not below, what a
command is given. Their names are put in place of every text of every file that a command reads, and every command reads
them.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from claim_files import GOODPUT, claim, claims_file
from test_adversary import PAYLOAD, SUBJECT, narrows, seal_again

from narrows._internal.cli.shell import tree
from narrows._internal.evaluation.definition import ROW, SUITE
from narrows._internal.experiments.declared import names
from narrows._internal.experiments.keys import STUDY
from narrows._internal.experiments.plan import PLAN
from narrows._internal.external.trust import EVERYTHING, granted
from narrows._internal.files.format import FORMATS
from narrows._internal.files.json_objects import SEAL, sealed
from narrows._internal.files.manifest import MANIFEST
from narrows._internal.files.toml import to_toml
from narrows._internal.share.pack import LISTING, listing
from narrows._internal.typed import Typed, as_typed, beside, like

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACKAGE = Path(__file__).parents[3] / "python/narrows/_internal"
ALGORITHM = "flows.tested.algorithm"
CELLS = 'title = "A path"\nscenario = "base.toml"\nalgorithms = {}\nreplications = 2\n'
STUDY_TEXT = 'scenario = "base.toml"\nalgorithms = ["newreno", "aiad"]\nreplications = 2\n'
SUITE_TEXT = """\
title = "Small"
source = "a rule"
references = {}
[[rows]]
section = "1"
criterion = "It delivers"
cells = "path"
measure = "group.tested.goodput_bps"
predicate = {{ kind = "liveness", at_least = 1.0 }}
whose = "ours"
"""
# The arguments of a command that takes results of a kind; FOLDER stands for their folder. A command that continues
# results has the arguments that made them.
AGAIN = {
    "shards": [["study", "run", "sound/study.toml", "--shard", "1/2", "--out", "FOLDER/1"]],
    "suite": [["suite", "sound", "newreno", "--out", "FOLDER"]],
    "suite shards": [["suite", "sound", "newreno", "--shard", "1/2", "--out", "FOLDER/1"]],
    "reproduction": [["reproduce", "sound", "--out", "FOLDER"]],
    "reproduction shards": [["reproduce", "sound", "--shard", "1/2", "--out", "FOLDER/1"]],
    "trial": [["ab", "newreno", "aiad", "--scenario", "sound/base.toml", "--replications", "2", "--out", "FOLDER"]],
    "atlas": [["worst", "vegas", "--budget", "4", "--out", "FOLDER"]],
}
ONE = ["--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp"]
SHORT = ["--set", "duration=3s", "--set", "warmup=0s"]
MADE = {
    **AGAIN,
    **{
        kind: [
            [word.replace("1/2", f"{n}/2").replace("FOLDER/1", f"FOLDER/{n}") for word in AGAIN[kind][0]]
            for n in (1, 2)
        ]
        for kind in ("shards", "suite shards", "reproduction shards")
    },
    "run": [["run", "sound/run.toml", "--out", "FOLDER"]],
    "comparison": [["compare", "newreno", "aiad", "--scenario", "sound/base.toml", "--out", "FOLDER"]],
    "study": [["study", "run", "sound/study.toml", "--out", "FOLDER"]],
    "matrix": [["matrix", "newreno", "aiad", "--replications", "2", *ONE, *SHORT, "--out", "FOLDER"]],
}
JOINED = ("shards", "suite shards", "reproduction shards")
STUDIES = ("study", "matrix")
ANY = tuple(each for each in MADE if each not in JOINED)
# The archive of a forgery, which `pack` did not write.
FORGED = "forged.zip"
READING = {
    "report": {each: [["report", "FOLDER"]] for each in ANY},
    "figure": {each: [["figure", "FOLDER"]] for each in ANY},
    "pack": {each: [["pack", "FOLDER", "--out", "new.zip"]] for each in ANY},
    "verify": {each: [["pack", "FOLDER", "--out", "new.zip"], ["verify", FORGED]] for each in ANY},
    "export csv": {"run": [["export", "csv", "FOLDER", "--out", "new"]]},
    "export qlog": {"run": [["export", "qlog", "FOLDER", "--out", "new"]]},
    "export pcapng": {"run": [["export", "pcapng", "FOLDER", "--out", "new.pcapng"]]},
    "why": {"run": [["why", "FOLDER"]]},
    "playground": {"run": [["playground", "FOLDER", "--out", "new.html"]]},
    "study status": {each: [["study", "status", "FOLDER"]] for each in STUDIES},
    "study query": {each: [["study", "query", "FOLDER", "select * from cells"]] for each in STUDIES},
    "study replay": {each: [["study", "replay", "FOLDER", ""]] for each in STUDIES},
    "study resume": {each: [["study", "resume", "FOLDER", "--retry"]] for each in STUDIES},
    "study merge": {each: [["study", "merge", "FOLDER/1", "FOLDER/2", "--out", "new"]] for each in JOINED},
    "study run": {"shards": AGAIN["shards"]},
    "suite": {each: AGAIN[each] for each in ("suite", "suite shards")},
    "reproduce": {each: AGAIN[each] for each in ("reproduction", "reproduction shards")},
    "ab": {"trial": AGAIN["trial"]},
    "worst": {"atlas": AGAIN["atlas"]},
}
# Commands that have no option --quiet.
SILENT = {
    *("report", "figure", "pack", "verify", "check", "why", "playground", "export"),
    *(("study", "status"), ("study", "query"), ("study", "replay"), ("study", "check")),
}
# Commands that read a file which people write, and the files.
WRITTEN = {
    "run": ["base.toml"],
    "compare": ["base.toml"],
    "check": ["base.toml"],
    "study run": ["study.toml"],
    "study check": ["study.toml"],
    "suite": ["suite.toml", "path.toml"],
    "ab": ["base.toml", "suite.toml", "path.toml"],
    "reproduce": ["claims.toml", "one.toml"],
    "playground": ["base.toml"],
}
# The inputs of other commands: none, a kernel that the user names, or measurements, which name no code; `emulate` reads
# its file as `run` does, and would hold its hosts for the time of the scenario.
ELSEWHERE = {
    *(
        "",
        "emulate",
        "study",
        "export",
        "linux",
        "linux build",
        "linux pack",
        "linux get",
        "linux status",
        "list",
        "show",
        "import",
        "identify",
        "doctor",
        "new",
    ),
    *("completion", "man", "schema", "deploy", "matrix"),
}


class Bench:
    """A folder with sound files, and with those that leave a mark."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.marker = folder, folder / "executed"
        self._write("sound", '["newreno"]', '["newreno", "aiad"]', "newreno")
        code = f"{folder}/evil/evil.py:Mine"
        self._write("evil", json.dumps([code]), json.dumps(["newreno", code]), code)
        (folder / "evil/evil.py").write_text(PAYLOAD.format(marker=str(self.marker)), encoding="utf-8")
        # As code, as files that name it, and as folders with such files.
        self.names = [
            code,
            f"{folder}/evil/run.toml",
            f"{folder}/evil/study.toml",
            f"{folder}/evil",
            "./evil/evil.py:Mine",
        ]
        self.scenario = (folder / "evil/run.toml").read_text(encoding="utf-8")

    def _write(self, name: str, references: str, algorithms: str, algorithm: str) -> None:
        home = self.folder / name
        home.mkdir()
        subjects = '\n[words]\nsubjects = ["cubic"]\n'
        found = claim("delivers", "It delivers", f"{{ is = {GOODPUT}, at_least = 1.0 }}")
        for file, text in {
            "base.toml": SUBJECT,
            "run.toml": SUBJECT.replace('"subject"', json.dumps(algorithm)),
            "study.toml": STUDY_TEXT.replace('["newreno", "aiad"]', algorithms),
            "suite.toml": SUITE_TEXT.format(references),
            "path.toml": CELLS.format('"{subjects}"') + subjects,
            "one.toml": CELLS.format(algorithms) + "[sizes.quick]\n",
            "claims.toml": claims_file(904, found),
        }.items():
            (home / file).write_text(text, encoding="utf-8")

    def made(self, kind: str) -> Path:
        """Return the sound results of a kind, which are made once."""
        place = self.folder / "made" / kind
        if not place.exists():
            for words in MADE[kind]:
                status, said = self.run(words, place)
                assert status in {0, 1}, (words, said)
        return place

    def unfinished(self, kind: str) -> Path:
        """Return the results of a kind without their cells, which a command that continues them would run."""
        place = self.folder / "unfinished" / kind
        if not place.exists():
            shutil.copytree(self.made(kind), place)
            for file in [*place.rglob("cells.parquet"), *place.rglob("*.jsonl"), *place.rglob("runs/*.parquet")]:
                if kind in {"study", "matrix", "shards", "suite", "suite shards"}:
                    file.unlink()
        return place

    def pack(self, folder: Path, changed: Path) -> None:
        """Write an archive as `pack` does, but of a forgery: with the digest of its changed file."""
        seal_again(folder, changed)
        taken = {each.relative_to(folder).as_posix(): each for each in folder.rglob("*") if each.is_file()}
        with zipfile.ZipFile(self.folder / FORGED, "w") as archive:
            for place, file in taken.items():
                archive.write(file, place)
            if not {PLAN, MANIFEST} & taken.keys():
                archive.writestr(LISTING, listing(taken))

    def run(self, words: list[str], folder: Path) -> tuple[int, str]:
        """Run a command in this folder, with the folder of the results in its place."""
        shown = [str(folder) if each == "FOLDER" else each.replace("FOLDER/", f"{folder}/") for each in words]
        quiet = [] if words[0] in SILENT or tuple(words[:2]) in SILENT else ["--quiet"]
        for each in ("new", "new.zip", "new.html", "new.pcapng"):
            file = self.folder / each
            shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
        return narrows(*shown, *quiet)

    def refuses(self, words: list[str], folder: Path, planted: object) -> None:
        """Run a command, whatever its outcome, and check that nothing was executed."""
        status, said = self.run(words, folder)
        assert "unknown option" not in said, said
        assert not self.marker.exists(), (words, planted)
        # 4: cells failed, as their scenario is another one; an internal error has the same status.
        assert status in {0, 1, 2, 4}, said
        assert "internal error" not in said, said


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("typed")
        patch.chdir(folder)
        yield Bench(folder)


def texts(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every text, but of one text alone in each list."""
    inner = (
        content.items() if isinstance(content, dict) else enumerate(content[:1]) if isinstance(content, list) else ()
    )
    for key, each in inner:
        if isinstance(each, str):
            yield (*place, key)
        yield from texts(each, (*place, key))


def planted(folder: Path) -> Iterator[tuple[Path, tuple[Any, ...]]]:
    """Yield every JSON file of a folder with a place in it."""
    seen: set[object] = set()
    for file in sorted(folder.rglob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        content.pop(SEAL, None)
        for place in texts(content):
            # A shard, a side or a run is like the next.
            if (pattern := (file.name, place)) not in seen:
                seen.add(pattern)
                yield file.relative_to(folder), place


def with_planted(file: Path, place: tuple[Any, ...], new: str) -> str:
    """Return the content of a JSON file with `new` in a place, sealed if the file is."""
    content = json.loads(file.read_text(encoding="utf-8"))
    is_sealed = content.pop(SEAL, None) is not None
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return json.dumps(sealed(content) if is_sealed else content)


def test_every_command_and_every_kept_file_is_tried(bench: Bench) -> None:
    commands = {" ".join(each.path) for each in tree()}
    assert commands == {*READING, *WRITTEN} | ELSEWHERE
    assert not {*READING, *WRITTEN} & ELSEWHERE
    tried = {file.name for kind in MADE for file in bench.made(kind).rglob("*.json")}
    missing = {each for each in FORMATS if each.endswith(".json")} - tried
    # Studies of Narrows alone have ledgers of two sizes; the last is of claims of one's own.
    assert missing <= {"ledger-quick.json", "tables-quick.json", "experiments.json"}, missing


# Of the places that name nothing so many are tried.
SOME = 2
# Of all places so many are tried with each name in the long test.
MOST = 2
RUNNING = ("study merge", "study run", "study resume", "suite", "reproduce", "ab", "worst", "verify")
CASES = [(name, kind) for name, found in READING.items() for kind in found]


def nothing_is_executed(bench: Bench, command: str, kind: str, *, everywhere: bool) -> None:
    """Plant names of code in results of a kind, and run a command on each forgery."""
    made = bench.made(kind) if command == "verify" else bench.unfinished(kind)
    place, found = bench.folder / "planted", list(planted(made))
    naming = [each for each in found if each[1][-1] in NAMING or each[0].name in ABOUT]
    others = [each for each in found if each[1][-1] not in NAMING and each[0].name not in ABOUT]
    for number, new in enumerate(bench.names):
        if everywhere:
            chosen = found[number :: len(found) // MOST + len(bench.names)]
        else:
            # Code itself in each place that names something; all else in some of them.
            chosen = naming if new == bench.names[0] and command in RUNNING else naming[number::5]
            chosen = chosen + others[number :: len(found) // SOME + 1]
        for file, where in chosen:
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(made, place)
            # The text of a scenario must be one to be run.
            is_scenario = where[-1] == "text" and new == bench.names[0]
            text = with_planted(place / file, where, bench.scenario if is_scenario else new)
            # Every shard says the same.
            files = [place / file, *(place.glob(f"*/{Path(*file.parts[1:])}") if kind in JOINED else ())]
            for each in files:
                each.write_text(text if each == place / file else _like(each, text), encoding="utf-8")
            if command == "verify":
                bench.pack(place, place / file)
            for words in READING[command][kind]:
                bench.refuses(words, place, (str(file), where, new))


@pytest.mark.parametrize(("command", "kind"), [each for each in CASES if each[0] in RUNNING])
def test_no_text_of_results_names_code_that_is_executed(bench: Bench, command: str, kind: str) -> None:
    nothing_is_executed(bench, command, kind, everywhere=False)


@pytest.mark.full("places that name nothing, and commands that only read; above are those that name something")
@pytest.mark.parametrize(("command", "kind"), CASES)
def test_no_other_text_of_results_names_code_that_is_executed(bench: Bench, command: str, kind: str) -> None:
    nothing_is_executed(bench, command, kind, everywhere=True)


# Files that describe a folder, and keys that name something.
ABOUT = ("suite.json", "reproduction.json", "shard.json", "search.json", "trial.json")
NAMING = ("name", "subject", "study", "suite", "file", "directory", "commands", "written", "command", "text")


def _like(file: Path, text: str) -> str:
    """Return the same text for another shard, which differs in its number."""
    own = json.loads(file.read_text(encoding="utf-8"))
    new = json.loads(text)
    if isinstance(own.get("shard"), dict) and isinstance(new.get("shard"), dict):
        new["shard"]["shard"] = own["shard"]["shard"]
        return json.dumps(new)
    return json.dumps(own)


def forms(bench: Bench) -> list[Any]:
    """Return values that name code, of every form that a key may have."""
    code = bench.names[0]
    return [
        *bench.names,
        [code],
        ["newreno", code],
        {ALGORITHM: code},
        {ALGORITHM: ["newreno", code]},
        {"one": {"values": {"a": {ALGORITHM: code}, "b": {ALGORITHM: "newreno"}}}},
        {"subjects": ["newreno", code]},
        {"quick": {"algorithms": [code]}},
        {"quick": {"set": {ALGORITHM: code}}},
    ]


def command_on(command: str, file: str) -> list[str]:
    """Return the arguments with which a command reads a file that people write."""
    return {
        "compare": ["compare", "newreno", "aiad", "--scenario", "changed/base.toml", "--out", "new"],
        "study run": ["study", "run", "changed/study.toml", "--shard", "1/2", "--out", "new"],
        "suite": ["suite", "changed", "newreno", "--shard", "1/2", "--out", "new"],
        "reproduce": ["reproduce", "changed", "--shard", "1/2", "--out", "new"],
        "ab": ["ab", "newreno", "aiad", "--replications", "1", "--out", "new"]
        + (["--scenario", "changed/base.toml"] if file == "base.toml" else ["--suite", "changed"]),
        "playground": ["playground", "changed/base.toml", "--out", "new.html"],
    }.get(command, [*command.split(), f"changed/{file}", *([] if command.endswith("check") else ["--out", "new"])])


def keys_of(file: str) -> list[tuple[str, ...]]:
    """Return the keys of a file that people write, from their declarations."""
    if file == "base.toml":
        return [
            ("title",),
            ("flows", "algorithm"),
            ("flows", "source"),
            ("path", "rate"),
            ("path", "queue"),
            ("record",),
        ]
    if file == "suite.toml":
        return [(each,) for each in names(SUITE) if each != "rows"] + [("rows", each) for each in names(ROW)]
    if file == "claims.toml":
        return [
            ("title",),
            ("experiments",),
            ("experiments", "one"),
            ("claims",),
            ("claims", "experiment"),
            ("variants",),
        ]
    return [(each,) for each in names(STUDY)]


FILES = [(name, file) for name, files in WRITTEN.items() for file in files]


@pytest.mark.parametrize(("command", "file"), [each for each in FILES if each[0] in {*RUNNING, "run"}])
def test_no_key_of_a_file_that_people_write_names_code_elsewhere(bench: Bench, command: str, file: str) -> None:
    no_key_is_executed(bench, command, file, [1, 4, 6, 7])


@pytest.mark.full("further forms of keys; the test above has those that a list of algorithms or a path may have")
@pytest.mark.parametrize(("command", "file"), FILES)
def test_no_other_form_of_a_key_names_code_elsewhere(bench: Bench, command: str, file: str) -> None:
    no_key_is_executed(bench, command, file, range(0, len(forms(bench)), 3))


def no_key_is_executed(bench: Bench, command: str, file: str, wanted: Iterable[int]) -> None:
    """Plant names of code in each key of a file, in some forms, and run a command on each."""
    chosen = [forms(bench)[each] for each in wanted]
    for key in keys_of(file):
        for value in chosen:
            shutil.rmtree(bench.folder / "changed", ignore_errors=True)
            shutil.copytree(bench.folder / "sound", bench.folder / "changed")
            content = tomllib.loads((bench.folder / "sound" / file).read_text(encoding="utf-8"))
            inner: Any = content
            for each in key[:-1]:
                inner = inner[each][0] if isinstance(inner[each], list) else inner[each]
            inner[key[-1]] = value
            try:
                text = to_toml(content)
            except (TypeError, ValueError):
                continue
            (bench.folder / "changed" / file).write_text(text, encoding="utf-8")
            bench.refuses(command_on(command, file), bench.folder, (file, key, value))


def test_what_is_planted_is_executed_where_the_user_names_it(bench: Bench) -> None:
    """The mark is left by each of the planted things: a test that could not fail would show nothing."""
    code, run, study, folder, relative = bench.names
    for words in (
        ["run", run, "--out", "new"],
        ["compare", code, "--scenario", "sound/base.toml", "--replications", "1", "--out", "new"],
        ["run", "sound/run.toml", "--set", f"flows.tested.algorithm={relative}", "--out", "new"],
        ["study", "run", study, "--out", "new"],
        ["suite", folder, "newreno", "--out", "new"],
        ["suite", "sound", relative, "--out", "new"],
        ["reproduce", folder, "--out", "new"],
        ["ab", "newreno", code, "--scenario", "sound/base.toml", "--replications", "2", "--out", "new"],
    ):
        status, said = bench.run(words, bench.folder)
        assert bench.marker.exists(), (words, status, said)
        bench.marker.unlink()


def test_only_the_boundary_makes_what_is_typed_and_one_function_grants() -> None:
    """The parser of the command line and the check of arguments mark; a class in the user's process names itself."""
    where: dict[str, set[str]] = {"Typed(": set(), "as_typed(": set(), "isinstance(_, Typed)": set(), "Trust(": set()}
    patterns = {
        "Typed(": r"(?<!class )\bTyped\(",
        "as_typed(": r"(?<!def )\bas_typed\(",
        "isinstance(_, Typed)": r"isinstance\(\w+, Typed\)",
        "Trust(": r"(?<!class )\bTrust\((?!within)",
    }
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for name, pattern in patterns.items():
            if re.search(pattern, text):
                where[name].add(file.relative_to(PACKAGE).as_posix())
    assert where["Typed("] == {"typed.py", "external/algorithm.py"}
    assert where["as_typed("] == {"typed.py", "arguments.py", "cli/program.py"}
    assert where["isinstance(_, Typed)"] == {"typed.py", "external/source.py", "external/trust.py"}
    # A scenario made in Python has the folder that its argument names.
    assert where["Trust("] == {"external/trust.py", "run/scenario.py"}


def test_what_was_read_grants_nothing(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    read, file = "./mine.py:Mine", str(tmp_path / "scenario.toml")
    change = f"flows.a.algorithm={read}"
    assert granted(file, [read], [change]).files == ()
    assert granted(file, [read], [change]).changes == (0, 0)
    assert granted(Typed(file)).files == (str(tmp_path),)
    assert granted(None, [Typed(read)]).files == (str(Path.cwd() / "mine.py"),)
    found = granted(None, (), [change, Typed(change), Typed("duration=3s"), change], tmp_path)
    assert (found.files, found.changes) == ((str(tmp_path / "mine.py"),), (1, 3))
    assert granted(file, trust=True) == EVERYTHING
    # Text that is made of what was typed was not; a file may name one beside it, but none elsewhere.
    assert not isinstance(f"{Typed(read)}", Typed)
    assert isinstance(like(Typed(file), read), Typed)
    assert not isinstance(like(file, read), Typed)
    assert isinstance(beside(Typed(file), "below/other.toml"), Typed)
    assert not isinstance(beside(Typed(file), "../other.toml"), Typed)
    assert granted(Typed(file), beside=tmp_path.parent / "base.toml").files == (str(tmp_path),)
    assert [type(each) for each in as_typed(["a", Path("b"), 1])] == [Typed, type(Path()), int]
