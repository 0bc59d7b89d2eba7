"""What can go wrong, apart from the scenario and the run itself, whose errors come from the extension."""


class OutputError(Exception):
    """The place for the results cannot be used: it is taken, no folder, or not writable."""


class Interrupted(Exception):  # noqa: N818  # it is no error: somebody wanted it
    """The work was stopped before anything had finished, so there is nothing to keep."""


class ReportError(Exception):
    """The results are written, but no report could be built from them."""


class InputError(Exception):
    """A file that somebody named cannot be read."""

    def __init__(self, file: str, problem: str) -> None:
        """Say which file and why not."""
        super().__init__(f"{file}: {problem}")
        self.diagnostics = [{"file": file, "line": None, "column": None, "message": problem}]
