"""The file of a published study's claims: read strictly, every fault with the key path to it."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from narrows import core
from narrows.errors import InputError
from narrows.files.text import read_text
from narrows.reproduction.claims import (
    AS_DESCRIBED,
    Calibration,
    Claim,
    Half,
    Judge,
    Line,
    Magnitude,
    Picture,
    Published,
    Table,
    Variant,
)
from narrows.reproduction.computed import (
    Chosen,
    Combined,
    Constant,
    Correlation,
    Folded,
    Named,
    Probability,
    Ranked,
)
from narrows.reproduction.predicate import Bounded, Ordered, Several, Test
from narrows.reproduction.quantity import FOLD, Measured, Number, Quantity, bound
from narrows.study.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

STRENGTHS = ("strong", "medium", "weak")


def read_claims(file: Path, size: str = "quick") -> Published:
    """Read the claims of a study.

    Args:
        file: The file `claims.toml`.
        size: "quick", "medium" or "full", for texts that differ between them.

    Raises:
        InputError: The file cannot be read, or has an error.
        ScenarioError: It is not valid TOML.
    """
    return _Reader(str(file), size).published(Document(read_text(file), str(file)).root().plain)


class _Reader:
    def __init__(self, file: str, size: str) -> None:
        self.file, self.size = file, size
        self.named: Mapping[str, Any] = {}
        self.lists: Mapping[str, Any] = {}

    def published(self, content: Mapping[str, Any]) -> Published:
        needed = ("title", "number", "source", "question", "experiments")
        optional = ("packet_hops", "words", "lists", "quantities", "variants", "judges", "claims", *REPRODUCED)
        self.keys(content, "", needed, optional)
        content = self.worded(content)
        self.named = self.entries(content.get("quantities", {}), "quantities")
        self.lists = self.entries(content.get("lists", {}), "lists")
        experiments = self.texts(content["experiments"], "experiments")
        variants = [self.variant(each, path) for path, each in self.tables(content, "variants")]
        judges = [self.judge(each, path, experiments) for path, each in self.tables(content, "judges")]
        claims = [
            self.claim(each, f"claims.{each['id']}" if isinstance(each.get("id"), str) else path, experiments)
            for path, each in self.tables(content, "claims")
        ]
        twice = {claim.id for claim in claims if sum(other.id == claim.id for other in claims) > 1}
        if twice:
            self.fault("claims", f"{min(twice)} is there twice")
        pictures = [self.picture(each, path, experiments) for path, each in self.tables(content, "figures")]
        forms = [AS_DESCRIBED, *(each.name for each in variants), *(each.name for each in judges)]
        tables = [self.table(each, path, experiments, forms) for path, each in self.tables(content, "tables")]
        calibrations = [
            self.calibration(each, path, tables, forms) for path, each in self.tables(content, "calibrations")
        ]
        for variant in variants:
            for name in variant.claims:
                self.one_of(name, f"variants.{variant.name}.claims", (claim.id for claim in claims))
        texts = {name: self.text(content[name], name) for name in ("title", "number", "source", "question")}
        labels = self.texts(content.get("labels", {}), "labels")
        hops = content.get("packet_hops", {})
        self.keys(hops, "packet_hops", (), SIZES)
        return Published(
            **texts, experiments=experiments, variants=variants, judges=judges, claims=claims, pictures=pictures,
            tables=tables, calibrations=calibrations, labels=labels,
            packet_hops={size: float(self.number(each, f"packet_hops.{size}")) for size, each in hops.items()},
        )  # fmt: skip

    def worded(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        words = content.get("words", {})
        self.keys(words, "words", ("quick", "full") if words else (), ("medium",))
        # The medium size has the times of the full one, unless it says otherwise.
        given = {size: self.entries(each, f"words.{size}") for size, each in words.items()}
        sizes = {**given, "medium": {**given.get("full", {}), **given.get("medium", {})}}
        for name in sorted(set().union(*sizes.values())):
            if not all(name in each for each in sizes.values()):
                self.fault("words", f"{name} is missing in one of the sizes")
        filled: Mapping[str, Any] = _bound(content, sizes.get(self.size, {}))
        return filled

    def variant(self, table: Mapping[str, Any], path: str) -> Variant:
        self.keys(table, path, ("name", "about", "variant"), ("claims", "algorithms", "judge"))
        claims = tuple(self.listed(table.get("claims", []), f"{path}.claims"))
        algorithms = self.texts(table.get("algorithms", {}), f"{path}.algorithms")
        judge = self.text(table["judge"], f"{path}.judge") if "judge" in table else ""
        name, about, variant = (self.text(table[key], f"{path}.{key}") for key in ("name", "about", "variant"))
        return Variant(name, about, variant, claims, algorithms, judge)

    def judge(self, table: Mapping[str, Any], path: str, experiments: Iterable[str]) -> Judge:
        self.keys(table, path, ("name", "about", "cells"), ("size",))
        cells = self.texts(table["cells"], f"{path}.cells")
        for name in cells:
            self.one_of(name, f"{path}.cells", experiments)
        size = self.one_of(table["size"], f"{path}.size", SIZES) if "size" in table else ""
        return Judge(self.text(table["name"], f"{path}.name"), self.text(table["about"], f"{path}.about"), cells, size)

    def claim(self, table: Mapping[str, Any], path: str, experiments: Sequence[str] | Mapping[str, str]) -> Claim:
        needed = ("id", "statement", "strength", "place", "supported")
        optional = (
            "direction",
            "magnitude",
            "whose",
            "published",
            "not_testable",
            "cause",
            "note",
            "experiment",
            "check",
        )
        self.keys(table, path, needed, optional)
        if ("direction" in table) == ("not_testable" in table):
            self.fault(path, "either `direction` or `not_testable` is needed")
        if "magnitude" in table:
            self.one_of(table.get("whose", ""), f"{path}.whose", ("study", "ours"))
        own = table.get("experiment", "")
        if own != "":
            self.one_of(own, f"{path}.experiment", experiments)
        said = {
            key: self.text(table[key], f"{path}.{key}") if key in table else ""
            for key in ("published", "not_testable", "cause", "note")
        }
        scope = _Scope(own, tuple(experiments))
        magnitude = None
        if "magnitude" in table:
            magnitude = Magnitude(self.test(table["magnitude"], f"{path}.magnitude", scope), table["whose"])
        return Claim(
            id=self.text(table["id"], f"{path}.id"),
            statement=self.text(table["statement"], f"{path}.statement"),
            strength=self.one_of(table["strength"], f"{path}.strength", STRENGTHS),
            place=self.text(table["place"], f"{path}.place"),
            supported=self.text(table["supported"], f"{path}.supported"),
            direction=self.test(table["direction"], f"{path}.direction", scope) if "direction" in table else None,
            magnitude=magnitude,
            **said,
            check=self.truth(table.get("check", False), f"{path}.check"),
        )

    def test(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Test:
        self.entries(table, path)
        if "each" in table:
            self.keys(table, path, ("each", "test"), ("least",))
            conditions = self.conditions(table["each"], f"{path}.each")
            tests = [(self.test(_bound(table["test"], each), f"{path}.test", scope), each) for each in conditions]
            return Several(tests, self.count(table.get("least", len(conditions)), f"{path}.least"))
        for kind in ("all", "any"):
            if kind in table:
                self.keys(table, path, (kind,), ("least",) if kind == "any" else ())
                listed = self.items(table[kind], f"{path}.{kind}")
                parts = [self.test(each, f"{path}.{kind}.{at}", scope) for at, each in enumerate(listed)]
                least = len(parts) if kind == "all" else self.count(table.get("least", 1), f"{path}.least")
                return Several([(each, {}) for each in parts], least)
        if "order" in table:
            self.keys(table, path, ("order",), ("or_equal",))
            listed = self.items(table["order"], f"{path}.order")
            quantities = [self.quantity(each, f"{path}.order.{at}", scope) for at, each in enumerate(listed)]
            if len(quantities) < PAIR:
                self.fault(f"{path}.order", "at least two quantities are needed")
            return Ordered(quantities, self.truth(table.get("or_equal", False), f"{path}.or_equal"))
        for kind in ("rising", "falling"):
            if kind in table:
                return self.trend(table, path, scope, kind)
        self.keys(table, path, ("is",), ("at_least", "at_most"))
        return Bounded(self.quantity(table["is"], f"{path}.is", scope), *self.bounds(table, path))

    def trend(self, table: Mapping[str, Any], path: str, scope: _Scope, kind: str) -> Test:
        self.keys(table, path, (kind, "over"), ("or_equal",))
        conditions = self.conditions(table["over"], f"{path}.over")
        quantities = [self.quantity(_bound(table[kind], each), f"{path}.{kind}", scope) for each in conditions]
        equal = self.truth(table.get("or_equal", False), f"{path}.or_equal")
        return Ordered(quantities if kind == "rising" else quantities[::-1], equal)

    def quantity(self, table: Any, path: str, scope: _Scope) -> Quantity:
        if not isinstance(table, dict):
            return Number(float(self.number(table, path)))
        if "named" in table:
            return self.named_quantity(table, path, scope)
        for how in FOLDS:
            if how in table:
                self.keys(table, path, (how,), ("over",))
                listed = table[how] if isinstance(table[how], list) else [table[how]]
                over = self.conditions(table["over"], f"{path}.over") if "over" in table else [{}]
                return Folded(how, [self.quantity(each, f"{path}.{how}", scope) for each in listed], over)
        for how in ("ratio", "minus", "plus", "times"):
            if how in table:
                self.keys(table, path, (how,), ())
                first, second = self.pair(table[how], f"{path}.{how}", scope)
                return Combined(how, first, second)
        special: Mapping[str, Callable[..., Quantity]] = {
            "correlation": self.correlation,
            "constant": self.constant,
            "probability": self.probability,
            "rank": self.ranked,
        }
        read = next((special[kind] for kind in special if kind in table), self.measured)
        return read(table, path, scope)

    def named_quantity(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Quantity:
        self.keys(table, path, ("named",), ("where",))
        name = self.text(table["named"], f"{path}.named")
        where = self.entries(table.get("where", {}), f"{path}.where")
        if name in scope.within:
            self.fault(path, f"{name} is computed from itself")
        bound_here = {**scope.bound, **where}
        read = {
            each: self.quantity(
                _bound(self.named[each], bound_here),
                f"quantities.{each}",
                replace(scope, bound=bound_here, within=scope.within | {each}),
            )
            for each in _fitting(name, self.named)
            if each not in scope.within
        }
        if not read:
            self.one_of(name, f"{path}.named", self.named)
        # A name that is still open is bound by `over`, or by the places of a figure.
        whole = read[name] if name in read else Chosen(name, read)
        return Named(f"{name} of {', '.join(str(each) for each in where.values())}" if where else name, whole)

    def correlation(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Correlation:
        self.keys(table, path, ("correlation", "over"), ())
        first, second = self.pair(table["correlation"], f"{path}.correlation", scope)
        return Correlation(first, second, self.conditions(table["over"], f"{path}.over"))

    def constant(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Constant:
        self.keys(table, path, ("constant",), ())
        return Constant(self.quantity(table["constant"], f"{path}.constant", scope))

    def probability(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Probability:
        self.keys(table, path, ("probability",), ("at_least", "at_most"))
        least, most = self.bounds(table, path)
        return Probability(self.quantity(table["probability"], f"{path}.probability", scope), least, most)

    def bounds(self, table: Mapping[str, Any], path: str) -> tuple[float | None, float | None]:
        if "at_least" not in table and "at_most" not in table:
            self.fault(path, "`at_least` or `at_most` is needed")
        least, most = (
            self.number(table[key], f"{path}.{key}") if key in table else None for key in ("at_least", "at_most")
        )
        return least, most

    def ranked(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Ranked:
        self.keys(table, path, ("rank", "at", "among", "best"), ())
        best = self.one_of(table["best"], f"{path}.best", ("highest", "lowest"))
        among = self.conditions(table["among"], f"{path}.among")
        quantity = self.quantity(table["rank"], f"{path}.rank", scope)
        return Ranked(quantity, self.entries(table["at"], f"{path}.at"), among, best == "highest")

    def measured(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Measured:
        self.keys(table, path, ("measure",), ("where", "over", "missing", "experiment"))
        experiment = self.one_of(table.get("experiment", scope.own), f"{path}.experiment", scope.experiments)
        over = self.one_of(table.get("over", "one"), f"{path}.over", FOLD)
        where = self.entries(table.get("where", {}), f"{path}.where")
        missing = self.number(table["missing"], f"{path}.missing") if "missing" in table else None
        return Measured(experiment, self.text(table["measure"], f"{path}.measure"), where, over, missing)

    def conditions(self, table: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
        if not isinstance(table, dict) or not table:
            self.fault(path, "a table of names with lists is needed")
        lists = [self.listed(each, f"{path}.{name}") for name, each in table.items()]
        return [dict(zip(table, each, strict=True)) for each in itertools.product(*lists)]

    def listed(self, value: Any, path: str) -> list[Any]:
        """Return a list: one that is there, or that of `[lists]` with such a name."""
        if isinstance(value, str):
            value = self.lists[self.one_of(value, path, self.lists)]
        if not isinstance(value, list):
            self.fault(path, "a list is needed, or the name of one")
        return list(value)

    def picture(self, table: Mapping[str, Any], path: str, experiments: Iterable[str]) -> Picture:
        needed = ("title", "caption", "label", "x", "lines", "experiment")
        self.keys(table, path, needed, ("measure", "over", "is", "axis", "log", "published"))
        if ("measure" in table) == ("is" in table) or ("is" in table and "axis" not in table):
            self.fault(path, "either `measure`, or `is` and `axis`, is needed")
        scope = _Scope(self.one_of(table["experiment"], f"{path}.experiment", experiments), tuple(experiments))
        lines = []
        for name, where in self.entries(table["lines"], f"{path}.lines").items():
            place = f"{path}.lines.{name}"
            self.entries(where, place)
            if "is" in table:
                lines.append(Line(name, self.quantity(_bound(table["is"], where), place, scope)))
            else:
                own = dict(where)
                entry = {
                    "measure": table["measure"], "over": table.get("over", "one"),
                    "experiment": own.pop("experiment", scope.own), "where": own,
                }  # fmt: skip
                lines.append(Line(name, self.measured(entry, place, scope)))
        title, caption, label = (self.text(table[key], f"{path}.{key}") for key in ("title", "caption", "label"))
        return Picture(
            title, caption, label, tuple(self.listed(table["x"], f"{path}.x")), tuple(lines),
            self.truth(table.get("log", False), f"{path}.log"),
            self.values(table.get("published", {}), f"{path}.published"),
            self.text(table["axis"], f"{path}.axis") if "axis" in table else "",
        )  # fmt: skip

    def table(self, table: Mapping[str, Any], path: str, experiments: Iterable[str], forms: Sequence[str]) -> Table:
        needed = ("title", "caption", "label", "is", "rows", "columns", "experiment")
        self.keys(table, path, needed, ("published", "under"))
        scope = _Scope(self.one_of(table["experiment"], f"{path}.experiment", experiments), tuple(experiments))
        columns = tuple(str(each) for each in self.listed(table["columns"], f"{path}.columns"))
        rows = {
            str(row): [
                self.quantity(_bound(table["is"], {"row": row, "column": each}), f"{path}.is", scope)
                for each in columns
            ]
            for row in self.listed(table["rows"], f"{path}.rows")
        }
        published = self.values(table.get("published", {}), f"{path}.published")
        for name, values in published.items():
            if name not in rows or len(values) != len(columns):
                self.fault(f"{path}.published.{name}", f"a row and {len(columns)} values are needed")
        form = self.text(table.get("under", AS_DESCRIBED), f"{path}.under")
        under = {
            row: [self.one_of(bound(form, {"row": row, "column": each}), f"{path}.under", forms) for each in columns]
            for row in rows
        }
        title, caption, label = (self.text(table[key], f"{path}.{key}") for key in ("title", "caption", "label"))
        return Table(title, caption, label, columns, rows, published, under)

    def calibration(
        self, table: Mapping[str, Any], path: str, tables: Sequence[Table], forms: Sequence[str]
    ) -> Calibration:
        self.keys(table, path, ("title", "caption", "parts", "under"), ())
        known = {each.title: each for each in tables if each.published}
        parts = {}
        for name, part in self.entries(table["parts"], f"{path}.parts").items():
            place = f"{path}.parts.{name}"
            self.keys(part, place, ("tables", "column"), ())
            titles = tuple(
                self.one_of(each, f"{place}.tables", known) for each in self.listed(part["tables"], f"{place}.tables")
            )
            for each in titles:
                self.one_of(part["column"], f"{place}.column", known[each].columns)
            parts[name] = Half(titles, part["column"])
        under = tuple(self.one_of(each, f"{path}.under", forms) for each in self.items(table["under"], f"{path}.under"))
        title, caption = (self.text(table[key], f"{path}.{key}") for key in ("title", "caption"))
        return Calibration(title, caption, parts, under)

    def values(self, table: Any, path: str) -> dict[str, list[float | None]]:
        """Read the source's values by name; an empty text stands where it has none."""
        return {
            name: [
                None if each == "" else float(self.number(each, f"{path}.{name}")) for each in self.items(values, path)
            ]
            for name, values in self.entries(table, path).items()
        }

    def pair(self, value: Any, path: str, scope: _Scope) -> tuple[Quantity, Quantity]:
        if len(listed := self.items(value, path)) != PAIR:
            self.fault(path, f"two quantities are needed, not {len(listed)}")
        first, second = (self.quantity(each, path, scope) for each in listed)
        return first, second

    def tables(self, content: Mapping[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the tables of a list, each with its key path."""
        listed = self.items(content.get(key, []), key)
        return [(f"{key}.{place}", self.entries(each, f"{key}.{place}")) for place, each in enumerate(listed)]

    def entries(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fault(path, f"{value!r} is no table; a table is needed")
        return dict(value)

    def items(self, value: Any, path: str) -> list[Any]:
        if not isinstance(value, list):
            self.fault(path, f"{value!r} is no list; a list is needed")
        return list(value)

    def texts(self, value: Any, path: str) -> dict[str, str]:
        return {name: self.text(each, f"{path}.{name}") for name, each in self.entries(value, path).items()}

    def number(self, value: Any, path: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.fault(path, f"{value!r} is no number; a finite one is needed")
        return value

    def count(self, value: Any, path: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.fault(path, f"{value!r} is no number of tests; a whole number is needed")
        return int(value)

    def keys(self, table: Mapping[str, Any], path: str, needed: Sequence[str], optional: Sequence[str]) -> None:
        for name in self.entries(table, path):
            if name not in (*needed, *optional):
                near = core.nearest(name, [*needed, *optional])
                self.fault(path, f"unknown key `{name}`" + (f"; did you mean `{near}`?" if near else ""))
        for name in needed:
            if name not in table:
                self.fault(path, f"`{name}` is missing")

    def one_of(self, value: Any, path: str, known: Iterable[str]) -> str:
        names = list(known)
        if not isinstance(value, str) or value not in names:
            self.fault(path, f"{value!r} is none of {', '.join(names)}")
        return str(value)

    def truth(self, value: Any, path: str) -> bool:
        if not isinstance(value, bool):
            self.fault(path, "true or false is needed")
        return bool(value)

    def text(self, value: Any, path: str) -> str:
        if not isinstance(value, str) or not value:
            self.fault(path, "text is needed")
        return str(value)

    def fault(self, path: str, problem: str) -> NoReturn:
        raise InputError(self.file, f"{path}: {problem}" if path else problem)


@dataclass(frozen=True)
class _Scope:
    """Where a quantity stands.

    Attributes:
        own: The experiment that it means by itself.
        experiments: Those there are.
        bound: What names have bound.
        within: The named quantities that it is part of.
    """

    own: str
    experiments: tuple[str, ...]
    bound: Mapping[str, Any] = field(default_factory=dict)
    within: frozenset[str] = frozenset()


def _fitting(template: str, names: Iterable[str]) -> list[str]:
    """Return the names that a text can become when its `{x}` are replaced."""
    pattern = "".join(".*" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^{}]*\})", template))
    return [name for name in names if re.fullmatch(pattern, name)]


def _bound(value: Any, binding: Mapping[str, Any]) -> Any:
    """Bind names in every text of a tree of tables and lists, keys included."""
    if isinstance(value, dict):
        return {bound(name, binding): _bound(each, binding) for name, each in value.items()}
    if isinstance(value, list):
        return [_bound(each, binding) for each in value]
    return bound(value, binding)


SIZES = ("quick", "medium", "full")
REPRODUCED = ("figures", "tables", "calibrations", "labels")
PAIR = 2
FOLDS = ("sum", "mean", "max", "min")
