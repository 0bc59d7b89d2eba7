# SPDX-License-Identifier: Apache-2.0
"""The command line starts fast because it loads nothing heavy, and speaks on the right stream."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

ONE_SECOND = """\
duration = "1s"
[path]
rate = "2Mbps"
rtt = "20ms"
[[flows]]
algorithm = "cubic"
"""
HEAVY = {
    "numpy",
    "pyarrow",
    "scipy",
    "narrows._internal.report",
    "narrows._internal.run.results",
    "concurrent.futures",
    "email",
    "asyncio",
}
NEEDLESS = {
    "pandas", "scipy", "pyarrow.dataset", "pyarrow.compute", "email", "importlib.metadata", "statsmodels", "numpy.ma",
    "concurrent.futures", "html", "tempfile", "subprocess", "narrows.analysis.ranks",
    "narrows._internal.browser.lessons", "narrows._internal.run.workers",
}  # fmt: skip


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["nonsense"]])
def test_help_and_errors_load_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom narrows._internal.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_short_run_loads_no_part_of_a_library_that_it_does_without(tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(ONE_SECOND, encoding="utf-8")
    program = (
        "import sys\nfrom narrows._internal.cli import main\n"
        f"sys.argv = ['narrows', 'run', {str(scenario)!r}, '--out', {str(tmp_path / 'out')!r}, '--quiet']\n"
        f"main()\nprint(sorted({NEEDLESS!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
    assert (tmp_path / "out/report.html").is_file()


def test_a_command_leaves_pandas_alone_and_python_may_use_it(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    scenario = tmp_path / "s.toml"
    scenario.write_text(ONE_SECOND, encoding="utf-8")
    after = "print('pandas' in sys.modules and sys.modules['pandas'] is not None, file=sys.stderr)"
    arguments = ["run", str(scenario), "--out", str(tmp_path / "out"), "--quiet"]
    for call, imported in (
        (f"sys.argv = ['narrows', *{arguments!r}]; main()", "False"),
        ("nw.load(FILE).run().flows.to_pandas()", "True"),
    ):
        program = (
            "import sys\nimport narrows as nw\nfrom narrows._internal.cli import main\n"
            f"FILE = {str(scenario)!r}\n{call}\n{after}"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stderr.splitlines()[-1] == imported
    assert (tmp_path / "out/report.html").is_file()


def test_without_a_command_the_commands_are_listed(narrows: Narrows) -> None:
    done = narrows()
    assert (done.returncode, done.stdout) == (2, "")
    assert all(name in done.stderr for name in ("run", "compare", "reproduce"))


def test_help_is_a_result_and_a_usage_error_is_a_message(narrows: Narrows) -> None:
    asked = narrows("--help")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert {"run", "compare", "check", "list", "show", "report", "schema"} <= set(re.findall(r"\w+", asked.stdout))
    wrong = narrows("frobnicate")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "frobnicate" in wrong.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["run"],
        ["run", "x.toml", "--seed", "one"],
        ["run", "x.toml", "--replications", "0"],
        ["run", "x.toml", "--jobs", "0"],
        ["run", "x.toml", "--rep", "2"],
        ["compare"],
        ["compare", "newreno", "cubic", "newreno"],
        ["list", "everything"],
        ["study", "run", "x.toml"],
    ],
)
def test_arguments_that_make_no_sense_are_bad_input(narrows: Narrows, arguments: list[str]) -> None:
    done = narrows(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_option_that_a_command_lacks_is_answered_by_the_command(narrows: Narrows, more: list[str]) -> None:
    done = narrows("compare", "cubic", "--replicatons", "3", *more)
    assert done.returncode == 2
    assert done.stderr == "narrows compare: unknown option '--replicatons'; did you mean '--replications'?\n"


@pytest.mark.parametrize("arguments", [[b"check", b"\xff.toml"], [b"run", b"two-flows", b"--set", b"title=\xff"]])
def test_an_argument_that_is_no_text_is_bad_input(arguments: list[bytes]) -> None:
    whole = [sys.executable.encode(), b"-m", b"narrows", *arguments]
    done = subprocess.run(whole, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "xff" in done.stderr
    assert "not UTF-8" in done.stderr


@pytest.mark.parametrize(
    "module", ["narrows._internal.cli.program", "narrows._internal.cli.catalogue", "narrows._internal.library"]
)
def test_an_interrupt_while_modules_are_loaded_is_no_traceback(module: str) -> None:
    program = (
        "import signal, sys\n"
        # Programs that a shell starts in the background ignore interrupts.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from narrows._internal.cli import main\n"
        "sys.argv = ['narrows', 'list', 'scenarios']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "interrupted\n")


def test_the_package_gives_every_name_it_lists() -> None:
    import narrows

    assert all(getattr(narrows, name) is not None for name in narrows.__all__)
    assert set(narrows.__all__) <= set(dir(narrows))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = narrows.nonsense
