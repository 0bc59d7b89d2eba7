# SPDX-License-Identifier: Apache-2.0
"""The file of a published study's claims: read strictly, every fault with its place."""

from __future__ import annotations

import itertools
import re
from dataclasses import field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from narrows._internal.experiments.declared import Key, fields
from narrows._internal.experiments.document import Document, Entry, Node, placed
from narrows._internal.files.text import read_text
from narrows._internal.frozen import frozen
from narrows._internal.reproduction import keys
from narrows._internal.reproduction.causes import LONGEST, sentences
from narrows._internal.reproduction.claims import (
    AS_DESCRIBED,
    Calibration,
    Cause,
    Claim,
    Half,
    Headline,
    Judge,
    Line,
    Magnitude,
    Picture,
    Printed,
    Published,
    Shown,
    Table,
    Variant,
)
from narrows._internal.reproduction.computed import (
    Chosen,
    Combined,
    Constant,
    Correlation,
    Folded,
    Named,
    Probability,
    Ranked,
    RatioOfMeans,
)
from narrows._internal.reproduction.predicate import Bounded, Ordered, Several, Test
from narrows._internal.reproduction.quantity import Awaited, Measured, Number, Quantity, bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def read_claims(file: Path, size: str = "quick") -> Published:
    """Read the claims of a study; a text that was read before is not read again."""
    return _read(read_text(file), str(file), size)


@lru_cache(maxsize=16)
def _read(text: str, file: str, size: str) -> Published:
    reader = _Reader(Document(text, file))
    root = reader.document.root()
    sizes = reader.words(reader.fields(root, keys.PUBLISHED).get("words"))
    own = sizes.get(size, {})
    # Most files have the same words for several sizes.
    first = next((name for name in keys.SIZES if repr(sizes.get(name, {})) == repr(own)), size)
    if first != size:
        return _read(text, file, first)
    return reader.published(_bound(root, own))


class _Reader:
    """Reads the parts of a file, up to the first fault."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.named: Mapping[str, Node] = {}
        self.lists: Mapping[str, Node] = {}
        # The named quantities that were read, by name, experiment, names around and bound values.
        self.shared: dict[tuple[str, str, frozenset[str], str], Quantity] = {}

    def published(self, root: Node) -> Published:
        """Read the whole, in which the words of a size are bound."""
        found = self.fields(root, keys.PUBLISHED)
        self.named, self.lists = self.entries(found.get("quantities")), self.entries(found.get("lists"))
        experiments = found["experiments"]
        variants = [self.variant(each) for each in found.get("variants", ())]
        judges = [self.judge(each, experiments) for each in found.get("judges", ())]
        forms = [AS_DESCRIBED, *(each.name for each in variants), *(each.name for each in judges)]
        claims = [self.claim(each, experiments, forms[1:]) for each in found.get("claims", ())]
        for each, node in zip(claims, found.get("claims", ()), strict=True):
            if sum(other.id == each.id for other in claims) > 1:
                self.fault(node, f"{each.id} is there twice")
        pictures = [self.picture(each, experiments) for each in found.get("figures", ())]
        tables = [self.table(each, experiments, forms) for each in found.get("tables", ())]
        calibrations = [self.calibration(each, tables, forms) for each in found.get("calibrations", ())]
        headlines = [self.headline(each, claims, (*tables, *pictures)) for each in found.get("headlines", ())]
        for variant, node in zip(variants, found.get("variants", ()), strict=True):
            for name in variant.claims:
                self.known(node, name, [claim.id for claim in claims])
            for claim, of in zip(claims, found.get("claims", ()), strict=True):
                if variant.name in claim.cause.evidence and not variant.concerns(claim.id):
                    self.fault(of, f"its cause names the variant {variant.name}, which is not tried on {claim.id}")
        return Published(
            **{name: found[name] for name in ("title", "number", "source", "question", "experiments")},
            variants=variants, judges=judges, claims=claims, headlines=headlines, pictures=pictures, tables=tables,
            calibrations=calibrations, labels=found.get("labels", {}),
            packet_hops=self.fields(found.get("packet_hops"), keys.HOPS),
        )  # fmt: skip

    def words(self, node: Node | None) -> Mapping[str, Mapping[str, Any]]:
        """Return the words of each size."""
        of_sizes = [Key(size, keys.PLAIN, "none", "", required=size != "medium") for size in keys.SIZES]
        given = self.fields(node, of_sizes) if node is not None and node.value else {}
        # The medium size has the times of the full size, unless the file gives its own.
        sizes = {**given, "medium": {**given.get("full", {}), **given.get("medium", {})}}
        for name in sorted(set().union(*sizes.values())):
            if node is not None and not all(name in each for each in sizes.values()):
                self.fault(node, f"{name} is missing in one of the sizes")
        return sizes

    def variant(self, node: Node) -> Variant:
        found = self.fields(node, keys.VARIANT)
        claims = tuple(self.listed(found.get("claims")))
        about = (found["name"], found["about"], found["variant"])
        return Variant(*about, claims, found.get("algorithms", {}), found.get("judge", ""))

    def judge(self, node: Node, experiments: Iterable[str]) -> Judge:
        found = self.fields(node, keys.JUDGE)
        for name in found["cells"]:
            self.known(node, name, experiments)
        return Judge(found["name"], found["about"], found["cells"], found.get("size", ""))

    def claim(self, node: Node, experiments: Mapping[str, str], forms: Sequence[str]) -> Claim:
        found = self.fields(node, keys.CLAIM)
        if ("direction" in found) == ("not_testable" in found):
            self.fault(node, "either `direction` or `not_testable` is needed")
        if "magnitude" in found and "whose" not in found:
            self.fault(node, "`whose` is missing: the source of the threshold", allowed="study or ours")
        own = found.get("experiment", "")
        if own:
            self.known(node, own, experiments)
        scope = _Scope(own, tuple(experiments))
        about = {name: found[name] for name in ("id", "statement", "strength", "place", "supported")}
        return Claim(
            **about,
            direction=self.test(found["direction"], scope) if "direction" in found else None,
            magnitude=Magnitude(self.test(found["magnitude"], scope), found["whose"]) if "magnitude" in found else None,
            **{name: found.get(name, "") for name in ("published", "not_testable", "note", "bound")},
            cause=self.cause(found["cause"], forms) if "cause" in found else Cause(),
            check=found.get("check", False),
            printed=self.printed(found["printed"], found, scope) if "printed" in found else (),
        )

    def printed(self, node: Node, claim: Mapping[str, Any], scope: _Scope) -> tuple[Printed, ...]:
        """Read published values: one for the quantity of the claim's bound, or a list with a quantity each."""
        if isinstance(node.value, list):
            read = [self.fields(each, keys.VALUE) for each in node.items]
            return tuple(
                Printed(self.quantity(each["is"], scope), float(each["value"]), each.get("label", "")) for each in read
            )
        value = self.document.number(node)
        self.document.check()
        test = self.test(claim["direction"], scope) if "direction" in claim else None
        if not isinstance(test, Bounded):
            self.fault(node, "`printed` needs the quantity", allowed="a list of { value = …, is = … }")
        return (Printed(test.quantity, float(value or 0.0)),)

    def headline(self, node: Node, claims: Sequence[Claim], drawn: Sequence[Table | Picture]) -> Headline:
        """Read a headline, which names existing claims, tables and figures."""
        found = self.fields(node, keys.HEADLINE)
        ids = [claim.id for claim in claims]
        rests_on = tuple(self.known(each, each.plain, ids) for each in found["claims"])
        if not rests_on:
            self.fault(node, "`claims` is empty", allowed="at least one claim")
        known = {each.title: each for each in drawn}
        numbers = []
        for each in found.get("numbers", ()):
            own = self.fields(each, keys.SHOWN)
            rows, columns = _sides(known[self.known(each, own["table"], known)])
            row, column = self.known(each, own["row"], rows), self.known(each, own["column"], columns)
            numbers.append(Shown(own["table"], row, column, own.get("unit", "")))
        return Headline(found["says"], rests_on, tuple(numbers))

    def cause(self, node: Node, forms: Sequence[str]) -> Cause:
        """Read a cause: a text, or a table of four fields."""
        if not isinstance(node.value, dict):
            text = self.document.text_of(node)
            self.document.check()
            return Cause(text)
        found = self.fields(node, keys.CAUSE)
        if len(sentences(found["text"])) > LONGEST:
            self.fault(node, f"`text` has {len(sentences(found['text']))} sentences", allowed=f"at most {LONGEST}")
        evidence = found.get("evidence")
        listed = [] if evidence is None else evidence.items if isinstance(evidence.value, list) else [evidence]
        for each in listed:
            # A text that ends like a sentence is a sentence; any other must be a known name.
            if not isinstance(each.value, str) or not each.value.rstrip().endswith("."):
                self.known(each, each.plain, forms)
        return Cause(found["text"], found["whose"], tuple(each.plain for each in listed), found.get("decides", ""))

    def test(self, node: Node, scope: _Scope) -> Test:
        kind, found = self.form(node, keys.TESTS, "is")
        match kind:
            case "each":
                conditions = self.conditions(found["each"])
                tests = [(self.test(_bound(found["test"], each), scope), each) for each in conditions]
                return Several(tests, found.get("least", len(tests)))
            case "all" | "any":
                parts: list[tuple[Test, Mapping[str, Any]]] = [(self.test(each, scope), {}) for each in found[kind]]
                return Several(parts, len(parts) if kind == "all" else found.get("least", 1))
            case "order":
                quantities = [self.quantity(each, scope) for each in found["order"]]
                if len(quantities) < PAIR:
                    self.fault(node, "at least two quantities are needed")
                return Ordered(quantities, found.get("or_equal", False))
            case "rising" | "falling":
                conditions = self.conditions(found["over"])
                quantities = [self.quantity(_bound(found[kind], each), scope) for each in conditions]
                return Ordered(quantities if kind == "rising" else quantities[::-1], found.get("or_equal", False))
        return Bounded(self.quantity(found["is"], scope), *self.bounds(node, found))

    def quantity(self, node: Node, scope: _Scope) -> Quantity:  # noqa: PLR0911  # a kind of quantity each
        if not isinstance(node.value, dict):
            number = self.document.number(node)
            self.document.check()
            return Number(float(number or 0.0))
        kind, found = self.form(node, keys.QUANTITIES, "measure")
        match kind:
            case "named":
                return self.named_quantity(node, found, scope)
            case "sum" | "mean" | "max" | "min":
                parts = found[kind].items if isinstance(found[kind].value, list) else [found[kind]]
                over = self.conditions(found["over"]) if "over" in found else [{}]
                return Folded(kind, [self.quantity(each, scope) for each in parts], over)
            case "ratio" | "minus" | "plus" | "times":
                return Combined(kind, *self.pair(node, found[kind], scope))
            case "ratio_of_means":
                return RatioOfMeans("ratio", *self.pair(node, found[kind], scope))
            case "correlation":
                return Correlation(*self.pair(node, found[kind], scope), self.conditions(found["over"]))
            case "constant":
                return Constant(self.quantity(found[kind], scope))
            case "probability":
                least, most = self.bounds(node, found)
                return Probability(self.quantity(found[kind], scope), least, most)
            case "rank":
                ranked = self.quantity(found[kind], scope)
                return Ranked(ranked, found["at"], self.conditions(found["among"]), found["best"] == "highest")
        experiment = self.known(node, found.get("experiment", scope.own), scope.experiments)
        read = (experiment, found["measure"], found.get("where", {}), found.get("over", "one"), found.get("missing"))
        return Awaited(*read, float(found["never"])) if "never" in found else Measured(*read)

    def named_quantity(self, node: Node, found: Mapping[str, Any], scope: _Scope) -> Quantity:
        name, where = found["named"], found.get("where", {})
        # Nested names are read again and again under the same values, which takes most of the time of a file.
        key = (name, scope.own, scope.within, repr((where, scope.bound)))
        if key not in self.shared:
            self.shared[key] = self.unshared_quantity(node, name, where, scope)
        return self.shared[key]

    def unshared_quantity(self, node: Node, name: str, where: Mapping[str, Any], scope: _Scope) -> Quantity:
        if name in scope.within:
            self.fault(node, f"{name} is computed from itself")
        bound_here = {**scope.bound, **where}
        read = {
            each: self.quantity(
                _bound(self.named[each], bound_here), replace(scope, bound=bound_here, within=scope.within | {each})
            )
            for each in _fitting(name, self.named)
            if each not in scope.within
        }
        if not read:
            self.known(node, name, self.named)
        # A name that is still open is bound by `over`, or by the places of a figure.
        whole = read[name] if name in read else Chosen(name, read)
        return Named(f"{name} of {', '.join(str(each) for each in where.values())}" if where else name, whole)

    def bounds(self, node: Node, found: Mapping[str, Any]) -> tuple[float | None, float | None]:
        if "at_least" not in found and "at_most" not in found:
            self.fault(node, "`at_least` or `at_most` is needed")
        return found.get("at_least"), found.get("at_most")

    def pair(self, node: Node, listed: Sequence[Node], scope: _Scope) -> tuple[Quantity, Quantity]:
        if len(listed) != PAIR:
            self.fault(node, f"two quantities are needed, not {len(listed)}")
        return self.quantity(listed[0], scope), self.quantity(listed[1], scope)

    def picture(self, node: Node, experiments: Mapping[str, str]) -> Picture:
        found = self.fields(node, keys.FIGURE)
        if ("measure" in found) == ("is" in found) or ("is" in found and "axis" not in found):
            self.fault(node, "either `measure`, or `is` and `axis`, is needed")
        scope = _Scope(self.known(node, found["experiment"], experiments), tuple(experiments))
        lines = [Line(name, self.drawn(each, found, scope)) for name, each in self.entries(found["lines"]).items()]
        return Picture(
            found["title"], found["caption"], found["label"], tuple(self.listed(found["x"])), tuple(lines),
            found.get("log", False), _printed(found), found.get("axis", ""), found.get("quantity", ""),
        )  # fmt: skip

    def drawn(self, where: Node, found: Mapping[str, Any], scope: _Scope) -> Quantity:
        """Return the quantity of a line of a figure."""
        own = {name: each.plain for name, each in self.entries(where).items()}
        if "is" in found:
            return self.quantity(_bound(found["is"], own), scope)
        entry = {"measure": found["measure"], "over": found.get("over", "one")}
        entry |= {"experiment": own.pop("experiment", scope.own), "where": own}
        return self.quantity(placed(entry, where.path, where.span), scope)

    def table(self, node: Node, experiments: Mapping[str, str], forms: Sequence[str]) -> Table:
        found = self.fields(node, keys.TABLE)
        scope = _Scope(self.known(node, found["experiment"], experiments), tuple(experiments))
        columns = tuple(str(each) for each in self.listed(found["columns"]))
        cells = {str(row): [{"row": row, "column": each} for each in columns] for row in self.listed(found["rows"])}
        rows = {
            row: [self.quantity(_bound(found["is"], each), scope) for each in bindings]
            for row, bindings in cells.items()
        }
        published = _printed(found)
        for name, values in published.items():
            if name not in rows or len(values) != len(columns):
                self.fault(node, f"published.{name}: a row and {len(columns)} values are needed")
        form = found.get("under", AS_DESCRIBED)
        under = {
            row: [self.known(node, bound(form, {**each, "row": row}), forms) for each in cells[row]] for row in rows
        }
        return Table(
            found["title"], found["caption"], found["label"], columns, rows, published, under, found.get("quantity", "")
        )

    def calibration(self, node: Node, tables: Sequence[Table], forms: Sequence[str]) -> Calibration:
        found = self.fields(node, keys.CALIBRATION)
        known = {each.title: each for each in tables if each.published}
        parts = {}
        for name, part in self.entries(found["parts"]).items():
            own = self.fields(part, keys.PART)
            titles = tuple(self.known(part, each, known) for each in self.listed(own["tables"]))
            for each in titles:
                self.known(part, own["column"], known[each].columns)
            parts[name] = Half(titles, own["column"])
        under = tuple(self.known(each, each.plain, forms) for each in found["under"])
        return Calibration(found["title"], found["caption"], parts, under)

    def form(self, node: Node, forms: Mapping[str, tuple[Key, ...]], otherwise: str) -> tuple[str, dict[str, Any]]:
        """Return the form of a table, given by the key that distinguishes it, and its values."""
        there = node.value if isinstance(node.value, dict) else {}
        kind = next((each for each in forms if each in there), otherwise)
        return kind, self.fields(node, forms[kind])

    def fields(self, node: Node | None, declared: Sequence[Key]) -> dict[str, Any]:
        found = fields(self.document, node, declared)
        self.document.check()
        return found

    def entries(self, node: Node | None) -> dict[str, Node]:
        found = {name: entry.node for name, entry in self.document.table(node).items()}
        self.document.check()
        return found

    def conditions(self, node: Node) -> list[dict[str, Any]]:
        table = self.entries(node)
        if not table:
            self.fault(node, "expected a table of names with lists")
        lists = [self.listed(each) for each in table.values()]
        return [dict(zip(table, each, strict=True)) for each in itertools.product(*lists)]

    def listed(self, node: Node | None) -> list[Any]:
        """Return a list: written out, or named in `[lists]`."""
        if node is not None and isinstance(node.value, str):
            node = self.lists[self.known(node, node.value, self.lists)]
        found = [each.plain for each in self.document.listed(node, "a list, or the name of one")]
        self.document.check()
        return found

    def known(self, node: Node, name: Any, names: Iterable[str]) -> str:
        names = list(names)
        if not isinstance(name, str) or name not in names:
            self.document.unknown(node, f"unknown name {name!r}", str(name), names)
            self.document.check()
        return str(name)

    def fault(self, node: Node, problem: str, allowed: str = "") -> NoReturn:
        self.document.complain((node.span, node.path), problem, allowed=allowed)
        self.document.check()
        raise AssertionError(problem)


@frozen
class _Scope:
    """The context of a quantity in the file."""

    own: str  # the experiment if a quantity names none
    experiments: tuple[str, ...]
    bound: Mapping[str, Any] = field(default_factory=dict)  # values of the bound names
    within: frozenset[str] = frozenset()  # the named quantities around it


def _sides(drawn: Table | Picture) -> tuple[list[str], list[str]]:
    """Return the names of rows and columns in `tables.json`: of a figure, its published lines and its positions."""
    if isinstance(drawn, Table):
        return list(drawn.rows), list(drawn.columns)
    return list(drawn.published), [str(each) for each in drawn.places]


def _printed(found: Mapping[str, Any]) -> dict[str, list[float | None]]:
    """Return the published values by name; None for an empty text."""
    printed = found.get("published", {})
    return {name: [None if each == "" else each for each in values] for name, values in printed.items()}


def _fitting(template: str, names: Mapping[str, object]) -> list[str]:
    """Return the names that a text can give when its `{x}` are replaced."""
    if "{" not in template:
        return [template] if template in names else []
    pattern = "".join(".*" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^{}]*\})", template))
    return [name for name in names if re.fullmatch(pattern, name)]


def _bound(node: Node, binding: Mapping[str, Any]) -> Node:
    """Bind names in every text of a tree of tables and lists, keys included."""
    value = node.value
    if isinstance(value, dict):
        entries = {bound(name, binding): Entry(each.span, _bound(each.node, binding)) for name, each in value.items()}
        return Node(entries, node.span, node.path)
    if isinstance(value, list):
        return Node([_bound(each, binding) for each in value], node.span, node.path)
    new = bound(value, binding)
    return node if new is value else placed(new, node.path, node.span)


PAIR = 2
