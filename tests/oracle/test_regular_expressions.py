"""Regular expressions against PostgreSQL 15: thousands of random ones, each with texts that it may match, by all that
takes one."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest
from regular_patterns import Drawn, Patterns, similar_pattern
from statement_twins import Twins, are_there, code, shared_twins

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000")) // 2
PAIRS = 6  # Texts and uses of an expression in a statement.

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


def literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")
    return f"E'{escaped}'"


def shown(text: str) -> str:
    """A text's expression, so that a line stays one."""
    return f"replace({text}, E'\\n', '<')"


_FLAGS = ["", "i", "n", "p", "w", "s", "x", "in", "c", "ic", "m", "t", "g", "z", "e", "b", "q", "qi", "qn", "bi", "é"]
_REPLACEMENTS = ["", "X", "<\\&>", "\\1", "[\\1,\\2]", "\\\\", "\\", "a\\b", "\\9", "é\\&", "\\3\\2\\1", "\\0"]


def use(choice: random.Random, text: str, pattern: str) -> str:
    """An expression's value for a text: whether, where, what and what instead."""
    group = choice.choice([0, 0, 1, 1, 2, 3])
    start, number = choice.choice([1, 1, 1, 2, 3, 5, 70]), choice.choice([1, 1, 2, 3])
    flags = f"'{choice.choice(_FLAGS)}'"
    both = f"{text}, {pattern}"
    instead = literal(choice.choice(_REPLACEMENTS))
    uses = [
        f"({text} {choice.choice(['~', '~', '~*', '!~', '!~*'])} {pattern})",
        f"({text if text.isascii() else literal('ab-1')}::char(9) {choice.choice(['~', '!~*'])} {pattern})",
        f"regexp_like({both})",
        f"regexp_like({both}, {flags})",
        f"regexp_count({both})",
        f"regexp_count({both}, {start})",
        f"regexp_count({both}, {start}, {flags})",
        f"regexp_instr({both})",
        f"regexp_instr({both}, {start}, {number}, {choice.choice([0, 1])}, {flags}, {group})",
        f"regexp_instr({both}, {start}, {number}, 1, '', {group})",
        shown(f"regexp_substr({both})"),
        shown(f"regexp_substr({both}, {start}, {number}, '', {group})"),
        shown(f"regexp_substr({both}, {start}, {number}, {flags}, {group})"),
        shown(f"regexp_replace({both}, {instead})"),
        shown(f"regexp_replace({both}, {instead}, 'g')"),
        shown(f"regexp_replace({both}, {instead}, {flags})"),
        shown(f"regexp_replace({both}, {instead}, {start}, {choice.choice([0, 1, 2])}, 'i')"),
        shown(f"substring({both})"),
        shown(f"substring({text} from {pattern})"),
    ]
    return choice.choice(uses)


def select(uses: list[str]) -> str:
    return "SELECT " + ", ".join(f"{each} AS e{number}" for number, each in enumerate(uses))


def statement(choice: random.Random, patterns: Patterns) -> str:
    drawn: Drawn = patterns.drawn()
    return select([use(choice, literal(patterns.text(drawn)), literal(drawn.pattern)) for _ in range(PAIRS)])


def similar(choice: random.Random) -> str:
    pattern = literal(similar_pattern(choice))
    uses = []
    for _ in range(PAIRS):
        text = literal("".join(choice.choices("aabbé.^%\n", k=choice.randint(0, 7))))
        uses.append(
            choice.choice(
                [
                    f"({text} SIMILAR TO {pattern} ESCAPE '#')",
                    f"({text} NOT SIMILAR TO {pattern})",
                    shown(f"substring({text} SIMILAR {pattern} ESCAPE '#')"),
                    shown(f"substring({text}, {pattern}, '#')"),
                ]
            )
        )
    return select(uses)


def check(twins: Twins, statements: list[str]) -> None:
    """Both say the same, or it is refused here by name; PostgreSQL's mistakes are ours, word by word. Another use of
    the same expression in a statement may be a mistake before, or instead of, one that is refused. What takes too much
    memory there is not what does so here."""
    answers = [
        answer
        for first in range(0, len(statements), 1000)
        for answer in twins.answers(statements[first : first + 1000])
    ]
    refused = Counter(ours for ours, postgres in answers if code(ours) == "0A000" and code(postgres) is None)
    wrong = [
        f"{asked}\n  here: {ours}\n  PostgreSQL: {postgres}"
        for asked, (ours, postgres) in zip(statements, answers, strict=True)
        if ours != postgres and code(ours) != "0A000" and "regular expression is too complex" not in postgres
    ]
    answered = sum(code(postgres) is None for _, postgres in answers)
    print(
        f"{answered} of {len(answers)} have an answer, {refused.total()} of these are refused: {refused.most_common(9)}"
    )
    assert not wrong, f"{len(wrong)} of {len(statements)} differ:\n" + "\n".join(wrong[:20])
    assert refused.total() <= answered / 20
    assert answered > len(statements) / 3


def test_random_expressions_match_the_same(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} regular expressions")
    patterns = Patterns(choice)
    check(twins, [statement(choice, patterns) for _ in range(STATEMENTS)])


def test_random_patterns_of_similar_to_match_the_same(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} similar")
    check(twins, [similar(choice) for _ in range(STATEMENTS // 4)])
