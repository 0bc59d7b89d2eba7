"""The only interface to the extension: no other module imports `narrows._core`, whose stub lists what it has."""

from narrows._core import *  # noqa: F403
