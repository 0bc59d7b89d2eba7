"""The command `narrows`: results go to standard output, messages to standard error."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from narrows.cli.arguments import parser
from narrows.cli.status import BAD_INPUT, DONE, INTERNAL, INTERRUPTED
from narrows.core import AlgorithmError, RunError, ScenarioError
from narrows.errors import InputError, Interrupted, OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the name of the program; None means those of the process.

    Returns:
        The exit status: 0 done, 1 an expectation failed, 2 bad input, 3 interrupted, 4 internal error.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = parser().parse_args(given)
    arguments.given = given
    try:
        status: int = arguments.command(arguments)
        sys.stdout.flush()
    except (AlgorithmError, InputError, OutputError, ScenarioError) as error:
        return _say(BAD_INPUT, str(error))
    except (Interrupted, KeyboardInterrupt) as error:
        return _say(INTERRUPTED, f"interrupted: {str(error) or 'nothing was kept'}")
    except BrokenPipeError:
        # The reader of the output has closed it. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except RunError as error:
        return _internal(str(error), given)
    except Exception as error:  # noqa: BLE001  # the last line of defence: no traceback reaches a user
        return _internal(f"{type(error).__name__}: {error} ({_place(error)})", given)
    return status


def _internal(problem: str, replay: Sequence[str]) -> int:
    return _say(INTERNAL, f"internal error: {problem}\nreplay with: {shlex.join(['narrows', *replay])}")


def _say(status: int, message: str) -> int:
    print(message.rstrip("\n"), file=sys.stderr)
    return status


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "no trace"
