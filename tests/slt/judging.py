"""Says what is wrong with two answers to one record: by the file's word, PostgreSQL's, and the page that says they
differ.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from slt.answers import Answer
from slt.reading import answer_header, query_header
from slt.records import Expectation, Kind, Record, Reference
from slt.spelling import escaped, letter_of


def spelled(record: Record, answer: Answer) -> Expectation:
    """Returns what the record would say if this answer were right: in its own words where those can say it, otherwise
    in the ones that can.
    """
    answer = answer.sorted(record.sort)
    if record.differs is None:
        answer = answer.without_hints()
    kept = _in_form_of(record, answer)
    if kept is not None:
        return kept
    if record.kind is not Kind.ANSWER and len(answer.outcomes) == 1:
        (outcome,) = answer.outcomes
        is_plain = not outcome.notices and not outcome.copied and outcome.tag != ""
        if is_plain and outcome.error:
            return Expectation(f"statement error {outcome.error.sqlstate} {escaped(outcome.error.message)}".rstrip())
        if is_plain and outcome.columns:
            return _query(record, answer)
        if is_plain and outcome.columns is None:
            return Expectation("statement ok")
    return Expectation(answer_header(record.sort), tuple(answer.lines()))


def _in_form_of(record: Record, answer: Answer) -> Expectation | None:
    """As the record has been written, which may leave out what it does not care for; nothing: that cannot say it."""
    if record.expectation is None or record.kind is not Kind.STATEMENT:
        return None
    errors = [outcome.error for outcome in answer.outcomes if outcome.error]
    if record.expectation.header == "statement ok":
        return None if errors else record.expectation
    if not errors:
        return None
    coded = f"statement error {errors[-1].sqlstate}"
    return Expectation(coded if record.expectation.header == coded else f"{coded} {escaped(errors[-1].message)}")


def _query(record: Record, answer: Answer) -> Expectation:
    (outcome,) = answer.outcomes
    letters = "".join(letter_of(column.type_oid) for column in outcome.columns or ())
    names = (outcome.column_line(),) if record.has_columns else ()
    header = query_header(letters, record.sort, has_columns=record.has_columns)
    return Expectation(header, (*names, *outcome.row_lines()))


def faults(record: Record, ours: Answer, theirs: Answer | None, docs: Path) -> Iterator[str]:
    """Yields what is wrong, each in some lines. `theirs`: PostgreSQL's answer, nothing: it was not asked."""
    said = ours.without_hints().sorted(record.sort).lines()
    judged = None if theirs is None else theirs.without_hints().sorted(record.sort).lines()
    if record.differs is not None:
        yield from _stale(record.differs, docs)
        if judged == said:
            yield "it is marked as different, and PostgreSQL answers the same"
    elif judged is not None and judged != said:
        yield "PostgreSQL (-) answers differently (+):\n" + _difference(judged, said)
    if record.expectation is None:
        yield "its answer has not been written yet: run.py --write does that"
        return
    expected = [record.expectation.header, *record.expectation.lines]
    meant = ours if record.differs is not None or theirs is None else theirs
    told = spelled(record, meant)
    if told != record.expectation:
        who = "Daedalus" if meant is ours else "PostgreSQL"
        yield f"the file (-) does not say what {who} answers (+):\n" + _difference(expected, [told.header, *told.lines])


def _stale(reference: Reference, docs: Path) -> Iterator[str]:
    """Returns whether one line of the page has these words, and no other."""
    lines = (docs / reference.page).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if reference.words in line]
    if not found:
        yield f"docs/{reference.page} does not say {reference.words!r}"
    elif len(found) > 1:
        yield f"docs/{reference.page} says {reference.words!r} in several lines: {', '.join(map(str, found))}"


def _difference(expected: list[str], said: list[str]) -> str:
    _, _, *lines = difflib.unified_diff(expected, said, lineterm="", n=3)
    return "\n".join(f"    {line}" for line in lines if not line.startswith("@@"))
