# SPDX-License-Identifier: Apache-2.0
"""The only interface to the extension: no other module imports `narrows._core`, whose stub lists its content."""

from typing import TYPE_CHECKING, TypeAlias

from narrows._core import *  # noqa: F403

if TYPE_CHECKING:
    from narrows._core import _Given

    # The arguments with which the extension loads a scenario; only its stub names their type.
    Given: TypeAlias = _Given
