"""The file of a published study's claims: read strictly, every fault with the key path to it."""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from narrows import core
from narrows.errors import InputError
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
from narrows.reproduction.predicate import Bounded, Ordered, Several, Test
from narrows.reproduction.quantity import (
    FOLD,
    Chosen,
    Combined,
    Constant,
    Correlation,
    Folded,
    Measured,
    Named,
    Number,
    Probability,
    Quantity,
    Ranked,
    bound,
)

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
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(file), str(error)) from error
    return _Reader(str(file), size).published(content)


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
        self.named, self.lists = content.get("quantities", {}), content.get("lists", {})
        experiments = {name: self.text(about, f"experiments.{name}") for name, about in content["experiments"].items()}
        variants = [self.variant(each, f"variants.{place}") for place, each in enumerate(content.get("variants", []))]
        judges = [
            self.judge(each, f"judges.{place}", experiments) for place, each in enumerate(content.get("judges", []))
        ]
        claims = [
            self.claim(each, f"claims.{each.get('id', place)}", experiments)
            for place, each in enumerate(content.get("claims", []))
        ]
        twice = {claim.id for claim in claims if sum(other.id == claim.id for other in claims) > 1}
        if twice:
            self.fault("claims", f"{min(twice)} is there twice")
        pictures = [
            self.picture(each, f"figures.{place}", experiments) for place, each in enumerate(content.get("figures", []))
        ]
        forms = [AS_DESCRIBED, *(each.name for each in variants), *(each.name for each in judges)]
        tables = [
            self.table(each, f"tables.{at}", experiments, forms) for at, each in enumerate(content.get("tables", []))
        ]
        calibrations = [
            self.calibration(each, f"calibrations.{at}", tables, forms)
            for at, each in enumerate(content.get("calibrations", []))
        ]
        for variant in variants:
            for name in variant.claims:
                self.one_of(name, f"variants.{variant.name}.claims", (claim.id for claim in claims))
        texts = {name: self.text(content[name], name) for name in ("title", "number", "source", "question")}
        labels = {name: self.text(each, f"labels.{name}") for name, each in content.get("labels", {}).items()}
        hops = content.get("packet_hops", {})
        self.keys(hops, "packet_hops", (), SIZES)
        return Published(
            **texts, experiments=experiments, variants=variants, judges=judges, claims=claims, pictures=pictures,
            tables=tables, calibrations=calibrations, labels=labels,
            packet_hops={size: float(each) for size, each in hops.items()},
        )  # fmt: skip

    def worded(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        words = content.get("words", {})
        self.keys(words, "words", ("quick", "full") if words else (), ("medium",))
        # The medium size has the times of the full one, unless it says otherwise.
        sizes = {**words, "medium": {**words.get("full", {}), **words.get("medium", {})}}
        for name in sorted(set().union(*sizes.values())):
            if not all(name in each for each in sizes.values()):
                self.fault("words", f"{name} is missing in one of the sizes")
        filled: Mapping[str, Any] = _bound(content, sizes.get(self.size, {}))
        return filled

    def variant(self, table: Mapping[str, Any], path: str) -> Variant:
        self.keys(table, path, ("name", "about", "variant"), ("claims", "algorithms", "judge"))
        claims = tuple(self.listed(table.get("claims", []), f"{path}.claims"))
        named = table.get("algorithms", {})
        if not isinstance(named, dict):
            self.fault(f"{path}.algorithms", "a table of names with names is needed")
        algorithms = {name: self.text(each, f"{path}.algorithms.{name}") for name, each in named.items()}
        judge = self.text(table["judge"], f"{path}.judge") if "judge" in table else ""
        return Variant(table["name"], table["about"], table["variant"], claims, algorithms, judge)

    def judge(self, table: Mapping[str, Any], path: str, experiments: Iterable[str]) -> Judge:
        self.keys(table, path, ("name", "about", "cells"), ("size",))
        if not isinstance(table["cells"], dict):
            self.fault(f"{path}.cells", "a table of experiments with files is needed")
        cells = {
            self.one_of(name, f"{path}.cells", experiments): self.text(each, f"{path}.cells.{name}")
            for name, each in table["cells"].items()
        }
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
        if own:
            self.one_of(own, f"{path}.experiment", experiments)
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
            published=table.get("published", ""),
            not_testable=table.get("not_testable", ""),
            cause=table.get("cause", ""),
            note=table.get("note", ""),
            check=self.truth(table.get("check", False), f"{path}.check"),
        )

    def test(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Test:
        if not isinstance(table, dict):
            self.fault(path, "a table is needed")
        if "each" in table:
            self.keys(table, path, ("each", "test"), ("least",))
            conditions = self.conditions(table["each"], f"{path}.each")
            tests = [(self.test(_bound(table["test"], each), f"{path}.test", scope), each) for each in conditions]
            return Several(tests, table.get("least", len(conditions)))
        for kind in ("all", "any"):
            if kind in table:
                self.keys(table, path, (kind,), ("least",) if kind == "any" else ())
                parts = [self.test(each, f"{path}.{kind}.{at}", scope) for at, each in enumerate(table[kind])]
                return Several([(each, {}) for each in parts], len(parts) if kind == "all" else table.get("least", 1))
        if "order" in table:
            self.keys(table, path, ("order",), ("or_equal",))
            quantities = [self.quantity(each, f"{path}.order.{at}", scope) for at, each in enumerate(table["order"])]
            if len(quantities) < PAIR:
                self.fault(f"{path}.order", "at least two quantities are needed")
            return Ordered(quantities, table.get("or_equal", False))
        for kind in ("rising", "falling"):
            if kind in table:
                return self.trend(table, path, scope, kind)
        self.keys(table, path, ("is",), ("at_least", "at_most"))
        least, most = self.bounds(table, path)
        return Bounded(self.quantity(table["is"], f"{path}.is", scope), least, most)

    def trend(self, table: Mapping[str, Any], path: str, scope: _Scope, kind: str) -> Test:
        self.keys(table, path, (kind, "over"), ("or_equal",))
        conditions = self.conditions(table["over"], f"{path}.over")
        quantities = [self.quantity(_bound(table[kind], each), f"{path}.{kind}", scope) for each in conditions]
        return Ordered(quantities if kind == "rising" else quantities[::-1], table.get("or_equal", False))

    def quantity(self, table: Any, path: str, scope: _Scope) -> Quantity:
        if isinstance(table, int | float) and not isinstance(table, bool):
            return Number(float(table))
        if not isinstance(table, dict):
            self.fault(path, "a table with a measure is needed")
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
                first, second = (self.quantity(each, f"{path}.{how}", scope) for each in table[how])
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
        name, where = self.text(table["named"], f"{path}.named"), table.get("where", {})
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
        first, second = (self.quantity(each, f"{path}.correlation", scope) for each in table["correlation"])
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
        return table.get("at_least"), table.get("at_most")

    def ranked(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Ranked:
        self.keys(table, path, ("rank", "at", "among", "best"), ())
        best = self.one_of(table["best"], f"{path}.best", ("highest", "lowest"))
        among = self.conditions(table["among"], f"{path}.among")
        quantity = self.quantity(table["rank"], f"{path}.rank", scope)
        return Ranked(quantity, table["at"], among, best == "highest")

    def measured(self, table: Mapping[str, Any], path: str, scope: _Scope) -> Measured:
        self.keys(table, path, ("measure",), ("where", "over", "missing", "experiment"))
        experiment = self.one_of(table.get("experiment", scope.own), f"{path}.experiment", scope.experiments)
        over = self.one_of(table.get("over", "one"), f"{path}.over", FOLD)
        return Measured(experiment, table["measure"], table.get("where", {}), over, table.get("missing"))

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
        for name, where in table["lines"].items():
            place = f"{path}.lines.{name}"
            if "is" in table:
                lines.append(Line(name, self.quantity(_bound(table["is"], where), place, scope)))
            else:
                own = dict(where)
                entry = {
                    "measure": table["measure"], "over": table.get("over", "one"),
                    "experiment": own.pop("experiment", scope.own), "where": own,
                }  # fmt: skip
                lines.append(Line(name, self.measured(entry, place, scope)))
        return Picture(
            table["title"], table["caption"], table["label"], tuple(self.listed(table["x"], f"{path}.x")), tuple(lines),
            table.get("log", False), self.values(table.get("published", {})), table.get("axis", ""),
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
        published = self.values(table.get("published", {}))
        for name, values in published.items():
            if name not in rows or len(values) != len(columns):
                self.fault(f"{path}.published.{name}", f"a row and {len(columns)} values are needed")
        form = self.text(table.get("under", AS_DESCRIBED), f"{path}.under")
        under = {
            row: [self.one_of(bound(form, {"row": row, "column": each}), f"{path}.under", forms) for each in columns]
            for row in rows
        }
        return Table(table["title"], table["caption"], table["label"], columns, rows, published, under)

    def calibration(
        self, table: Mapping[str, Any], path: str, tables: Sequence[Table], forms: Sequence[str]
    ) -> Calibration:
        self.keys(table, path, ("title", "caption", "parts", "under"), ())
        known = {each.title: each for each in tables if each.published}
        parts = {}
        for name, part in table["parts"].items():
            place = f"{path}.parts.{name}"
            self.keys(part, place, ("tables", "column"), ())
            titles = tuple(
                self.one_of(each, f"{place}.tables", known) for each in self.listed(part["tables"], f"{place}.tables")
            )
            for each in titles:
                self.one_of(part["column"], f"{place}.column", known[each].columns)
            parts[name] = Half(titles, part["column"])
        under = tuple(self.one_of(each, f"{path}.under", forms) for each in table["under"])
        return Calibration(table["title"], table["caption"], parts, under)

    def values(self, table: Mapping[str, Sequence[Any]]) -> dict[str, list[float | None]]:
        """Read the source's values by name; an empty text stands where it has none."""
        return {name: [None if each == "" else float(each) for each in values] for name, values in table.items()}

    def keys(self, table: Mapping[str, Any], path: str, needed: Sequence[str], optional: Sequence[str]) -> None:
        for name in table:
            if name not in (*needed, *optional):
                near = core.nearest(name, [*needed, *optional])
                self.fault(path, f"unknown key `{name}`" + (f"; did you mean `{near}`?" if near else ""))
        for name in needed:
            if name not in table:
                self.fault(path, f"`{name}` is missing")

    def one_of(self, value: Any, path: str, known: Iterable[str]) -> str:
        if value not in (names := list(known)):
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
