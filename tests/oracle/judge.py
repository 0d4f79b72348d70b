"""The judge: what is to be thought of our answer to a statement beside PostgreSQL's.

Answers are equal, or both fail with the same code; where PostgreSQL names a place, at the same place. What it answers
may be refused by name. Everything else is wrong, unless it is a difference that docs/functions.md or docs/postgres.md
lists: each has its rule here, and counts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from asked import Asked, same
from postgres_wire import Mistake
from statement_twins import Twins, code, kinds_of

REFUSED_MAX = 0.05
LISTED_MAX = 0.02

# Beyond what is here: years before Christ in columns, numbers of more than 300 digits, long texts.
BEYOND = (
    "interval out of range",
    "date out of range",
    "timestamp out of range",
    "value overflows numeric format",
    "a text may have at most",
)
SPREAD = re.compile(r"round\((stddev|variance|var_)")
_NO_SPREAD = re.compile(r"[(,]0\.000[,)]")
_NUMBER = re.compile(r"-?\d+\.\d+")
MANY_BYTES = re.compile(r"[^\x00-\x7f]|\b(chr|unistr)\(")
_ROW_ORDER = re.compile(r"\)(?: |::)*(?:<=|>=|<|>) *(?:ROW *)?\(")
_SUM = re.compile(r"\b(sum|avg)\(")
_OVERFLOW = "error 22003 value out of range: overflow"


class Verdict(Enum):
    ALIKE = "answered alike"
    FAILED = "fail alike"
    REFUSED = "refused here"
    REFUSED_TOO = "refused here, and an error there"
    LISTED = "on the list of differences"
    WRONG = "different"


def is_right(ours: str, postgres: str) -> bool:
    """PostgreSQL's answer, a refusal of what it answers, or its error."""
    if code(postgres) is None:
        return ours == postgres or code(ours) == "0A000"
    return code(ours) == code(postgres)


def overflows_calendar(ours: str) -> bool:
    """Returns whether PostgreSQL computes a day of the year so far from ours that its 32 bits do not hold it."""
    return re.match(r'error 22008 (date|timestamp) out of range: ".*\d{3,}\D?\d{3}(\D|$)', ours) is not None


# ---- the list ----
def is_beyond(ours: str) -> bool:
    """Returns whether ours is an error because it would be too long, too large or too long ago."""
    return code(ours) is not None and ours.split(" ", 2)[2].startswith(BEYOND)


def without_blanks(answer: str) -> str:
    """Characters of several bytes leave fewer blanks at the end of a char(n)."""
    return re.sub(r'"?([^",()]*?) *"?(?=[,)])', r"\1", answer)


def counts_bytes(statement: str, ours: str, postgres: str) -> bool:
    """Returns whether a text has too many bytes and not more characters than it may have there, or other blanks behind
    it.
    """
    if not MANY_BYTES.search(statement + postgres):
        return False
    return code(ours) == "22001" or (code(ours) is None and without_blanks(ours) == without_blanks(postgres))


def adds_up(statement: str, ours: str, postgres: str) -> bool:
    """Returns whether a sum of intervals is out of range on its way only: PostgreSQL looks at each step."""
    is_sum = _SUM.search(statement) is not None
    return is_sum and postgres == "error 22008 interval out of range" and code(ours) is None


def is_spread(statement: str, ours: str, postgres: str) -> bool:
    """Returns whether it is how far floating values are apart. Equal ones are not apart at all, here, whatever they
    are; PostgreSQL's own sums of squares lose digits, or leave the type's range.
    """
    if SPREAD.search(statement) is None:
        return False
    if postgres == _OVERFLOW or (code(postgres) is None and _NO_SPREAD.search(ours) is not None):
        return True
    if _NUMBER.sub("", ours) != _NUMBER.sub("", postgres):
        return False
    pairs = zip(_NUMBER.findall(ours), _NUMBER.findall(postgres), strict=True)
    return all(math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=0.002) for one, other in pairs)


def is_read_before_rows(ours: str, postgres: str) -> bool:
    """Returns whether a regular expression is wrong, or too complex there: PostgreSQL's planner reads it, whatever the
    rows are; here it is met where it is matched with a text that is not NULL, behind what else fails of that row.
    """
    if postgres.startswith("applied 0 failed 2201B"):
        return ours == "applied 0" or ours.startswith("applied 0 failed 2201B")
    return code(postgres) == "2201B" and (code(ours) or "22").startswith("22")


def listed(statement: str, ours: str, postgres: str) -> str | None:
    """Returns the name on the list of what both say, if it is there."""
    if is_beyond(ours):
        return "beyond what is here"
    if counts_bytes(statement, ours, postgres):
        return "lengths in bytes"
    if adds_up(statement, ours, postgres):
        return "sums of intervals on their way"
    if is_read_before_rows(ours, postgres):
        return "regular expressions that no row meets"
    return "spreads of floating values" if is_spread(statement, ours, postgres) else None


def judged(statement: str, ours: str, postgres: str) -> tuple[Verdict, str]:
    """By both answers alone; a difference of the list by name."""
    if ours == postgres:
        return (Verdict.ALIKE if code(ours) is None else Verdict.FAILED), ""
    if code(ours) == "0A000" and code(postgres) != "0A000":
        return (Verdict.REFUSED if code(postgres) is None else Verdict.REFUSED_TOO), ""
    if code(ours) is not None and code(ours) == code(postgres):
        return Verdict.FAILED, ""
    name = listed(statement, ours, postgres)
    return (Verdict.LISTED, name) if name is not None else (Verdict.WRONG, "")


# ---- the count ----
def _most(expected: float) -> float:
    """Returns how many chance makes of so many in a draw, at most: three standard deviations more."""
    return expected + 3 * math.sqrt(expected)


@dataclass
class Tally:
    """How often each verdict was given, and what was wrong."""

    answered: int = 0  # By PostgreSQL.
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    differences: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, statement: str, answers: tuple[str, str], verdict: Verdict, name: str = "") -> None:
        ours, postgres = answers
        self.answered += code(postgres) is None
        self.verdicts[verdict] += 1
        if name:
            self.differences[name] += 1
        if verdict is Verdict.WRONG:
            self.wrong.append(f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}")

    def take(self, other: Tally) -> None:
        """Another's counts, too."""
        self.answered += other.answered
        self.verdicts += other.verdicts
        self.differences += other.differences
        self.wrong += other.wrong

    def check(self) -> None:
        """Prints the count, and fails where anything is wrong or too much is refused or listed."""
        asked = sum(self.verdicts.values())
        refused, known = self.verdicts[Verdict.REFUSED], self.verdicts[Verdict.LISTED]
        print(
            f"{self.answered} of {asked} have an answer: {refused} are refused here ({refused / self.answered:.1%}), "
            f"{known} are on the list of differences ({known / self.answered:.1%}); "
            f"{self.verdicts[Verdict.ALIKE]} are answered alike, {self.verdicts[Verdict.FAILED]} fail alike"
        )
        for name, count in self.differences.most_common():
            print(f"  {count} {name}")
        assert not self.wrong, f"{len(self.wrong)} of {asked} differ:\n" + "\n".join(self.wrong[:20])
        assert refused <= _most(REFUSED_MAX * self.answered)
        assert known <= _most(LISTED_MAX * self.answered)


def check(statements: Sequence[str], answers: Sequence[tuple[str, str]], right: Sequence[bool]) -> None:
    """Fails with what is not right."""
    wrong = [
        f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}"
        for statement, (ours, postgres), is_fine in zip(statements, answers, right, strict=True)
        if not is_fine
    ]
    assert not wrong, f"{len(wrong)} of {len(statements)} differ:\n" + "\n".join(wrong[:20])


def count_answered(answers: list[tuple[str, str]]) -> int:
    """Counts the statements that PostgreSQL answers, of which few may be refused here."""
    refused = sum(code(ours) is not None and code(postgres) is None for ours, postgres in answers)
    answered = sum(code(postgres) is None for _, postgres in answers)
    print(f"{answered} of {len(answers)} have an answer, {refused} of them are refused here")
    assert refused <= answered / 20
    return answered


# ---- those who are asked ----
def answers_on(twins: Twins, rows: Sequence[str], statements: Sequence[str | Asked]) -> list[tuple[str, str]]:
    """Answers of both sides, on these rows. In turns: PostgreSQL locks what it makes to learn types until the
    transaction ends."""
    asked = [each if isinstance(each, Asked) else same(each) for each in statements]
    there = as_postgres_is_asked(asked)
    answers = []
    for first in range(0, len(asked), 1000):
        here = [each.here for each in asked[first : first + 1000]]
        answers += twins.answers([*rows, *here], postgres=[*rows, *there[first : first + 1000]])[len(rows) :]
    return answers


def as_postgres_is_asked(asked: Sequence[Asked]) -> list[str]:
    """Which conjuncts cannot fail, the compiler says."""
    conjuncts = sorted({conjunct for each in asked for conjunct in each.conjuncts})
    certain = {each for each, kind in zip(conjuncts, kinds_of(conjuncts), strict=True) if kind == "certain"}
    return [each.postgres(certain.__contains__) for each in asked]


class Judge:
    """Asks both sides, on rows of its own, and looks again where they differ."""

    def __init__(self, twins: Twins, rows: list[str]) -> None:
        self._twins = twins
        self._rows = rows

    def tally(self, asked: Sequence[Asked]) -> Tally:
        tally = Tally()
        answers = answers_on(self._twins, self._rows, asked)
        failed = []
        for each, pair in zip(asked, answers, strict=True):
            verdict, name = judged(each.here, *pair)
            if verdict is Verdict.WRONG and (second := self._looked_at_again(each, *pair)) is not None:
                verdict, name = Verdict.LISTED, second
            if verdict is Verdict.FAILED:
                failed.append(each.here)
            tally.add(each.here, pair, verdict, name)
        tally.wrong += self._misplaced(failed)
        return tally

    def _looked_at_again(self, asked: Asked, ours: str, postgres: str) -> str | None:
        name = self._met_elsewhere(asked, ours, postgres)
        if name is None and _ROW_ORDER.search(asked.here) and self._is_met_by_planner(asked, postgres):
            return "constants behind a pair that decides"
        return name

    def _is_met_by_planner(self, asked: Asked, postgres: str) -> bool:
        """Returns whether the statement fails without any row, too, with this error of a value, there alone."""
        ((here, there),) = answers_on(self._twins, [], [asked])
        return code(here) is None and code(there) == code(postgres) and (code(there) or "").startswith("22")

    def _met_elsewhere(self, asked: Asked, ours: str, postgres: str) -> str | None:
        if code(ours) is not None and code(postgres) is not None:
            if self._are_met((asked,), ours, postgres):
                return "mistakes of several rows"
            is_beside = len(asked.alone) > 1 and self._are_met(asked.alone, ours, postgres)
            return "mistakes of outputs and of keys" if is_beside else None
        if code(ours) is None and code(postgres) is not None and self._is_never_true(asked):
            return "conditions that are never true"
        is_behind = (code(ours) is None) != (code(postgres) is None) and self._is_behind_limit(asked, ours, postgres)
        return "rows behind a LIMIT" if is_behind else None

    def _is_never_true(self, asked: Asked) -> bool:
        """Returns whether one conjunct by itself is known not to hold for any row, and no row is looked at here, while
        to PostgreSQL's planner it is like any other.
        """
        kinds = kinds_of(list(asked.conjuncts))
        known = [each for each, kind in zip(asked.conjuncts, kinds, strict=True) if kind == "known"]
        answers = answers_on(self._twins, self._rows, [f"SELECT i FROM t WHERE {each}" for each in known])
        return any(ours == postgres == "integer|" for ours, postgres in answers)

    def _is_behind_limit(self, asked: Asked, ours: str, postgres: str) -> bool:
        """Returns whether the one side that failed did so on a row that the LIMIT removes: both fail without it."""
        if asked.unlimited is None:
            return False
        ((here, there),) = answers_on(self._twins, self._rows, [asked.unlimited])
        return code(here) is not None and code(here) == code(there) == (code(ours) or code(postgres))

    def _are_met(self, statements: Sequence[Asked], ours: str, postgres: str) -> bool:
        """Returns whether these statements, each on each row alone, fail in several ways, ours and PostgreSQL's among
        them, and both sides alike: which of them is met first is said by nobody.
        """
        alone = [
            (asked.here, pair)
            for row in self._rows
            for asked, pair in zip(statements, answers_on(self._twins, [row], statements), strict=True)
        ]
        met = {code(here) for _, (here, there) in alone if code(here) == code(there)}
        is_alike = all(judged(here, *pair)[0] in (Verdict.ALIKE, Verdict.FAILED) for here, pair in alone)
        return is_alike and {code(ours), code(postgres)} <= met

    def _misplaced(self, statements: list[str]) -> list[str]:
        """Returns the statements that fail before a row is looked at, where PostgreSQL names another place."""
        met = self._twins.errors(self._rows, statements)
        return [
            f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}"
            for statement, (ours, postgres) in zip(statements, met, strict=True)
            if postgres is not None and postgres.position > 0 and not _is_same(ours, postgres)
        ]


def _is_same(ours: Mistake | None, postgres: Mistake) -> bool:
    return ours is not None and (ours.sqlstate, ours.position) == (postgres.sqlstate, postgres.position)
