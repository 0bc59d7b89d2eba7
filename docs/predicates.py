# SPDX-License-Identifier: Apache-2.0
"""The tests and quantities of `claims.toml` as text: formulas in backticks, lists of parts, and the conditions."""

from __future__ import annotations

import math
import tomllib
from typing import TYPE_CHECKING, Any

from narrows._internal.reproduction.quantity import bound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows._internal.reproduction.registry import StudyFolder

    Table = Mapping[str, Any]


class Formulas:
    """The tests of one study, as they are written for one size."""

    def __init__(self, study: StudyFolder, size: str) -> None:
        """Read `claims.toml` of the study, with the words of the size."""
        content = tomllib.loads(study.claims_file.read_text(encoding="utf-8"))
        words = content.get("words", {})
        of_size = {**words.get("full", {}), **words.get("medium", {})} if size == "medium" else words.get(size, {})
        content = _bound(content, of_size)
        self.lists: Mapping[str, Sequence[Any]] = content.get("lists", {})
        self.named: Mapping[str, Table] = content.get("quantities", {})
        self.claims: Mapping[str, Table] = {claim["id"]: claim for claim in content["claims"]}

    def direction(self, claim: str) -> list[str]:
        """Return the lines of a Markdown list with the test of a claim."""
        return self._test(self.claims[claim]["direction"], self.claims[claim].get("experiment", ""))

    def magnitude(self, claim: str) -> list[str]:
        """Return the lines of a Markdown list with the test of a claim's magnitude."""
        return self._test(self.claims[claim]["magnitude"], self.claims[claim].get("experiment", ""))

    def quantities(self) -> list[str]:
        """Return the lines of a Markdown list with the named quantities."""
        return [f"`{name}` is `{self._quantity(each, '')}`" for name, each in self.named.items()]

    def _test(self, table: Table, own: str) -> list[str]:
        if "each" in table:
            return self._under(table, own)
        for kind in ("all", "any"):
            if kind in table:
                if len(table[kind]) == 1:
                    return self._test(table[kind][0], own)
                many = len(table[kind])
                least = table.get("least", 1)
                head = f"all {many} of" if kind == "all" else f"at least {least} of {many}"
                return [f"{head}:", *_nested(self._test(each, own) for each in table[kind])]
        if "order" in table:
            sign = " ≤ " if table.get("or_equal") else " < "
            return [f"`{sign.join(self._quantity(each, own) for each in table['order'])}`"]
        for kind, how, at_most in (("rising", "rises", "does not fall"), ("falling", "falls", "does not rise")):
            if kind in table:
                said = at_most if table.get("or_equal") else how
                return [f"`{self._quantity(table[kind], own)}` {said} over {self._conditions(table['over'])}"]
        return [f"`{self._within(table['is'], table, own)}`"]

    def _under(self, table: Table, own: str) -> list[str]:
        conditions, inner = self._conditions(table["each"]), self._test(table["test"], own)
        count = math.prod(len(self._listed(each)) for each in table["each"].values())
        least = table.get("least", count)
        under = f"for each {conditions}" if least == count else f"for at least {least} of {count}: {conditions}"
        return [f"{inner[0]} {under}"] if len(inner) == 1 else [f"{under}, {inner[0]}", *inner[1:]]

    def _within(self, quantity: Any, table: Table, own: str) -> str:
        text = self._quantity(quantity, own)
        if "at_most" not in table:
            return f"{text} ≥ {_number(table['at_least'])}"
        low = f"{_number(table['at_least'])} ≤ " if "at_least" in table else ""
        return f"{low}{text} ≤ {_number(table['at_most'])}"

    def _quantity(self, table: Any, own: str, above: int = 0) -> str:
        """Return a quantity, in parentheses where the operator around it binds more tightly than its own, `above`."""
        if not isinstance(table, dict):
            return _number(table)
        if "named" in table:
            return f"{table['named']}{_where(table.get('where', {}), '()', all_names=True)}"
        for how, (sign, level) in OPERATORS.items():
            if how in table:
                first, second = table[how]
                # The second operand of a difference or a ratio needs parentheses where the first does not.
                text = f"{self._quantity(first, own, level)} {sign} {self._quantity(second, own, level + 1)}"
                return f"({text})" if level < above else text
        for how, written in FUNCTIONS.items():
            if how in table:
                return self._call(written, table[how], table.get("over"), own)
        if "constant" in table:
            return self._quantity(table["constant"], own, above)
        return self._ranked(table, own) if "rank" in table or "probability" in table else self._measured(table, own)

    def _ranked(self, table: Table, own: str) -> str:
        if "probability" in table:
            return f"P({self._within(table['probability'], table, own)})"
        at = ", ".join(f"{name} = {value}" for name, value in table["at"].items())
        among = f"{at} among {self._conditions(table['among'])}, best the {table['best']}"
        return f"rank({self._quantity(table['rank'], own)}; {among})"

    def _measured(self, table: Table, own: str) -> str:
        """Return a metric of a cell: in brackets are the condition and an experiment other than the claim's."""
        text = f"{table['measure']}{_where(table.get('where', {}), '[]', table.get('experiment', own), own)}"
        text = f"{table['over']}({text}; cells)" if "over" in table else text
        notes = [f"or {_number(table['missing'])} without one"] if "missing" in table else []
        notes += [f"at least from {_number(table['never'])} on"] if "never" in table else []
        return f"({', '.join([text, *notes])})" if notes else text

    def _call(self, name: str, parts: Any, over: Table | None, own: str) -> str:
        listed = parts if isinstance(parts, list) else [parts]
        text = ", ".join(self._quantity(each, own) for each in listed)
        return f"{name}({text}{f'; {self._conditions(over)}' if over else ''})"

    def _conditions(self, table: Table) -> str:
        texts = [f"{name} of {', '.join(_number(each) for each in self._listed(of))}" for name, of in table.items()]
        return " and ".join(texts)

    def _listed(self, value: str | Sequence[Any]) -> Sequence[Any]:
        """Return a list, that of a name, or alone the name that a condition is yet to replace."""
        return self.lists.get(value, [value]) if isinstance(value, str) else value


def _where(where: Table, brackets: str, experiment: str = "", own: str = "", *, all_names: bool = False) -> str:
    plain = set() if all_names else {"algorithm", "setup"}
    texts = [_number(value) if name in plain else f"{name} = {_number(value)}" for name, value in where.items()]
    texts += [f"experiment {experiment}"] if experiment != own else []
    return f"{brackets[0]}{', '.join(texts)}{brackets[1]}" if texts else ""


def _nested(parts: Any) -> list[str]:
    """Return the lines of a list one level further in, of the lines of each part."""
    return [f"  {'* ' if at == 0 else ''}{line}" for part in parts for at, line in enumerate(part)]


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _bound(value: Any, words: Table) -> Any:
    if isinstance(value, dict):
        return {bound(name, words): _bound(each, words) for name, each in value.items()}
    if isinstance(value, list):
        return [_bound(each, words) for each in value]
    return bound(value, words)


# How an operation is written, and how tightly it binds.
OPERATORS = {"plus": ("+", 1), "minus": ("-", 1), "times": ("*", 2), "ratio": ("/", 2)}
FUNCTIONS = {
    "ratio_of_means": "ratio_of_means",
    "sum": "sum",
    "mean": "mean",
    "max": "max",
    "min": "min",
    "correlation": "rank_correlation",
}
