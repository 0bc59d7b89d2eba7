# SPDX-License-Identifier: Apache-2.0
"""A scenario built in Python means the same as one written by hand."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrows._internal.files.toml import to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = TEXT | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=10)


@given(st.dictionaries(TEXT, VALUES))
def test_what_is_written_reads_back_the_same(table: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(table)) == table


def test_a_value_without_a_form_is_refused() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        to_toml({"seed": None})
