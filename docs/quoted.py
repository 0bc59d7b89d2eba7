# SPDX-License-Identifier: Apache-2.0
"""What prose quotes of ledgers: taken from them where it is marked, compared with them where it is not.

| marked | stands for |
|---|---|
| `{verdict: ID}` | the verdict on a claim, as a verb: "holds", "is inconclusive" |
| `{effect: ID}` | the deciding number with its unit and interval |
| `{seeds: ID}` | the number of replications |
| `{claims: VERDICT}` | the claims with a verdict that data can decide |

They are those of the larger size, unless it has not run what a claim reads. `{verdict: ID, quick}` is that of a size,
`{verdict: ID, NAME}` that under a variant or by the cells of another implementation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from narrows._internal.reproduction.findings import effect_text
from narrows._internal.reproduction.ledger import NOT_TESTABLE, RETESTED
from narrows._internal.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Ledger = Mapping[str, Any]
    Entry = Mapping[str, Any]


def quoted(text: str, ledgers: Sequence[Ledger]) -> str:
    """Return a text with what it quotes of ledgers, that of the larger size first.

    Raises:
        ValueError: There is no such claim, verdict, size, variant or implementation.
    """
    return MARKED.sub(lambda found: _value(found["what"], found["of"], found["where"] or "", ledgers), text)


def _value(what: str, of: str, where: str, ledgers: Sequence[Ledger]) -> str:
    if what == "verdict" and where and where not in SIZES:
        under = _under(of, where, ledgers)
        return verb(under, 1) if under in VERBS else under
    size = where
    known = entries(ledgers, size)
    if what == "claims":
        listed = [each["id"] for each in known.values() if each["verdict"] == of and not each["check"]]
        if of not in VERBS:
            raise ValueError(f"{of!r} is no verdict; there are {', '.join(VERBS)}")
        return ", ".join(listed) or "none"
    if of not in known:
        raise ValueError(f"no ledger{f' of the {size} size' if size else ''} has a claim {of}")
    entry = known[of]
    if entry["cause"] == RETESTED:
        return NONE_YET
    if what == "verdict":
        return verb(entry["verdict"], 1)
    if what == "seeds":
        return str(entry["seeds"])
    if entry["effect"] is None:
        raise ValueError(f"claim {of} has no number")
    return effect_text(entry)


def _under(claim: str, name: str, ledgers: Sequence[Ledger]) -> str:
    """Return the verdict under a variant, or by another implementation, of the larger size that has it."""
    for ledger in ledgers:
        for entry in ledger["claims"]:
            verdicts = {
                **(entry["variants"] or {}),
                **{of: each["verdict"] for of, each in (entry["judged"] or {}).items()},
            }
            if entry["id"] == claim and name in verdicts:
                return str(verdicts[name])
    if any(entry["id"] == claim and entry["cause"] == RETESTED for ledger in ledgers for entry in ledger["claims"]):
        return NONE_YET
    raise ValueError(f"no ledger has a verdict on {claim} under {name!r}")


def entries(ledgers: Sequence[Ledger], size: str = "") -> dict[str, Entry]:
    """Return the claims by name: of a size, or of the larger size but for those whose cells it has not run."""
    found: dict[str, Entry] = {}
    for ledger in reversed(ledgers):
        if size in {"", ledger["size"]}:
            found |= {each["id"]: each for each in ledger["claims"] if each["id"] not in found or not each["lacks"]}
    return found


def verb(verdict: str, count: int) -> str:
    """Return a verdict as a verb that suits a number of claims."""
    return VERBS[verdict][count > 1]


def contradictions(text: str, ledgers: Sequence[Ledger]) -> list[str]:
    """Return where unmarked prose names claims with another verdict or number of seeds than ledgers have."""
    found = []
    for paragraph in re.split(r"\n\s*\n|\n(?=[*|] )", MARKED.sub("", text)):
        plain = " ".join(paragraph.split())
        for claims, said, size in (*_headed(plain), *_stated(plain)):
            known = entries(ledgers, size)
            found += [
                f"{name} {said}; the ledger: {known[name]['verdict']}"
                for name in CLAIM.findall(claims)
                if name in known and _word(known[name]["verdict"]) != _word(said)
            ]
        found += _seeds(plain, ledgers)
    return found


def _word(verdict: str) -> str:
    """Return a word for a verdict, whatever its form."""
    for word, forms in (
        (INCONCLUSIVE, "open inconclusive"),
        ("direction", "direction"),
        (FAILS, "fail"),
        (HOLDS, "hold"),
    ):
        if any(each in verdict.lower() for each in forms.split()):
            return word
    return verdict


def _headed(paragraph: str) -> Iterator[tuple[str, str, str]]:
    """Yield the claims, the verdict and the size that words in bold state: of the parentheses after them, or of all."""
    for found in re.finditer(r"\*\*([^*]+)\*\*", paragraph):
        said = re.search(VERDICT, found[1], re.IGNORECASE)
        if not said:
            continue
        rest = paragraph[found.end() :]
        after = re.match(r"\s*\(([^()]*)\)", rest)
        # Words that head a list are of every claim that has no verdict of its own.
        heads = "claims" in found[1] or rest.startswith(":")
        for listed in re.findall(r"\(([^()]*)\)", rest) if heads else [after[1]] if after else []:
            if re.fullmatch(LISTED, listed):
                yield listed, said[0], ""


def _stated(paragraph: str) -> Iterator[tuple[str, str, str]]:
    """Yield the claims, the verdict and the size that sentences state of them: "1-1 and 1-2 hold", "(1-3, open)"."""
    for found in re.finditer(rf"\(({LISTED}), ({VERDICT})( in the quick size)?", paragraph):
        yield found[1], found[2], "quick" if found[3] else ""
    for sentence in re.split(r"(?<=[.!?;])\s", paragraph):
        # What would be if something were otherwise is not in a ledger, nor what was once.
        if re.search(r"\bif\b|\bvariants?\b|\bwould\b|\bfrom (holds|fails|inconclusive)\b", sentence, re.IGNORECASE):
            continue
        quick = "quick" if re.match(r"in the quick size", sentence, re.IGNORECASE) else ""
        for found in re.finditer(
            rf"({LISTED})(, which ({VERB}) in the quick size,)?,? (?:both |all |also )?({VERB})( in the quick size)?",
            sentence,
        ):
            if found[2]:
                yield found[1], found[3], "quick"
            yield found[1], found[4], "quick" if found[5] else quick


def _seeds(paragraph: str, ledgers: Sequence[Ledger]) -> Iterator[str]:
    """Yield where a number of seeds is not that of any claim in the parentheses after it, or in its sentence."""
    for sentence in re.split(r"(?<=[.!?;])\s", paragraph):
        if re.search(r"\bvariants?\b|\bif\b", sentence):
            continue
        known = entries(ledgers, "quick" if "quick size" in sentence else "")
        for found in re.finditer(
            rf"\b(?:all|any of|each of|none of) ({'|'.join(NUMBERS)}|\d+) (?:equal )?seeds", sentence
        ):
            after = re.search(rf"\(({LISTED})\)", sentence[found.end() :])
            names = CLAIM.findall(after[1] if after else sentence)
            there = {known[name]["seeds"] for name in names if name in known}
            number = NUMBERS.index(found[1]) + 2 if found[1] in NUMBERS else int(found[1])
            if there and number not in there:
                yield f"{found[1]} seeds of {', '.join(names)}; the ledger: {', '.join(map(str, sorted(there)))}"


VERBS = {
    HOLDS: ("holds", "hold"),
    "holds in direction only": ("holds in direction only", "hold in direction only"),
    FAILS: ("fails", "fail"),
    INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
    NOT_TESTABLE: ("is not testable", "are not testable"),
}
# Of a claim whose test has changed since the cells were judged.
NONE_YET = "has no verdict by its present test yet"
SIZES = ("quick", "medium", "full")
CLAIM = re.compile(r"\b\d{3}-\d{3}\b")
MARKED = re.compile(r"\{(?P<what>verdict|effect|seeds|claims): (?P<of>[^{},]+)(?:, (?P<where>[^{}]+))?\}")
LISTED = r"\d{3}-\d{3}(?:(?:, | and |, and )\d{3}-\d{3})*"
VERB = r"(?:holds?(?: in direction only)?|fails?|(?:is|are|stays?|remains?) (?:open|inconclusive))\b"
VERDICT = r"(?:holds? in direction only|in direction only|holds?|fails?|inconclusive|open)\b"
NUMBERS = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
